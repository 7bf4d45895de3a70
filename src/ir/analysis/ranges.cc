// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/analysis/ranges.h"

#include <algorithm>

#include "ir/analysis/range_arith.h"
#include "support/check.h"

namespace lockstep::ir {

Range RangeInfo::OfIndex(InstId access, uint32_t operand) const {
  const auto it = indices_.find(Key(access, operand));
  return it == indices_.end() ? Range() : it->second;
}

VariableId RootVariable(const Module& m, ValueId pointer) {
  while (true) {
    const Value& v = m.value(pointer);
    if (v.kind == ValueKind::kVariable) return VariableId(v.owner);
    if (v.kind != ValueKind::kResult || m.insts[InstId(v.owner)].op != Op::kAccess) return VariableId::None();
    pointer = m.operands(InstId(v.owner))[0];
  }
}

class RangeAnalysis {
 public:
  RangeAnalysis(const Module& module, const DivergenceInfo* every_lane)
      : m_(module), t_(module.types), every_lane_(every_lane) {
    info_.ranges_.assign(m_.value_count(), Range());
    order_.assign(m_.value_count(), 0);
    continue_count_.assign(m_.insts.size(), 0);
  }

  RangeInfo Run() {
    for (const Function& f : m_.functions) {
      ForEachInst(m_, f.body, [&](InstId id) {
        if (m_.insts[id].op == Op::kContinue) ++continue_count_[m_.insts[id].imm];
      });
      VisitBlock(f.body);
    }
    return std::move(info_);
  }

 private:
  struct Bound {  // value < length of the runtime array of `root`
    ValueId value;
    VariableId root;
  };

  // --- facts ---

  bool IsTracked(ValueId v) const {
    const TypeId type = m_.type_of(v);
    return type == t_.U32() || type == t_.I32();
  }

  // What is known of the value at this place of the walk.
  Range Get(ValueId v) const {
    uint32_t bits = 0;
    if (m_.ConstantScalar(v, &bits)) return Range::Exactly(bits);
    return info_.ranges_[v.index];
  }

  void Set(ValueId v, Range r) {
    if (IsTracked(v)) info_.ranges_[v.index] = r.empty() ? Range() : r;
  }

  // What control flow says about the value may be relied on.
  bool Holds(ValueId v) const { return every_lane_ == nullptr || every_lane_->IsUniform(v); }

  void NarrowTo(ValueId v, const Range& r) {
    if (!IsTracked(v) || m_.is_constant(v) || r == info_.ranges_[v.index]) return;
    undo_.push_back({v, info_.ranges_[v.index]});
    // An empty interval: the place is not reached. Any answer will do.
    if (!r.empty()) info_.ranges_[v.index] = r;
  }

  struct Mark {
    size_t undo, bounds;
  };
  Mark Save() const { return {undo_.size(), bounds_.size()}; }
  void Restore(Mark mark) {
    for (; undo_.size() > mark.undo; undo_.pop_back())
      info_.ranges_[undo_.back().first.index] = undo_.back().second;
    bounds_.resize(mark.bounds);
  }

  // Narrows by what follows from `condition` being `holds`.
  void Assume(ValueId condition, bool holds, uint32_t depth = 0) {
    if (!Holds(condition)) return;
    const InstId id = m_.defining_inst(condition);
    if (!id.has_value() || depth > 16) return;
    const Op op = m_.insts[id].op;
    const auto operands = m_.operands(id);
    if (op == Op::kNot) return Assume(operands[0], !holds, depth + 1);
    if ((op == Op::kAnd && holds) || (op == Op::kOr && !holds)) {
      Assume(operands[0], holds, depth + 1);
      return Assume(operands[1], holds, depth + 1);
    }
    if (KindOf(op) != OpKind::kCompare || !IsTracked(operands[0])) return;
    const Op real = holds ? op : Inverse(op);
    const bool is_signed = t_.IsSigned(m_.type_of(operands[0]));
    const Range a = Get(operands[0]);
    const Range b = Get(operands[1]);
    NarrowTo(operands[0], Narrow(real, is_signed, a, b));
    NarrowTo(operands[1], Narrow(Swapped(real), is_signed, b, a));
    if (is_signed) return;
    if (real == Op::kLt) AddBound(operands[0], operands[1]);
    if (real == Op::kGt) AddBound(operands[1], operands[0]);
  }

