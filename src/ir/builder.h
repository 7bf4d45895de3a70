// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Appends instructions to a block. Types of results follow from operands where they can, so that emitting
// code reads like the code that it emits:
//     ValueId next = b.Add(k, b.U32(1));
//     b.Store(b.Access(tile, {l}), next);
// A Builder is a cursor: cheap to copy, holds no state but where it stands and the span that it gives
// instructions.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>

#include "ir/module.h"

namespace lockstep::ir {

class Builder {
 public:
  Builder(Module* module, BlockId block) : module_(module), block_(block) {}

  Module& module() const { return *module_; }
  BlockId block() const { return block_; }
  void set_block(BlockId block) { block_ = block; }
  void set_span(Span span) { span_ = span; }
  Span span() const { return span_; }
  // True once the block has its Exit-kind instruction: nothing may follow.
  bool terminated() const;

  // --- constants ---
  ValueId U32(uint32_t v) { return module_->ConstantU32(v); }
  ValueId I32(int32_t v) { return module_->ConstantI32(v); }
  ValueId F32(float v) { return module_->ConstantF32(v); }
  ValueId Bool(bool v) { return module_->ConstantBool(v); }
  // `v` as a constant of `type`, a numeric scalar or a vector of it (splatted).
  ValueId Number(TypeId type, double v);

  // --- arithmetic: one line each, see op.def ---
  ValueId Unary(Op op, ValueId a);
  ValueId Binary(Op op, ValueId a, ValueId b);  // and Compare: the result's type follows
  ValueId Ternary(Op op, ValueId a, ValueId b, ValueId c);
  ValueId Neg(ValueId a) { return Unary(Op::kNeg, a); }
  ValueId Not(ValueId a) { return Unary(Op::kNot, a); }
  ValueId Abs(ValueId a) { return Unary(Op::kAbs, a); }
  ValueId Floor(ValueId a) { return Unary(Op::kFloor, a); }
  ValueId Sqrt(ValueId a) { return Unary(Op::kSqrt, a); }
  ValueId Add(ValueId a, ValueId b) { return Binary(Op::kAdd, a, b); }
  ValueId Sub(ValueId a, ValueId b) { return Binary(Op::kSub, a, b); }
  ValueId Mul(ValueId a, ValueId b) { return Binary(Op::kMul, a, b); }
  ValueId Div(ValueId a, ValueId b) { return Binary(Op::kDiv, a, b); }
  ValueId Rem(ValueId a, ValueId b) { return Binary(Op::kRem, a, b); }
  ValueId Min(ValueId a, ValueId b) { return Binary(Op::kMin, a, b); }
  ValueId Max(ValueId a, ValueId b) { return Binary(Op::kMax, a, b); }
  ValueId And(ValueId a, ValueId b) { return Binary(Op::kAnd, a, b); }
  ValueId Or(ValueId a, ValueId b) { return Binary(Op::kOr, a, b); }
  ValueId Xor(ValueId a, ValueId b) { return Binary(Op::kXor, a, b); }
  ValueId Shl(ValueId a, ValueId b) { return Binary(Op::kShl, a, b); }
  ValueId Shr(ValueId a, ValueId b) { return Binary(Op::kShr, a, b); }
  ValueId Eq(ValueId a, ValueId b) { return Binary(Op::kEq, a, b); }
  ValueId Ne(ValueId a, ValueId b) { return Binary(Op::kNe, a, b); }
  ValueId Lt(ValueId a, ValueId b) { return Binary(Op::kLt, a, b); }
  ValueId Le(ValueId a, ValueId b) { return Binary(Op::kLe, a, b); }
  ValueId Gt(ValueId a, ValueId b) { return Binary(Op::kGt, a, b); }
  ValueId Ge(ValueId a, ValueId b) { return Binary(Op::kGe, a, b); }
  ValueId Fma(ValueId a, ValueId b, ValueId c) { return Ternary(Op::kFma, a, b, c); }

  // --- conversions and composites ---
  ValueId Convert(TypeId to, ValueId a);  // returns `a` where it has that type already
  ValueId Bitcast(TypeId to, ValueId a);
  ValueId Select(ValueId condition, ValueId if_true, ValueId if_false);
  ValueId Splat(TypeId vector, ValueId scalar);
  ValueId Construct(TypeId type, std::span<const ValueId> parts);
  ValueId Construct(TypeId type, std::initializer_list<ValueId> parts);
  ValueId Extract(ValueId composite, uint32_t part);
  ValueId ExtractDynamic(ValueId composite, ValueId index);
  ValueId Insert(ValueId composite, ValueId part_value, uint32_t part);
  ValueId Swizzle(ValueId vector, std::initializer_list<uint32_t> components);
  ValueId Swizzle(ValueId vector, std::span<const uint32_t> components);
  ValueId BuiltinInput(Builtin builtin);

  // --- memory; guards are optional (None) ---
  ValueId Var(TypeId type, std::string_view name = {});
  ValueId Access(ValueId pointer, std::span<const ValueId> indices);
  ValueId Access(ValueId pointer, std::initializer_list<ValueId> indices);
  ValueId Load(ValueId pointer);
  void Store(ValueId pointer, ValueId value, ValueId guard = ValueId::None());
  InstId Copy(ValueId to, ValueId from, ValueId guard = ValueId::None());
  void ZeroFill(ValueId pointer);
  ValueId ArrayLength(ValueId pointer);
  // A texel's four channels; `level` is a sample's number where the texture is multisampled.
  ValueId TextureLoad(ValueId texture, ValueId coordinates, ValueId layer, ValueId level);
  ValueId TextureNumber(ValueId texture, abi::TextureNumber number);
  ValueId AtomicLoad(ValueId pointer, ValueId guard = ValueId::None());
  void AtomicStore(ValueId pointer, ValueId value, ValueId guard = ValueId::None());
  ValueId AtomicRmw(AtomicOp op, ValueId pointer, ValueId value, ValueId guard = ValueId::None());
  InstId AtomicCompareExchange(ValueId pointer, ValueId expected, ValueId replacement,
                               ValueId guard = ValueId::None());  // two results: old, exchanged
  void Barrier(uint32_t bits);
  ValueId Input(const StageInput& input, TypeId type);
  void Output(const StageOutput& output, ValueId value);
  ValueId UniformLoad(ValueId pointer);

  // --- calls and control ---
  ValueId Call(FunctionId callee, std::span<const ValueId> arguments);  // None for a void function
  // The regions are fresh, empty blocks that the caller fills.
  InstId If(ValueId condition, std::span<const TypeId> results = {});
  InstId Loop(std::span<const ValueId> initial = {},
              std::span<const TypeId> results = {});  // body params made
  InstId Switch(ValueId selector, std::vector<SwitchCase> cases, std::span<const TypeId> results = {});
  void Exit(InstId target, std::span<const ValueId> results = {});
  void Continue(InstId loop, std::span<const ValueId> params = {});
  void Next(InstId loop, std::span<const ValueId> params = {});
  void Return(ValueId value = ValueId::None());
  void Unreachable();

  // Any instruction, appended here.
  InstId Append(Op op, std::span<const ValueId> operands, std::span<const TypeId> result_types,
                uint32_t imm = 0, std::span<const BlockId> regions = {});

 private:
  ValueId AppendValue(Op op, std::span<const ValueId> operands, TypeId type, uint32_t imm = 0);

  Module* module_;
  BlockId block_;
  Span span_;
};

}  // namespace lockstep::ir
