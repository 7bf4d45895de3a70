// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests only: runs lane form as its contract says, with no machine in sight, so that a wrong mask, shape or
// placement shows without a code generator. Values are u32, i32 and bool scalars (and workgroup_id).
//   - a uniform or affine result is worked out from lane 0's operands and spread: a shape that claims too
//   much gives
//     wrong answers
//   - each region starts with no local values: one that is placed too low is missed
//   - frame slots are real words, so that slots that overlap show
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "abi/kernel.h"
#include "codegen/spmd/lane_form.h"
#include "codegen/spmd/structure.h"

namespace lockstep::codegen {

class LaneSimulator {
 public:
  LaneSimulator(const LaneKernel& kernel, std::vector<std::vector<uint32_t>>* buffers, bool reverse_groups);
  // Empty, or what went wrong.
  std::string RunWorkgroup(uint32_t x);

 private:
  using Lanes = std::vector<uint32_t>;
  struct Place {  // what a pointer leads to, a word a lane
    ir::ValueId root;
    Lanes word;
  };
  struct Jump {
    ir::InstId target = ir::InstId::None();
    bool returns = false, continues = false;
    std::vector<Lanes> values;
    std::vector<ir::ValueId> operands;
  };

  void Fail(const std::string& text) {
    if (failure_.empty()) failure_ = text;
  }
  bool WorkgroupLevel(ir::InstId inst) const { return kernel_.barriers.workgroup_level.Get(inst) != 0; }
  Home HomeOf(ir::ValueId v) const { return kernel_.placements.Get(v).home; }
  Lanes Spread(uint32_t v) const { return Lanes(kernel_.lanes, v); }

  // Values.
  Lanes Get(ir::ValueId v);
  void Set(ir::ValueId v, Lanes lanes);
  uint32_t* Slot(ir::ValueId v, uint32_t row);
  uint32_t* UniformSlot(ir::ValueId v);

  uint32_t* FrameRow(const Placement& placement);

  // Workgroup level.
  Jump RunWorkgroupBlock(ir::BlockId block);
  bool RunConstructAtWorkgroupLevel(ir::InstId inst, Jump* out);
  void RunFunction(ir::InstId call);
  void StoreResult(ir::FunctionId function, const Lanes& lanes);
  void RunRegion(const std::vector<ir::InstId>& insts, ir::InstId jump, const std::vector<ir::ValueId>& to,
                 const std::vector<ir::ValueId>& from);
  std::vector<ir::ValueId> JumpDestinations(ir::InstId jump) const;

  // Inside a region.
  Jump RunBlock(ir::BlockId block);
  Jump RunLoop(ir::InstId inst);
  bool RunInst(ir::InstId inst, Jump* out);  // true where it jumps
  Jump MakeJump(ir::InstId inst);
  void RunMemory(ir::InstId inst);
  void RunCall(ir::InstId inst);
  Place Follow(ir::ValueId pointer);
  uint32_t* Word(const Place& place, uint32_t lane);
  bool Guard(ir::InstId inst, size_t operand, uint32_t lane);
  uint32_t Evaluate(ir::InstId inst, const std::vector<Lanes>& operands, uint32_t lane);
  ir::BlockId Chosen(ir::InstId inst);

  const LaneKernel& kernel_;
  const ir::Module& module_;
  std::vector<std::vector<uint32_t>>* buffers_;
  const bool reverse_;
  std::string failure_;
  uint32_t workgroup_ = 0, group_ = 0;
  ir::FunctionId function_;  // with regions, being run
  bool at_workgroup_level_ = true;
  uint64_t steps_ = 0;
  std::vector<uint32_t> frame_;
  std::vector<uint32_t> workgroup_memory_;
  std::unordered_map<ir::ValueId, Lanes, IdHash> locals_, hoisted_;
  std::unordered_map<ir::ValueId, std::vector<uint32_t>, IdHash> vars_;
  std::unordered_map<ir::ValueId, ir::ValueId, IdHash> pointer_roots_;  // of parameters
};

}  // namespace lockstep::codegen
