// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/transform/robustness.h"

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ir/analysis/calls.h"
#include "ir/analysis/ranges.h"
#include "ir/builder.h"
#include "ir/transform/rewrite.h"
#include "support/check.h"

namespace lockstep::ir {
namespace {

class State {
 public:
  explicit State(Module& module)
      : m_(module),
        ranges_(AnalyzeRanges(module)),
        every_lane_(AnalyzeRangesInEveryLane(module, AnalyzeDivergence(module))) {}

  void Run() {
    const std::vector<FunctionId> callees_first = CalleesFirst(m_);
    guarded_.assign(m_.insts.size(), false);
    for (const FunctionId f : callees_first) FindGuarded(m_.functions[f].body);
    // Callers first: whether a function's pointers may be out of range is known when it is visited.
    for (size_t i = callees_first.size(); i-- > 0;) {
      lengths_.clear();
      head_.clear();
      AddFlags(callees_first[i]);
      const BlockId body = m_.functions[callees_first[i]].body;
      VisitBlock(body);
      std::vector<InstId>& insts = m_.blocks[body].insts;
      insts.insert(insts.begin(), head_.begin(), head_.end());
    }
  }

 private:
  struct Length {
    ValueId count;  // elements
    ValueId last;   // count - 1
  };

  // Accesses and parameters that something with a guard uses, through other accesses and calls too. Uses come
  // after what they use.
  void FindGuarded(BlockId body) {
    std::vector<InstId> order;
    ForEachInst(m_, body, [&](InstId id) { order.push_back(id); });
    for (size_t i = order.size(); i-- > 0;) {
      const Op op = m_.insts[order[i]].op;
      if (op == Op::kCall) {
        const std::vector<ValueId>& params = m_.functions[FunctionId(m_.insts[order[i]].imm)].params;
        for (size_t p = 0; p < params.size(); ++p) {
          if (guarded_params_.count(params[p]) != 0) NeedsGuard(m_.operands(order[i])[p]);
        }
        continue;
      }
      const bool writes = IsGuardable(op);
      if (writes || (op == Op::kAccess && guarded_[order[i].index])) NeedsGuard(m_.operands(order[i])[0]);
    }
  }
  // Writes through its first operand, or may like an atomic load do nothing.
  static bool IsGuardable(Op op) { return GuardPosition(op).has_value() || op == Op::kZeroFill; }
  void NeedsGuard(ValueId pointer) {
    const InstId def = m_.defining_inst(pointer);
    if (def.has_value()) guarded_[def.index] = true;
    if (m_.value(pointer).kind == ValueKind::kFunctionParam) guarded_params_.insert(pointer);
  }

  // --- calls ---

  // What is known of the pointers that a call passes, by parameter; None: in range.
  struct CallGuards {
    InstId call;
    std::vector<ValueId> guards;
  };

  void VisitCall(InstId id) {
    const FunctionId callee(m_.insts[id].imm);
    const std::vector<ValueId>& params = m_.functions[callee].params;
    CallGuards row{id, std::vector<ValueId>(params.size(), ValueId::None())};
    for (size_t i = 0; i < params.size(); ++i) {
      if (guarded_params_.count(params[i]) != 0) row.guards[i] = GuardOf(m_.operands(id)[i]);
    }
    calls_[callee].push_back(std::move(row));
  }

  // Adds the parameters that tell whether pointers are in range. All calls of the function have been visited.
  void AddFlags(FunctionId f) {
    const auto calls = calls_.find(f);
    if (calls == calls_.end()) return;
    const std::vector<ValueId> params = m_.functions[f].params;
    for (size_t i = 0; i < params.size(); ++i) {
      bool needed = false;
      for (const CallGuards& row : calls->second) needed |= row.guards[i].has_value();
      if (!needed) continue;
      const ValueId flag = m_.AddFunctionParam(f, m_.types.Bool());
      const std::string_view name = m_.name_of(params[i]);
      if (!name.empty()) m_.set_name(flag, std::string(name) + "_in");
      guards_[params[i]] = flag;
      for (const CallGuards& row : calls->second) {
        std::vector<ValueId> operands(m_.operands(row.call).begin(), m_.operands(row.call).end());
        operands.push_back(row.guards[i].has_value() ? row.guards[i] : m_.ConstantBool(true));
        m_.SetOperands(row.call, operands);
      }
    }
  }

  void VisitBlock(BlockId block) {
    const std::vector<InstId> old = std::move(m_.blocks[block].insts);
    m_.blocks[block].insts.clear();
    for (const InstId id : old) {
      Builder b(&m_, block);
      b.set_span(m_.span(id));
      const Op op = m_.insts[id].op;
      if (op == Op::kAccess) VisitAccess(id, b);
      if (op == Op::kCall) VisitCall(id);
      const ValueId guard = IsGuardable(op) ? GuardOf(m_.operands(id)[0]) : ValueId::None();
      if (guard.has_value()) {
        AppendGuarded(b, id, guard);
        continue;
      }
      m_.blocks[block].insts.push_back(id);
      for (size_t r = 0; r < m_.regions(id).size(); ++r) VisitBlock(m_.regions(id)[r]);
    }
  }

