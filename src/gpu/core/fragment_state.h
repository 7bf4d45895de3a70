// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// GPUFragmentState (#fragment-state): the color targets that a fragment shader writes to.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gpu/core/render_layout.h"
#include "gpu/core/vertex_state.h"
#include "gpu/hal/render.h"

namespace lockstep::gpu::core {

using ColorTarget = hal::ColorTarget;

struct FragmentState : ProgrammableStage {
  std::vector<std::optional<ColorTarget>> targets;
};

// Its channels, as its name has them: "rgba", "bgra", "rg".
std::string ChannelsOf(TextureFormat format);

// WebGPU: #abstract-opdef-validating-gpufragmentstate, but for the stage by itself.
Complaint CheckFragmentState(const Device& device, const FragmentState& state, const StageFunction& fragment);

}  // namespace lockstep::gpu::core
