// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// GPUCommandEncoder and GPUComputePassEncoder. An error while encoding is not reported at once: it spoils the
// encoder, and Finish reports the first one (#command-encoding).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/core/bind_group.h"
#include "gpu/core/command_buffer.h"
#include "gpu/core/debug_commands.h"
#include "gpu/core/object.h"
#include "gpu/core/query_set.h"

namespace lockstep::gpu::core {

class ComputePass;
class UsageScope;

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
  friend class ComputePass;
  enum class State : uint8_t { kOpen, kLocked, kEnded };

  bool CheckOpen(std::string_view call) override;
  void Fail(std::string message) override { FailIn(*this, std::move(message)); }
  void FailIn(const DebugCommands& commands, std::string message);  // the first message stays
  void Use(const std::shared_ptr<Resource>& resource);
  void Use(const BindGroup& group);

  State state_ = State::kOpen;
  std::optional<std::string> error_;
  Recording recording_;
};

class ComputePass : public Object, public DebugCommands {
 public:
  // `begun`: false where the encoder could not begin it.
  ComputePass(std::shared_ptr<CommandEncoder> encoder, std::string label, bool begun);

  void SetPipeline(const std::shared_ptr<ComputePipeline>& pipeline);
  // A null group unsets it. Dynamic offsets in the order of bindings.
  void SetBindGroup(uint32_t index, const std::shared_ptr<BindGroup>& group,
                    std::span<const uint32_t> dynamic_offsets = {});
  // Validated alone: no shader can declare var<immediate> yet.
  void SetImmediates(uint32_t range_offset, std::span<const std::byte> data);
  void DispatchWorkgroups(uint32_t x, uint32_t y = 1, uint32_t z = 1);
  void DispatchWorkgroupsIndirect(const std::shared_ptr<Buffer>& buffer, uint64_t offset);
  void End();

 private:
  friend class CommandEncoder;
  struct Bound {
    std::shared_ptr<BindGroup> group;
    std::vector<uint32_t> dynamic_offsets;
  };
  bool CheckOpen(std::string_view call) override;
  void Fail(std::string message) override { encoder_->FailIn(*this, std::move(message)); }
  std::string Where(std::string_view call) const;  // "dispatchWorkgroups in compute pass 'x'"
  bool CheckGroups(std::string_view call);
  bool CheckSizes(std::string_view call, const UsageScope& used);
  bool CheckUsage(std::string_view call, const UsageScope& used, const Buffer* indirect);
  bool CheckCounts(std::string_view call, std::array<uint32_t, 3> counts);
  // The state of a dispatch, validated; None where it is an error.
  std::optional<DispatchCommand> Prepare(std::string_view call, const Buffer* indirect);

  std::shared_ptr<CommandEncoder> encoder_;
  std::shared_ptr<ComputePipeline> pipeline_;
  std::map<uint32_t, Bound> groups_;
  std::optional<WriteTimestampCommand> at_end_;
  bool begun_;
  bool ended_ = false;
};

}  // namespace lockstep::gpu::core
