// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/transform/rewrite.h"

#include <algorithm>

#include "support/check.h"

namespace lockstep::ir {

void Replacements::Replace(ValueId from, ValueId to) {
  if (from.index >= to_.size()) to_.resize(from.index + 1);
  to = Find(to);
  CHECK(from != to);
  to_[from.index] = to;
}

ValueId Replacements::Find(ValueId value) {
  ValueId end = value;
  while (end.index < to_.size() && to_[end.index].has_value()) end = to_[end.index];
  while (value != end) {
    const ValueId next = to_[value.index];
    to_[value.index] = end;
    value = next;
  }
  return end;
}

bool Replacements::ApplyTo(Module& module, InstId inst) {
  bool changed = false;
  for (ValueId& operand : module.operands(inst)) {
    const ValueId now = Find(operand);
    changed |= now != operand;
    operand = now;
  }
  return changed;
}

void Replacements::Apply(Module& module) {
  if (empty()) return;
  ForEachInst(module, [&](InstId inst) { ApplyTo(module, inst); });
}

ValueId Cloner::Mapped(ValueId value) const {
  const auto it = values_.find(value);
  return it == values_.end() ? value : it->second;
}

InstId Cloner::Clone(InstId id) {
  const Inst inst = m_.insts[id];
  std::vector<ValueId> operands;
  for (const ValueId v : m_.operands(id)) operands.push_back(Mapped(v));
  if (inst.op == Op::kReturn && return_target_.has_value()) {
    return m_.MakeInst(Op::kExit, operands, {}, return_target_.index, {}, m_.span(id));
  }
  std::vector<TypeId> types;
  for (const ValueId r : m_.results(id)) types.push_back(m_.type_of(r));
  const std::vector<BlockId> old_regions(m_.regions(id).begin(), m_.regions(id).end());
  std::vector<BlockId> regions;
  for (size_t i = 0; i < old_regions.size(); ++i) regions.push_back(m_.AddBlock());
  uint32_t imm = inst.imm;
  const bool jump = inst.op == Op::kExit || inst.op == Op::kContinue || inst.op == Op::kNext;
  if (jump) {
    const auto target = insts_.find(InstId(imm));
    if (target != insts_.end()) imm = target->second.index;
  }
  const InstId copy = m_.MakeInst(inst.op, operands, types, imm, regions, m_.span(id));
  for (uint32_t i = 0; i < types.size(); ++i) {
    Map(m_.result(id, i), m_.result(copy, i));
    m_.set_name(m_.result(copy, i), std::string(m_.name_of(m_.result(id, i))));
  }
  if (!regions.empty()) insts_[id] = copy;
  for (size_t i = 0; i < regions.size(); ++i) {
    const std::vector<ValueId> params = m_.blocks[old_regions[i]].params;
    for (const ValueId p : params) {
      const ValueId fresh = m_.AddBlockParam(regions[i], m_.type_of(p));
      m_.set_name(fresh, std::string(m_.name_of(p)));
      Map(p, fresh);
    }
    CloneInto(old_regions[i], regions[i]);
  }
  return copy;
}

void Cloner::CloneInto(BlockId from, BlockId to) {
  for (size_t i = 0; i < m_.blocks[from].insts.size(); ++i) {
    const InstId copy = Clone(m_.blocks[from].insts[i]);
    m_.blocks[to].insts.push_back(copy);
  }
}

void AppendGuarded(Builder& builder, InstId inst, ValueId guard) {
  Module& m = builder.module();
  const std::optional<uint32_t> position = GuardPosition(m.insts[inst].op);
  if (!position) {  // zero_fill has no guard of its own
    const InstId branch = builder.If(guard);
    m.blocks[m.regions(branch)[0]].insts.push_back(inst);
    Builder(&m, m.regions(branch)[0]).Exit(branch);
    Builder(&m, m.regions(branch)[1]).Exit(branch);
    return;
  }
  std::vector<ValueId> operands(m.operands(inst).begin(), m.operands(inst).end());
  if (operands.size() > *position) {
    operands[*position] = builder.And(operands[*position], guard);
  } else {
    operands.push_back(guard);
  }
  m.SetOperands(inst, operands);
  m.blocks[builder.block()].insts.push_back(inst);
}

std::vector<uint32_t> CountUses(const Module& module) {
  std::vector<uint32_t> uses(module.value_count(), 0);
  ForEachInst(module, [&](InstId inst) {
    for (const ValueId v : module.operands(inst)) ++uses[v.index];
  });
  return uses;
}

uint32_t CountInsts(const Module& module, BlockId block) {
  uint32_t count = 0;
  ForEachInst(module, block, [&](InstId) { ++count; });
  return count;
}

uint32_t RegionDepth(const Module& module, BlockId block) {
  uint32_t depth = 0;
  for (const InstId inst : module.blocks[block].insts) {
    for (const BlockId region : module.regions(inst))
      depth = std::max(depth, 1 + RegionDepth(module, region));
  }
  return depth;
}

}  // namespace lockstep::ir
