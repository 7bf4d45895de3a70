// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "codegen/spmd/prepare.h"

#include <array>
#include <bit>
#include <unordered_map>

#include "ir/builder.h"

namespace lockstep::codegen {

using ir::BlockId;
using ir::Builder;
using ir::Builtin;
using ir::FunctionId;
using ir::InstId;
using ir::Module;
using ir::Op;
using ir::TypeId;
using ir::TypeKind;
using ir::ValueId;
using ir::VariableId;

namespace {

using Replacements = std::unordered_map<ValueId, ValueId, lockstep::IdHash>;

// Makes each scalar of the builtin inputs once, in a block of its own.
class BuiltinScalars {
 public:
  BuiltinScalars(Module& module, BlockId block) : module_(module), builder_(&module, block) {}

  ValueId Part(Builtin builtin, uint32_t part) {
    ValueId& cached = parts_[static_cast<size_t>(builtin)][part];
    if (!cached.has_value()) cached = MakePart(builtin, part);
    return cached;
  }

  ValueId Whole(Builtin builtin) {
    if (builtin == Builtin::kWorkgroupId || builtin == Builtin::kNumWorkgroups) return Input(builtin);
    const bool scalar = builtin == Builtin::kLocalInvocationIndex ||
                        builtin == Builtin::kGlobalInvocationIndex || builtin == Builtin::kWorkgroupIndex;
    if (scalar) return Part(builtin, 0);
    ValueId& cached = wholes_[static_cast<size_t>(builtin)];
    if (!cached.has_value()) {
      const ValueId parts[] = {Part(builtin, 0), Part(builtin, 1), Part(builtin, 2)};
      cached = builder_.Construct(module_.types.Vector(module_.types.U32(), 3), parts);
    }
    return cached;
  }

 private:
  ValueId Input(Builtin builtin) {
    ValueId& cached = wholes_[static_cast<size_t>(builtin)];
    if (!cached.has_value()) cached = builder_.BuiltinInput(builtin);
    return cached;
  }

  ValueId Quotient(ValueId a, uint32_t b) {
    if (b == 1) return a;
    if (std::has_single_bit(b))
      return builder_.Shr(a, builder_.U32(static_cast<uint32_t>(std::countr_zero(b))));
    return builder_.Div(a, builder_.U32(b));
  }
  ValueId Remainder(ValueId a, uint32_t b) {
    if (b == 1) return builder_.U32(0);
    if (std::has_single_bit(b)) return builder_.And(a, builder_.U32(b - 1));
    return builder_.Rem(a, builder_.U32(b));
  }

  ValueId Local(uint32_t part) {
    const std::array<uint32_t, 3>& size = module_.workgroup_size;
    if (size[part] == 1) return builder_.U32(0);
    uint32_t below = 1, above = 1;
    for (uint32_t i = 0; i < part; ++i) below *= size[i];
    for (uint32_t i = part + 1; i < 3; ++i) above *= size[i];
    const ValueId quotient = Quotient(Input(Builtin::kLocalInvocationIndex), below);
    return above == 1 ? quotient : Remainder(quotient, size[part]);
  }

  // (z * size.y + y) * size.x + x
  ValueId Linear(Builtin ids, const std::array<ValueId, 3>& size) {
    const ValueId row = builder_.Add(builder_.Mul(Part(ids, 2), size[1]), Part(ids, 1));
    return builder_.Add(builder_.Mul(row, size[0]), Part(ids, 0));
  }

  ValueId MakePart(Builtin builtin, uint32_t part) {
    const std::array<uint32_t, 3>& size = module_.workgroup_size;
    switch (builtin) {
      case Builtin::kLocalInvocationIndex:
        return Input(builtin);
      case Builtin::kLocalInvocationId:
        return Local(part);
      case Builtin::kWorkgroupId:
      case Builtin::kNumWorkgroups:
        return builder_.Extract(Input(builtin), part);
      case Builtin::kGlobalInvocationId: {
        const ValueId group = Part(Builtin::kWorkgroupId, part);
        if (size[part] == 1) return group;
        return builder_.Add(builder_.Mul(group, builder_.U32(size[part])),
                            Part(Builtin::kLocalInvocationId, part));
      }
      case Builtin::kWorkgroupIndex:
      case Builtin::kGlobalInvocationIndex: {
        const bool global = builtin == Builtin::kGlobalInvocationIndex;
        std::array<ValueId, 3> extent;
        for (uint32_t i = 0; i < 2; ++i) {
          extent[i] = Part(Builtin::kNumWorkgroups, i);
          if (global) extent[i] = builder_.Mul(extent[i], builder_.U32(size[i]));
        }
        return Linear(global ? Builtin::kGlobalInvocationId : Builtin::kWorkgroupId, extent);
      }
      case Builtin::kVertexIndex:
      case Builtin::kInstanceIndex:
      case Builtin::kPosition:
      case Builtin::kFrontFacing:
      case Builtin::kPrimitiveIndex:
      case Builtin::kSampleIndex:
      case Builtin::kSampleMask:
        break;
    }
    UNREACHABLE("an input that transform/stage_io should have replaced");
  }

