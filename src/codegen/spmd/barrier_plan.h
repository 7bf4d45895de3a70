// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Where values live when the entry point and functions that hold barriers are cut into regions there
// (docs/cpu_engine.md, "Barriers").
//
//   hoisted       workgroup-uniform and pure, from hoisted operands, directly at workgroup level: made once
//   made again    cheap and pure from what every region has at hand (indices, masks): a copy in each region
//   that uses it,
//                 for a row of the frame costs more; pointers always, since they cannot be stored
//   uniform slot  other workgroup-uniform values that more than one region, or workgroup level, uses
//   group slot    other values that more than one region uses; parameters and results of constructs at
//   workgroup level
//                 and of functions; `var`s that more than one region uses, or a call at workgroup level
#pragma once

#include "codegen/spmd/lane_form.h"
#include "codegen/spmd/shapes.h"
#include "codegen/spmd/structure.h"

namespace lockstep::codegen {

// Sets placements and the sizes of the frame's parts from barriers.workgroup_level. Adds copies of
// instructions to the module; `kernel.shapes` gets theirs. Fails where the frame would be larger than
// kMaxFrameBytes.
inline constexpr uint64_t kMaxFrameBytes = uint64_t{64} << 20;
Result<> PlanBarriers(LaneKernel& kernel, const Structure& structure, const ShapeInfo& shapes);

}  // namespace lockstep::codegen
