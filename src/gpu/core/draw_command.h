// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// What is recorded of draws and of a render pass.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpu/core/attachments.h"
#include "gpu/core/render_pipeline.h"
#include "gpu/core/usage_scope.h"

namespace lockstep::gpu::core {

// What a pass sets and bundles do not (WebGPU: #renderstate).
struct RasterState {
  abi::Viewport viewport;
  abi::ScissorRect scissor;
  std::array<float, 4> blend_constant = {};
  uint32_t stencil_reference = 0;
  std::optional<uint32_t> occlusion_query;
};

// A pipeline and the buffers that are set for it: what draws share until something else is set.
struct DrawBindings {
  std::shared_ptr<RenderPipeline> pipeline;
  std::vector<BoundRange> vertex_resources, fragment_resources;  // a buffer of the stage's code each
  std::vector<std::shared_ptr<TextureView>> vertex_textures, fragment_textures;  // likewise
  std::vector<BoundRange> vertex_buffers;  // by slot of the pipeline; without a buffer where it has none
};

struct DrawCommand {
  std::shared_ptr<const DrawBindings> bindings;
  RasterState state;
  std::optional<IndexFormat> index_format;  // of an indexed draw
  BoundRange indices;
  uint32_t count = 0, instance_count = 1, first = 0, first_instance = 0;
  int32_t base_vertex = 0;
  std::shared_ptr<Buffer> indirect;
  uint64_t indirect_offset = 0;
};

struct RenderPassCommand {
  std::string label;
  Attachments attachments;
  std::shared_ptr<QuerySet> occlusion_queries;
  std::vector<uint32_t> begun_queries;
  std::vector<DrawCommand> draws;
};

}  // namespace lockstep::gpu::core
