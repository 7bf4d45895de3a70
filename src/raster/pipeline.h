// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// What is drawn with, and onto: a pipeline's compiled stages and states, the resources of one draw, and the
// attachments of a pass. Plain values that the device fills; all of it outlives the pass.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "abi/kernel.h"
#include "abi/render.h"
#include "abi/stage.h"
#include "raster/color_format.h"

namespace lockstep::raster {

inline constexpr uint32_t kMaxColorTargets = 8;
inline constexpr uint32_t kMaxSamples = 4;

enum class DepthFormat : uint8_t { kNone, kUnorm16, kFloat32 };

// A vertex or fragment kernel (abi/stage.h). Its last two buffers are the memories of its inputs and outputs.
struct Stage {
  abi::KernelEntry entry = nullptr;
  abi::StageLayout layout;
  std::vector<bool> used_inputs;  // by slot: those that the kernel may look at; empty: all
  bool Uses(size_t input) const { return used_inputs.empty() || used_inputs[input]; }
};

struct Pipeline {
  Stage vertex;
  std::optional<Stage> fragment;
  std::vector<std::optional<abi::VertexBufferLayout>> vertex_buffers;
  abi::PrimitiveState primitive;
  DepthFormat depth_format = DepthFormat::kNone;
  abi::DepthStencilState depth_stencil;
  abi::MultisampleState multisample;
  std::vector<std::optional<abi::ColorTargetState>> targets;
};

// Pixels in rows. Samples of a pixel lie one after the other. What the next pixel's distance is, the kind of
// surface says.
struct Surface {
  std::byte* texels = nullptr;
  uint64_t row_bytes = 0;
};

struct ColorAttachment {
  Surface surface;
  ColorFormat format = ColorFormat::kRgba8Unorm;
  abi::LoadOp load_op = abi::LoadOp::kLoad;
  abi::StoreOp store_op = abi::StoreOp::kStore;
  abi::Color clear_value = {};
  std::optional<Surface> resolve;  // of the same format with one sample
};

struct DepthStencilAttachment {
  DepthFormat depth_format = DepthFormat::kNone;
  Surface depth;
  abi::LoadOp depth_load_op = abi::LoadOp::kLoad;
  abi::StoreOp depth_store_op = abi::StoreOp::kStore;
  float depth_clear_value = 0;
  bool has_stencil = false;
  Surface stencil;  // a byte a sample
  abi::LoadOp stencil_load_op = abi::LoadOp::kLoad;
  abi::StoreOp stencil_store_op = abi::StoreOp::kStore;
  uint8_t stencil_clear_value = 0;
};

struct Attachments {
  uint32_t width = 0, height = 0;  // pixels
  uint32_t samples = 1;            // 1 or 4
  std::vector<std::optional<ColorAttachment>> colors;
  std::optional<DepthStencilAttachment> depth_stencil;
};

struct VertexBuffer {
  const std::byte* data = nullptr;
  uint64_t size = 0;  // bytes
};

// One draw call: what is set while it is recorded, and its arguments.
struct Draw {
  uint32_t number = 0;  // in the pass, for observers
  const Pipeline* pipeline = nullptr;
  std::vector<abi::BufferView> vertex_resources,
      fragment_resources;  // by slot, without the memories of values
  std::span<const abi::TextureView*const> vertex_textures, fragment_textures;
  std::vector<VertexBuffer> vertex_buffers;  // by slot of the pipeline
  abi::Viewport viewport;
  abi::ScissorRect scissor;
  std::array<float, 4> blend_constant = {};
  uint32_t stencil_reference = 0;
  std::atomic<uint64_t>* samples_passed = nullptr;  // of the occlusion query, where one is active

  // Not null: an indexed draw.
  const std::byte* indices = nullptr;
  uint64_t index_bytes = 0;  // that are bound
  abi::IndexFormat index_format = abi::IndexFormat::kUint32;

  uint32_t count = 0;  // of vertices, or of indices
  uint32_t instance_count = 1;
  uint32_t first = 0;  // vertex, or index
  int32_t base_vertex = 0;
  uint32_t first_instance = 0;
};

}  // namespace lockstep::raster
