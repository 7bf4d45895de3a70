// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/transform/if_conversion.h"

#include <algorithm>
#include <vector>

#include "ir/analysis/ranges.h"
#include "ir/builder.h"
#include "ir/transform/rewrite.h"

namespace lockstep::ir {
namespace {

// What both arms together may cost, in the price of an addition of one component.
constexpr uint32_t kBudget = 24;

class State {
 public:
  explicit State(Module& module) : m_(module) {}

  bool Run() {
    inside_.assign(m_.insts.size(), 0);
    for (uint32_t i = 0; i < m_.functions.size(); ++i) Walk(m_.functions[FunctionId(i)].body);
    return changed_;
  }

 private:
  // Inner ifs first: what they become may make the outer one cheap.
  void Walk(BlockId block) {
    const std::vector<InstId> old = std::move(m_.blocks[block].insts);
    m_.blocks[block].insts.clear();
    for (const InstId id : old) {
      replacements_.ApplyTo(m_, id);
      for (size_t r = 0; r < m_.regions(id).size(); ++r) Walk(m_.regions(id)[r]);
      if (m_.insts[id].op == Op::kIf && IsConvertible(id)) {
        Convert(id, block);
      } else {
        m_.blocks[block].insts.push_back(id);
      }
    }
  }

  bool IsConvertible(InstId id) {
    uint32_t cost = 0;
    ++stamp_;
    for (const BlockId region : m_.regions(id)) {
      const std::vector<InstId>& insts = m_.blocks[region].insts;
      const Inst& end = m_.insts[insts.back()];
      if (end.op != Op::kExit || end.imm != id.index) return false;
      for (size_t i = 0; i + 1 < insts.size(); ++i) {
        if (!CanSpeculate(insts[i])) return false;
        if (insts[i].index >= inside_.size()) inside_.resize(m_.insts.size(), 0);  // a select made here
        inside_[insts[i].index] = stamp_;
        cost += CostOf(insts[i]);
        if (cost > kBudget) return false;
      }
    }
    for (const ValueId r : m_.results(id)) {
      if (m_.types.IsPointer(m_.type_of(r))) return false;
      cost += m_.types.ScalarCount(m_.type_of(r));
    }
    return cost <= kBudget;
  }

  bool CanSpeculate(InstId id) const {
    const Inst& inst = m_.insts[id];
    if (KindOf(inst.op) == OpKind::kLanes) return false;
    if (EffectOf(inst.op) == Effect::kPure) return true;
    return inst.op == Op::kLoad && IsGoodAddress(m_.operands(id)[0]);
  }

  bool IsGoodAddress(ValueId pointer) const {
    const InstId id = m_.defining_inst(pointer);
    if (!id.has_value() || id.index >= inside_.size() || inside_[id.index] != stamp_)
      return true;  // formed outside
    if (m_.insts[id].op != Op::kAccess) return false;
    const auto operands = m_.operands(id);
    TypeId type = m_.types.Pointee(m_.type_of(operands[0]));
    for (size_t i = 1; i < operands.size(); ++i) {
      uint32_t part = 0;
      const bool is_struct = m_.types[type].kind == TypeKind::kStruct;
      const bool constant = m_.ConstantScalar(operands[i], &part);
      if (!is_struct && !IsClamped(operands[i], type, operands[0])) return false;
      type = m_.types.PartType(type, is_struct && constant ? part : 0);
    }
    return IsGoodAddress(operands[0]);
  }

  // A constant in range, or min(x, n - 1), as robustness makes it.
  bool IsClamped(ValueId index, TypeId type, ValueId pointer) const {
    const bool runtime = m_.types[type].kind == TypeKind::kRuntimeArray;
    uint32_t bits = 0;
    if (m_.ConstantScalar(index, &bits)) return runtime ? bits == 0 : bits < m_.types.PartCount(type);
    const InstId min = m_.defining_inst(index);
    if (!min.has_value() || m_.insts[min].op != Op::kMin || !m_.types.IsUnsigned(m_.type_of(index)))
      return false;
    const ValueId last = m_.operands(min)[1];
    if (!runtime) return m_.ConstantScalar(last, &bits) && bits < m_.types.PartCount(type);
    return IsLastOf(last, RootVariable(m_, pointer));
  }

  // array_length - 1 of the variable's runtime array; fold writes that as adding -1 or subtracting 1.
  bool IsLastOf(ValueId v, VariableId root) const {
    const InstId id = m_.defining_inst(v);
    uint32_t by = 0;
    if (!root.has_value() || !id.has_value() || m_.insts[id].op != Op::kSub) return false;
    if (!m_.ConstantScalar(m_.operands(id)[1], &by) || by != 1) return false;
    const InstId length = m_.defining_inst(m_.operands(id)[0]);
    return length.has_value() && m_.insts[length].op == Op::kArrayLength &&
           RootVariable(m_, m_.operands(length)[0]) == root;
  }

  uint32_t CostOf(InstId id) const {
    const Inst& inst = m_.insts[id];
    if (m_.results(id).empty()) return 0;
    const TypeId type = m_.type_of(m_.result(id));
    const uint32_t scalars = m_.types.IsPointer(type) ? 1 : std::min(m_.types.ScalarCount(type), kBudget);
    const Op op = inst.op;
    const bool moves = op == Op::kExtract || op == Op::kConstruct || op == Op::kSplat || op == Op::kSwizzle ||
                       op == Op::kInsert || op == Op::kBitcast || op == Op::kBuiltinInput;
    if (moves) return 0;
    if (op == Op::kDiv || op == Op::kRem) return (m_.types.IsFloat(type) ? 5 : 12) * scalars;
    if (op == Op::kSqrt) return 6 * scalars;
    if (op == Op::kLoad) return 4 * scalars;
    if (op == Op::kExtractDynamic) return m_.types.ScalarCount(m_.type_of(m_.operands(id)[0]));
    // Approximate functions become many instructions (expand_math).
    return op >= Op::kInverseSqrt && op <= Op::kPow ? kBudget : scalars;
  }

  void Convert(InstId id, BlockId block) {
    std::vector<ValueId> chosen[2];
    for (size_t r = 0; r < 2; ++r) {
      const std::vector<InstId> insts = m_.blocks[m_.regions(id)[r]].insts;
      m_.blocks[block].insts.insert(m_.blocks[block].insts.end(), insts.begin(), insts.end() - 1);
      for (const ValueId v : m_.operands(insts.back())) chosen[r].push_back(v);
    }
    Builder b(&m_, block);
    b.set_span(m_.span(id));
    const ValueId condition = m_.operands(id)[0];
    for (uint32_t i = 0; i < chosen[0].size(); ++i) {
      const ValueId old = m_.result(id, i);
      const ValueId value =
          chosen[0][i] == chosen[1][i] ? chosen[0][i] : b.Select(condition, chosen[0][i], chosen[1][i]);
      if (!m_.is_constant(value) && m_.name_of(value).empty())
        m_.set_name(value, std::string(m_.name_of(old)));
      replacements_.Replace(old, value);
    }
    changed_ = true;
  }

  Module& m_;
  Replacements replacements_;
  std::vector<uint32_t> inside_;  // by instruction: the stamp of the if that it was seen in
  uint32_t stamp_ = 0;
  bool changed_ = false;
};

}  // namespace

bool ConvertIfs(Module& module) { return State(module).Run(); }

}  // namespace lockstep::ir
