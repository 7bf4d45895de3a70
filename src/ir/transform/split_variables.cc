// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/transform/split_variables.h"

#include <fmt/format.h>

#include <string>
#include <unordered_map>
#include <vector>

#include "ir/builder.h"
#include "ir/transform/rewrite.h"

namespace lockstep::ir {
namespace {

bool CanBeValue(const Module& m, TypeId type) {
  return m.types.ScalarCount(type) <= kMaxValueScalars && !m.types.HasRuntimeArray(type);
}

class State {
 public:
  explicit State(Module& module) : m_(module) {}

  void Run() {
    LocalizePrivate();
    for (uint32_t i = 0; i < m_.functions.size(); ++i) {
      const BlockId body = m_.functions[FunctionId(i)].body;
      // Each round takes one level off the types; they nest a bounded number of levels.
      do {
        changed_ = false;
        parts_.clear();
        Choose(body);
        if (!parts_.empty()) Rewrite(body);
      } while (changed_);
    }
  }

 private:
  // --- private variables ---

  void LocalizePrivate() {
    std::vector<bool> local(m_.variables.size(), true);
    for (uint32_t i = 0; i < m_.functions.size(); ++i) {
      if (FunctionId(i) == m_.entry) continue;
      ForEachInst(m_, m_.functions[FunctionId(i)].body, [&](InstId id) { Exclude(id, &local); });
    }
    // A call may hand a pointer to it on.
    ForEachInst(m_, m_.functions[m_.entry].body, [&](InstId id) {
      if (m_.insts[id].op == Op::kCall) Exclude(id, &local);
    });
    std::vector<uint32_t> uses = CountUses(m_);
    Replacements replacements;
    const BlockId scratch = m_.AddBlock();
    Builder b(&m_, scratch);
    for (uint32_t i = 0; i < local.size(); ++i) {
      const Variable& v = m_.variables[VariableId(i)];
      const ValueId pointer = m_.variable_value(VariableId(i));
      if (v.space != AddressSpace::kPrivate || !local[i] || uses[pointer.index] == 0 ||
          !CanBeValue(m_, v.type))
        continue;
      const ValueId initial = v.initializer.has_value() ? v.initializer : m_.ConstantZero(v.type);
      const ValueId var = b.Var(v.type, v.name);
      b.Store(var, initial);
      replacements.Replace(pointer, var);
    }
    if (replacements.empty()) return;
    RetypePointers(replacements);
    std::vector<InstId>& insts = m_.blocks[m_.functions[m_.entry].body].insts;
    insts.insert(insts.begin(), m_.blocks[scratch].insts.begin(), m_.blocks[scratch].insts.end());
  }

  void Exclude(InstId id, std::vector<bool>* local) const {
    for (const ValueId v : m_.operands(id)) {
      ValueId root = v;
      while (m_.defining_inst(root).has_value() && m_.insts[m_.defining_inst(root)].op == Op::kAccess) {
        root = m_.operands(m_.defining_inst(root))[0];
      }
      if (m_.value(root).kind == ValueKind::kVariable) (*local)[m_.value(root).owner] = false;
    }
  }

  // Accesses into what changed its address space change theirs: they are made anew.
  void RetypePointers(Replacements& replacements) { RetypeBlock(m_.functions[m_.entry].body, replacements); }

  void RetypeBlock(BlockId block, Replacements& replacements) {
    const std::vector<InstId> old = std::move(m_.blocks[block].insts);
    m_.blocks[block].insts.clear();
    for (const InstId id : old) {
      const bool changed = replacements.ApplyTo(m_, id);
      if (changed && m_.insts[id].op == Op::kAccess) {
        Builder b(&m_, block);
        b.set_span(m_.span(id));
        const std::vector<ValueId> operands(m_.operands(id).begin(), m_.operands(id).end());
        const ValueId fresh = b.Access(operands[0], std::span<const ValueId>(operands).subspan(1));
        m_.set_name(fresh, std::string(m_.name_of(m_.result(id))));
        replacements.Replace(m_.result(id), fresh);
        continue;
      }
      m_.blocks[block].insts.push_back(id);
      for (size_t r = 0; r < m_.regions(id).size(); ++r) RetypeBlock(m_.regions(id)[r], replacements);
    }
  }

  // --- which to split ---

  void Choose(BlockId body) {
    ForEachInst(m_, body, [&](InstId id) {
      const Inst& inst = m_.insts[id];
      if (inst.op == Op::kVar) {
        const TypeId type = m_.types.Pointee(m_.type_of(m_.result(id)));
        const bool composite = m_.types.PartCount(type) != 0 && m_.types[type].kind != TypeKind::kVector;
        if (composite && CanBeValue(m_, type)) parts_[m_.result(id)] = {};
        return;
      }
      const auto operands = m_.operands(id);
      for (size_t i = 0; i < operands.size(); ++i) {
        if (!Allows(inst.op, i, operands)) parts_.erase(operands[i]);
      }
    });
  }

