// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/compute_pass.h"

#include <fmt/format.h>

#include "gpu/core/command_encoder.h"
#include "gpu/core/device.h"

namespace lockstep::gpu::core {
namespace {

constexpr uint64_t kDispatchArguments = 12;  // bytes

}  // namespace

ComputePass::ComputePass(std::shared_ptr<CommandEncoder> encoder, std::string label, bool begun)
    : BindingCommands(encoder->shared_device(), std::move(label), encoder.get()), pass_(encoder, begun) {
  if (!begun) Invalidate();
}

void ComputePass::SetPipeline(const std::shared_ptr<ComputePipeline>& pipeline) {
  if (!CheckOpen("setPipeline")) return;
  if (const Complaint complaint = CheckUsable("compute pipeline", pipeline, device()))
    return FailIn("setPipeline", *complaint);
  pipeline_ = pipeline;
}

bool ComputePass::CheckUsage(std::string_view call, const UsageScope& used, const Buffer* indirect) {
  Complaint complaint = used.CheckUsage(indirect);
  if (!complaint) complaint = used.CheckAliasing();
  if (complaint) FailIn(call, *complaint);
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
  if (!CheckGroups(call, pipeline_.get())) return std::nullopt;
  // WebGPU: #programming-model-synchronization. Groups that are set and no slot of the pipeline's are not
  // used.
  const UsageScope used = UsedBy(*pipeline_);
  if (!CheckSizes(call, pipeline_->stage(), used) || !CheckUsage(call, used, indirect)) return std::nullopt;
  DispatchCommand command;
  command.pipeline = pipeline_;
  command.buffers = RangesOf(pipeline_->stage(), pipeline_->slots(), used);
  command.textures = ViewsOf(pipeline_->stage(), pipeline_->slots(), used);
  return command;
}

void ComputePass::DispatchWorkgroups(uint32_t x, uint32_t y, uint32_t z) {
  if (!CheckOpen("dispatchWorkgroups")) return;
  std::optional<DispatchCommand> command = Prepare("dispatchWorkgroups", nullptr);
  if (!command || !CheckCounts("dispatchWorkgroups", {x, y, z})) return;
  command->workgroups = {x, y, z};
  pass_.Record(std::move(*command));
}

void ComputePass::DispatchWorkgroupsIndirect(const std::shared_ptr<Buffer>& buffer, uint64_t offset) {
  static constexpr std::string_view kCall = "dispatchWorkgroupsIndirect";
  if (!CheckOpen(kCall) || !CheckIndirect(kCall, buffer, offset, kDispatchArguments)) return;
  std::optional<DispatchCommand> command = Prepare(kCall, buffer.get());
  if (!command) return;
  Use(buffer);
  command->indirect = buffer;
  command->indirect_offset = offset;
  pass_.Record(std::move(*command));
}

void ComputePass::End() {
  if (!pass_.End(*this)) return;
  if (const Complaint complaint = CheckPopped()) FailIn("end", *complaint);
  pass_.RecordEnd();
}

}  // namespace lockstep::gpu::core
