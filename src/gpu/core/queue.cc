// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "gpu/core/device.h"

namespace lockstep::gpu::core {
namespace {

struct Translate {
  const hal::Limits& limits;

  hal::Command operator()(const DispatchCommand& command) const {
    hal::Dispatch dispatch;
    dispatch.pipeline = command.pipeline->compiled();
    for (const BoundRange& range : command.buffers) {
      dispatch.buffers.push_back({range.buffer->memory(), range.offset, range.size / 4 * 4});
    }
    dispatch.workgroups = command.workgroups;
    dispatch.max_workgroups = limits.max_compute_workgroups_per_dimension;
    const ComputeStage& stage = command.pipeline->stage();
    const uint64_t size =
        uint64_t{stage.workgroup_size[0]} * stage.workgroup_size[1] * stage.workgroup_size[2];
    if (stage.uses_workgroup_index) dispatch.max_total_workgroups = UINT32_MAX;
    if (stage.uses_global_invocation_index) dispatch.max_total_workgroups = UINT32_MAX / size;
    if (command.indirect) dispatch.indirect = command.indirect->memory();
    dispatch.indirect_offset = command.indirect_offset;
    return dispatch;
  }
  hal::Command operator()(const CopyCommand& command) const {
    return hal::CopyBuffer{command.from->memory(), command.from_offset, command.to->memory(),
                           command.to_offset, command.size};
  }
  hal::Command operator()(const ClearCommand& command) const {
    return hal::ClearBuffer{command.buffer->memory(), command.offset, command.size};
  }
};

std::optional<Error> Validate(const Device& device,
                              std::span<const std::shared_ptr<CommandBuffer>> command_buffers) {
  for (size_t i = 0; i < command_buffers.size(); ++i) {
    const std::shared_ptr<CommandBuffer>& buffer = command_buffers[i];
    if (!buffer || !buffer->ValidToUseWith(device)) {
      return ValidationError(
          fmt::format("command buffer {} of the submit is in error, spent or of another device", i));
    }
    if (std::find(command_buffers.begin(), command_buffers.begin() + static_cast<ptrdiff_t>(i), buffer) !=
        command_buffers.begin() + static_cast<ptrdiff_t>(i)) {
      return ValidationError(fmt::format("{} is submitted twice", Named("command buffer", *buffer)));
    }
    for (const std::shared_ptr<Buffer>& used : buffer->used_buffers()) {
      if (used->available()) continue;
      return ValidationError(fmt::format("{} is {} and used by a submit", Named("buffer", *used),
                                         used->destroyed() ? "destroyed" : "mapped"));
    }
  }
  return std::nullopt;
}

}  // namespace

SubmitResult Queue::Submit(std::span<const std::shared_ptr<CommandBuffer>> command_buffers,
                           const hal::ExecuteOptions& options) {
  SubmitResult result;
  const std::optional<Error> error = Validate(device(), command_buffers);
  std::vector<hal::Command> commands;
  if (!error) {
    for (const std::shared_ptr<CommandBuffer>& buffer : command_buffers) {
      for (const RecordedCommand& command : buffer->commands())
        commands.push_back(std::visit(Translate{device().limits()}, command));
    }
  }
  for (const std::shared_ptr<CommandBuffer>& buffer : command_buffers) {
    if (buffer && &buffer->device() == &device()) buffer->Invalidate();  // spent, error or not
  }
  if (error) {
    device().Report(*error);
    return result;
  }
  if (device().lost()) return result;
  const std::lock_guard lock(device().queue_mutex());
  Result<hal::ExecuteResult> executed = device().hal().Execute(commands, options);
  if (executed.ok()) {
    result.ran = true;
    result.times = std::move(*executed);
    return result;
  }
  result.failure = executed.failure();
  if (executed.failure().kind != FailureKind::kInterrupted) device().Lose(executed.failure().message);
  return result;
}

void Queue::WriteBuffer(const std::shared_ptr<Buffer>& buffer, uint64_t offset,
                        std::span<const std::byte> data) {
  const auto fail = [&](std::string message) { device().Report(ValidationError("writeBuffer: " + message)); };
  if (!buffer || !buffer->ValidToUseWith(device())) return fail("the buffer is invalid or of another device");
  const std::string name = Named("buffer", *buffer);
  if (!buffer->available())
    return fail(fmt::format("{} is {}", name, buffer->destroyed() ? "destroyed" : "mapped"));
  if (!buffer->Has(buffer_usage::kCopyDst)) return fail(fmt::format("{} lacks the usage COPY_DST", name));
  if (offset % 4 != 0) return fail(fmt::format("the offset {} into {} is not a multiple of 4", offset, name));
  if (data.size() % 4 != 0)
    return fail(fmt::format("{} bytes for {} are not a multiple of 4", data.size(), name));
  if (offset > buffer->size() || data.size() > buffer->size() - offset) {
    return fail(
        fmt::format("{} bytes at {} do not fit {} of {} bytes", data.size(), offset, name, buffer->size()));
  }
  if (data.empty()) return;
  const std::lock_guard lock(device().queue_mutex());
  std::memcpy(buffer->memory()->bytes().data() + offset, data.data(), data.size());
}

std::span<const std::byte> Queue::ReadBuffer(const Buffer& buffer) const {
  return buffer.memory() != nullptr
             ? std::span<const std::byte>(buffer.memory()->bytes()).first(buffer.size())
             : std::span<const std::byte>();
}

}  // namespace lockstep::gpu::core
