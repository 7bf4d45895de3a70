// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Robust access: after this pass no address that the module forms lies outside of its variable, and what
// would have written out of range writes nothing.
//
//   %p = access $a, %i                     %n = array_length $a          once, at the top of the function
//   store %p, %v                           %last = sub %n, 1u
//                                    ->    %in = lt %i, %n
//                                          %j = min %i, %last            loads read the last element instead
//                                          %p = access $a, %j
//                                          store %p, %v, %in             stores and atomics have a guard
//
// Signed indices are seen as u32, so that negative ones are out of range. A pointer that several instructions
// use is checked once, where it is formed; an access through another access has the guard of both. Ranges
// (analysis/ranges.h) leave out what is in range anyway: guards by what holds at the access, clamps only by
// what holds in every lane of a group, active or not, since the CPU engine lets loads run in all.
// extract_dynamic clamps by its definition.
//
// Needs: each bound runtime array has an element (WebGPU's minimum binding size). A pointer into an array
// that is passed to a function that was not inlined points to the clamped element there: its stores are not
// guarded but stay inside.
#pragma once

#include "ir/module.h"

namespace lockstep::ir {

void MakeAccessRobust(Module& module);

}  // namespace lockstep::ir
