// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Builtins on memory: arrayLength, atomics, barriers.
#include "abi/observe.h"
#include "lower/function_context.h"

namespace lockstep::lower {

ValueId FunctionContext::MemoryBuiltin(ast::ExprId id) {
  using B = wgsl::Builtin;
  const std::span<const ast::ExprId> args = program_.ast.list(expr(id).args);
  const wgsl::Builtin builtin = info(id).builtin;
  const auto barrier = [&](uint32_t bits) {
    b_.Barrier(bits);
    return ValueId::None();
  };
  const auto rmw = [&](ir::AtomicOp op) { return Atomic(op, args[0], args[1]); };
  if (builtin == B::kArrayLength) return b_.ArrayLength(Address(PointerOf(args[0])));
  if (builtin == B::kAtomicLoad) return b_.AtomicLoad(Address(PointerOf(args[0])));
  if (builtin == B::kAtomicStore) {
    const Place place = PointerOf(args[0]);
    const ValueId value = Value(args[1]);
    b_.AtomicStore(Address(place), value);
    return ValueId::None();
  }
  if (builtin == B::kAtomicAdd) return rmw(ir::AtomicOp::kAdd);
  if (builtin == B::kAtomicSub) return rmw(ir::AtomicOp::kSub);
  if (builtin == B::kAtomicMax) return rmw(ir::AtomicOp::kMax);
  if (builtin == B::kAtomicMin) return rmw(ir::AtomicOp::kMin);
  if (builtin == B::kAtomicAnd) return rmw(ir::AtomicOp::kAnd);
  if (builtin == B::kAtomicOr) return rmw(ir::AtomicOp::kOr);
  if (builtin == B::kAtomicXor) return rmw(ir::AtomicOp::kXor);
  if (builtin == B::kAtomicExchange) return rmw(ir::AtomicOp::kExchange);
  if (builtin == B::kAtomicCompareExchangeWeak) return CompareExchange(id);
  if (builtin == B::kStorageBarrier) return barrier(abi::kBarrierStorage);
  if (builtin == B::kTextureBarrier) return barrier(abi::kBarrierTexture);
  if (builtin == B::kWorkgroupBarrier) return barrier(abi::kBarrierWorkgroup);
  CHECK(builtin == B::kWorkgroupUniformLoad);
  return b_.UniformLoad(Address(PointerOf(args[0])));
}

ValueId FunctionContext::Atomic(ir::AtomicOp op, ast::ExprId pointer, ast::ExprId value) {
  const Place place = PointerOf(pointer);
  const ValueId operand = Value(value);
  return b_.AtomicRmw(op, Address(place), operand);
}

ValueId FunctionContext::CompareExchange(ast::ExprId id) {
  const std::span<const ast::ExprId> args = program_.ast.list(expr(id).args);
  const Place place = PointerOf(args[0]);
  const ValueId expected = Value(args[1]);
  const ValueId replacement = Value(args[2]);
  const ir::InstId inst = b_.AtomicCompareExchange(Address(place), expected, replacement);
  return b_.Construct(ValueType(id), module().results(inst));
}

}  // namespace lockstep::lower
