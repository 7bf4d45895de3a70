// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// References, pointers, and values that are too large to be IR values.
#include "abi/observe.h"
#include "lower/function_context.h"

namespace lockstep::lower {

// Whether the value of the expression lies in memory: where a reference is meant, or it is large, or part of
// such.
bool FunctionContext::InMemory(ast::ExprId id) {
  while (true) {
    const wgsl::ExprInfo& facts = info(id);
    if (m_.ConstantOf(id).has_value()) return IsLarge(id);
    if (program_.types.IsReference(facts.type)) return true;
    if (program_.types.IsPointer(facts.type)) return false;
    if (IsLarge(id)) return true;
    const ast::Expr& e = expr(id);
    const bool part = e.kind == ast::ExprKind::kIndex ||
                      (e.kind == ast::ExprKind::kMember && facts.use != wgsl::ExprUse::kSwizzle);
    if (part && facts.through_pointer) return true;
    if (!part && e.kind != ast::ExprKind::kParen) return false;
    id = e.a;
  }
}

Place FunctionContext::BaseOf(ast::ExprId id) {
  return info(id).through_pointer ? PointerOf(expr(id).a) : PlaceOf(expr(id).a);
}

Place FunctionContext::Part(const Place& whole, uint32_t part) {
  Place result = whole;
  result.indices.push_back(b_.U32(part));
  return result;
}

Place FunctionContext::PlaceOf(ast::ExprId id) {
  const ast::Expr& e = expr(id);
  const wgsl::ExprInfo& facts = info(id);
  const At at(this, e.span);
  const wgsl::ConstantId constant = m_.ConstantOf(id);
  if (constant.has_value()) return {m_.Table(m_.Constant(constant)), {}};
  if (e.kind == ast::ExprKind::kParen) return PlaceOf(e.a);
  if (e.kind == ast::ExprKind::kIdentifier) {
    const auto found = names_.find(facts.variable);
    if (found == names_.end()) return {m_.Global(facts.variable), {}};
    return found->second.place;
  }
  if (e.kind == ast::ExprKind::kUnary && e.unary == ast::UnaryOp::kIndirection) return PointerOf(e.a);
  if (e.kind == ast::ExprKind::kIndex) {
    Place place = BaseOf(id);
    place.indices.push_back(IndexValue(e.b));
    return place;
  }
  if (e.kind == ast::ExprKind::kMember && facts.use != wgsl::ExprUse::kSwizzle)
    return Part(BaseOf(id), facts.part);
  const Place temporary = Temporary(ValueType(id));
  EvaluateInto(id, temporary);
  return temporary;
}

Place FunctionContext::PointerOf(ast::ExprId id) {
  const ast::Expr& e = expr(id);
  if (e.kind == ast::ExprKind::kParen) return PointerOf(e.a);
  if (e.kind == ast::ExprKind::kUnary && e.unary == ast::UnaryOp::kAddressOf) return PlaceOf(e.a);
  CHECK(e.kind == ast::ExprKind::kIdentifier);
  return names_.at(info(id).variable).place;
}

void FunctionContext::EvaluateInto(ast::ExprId id, const Place& to) {
  const ast::Expr& e = expr(id);
  const wgsl::ExprInfo& facts = info(id);
  const At at(this, e.span);
  CHECK(e.kind == ast::ExprKind::kCall);  // PlaceOf knows the others
  switch (facts.use) {
    case wgsl::ExprUse::kCallFunction:
      CallFunction(id, &to);
      return;
    case wgsl::ExprUse::kConstruct:
      return ConstructInto(id, to);
    case wgsl::ExprUse::kZeroValue:
      return b_.ZeroFill(Address(to));
    case wgsl::ExprUse::kCallBuiltin: {
      // The only builtin with results of this size.
      CHECK(facts.builtin == wgsl::Builtin::kWorkgroupUniformLoad);
      const Place from = PointerOf(program_.ast.list(e.args)[0]);
      const ValueId from_address = Address(from);
      b_.Barrier(abi::kBarrierWorkgroup);
      b_.Copy(Address(to), from_address);
      return b_.Barrier(abi::kBarrierWorkgroup);
    }
    case wgsl::ExprUse::kNone:
    case wgsl::ExprUse::kVariable:
    case wgsl::ExprUse::kTypeName:
    case wgsl::ExprUse::kConvert:
    case wgsl::ExprUse::kSwizzle:
    case wgsl::ExprUse::kComponent:
    case wgsl::ExprUse::kStructMember:
      UNREACHABLE("no expression of this kind is so large");
  }
}

// An array or struct; `to` is not visible to the arguments.
void FunctionContext::ConstructInto(ast::ExprId id, const Place& to) {
  const std::span<const ast::ExprId> args = program_.ast.list(expr(id).args);
  for (uint32_t i = 0; i < args.size(); ++i) {
    const Place part = Part(to, i);
    if (!IsLarge(args[i])) {
      const ValueId value = Value(args[i]);
      b_.Store(Address(part), value);
      continue;
    }
    const Place from = PlaceOf(args[i]);
    const ValueId from_address = Address(from);
    Copy(Address(part), from_address, args[i]);
  }
}

void FunctionContext::Copy(ValueId to, ValueId from, ast::ExprId id) {
  module().set_read_span(b_.Copy(to, from), expr(id).span);
}

void FunctionContext::InitializeZero(ValueId var, ir::TypeId type) {
  if (m_.IsLarge(type))
    b_.ZeroFill(var);
  else
    b_.Store(var, module().ConstantZero(type));
}

}  // namespace lockstep::lower
