// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// GPUFeatureName: what may be asked for, whether or not a device has it.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

// WebGPU: #feature-dependencies. Where the first is enabled, so is the second; what that one implies stands
// in a later row.
inline constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kImpliedFeatures = {
    {{"texture-formats-tier2", "texture-formats-tier1"},
     {"texture-formats-tier1", "rg11b10ufloat-renderable"},
     {"texture-compression-bc-sliced-3d", "texture-compression-bc"},
     {"texture-compression-astc-sliced-3d", "texture-compression-astc"},
     {"subgroup-size-control", "subgroups"}}};

// The features of a device for which `required` are asked: with what these imply and what every device has,
// each once.
std::vector<std::string> EnabledFeatures(const std::vector<std::string>& required);

}  // namespace lockstep::gpu::core
