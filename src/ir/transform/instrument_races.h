// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Puts events into a module as lowered: what every access touches, where an access goes out of range, and
// each barrier (the `watch` operations of ir/op.def). They have side effects, so no later pass may add, drop,
// merge, speculate or move the accesses that they stand for; the accesses themselves stay free to move.
//
//   %p = access $tile, %k               %p = access $tile, %k
//   %v = load %p                        %in = lt %k, 256u
//                                       %out = not %in
//                                       watch_bounds 0 1u, %k, 256u, %out
//                                       watch 0 8u, 1u, %k, %in          // site 0: a read of one word of
//                                       $tile %v = load %p
//
// Events hold no pointers: a place is (variable, offset in words), computed beside the pointer, and a
// function with pointer parameters gets both, with what says whether the pointer is in range, as parameters
// more. So an observer sees where an access was meant to go, and robust access later changes the pointers as
// it likes.
//
// What is told: reads and writes of workgroup memory and of storage that the entry point may write; atomics;
// a write of one component as a write of its whole vector (WGSL: #memory-locations lets it be one). What is
// out of range is told for all memory, and is no access.
#pragma once

#include <string>
#include <vector>

#include "abi/observe.h"
#include "ir/module.h"

namespace lockstep::ir {

// What an event's variable number means: module variables by VariableId, then function variables.
struct WatchRoot {
  std::string name;
  AddressSpace space = AddressSpace::kFunction;
  TypeId type;
};

struct WatchSite {
  Span span;  // of the reference or pointer in the source
  abi::AccessKind kind = abi::AccessKind::kRead;
  // Rows of details, in this order: the component that is written, if `component`; the values of the words at
  // `value_words` (of a component's write: the one value); how often each loop in `loops` has gone round.
  bool component = false;
  std::vector<uint32_t> value_words;
  std::vector<Span> loops;  // around the place in its function, outermost first
};

struct WatchTable {
  std::vector<WatchRoot> roots;
  std::vector<WatchSite> sites;  // by number
};

struct InstrumentOptions {
  bool details = false;
};

WatchTable InstrumentRaces(Module& module, const InstrumentOptions& options);

}  // namespace lockstep::ir
