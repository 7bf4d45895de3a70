// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Splits function variables of struct, array and matrix types into one variable a part, again and again down
// to scalars and vectors, where every access to them names its part by a constant:
//
//   %s = var : ptr<function, read_write, S>        %s.a = var ...   %s.b = var ...
//   %p = access %s, 1u                       ->
//   store %p, %x                                   store %s.b, %x
//   %v = load %s                                   %a = load %s.a   %b = load %s.b   %v = construct %a, %b :
//   S
//
// Before that, private variables that only the entry point uses become function variables of it.
// promote_variables then makes values of what is left. Variables that are larger than a value can be stay as
// they are.
#pragma once

#include "ir/module.h"

namespace lockstep::ir {

void SplitVariables(Module& module);

}  // namespace lockstep::ir
