// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Common subexpressions: a pure instruction that another one before it, in this block or one around it, has
// computed already takes its value. So does a load from memory that no dispatch writes (uniform, or storage
// that is read only).
//
//   %a = mul %x, %y : u32
//   if %c { %b = mul %x, %y : u32 ... }      ->      %b is %a
#pragma once

#include "ir/module.h"

namespace lockstep::ir {

// True where something changed.
bool MergeCommonSubexpressions(Module& module);

}  // namespace lockstep::ir
