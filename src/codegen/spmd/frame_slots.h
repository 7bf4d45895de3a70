// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Group slots shared by values that are never alive together, as registers are allocated: liveness over the
// regions and jumps at workgroup level, then values that a jump copies to each other get one slot where they
// can, so that the copy vanishes:
//     loop (%sum = 0f) { region { %s2 = loop (%x = %sum) ... }  continue %s2 } continuing (%s3) { next %s3 }
//     %sum, %s2 and %s3 share a slot
// Then the remaining classes take the first slot of their size that is free.
#pragma once

#include <vector>

#include "codegen/spmd/lane_form.h"

namespace lockstep::codegen {

// Offsets in the group's part of the frame for `values` (results and parameters with group slots), one each;
// `bytes` is how much they take together. Values in large numbers get a slot each.
// All of them belong to `function`.
std::vector<uint64_t> ShareGroupSlots(const LaneKernel& kernel, ir::FunctionId function,
                                      const std::vector<ir::ValueId>& values, uint64_t* bytes);

}  // namespace lockstep::codegen
