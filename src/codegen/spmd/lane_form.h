// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Lane form: a kernel as it runs on vector lanes, still without any machine in sight. docs/cpu_engine.md
// tells the whole idea with an example.
//
// A lane group is `lanes` consecutive invocations of a workgroup (by local_invocation_index), worked on
// together. In lane form one IR value stands for a whole group:
//   - every `if`, `switch`, `loop` exit is uniform: all lanes of the group take it. What diverged has become
//   masks
//     (ordinary varying bool values), guards on stores and atomics, selects, and branches on any_lane(mask).
//   - every value has a Shape: one scalar for the group, or one a lane.
//   - `load`s may run for lanes that are masked off (robust access made every address valid); `store`, `copy`
//   and atomics
//     never do: their guard says which lanes act.
// Mutable per-lane state that linearising needs (masks, values on divergent exits) is kept in `var`s, which
// the code generator keeps in registers where only loads and stores touch them.
//
// What the code generator relies on besides:
//   - pointers are not values: the code generator follows `access` chains to their root each time. A use of a
//   pointer
//     counts as a use of the indices on its chain (homes!). The shape of a `var`'s or private variable's
//     pointer is the shape of what it holds: kUniform (one copy a group) or anything else (one a lane).
//     Composite values are kUniform or kVarying.
//   - kUniform results come from kUniform and kAffine operands only (affine ones by lane 0's value, which
//   says all: `lt`,
//     `div`, `shr` ... of an aligned affine value by a constant, the difference of two), but for loads,
//     any_lane, all_lanes and uniform_load. kAffine results likewise are made by working on lane 0's values.
//   - of the builtin inputs only local_invocation_index, workgroup_id and num_workgroups are left; the others
//   are
//     arithmetic on these.
//   - guards may be uniform (a scalar branch). A uniform store under a mask has the guard any_lane(mask).
//   `zero_fill` may
//     have a guard as its second operand. A `var`'s contents are uniform only where every guard of a store
//     is.
//   - initializers of private variables are explicit stores at the entry point's start; private variables
//   that only the
//     entry point uses have become `var`s.
//   - in a group slot a kUniform or kAffine value needs only the first word of a row (lane 0's value).
//   - functions that are not inlined and hold no barrier: first parameter the mask (bool, varying);
//   parameters by their
//     shapes, results of calls varying unless shapes says kUniform for every call of that function.
//   - `return` inside a region ends this lane group's part in the region; at workgroup level it ends the
//   kernel or the function.
//   - lanes that are no invocations (partial) run loads too; the code generator sees to their addresses
//   itself.
//
// Barriers split the entry point and the functions that hold them: see BarrierPlan. They stand in
// workgroup-uniform control flow only.
#pragma once

#include <cstdint>
#include <string>

#include "codegen/spmd/options.h"
#include "ir/module.h"
#include "support/result.h"
#include "support/store.h"

