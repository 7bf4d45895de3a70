// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Rewrites the approximate float operations (inverse_sqrt, sin ... pow: op.def) of f32 and f16, scalars and
// vectors, into exact ones: straight-line code without branches, so that every engine on the CPU and every
// lane width gives the same bits. f16 is computed in f32 and rounded.
//
// Accuracy, measured by expand_math_test.cc over all magnitudes: at most 2 ulp for all but tan, acosh, pow
// and atan2 (2.5): far inside WGSL's table (#floating-point-accuracy). Arguments of sin, cos and tan are
// reduced exactly enough up to 2^22; past that the results are coarse but stay in range. Results below
// 2^-126 of exp, exp2 and pow are flushed to zero; subnormal arguments of log, log2 and pow count. 0,
// infinities and NaN give what IEEE 754 recommends, except that a negative base of pow gives NaN whatever
// the exponent.
//
// After: none of those operations is left. Must come after the fusing of a * b + c, which would change the
// bits.
#pragma once

#include "ir/module.h"

namespace lockstep::ir {

// True where the module changed.
bool ExpandMath(Module& module);

}  // namespace lockstep::ir
