// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/command_encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "gpu/core/device.h"

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
  std::vector<std::shared_ptr<Resource>>& used = recording_.used;
  if (std::find(used.begin(), used.end(), resource) == used.end()) used.push_back(resource);
}

void CommandEncoder::Use(const BindGroup& group) {
  for (const BindGroupEntry& entry : group.entries()) {
    if (const auto* buffer = std::get_if<BufferBinding>(&entry.resource)) Use(buffer->buffer);
    if (const auto* view = std::get_if<std::shared_ptr<TextureView>>(&entry.resource))
      Use((*view)->texture());
  }
}

std::shared_ptr<ComputePass> CommandEncoder::BeginComputePass(const ComputePassDescriptor& descriptor) {
  const bool open = CheckOpen("beginComputePass");
  auto pass = std::make_shared<ComputePass>(shared_from_this(), descriptor.label, open);
  if (!open) return pass;
  state_ = State::kLocked;
  if (!descriptor.timestamp_writes) return pass;
  const TimestampWrites& writes = *descriptor.timestamp_writes;
  if (const std::optional<std::string> wrong = CheckTimestampWrites(device(), writes)) {
    pass->Invalidate();
    Fail(fmt::format("{}: {}", pass->Where("beginComputePass"), *wrong));
    return pass;
  }
  Use(writes.query_set);
  if (const std::optional<uint32_t>& index = writes.beginning_of_pass_write_index)
    recording_.commands.emplace_back(WriteTimestampCommand{writes.query_set, *index});
  if (const std::optional<uint32_t>& index = writes.end_of_pass_write_index)
    pass->at_end_ = WriteTimestampCommand{writes.query_set, *index};
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
