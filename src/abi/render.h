// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// How to draw, in WebGPU's own terms (#gpurenderpipeline): what a device's interface and the rasteriser
// share. Plain values; gpu/core has validated them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace lockstep::abi {

#define ENUM(Name) enum class Name : uint8_t {
#define VALUE(enumerator, string) enumerator,
#define END(Name) \
  }               \
  ;
#include "abi/render_enums.def"

enum class VertexFormat : uint8_t {
#define FORMAT(enumerator, name, kind, bits, components) enumerator,
#include "abi/vertex_format.def"
};

enum class ComponentKind : uint8_t { kUint, kSint, kUnorm, kSnorm, kFloat };

struct VertexFormatInfo {
  ComponentKind kind;
  uint8_t bits;  // of a component; 0: three of 10 and one of 2
  uint8_t components;
  uint32_t bytes() const { return bits == 0 ? 4 : bits / 8 * components; }
};

inline const VertexFormatInfo& FormatInfo(VertexFormat format) {
  static constexpr VertexFormatInfo kTable[] = {
#define FORMAT(enumerator, name, kind, bits, components) {ComponentKind::k##kind, bits, components},
#include "abi/vertex_format.def"
  };
  return kTable[static_cast<size_t>(format)];
}

struct VertexAttribute {
  VertexFormat format = VertexFormat::kFloat32;
  uint64_t offset = 0;  // bytes from the element's start
  uint32_t shader_location = 0;
};

struct VertexBufferLayout {
  uint64_t array_stride = 0;  // bytes; 0: all elements are the first
  VertexStepMode step_mode = VertexStepMode::kVertex;
  std::vector<VertexAttribute> attributes;
};

struct PrimitiveState {
  PrimitiveTopology topology = PrimitiveTopology::kTriangleList;
  std::optional<IndexFormat> strip_index_format;
  FrontFace front_face = FrontFace::kCcw;
  CullMode cull_mode = CullMode::kNone;
  bool unclipped_depth = false;
};

struct StencilFaceState {
  CompareFunction compare = CompareFunction::kAlways;
  StencilOperation fail_op = StencilOperation::kKeep;
  StencilOperation depth_fail_op = StencilOperation::kKeep;
  StencilOperation pass_op = StencilOperation::kKeep;
  friend bool operator==(const StencilFaceState&, const StencilFaceState&) = default;
};

struct DepthStencilState {
  bool depth_write_enabled = false;
  CompareFunction depth_compare = CompareFunction::kAlways;
  StencilFaceState stencil_front, stencil_back;
  uint32_t stencil_read_mask = 0xffffffff, stencil_write_mask = 0xffffffff;
  int32_t depth_bias = 0;
  float depth_bias_slope_scale = 0, depth_bias_clamp = 0;
};

struct MultisampleState {
  uint32_t count = 1;  // 1 or 4
  uint32_t mask = 0xffffffff;
  bool alpha_to_coverage_enabled = false;
};

struct BlendComponent {
  BlendOperation operation = BlendOperation::kAdd;
  BlendFactor src_factor = BlendFactor::kOne;
  BlendFactor dst_factor = BlendFactor::kZero;
  friend bool operator==(const BlendComponent&, const BlendComponent&) = default;
};

struct BlendState {
  BlendComponent color, alpha;
};

// GPUColorWrite.
namespace color_write {
enum Bits : uint32_t { kRed = 1, kGreen = 2, kBlue = 4, kAlpha = 8, kAll = 15 };
}

struct ColorTargetState {
  std::optional<BlendState> blend;
  uint32_t write_mask = color_write::kAll;
};

struct Viewport {
  float x = 0, y = 0, width = 0, height = 0;  // pixels
  float min_depth = 0, max_depth = 1;
};

struct ScissorRect {
  uint32_t x = 0, y = 0, width = 0, height = 0;  // pixels
};

using Color = std::array<double, 4>;  // red, green, blue, alpha

}  // namespace lockstep::abi
