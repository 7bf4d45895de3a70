// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Recorded commands as the device wants them, holding what they use: they outlive the objects of gpu/core.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "gpu/core/command_buffer.h"
#include "gpu/hal/device.h"
#include "support/result.h"

namespace lockstep::gpu::core {

hal::TexelPlace PlaceOf(hal::Texture* memory, const TexelCopyTextureInfo& info);

class PreparedCommands {
 public:
  explicit PreparedCommands(const Device& device);

  void Add(const RecordedCommand& command) {
    std::visit([this](const auto& c) { commands_.emplace_back(Translate(c)); }, command);
  }

  // --- on the queue's thread ---
  // What to say instead of running, if anything: that it was told to stop meanwhile, or nothing where the
  // compiler has refused one, which was reported to whoever made it.
  std::optional<Result<hal::ExecuteResult>> WaitForPipelines(const std::atomic<uint32_t>& cancel);
  Result<hal::ExecuteResult> Run(hal::Device& device, const hal::ExecuteOptions& options) {
    return device.Execute(commands_, options);
  }

  // Of the dispatches, in order.
  const std::vector<std::shared_ptr<ComputePipeline>>& pipelines() const { return pipelines_; }
  // Of the draws of each render pass, in order, where the device is watched.
  const std::vector<std::vector<std::shared_ptr<RenderPipeline>>>& drawn() const { return drawn_; }
  // "a dispatch of compute pipeline 'x'": a command by its number.
  std::string NameOf(uint64_t command) const;

 private:
  // What waits for its pipeline.
  struct PendingDispatch {
    size_t command;
    Compiled<hal::ComputePipeline> compiled;
  };
  struct PendingDraw {
    size_t command, draw;
    Compiled<hal::RenderPipeline> compiled;
  };

  hal::Dispatch Translate(const DispatchCommand& command);
  hal::CopyBuffer Translate(const CopyCommand& command);
  hal::ClearBuffer Translate(const ClearCommand& command);
  hal::WriteTimestamp Translate(const WriteTimestampCommand& command);
  hal::ResolveQueries Translate(const ResolveQueriesCommand& command);
  hal::CopyBufferToTexture Translate(const BufferToTextureCommand& command);
  hal::CopyTextureToBuffer Translate(const TextureToBufferCommand& command);
  hal::CopyTextureToTexture Translate(const TextureToTextureCommand& command);
  hal::RenderPass Translate(const RenderPassCommand& command);
  hal::TexelPlace Place(const TexelCopyTextureInfo& info);
  hal::RenderTarget Target(const TextureView& view, uint32_t depth_slice);
  std::optional<hal::RenderColorAttachment> Attachment(const std::optional<Attachments::Color>& color);
  hal::RenderDepthStencilAttachment Attachment(const Attachments::DepthStencil& depth_stencil);
  hal::RenderDraw Draw(const DrawCommand& command);
  std::vector<hal::BoundBuffer> Resources(const std::vector<BoundRange>& ranges);  // of a shader
  std::vector<hal::BoundTexture> Textures(const std::vector<std::shared_ptr<TextureView>>& views);
  hal::BoundBuffer Whole(const BoundRange& range);

  // Of a buffer, a texture or a query set: what the device made for it.
  template <typename Kept>
  auto* Keep(const Kept& object) {
    const auto& memory = object.memory();
    memory_.push_back(memory);
    return memory.get();
  }

  bool watched_;
  uint32_t max_workgroups_;
  bool indirect_first_instance_;
  std::vector<hal::Command> commands_;
  std::vector<PendingDispatch> dispatches_;
  std::vector<PendingDraw> draws_;
  std::vector<std::pair<size_t, std::string>> passes_;       // the labels of render passes, by command
  std::vector<std::shared_ptr<ComputePipeline>> pipelines_;  // of dispatches_; not touched by other threads
  std::vector<std::vector<std::shared_ptr<RenderPipeline>>> drawn_;  // likewise
  std::vector<std::shared_ptr<void>> memory_;
};

}  // namespace lockstep::gpu::core
