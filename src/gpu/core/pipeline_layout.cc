// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/pipeline_layout.h"

#include <fmt/format.h>

#include "gpu/core/device.h"

namespace lockstep::gpu::core {
namespace {

std::optional<Error> Validate(const Device& device, const PipelineLayoutDescriptor& descriptor) {
  const std::string name = Named("pipeline layout", descriptor.label);
  if (descriptor.bind_group_layouts.size() > device.limits().max_bind_groups) {
    return ValidationError(
        fmt::format("{} has {} bind group layouts, which exceeds the limit maxBindGroups of {}", name,
                    descriptor.bind_group_layouts.size(), device.limits().max_bind_groups));
  }
  if (descriptor.immediate_size > device.limits().max_immediate_size) {
    return ValidationError(
        fmt::format("{} has {} bytes of immediate data, which exceeds the limit "
                    "maxImmediateSize of {}",
                    name, descriptor.immediate_size, device.limits().max_immediate_size));
  }
  if (descriptor.immediate_size % 4 != 0) {
    return ValidationError(fmt::format("{} has {} bytes of immediate data, which is not a multiple of 4",
                                       name, descriptor.immediate_size));
  }
  std::vector<BindGroupLayoutEntry> all;
  for (const std::shared_ptr<BindGroupLayout>& layout : descriptor.bind_group_layouts) {
    if (!layout) continue;
    if (const Complaint complaint = CheckUsable("bind group layout", layout, device))
      return ValidationError(fmt::format("{}: {}", name, *complaint));
    if (layout->exclusive_pipeline() != 0) {
      return ValidationError(fmt::format("{} of {} belongs to a pipeline's default layout and fits no other",
                                         Named("bind group layout", *layout), name));
    }
    all.insert(all.end(), layout->entries().begin(), layout->entries().end());
  }
  return CheckSlotLimits(all, device.limits(), name);
}

}  // namespace

PipelineLayout::PipelineLayout(std::shared_ptr<Device> device, const PipelineLayoutDescriptor& descriptor)
    : Object(std::move(device), descriptor.label), bind_group_layouts_(descriptor.bind_group_layouts) {
  for (std::shared_ptr<BindGroupLayout>& layout : bind_group_layouts_) {
    if (layout && layout->entries().empty()) layout.reset();
  }
}

std::shared_ptr<PipelineLayout> Device::CreatePipelineLayout(const PipelineLayoutDescriptor& descriptor) {
  auto layout = std::make_shared<PipelineLayout>(shared_from_this(), descriptor);
  if (const std::optional<Error> error = Validate(*this, descriptor)) {
    Report(*error);
    layout->Invalidate();
  }
  return layout;
}

}  // namespace lockstep::gpu::core
