// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// One walk numbers instructions and jumps in the order of the text; then a worklist of values that differ
// runs dry. Facts about control flow are facts about jumps. When jump J, with target T, turns out to be
// divergent:
//
//   - what T receives (results, parameters) differs, unless all jumps to it bring the same value;
//   - other jumps inside T that only the remaining lanes can take become divergent too: those after J in the
//   text that
//     leave T, for a `continue` those after it that go to T or leave it, and for an `exit` of a loop all that
//     do either, since later passes through the loop are run by the remaining lanes;
//   - a loop that J passes through is left one by one: jumps out of it become divergent.
//
// Each rule looks at a range of jumps once for each construct, so the whole is linear in the module but for
// nesting.
#include "ir/analysis/divergence.h"

#include <algorithm>
#include <limits>

#include "support/check.h"

namespace lockstep::ir {

class DivergenceAnalysis {
 public:
  explicit DivergenceAnalysis(const Module& module) : m_(module) {
    info_.differs_.assign(m_.value_count(), 0);
    info_.flags_.assign(m_.insts.size(), 0);
    order_.assign(m_.value_count(), 0);
    construct_of_.assign(m_.insts.size(), kNone);
    calls_.resize(m_.functions.size());
  }

  DivergenceInfo Run() {
    for (uint32_t i = 0; i < m_.functions.size(); ++i) Number(FunctionId(i));
    CollectUses();
    for (uint32_t i = 0; i < m_.functions.size(); ++i) {
      ForEachInst(m_, m_.functions[FunctionId(i)].body, [&](InstId inst) { Seed(inst); });
    }
    while (!work_.empty()) {
      const ValueId value = work_.back();
      work_.pop_back();
      const uint32_t end = use_begin_[value.index + 1];
      for (uint32_t i = use_begin_[value.index]; i < end; ++i) OperandDiffers(uses_[i], value);
    }
    return std::move(info_);
  }

 private:
  static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();

  // An if, loop or switch; or a function, the target of its returns.
  struct Construct {
    InstId inst = InstId::None();
    FunctionId function;
    uint32_t parent = kNone;
    uint32_t depth = 0;
    uint32_t order = 0;
    uint32_t jumps_begin = 0, jumps_end = 0;  // jumps inside of it
    uint32_t body_jumps_end = 0;              // of a loop: those in its body
    std::vector<uint32_t> exits, continues;  // jumps that it is the target of; a function's returns are exits
    uint32_t split_from = kNone;             // the first divergent exit (continue for a loop) so far
    bool is_loop = false;
    bool passes_loop = false;  // some exit to it leaves a loop inside of it
    bool branch_differs = false;
    bool exits_split = false;  // loop: some exit of it is divergent
    bool passed = false;       // loop: some divergent jump passes through it
    bool merge_done = false, continue_merge_done = false;
  };

  struct Jump {
    InstId inst;
    uint32_t target = kNone;  // construct
    uint32_t around = kNone;  // the innermost construct that it stands in
    bool divergent = false;
  };

  // --- numbering ---

  void Number(FunctionId id) {
    Construct function;
    function.function = id;
    function.jumps_begin = static_cast<uint32_t>(jumps_.size());
    const uint32_t index = static_cast<uint32_t>(constructs_.size());
    constructs_.push_back(function);
    function_constructs_.push_back(index);
    NumberBlock(m_.functions[id].body, index);
    constructs_[index].jumps_end = static_cast<uint32_t>(jumps_.size());
  }

  void NumberBlock(BlockId block, uint32_t around) {
    for (const ValueId p : m_.blocks[block].params) order_[p.index] = next_order_++;
    for (const InstId id : m_.blocks[block].insts) {
      const Inst& inst = m_.insts[id];
      const uint32_t order = next_order_++;
      for (const ValueId r : m_.results(id)) order_[r.index] = order;
      if (inst.op == Op::kCall) calls_[inst.imm].push_back(id);
      if (IsExit(inst.op) && inst.op != Op::kUnreachable && inst.op != Op::kNext) AddJump(id, around);
      if (KindOf(inst.op) == OpKind::kControl) NumberConstruct(id, around, order);
    }
  }

