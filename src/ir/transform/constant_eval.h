// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// What an operation gives for constant operands, with the bits that every engine gives. Says nothing (None)
// where engines or the rules of the language leave room: NaN results, minimum and maximum of zeros of both
// signs, approximate functions, float remainders, f16.
#pragma once

#include <span>

#include "ir/module.h"

namespace lockstep::ir {

// `inst` with `operands`, all constants; the constant that is its result, or None.
ValueId EvaluateConstant(Module& module, InstId inst, std::span<const ValueId> operands);

}  // namespace lockstep::ir
