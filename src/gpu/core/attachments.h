// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// GPURenderPassDescriptor (#render-pass-encoder-creation): what a render pass draws to.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "abi/render.h"
#include "gpu/core/query_set.h"
#include "gpu/core/render_layout.h"
#include "gpu/core/texture.h"

namespace lockstep::gpu::core {

// A whole texture is drawn to through its default view.
using AttachmentView = std::variant<std::shared_ptr<TextureView>, std::shared_ptr<Texture>>;

struct RenderPassColorAttachment {
  AttachmentView view;
  std::optional<uint32_t> depth_slice;
  std::optional<AttachmentView> resolve_target;
  abi::Color clear_value = {};
  LoadOp load_op = LoadOp::kLoad;
  StoreOp store_op = StoreOp::kStore;
};

struct RenderPassDepthStencilAttachment {
  AttachmentView view;
  std::optional<float> depth_clear_value;
  std::optional<LoadOp> depth_load_op;
  std::optional<StoreOp> depth_store_op;
  bool depth_read_only = false;
  uint32_t stencil_clear_value = 0;
  std::optional<LoadOp> stencil_load_op;
  std::optional<StoreOp> stencil_store_op;
  bool stencil_read_only = false;
};

struct RenderPassDescriptor {
  std::string label;
  std::vector<std::optional<RenderPassColorAttachment>> color_attachments;
  std::optional<RenderPassDepthStencilAttachment> depth_stencil_attachment;
  std::shared_ptr<QuerySet> occlusion_query_set;
  std::optional<TimestampWrites> timestamp_writes;
  uint64_t max_draw_count = 50000000;
};

// What is drawn to, of a descriptor that is right.
struct Attachments {
  struct Color {
    std::shared_ptr<TextureView> view, resolve;  // null: it is not resolved
    uint32_t depth_slice = 0;
    abi::Color clear_value = {};
    LoadOp load_op = LoadOp::kLoad;
    StoreOp store_op = StoreOp::kStore;
  };
  struct DepthStencil {
    std::shared_ptr<TextureView> view;
    RenderPassDepthStencilAttachment state;
  };
  std::vector<std::optional<Color>> colors;
  std::optional<DepthStencil> depth_stencil;
  RenderPassLayout layout;
  Extent3D size;  // of the views
};

// WebGPU: #abstract-opdef-gpurenderpassdescriptor-valid-usage, but for queries.
Complaint ResolveAttachments(const Device& device, const RenderPassDescriptor& descriptor,
                             Attachments& attachments);

}  // namespace lockstep::gpu::core