  void NumberConstruct(InstId id, uint32_t around, uint32_t order) {
    Construct c;
    c.inst = id;
    c.function = constructs_[around].function;
    c.parent = around;
    c.depth = constructs_[around].depth + 1;
    c.order = order;
    c.is_loop = m_.insts[id].op == Op::kLoop;
    c.jumps_begin = static_cast<uint32_t>(jumps_.size());
    const uint32_t index = static_cast<uint32_t>(constructs_.size());
    construct_of_[id.index] = index;
    constructs_.push_back(c);
    const auto regions = m_.regions(id);
    for (size_t i = 0; i < regions.size(); ++i) {
      NumberBlock(regions[i], index);
      if (i == 0) constructs_[index].body_jumps_end = static_cast<uint32_t>(jumps_.size());
    }
    constructs_[index].jumps_end = static_cast<uint32_t>(jumps_.size());
  }

  void AddJump(InstId id, uint32_t around) {
    const Inst& inst = m_.insts[id];
    Jump jump;
    jump.inst = id;
    jump.around = around;
    jump.target = inst.op == Op::kReturn ? function_constructs_.back() : construct_of_[inst.imm];
    CHECK(jump.target != kNone);
    if (inst.op == Op::kReturn) construct_of_[id.index] = jump.target;
    const uint32_t index = static_cast<uint32_t>(jumps_.size());
    Construct& target = constructs_[jump.target];
    (inst.op == Op::kContinue ? target.continues : target.exits).push_back(index);
    if (inst.op != Op::kContinue) {
      for (uint32_t c = around; c != jump.target; c = constructs_[c].parent)
        target.passes_loop |= constructs_[c].is_loop;
    }
    jumps_.push_back(jump);
  }

  // uses_[use_begin_[v] .. use_begin_[v + 1]) are the instructions that have v as an operand.
  void CollectUses() {
    use_begin_.assign(m_.value_count() + 1, 0);
    for (uint32_t pass = 0; pass < 2; ++pass) {
      for (uint32_t i = 0; i < m_.functions.size(); ++i) {
        ForEachInst(m_, m_.functions[FunctionId(i)].body, [&](InstId inst) {
          for (const ValueId v : m_.operands(inst)) {
            if (pass == 0) {
              ++use_begin_[v.index];
            } else {
              uses_[--use_begin_[v.index]] = inst;
            }
          }
        });
      }
      if (pass != 0) return;
      uint32_t sum = 0;
      for (uint32_t& begin : use_begin_)
        begin = sum += begin;  // ends, until the second pass counts them down
      uses_.resize(sum);
    }
  }

  // --- values ---

  void Mark(ValueId value) {
    if (info_.differs_[value.index] != 0) return;
    info_.differs_[value.index] = 1;
    work_.push_back(value);
  }

  void MarkResults(InstId inst) {
    for (const ValueId r : m_.results(inst)) Mark(r);
  }

  // What differs by itself.
  void Seed(InstId id) {
    const Inst& inst = m_.insts[id];
    const bool atomic =
        inst.op == Op::kAtomicLoad || inst.op == Op::kAtomicRmw || inst.op == Op::kAtomicCompareExchange;
    bool differs = atomic || inst.op == Op::kLaneMask || inst.op == Op::kStageInput;
    if (inst.op == Op::kBuiltinInput) differs = !IsUniformBuiltin(static_cast<Builtin>(inst.imm));
    if (inst.op == Op::kLoad) {
      const AddressSpace space = m_.types[m_.type_of(m_.operands(id)[0])].space;
      differs = space == AddressSpace::kFunction || space == AddressSpace::kPrivate;
    }
    if (differs) MarkResults(id);
  }

