// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Rules of fold for one instruction: algebra that holds bit for bit (wrapping integers, IEEE floats with
// signed zeros, infinities and NaN), and composites that are taken apart where they were put together.
#pragma once

#include "ir/builder.h"

namespace lockstep::ir {

// A value that stands for the pure instruction's only result: one that exists, a constant, or one that new
// instructions make, appended where `b` stands (which is where `inst` would go). None where no rule applies.
ValueId FoldInst(Builder& b, InstId inst);

}  // namespace lockstep::ir
