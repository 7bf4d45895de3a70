// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/command_encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "gpu/core/compute_pass.h"
#include "gpu/core/device.h"
#include "gpu/core/render_pass.h"

namespace lockstep::gpu::core {

std::shared_ptr<CommandEncoder> Device::CreateCommandEncoder(const std::string& label) {
  return std::make_shared<CommandEncoder>(shared_from_this(), label);
}

void CommandEncoder::FailIn(const DebugCommands& commands, std::string message) {
  if (!error_) error_ = std::move(message) + commands.InDebugGroup();
}

bool CommandEncoder::CheckOpen(std::string_view call) {
  switch (state_) {
    case State::kOpen:
      return true;
    case State::kLocked:
      Fail(fmt::format("{} on {} while a pass of it is open", call, Named("command encoder", *this)));
      return false;
    case State::kEnded:
      device().Report(
          ValidationError(fmt::format("{} on {}, which is finished", call, Named("command encoder", *this))));
      return false;
  }
  UNREACHABLE("encoder state");
}

void CommandEncoder::Use(const std::shared_ptr<Resource>& resource) {
  if (known_.insert(resource.get()).second) recording_.used.push_back(resource);
}

Complaint CommandEncoder::BeginTimestamps(const std::optional<TimestampWrites>& writes,
                                          std::optional<WriteTimestampCommand>& at_end) {
  if (!writes) return std::nullopt;
  if (Complaint wrong = CheckTimestampWrites(device(), *writes)) return wrong;
  Use(writes->query_set);
  if (const std::optional<uint32_t>& index = writes->beginning_of_pass_write_index)
    recording_.commands.emplace_back(WriteTimestampCommand{writes->query_set, *index});
  if (const std::optional<uint32_t>& index = writes->end_of_pass_write_index)
    at_end = WriteTimestampCommand{writes->query_set, *index};
  return std::nullopt;
}

std::shared_ptr<ComputePass> CommandEncoder::BeginComputePass(const ComputePassDescriptor& descriptor) {
  const bool open = CheckOpen("beginComputePass");
  auto pass = std::make_shared<ComputePass>(shared_from_this(), descriptor.label, open);
  if (!open) return pass;
  state_ = State::kLocked;
  std::optional<WriteTimestampCommand> at_end;
  if (const Complaint wrong = BeginTimestamps(descriptor.timestamp_writes, at_end)) {
    pass->Invalidate();
    pass->FailIn("beginComputePass", *wrong);
  }
  pass->pass_.set_at_end(std::move(at_end));
  return pass;
}

std::shared_ptr<RenderPass> CommandEncoder::BeginRenderPass(const RenderPassDescriptor& descriptor) {
  const bool open = CheckOpen("beginRenderPass");
  auto pass = std::make_shared<RenderPass>(shared_from_this(), descriptor, open);
  if (!open) return pass;
  state_ = State::kLocked;
  std::optional<WriteTimestampCommand> at_end;
  Complaint wrong = pass->Begin(descriptor);
  if (!wrong) wrong = BeginTimestamps(descriptor.timestamp_writes, at_end);
  if (wrong) {
    pass->Invalidate();
    pass->FailIn("beginRenderPass", *wrong);
  }
  pass->pass_.set_at_end(std::move(at_end));
  return pass;
}

void CommandEncoder::CopyBufferToBuffer(const std::shared_ptr<Buffer>& from, uint64_t from_offset,
                                        const std::shared_ptr<Buffer>& to, uint64_t to_offset,
                                        std::optional<uint64_t> size) {
  if (!CheckOpen("copyBufferToBuffer")) return;
  if (const Complaint complaint = CheckUsable("buffer", from, device()))
    return Fail("the source of copyBufferToBuffer: " + *complaint);
  if (const Complaint complaint = CheckUsable("buffer", to, device()))
    return Fail("the destination of copyBufferToBuffer: " + *complaint);
  const std::string source = Named("buffer", *from), destination = Named("buffer", *to);
  const uint64_t length = size.value_or(from->size() > from_offset ? from->size() - from_offset : 0);
  if (!from->Has(buffer_usage::kCopySrc))
    return Fail(fmt::format("{} is copied from and lacks the usage COPY_SRC", source));
  if (!to->Has(buffer_usage::kCopyDst))
    return Fail(fmt::format("{} is copied to and lacks the usage COPY_DST", destination));
  if (from == to) return Fail(fmt::format("{} is copied to itself", source));
  if (length % 4 != 0)
    return Fail(fmt::format("the copy of {} bytes from {} is not a multiple of 4", length, source));
  if (from_offset % 4 != 0 || to_offset % 4 != 0) {
    return Fail(fmt::format("the copy from byte {} of {} to byte {} of {} is not at multiples of 4",
                            from_offset, source, to_offset, destination));
  }
  const auto outside = [&](const Buffer& buffer, uint64_t offset) {
    return offset > buffer.size() || length > buffer.size() - offset;
  };
  if (outside(*from, from_offset)) {
    return Fail(fmt::format("the copy of {} bytes from byte {} does not fit {} of {} bytes", length,
                            from_offset, source, from->size()));
  }
  if (outside(*to, to_offset)) {
    return Fail(fmt::format("the copy of {} bytes to byte {} does not fit {} of {} bytes", length, to_offset,
                            destination, to->size()));
  }
  Use(from);
  Use(to);
  if (length != 0) recording_.commands.emplace_back(CopyCommand{from, from_offset, to, to_offset, length});
}

void CommandEncoder::ClearBuffer(const std::shared_ptr<Buffer>& buffer, uint64_t offset,
                                 std::optional<uint64_t> size) {
  if (!CheckOpen("clearBuffer")) return;
  if (const Complaint complaint = CheckUsable("buffer", buffer, device()))
    return Fail("clearBuffer: " + *complaint);
  const std::string name = Named("buffer", *buffer);
  if (!size && offset > buffer->size()) {
    return Fail(
        fmt::format("the clear from byte {} does not fit {} of {} bytes", offset, name, buffer->size()));
  }
  const uint64_t length = size.value_or(buffer->size() - std::min(offset, buffer->size()));
  if (!buffer->Has(buffer_usage::kCopyDst))
    return Fail(fmt::format("{} is cleared and lacks the usage COPY_DST", name));
  if (offset % 4 != 0 || length % 4 != 0) {
    return Fail(fmt::format("the clear of {} bytes from byte {} of {} is not at multiples of 4", length,
                            offset, name));
  }
  if (offset > buffer->size() || length > buffer->size() - offset) {
    return Fail(fmt::format("the clear of {} bytes from byte {} does not fit {} of {} bytes", length, offset,
                            name, buffer->size()));
  }
  Use(buffer);
  if (length != 0) recording_.commands.emplace_back(ClearCommand{buffer, offset, length});
}

std::shared_ptr<CommandBuffer> CommandEncoder::Finish(const std::string& label) {
  std::optional<std::string> error = error_;
  if (state_ == State::kLocked)
    error = fmt::format("a pass of {} is not ended", Named("command encoder", *this));
  if (state_ == State::kEnded) error = fmt::format("{} is finished already", Named("command encoder", *this));
  if (!error && !debug_groups().empty()) {
    error = fmt::format("the debug group '{}' of {} is not popped", debug_groups().back(),
                        Named("command encoder", *this));
  }
  state_ = State::kEnded;
  auto buffer =
      std::make_shared<CommandBuffer>(shared_device(), label, std::exchange(recording_, Recording{}));
  if (error) {
    device().Report(ValidationError(*error));
    buffer->Invalidate("its encoding failed");
  }
  return buffer;
}

}  // namespace lockstep::gpu::core