  static bool IsUniformBuiltin(Builtin builtin) {
    switch (builtin) {
      case Builtin::kWorkgroupId:
      case Builtin::kNumWorkgroups:
      case Builtin::kWorkgroupIndex:
        return true;
      case Builtin::kLocalInvocationId:
      case Builtin::kLocalInvocationIndex:
      case Builtin::kGlobalInvocationId:
      case Builtin::kGlobalInvocationIndex:
      case Builtin::kVertexIndex:
      case Builtin::kInstanceIndex:
      case Builtin::kPosition:
      case Builtin::kFrontFacing:
      case Builtin::kPrimitiveIndex:
      case Builtin::kSampleIndex:
      case Builtin::kSampleMask:
        return false;
    }
    UNREACHABLE("builtin");
  }

  // `value`, an operand of `id`, turned out to differ.
  void OperandDiffers(InstId id, ValueId value) {
    const Inst& inst = m_.insts[id];
    const auto operands = m_.operands(id);
    if (inst.op == Op::kIf || inst.op == Op::kSwitch) return BranchDiffers(construct_of_[id.index]);
    if (inst.op == Op::kAnyLane || inst.op == Op::kAllLanes || inst.op == Op::kUniformLoad) return;
    if (inst.op == Op::kReturn) return FunctionResultDiffers(constructs_[construct_of_[id.index]].function);
    const bool passes = inst.op == Op::kLoop || inst.op == Op::kExit || inst.op == Op::kContinue ||
                        inst.op == Op::kNext || inst.op == Op::kCall;
    if (!passes) return MarkResults(id);
    const std::span<const ValueId> receivers = Receivers(id);
    for (size_t i = 0; i < operands.size(); ++i) {
      if (operands[i] == value) Mark(receivers[i]);
    }
  }

  std::span<const ValueId> Receivers(InstId id) const {
    const Inst& inst = m_.insts[id];
    if (inst.op == Op::kLoop) return m_.blocks[m_.regions(id)[0]].params;
    if (inst.op == Op::kCall) return m_.functions[FunctionId(inst.imm)].params;
    if (inst.op == Op::kExit) return m_.results(InstId(inst.imm));
    return m_.blocks[m_.regions(InstId(inst.imm))[inst.op == Op::kContinue ? 1 : 0]].params;
  }

  void FunctionResultDiffers(FunctionId id) {
    for (const InstId call : calls_[id.index]) MarkResults(call);
  }

  // --- control ---

  void BranchDiffers(uint32_t index) {
    Construct& c = constructs_[index];
    if (c.branch_differs) return;
    c.branch_differs = true;
    MarkJumps(c.jumps_begin, c.jumps_end, c.depth);
  }

  // Jumps in the range whose target stands at `depth` or further out.
  void MarkJumps(uint32_t begin, uint32_t end, uint32_t depth) {
    for (uint32_t j = begin; j < end; ++j) {
      if (constructs_[jumps_[j].target].depth <= depth && !jumps_[j].divergent) {
        jumps_[j].divergent = true;
        pending_.push_back(j);
      }
    }
    // The outermost call settles what it and its consequences found.
    if (settling_) return;
    settling_ = true;
    while (!pending_.empty()) {
      const uint32_t j = pending_.back();
      pending_.pop_back();
      JumpDiverges(j);
    }
    settling_ = false;
  }

  void JumpDiverges(uint32_t j) {
    const Jump& jump = jumps_[j];
    info_.flags_[jump.inst.index] |= DivergenceInfo::kDivergentJump;
    for (uint32_t c = jump.around; c != jump.target; c = constructs_[c].parent) PassLoop(c);
    if (m_.insts[jump.inst].op == Op::kContinue) {
      ContinueDiverges(j, jump.target);
    } else {
      ExitDiverges(j, jump.target);
    }
  }

  void PassLoop(uint32_t index) {
    Construct& c = constructs_[index];
    if (!c.is_loop || c.passed) return;
    c.passed = true;
    info_.flags_[c.inst.index] |= DivergenceInfo::kDivergentExit;
    MarkJumps(c.jumps_begin, c.jumps_end, c.depth - 1);
  }

