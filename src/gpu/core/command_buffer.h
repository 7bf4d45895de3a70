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
#include "gpu/core/draw_command.h"
#include "gpu/core/object.h"
#include "gpu/core/query_set.h"
#include "gpu/core/texel_copy.h"
#include "gpu/core/texture.h"
#include "gpu/core/usage_scope.h"

namespace lockstep::gpu::core {

struct DispatchCommand {
  std::shared_ptr<ComputePipeline> pipeline;
  std::vector<BoundRange> buffers;                     // a slot of the pipeline each
  std::vector<std::shared_ptr<TextureView>> textures;  // likewise
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
struct BufferToTextureCommand {
  TexelCopyBufferInfo from;
  TexelCopyTextureInfo to;
  Extent3D size;
};
struct TextureToBufferCommand {
  TexelCopyTextureInfo from;
  TexelCopyBufferInfo to;
  Extent3D size;
};
struct TextureToTextureCommand {
  TexelCopyTextureInfo from, to;
  Extent3D size;
};
struct WriteTimestampCommand {
  std::shared_ptr<QuerySet> queries;
  uint32_t index = 0;
};
struct ResolveQueriesCommand {
  std::shared_ptr<QuerySet> queries;
  uint32_t first = 0, count = 0;
  std::shared_ptr<Buffer> to;
  uint64_t to_offset = 0;
};
using RecordedCommand =
    std::variant<DispatchCommand, CopyCommand, ClearCommand, BufferToTextureCommand, TextureToBufferCommand,
                 TextureToTextureCommand, WriteTimestampCommand, ResolveQueriesCommand, RenderPassCommand>;

struct Recording {
  std::vector<RecordedCommand> commands;
  // Those of every bind group that was set and of every command: all must be available at the submit.
  std::vector<std::shared_ptr<Resource>> used;
};

class CommandBuffer : public Object {
 public:
  CommandBuffer(std::shared_ptr<Device> device, std::string label, Recording recording)
      : Object(std::move(device), std::move(label)), recording_(std::move(recording)) {}

  const Recording& recording() const { return recording_; }

 private:
  Recording recording_;
};

}  // namespace lockstep::gpu::core