  // --- accesses ---

  void VisitAccess(InstId id, Builder& b) {
    std::vector<ValueId> operands(m_.operands(id).begin(), m_.operands(id).end());
    TypeId type = m_.types.Pointee(m_.type_of(operands[0]));
    ValueId guard = GuardOf(operands[0]);
    for (uint32_t i = 1; i < operands.size(); ++i) {
      uint32_t part = 0;
      const bool constant = m_.ConstantScalar(operands[i], &part);
      const bool is_struct = m_.types[type].kind == TypeKind::kStruct;
      if (!is_struct && !IsInRange(every_lane_, id, i, type)) {
        const ValueId index = b.Bitcast(m_.types.U32(), operands[i]);
        const Length length = LengthAt(type, operands, i, b);
        const bool needs_guard = IsGuarded(id) && !IsInRange(ranges_, id, i, type);
        if (needs_guard) guard = And(guard, b.Lt(index, length.count), b);
        operands[i] = b.Min(index, length.last);
      }
      type = m_.types.PartType(type, is_struct && constant ? part : 0);
    }
    m_.SetOperands(id, operands);
    if (guard.has_value()) guards_[m_.result(id)] = guard;
  }

  bool IsGuarded(InstId id) const { return id.index < guarded_.size() && guarded_[id.index]; }

  bool IsInRange(const RangeInfo& ranges, InstId id, uint32_t i, TypeId type) const {
    const uint32_t highest = ranges.OfIndex(id, i).umax;
    // A bound runtime array has one element at least.
    if (m_.types[type].kind == TypeKind::kRuntimeArray) return highest == 0 || ranges.BelowArrayLength(id, i);
    return highest < m_.types.PartCount(type);
  }

  // The length of what operand i of an access indexes.
  Length LengthAt(TypeId type, const std::vector<ValueId>& operands, uint32_t i, Builder& b) {
    if (m_.types[type].kind != TypeKind::kRuntimeArray) {
      const uint32_t count = m_.types.PartCount(type);
      return {m_.ConstantU32(count), m_.ConstantU32(count - 1)};
    }
    const VariableId root = RootVariable(m_, operands[0]);
    if (root.has_value()) return LengthOfVariable(root);
    const ValueId array = b.Access(operands[0], std::span<const ValueId>(operands).subspan(1, i - 1));
    const ValueId count = b.ArrayLength(array);
    return {count, b.Sub(count, b.U32(1))};
  }

  // A variable has one runtime array: it is one, or its last member is.
  Length LengthOfVariable(VariableId root) {
    const auto it = lengths_.find(root);
    if (it != lengths_.end()) return it->second;
    const BlockId scratch = m_.AddBlock();
    Builder b(&m_, scratch);
    ValueId array = m_.variable_value(root);
    while (m_.types[m_.types.Pointee(m_.type_of(array))].kind == TypeKind::kStruct) {
      array = b.Access(array, {b.U32(m_.types.PartCount(m_.types.Pointee(m_.type_of(array))) - 1)});
    }
    const ValueId count = b.ArrayLength(array);
    const Length length{count, b.Sub(count, b.U32(1))};
    head_.insert(head_.end(), m_.blocks[scratch].insts.begin(), m_.blocks[scratch].insts.end());
    lengths_[root] = length;
    return length;
  }

  // --- guards ---

  ValueId GuardOf(ValueId pointer) const {
    const auto it = guards_.find(pointer);
    return it == guards_.end() ? ValueId::None() : it->second;
  }

  static ValueId And(ValueId a, ValueId b, Builder& builder) { return a.has_value() ? builder.And(a, b) : b; }

  Module& m_;
  const RangeInfo ranges_;      // where the access is run
  const RangeInfo every_lane_;  // and in lanes that are not active: their loads run too
  std::unordered_map<ValueId, ValueId, IdHash> guards_;                    // by pointer: it is the one meant
  std::unordered_map<FunctionId, std::vector<CallGuards>, IdHash> calls_;  // by callee
  std::unordered_set<ValueId, IdHash> guarded_params_;                     // written through
  std::unordered_map<VariableId, Length, IdHash> lengths_;                 // of the function at hand
  std::vector<InstId> head_;                                               // what goes to the function's top
  std::vector<bool> guarded_;                                              // by instruction
};

}  // namespace

void MakeAccessRobust(Module& module) { State(module).Run(); }

}  // namespace lockstep::ir