  void AddBound(ValueId value, ValueId length) {
    const VariableId root = LengthOf(length);
    if (root.has_value()) bounds_.push_back({value, root});
  }

  // The variable whose runtime array's length the value is, None for other values.
  VariableId LengthOf(ValueId v) const {
    const InstId id = m_.defining_inst(v);
    if (!id.has_value() || m_.insts[id].op != Op::kArrayLength) return VariableId::None();
    return RootVariable(m_, m_.operands(id)[0]);
  }

  static Op Inverse(Op op) {
    if (op == Op::kLt) return Op::kGe;
    if (op == Op::kLe) return Op::kGt;
    if (op == Op::kGt) return Op::kLe;
    if (op == Op::kGe) return Op::kLt;
    return op == Op::kEq ? Op::kNe : Op::kEq;
  }
  static Op Swapped(Op op) {
    if (op == Op::kLt) return Op::kGt;
    if (op == Op::kLe) return Op::kGe;
    if (op == Op::kGt) return Op::kLt;
    if (op == Op::kGe) return Op::kLe;
    return op;
  }

  // --- the walk ---

  void VisitBlock(BlockId block) {
    const Mark mark = Save();
    for (const ValueId p : m_.blocks[block].params) order_[p.index] = next_order_++;
    for (const InstId id : m_.blocks[block].insts) {
      const uint32_t order = next_order_++;
      for (const ValueId r : m_.results(id)) order_[r.index] = order;
      VisitInst(id);
    }
    Restore(mark);
  }

  void VisitInst(InstId id) {
    const Inst& inst = m_.insts[id];
    switch (KindOf(inst.op)) {
      case OpKind::kUnary:
      case OpKind::kBinary:
        return VisitArithmetic(id);
      case OpKind::kValue:
        return VisitValue(id);
      case OpKind::kMemory:
        if (inst.op == Op::kAccess) RecordAccess(id);
        if (inst.op == Op::kArrayLength) VisitArrayLength(id);
        return;
      case OpKind::kControl:
        return VisitControl(id);
      case OpKind::kExit:
        return VisitJump(id);
      case OpKind::kCompare:
      case OpKind::kTernary:
      case OpKind::kLanes:
        return;
    }
  }

  void VisitArithmetic(InstId id) {
    const ValueId result = m_.result(id);
    if (!IsTracked(result)) return;
    const auto operands = m_.operands(id);
    const bool is_signed = t_.IsSigned(m_.type_of(result));
    const Op op = m_.insts[id].op;
    Set(result, operands.size() == 1 ? EvaluateRange(op, is_signed, Get(operands[0]))
                                     : EvaluateRange(op, is_signed, Get(operands[0]), Get(operands[1])));
  }

  void VisitValue(InstId id) {
    const Inst& inst = m_.insts[id];
    if (m_.results(id).empty()) return;
    const ValueId result = m_.result(id);
    if (!IsTracked(result)) return;
    const auto operands = m_.operands(id);
    if (inst.op == Op::kSelect) {
      Set(result, Join(Get(operands[1]), Get(operands[2])));
    } else if (inst.op == Op::kBitcast && IsTracked(operands[0])) {
      Set(result, Get(operands[0]));
    } else if (inst.op == Op::kConvert) {
      if (IsTracked(operands[0])) Set(result, Get(operands[0]));
      if (m_.type_of(operands[0]) == t_.Bool()) Set(result, Range::Unsigned(0, 1));
    } else if (inst.op == Op::kBuiltinInput) {
      if (static_cast<Builtin>(inst.imm) == Builtin::kLocalInvocationIndex) {
        Set(result, Range::Unsigned(0, m_.invocations() - 1));
      }
    } else if (inst.op == Op::kExtract) {
      const InstId from = m_.defining_inst(operands[0]);
      if (from.has_value() && m_.insts[from].op == Op::kBuiltinInput &&
          static_cast<Builtin>(m_.insts[from].imm) == Builtin::kLocalInvocationId) {
        Set(result, Range::Unsigned(0, m_.workgroup_size[inst.imm] - 1));
      }
      if (from.has_value() && m_.insts[from].op == Op::kBuiltinInput &&
          static_cast<Builtin>(m_.insts[from].imm) == Builtin::kWorkgroupId) {
        Set(result, Range::Unsigned(0, kMaxWorkgroupsPerDimension - 1));
      }
    }
  }

