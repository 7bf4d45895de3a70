// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/module.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "support/check.h"

namespace lockstep::ir {

ValueId Module::AddValue(TypeId type, ValueKind kind, uint32_t number, uint32_t owner) {
  CHECK(number <= 0xffff);
  Value value;
  value.type = type;
  value.kind = kind;
  value.number = static_cast<uint16_t>(number);
  value.owner = owner;
  return values_.Add(value);
}

const Constant& Module::constant(ValueId id) const {
  const Value& v = values_[id];
  CHECK(v.kind == ValueKind::kConstant);
  return constants_[v.owner];
}

InstId Module::defining_inst(ValueId id) const {
  const Value& v = values_[id];
  return v.kind == ValueKind::kResult ? InstId(v.owner) : InstId::None();
}

std::string_view Module::name_of(ValueId id) const {
  const auto it = names_.find(id);
  return it == names_.end() ? std::string_view() : std::string_view(it->second);
}

void Module::set_name(ValueId id, std::string name) {
  if (name.empty()) {
    names_.erase(id);
  } else {
    names_[id] = std::move(name);
  }
}

ValueId Module::ConstantBits(TypeId scalar, uint32_t bits) {
  CHECK(types.IsScalar(scalar));
  const auto [it, added] = interned_constants_.try_emplace(fmt::format("{}:{}", scalar.index, bits));
  if (added) {
    constants_.push_back({scalar, bits, {}});
    it->second = AddValue(scalar, ValueKind::kConstant, 0, static_cast<uint32_t>(constants_.size() - 1));
  }
  return it->second;
}

ValueId Module::ConstantF32(float v) { return ConstantBits(types.F32(), std::bit_cast<uint32_t>(v)); }

ValueId Module::ConstantZero(TypeId type) {
  if (types.IsScalar(type)) return ConstantBits(type, 0);
  CHECK(types.PartCount(type) != 0 && !types.HasRuntimeArray(type));
  const auto [it, added] = interned_constants_.try_emplace(fmt::format("{}:zero", type.index));
  if (added) {
    constants_.push_back({type, 0, {}});
    it->second = AddValue(type, ValueKind::kConstant, 0, static_cast<uint32_t>(constants_.size() - 1));
  }
  return it->second;
}

ValueId Module::ConstantComposite(TypeId type, std::vector<ValueId> parts) {
  CHECK(parts.size() == types.PartCount(type));
  std::string key = fmt::format("{}:", type.index);
  bool all_zero = true;
  for (const ValueId part : parts) {
    const Constant& c = constant(part);
    all_zero &= c.bits == 0 && c.parts.empty();
    key += fmt::format("{},", part.index);
  }
  if (all_zero) return ConstantZero(type);
  const auto [it, added] = interned_constants_.try_emplace(std::move(key));
  if (added) {
    constants_.push_back({type, 0, std::move(parts)});
    it->second = AddValue(type, ValueKind::kConstant, 0, static_cast<uint32_t>(constants_.size() - 1));
  }
  return it->second;
}

ValueId Module::ConstantPart(ValueId composite, uint32_t part) {
  const Constant& c = constant(composite);
  if (!c.parts.empty()) return c.parts[part];
  return ConstantZero(types.PartType(c.type, part));
}

bool Module::ConstantScalar(ValueId id, uint32_t* bits) const {
  if (!is_constant(id)) return false;
  const Constant& c = constant(id);
  if (!types.IsScalar(c.type)) return false;
  *bits = c.bits;
  return true;
}

VariableId Module::AddVariable(Variable variable) {
  const TypeId type =
      variable.is_texture() ? variable.type : types.Pointer(variable.space, variable.access, variable.type);
  const std::string name = variable.name;
  const VariableId id = variables.Add(std::move(variable));
  variable_values_.push_back(AddValue(type, ValueKind::kVariable, 0, id.index));
  set_name(variable_values_.back(), name);
  return id;
}

void Module::KeepFunctions(const std::vector<bool>& keep) {
  CHECK(keep.size() == functions.size() && keep[entry.index]);
  std::vector<uint32_t> renumbered(keep.size(), FunctionId::kNoneIndex);
  Store<FunctionId, Function> kept;
  for (uint32_t i = 0; i < keep.size(); ++i) {
    if (!keep[i]) continue;
    renumbered[i] = kept.Add(std::move(functions[FunctionId(i)])).index;
    for (const ValueId p : kept[FunctionId(renumbered[i])].params) values_[p].owner = renumbered[i];
  }
  functions = std::move(kept);
  entry = FunctionId(renumbered[entry.index]);
  for (Inst& inst : insts) {
    if (inst.op == Op::kCall && inst.imm < renumbered.size()) inst.imm = renumbered[inst.imm];
  }
}

void Module::SetBlockParams(BlockId id, std::vector<ValueId> params) {
  for (size_t i = 0; i < params.size(); ++i) {
    Value& v = values_[params[i]];
    CHECK(v.kind == ValueKind::kBlockParam);
    v.number = static_cast<uint16_t>(i);
    v.owner = id.index;
  }
  blocks[id].params = std::move(params);
}

ValueId Module::AddFunctionParam(FunctionId function, TypeId type) {
  std::vector<ValueId>& params = functions[function].params;
  params.push_back(
      AddValue(type, ValueKind::kFunctionParam, static_cast<uint32_t>(params.size()), function.index));
  return params.back();
}

ValueId Module::AddBlockParam(BlockId block, TypeId type) {
  std::vector<ValueId>& params = blocks[block].params;
  params.push_back(AddValue(type, ValueKind::kBlockParam, static_cast<uint32_t>(params.size()), block.index));
  return params.back();
}

InstId Module::MakeInst(Op op, std::span<const ValueId> operands, std::span<const TypeId> result_types,
                        uint32_t imm, std::span<const BlockId> regions, Span span) {
  const InstId id(insts.size());
  std::vector<ValueId> results;
  results.reserve(result_types.size());
  for (size_t i = 0; i < result_types.size(); ++i) {
    results.push_back(AddValue(result_types[i], ValueKind::kResult, static_cast<uint32_t>(i), id.index));
  }
  Inst inst;
  inst.op = op;
  inst.imm = imm;
  inst.operands = value_lists_.Add(operands);
  inst.results = value_lists_.Add(results);
  inst.blocks = block_lists_.Add(regions);
  insts.Add(inst);
  spans_.Set(id, span);
  return id;
}

void Module::SetOperands(InstId id, std::span<const ValueId> operands) {
  ListRef<ValueId>& ref = insts[id].operands;
  if (operands.size() > ref.count) {
    ref = value_lists_.Add(operands);
    return;
  }
  ref.count = static_cast<uint32_t>(operands.size());
  // `operands` may be a part of the list that it replaces.
  const std::vector<ValueId> copy(operands.begin(), operands.end());
  std::copy(copy.begin(), copy.end(), value_lists_[ref].begin());
}

void Module::AddResult(InstId id, TypeId type) { AddResults(id, {&type, 1}); }

void Module::AddResults(InstId id, std::span<const TypeId> types_added) {
  const std::span<const ValueId> old = results(id);
  std::vector<ValueId> list(old.begin(), old.end());
  for (const TypeId type : types_added) {
    list.push_back(AddValue(type, ValueKind::kResult, static_cast<uint32_t>(list.size()), id.index));
  }
  insts[id].results = value_lists_.Add(list);
}

void Module::SetResults(InstId id, std::span<const ValueId> results) {
  const std::vector<ValueId> list(results.begin(), results.end());
  for (size_t i = 0; i < list.size(); ++i) {
    Value& v = values_[list[i]];
    CHECK(v.kind == ValueKind::kResult);
    v.number = static_cast<uint16_t>(i);
    v.owner = id.index;
  }
  insts[id].results = value_lists_.Add(list);
}

}  // namespace lockstep::ir
