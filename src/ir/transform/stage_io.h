// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes a kernel of a vertex or fragment shader: workgroups of abi::kStageInvocations invocations, inputs and
// outputs in memory as abi/stage.h lays them out, behind the module's own buffers.
//
//   %uv = input 1 linear center : vec2<f32>      %i = builtin local_invocation_index : u32
//   demote                                       %p = access $stage_in, 4u, %i : ptr<storage, read, u32>
//   output 0 %color                         ->   %w = load %p : u32
//   store %counter, 1u                           %u = bitcast %w : f32 ...
//                                                store %live, false
//                                                store %counter, 1u, %is_live
//
// A fragment that writes to storage may be a helper from its beginning or become one: `live` says so, a
// variable that promote_variables makes a value of where one function does it all, else a private one. Each
// write to storage gets it as a guard, beside those that it has; robustness adds its own later. Derivatives
// stay: codegen has the quad in its lanes. Events of helpers are guarded likewise.
//
// Must run after transform/instrument_races, which watches the accesses of the shader alone.
#pragma once

#include <vector>

#include "abi/stage.h"
#include "ir/module.h"

namespace lockstep::ir {

// The slots of a module as lower/ makes it, or watched: what it declares, whether or not any pass finds that
// needless.
// Empty for a compute shader.
abi::StageLayout StageLayoutOf(const Module& module);
// Of its inputs: which ones the kernel may look at.
std::vector<bool> UsedInputs(const Module& module, const abi::StageLayout& layout);

// `layout`: of the module as it was lowered. Leaves compute shaders, and what it has made, as they are.
void LowerStageIo(Module& module, const abi::StageLayout& layout);
// Of a module that no pass has changed.
void LowerStageIo(Module& module);

}  // namespace lockstep::ir
