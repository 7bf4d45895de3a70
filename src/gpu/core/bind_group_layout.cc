// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/bind_group_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "gpu/core/device.h"
#include "gpu/core/texture.h"

namespace lockstep::gpu::core {
namespace {

constexpr std::array<uint32_t, 3> kStages = {shader_stage::kVertex, shader_stage::kFragment,
                                             shader_stage::kCompute};

Complaint CheckMembers(const BindGroupLayoutEntry& entry) {
  const std::pair<bool, std::string_view> members[] = {
      {entry.buffer.has_value(), "buffer"},
      {entry.sampler.has_value(), "sampler"},
      {entry.texture.has_value(), "texture"},
      {entry.storage_texture.has_value(), "storageTexture"},
      {entry.external_texture.has_value(), "externalTexture"}};
  std::string given;
  size_t count = 0;
  for (const auto& [there, name] : members) {
    if (!there) continue;
    given += fmt::format("{}{}", count++ == 0 ? "" : ", ", name);
  }
  if (count == 1) return std::nullopt;
  return fmt::format("must be one of buffer, sampler, texture, storageTexture and externalTexture, and is {}",
                     count == 0 ? "none" : given);
}

Complaint CheckVisibility(const BindGroupLayoutEntry& entry) {
  if ((entry.visibility & ~shader_stage::kAll) != 0) return "has visibility bits that WebGPU does not have";
  if ((entry.visibility & shader_stage::kVertex) == 0) return std::nullopt;
  if (entry.buffer && entry.buffer->type == BufferBindingType::kStorage)
    return "is a writable storage buffer and visible to vertex shaders";
  if (entry.storage_texture && entry.storage_texture->writable())
    return "is a writable storage texture and visible to vertex shaders";
  return std::nullopt;
}

Complaint CheckTexture(const TextureBindingLayout& texture) {
  if (!texture.multisampled) return std::nullopt;
  if (texture.view_dimension != TextureViewDimension::k2d)
    return fmt::format("is multisampled and {}: it must be 2d", EnumName(texture.view_dimension));
  if (texture.sample_type == TextureSampleType::kFloat)
    return "is multisampled and of sample type float, which multisampled textures do not have";
  return std::nullopt;
}

Complaint CheckStorageTexture(const StorageTextureBindingLayout& texture, const Device& device) {
  if (Complaint missing = MissingFeature(device, texture.format))
    return "has a format that is not there: " + *missing;
  if (texture.view_dimension == TextureViewDimension::kCube ||
      texture.view_dimension == TextureViewDimension::kCubeArray)
    return fmt::format("is a storage texture and {}, which it cannot be", EnumName(texture.view_dimension));
  const hal::Support support = hal::FormatInfo(texture.format).storage[static_cast<size_t>(texture.access)];
  if (device.Supports(support)) return std::nullopt;
  const std::string_view feature = EnumName(support);
  return fmt::format("is a {} storage texture of the format {}, which does not allow that{}",
                     EnumName(texture.access), EnumName(texture.format),
                     feature.empty() ? "" : fmt::format(" without the feature {}", feature));
}

std::optional<Error> Validate(const Device& device, const BindGroupLayoutDescriptor& descriptor,
                              const std::vector<BindGroupLayoutEntry>& sorted) {
  const std::string name = Named("bind group layout", descriptor.label);
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (i > 0 && sorted[i].binding == sorted[i - 1].binding) {
      return ValidationError(fmt::format("binding {} stands twice in {}", sorted[i].binding, name));
    }
    if (const Complaint complaint = CheckEntry(sorted[i], device))
      return ValidationError(fmt::format("binding {} of {} {}", sorted[i].binding, name, *complaint));
  }
  return CheckSlotLimits(sorted, device.limits(), name);
}

bool IsBuffer(const BindGroupLayoutEntry& entry, bool uniform) {
  return entry.buffer && (entry.buffer->type == BufferBindingType::kUniform) == uniform;
}

// What entries take of a limit: in each of the stages by itself, or all of them together where there is none.
struct SlotRule {
  std::string_view what, limit_name;
  uint32_t hal::Limits::*limit;
  uint32_t stages;
  uint32_t (*slots)(const BindGroupLayoutEntry&);
};
using hal::Limits;
using Entry = BindGroupLayoutEntry;
uint32_t StorageBufferSlots(const Entry& entry) { return IsBuffer(entry, false) ? 1 : 0; }
uint32_t StorageTextureSlots(const Entry& entry) { return entry.storage_texture ? 1 : 0; }
// An external texture stands for four planes and tables, a sampler and a buffer (#gpuexternaltexture).
const SlotRule kSlotRules[] = {
    {"uniform buffers with dynamic offsets", "maxDynamicUniformBuffersPerPipelineLayout",
     &Limits::max_dynamic_uniform_buffers_per_pipeline_layout, 0,
     [](const Entry& e) { return e.dynamic() && IsBuffer(e, true) ? 1u : 0u; }},
    {"storage buffers with dynamic offsets", "maxDynamicStorageBuffersPerPipelineLayout",
     &Limits::max_dynamic_storage_buffers_per_pipeline_layout, 0,
     [](const Entry& e) { return e.dynamic() && IsBuffer(e, false) ? 1u : 0u; }},
    {"uniform buffers in one stage", "maxUniformBuffersPerShaderStage",
     &Limits::max_uniform_buffers_per_shader_stage, shader_stage::kAll,
     [](const Entry& e) { return IsBuffer(e, true) || e.external_texture ? 1u : 0u; }},
    {"storage buffers in the vertex stage", "maxStorageBuffersInVertexStage",
     &Limits::max_storage_buffers_in_vertex_stage, shader_stage::kVertex, StorageBufferSlots},
    {"storage buffers in the fragment stage", "maxStorageBuffersInFragmentStage",
     &Limits::max_storage_buffers_in_fragment_stage, shader_stage::kFragment, StorageBufferSlots},
    {"storage buffers in one stage", "maxStorageBuffersPerShaderStage",
     &Limits::max_storage_buffers_per_shader_stage, shader_stage::kCompute, StorageBufferSlots},
    {"samplers in one stage", "maxSamplersPerShaderStage", &Limits::max_samplers_per_shader_stage,
     shader_stage::kAll, [](const Entry& e) { return e.sampler || e.external_texture ? 1u : 0u; }},
    {"sampled textures in one stage", "maxSampledTexturesPerShaderStage",
     &Limits::max_sampled_textures_per_shader_stage, shader_stage::kAll,
     [](const Entry& e) { return e.texture            ? 1u
                                 : e.external_texture ? 4u
                                                      : 0u; }},
    {"storage textures in the vertex stage", "maxStorageTexturesInVertexStage",
     &Limits::max_storage_textures_in_vertex_stage, shader_stage::kVertex, StorageTextureSlots},
    {"storage textures in the fragment stage", "maxStorageTexturesInFragmentStage",
     &Limits::max_storage_textures_in_fragment_stage, shader_stage::kFragment, StorageTextureSlots},
    {"storage textures in one stage", "maxStorageTexturesPerShaderStage",
     &Limits::max_storage_textures_per_shader_stage, shader_stage::kCompute, StorageTextureSlots},
};

// `stage` 0: of all entries.
std::optional<Error> CheckSlots(const SlotRule& rule, uint32_t stage, const std::vector<Entry>& entries,
                                const Limits& limits, std::string_view owner) {
  uint32_t used = 0;
  for (const Entry& entry : entries) {
    if (stage == 0 || (entry.visibility & stage) != 0) used += rule.slots(entry);
  }
  const uint32_t limit = limits.*rule.limit;
  if (used <= limit) return std::nullopt;
  return ValidationError(fmt::format("{} uses {} {}, which exceeds the limit {} of {}", owner, used,
                                     rule.what, rule.limit_name, limit));
}

}  // namespace

