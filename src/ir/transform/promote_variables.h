// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Function variables of scalar and vector types that are only loaded and stored (a vector's components too)
// become values: what a variable holds where control flow meets becomes a result of the if, loop or switch,
// and what it holds at the top of a loop a parameter.
//
//   %k = var                                  loop @loop (%k = 0u) {
//   store %k, 0u                                %done = ge %k, 16u : bool
//   loop @loop {                                if %done { exit @loop } else { exit }
//     %v = load %k : u32                 ->     continue %k
//     %done = ge %v, 16u : bool               } continuing (%k.1 : u32) {
//     if %done { exit @loop } else { exit }     %v2 = add %k.1, 1u : u32
//     continue                                  next %v2
//   } continuing { ... }                      }
//
// What was never stored is zero. The engines rely on it: loop counters that are parameters can be uniform,
// and only what stays a variable takes memory. Results and parameters that nobody needs are made too; dce
// takes them away.
#pragma once

#include "ir/module.h"

namespace lockstep::ir {

void PromoteVariables(Module& module);

}  // namespace lockstep::ir
