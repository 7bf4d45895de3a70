// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Shapes of values over a lane group, and where control flow splits a group up.
//
// Facts start at "not known yet" and only ever rise until nothing changes:
//     unset < workgroup-uniform < group-uniform < affine (stride), clamped (stride) < varying
// Control flow has a level too: 0 where a workgroup's invocations stay together, 1 where its lane groups may
// go different ways, each as a whole, 2 where the lanes of a group do. A value that comes from a place where
// control flow of level n meets again is at least of that level:
//     loop (%k = 0u) {                          %k: level 0, lanes in the loop agree
//       if (ge %k, %l) { exit @loop %k }        the jump has level 2, since %l is affine: so has the loop's
//       result
// The same analysis runs on the module before linearising, where it says what must become masks, and on lane
// form, where no jump has level 2 any more and it gives the shapes that the code generator works from.
//
// Affine values know a power of two that divides lane 0's value: with 8 lanes a `local_invocation_index`
// starts at a multiple of 8 in each group, so that `index / 16`, `index < 64` and `index >> 3` are uniform
// and `index % 16` affine.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "codegen/spmd/lane_form.h"
#include "codegen/spmd/structure.h"
#include "ir/module.h"

namespace lockstep::codegen {

struct Fact {
  enum Kind : uint8_t { kUnset, kWorkgroup, kGroup, kAffine, kClamped, kVarying };
  Kind kind = kUnset;
  uint8_t align = 0;   // log2 of a power of two that divides the value (lane 0's)
  int32_t stride = 0;  // kAffine, kClamped
  bool uniform() const { return kind == kWorkgroup || kind == kGroup; }
  friend bool operator==(const Fact& a, const Fact& b) {
    return a.kind == b.kind && a.align == b.align && a.stride == b.stride;
  }
};

class ShapeInfo {
 public:
  Fact fact(ir::ValueId id) const { return id.index < facts_.size() ? facts_[id.index] : Fact{}; }
  // What a `var` or private variable holds, by its pointer.
  Fact contents(ir::ValueId root) const {
    return root.index < contents_.size() ? contents_[root.index] : Fact{};
  }
  // How far the condition of an if or switch splits up what reaches it. 0 for loops, and at workgroup level.
  uint8_t split(ir::InstId construct) const { return levels_.Get(construct).split; }
  // The highest level of the jumps to the construct's end; to a loop's continuing block.
  uint8_t exits(ir::InstId construct) const { return levels_.Get(construct).exits; }
  uint8_t continues(ir::InstId loop) const { return levels_.Get(loop).continues; }
  // The level at which jumps take lanes out of the construct, to its end or beyond, while others stay in it.
  uint8_t leaves(ir::InstId construct) const { return levels_.Get(construct).leaves; }
  uint8_t function_leaves(ir::FunctionId function) const { return function_leaves_.Get(function); }
  // What its calls give.
  Fact function_result(ir::FunctionId function) const { return function_results_.Get(function); }
  // Of an exit, continue or return: 2 where only some of the lanes that are in its target take it at that
  // time.
  uint8_t jump_level(ir::InstId jump) const { return jump_levels_.Get(jump); }
  // Of a store to a `var`: the level of control flow between the `var` and it.
  uint8_t store_level(ir::InstId store) const { return store_levels_.Get(store); }

 private:
  friend class ShapeAnalysis;
  struct Levels {
    uint8_t split = 0, exits = 0, continues = 0, leaves = 0;
  };
  std::vector<Fact> facts_, contents_;
  SideTable<ir::InstId, Levels> levels_;
  SideTable<ir::FunctionId, uint8_t> function_leaves_;
  SideTable<ir::FunctionId, Fact> function_results_;
  SideTable<ir::InstId, uint8_t> jump_levels_, store_levels_;
};

ShapeInfo AnalyzeShapes(const ir::Module& module, const Structure& structure, uint32_t lanes);

// What the facts mean to a code generator.
Shape ShapeOf(const Fact& fact);

}  // namespace lockstep::codegen