namespace lockstep::codegen {

enum class ShapeKind : uint8_t {
  kUniform,  // the same in every lane that is active where the value is made
  kAffine,   // 32-bit integer scalar: lane i has (lane 0's value) + i * stride, modulo 2^32
  kClamped,  // result of min(a, b) of u32: one operand is kAffine with this stride, the other uniform
  kVarying,
};

struct Shape {
  ShapeKind kind = ShapeKind::kVarying;
  int32_t stride = 0;
  bool uniform() const { return kind == ShapeKind::kUniform; }
};

// Where a value or a `var` lives.
enum class Home : uint8_t {
  kLocal,    // used only in the region that makes it: a register
  kHoisted,  // uniform and pure with hoisted operands: made once a workgroup, outside of the loop over lane
             // groups
  kUniformSlot,  // uniform, made in a region, used in others: one slot a workgroup in the frame
  kGroupSlot,    // one slot a lane group in the frame; read at workgroup level, which is only done where
                 // WGSL promises that all invocations agree, it is lane 0 of the first group that counts
};

struct Placement {
  Home home = Home::kLocal;
  uint32_t offset =
      0;  // bytes; kUniformSlot: in the uniform part of the frame; kGroupSlot: in the group's part
};

// The frame (abi::Worker::frame): [uniform part][group 0][group 1]... each part a multiple of 64 bytes. A
// value of n scalars takes n rows of `lanes` 32-bit words in a group's part (row-major: scalar, then lane), n
// words in the uniform part. bool takes a word: 0 or all ones. f16 takes a word.
//
// A function that holds a barrier runs once a workgroup and has regions as the entry point has. Its slots lie
// behind those of whoever may call it: a function is active once at most, so that one place for each does.
//   parameters  uniform ones are passed; varying ones have group slots, which the region before a call
//   writes.
//               A pointer's base is passed, its offset (bytes; words of a lane where it leads to a `var`) is
//               what the slot holds
//   result      a slot of the function's, uniform or one a group, which regions write (those in which groups
//               return, and the last one); the code behind a call moves it to the call's
struct BarrierPlan {
  struct FunctionResult {
    Placement placement;
    Shape shape;
  };
  SideTable<ir::FunctionId, uint8_t> workgroup_functions;  // functions with regions; the entry point too
  SideTable<ir::FunctionId, FunctionResult> results;       // of such functions
  // The instructions that hold a barrier in some region of theirs (If, Loop, Switch) or are one (Barrier,
  // UniformLoad, Call of a function with regions), and those that leave one of them (an If with an `exit`,
  // `continue` or `return` out of a workgroup-level loop): they run once a workgroup; what stands between
  // them runs once a lane group. Their conditions, selectors and uniform parameters and results are kHoisted
  // or kUniformSlot; varying parameters and results have group slots.
  SideTable<ir::InstId, uint8_t> workgroup_level;
  uint32_t uniform_bytes = 0;
  uint32_t group_bytes = 0;

  bool HasRegions(ir::FunctionId id) const { return workgroup_functions.Get(id) != 0; }
};

struct LaneKernel {
  ir::Module module;  // in lane form; the entry point and the functions that it still calls
  uint32_t lanes = 8;
  uint32_t groups = 1;   // lane groups in a workgroup
  bool partial = false;  // the last group has lanes that are no invocations: guards hold lane_mask
  SideTable<ir::ValueId, Shape> shapes;
  SideTable<ir::ValueId, Placement> placements;  // results, block parameters, and `var`s (by their pointer)
  BarrierPlan barriers;
  // Module-scope variables of address space private live per lane like a `var`; placements has them by their
  // value. They are kGroupSlot where the entry point has barriers or a function that is still called uses
  // them.
  SideTable<ir::InstId, uint8_t> bounded_loops;  // non-zero: ends soon by itself, no poll of Dispatch::cancel

  // --- memory of the workgroup address space, by VariableId: byte offsets in abi::Worker::workgroup_memory
  // ---
  SideTable<ir::VariableId, uint32_t> workgroup_offsets;
  uint32_t workgroup_bytes = 0;
  SideTable<ir::VariableId, uint8_t>
      zero_needed;  // non-zero: the kernel zeroes the variable before the first region

  uint64_t frame_bytes() const { return barriers.uniform_bytes + uint64_t{groups} * barriers.group_bytes; }
};

// Fragments come in quads, and each stands in one vector: what a group and a native vector of them have at
// least.
inline uint32_t LeastLanes(const ir::Module& module) { return module.stage == ir::Stage::kFragment ? 4 : 1; }

// The `var`, variable or parameter that a pointer leads to, through its `access` chain.
ir::ValueId RootOf(const ir::Module& module, ir::ValueId pointer);

// A failure names the limit that the kernel breaks (nesting, frame size).
Result<LaneKernel> BuildLaneForm(const ir::Module& module, const LaneOptions& options);

// The text of lockstep show --emit=lanes: the IR's form, each result with its shape, each region of the
// barrier plan.
std::string PrintLanes(const LaneKernel& kernel);

}  // namespace lockstep::codegen
