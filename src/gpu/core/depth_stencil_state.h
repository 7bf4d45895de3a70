// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// GPUDepthStencilState (#depth-stencil-state).
#pragma once

#include <cstdint>
#include <optional>

#include "abi/render.h"
#include "gpu/core/enums.h"
#include "gpu/core/error.h"

namespace lockstep::gpu::core {

class Device;

struct DepthStencilState {
  TextureFormat format = TextureFormat::kDepth24Plus;
  // Needed by formats with depth alone.
  std::optional<bool> depth_write_enabled;
  std::optional<CompareFunction> depth_compare;
  abi::StencilFaceState stencil_front, stencil_back;
  uint32_t stencil_read_mask = 0xffffffff, stencil_write_mask = 0xffffffff;
  int32_t depth_bias = 0;
  float depth_bias_slope_scale = 0, depth_bias_clamp = 0;

  bool WritesDepth() const { return depth_write_enabled.value_or(false); }
  // Faces that are culled write nothing.
  bool WritesStencil(CullMode cull_mode) const;
  abi::DepthStencilState Resolved() const;
};

// WebGPU: #abstract-opdef-validating-gpudepthstencilstate.
Complaint CheckDepthStencilState(const Device& device, const DepthStencilState& state,
                                 PrimitiveTopology topology);

}  // namespace lockstep::gpu::core