  // Buffers have fewer than 2^32 bytes.
  void VisitArrayLength(InstId id) {
    const TypeId array = t_.Pointee(m_.type_of(m_.operands(id)[0]));
    if (t_[array].stride != 0)
      Set(m_.result(id), Range::Unsigned(0, std::numeric_limits<uint32_t>::max() / t_[array].stride));
  }

  void RecordAccess(InstId id) {
    const auto operands = m_.operands(id);
    for (uint32_t i = 1; i < operands.size(); ++i) {
      const uint64_t key = RangeInfo::Key(id, i);
      info_.indices_[key] = Get(operands[i]);
      const VariableId root = RootVariable(m_, operands[0]);
      for (const Bound& b : bounds_) {
        if (b.value == operands[i] && b.root == root) info_.below_length_[key] = true;
      }
    }
  }

  void VisitControl(InstId id) {
    // Results gather what exits bring: nothing so far.
    for (const ValueId r : m_.results(id)) info_.ranges_[r.index] = Range::Unsigned(1, 0);
    const Op op = m_.insts[id].op;
    if (op == Op::kLoop) {
      VisitLoop(id);
    } else {
      VisitBranches(id);
    }
    for (const ValueId r : m_.results(id)) {
      if (info_.ranges_[r.index].empty() || !IsTracked(r) || !Holds(r)) info_.ranges_[r.index] = Range();
    }
  }

  void VisitBranches(InstId id) {
    const bool is_if = m_.insts[id].op == Op::kIf;
    const ValueId condition = m_.operands(id)[0];
    for (size_t i = 0; i < m_.regions(id).size(); ++i) {
      const Mark mark = Save();
      if (is_if) Assume(condition, i == 0);
      VisitBlock(m_.regions(id)[i]);
      Restore(mark);
    }
    if (!is_if) return;
    // What the one arm that comes back knew holds after it, to the end of the block.
    const bool then_returns = ExitsTo(m_.regions(id)[0], id);
    const bool else_returns = ExitsTo(m_.regions(id)[1], id);
    if (then_returns != else_returns) Assume(condition, then_returns);
  }

  bool ExitsTo(BlockId block, InstId target) const {
    bool found = false;
    ForEachInst(m_, block, [&](InstId id) {
      found |= m_.insts[id].op == Op::kExit && m_.insts[id].imm == target.index;
    });
    return found;
  }

  void VisitJump(InstId id) {
    const Inst& inst = m_.insts[id];
    const auto operands = m_.operands(id);
    if (inst.op == Op::kExit) {
      const auto results = m_.results(InstId(inst.imm));
      for (size_t i = 0; i < operands.size(); ++i) Gather(results[i], operands[i]);
    } else if (inst.op == Op::kContinue) {
      const std::vector<ValueId>& params = m_.blocks[m_.regions(InstId(inst.imm))[1]].params;
      for (size_t i = 0; i < operands.size(); ++i) Gather(params[i], operands[i]);
    }
  }

  void Gather(ValueId to, ValueId from) {
    if (IsTracked(to)) info_.ranges_[to.index] = Join(info_.ranges_[to.index], Get(from));
  }

  // --- loops ---

