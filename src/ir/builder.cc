// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/builder.h"

#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "support/check.h"
#include "support/half.h"

namespace lockstep::ir {
namespace {

TypeId BuiltinType(Builtin builtin, TypeTable& types) {
  switch (builtin) {
#define BUILTIN(Name, text, stage, scalar, width) \
  case Builtin::k##Name:                          \
    return width == 1 ? types.scalar() : types.Vector(types.scalar(), width);
#include "ir/builtins.def"
  }
  UNREACHABLE("builtin");
}

// The type of the part that `index` picks: a member's index is a constant.
TypeId PartAt(const Module& module, TypeId composite, ValueId index) {
  uint32_t part = 0;
  const bool constant = module.ConstantScalar(index, &part);
  CHECK(constant || module.types[composite].kind != TypeKind::kStruct);
  return module.types.PartType(composite, part);
}

}  // namespace

bool Builder::terminated() const {
  const std::vector<InstId>& insts = module_->blocks[block_].insts;
  return !insts.empty() && IsExit(module_->insts[insts.back()].op);
}

InstId Builder::Append(Op op, std::span<const ValueId> operands, std::span<const TypeId> result_types,
                       uint32_t imm, std::span<const BlockId> regions) {
  CHECK(!terminated());
  const InstId inst = module_->MakeInst(op, operands, result_types, imm, regions, span_);
  module_->blocks[block_].insts.push_back(inst);
  return inst;
}

ValueId Builder::AppendValue(Op op, std::span<const ValueId> operands, TypeId type, uint32_t imm) {
  return module_->result(Append(op, operands, {&type, 1}, imm));
}

// --- constants and arithmetic ---

ValueId Builder::Number(TypeId type, double v) {
  TypeTable& types = module_->types;
  const TypeId scalar = types.ScalarOf(type);
  uint32_t bits = 0;
  if (scalar == types.F32()) {
    bits = std::bit_cast<uint32_t>(static_cast<float>(v));
  } else if (scalar == types.F16()) {
    bits = HalfBits(v);
  } else if (scalar == types.Bool()) {
    bits = v != 0 ? 1 : 0;
  } else {
    bits = static_cast<uint32_t>(static_cast<int64_t>(v));
  }
  const ValueId part = module_->ConstantBits(scalar, bits);
  if (types.Width(type) == 1) return part;
  return module_->ConstantComposite(type, std::vector<ValueId>(types.Width(type), part));
}

ValueId Builder::Unary(Op op, ValueId a) {
  CHECK(KindOf(op) == OpKind::kUnary);
  return AppendValue(op, {&a, 1}, module_->type_of(a));
}

ValueId Builder::Binary(Op op, ValueId a, ValueId b) {
  const OpKind kind = KindOf(op);
  CHECK(kind == OpKind::kBinary || kind == OpKind::kCompare);
  const TypeId type = module_->type_of(a);
  CHECK(type == module_->type_of(b) || op == Op::kShl || op == Op::kShr);
  const ValueId operands[] = {a, b};
  TypeTable& types = module_->types;
  return AppendValue(op, operands, kind == OpKind::kCompare ? types.WithScalar(type, types.Bool()) : type);
}

ValueId Builder::Ternary(Op op, ValueId a, ValueId b, ValueId c) {
  CHECK(KindOf(op) == OpKind::kTernary);
  const ValueId operands[] = {a, b, c};
  return AppendValue(op, operands, module_->type_of(a));
}

// --- conversions and composites ---

ValueId Builder::Convert(TypeId to, ValueId a) {
  if (module_->type_of(a) == to) return a;
  return AppendValue(Op::kConvert, {&a, 1}, to);
}

ValueId Builder::Bitcast(TypeId to, ValueId a) {
  if (module_->type_of(a) == to) return a;
  return AppendValue(Op::kBitcast, {&a, 1}, to);
}

ValueId Builder::Select(ValueId condition, ValueId if_true, ValueId if_false) {
  CHECK(module_->type_of(if_true) == module_->type_of(if_false));
  const ValueId operands[] = {condition, if_true, if_false};
  return AppendValue(Op::kSelect, operands, module_->type_of(if_true));
}

ValueId Builder::Splat(TypeId vector, ValueId scalar) {
  return AppendValue(Op::kSplat, {&scalar, 1}, vector);
}

ValueId Builder::Construct(TypeId type, std::span<const ValueId> parts) {
  CHECK(parts.size() == module_->types.PartCount(type));
  return AppendValue(Op::kConstruct, parts, type);
}

ValueId Builder::Construct(TypeId type, std::initializer_list<ValueId> parts) {
  return Construct(type, std::span<const ValueId>(parts.begin(), parts.size()));
}

ValueId Builder::Extract(ValueId composite, uint32_t part) {
  const TypeId type = module_->type_of(composite);
  CHECK(part < module_->types.PartCount(type));
  return AppendValue(Op::kExtract, {&composite, 1}, module_->types.PartType(type, part), part);
}

ValueId Builder::ExtractDynamic(ValueId composite, ValueId index) {
  const ValueId operands[] = {composite, index};
  return AppendValue(Op::kExtractDynamic, operands, module_->types.PartType(module_->type_of(composite), 0));
}

ValueId Builder::Insert(ValueId composite, ValueId part_value, uint32_t part) {
  const TypeId type = module_->type_of(composite);
  CHECK(part < module_->types.PartCount(type));
  const ValueId operands[] = {composite, part_value};
  return AppendValue(Op::kInsert, operands, type, part);
}

ValueId Builder::Swizzle(ValueId vector, std::initializer_list<uint32_t> components) {
  return Swizzle(vector, std::span<const uint32_t>(components.begin(), components.size()));
}

ValueId Builder::Swizzle(ValueId vector, std::span<const uint32_t> components) {
  CHECK(!components.empty() && components.size() <= 4);
  if (components.size() == 1) return Extract(vector, components[0]);
  uint32_t imm = 0;
  for (size_t i = 0; i < components.size(); ++i) {
    CHECK(components[i] < module_->types.Width(module_->type_of(vector)));
    imm |= components[i] << (2 * i);
  }
  const TypeId scalar = module_->types.ScalarOf(module_->type_of(vector));
  const TypeId type = module_->types.Vector(scalar, static_cast<uint32_t>(components.size()));
  return AppendValue(Op::kSwizzle, {&vector, 1}, type, imm);
}

ValueId Builder::BuiltinInput(Builtin builtin) {
  return AppendValue(Op::kBuiltinInput, {}, BuiltinType(builtin, module_->types),
                     static_cast<uint32_t>(builtin));
}

// --- memory ---

namespace {

// Operands with a guard at the end where there is one.
std::vector<ValueId> Guarded(std::initializer_list<ValueId> operands, ValueId guard) {
  std::vector<ValueId> list(operands);
  if (guard.has_value()) list.push_back(guard);
  return list;
}

TypeId AtomicValueType(const Module& module, ValueId pointer) {
  const TypeId pointee = module.types.Pointee(module.type_of(pointer));
  return module.types[pointee].kind == TypeKind::kAtomic ? module.types[pointee].element : pointee;
}

}  // namespace

ValueId Builder::Var(TypeId type, std::string_view name) {
  const TypeId pointer = module_->types.Pointer(AddressSpace::kFunction, ir::Access::kReadWrite, type);
  const ValueId var = AppendValue(Op::kVar, {}, pointer);
  if (!name.empty()) module_->set_name(var, std::string(name));
  return var;
}

ValueId Builder::Access(ValueId pointer, std::span<const ValueId> indices) {
  if (indices.empty()) return pointer;
  const TypeId from = module_->type_of(pointer);
  CHECK(module_->types.IsPointer(from));
  TypeId type = module_->types.Pointee(from);
  std::vector<ValueId> operands = {pointer};
  for (const ValueId index : indices) {
    type = PartAt(*module_, type, index);
    operands.push_back(index);
  }
  const AddressSpace space = module_->types[from].space;
  const ir::Access access = module_->types[from].access;
  return AppendValue(Op::kAccess, operands, module_->types.Pointer(space, access, type));
}

ValueId Builder::Access(ValueId pointer, std::initializer_list<ValueId> indices) {
  return Access(pointer, std::span<const ValueId>(indices.begin(), indices.size()));
}

ValueId Builder::Load(ValueId pointer) {
  return AppendValue(Op::kLoad, {&pointer, 1}, module_->types.Pointee(module_->type_of(pointer)));
}

void Builder::Store(ValueId pointer, ValueId value, ValueId guard) {
  CHECK(module_->types.Pointee(module_->type_of(pointer)) == module_->type_of(value));
  Append(Op::kStore, Guarded({pointer, value}, guard), {});
}

InstId Builder::Copy(ValueId to, ValueId from, ValueId guard) {
  return Append(Op::kCopy, Guarded({to, from}, guard), {});
}

void Builder::ZeroFill(ValueId pointer) { Append(Op::kZeroFill, {&pointer, 1}, {}); }

ValueId Builder::ArrayLength(ValueId pointer) {
  return AppendValue(Op::kArrayLength, {&pointer, 1}, module_->types.U32());
}

ValueId Builder::TextureLoad(ValueId texture, ValueId coordinates, ValueId layer, ValueId level) {
  const TypeId channel = module_->types[module_->type_of(texture)].element;
  const ValueId operands[] = {texture, coordinates, layer, level};
  return AppendValue(Op::kTextureLoad, operands, module_->types.Vector(channel, 4));
}

ValueId Builder::TextureNumber(ValueId texture, abi::TextureNumber number) {
  return AppendValue(Op::kTextureNumber, {&texture, 1}, module_->types.U32(), static_cast<uint32_t>(number));
}

ValueId Builder::AtomicLoad(ValueId pointer, ValueId guard) {
  return AppendValue(Op::kAtomicLoad, Guarded({pointer}, guard), AtomicValueType(*module_, pointer));
}

void Builder::AtomicStore(ValueId pointer, ValueId value, ValueId guard) {
  Append(Op::kAtomicStore, Guarded({pointer, value}, guard), {});
}

ValueId Builder::AtomicRmw(AtomicOp op, ValueId pointer, ValueId value, ValueId guard) {
  return AppendValue(Op::kAtomicRmw, Guarded({pointer, value}, guard), AtomicValueType(*module_, pointer),
                     static_cast<uint32_t>(op));
}

InstId Builder::AtomicCompareExchange(ValueId pointer, ValueId expected, ValueId replacement, ValueId guard) {
  const TypeId results[] = {AtomicValueType(*module_, pointer), module_->types.Bool()};
  return Append(Op::kAtomicCompareExchange, Guarded({pointer, expected, replacement}, guard), results);
}

ValueId Builder::Input(const StageInput& input, TypeId type) {
  return AppendValue(Op::kStageInput, {}, type, Pack(input));
}

void Builder::Output(const StageOutput& output, ValueId value) {
  Append(Op::kStageOutput, {&value, 1}, {}, Pack(output));
}

void Builder::Barrier(uint32_t bits) { Append(Op::kBarrier, {}, {}, bits); }

ValueId Builder::UniformLoad(ValueId pointer) {
  return AppendValue(Op::kUniformLoad, {&pointer, 1}, AtomicValueType(*module_, pointer));
}

// --- calls and control ---

ValueId Builder::Call(FunctionId callee, std::span<const ValueId> arguments) {
  const TypeId type = module_->functions[callee].result;
  if (type == module_->types.Void()) {
    Append(Op::kCall, arguments, {}, callee.index);
    return ValueId::None();
  }
  return AppendValue(Op::kCall, arguments, type, callee.index);
}

InstId Builder::If(ValueId condition, std::span<const TypeId> results) {
  const BlockId regions[] = {module_->AddBlock(), module_->AddBlock()};
  return Append(Op::kIf, {&condition, 1}, results, 0, regions);
}

InstId Builder::Loop(std::span<const ValueId> initial, std::span<const TypeId> results) {
  const BlockId regions[] = {module_->AddBlock(), module_->AddBlock()};
  for (const ValueId v : initial) module_->AddBlockParam(regions[0], module_->type_of(v));
  return Append(Op::kLoop, initial, results, 0, regions);
}

InstId Builder::Switch(ValueId selector, std::vector<SwitchCase> cases, std::span<const TypeId> results) {
  std::vector<BlockId> regions;
  for (size_t i = 0; i < cases.size(); ++i) regions.push_back(module_->AddBlock());
  const SwitchId table = module_->switches.Add(std::move(cases));
  return Append(Op::kSwitch, {&selector, 1}, results, table.index, regions);
}

void Builder::Exit(InstId target, std::span<const ValueId> results) {
  Append(Op::kExit, results, {}, target.index);
}

void Builder::Continue(InstId loop, std::span<const ValueId> params) {
  Append(Op::kContinue, params, {}, loop.index);
}

void Builder::Next(InstId loop, std::span<const ValueId> params) {
  Append(Op::kNext, params, {}, loop.index);
}

void Builder::Return(ValueId value) {
  Append(Op::kReturn, std::span<const ValueId>(&value, value.has_value() ? 1 : 0), {});
}

void Builder::Unreachable() { Append(Op::kUnreachable, {}, {}); }

}  // namespace lockstep::ir
