// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Removes what nobody needs: pure instructions and loads without users, variables that are only written to,
// results and parameters of constructs that are unused (also those that only feed themselves around a loop),
// and those that stand for one value that could be used directly:
//
//   loop @loop (%k = 0u, %same = %x) { ...          loop @loop (%k = 0u) { ...
//     continue %k, %same                      ->      continue
//   } continuing (%a : u32, %b : u32) { ...         } continuing { ...
//
// Constructs with no effect and no used result go too, except loops, which may be endless.
#pragma once

#include "ir/module.h"

namespace lockstep::ir {

// True where something changed.
bool RemoveDeadCode(Module& module);

}  // namespace lockstep::ir
