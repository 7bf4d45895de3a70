// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "gpu/core/command_encoder.h"
#include "gpu/core/device.h"
#include "gpu/core/usage_scope.h"

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

ComputePass::ComputePass(std::shared_ptr<CommandEncoder> encoder, std::string label, bool begun)
    : Object(encoder->shared_device(), std::move(label)),
      DebugCommands(encoder.get()),
      encoder_(std::move(encoder)),
      begun_(begun) {
  if (!begun_) Invalidate();
}

std::string ComputePass::Where(std::string_view call) const {
  return fmt::format("{} in {}", call, Named("compute pass", *this));
}

bool ComputePass::CheckOpen(std::string_view call) {
  if (ended_) {
    device().Report(ValidationError(fmt::format("{}: the pass has ended", Where(call))));
    return false;
  }
  return valid();
}

void ComputePass::SetPipeline(const std::shared_ptr<ComputePipeline>& pipeline) {
  if (!CheckOpen("setPipeline")) return;
  if (const Complaint complaint = CheckUsable("compute pipeline", pipeline, device()))
    return Fail(fmt::format("{}: {}", Where("setPipeline"), *complaint));
  pipeline_ = pipeline;
}

void ComputePass::SetBindGroup(uint32_t index, const std::shared_ptr<BindGroup>& group,
                               std::span<const uint32_t> dynamic_offsets) {
  static constexpr std::string_view kCall = "setBindGroup";
  if (!CheckOpen(kCall)) return;
  if (index >= device().limits().max_bind_groups) {
    return Fail(fmt::format("{}: group {} exceeds the limit maxBindGroups of {}", Where(kCall), index,
                            device().limits().max_bind_groups));
  }
  if (group) {
    if (const Complaint complaint = CheckUsable("bind group", group, device()))
      return Fail(fmt::format("{}: {}", Where(kCall), *complaint));
  }
  const size_t expected = group ? group->layout()->dynamic_offset_count() : 0;
  if (dynamic_offsets.size() != expected) {
    return Fail(fmt::format("{}: group {} takes {} dynamic offsets and is given {}", Where(kCall), index,
                            expected, dynamic_offsets.size()));
  }
  if (!group) {
    groups_.erase(index);
    return;
  }
  if (Complaint complaint = CheckDynamicOffsets(device(), *group, dynamic_offsets))
    return Fail(fmt::format("{}: {}", Where(kCall), *complaint));
  encoder_->Use(*group);
  Bound bound{group, std::vector<uint32_t>(dynamic_offsets.begin(), dynamic_offsets.end())};
  groups_[index] = std::move(bound);
}

void ComputePass::SetImmediates(uint32_t range_offset, std::span<const std::byte> data) {
  if (!CheckOpen("setImmediates")) return;
  const uint32_t limit = device().limits().max_immediate_size;
  if (range_offset % 4 != 0 || data.size() % 4 != 0) {
    return Fail(fmt::format("{}: {} bytes at {} are not at multiples of 4", Where("setImmediates"),
                            data.size(), range_offset));
  }
  if (range_offset > limit || data.size() > limit - range_offset) {
    Fail(fmt::format("{}: {} bytes at {} exceed the limit maxImmediateSize of {}", Where("setImmediates"),
                     data.size(), range_offset, limit));
  }
}

bool ComputePass::CheckGroups(std::string_view call) {
  if (!pipeline_) {
    Fail(fmt::format("{}: no pipeline is set", Where(call)));
    return false;
  }
  const auto& layouts = pipeline_->layout()->bind_group_layouts();
  for (uint32_t index = 0; index < layouts.size(); ++index) {
    if (!layouts[index]) continue;
    const auto bound = groups_.find(index);
    if (bound == groups_.end()) {
      Fail(fmt::format("{}: {} needs bind group {}, which is not set", Where(call),
                       Named("compute pipeline", *pipeline_), index));
      return false;
    }
    if (!bound->second.group->layout()->GroupEquivalent(*layouts[index])) {
      Fail(fmt::format("{}: {} set as group {} does not have the layout that {} needs", Where(call),
                       Named("bind group", *bound->second.group), index,
                       Named("compute pipeline", *pipeline_)));
      return false;
    }
  }
  return true;
}

bool ComputePass::CheckSizes(std::string_view call, const UsageScope& used) {
  for (const StageResource& resource : pipeline_->stage().resources) {
    const UsedBuffer* buffer = used.Find(resource.group, resource.slot.binding);
    if (buffer == nullptr || buffer->range.size >= resource.slot.buffer->min_binding_size) continue;
    Fail(fmt::format("{}: '{}' needs {} bytes and is given {} of {}", Where(call), resource.name,
                     resource.slot.buffer->min_binding_size, buffer->range.size,
                     Named("buffer", *buffer->range.buffer)));
    return false;
  }
  return true;
}

bool ComputePass::CheckUsage(std::string_view call, const UsageScope& used, const Buffer* indirect) {
  Complaint complaint = used.CheckUsage(indirect);
  if (!complaint) complaint = used.CheckAliasing();
  if (complaint) Fail(fmt::format("{}: {}", Where(call), *complaint));
  return !complaint;
}