Complaint CheckEntry(const BindGroupLayoutEntry& entry, const Device& device) {
  const uint32_t limit = device.limits().max_bindings_per_bind_group;
  if (entry.binding >= limit) return fmt::format("exceeds the limit maxBindingsPerBindGroup of {}", limit);
  if (Complaint complaint = CheckMembers(entry)) return complaint;
  if (Complaint complaint = CheckVisibility(entry)) return complaint;
  if (entry.texture) return CheckTexture(*entry.texture);
  if (entry.storage_texture) return CheckStorageTexture(*entry.storage_texture, device);
  return std::nullopt;
}

std::optional<Error> CheckSlotLimits(const std::vector<BindGroupLayoutEntry>& entries,
                                     const hal::Limits& limits, std::string_view owner) {
  for (const SlotRule& rule : kSlotRules) {
    if (rule.stages == 0) {
      if (std::optional<Error> error = CheckSlots(rule, 0, entries, limits, owner)) return error;
      continue;
    }
    for (const uint32_t stage : kStages) {
      if ((rule.stages & stage) == 0) continue;
      if (std::optional<Error> error = CheckSlots(rule, stage, entries, limits, owner)) return error;
    }
  }
  return std::nullopt;
}

BindGroupLayout::BindGroupLayout(std::shared_ptr<Device> device, std::string label,
                                 std::vector<BindGroupLayoutEntry> entries, uint64_t exclusive_pipeline)
    : Object(std::move(device), std::move(label)),
      entries_(std::move(entries)),
      exclusive_pipeline_(exclusive_pipeline) {
  for (const BindGroupLayoutEntry& entry : entries_) {
    if (entry.dynamic()) ++dynamic_offset_count_;
  }
}

const BindGroupLayoutEntry* BindGroupLayout::Find(uint32_t binding) const {
  const auto entry =
      std::lower_bound(entries_.begin(), entries_.end(), binding,
                       [](const BindGroupLayoutEntry& e, uint32_t b) { return e.binding < b; });
  return entry != entries_.end() && entry->binding == binding ? &*entry : nullptr;
}

bool BindGroupLayout::GroupEquivalent(const BindGroupLayout& other) const {
  return exclusive_pipeline_ == other.exclusive_pipeline_ && entries_ == other.entries_;
}

std::shared_ptr<BindGroupLayout> Device::CreateBindGroupLayout(const BindGroupLayoutDescriptor& descriptor) {
  std::vector<BindGroupLayoutEntry> sorted = SortedByBinding(descriptor.entries);
  const std::optional<Error> error = Validate(*this, descriptor, sorted);
  auto layout = std::make_shared<BindGroupLayout>(shared_from_this(), descriptor.label, std::move(sorted), 0);
  if (error) {
    Report(*error);
    layout->Invalidate();
  }
  return layout;
}

}  // namespace lockstep::gpu::core