  // May operand i be a variable that is to be split?
  bool Allows(Op op, size_t i, std::span<const ValueId> operands) const {
    if (op == Op::kLoad || op == Op::kZeroFill || op == Op::kCopy) return i < 2;
    if (op == Op::kStore) return i == 0;
    uint32_t part = 0;
    return op == Op::kAccess && i == 0 && m_.ConstantScalar(operands[1], &part) &&
           part < m_.types.PartCount(m_.types.Pointee(m_.type_of(operands[0])));
  }

  // --- splitting ---

  const std::vector<ValueId>* PartsOf(ValueId pointer) const {
    const auto it = parts_.find(pointer);
    return it == parts_.end() ? nullptr : &it->second;
  }

  void Rewrite(BlockId block) {
    const std::vector<InstId> old = std::move(m_.blocks[block].insts);
    m_.blocks[block].insts.clear();
    for (const InstId id : old) {
      replacements_.ApplyTo(m_, id);
      Builder b(&m_, block);
      b.set_span(m_.span(id));
      if (RewriteInst(id, b)) {
        changed_ = true;
        continue;
      }
      m_.blocks[block].insts.push_back(id);
      for (size_t r = 0; r < m_.regions(id).size(); ++r) Rewrite(m_.regions(id)[r]);
    }
  }

  // True where other instructions took the place of this one.
  bool RewriteInst(InstId id, Builder& b) {
    const Op op = m_.insts[id].op;
    if (op == Op::kVar) return SplitVar(id, b);
    if (op != Op::kLoad && op != Op::kStore && op != Op::kZeroFill && op != Op::kCopy && op != Op::kAccess)
      return false;
    const std::vector<ValueId> operands(m_.operands(id).begin(), m_.operands(id).end());
    const std::vector<ValueId>* to = PartsOf(operands[0]);
    if (op == Op::kCopy) {
      if (to == nullptr && PartsOf(operands[1]) == nullptr) return false;
      const ValueId guard = operands.size() > 2 ? operands[2] : ValueId::None();
      StoreWhole(operands[0], LoadWhole(operands[1], b), guard, b);
      return true;
    }
    if (to == nullptr) return false;
    if (op == Op::kLoad) {
      replacements_.Replace(m_.result(id), LoadWhole(operands[0], b));
    } else if (op == Op::kStore) {
      StoreWhole(operands[0], operands[1], operands.size() > 2 ? operands[2] : ValueId::None(), b);
    } else if (op == Op::kZeroFill) {
      for (const ValueId part : *to) b.Store(part, m_.ConstantZero(m_.types.Pointee(m_.type_of(part))));
    } else {
      uint32_t part = 0;
      m_.ConstantScalar(operands[1], &part);
      replacements_.Replace(m_.result(id),
                            b.Access((*to)[part], std::span<const ValueId>(operands).subspan(2)));
    }
    return true;
  }

  bool SplitVar(InstId id, Builder& b) {
    const auto it = parts_.find(m_.result(id));
    if (it == parts_.end()) return false;
    const TypeId type = m_.types.Pointee(m_.type_of(m_.result(id)));
    const std::string name(m_.name_of(m_.result(id)));
    for (uint32_t i = 0; i < m_.types.PartCount(type); ++i) {
      const bool is_struct = m_.types[type].kind == TypeKind::kStruct;
      const std::string part = is_struct ? m_.types[type].members[i].name : fmt::format("{}", i);
      it->second.push_back(
          b.Var(m_.types.PartType(type, i), name.empty() ? name : fmt::format("{}_{}", name, part)));
    }
    return true;
  }

  ValueId LoadWhole(ValueId pointer, Builder& b) {
    const std::vector<ValueId>* parts = PartsOf(pointer);
    if (parts == nullptr) return b.Load(pointer);
    std::vector<ValueId> values;
    for (const ValueId part : *parts) values.push_back(b.Load(part));
    return b.Construct(m_.types.Pointee(m_.type_of(pointer)), values);
  }

  void StoreWhole(ValueId pointer, ValueId value, ValueId guard, Builder& b) {
    const std::vector<ValueId>* parts = PartsOf(pointer);
    if (parts == nullptr) return b.Store(pointer, value, guard);
    for (uint32_t i = 0; i < parts->size(); ++i) {
      const ValueId part = m_.is_constant(value) ? m_.ConstantPart(value, i) : b.Extract(value, i);
      b.Store((*parts)[i], part, guard);
    }
  }

  Module& m_;
  std::unordered_map<ValueId, std::vector<ValueId>, IdHash> parts_;  // by variable to split
  Replacements replacements_;
  bool changed_ = false;
};

}  // namespace

void SplitVariables(Module& module) { State(module).Run(); }

}  // namespace lockstep::ir