  void ContinueDiverges(uint32_t j, uint32_t index) {
    Construct& c = constructs_[index];
    info_.flags_[c.inst.index] |= DivergenceInfo::kDivergentContinue;
    if (!c.continue_merge_done) {
      c.continue_merge_done = true;
      const std::vector<ValueId>& params = m_.blocks[m_.regions(c.inst)[1]].params;
      for (size_t i = 0; i < params.size(); ++i) {
        if (!AllBring(c.continues, i, kNone)) Mark(params[i]);
      }
    }
    SplitFrom(index, j, c.body_jumps_end, c.depth);
  }

  void ExitDiverges(uint32_t j, uint32_t index) {
    Construct& c = constructs_[index];
    if (!c.merge_done) {
      c.merge_done = true;
      MergeDiffers(c);
    }
    if (!c.inst.has_value()) return;  // nothing is outside of a function
    if (!c.is_loop) return SplitFrom(index, j, c.jumps_end, c.depth - 1);
    info_.flags_[c.inst.index] |= DivergenceInfo::kDivergentExit;
    if (c.exits_split) return;
    c.exits_split = true;
    // `continue`s are run by all lanes that are still in the loop: only jumps that leave it.
    MarkJumps(c.jumps_begin, c.jumps_end, c.depth - 1);
    MarkExits(index);
  }

  void MarkExits(uint32_t index) {
    const std::vector<uint32_t> exits = constructs_[index].exits;
    for (const uint32_t j : exits) MarkJumps(j, j + 1, constructs_[index].depth);
  }

  // Jumps after `j`, up to `end`: they are run without the lanes that took `j`.
  void SplitFrom(uint32_t index, uint32_t j, uint32_t end, uint32_t depth) {
    Construct& c = constructs_[index];
    const uint32_t until = std::min(c.split_from, end);
    if (j >= until) return;
    c.split_from = j;
    MarkJumps(j + 1, until, depth);
  }

  void MergeDiffers(const Construct& c) {
    // Lanes may meet here after different passes through a loop: then one exit brings many values.
    const bool temporal = c.is_loop || c.passes_loop;
    if (!c.inst.has_value()) {
      const bool valued = m_.functions[c.function].result != m_.types.Void();
      if (valued && !AllBring(c.exits, 0, temporal ? c.order : kNone)) FunctionResultDiffers(c.function);
      return;
    }
    const auto results = m_.results(c.inst);
    for (size_t i = 0; i < results.size(); ++i) {
      if (!AllBring(c.exits, i, temporal ? c.order : kNone)) Mark(results[i]);
    }
  }

  // The jumps all bring one value as operand i, made before `order` in the text (kNone: anywhere).
  bool AllBring(const std::vector<uint32_t>& jumps, size_t i, uint32_t order) const {
    const ValueId first = m_.operands(jumps_[jumps[0]].inst)[i];
    if (order != kNone && order_[first.index] > order) return false;
    return std::all_of(jumps.begin(), jumps.end(),
                       [&](uint32_t j) { return m_.operands(jumps_[j].inst)[i] == first; });
  }

  const Module& m_;
  DivergenceInfo info_;
  std::vector<uint32_t> order_;  // by value: where it is made in the text
  uint32_t next_order_ = 1;
  std::vector<Construct> constructs_;
  std::vector<uint32_t> construct_of_;         // by instruction; of a return, its function's
  std::vector<uint32_t> function_constructs_;  // by function
  std::vector<Jump> jumps_;
  std::vector<std::vector<InstId>> calls_;  // by callee
  std::vector<uint32_t> use_begin_;
  std::vector<InstId> uses_;
  std::vector<ValueId> work_;
  std::vector<uint32_t> pending_;  // jumps found divergent whose consequences are still to be drawn
  bool settling_ = false;
};

DivergenceInfo AnalyzeDivergence(const Module& module) { return DivergenceAnalysis(module).Run(); }

}  // namespace lockstep::ir
