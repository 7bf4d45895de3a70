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
// A pointer that a call passes points to the clamped element. Where some call's may have been out of range
// and the function writes through it, the function gets one more parameter that tells, a part of all guards:
//
//   %p = access $a, %i                     %p = access $a, %j
//   call @f %p                       ->    call @f %p, %in
//   fn @f(%q : ptr<..>) {                  fn @f(%q : ptr<..>, %q_in : bool) {
//     store %q, %v                           store %q, %v, %q_in
//
// Needs: each bound runtime array has an element (WebGPU's minimum binding size).
#pragma once

#include "ir/module.h"

namespace lockstep::ir {

void MakeAccessRobust(Module& module);

}  // namespace lockstep::ir
