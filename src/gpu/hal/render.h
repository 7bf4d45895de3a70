// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Render pipelines and render passes of a device (device.h). A pass is one command: everything that was
// recorded in it, with the state of each draw spelled out.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "abi/render.h"
#include "gpu/hal/texture.h"
#include "ir/module.h"

namespace lockstep::gpu::hal {

class Buffer;
class QuerySet;

struct BoundBuffer {
  Buffer* buffer = nullptr;
  uint64_t offset = 0;  // bytes
  uint64_t size = 0;    // bytes within the buffer; a multiple of 4 where shaders access it
};

struct ColorTarget {
  TextureFormat format = TextureFormat::kRgba8Unorm;
  abi::ColorTargetState state;
};

// The modules are as lower/ makes them, for the stages kVertex and kFragment.
struct RenderPipelineDescriptor {
  const ir::Module* vertex = nullptr;
  const ir::Module* fragment = nullptr;  // null: only depth and stencil are written
  std::vector<std::optional<abi::VertexBufferLayout>> vertex_buffers;
  abi::PrimitiveState primitive;
  std::optional<TextureFormat> depth_stencil_format;
  abi::DepthStencilState depth_stencil;
  abi::MultisampleState multisample;
  std::vector<std::optional<ColorTarget>> targets;
};

class RenderPipeline {
 public:
  virtual ~RenderPipeline() = default;
};

// One level and layer (or slice of a 3d texture), seen in `format`: the texture's, or one that differs in
// "-srgb".
struct RenderTarget {
  Texture* texture = nullptr;
  TextureFormat format = TextureFormat::kRgba8Unorm;
  uint32_t mip_level = 0;
  uint32_t layer = 0;
};

struct RenderColorAttachment {
  RenderTarget target;
  std::optional<RenderTarget> resolve;
  abi::LoadOp load_op = abi::LoadOp::kLoad;
  abi::StoreOp store_op = abi::StoreOp::kStore;
  abi::Color clear_value = {};
};

// Aspects that the pass only reads are loaded and stored.
struct RenderDepthStencilAttachment {
  RenderTarget target;
  abi::LoadOp depth_load_op = abi::LoadOp::kLoad, stencil_load_op = abi::LoadOp::kLoad;
  abi::StoreOp depth_store_op = abi::StoreOp::kStore, stencil_store_op = abi::StoreOp::kStore;
  float depth_clear_value = 0;
  uint32_t stencil_clear_value = 0;
};

struct RenderDraw {
  const RenderPipeline* pipeline = nullptr;
  // One for each storage or uniform variable of the stage's module, in the order of module.variables.
  std::vector<BoundBuffer> vertex_resources, fragment_resources;
  std::vector<BoundTexture> vertex_textures, fragment_textures;  // likewise for its textures
  std::vector<BoundBuffer>
      vertex_buffers;  // by slot of the pipeline; those without a layout are not looked at
  abi::Viewport viewport;
  abi::ScissorRect scissor;
  std::array<float, 4> blend_constant = {};
  uint32_t stencil_reference = 0;
  std::optional<uint32_t> occlusion_query;  // in RenderPass::occlusion_queries: gets the samples that pass

  std::optional<abi::IndexFormat> index_format;  // of an indexed draw
  BoundBuffer indices;
  uint32_t count = 0;  // of vertices, or of indices
  uint32_t instance_count = 1;
  uint32_t first = 0;  // vertex, or index
  int32_t base_vertex = 0;
  uint32_t first_instance = 0;
  // Indirect: count, instance_count, first (and base_vertex of an indexed draw), first_instance are read here
  // when the command runs instead. A first_instance other than 0 makes the draw do nothing unless it is
  // allowed.
  Buffer* indirect = nullptr;
  uint64_t indirect_offset = 0;
  bool indirect_first_instance = false;
};

struct RenderPass {
  uint32_t width = 0, height = 0;  // pixels of the attachments' level
  uint32_t sample_count = 1;
  std::vector<std::optional<RenderColorAttachment>> colors;
  std::optional<RenderDepthStencilAttachment> depth_stencil;
  QuerySet* occlusion_queries = nullptr;
  std::vector<uint32_t> begun_queries;  // of those: 0 where no draw of the pass names them
  std::vector<RenderDraw> draws;
};

}  // namespace lockstep::gpu::hal
