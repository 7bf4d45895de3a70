// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// GPUBindGroupLayout: what a bind group must hold.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpu/core/enums.h"
#include "gpu/core/error.h"
#include "gpu/core/object.h"
#include "gpu/hal/device.h"

namespace lockstep::gpu::core {

// GPUShaderStage
namespace shader_stage {
inline constexpr uint32_t kVertex = 1, kFragment = 2, kCompute = 4, kAll = 7;
}

struct BufferBindingLayout {
  BufferBindingType type = BufferBindingType::kUniform;
  bool has_dynamic_offset = false;
  uint64_t min_binding_size = 0;  // 0: checked at each dispatch instead
  friend bool operator==(const BufferBindingLayout&, const BufferBindingLayout&) = default;
};

struct SamplerBindingLayout {
  SamplerBindingType type = SamplerBindingType::kFiltering;
  friend bool operator==(const SamplerBindingLayout&, const SamplerBindingLayout&) = default;
};

struct TextureBindingLayout {
  TextureSampleType sample_type = TextureSampleType::kFloat;
  TextureViewDimension view_dimension = TextureViewDimension::k2d;
  bool multisampled = false;
  friend bool operator==(const TextureBindingLayout&, const TextureBindingLayout&) = default;
};

struct StorageTextureBindingLayout {
  StorageTextureAccess access = StorageTextureAccess::kWriteOnly;
  TextureFormat format = TextureFormat::kRgba8Unorm;
  TextureViewDimension view_dimension = TextureViewDimension::k2d;
  bool writable() const { return access != StorageTextureAccess::kReadOnly; }
  friend bool operator==(const StorageTextureBindingLayout&, const StorageTextureBindingLayout&) = default;
};

struct ExternalTextureBindingLayout {
  friend bool operator==(const ExternalTextureBindingLayout&, const ExternalTextureBindingLayout&) = default;
};

struct BindGroupLayoutEntry {
  uint32_t binding = 0;
  uint32_t visibility = 0;
  // Exactly one is there in entries of valid layouts.
  std::optional<BufferBindingLayout> buffer;
  std::optional<SamplerBindingLayout> sampler;
  std::optional<TextureBindingLayout> texture;
  std::optional<StorageTextureBindingLayout> storage_texture;
  std::optional<ExternalTextureBindingLayout> external_texture;
  bool dynamic() const { return buffer && buffer->has_dynamic_offset; }
  friend bool operator==(const BindGroupLayoutEntry&, const BindGroupLayoutEntry&) = default;
};

// Entries of a layout or a group by binding. Pointers are sorted: GCC 12 takes variants that are moved around
// for uninitialised.
template <typename Entry>
std::vector<Entry> SortedByBinding(const std::vector<Entry>& entries) {
  std::vector<const Entry*> order;
  for (const Entry& entry : entries) order.push_back(&entry);
  std::stable_sort(order.begin(), order.end(),
                   [](const Entry* a, const Entry* b) { return a->binding < b->binding; });
  std::vector<Entry> sorted;
  for (const Entry* entry : order) sorted.push_back(*entry);
  return sorted;
}

struct BindGroupLayoutDescriptor {
  std::string label;
  std::vector<BindGroupLayoutEntry> entries;
};

class BindGroupLayout : public Object {
 public:
  // `entries` sorted by binding. `exclusive_pipeline`: 0, or a number of the pipeline whose default layout
  // this is.
  BindGroupLayout(std::shared_ptr<Device> device, std::string label,
                  std::vector<BindGroupLayoutEntry> entries, uint64_t exclusive_pipeline);

  const std::vector<BindGroupLayoutEntry>& entries() const { return entries_; }
  const BindGroupLayoutEntry* Find(uint32_t binding) const;
  uint64_t exclusive_pipeline() const { return exclusive_pipeline_; }
  uint32_t dynamic_offset_count() const { return dynamic_offset_count_; }
  bool GroupEquivalent(const BindGroupLayout& other) const;  // WebGPU: #group-equivalent

 private:
  std::vector<BindGroupLayoutEntry> entries_;
  uint64_t exclusive_pipeline_;
  uint32_t dynamic_offset_count_ = 0;
};

// What is wrong with an entry by itself: "binding 3 of ... " and this. For layouts that are made and for
// default ones.
Complaint CheckEntry(const BindGroupLayoutEntry& entry, const Device& device);

// WebGPU: #exceeds-the-binding-slot-limits, over the entries of one or several layouts.
std::optional<Error> CheckSlotLimits(const std::vector<BindGroupLayoutEntry>& entries,
                                     const hal::Limits& limits, std::string_view owner);

}  // namespace lockstep::gpu::core
