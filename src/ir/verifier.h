// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Checks everything that ir/module.h and ir/op.def state: types of operands and results, scope of values,
// exits and their targets, one terminator a block, regions' shapes, layouts of host-shareable types.
#pragma once

#include <string>

#include "ir/module.h"

namespace lockstep::ir {

// Empty where the module is well-formed; otherwise what is wrong and where, one line each.
std::string Verify(const Module& module);

}  // namespace lockstep::ir
