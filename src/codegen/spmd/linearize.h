// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Divergent control flow becomes masks, IR to IR (docs/cpu_engine.md shows the idea).
//
// A mask is a bool that says which lanes run a piece of code; no mask at all means every lane, and costs
// nothing. Code is only ever entered with some lane in its mask, short straight pieces excepted, so that
// loops inside of it end.
//
//   if, switch   by a condition that differs: each arm under and(mask, condition), past a branch on any_lane
//   where the
//                arm is long; results are selects.
//   jumps        that only some lanes take (level 2 in shapes.h) store the results under the mask to `var`s
//   of their
//                target and take the lanes out of the masks that are kept in `var`s between here and there:
//                  active   of each construct: the lanes that run what is left of it
//                  live     of a loop that lanes `continue` one by one: those that come back for the next
//                  round
//                After the construct that held the jump, the mask is reloaded; if it is empty, control
//                leaves.
//   stores       to memory that all lanes see, and atomics, get and(mask, guard); stores to a `var` where
//   lanes may have
//                been masked off since it was declared.
//
// Everything else stays as it is: code in uniform control flow is copied unchanged.
#pragma once

#include "codegen/spmd/shapes.h"
#include "codegen/spmd/structure.h"
#include "ir/module.h"

namespace lockstep::codegen {

// What is known of the new instructions; as in Structure.
struct LinearForm {
  SideTable<ir::InstId, uint8_t> workgroup_level;
  SideTable<ir::InstId, uint8_t> empty_jumps;
};

// Rewrites every function that the entry point reaches. `partial`: the mask starts as lane_mask.
LinearForm Linearize(ir::Module& module, const Structure& structure, const ShapeInfo& shapes, bool partial);

}  // namespace lockstep::codegen
