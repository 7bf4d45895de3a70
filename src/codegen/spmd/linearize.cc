// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "codegen/spmd/linearize.h"

#include "codegen/spmd/linearizer.h"

namespace lockstep::codegen {

using ir::AddressSpace;
using ir::BlockId;
using ir::FunctionId;
using ir::InstId;
using ir::Module;
using ir::Op;
using ir::TypeId;
using ir::ValueId;

Linearizer::Linearizer(Module& module, const Structure& structure, const ShapeInfo& shapes, bool partial)
    : module_(module),
      structure_(structure),
      shapes_(shapes),
      partial_(partial),
      builder_(&module, BlockId::None()) {
  map_.assign(module.value_count(), ValueId::None());
  for (const InstId inst : structure.order) {
    const bool early =
        module.insts[inst].op == Op::kExit && JumpTarget(module, inst) != structure.parent(inst);
    if (early) early_exit_.Set(JumpTarget(module, inst), 1);
  }
}

LinearForm Linearizer::Run() {
  for (const FunctionId function : structure_.functions) EmitFunction(function);
  return std::move(out_);
}

void Linearizer::SetMap(ValueId old, ValueId made) {
  map_[old.index] = made;
  const std::string_view name = module_.name_of(old);
  if (old != made && !name.empty() && module_.name_of(made).empty())
    module_.set_name(made, std::string(name));
}

Linearizer::Values Linearizer::MapAll(std::span<const ValueId> old) const {
  Values made;
  made.reserve(old.size());
  for (const ValueId v : old) made.push_back(Map(v));
  return made;
}

ValueId Linearizer::And(ValueId a, ValueId b) {
  if (!a.has_value()) return b;
  if (!b.has_value()) return a;
  return builder_.And(a, b);
}

ValueId Linearizer::AnyLane(ValueId mask) {
  const ValueId operands[] = {mask};
  const TypeId types[] = {module_.types.Bool()};
  return module_.result(builder_.Append(Op::kAnyLane, operands, types));
}

void Linearizer::EmitFunction(FunctionId id) {
  const bool whole = id == module_.entry || structure_.workgroup_functions.Get(id) != 0;
  current_function_ = id;
  const BlockId old_body = module_.functions[id].body;
  const BlockId body = module_.AddBlock();
  module_.functions[id].body = body;
  builder_.set_block(body);
  mask_ = {};
  if (!whole) {
    const Values params = std::move(module_.functions[id].params);
    module_.functions[id].params.clear();
    mask_.value = module_.AddFunctionParam(id, module_.types.Bool());
    module_.set_name(mask_.value, "mask");
    for (const ValueId p : params) SetMap(p, module_.AddFunctionParam(id, module_.type_of(p)));
  } else if (partial_) {
    const TypeId types[] = {module_.types.Bool()};
    mask_.value = module_.result(builder_.Append(Op::kLaneMask, {}, types));
  }
  const bool masked = shapes_.function_leaves(id) == 2;
  PushTarget(InstId::None(), masked, masked);
  const TypeId result = module_.functions[id].result;
  if (masked && result != module_.types.Void()) targets_.back().result_vars.push_back(NewVar(result));
  regions_.push_back({Region::kFunction, InstId::None(), {}});
  if (EmitBody(old_body).end != End::kTerminated) WriteLeave();
  regions_.pop_back();
  PopTarget();
}

Linearizer::Ending Linearizer::EmitBody(BlockId block) {
  const std::vector<InstId> insts = module_.blocks[block].insts;
  for (size_t i = 0; i + 1 < insts.size(); ++i) {
    const InstId inst = insts[i];
    builder_.set_span(module_.span(inst));
    const bool construct = IsConstruct(module_.insts[inst].op);
    if (!construct && module_.insts[inst].op != Op::kCall) {
      EmitInst(inst);
      continue;
    }
    const Mask before = mask_;
    bool escaped = false;
    if (mask_.known() && mask_.maybe_empty && structure_.workgroup_level.Get(inst) == 0) {
      EmitWrapped(inst);
      escaped = construct;  // reloading the mask once too often is harmless
    } else if (construct) {
      escaped = EmitConstruct(inst);
    } else {
      EmitCall(inst);
    }
    mask_ = before;
    if (escaped) AfterConstruct(insts[i + 1]);
  }
  builder_.set_span(module_.span(insts.back()));
  return EmitJump(insts.back());
}

void Linearizer::Clone(InstId inst, std::span<const ValueId> operands) {
  std::vector<TypeId> types = ResultTypes(inst);
  const Op op = module_.insts[inst].op;
  if (op == Op::kAccess) {  // a private variable may have become a `var`
    const ir::Type& base = module_.types[module_.type_of(operands[0])];
    types[0] = module_.types.Pointer(base.space, base.access, module_.types.Pointee(types[0]));
  }
  const InstId made = builder_.Append(op, operands, types, module_.insts[inst].imm);
  if (structure_.workgroup_level.Get(inst) != 0) out_.workgroup_level.Set(made, 1);
  for (size_t i = 0; i < types.size(); ++i) {
    SetMap(module_.results(inst)[i], module_.results(made)[i]);
  }
}

void Linearizer::EmitInst(InstId inst) {
  const Op op = module_.insts[inst].op;
  if (op == Op::kStore || op == Op::kCopy || op == Op::kZeroFill) return EmitStore(inst);
  if (ir::IsAtomic(op)) return EmitAtomic(inst);
  if (op == Op::kTextureLoad) return EmitTextureLoad(inst);
  if (op == Op::kWatch || op == Op::kWatchBounds) return EmitEvent(inst);
  Clone(inst, MapAll(module_.operands(inst)));
}

// The guard of a write to memory that lanes share. One that does the same in every lane is done once.
ValueId Linearizer::SharedGuard(ValueId guard, bool uniform) {
  if (!mask_.known()) return guard;
  if (!uniform) return And(mask_.value, guard);
  return mask_.maybe_empty ? And(AnyLane(mask_.value), guard) : guard;
}

void Linearizer::EmitStore(InstId inst) {
  const Op op = module_.insts[inst].op;
  const size_t plain = op == Op::kZeroFill ? 1 : 2;
  const std::vector<ValueId> old(module_.operands(inst).begin(), module_.operands(inst).end());
  ValueId guard = old.size() > plain ? Map(old[plain]) : ValueId::None();
  const ir::Type& pointer = module_.types[module_.type_of(old[0])];
  if (pointer.space == AddressSpace::kFunction || pointer.space == AddressSpace::kPrivate) {
    if (shapes_.store_level(inst) == 2) guard = And(mask_.value, guard);
  } else {
    bool uniform = true;
    for (const ValueId v : old) uniform &= IsUniform(v);
    if (op == Op::kCopy) {  // the pointers say where, not what
      const AddressSpace from = module_.types[module_.type_of(old[1])].space;
      uniform &= from != AddressSpace::kFunction && from != AddressSpace::kPrivate;
    }
    guard = SharedGuard(guard, uniform);
  }
  Values operands = MapAll(std::span(old).first(plain));
  if (guard.has_value()) operands.push_back(guard);
  Clone(inst, operands);
}

void Linearizer::EmitAtomic(InstId inst) {
  const Op op = module_.insts[inst].op;
  const size_t plain = op == Op::kAtomicLoad ? 1 : op == Op::kAtomicCompareExchange ? 3 : 2;
  const std::vector<ValueId> old(module_.operands(inst).begin(), module_.operands(inst).end());
  ValueId guard = old.size() > plain ? Map(old[plain]) : ValueId::None();
  // A load that gives all lanes the same may run for lanes that are masked off.
  const bool free_load = op == Op::kAtomicLoad && IsUniform(module_.result(inst));
  if (!free_load) guard = And(mask_.value, guard);
  Values operands = MapAll(std::span(old).first(plain));
  if (guard.has_value()) operands.push_back(guard);
  Clone(inst, operands);
}

// Texels are read for the lanes that are here; one that all share for whoever is.
void Linearizer::EmitTextureLoad(InstId inst) {
  Values operands = MapAll(module_.operands(inst));
  if (mask_.known() && !IsUniform(module_.result(inst))) operands.push_back(mask_.value);
  Clone(inst, operands);
}

// Told for the lanes that are here.
void Linearizer::EmitEvent(InstId inst) {
  Values operands = MapAll(module_.operands(inst));
  operands[3] = And(mask_.value, operands[3]);
  Clone(inst, operands);
}

void Linearizer::EmitCall(InstId inst) {
  Values operands;
  if (structure_.workgroup_level.Get(inst) == 0)
    operands.push_back(mask_.known() ? mask_.value : builder_.Bool(true));
  for (const ValueId v : module_.operands(inst)) operands.push_back(Map(v));
  Clone(inst, operands);
}

LinearForm Linearize(Module& module, const Structure& structure, const ShapeInfo& shapes, bool partial) {
  return Linearizer(module, structure, shapes, partial).Run();
}

}  // namespace lockstep::codegen
