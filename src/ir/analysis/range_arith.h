// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic on intervals (analysis/ranges.h): sound, and exact where it is cheap to be.
#pragma once

#include "ir/analysis/ranges.h"
#include "ir/op.h"

namespace lockstep::ir {

Range Join(const Range& a, const Range& b);       // in one or the other
Range Intersect(const Range& a, const Range& b);  // in both; may be empty
bool Contains(const Range& outer, const Range& inner);
// A binary operation on u32 or i32 (`is_signed`); everything for operations that it does not know.
Range EvaluateRange(Op op, bool is_signed, const Range& a, const Range& b);
Range EvaluateRange(Op op, bool is_signed, const Range& a);
// What is left of `a` where `a OP b` holds, OP a compare.
Range Narrow(Op op, bool is_signed, const Range& a, const Range& b);

}  // namespace lockstep::ir
