// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// What vertex shaders hand to fragment shaders.
#pragma once

#include "gpu/core/vertex_state.h"

namespace lockstep::gpu::core {

// WebGPU: #abstract-opdef-validating-inter-stage-interfaces. `fragment` is null where there is none.
Complaint CheckStageInterface(const Device& device, PrimitiveTopology topology, const StageFunction& vertex,
                              const StageFunction* fragment);

}  // namespace lockstep::gpu::core
