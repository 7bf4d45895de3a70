// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// GPUCommandEncoder. An error while encoding is not reported at once: it spoils the
// encoder, and Finish reports the first one (#command-encoding).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "gpu/core/bind_group.h"
#include "gpu/core/command_buffer.h"
#include "gpu/core/debug_commands.h"
#include "gpu/core/object.h"
#include "gpu/core/query_set.h"

namespace lockstep::gpu::core {

class ComputePass;
class RenderPass;

struct ComputePassDescriptor {
  std::string label;
  std::optional<TimestampWrites> timestamp_writes;
};

class CommandEncoder : public Object,
                       public DebugCommands,
                       public std::enable_shared_from_this<CommandEncoder> {
 public:
  CommandEncoder(std::shared_ptr<Device> device, std::string label)
      : Object(std::move(device), std::move(label)) {}

  std::shared_ptr<ComputePass> BeginComputePass(const ComputePassDescriptor& descriptor = {});
  std::shared_ptr<RenderPass> BeginRenderPass(const RenderPassDescriptor& descriptor);
  void CopyBufferToBuffer(const std::shared_ptr<Buffer>& from, uint64_t from_offset,
                          const std::shared_ptr<Buffer>& to, uint64_t to_offset,
                          std::optional<uint64_t> size);
  void ClearBuffer(const std::shared_ptr<Buffer>& buffer, uint64_t offset = 0,
                   std::optional<uint64_t> size = {});
  void CopyBufferToTexture(const TexelCopyBufferInfo& source, const TexelCopyTextureInfo& destination,
                           const Extent3D& copy_size);
  void CopyTextureToBuffer(const TexelCopyTextureInfo& source, const TexelCopyBufferInfo& destination,
                           const Extent3D& copy_size);
  void CopyTextureToTexture(const TexelCopyTextureInfo& source, const TexelCopyTextureInfo& destination,
                            const Extent3D& copy_size);
  void ResolveQuerySet(const std::shared_ptr<QuerySet>& queries, uint32_t first, uint32_t count,
                       const std::shared_ptr<Buffer>& to, uint64_t to_offset);
  std::shared_ptr<CommandBuffer> Finish(const std::string& label = {});

 private:
  friend class PassState;
  enum class State : uint8_t { kOpen, kLocked, kEnded };

  bool CheckOpen(std::string_view call) override;
  void Fail(std::string message) override { FailIn(*this, std::move(message)); }
  void FailIn(const DebugCommands& commands, std::string message);  // the first message stays
  void Use(const std::shared_ptr<Resource>& resource);
  // Records the first timestamp of a pass, and gives the one for its end. What is wrong with them.
  Complaint BeginTimestamps(const std::optional<TimestampWrites>& writes,
                            std::optional<WriteTimestampCommand>& at_end);

  State state_ = State::kOpen;
  std::optional<std::string> error_;
  Recording recording_;
  std::unordered_set<const Resource*> known_;  // of recording_.used
};

}  // namespace lockstep::gpu::core