  void VisitLoop(InstId id) {
    const std::vector<ValueId>& params = m_.blocks[m_.regions(id)[0]].params;
    const std::vector<ValueId>& passed = m_.blocks[m_.regions(id)[1]].params;
    for (const ValueId p : passed) info_.ranges_[p.index] = Range::Unsigned(1, 0);
    for (uint32_t i = 0; i < params.size(); ++i) Set(params[i], HeadRange(id, i));
    VisitBlock(m_.regions(id)[0]);
    for (const ValueId p : passed) {
      if (info_.ranges_[p.index].empty() || !IsTracked(p) || !Holds(p)) info_.ranges_[p.index] = Range();
    }
    VisitBlock(m_.regions(id)[1]);
  }

  // Parameter i of the loop's body: what it starts with, joined with what the step makes of what passes the
  // test.
  Range HeadRange(InstId loop, uint32_t i) {
    const ValueId param = m_.blocks[m_.regions(loop)[0]].params[i];
    if (!IsTracked(param) || !Holds(param)) return Range();
    const Range initial = Get(m_.operands(loop)[i]);
    const InstId step = StepOf(loop, i, param);
    if (!step.has_value()) return IsUnchanged(loop, i, param) ? initial : Range();
    const Op op = m_.insts[step].op;
    const bool is_signed = t_.IsSigned(m_.type_of(param));
    const Range by = Get(m_.operands(step)[1]);
    // With nothing known but the test; and once more with what the direction of the step tells.
    Range guess = Join(
        initial,
        EvaluateRange(op, is_signed, AfterTest(loop, param, FromDirection(op, is_signed, initial, by)), by));
    if (!IsInductive(loop, param, step, guess)) return Range();
    return guess;
  }

  bool IsInductive(InstId loop, ValueId param, InstId step, const Range& guess) {
    const bool is_signed = t_.IsSigned(m_.type_of(param));
    const Range next =
        EvaluateRange(m_.insts[step].op, is_signed, AfterTest(loop, param, guess), Get(m_.operands(step)[1]));
    return Contains(guess, next);
  }

  // A counter that only grows stays above its start unless it wraps; IsInductive refuses those that may.
  static Range FromDirection(Op op, bool is_signed, const Range& initial, const Range& by) {
    const bool down = op == Op::kShr || op == Op::kDiv || op == Op::kSub || op == Op::kMin ||
                      op == Op::kAnd || op == Op::kRem || (op == Op::kAdd && is_signed && by.smax < 0);
    if (is_signed) {
      if (down) return Range::Signed(std::numeric_limits<int32_t>::min(), initial.smax);
      return Range::Signed(initial.smin, std::numeric_limits<int32_t>::max());
    }
    return down ? Range::Unsigned(0, initial.umax) : Range::Unsigned(initial.umin, 0xffffffffu);
  }

  // The instruction `next = op(param, b)`, b made outside of the loop, that gives the parameter its next
  // value.
  InstId StepOf(InstId loop, uint32_t i, ValueId param) const {
    const InstId none = InstId::None();
    const InstId end = m_.terminator(m_.regions(loop)[1]);
    if (m_.insts[end].op != Op::kNext) return none;
    const InstId step = m_.defining_inst(ThroughContinues(loop, m_.operands(end)[i]));
    if (!step.has_value() || KindOf(m_.insts[step].op) != OpKind::kBinary) return none;
    const auto operands = m_.operands(step);
    if (ThroughContinues(loop, operands[0]) != param || !IsTracked(operands[0])) return none;
    return IsOutside(loop, operands[1]) ? step : none;
  }

  bool IsUnchanged(InstId loop, uint32_t i, ValueId param) const {
    const InstId end = m_.terminator(m_.regions(loop)[1]);
    return m_.insts[end].op == Op::kUnreachable ||
           (m_.insts[end].op == Op::kNext && ThroughContinues(loop, m_.operands(end)[i]) == param);
  }

