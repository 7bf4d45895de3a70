// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// GPUBindGroupLayout: what a bind group must hold.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
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

struct BindGroupLayoutEntry {
  uint32_t binding = 0;
  uint32_t visibility = 0;
  // The binding member that is defined; samplers and textures are further alternatives.
  std::variant<BufferBindingLayout> resource;
  friend bool operator==(const BindGroupLayoutEntry&, const BindGroupLayoutEntry&) = default;
};

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

// WebGPU: #exceeds-the-binding-slot-limits, over the entries of one or several layouts.
std::optional<Error> CheckSlotLimits(const std::vector<BindGroupLayoutEntry>& entries,
                                     const hal::Limits& limits, std::string_view owner);

}  // namespace lockstep::gpu::core
