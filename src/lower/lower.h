// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// wgsl::Program -> ir::Module for one entry point, overrides given. Everything that WGSL writes in a word and
// means in ten is spelled out here: loads, swizzles, matrix products, compound builtins (distance, refract,
// frexp ...), short circuits (as If), for and while (as Loop), evaluation order, initialisation of variables.
//
// The IR's limits that WebGPU states for a pipeline (workgroup size, invocations, workgroup memory, locations
// of inputs and outputs) are checked by gpu/core, not here.
#pragma once

#include "ir/module.h"
#include "support/result.h"
#include "wgsl/program.h"

namespace lockstep::lower {

// The program must have compiled without errors and `overrides` come from EvaluateOverrides for `entry`.
// Module-scope variables keep their order of declaration; only those that the entry point uses are there.
ir::Module Lower(const wgsl::Program& program, wgsl::FunctionId entry, const wgsl::OverrideValues& overrides);

}  // namespace lockstep::lower
