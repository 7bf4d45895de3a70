// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/bind_group_layout.h"

#include <fmt/format.h>

#include <algorithm>

#include "gpu/core/device.h"

namespace lockstep::gpu::core {
namespace {

std::optional<Error> ValidateEntry(const BindGroupLayoutEntry& entry, const hal::Limits& limits,
                                   const std::string& name) {
  if (entry.binding >= limits.max_bindings_per_bind_group) {
    return ValidationError(fmt::format("binding {} of {} exceeds the limit maxBindingsPerBindGroup of {}",
                                       entry.binding, name, limits.max_bindings_per_bind_group));
  }
  if ((entry.visibility & ~shader_stage::kAll) != 0) {
    return ValidationError(
        fmt::format("binding {} of {} has visibility bits that WebGPU does not have", entry.binding, name));
  }
  const auto& buffer = std::get<BufferBindingLayout>(entry.resource);
  if ((entry.visibility & shader_stage::kVertex) != 0 && buffer.type == BufferBindingType::kStorage) {
    return ValidationError(fmt::format(
        "binding {} of {} is a writable storage buffer and visible to vertex shaders", entry.binding, name));
  }
  return std::nullopt;
}

std::optional<Error> Validate(const Device& device, const BindGroupLayoutDescriptor& descriptor,
                              const std::vector<BindGroupLayoutEntry>& sorted) {
  const std::string name = Named("bind group layout", descriptor.label);
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (i > 0 && sorted[i].binding == sorted[i - 1].binding) {
      return ValidationError(fmt::format("binding {} stands twice in {}", sorted[i].binding, name));
    }
    if (std::optional<Error> error = ValidateEntry(sorted[i], device.limits(), name)) return error;
  }
  return CheckSlotLimits(sorted, device.limits(), name);
}

}  // namespace

std::optional<Error> CheckSlotLimits(const std::vector<BindGroupLayoutEntry>& entries,
                                     const hal::Limits& limits, std::string_view owner) {
  uint32_t dynamic_uniform = 0, dynamic_storage = 0;
  for (const BindGroupLayoutEntry& entry : entries) {
    const auto& buffer = std::get<BufferBindingLayout>(entry.resource);
    if (!buffer.has_dynamic_offset) continue;
    ++(buffer.type == BufferBindingType::kUniform ? dynamic_uniform : dynamic_storage);
  }
  const auto over = [&](uint32_t used, uint32_t limit, std::string_view what, std::string_view limit_name) {
    return ValidationError(
        fmt::format("{} uses {} {}, which exceeds the limit {} of {}", owner, used, what, limit_name, limit));
  };
  if (dynamic_uniform > limits.max_dynamic_uniform_buffers_per_pipeline_layout) {
    return over(dynamic_uniform, limits.max_dynamic_uniform_buffers_per_pipeline_layout,
                "uniform buffers with dynamic offsets", "maxDynamicUniformBuffersPerPipelineLayout");
  }
  if (dynamic_storage > limits.max_dynamic_storage_buffers_per_pipeline_layout) {
    return over(dynamic_storage, limits.max_dynamic_storage_buffers_per_pipeline_layout,
                "storage buffers with dynamic offsets", "maxDynamicStorageBuffersPerPipelineLayout");
  }
  for (const uint32_t stage : {shader_stage::kVertex, shader_stage::kFragment, shader_stage::kCompute}) {
    uint32_t uniform = 0, storage = 0;
    for (const BindGroupLayoutEntry& entry : entries) {
      if ((entry.visibility & stage) == 0) continue;
      ++(std::get<BufferBindingLayout>(entry.resource).type == BufferBindingType::kUniform ? uniform
                                                                                           : storage);
    }
    if (uniform > limits.max_uniform_buffers_per_shader_stage) {
      return over(uniform, limits.max_uniform_buffers_per_shader_stage, "uniform buffers in one stage",
                  "maxUniformBuffersPerShaderStage");
    }
    if (storage > limits.max_storage_buffers_per_shader_stage) {
      return over(storage, limits.max_storage_buffers_per_shader_stage, "storage buffers in one stage",
                  "maxStorageBuffersPerShaderStage");
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
    if (std::get<BufferBindingLayout>(entry.resource).has_dynamic_offset) ++dynamic_offset_count_;
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
  std::vector<BindGroupLayoutEntry> sorted = descriptor.entries;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.binding < b.binding; });
  const std::optional<Error> error = Validate(*this, descriptor, sorted);
  auto layout = std::make_shared<BindGroupLayout>(shared_from_this(), descriptor.label, std::move(sorted), 0);
  if (error) {
    Report(*error);
    layout->Invalidate();
  }
  return layout;
}

}  // namespace lockstep::gpu::core
