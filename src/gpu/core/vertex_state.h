// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// GPUVertexState (#vertex-state): the buffers of vertices and instances that a vertex shader gets its inputs
// from.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "abi/render.h"
#include "gpu/core/pipeline.h"

namespace lockstep::gpu::core {

struct VertexState : ProgrammableStage {
  std::vector<std::optional<abi::VertexBufferLayout>> buffers;  // null: the slot is not used
};

// An entry point, for what is checked about its inputs and outputs.
struct StageFunction {
  const wgsl::Program& program;
  const wgsl::Function& function;
};

// WebGPU: #abstract-opdef-validating-gpuvertexstate, but for the stage by itself.
Complaint CheckVertexState(const Device& device, const VertexState& state, const StageFunction& vertex);

// The end of the last attribute within an element, in bytes.
uint64_t LastAttributeEnd(const abi::VertexBufferLayout& layout);

}  // namespace lockstep::gpu::core