  static constexpr size_t kBuiltins = static_cast<size_t>(Builtin::kSampleMask) + 1;
  Module& module_;
  Builder builder_;
  std::array<std::array<ValueId, 3>, kBuiltins> parts_;
  std::array<ValueId, kBuiltins> wholes_;
};

void KeepName(Module& module, ValueId from, ValueId to) {
  if (!module.is_constant(to) && module.name_of(to).empty())
    module.set_name(to, std::string(module.name_of(from)));
}

// Replaces builtin inputs and `extract`s of them, which go.
void ExpandBuiltins(Module& module, BlockId prefix, Replacements& replacements) {
  BuiltinScalars scalars(module, prefix);
  std::vector<BlockId> blocks;
  const BlockId body = module.functions[module.entry].body;
  blocks.push_back(body);
  ForEachInst(module, body, [&](InstId inst) {
    for (const BlockId region : module.regions(inst)) blocks.push_back(region);
  });
  std::unordered_map<ValueId, Builtin, lockstep::IdHash> inputs;
  for (const BlockId block : blocks) {
    std::vector<InstId> kept;
    for (const InstId inst : module.blocks[block].insts) {
      const Op op = module.insts[inst].op;
      if (op == Op::kBuiltinInput) {
        inputs[module.result(inst)] = Builtin(module.insts[inst].imm);
        continue;
      }
      const auto input = op == Op::kExtract ? inputs.find(module.operands(inst)[0]) : inputs.end();
      if (input != inputs.end()) {
        const ValueId part = scalars.Part(input->second, module.insts[inst].imm);
        KeepName(module, module.result(inst), part);
        replacements[module.result(inst)] = part;
        continue;
      }
      for (const ValueId v :
           std::vector<ValueId>(module.operands(inst).begin(), module.operands(inst).end())) {
        const auto whole = inputs.find(v);
        if (whole == inputs.end()) continue;
        replacements[v] = scalars.Whole(whole->second);
        KeepName(module, v, replacements[v]);
      }
      kept.push_back(inst);
    }
    module.blocks[block].insts = std::move(kept);
  }
}

// Stores `constant` (None: zero) behind `pointer`, part by part where it is too large for one value.
void StoreInitial(Builder& builder, ValueId pointer, ValueId constant) {
  Module& module = builder.module();
  const TypeId type = module.types.Pointee(module.type_of(pointer));
  if (module.types.ScalarCount(type) <= ir::kMaxValueScalars) {
    builder.Store(pointer, constant.has_value() ? constant : module.ConstantZero(type));
    return;
  }
  const bool zero = !constant.has_value() || module.constant(constant).parts.empty();
  if (zero) return builder.ZeroFill(pointer);
  for (uint32_t i = 0; i < module.types.PartCount(type); ++i) {
    StoreInitial(builder, builder.Access(pointer, {builder.U32(i)}), module.ConstantPart(constant, i));
  }
}

void LowerPrivateVariables(Module& module, const std::vector<FunctionId>& reachable, BlockId prefix,
                           Replacements& replacements) {
  enum : uint8_t { kUnused, kInEntry, kInCalls };
  SideTable<VariableId, uint8_t> uses;
  for (const FunctionId function : reachable) {
    ForEachInst(module, module.functions[function].body, [&](InstId inst) {
      for (const ValueId v : module.operands(inst)) {
        if (module.value(v).kind != ir::ValueKind::kVariable) continue;
        const VariableId variable(module.value(v).owner);
        if (module.variables[variable].space != ir::AddressSpace::kPrivate) continue;
        uses.Set(variable,
                 std::max(uses.Get(variable), uint8_t{function == module.entry ? kInEntry : kInCalls}));
      }
    });
  }
  Builder builder(&module, prefix);
  for (uint32_t i = 0; i < module.variables.size(); ++i) {
    const VariableId id(i);
    if (uses.Get(id) == kUnused) continue;
    ValueId pointer = module.variable_value(id);
    if (uses.Get(id) == kInEntry) {
      const ValueId var = builder.Var(module.variables[id].type, module.variables[id].name);
      replacements[pointer] = var;
      pointer = var;
    }
    StoreInitial(builder, pointer, module.variables[id].initializer);
  }
}

}  // namespace

void PrepareForLanes(Module& module, const std::vector<FunctionId>& reachable) {
  const BlockId prefix = module.AddBlock();
  Replacements replacements;
  ExpandBuiltins(module, prefix, replacements);
  LowerPrivateVariables(module, reachable, prefix, replacements);
  const BlockId body = module.functions[module.entry].body;
  ForEachInst(module, body, [&](InstId inst) {
    for (ValueId& v : module.operands(inst)) {
      const auto it = replacements.find(v);
      if (it != replacements.end()) v = it->second;
    }
  });
  std::vector<InstId>& insts = module.blocks[body].insts;
  const std::vector<InstId>& first = module.blocks[prefix].insts;
  insts.insert(insts.begin(), first.begin(), first.end());
}

}  // namespace lockstep::codegen
