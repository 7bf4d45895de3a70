// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// GPUFeatureName: what may be asked for, whether or not a device has it.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace lockstep::gpu::core {

inline constexpr std::array<std::string_view, 23> kFeatureNames = {"core-features-and-limits",
                                                                   "depth-clip-control",
                                                                   "depth32float-stencil8",
                                                                   "texture-compression-bc",
                                                                   "texture-compression-bc-sliced-3d",
                                                                   "texture-compression-etc2",
                                                                   "texture-compression-astc",
                                                                   "texture-compression-astc-sliced-3d",
                                                                   "timestamp-query",
                                                                   "indirect-first-instance",
                                                                   "shader-f16",
                                                                   "rg11b10ufloat-renderable",
                                                                   "bgra8unorm-storage",
                                                                   "float32-filterable",
                                                                   "float32-blendable",
                                                                   "clip-distances",
                                                                   "dual-source-blending",
                                                                   "subgroups",
                                                                   "texture-formats-tier1",
                                                                   "texture-formats-tier2",
                                                                   "primitive-index",
                                                                   "texture-component-swizzle",
                                                                   "subgroup-size-control"};

inline bool IsFeatureName(std::string_view name) {
  return std::find(kFeatureNames.begin(), kFeatureNames.end(), name) != kFeatureNames.end();
}

}  // namespace lockstep::gpu::core
