// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/depth_stencil_state.h"

#include <fmt/format.h>

#include "gpu/core/texture.h"

namespace lockstep::gpu::core {
namespace {

bool Writes(const abi::StencilFaceState& face) {
  return face.pass_op != StencilOperation::kKeep || face.depth_fail_op != StencilOperation::kKeep ||
         face.fail_op != StencilOperation::kKeep;
}

Complaint CheckDepth(const DepthStencilState& state, bool has_depth) {
  const std::string_view format = EnumName(state.format);
  if (!has_depth) {
    if (state.WritesDepth())
      return fmt::format("depthWriteEnabled is set, and the format {} has no depth", format);
    if (state.depth_compare.value_or(CompareFunction::kAlways) != CompareFunction::kAlways)
      return fmt::format("depthCompare is {}, and the format {} has no depth", EnumName(*state.depth_compare),
                         format);
    return std::nullopt;
  }
  if (!state.depth_write_enabled)
    return fmt::format("depthWriteEnabled is not given, which the format {} needs", format);
  const bool compares = *state.depth_write_enabled ||
                        state.stencil_front.depth_fail_op != StencilOperation::kKeep ||
                        state.stencil_back.depth_fail_op != StencilOperation::kKeep;
  if (compares && !state.depth_compare)
    return "depthCompare is not given, which depthWriteEnabled and depthFailOp need";
  return std::nullopt;
}

}  // namespace

bool DepthStencilState::WritesStencil(CullMode cull_mode) const {
  if (stencil_write_mask == 0) return false;
  return (cull_mode != CullMode::kFront && Writes(stencil_front)) ||
         (cull_mode != CullMode::kBack && Writes(stencil_back));
}

abi::DepthStencilState DepthStencilState::Resolved() const {
  abi::DepthStencilState state;
  state.depth_write_enabled = WritesDepth();
  state.depth_compare = depth_compare.value_or(CompareFunction::kAlways);
  state.stencil_front = stencil_front;
  state.stencil_back = stencil_back;
  state.stencil_read_mask = stencil_read_mask;
  state.stencil_write_mask = stencil_write_mask;
  state.depth_bias = depth_bias;
  state.depth_bias_slope_scale = depth_bias_slope_scale;
  state.depth_bias_clamp = depth_bias_clamp;
  return state;
}

Complaint CheckDepthStencilState(const Device& device, const DepthStencilState& state,
                                 PrimitiveTopology topology) {
  const hal::TextureFormatInfo& format = hal::FormatInfo(state.format);
  if (Complaint missing = MissingFeature(device, state.format))
    return "its depth-stencil format is not there: " + *missing;
  if (!format.depth_or_stencil())
    return fmt::format("its depth-stencil format is {}, which has neither depth nor stencil",
                       EnumName(state.format));
  if (Complaint complaint = CheckDepth(state, format.Has(hal::Aspect::kDepth))) return complaint;
  const bool uses_stencil =
      state.stencil_front != abi::StencilFaceState() || state.stencil_back != abi::StencilFaceState();
  if (uses_stencil && !format.Has(hal::Aspect::kStencil))
    return fmt::format("stencilFront or stencilBack is set, and the format {} has no stencil",
                       EnumName(state.format));
  const bool triangles =
      topology == PrimitiveTopology::kTriangleList || topology == PrimitiveTopology::kTriangleStrip;
  const bool biased =
      state.depth_bias != 0 || state.depth_bias_slope_scale != 0 || state.depth_bias_clamp != 0;
  if (biased && !triangles)
    return fmt::format("its depth is biased, and the topology is {}: only triangles have that",
                       EnumName(topology));
  return std::nullopt;
}

}  // namespace lockstep::gpu::core
