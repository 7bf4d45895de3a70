// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Puts the bodies of functions in the place of calls, callees first:
//   - within budgets of their own: functions that hold a barrier (parameters and results of calls that stay
//   cost the CPU
//     engine loops over lane groups) and those that take a pointer to memory outside of a function (its
//     accesses are then checked and laid out by what they name);
//   - where it pays: small ones, those called once, and those whose pointer parameters keep a variable in
//   memory.
// A body that returns in its middle is wrapped in a switch of one case, and its returns exit that:
//
//   %r = call @f %x : u32      ->     %r = switch 0u : u32 { case default {
//                                       if %c { exit @switch 1u } else { exit }
//                                       exit %x
//                                     } }
//
// nest_exits and fold take such switches away again. The budget keeps a chain of helpers that each call the
// next one twice from growing without bound: past it calls stay. Establishes: no function without a caller is
// left but the entry point.
#pragma once

#include <cstdint>

#include "ir/module.h"

namespace lockstep::ir {

struct InlineOptions {
  uint32_t small = 60;                 // instructions; at most that many are inlined everywhere
  uint32_t small_with_pointers = 400;  // likewise for functions with parameters that point to function memory
  uint32_t optional_growth = 30'000;   // instructions that inlining for speed may add to the module
  uint32_t barrier_growth = 4'000;     // likewise inlining of functions with barriers
  uint32_t pointer_growth = 20'000;    // of functions with parameters that point to shared memory
  uint32_t total_growth = 200'000;     // instructions that any inlining may add
  uint32_t max_depth = 500;            // of regions in a function
};

void InlineFunctions(Module& module, const InlineOptions& options = {});

}  // namespace lockstep::ir
