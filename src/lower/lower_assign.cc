// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Assignments: the left side is evaluated first and once (WGSL #assignment), then the right side, then the
// store.
#include "lower/function_context.h"

namespace lockstep::lower {

ast::ExprId FunctionContext::AsSwizzle(ast::ExprId id) const {
  while (expr(id).kind == ast::ExprKind::kParen) id = expr(id).a;
  return info(id).use == wgsl::ExprUse::kSwizzle ? id : ast::ExprId::None();
}

// Component by component: the others stay untouched in memory.
void FunctionContext::StoreSwizzle(const Place& vector, const wgsl::ExprInfo& swizzle, ValueId value) {
  for (uint32_t i = 0; i < swizzle.swizzle_count; ++i) {
    b_.Store(Address(Part(vector, swizzle.swizzle[i])), b_.Extract(value, i));
  }
}

void FunctionContext::Assign(const ast::Stmt& s) {
  const ast::ExprId swizzle = AsSwizzle(s.a);
  if (swizzle.has_value()) {
    const Place vector = BaseOf(swizzle);
    const ValueId value = Value(s.b);
    const At at(this, expr(s.a).span);
    return StoreSwizzle(vector, info(swizzle), value);
  }
  const Place to = PlaceOf(s.a);
  if (IsLarge(s.b)) {
    // PlaceOf a large value is either a variable, which Copy may overlap only with itself, or a temporary.
    const Place from = PlaceOf(s.b);
    const ValueId from_address = Address(from);
    const At at(this, expr(s.a).span);
    return Copy(Address(to), from_address, s.b);
  }
  const ValueId value = Value(s.b);
  const At at(this, expr(s.a).span);
  b_.Store(Address(to), value);
}

void FunctionContext::CompoundAssign(const ast::Stmt& s) {
  const At at(this, expr(s.a).span);  // both accesses are of the left side
  const ast::ExprId swizzle = AsSwizzle(s.a);
  if (swizzle.has_value()) {
    const wgsl::ExprInfo& facts = info(swizzle);
    const Place vector = BaseOf(swizzle);
    std::vector<uint32_t> components(facts.swizzle.begin(), facts.swizzle.begin() + facts.swizzle_count);
    const ValueId old = b_.Swizzle(LoadFrom(vector), components);
    return StoreSwizzle(vector, facts, Arithmetic(s.binary, old, Value(s.b)));
  }
  const Place to = PlaceOf(s.a);
  const ValueId old = LoadFrom(to);
  const ValueId result = Arithmetic(s.binary, old, Value(s.b));
  b_.Store(Address(to), result);
}

void FunctionContext::Step(const ast::Stmt& s, ast::BinaryOp op) {
  const At at(this, expr(s.a).span);
  const Place to = PlaceOf(s.a);
  const ValueId old = LoadFrom(to);
  b_.Store(Address(to), Arithmetic(op, old, NumberLike(old, 1)));
}

}  // namespace lockstep::lower
