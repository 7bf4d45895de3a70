// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// GPURenderCommandsMixin (#render-commands): what is set and drawn, in passes as in bundles.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "gpu/core/binding_commands.h"
#include "gpu/core/draw_command.h"
#include "gpu/core/pass_usage.h"

namespace lockstep::gpu::core {

// What the draws of passes and bundles have to fit.
struct RenderTargets {
  RenderPassLayout layout;
  bool depth_read_only = false, stencil_read_only = false;
};

class RenderCommands : public BindingCommands {
 public:
  using BindingCommands::BindingCommands;

  void SetPipeline(const std::shared_ptr<RenderPipeline>& pipeline);
  // Size left out: to the end.
  void SetIndexBuffer(const std::shared_ptr<Buffer>& buffer, IndexFormat format, uint64_t offset = 0,
                      std::optional<uint64_t> size = {});
  // A null buffer unsets the slot.
  void SetVertexBuffer(uint32_t slot, const std::shared_ptr<Buffer>& buffer, uint64_t offset = 0,
                       std::optional<uint64_t> size = {});
  void Draw(uint32_t vertex_count, uint32_t instance_count = 1, uint32_t first_vertex = 0,
            uint32_t first_instance = 0);
  void DrawIndexed(uint32_t index_count, uint32_t instance_count = 1, uint32_t first_index = 0,
                   int32_t base_vertex = 0, uint32_t first_instance = 0);
  void DrawIndirect(const std::shared_ptr<Buffer>& buffer, uint64_t offset);
  void DrawIndexedIndirect(const std::shared_ptr<Buffer>& buffer, uint64_t offset);

 protected:
  const RenderTargets& targets() const { return targets_; }
  void set_targets(RenderTargets targets) { targets_ = std::move(targets); }
  // WebGPU: #abstract-opdef-reset-the-render-pass-binding-state.
  void ResetBindings();

  PassUsage usage_;
  RasterState state_;  // of the next draw
  std::vector<DrawCommand> draws_;

 private:
  void GroupIsSet(uint32_t index, const BindGroup* group, std::span<const uint32_t> offsets) override;
  bool CheckVertexBuffersSet(std::string_view call);
  bool CheckSpace(std::string_view call);
  // WebGPU: #abstract-opdef-valid-to-draw, and -indexed.
  bool CheckDraw(std::string_view call);
  bool CheckIndexed(std::string_view call);
  // The vertex buffers hold what is drawn: up to this vertex (None: those are not known) and this instance.
  bool CheckVertexRanges(std::string_view call, std::optional<uint64_t> vertices, uint64_t instances);
  void DrawIndirectly(std::string_view call, bool indexed, const std::shared_ptr<Buffer>& buffer,
                      uint64_t offset);
  void Record(DrawCommand draw);

  RenderTargets targets_;
  std::shared_ptr<RenderPipeline> pipeline_;
  std::map<uint32_t, BoundRange> vertex_buffers_;
  BoundRange indices_;  // no buffer: none is set
  IndexFormat index_format_ = IndexFormat::kUint16;
  std::shared_ptr<const DrawBindings> bindings_;  // of what is set now, validated; null: not yet
};

}  // namespace lockstep::gpu::core