bool ComputePass::CheckCounts(std::string_view call, std::array<uint32_t, 3> counts) {
  static constexpr char kAxes[] = {'x', 'y', 'z'};
  const uint32_t limit = device().limits().max_compute_workgroups_per_dimension;
  for (size_t axis = 0; axis < 3; ++axis) {
    if (counts[axis] <= limit) continue;
    Fail(fmt::format("{}: {} workgroups in {} exceed the limit of {}", Where(call), counts[axis], kAxes[axis],
                     limit));
    return false;
  }
  const EvaluatedStage& stage = pipeline_->stage();
  uint64_t total = uint64_t{counts[0]} * counts[1];
  const bool wide = counts[2] != 0 && total > UINT32_MAX / counts[2];
  total = wide ? UINT32_MAX : total * counts[2];
  const uint64_t invocations =
      total * stage.workgroup_size[0] * stage.workgroup_size[1] * stage.workgroup_size[2];
  if (stage.uses_workgroup_index && wide) {
    Fail(fmt::format("{}: the shader uses workgroup_index and there are more than {} workgroups", Where(call),
                     UINT32_MAX));
    return false;
  }
  if (stage.uses_global_invocation_index && (wide || invocations > UINT32_MAX)) {
    Fail(fmt::format("{}: the shader uses global_invocation_index and there are more than {} invocations",
                     Where(call), UINT32_MAX));
    return false;
  }
  return true;
}

std::optional<DispatchCommand> ComputePass::Prepare(std::string_view call, const Buffer* indirect) {
  if (!CheckGroups(call)) return std::nullopt;
  // WebGPU: #programming-model-synchronization. Groups that are set and no slot of the pipeline's are not
  // used.
  UsageScope used;
  for (const auto& [index, bound] : groups_) {
    if (pipeline_->layout()->group(index) != nullptr) used.Add(index, *bound.group, bound.dynamic_offsets);
  }
  if (!CheckSizes(call, used) || !CheckUsage(call, used, indirect)) return std::nullopt;
  DispatchCommand command;
  command.pipeline = pipeline_;
  for (const uint32_t slot : pipeline_->slots()) {
    const StageResource& resource = pipeline_->stage().resources[slot];
    const UsedBuffer* buffer = used.Find(resource.group, resource.slot.binding);
    CHECK(buffer != nullptr);
    command.buffers.push_back(buffer->range);
  }
  return command;
}

void ComputePass::DispatchWorkgroups(uint32_t x, uint32_t y, uint32_t z) {
  if (!CheckOpen("dispatchWorkgroups")) return;
  std::optional<DispatchCommand> command = Prepare("dispatchWorkgroups", nullptr);
  if (!command || !CheckCounts("dispatchWorkgroups", {x, y, z})) return;
  command->workgroups = {x, y, z};
  encoder_->recording_.commands.emplace_back(std::move(*command));
}

void ComputePass::DispatchWorkgroupsIndirect(const std::shared_ptr<Buffer>& buffer, uint64_t offset) {
  static constexpr std::string_view kCall = "dispatchWorkgroupsIndirect";
  if (!CheckOpen(kCall)) return;
  if (const Complaint complaint = CheckUsable("buffer", buffer, device()))
    return Fail(fmt::format("{}: {}", Where(kCall), *complaint));
  const std::string name = Named("buffer", *buffer);
  if (!buffer->Has(buffer_usage::kIndirect)) {
    return Fail(fmt::format("{}: {} lacks the usage INDIRECT (it has {})", Where(kCall), name,
                            BufferUsageNames(buffer->usage())));
  }
  if (offset % 4 != 0)
    return Fail(fmt::format("{}: the offset {} into {} is not a multiple of 4", Where(kCall), offset, name));
  if (offset > buffer->size() || buffer->size() - offset < 12) {
    return Fail(fmt::format("{}: 12 bytes at {} do not fit {} of {} bytes", Where(kCall), offset, name,
                            buffer->size()));
  }
  std::optional<DispatchCommand> command = Prepare(kCall, buffer.get());
  if (!command) return;
  encoder_->Use(buffer);
  command->indirect = buffer;
  command->indirect_offset = offset;
  encoder_->recording_.commands.emplace_back(std::move(*command));
}

void ComputePass::End() {
  const auto refuse = [&](std::string_view why) {
    device().Report(ValidationError(fmt::format("{}: {}", Where("end"), why)));
  };
  if (ended_) return refuse("the pass has ended");
  if (!begun_) return refuse("the pass was not begun");
  if (encoder_->state_ != CommandEncoder::State::kLocked) return refuse("the encoder is finished");
  ended_ = true;
  encoder_->state_ = CommandEncoder::State::kOpen;
  if (!debug_groups().empty())
    Fail(fmt::format("{}: the debug group '{}' is not popped", Where("end"), debug_groups().back()));
  if (at_end_) encoder_->recording_.commands.emplace_back(*at_end_);
}

}  // namespace lockstep::gpu::core
