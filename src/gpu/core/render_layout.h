// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// GPURenderPassLayout (#render-pass-layout): the formats and samples of what is drawn to, by which passes,
// bundles and pipelines fit each other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpu/core/enums.h"
#include "gpu/core/error.h"

namespace lockstep::gpu::core {

class Device;

struct RenderPassLayout {
  std::vector<std::optional<TextureFormat>> color_formats;
  std::optional<TextureFormat> depth_stencil_format;
  uint32_t sample_count = 1;

  bool empty() const;                                // there is no attachment at all
  bool Equals(const RenderPassLayout& other) const;  // nulls at the end of color_formats do not count
  std::string Text() const;                          // "rgba8unorm, none, r32float; depth24plus; 4 samples"
};

// WebGPU: #abstract-opdef-calculating-color-attachment-bytes-per-sample, and the limit.
Complaint CheckColorBytes(const Device& device, const std::vector<std::optional<TextureFormat>>& formats);

}  // namespace lockstep::gpu::core
