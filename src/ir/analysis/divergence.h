// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Which values are the same in every invocation of a workgroup that is active where they are made.
//
//   %l = builtin local_invocation_index      differs
//   %p = load $params                        uniform: one address
//   loop (%k = 0u) {                         %k is uniform: lanes that are still in the loop agree ...
//     if (ge %k, %l) { exit @loop %k }       ... though they leave it one by one, so that the loop's result
//     differs continue
//   } continuing { next (add %k, 1u) }
//
// Starting from "everything is uniform", facts only ever change to "differs", until nothing changes. A value
// differs where an operand does, where lanes may bring different values to the place where they meet again
// (results of an if, switch or loop, parameters of a continuing block, results of a call), or where it is
// read from memory of one invocation (function and private address spaces), by an atomic, or from a
// per-invocation builtin. Where lanes split up is decided by jumps: one is divergent where a branch on a
// value that differs, or a loop that lanes leave or continue one by one, stands between it and its target.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/module.h"

namespace lockstep::ir {

class DivergenceInfo {
 public:
  // The same for all lanes that are active where the value is made. Constants and module-scope variables are.
  bool IsUniform(ValueId value) const { return value.index >= differs_.size() || differs_[value.index] == 0; }
  // Some lanes may leave the loop (by an exit to it or to a construct around it, or a return) while others
  // stay in it: it needs a mask of live lanes. Every loop of which this is false is left by all of its lanes
  // together.
  bool HasDivergentExit(InstId loop) const { return Flag(loop, kDivergentExit); }
  // Lanes may reach the loop's continuing block by different `continue`s, or some by a `continue` before
  // others do.
  bool HasDivergentContinue(InstId loop) const { return Flag(loop, kDivergentContinue); }
  // An exit, continue or return that only some of the lanes that entered its target take at that time.
  bool IsDivergentJump(InstId jump) const { return Flag(jump, kDivergentJump); }

 private:
  friend class DivergenceAnalysis;
  enum InstFlag : uint8_t { kDivergentExit = 1, kDivergentContinue = 2, kDivergentJump = 4 };
  bool Flag(InstId inst, InstFlag flag) const {
    return inst.index < flags_.size() && (flags_[inst.index] & flag) != 0;
  }

  std::vector<uint8_t> differs_;  // by value
  std::vector<uint8_t> flags_;    // by instruction
};

// Facts about the module as it stands; a later change of the module invalidates them. Parameters of a
// function are uniform where every call passes uniform values.
DivergenceInfo AnalyzeDivergence(const Module& module);

}  // namespace lockstep::ir
