// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Where an instruction stands among the constructs (if, switch, loop) of its function, and which constructs
// run at workgroup level.
//
// A construct is at workgroup level where it holds a barrier, or where a jump out of it decides whether a
// barrier is reached: an `if` with a `continue` of a loop with barriers, an early `return` before a barrier.
// A function that holds a barrier runs for the whole workgroup, as the entry point does; a call of it is a
// barrier itself.
// WGSL promises that all invocations of the workgroup agree about these (#uniformity), whether or not our own
// analysis can prove it.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/module.h"
#include "support/result.h"
#include "support/store.h"

namespace lockstep::codegen {

// Passes walk nested constructs recursively; this bounds their stack. WGSL lets programs nest 127 blocks;
// `else if` chains and inlining go deeper.
inline constexpr uint32_t kMaxNesting = 1000;

struct Structure {
  struct Place {
    ir::InstId parent = ir::InstId::None();  // the construct around it; None at the top of a function
    ir::FunctionId function = ir::FunctionId::None();
    uint32_t begin = 0;      // number in program order
    uint32_t end = 0;        // of a construct: the last number in it
    uint32_t block_end = 0;  // the last number in its block
  };
  SideTable<ir::InstId, Place> places;  // instructions that stand in a function
  SideTable<ir::InstId, uint8_t> workgroup_level;
  SideTable<ir::FunctionId, uint8_t> workgroup_functions;  // those that hold a barrier; the entry point too
  std::vector<ir::InstId> order;                           // all of them, by number
  std::vector<ir::FunctionId> functions;  // the entry point, and what it calls, callers before callees
  // Jumps of lane form that are only made where no lane is left: what they bring matters to nobody.
  SideTable<ir::InstId, uint8_t> empty_jumps;

  ir::InstId parent(ir::InstId id) const { return places.Get(id).parent; }
};

// A failure names what is too deep.
Result<Structure> AnalyzeStructure(const ir::Module& module, uint32_t max_nesting);

// The construct that an exit-kind instruction leaves or continues; None for `return` and `unreachable`.
ir::InstId JumpTarget(const ir::Module& module, ir::InstId jump);

inline bool IsConstruct(ir::Op op) { return ir::KindOf(op) == ir::OpKind::kControl; }
}  // namespace lockstep::codegen
