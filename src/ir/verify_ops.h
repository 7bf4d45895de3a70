// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// The verifier's rules for one instruction by itself: how many operands, results and regions, and of which
// types.
#pragma once

#include <string>

#include "ir/module.h"

namespace lockstep::ir {

// Empty where the instruction keeps to op.def; otherwise what is wrong. All its ids are valid.
std::string CheckInst(const Module& module, FunctionId function, InstId inst);

}  // namespace lockstep::ir