  // A parameter of the continuing block that all continues give one value stands for that.
  ValueId ThroughContinues(InstId loop, ValueId v) const {
    const Value& value = m_.value(v);
    const BlockId continuing = m_.regions(loop)[1];
    if (value.kind != ValueKind::kBlockParam || value.owner != continuing.index) return v;
    // Only the usual one continue at the body's end is looked through.
    const InstId end = m_.terminator(m_.regions(loop)[0]);
    if (continue_count_[loop.index] != 1 || m_.insts[end].op != Op::kContinue ||
        m_.insts[end].imm != loop.index)
      return v;
    return m_.operands(end)[value.number];
  }

  // Values made before the loop; HeadRange runs before anything in the loop is numbered.
  bool IsOutside(InstId loop, ValueId v) const {
    (void)loop;
    const Value& value = m_.value(v);
    return value.kind == ValueKind::kConstant || value.kind == ValueKind::kFunctionParam ||
           order_[v.index] != 0;
  }

  // `range` narrowed by the tests that every pass goes through before it can continue: ifs of the body's own
  // block, one arm of which leaves, that stand before any `continue`.
  Range AfterTest(InstId loop, ValueId param, Range range) const {
    for (const InstId id : m_.blocks[m_.regions(loop)[0]].insts) {
      if (m_.insts[id].op != Op::kIf) {
        if (HoldsContinue(id, loop)) break;
        continue;
      }
      if (HoldsContinue(id, loop)) break;
      const bool then_returns = ExitsTo(m_.regions(id)[0], id);
      const bool else_returns = ExitsTo(m_.regions(id)[1], id);
      if (then_returns != else_returns)
        range = NarrowByTest(m_.operands(id)[0], then_returns, param, range, 0);
    }
    return range;
  }

  bool HoldsContinue(InstId id, InstId loop) const {
    bool found = false;
    for (const BlockId region : m_.regions(id)) {
      ForEachInst(m_, region, [&](InstId inner) {
        found |= m_.insts[inner].op == Op::kContinue && m_.insts[inner].imm == loop.index;
      });
    }
    return found;
  }

  Range NarrowByTest(ValueId condition, bool holds, ValueId param, Range range, uint32_t depth) const {
    const InstId id = m_.defining_inst(condition);
    if (!id.has_value() || depth > 16 || !Holds(condition)) return range;
    const Op op = m_.insts[id].op;
    const auto operands = m_.operands(id);
    if (op == Op::kNot) return NarrowByTest(operands[0], !holds, param, range, depth + 1);
    if ((op == Op::kAnd && holds) || (op == Op::kOr && !holds)) {
      range = NarrowByTest(operands[0], holds, param, range, depth + 1);
      return NarrowByTest(operands[1], holds, param, range, depth + 1);
    }
    if (KindOf(op) != OpKind::kCompare || (operands[0] != param && operands[1] != param)) return range;
    const bool is_signed = t_.IsSigned(m_.type_of(param));
    const bool left = operands[0] == param;
    const ValueId other = operands[left ? 1 : 0];
    // Bounds made in the loop are not known yet.
    const Range bound = m_.is_constant(other) || order_[other.index] != 0 ? Get(other) : Range();
    const Op real = holds ? op : Inverse(op);
    const Range narrowed = Narrow(left ? real : Swapped(real), is_signed, range, bound);
    return narrowed.empty() ? range : narrowed;
  }

  const Module& m_;
  const TypeTable& t_;
  const DivergenceInfo* every_lane_;  // set: only facts that hold in lanes that are not active
  RangeInfo info_;
  std::vector<uint32_t> order_;  // by value: when the walk came to it, 0 where it has not
  uint32_t next_order_ = 1;
  std::vector<uint32_t> continue_count_;  // by loop
  std::vector<std::pair<ValueId, Range>> undo_;
  std::vector<Bound> bounds_;
};

RangeInfo AnalyzeRanges(const Module& module) { return RangeAnalysis(module, nullptr).Run(); }
RangeInfo AnalyzeRangesInEveryLane(const Module& module, const DivergenceInfo& divergence) {
  return RangeAnalysis(module, &divergence).Run();
}

}  // namespace lockstep::ir
