// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// GPUCommandBuffer: recorded commands, each holding what it uses. Memory is looked up at the submit, since a
// buffer may be destroyed in between.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "gpu/core/buffer.h"
#include "gpu/core/compute_pipeline.h"
#include "gpu/core/object.h"

namespace lockstep::gpu::core {

struct BoundRange {
  std::shared_ptr<Buffer> buffer;
  uint64_t offset = 0, size = 0;  // bytes
};

struct DispatchCommand {
  std::shared_ptr<ComputePipeline> pipeline;
  std::vector<BoundRange> buffers;  // a slot of the pipeline each
  std::array<uint32_t, 3> workgroups = {1, 1, 1};
  std::shared_ptr<Buffer> indirect;
  uint64_t indirect_offset = 0;
};
struct CopyCommand {
  std::shared_ptr<Buffer> from;
  uint64_t from_offset = 0;
  std::shared_ptr<Buffer> to;
  uint64_t to_offset = 0, size = 0;
};
struct ClearCommand {
  std::shared_ptr<Buffer> buffer;
  uint64_t offset = 0, size = 0;
};
using RecordedCommand = std::variant<DispatchCommand, CopyCommand, ClearCommand>;

class CommandBuffer : public Object {
 public:
  CommandBuffer(std::shared_ptr<Device> device, std::string label, std::vector<RecordedCommand> commands,
                std::vector<std::shared_ptr<Buffer>> used_buffers)
      : Object(std::move(device), std::move(label)),
        commands_(std::move(commands)),
        used_buffers_(std::move(used_buffers)) {}

  const std::vector<RecordedCommand>& commands() const { return commands_; }
  // Every buffer of every bind group that was set and of every command: all must be available at the submit.
  const std::vector<std::shared_ptr<Buffer>>& used_buffers() const { return used_buffers_; }

 private:
  friend class Queue;  // a submit spends the command buffer
  std::vector<RecordedCommand> commands_;
  std::vector<std::shared_ptr<Buffer>> used_buffers_;
};

}  // namespace lockstep::gpu::core
