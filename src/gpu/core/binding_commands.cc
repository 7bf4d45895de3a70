// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/binding_commands.h"

#include <fmt/format.h>

#include "gpu/core/device.h"

namespace lockstep::gpu::core {
namespace {

Complaint CheckDynamicOffsets(const Device& device, const BindGroup& group,
                              std::span<const uint32_t> offsets) {
  size_t next = 0;
  for (const BindGroupEntry& entry : group.entries()) {
    const BindGroupLayoutEntry& layout = *group.layout()->Find(entry.binding);
    if (!layout.dynamic()) continue;
    const auto& binding = std::get<BufferBinding>(entry.resource);
    const uint32_t offset = offsets[next++];
    const bool uniform = layout.buffer->type == BufferBindingType::kUniform;
    const uint32_t alignment = uniform ? device.limits().min_uniform_buffer_offset_alignment
                                       : device.limits().min_storage_buffer_offset_alignment;
    if (offset % alignment != 0) {
      return fmt::format("the dynamic offset {} of binding {} is not a multiple of {}", offset, entry.binding,
                         alignment);
    }
    if (binding.offset + offset + layout.buffer->min_binding_size > binding.buffer->size()) {
      return fmt::format("the dynamic offset {} of binding {} goes past the end of {}", offset, entry.binding,
                         Named("buffer", *binding.buffer));
    }
  }
  return std::nullopt;
}

}  // namespace

std::string BindingCommands::Where(std::string_view call) const {
  return fmt::format("{} in {}", call, Named(kind(), *this));
}

void BindingCommands::FailIn(std::string_view call, std::string_view complaint) {
  Fail(fmt::format("{}: {}", Where(call), complaint));
}

void BindingCommands::SetBindGroup(uint32_t index, const std::shared_ptr<BindGroup>& group,
                                   std::span<const uint32_t> dynamic_offsets) {
  static constexpr std::string_view kCall = "setBindGroup";
  if (!CheckOpen(kCall)) return;
  if (index >= device().limits().max_bind_groups) {
    return FailIn(kCall, fmt::format("group {} exceeds the limit maxBindGroups of {}", index,
                                     device().limits().max_bind_groups));
  }
  if (group) {
    if (const Complaint complaint = CheckUsable("bind group", group, device()))
      return FailIn(kCall, *complaint);
  }
  const size_t expected = group ? group->layout()->dynamic_offset_count() : 0;
  if (dynamic_offsets.size() != expected) {
    return FailIn(kCall, fmt::format("group {} takes {} dynamic offsets and is given {}", index, expected,
                                     dynamic_offsets.size()));
  }
  if (group) {
    if (const Complaint complaint = CheckDynamicOffsets(device(), *group, dynamic_offsets))
      return FailIn(kCall, *complaint);
    for (const BindGroupEntry& entry : group->entries()) {
      if (const auto* buffer = std::get_if<BufferBinding>(&entry.resource)) Use(buffer->buffer);
      if (const auto* view = std::get_if<std::shared_ptr<TextureView>>(&entry.resource))
        Use((*view)->texture());
    }
    Bound bound{group, std::vector<uint32_t>(dynamic_offsets.begin(), dynamic_offsets.end())};
    groups_[index] = std::move(bound);
  } else {
    groups_.erase(index);
  }
  GroupIsSet(index, group.get(), dynamic_offsets);
}

void BindingCommands::SetImmediates(uint32_t range_offset, std::span<const std::byte> data) {
  static constexpr std::string_view kCall = "setImmediates";
  if (!CheckOpen(kCall)) return;
  const uint32_t limit = device().limits().max_immediate_size;
  if (range_offset % 4 != 0 || data.size() % 4 != 0) {
    return FailIn(kCall, fmt::format("{} bytes at {} are not at multiples of 4", data.size(), range_offset));
  }
  if (range_offset > limit || data.size() > limit - range_offset) {
    FailIn(kCall, fmt::format("{} bytes at {} exceed the limit maxImmediateSize of {}", data.size(),
                              range_offset, limit));
  }
}

bool BindingCommands::CheckGroups(std::string_view call, const Pipeline* pipeline) {
  if (pipeline == nullptr) {
    FailIn(call, "no pipeline is set");
    return false;
  }
  const auto& layouts = pipeline->layout()->bind_group_layouts();
  for (uint32_t index = 0; index < layouts.size(); ++index) {
    if (!layouts[index]) continue;
    const auto bound = groups_.find(index);
    if (bound == groups_.end()) {
      FailIn(call, fmt::format("{} needs bind group {}, which is not set", Named(pipeline->kind(), *pipeline),
                               index));
      return false;
    }
    if (!bound->second.group->layout()->GroupEquivalent(*layouts[index])) {
      FailIn(call, fmt::format("{} set as group {} does not have the layout that {} needs",
                               Named("bind group", *bound->second.group), index,
                               Named(pipeline->kind(), *pipeline)));
      return false;
    }
  }
  return true;
}

UsageScope BindingCommands::UsedBy(const Pipeline& pipeline) const {
  UsageScope used;
  for (const auto& [index, bound] : groups_) {
    if (pipeline.layout()->group(index) != nullptr) used.Add(index, *bound.group, bound.dynamic_offsets);
  }
  return used;
}

bool BindingCommands::CheckSizes(std::string_view call, const EvaluatedStage& stage, const UsageScope& used) {
  for (const StageResource& resource : stage.resources) {
    const UsedBuffer* buffer = used.Find(resource.group, resource.slot.binding);
    if (buffer == nullptr || buffer->range.size >= resource.slot.buffer->min_binding_size) continue;
    FailIn(call, fmt::format("'{}' needs {} bytes and is given {} of {}", resource.name,
                             resource.slot.buffer->min_binding_size, buffer->range.size,
                             Named("buffer", *buffer->range.buffer)));
    return false;
  }
  return true;
}

bool BindingCommands::CheckIndirect(std::string_view call, const std::shared_ptr<Buffer>& buffer,
                                    uint64_t offset, uint64_t bytes) {
  const auto fail = [&](std::string_view complaint) {
    FailIn(call, complaint);
    return false;
  };
  if (const Complaint complaint = CheckUsable("buffer", buffer, device())) return fail(*complaint);
  const std::string name = Named("buffer", *buffer);
  if (!buffer->Has(buffer_usage::kIndirect)) {
    return fail(
        fmt::format("{} lacks the usage INDIRECT (it has {})", name, BufferUsageNames(buffer->usage())));
  }
  if (offset % 4 != 0) return fail(fmt::format("the offset {} into {} is not a multiple of 4", offset, name));
  if (offset > buffer->size() || buffer->size() - offset < bytes) {
    return fail(fmt::format("{} bytes at {} do not fit {} of {} bytes", bytes, offset, name, buffer->size()));
  }
  return true;
}

std::vector<std::shared_ptr<TextureView>> BindingCommands::ViewsOf(const EvaluatedStage& stage,
                                                                   const StageSlots& slots,
                                                                   const UsageScope& used) {
  std::vector<std::shared_ptr<TextureView>> views;
  for (const uint32_t slot : slots.textures) {
    const StageResource& resource = stage.resources[slot];
    const UsedView* view = used.FindView(resource.group, resource.slot.binding);
    CHECK(view != nullptr);
    views.push_back(view->view);
  }
  return views;
}

std::vector<BoundRange> BindingCommands::RangesOf(const EvaluatedStage& stage, const StageSlots& slots,
                                                  const UsageScope& used) {
  std::vector<BoundRange> ranges;
  for (const uint32_t slot : slots.buffers) {
    const StageResource& resource = stage.resources[slot];
    const UsedBuffer* buffer = used.Find(resource.group, resource.slot.binding);
    CHECK(buffer != nullptr);
    ranges.push_back(buffer->range);
  }
  return ranges;
}

}  // namespace lockstep::gpu::core
