// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether a resource of a shader fits a pipeline layout.
#pragma once

#include <cstdint>

#include "gpu/core/error.h"
#include "gpu/core/evaluated_stage.h"
#include "gpu/core/pipeline_layout.h"

namespace lockstep::gpu::core {

// WebGPU: #abstract-opdef-validating-shader-binding.
Complaint CheckShaderBinding(const StageResource& resource, uint32_t stage, const PipelineLayout& layout);

}  // namespace lockstep::gpu::core
