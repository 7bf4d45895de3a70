// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Expressions that give IR values. Operands are evaluated from left to right, each with its loads (WGSL
// #program-order), so that `x + f()` adds the x of before the call.
#include "lower/function_context.h"

namespace lockstep::lower {

ValueId FunctionContext::Value(ast::ExprId id) {
  const At at(this, expr(id).span);
  const wgsl::ConstantId constant = m_.ConstantOf(id);
  if (constant.has_value()) return m_.Constant(constant);
  if (InMemory(id)) return LoadFrom(PlaceOf(id));
  return RuntimeValue(id);
}

ValueId FunctionContext::RuntimeValue(ast::ExprId id) {
  const ast::Expr& e = expr(id);
  switch (e.kind) {
    case ast::ExprKind::kParen:
      return Value(e.a);
    case ast::ExprKind::kIdentifier:
      return Identifier(id);
    case ast::ExprKind::kCall:
      return Call(id);
    case ast::ExprKind::kIndex:
      return Index(id);
    case ast::ExprKind::kMember:
      return Member(id);
    case ast::ExprKind::kUnary:
      return Unary(e);
    case ast::ExprKind::kBinary: {
      if (e.binary == ast::BinaryOp::kLogicalAnd || e.binary == ast::BinaryOp::kLogicalOr)
        return ShortCircuit(e);
      const ValueId a = Value(e.a);
      const ValueId b = Value(e.b);
      return Arithmetic(e.binary, a, b);
    }
    case ast::ExprKind::kBool:
    case ast::ExprKind::kInt:
    case ast::ExprKind::kFloat:
      break;  // constants
  }
  UNREACHABLE("a literal without a value");
}

ValueId FunctionContext::Identifier(ast::ExprId id) {
  const wgsl::VariableId variable = info(id).variable;
  const auto found = names_.find(variable);
  if (found != names_.end()) return found->second.value;
  const wgsl::ConstantId constant = program_.variables[variable].kind == wgsl::VariableKind::kOverride
                                        ? m_.overrides.Value(variable)
                                        : program_.variables[variable].value;
  CHECK(constant.has_value());
  return m_.Constant(constant);
}

// An index as u32: a negative one becomes a large one, which is as far out of range.
ValueId FunctionContext::IndexValue(ast::ExprId id) {
  const ValueId value = Value(id);
  uint32_t bits = 0;
  if (module().ConstantScalar(value, &bits)) return b_.U32(bits);
  return b_.Bitcast(types().U32(), value);
}

ValueId FunctionContext::Index(ast::ExprId id) {
  const ast::Expr& e = expr(id);
  const ValueId base = Value(e.a);
  const ValueId index = IndexValue(e.b);
  uint32_t part = 0;
  if (!module().ConstantScalar(index, &part)) return b_.ExtractDynamic(base, index);
  const uint32_t count = types().PartCount(TypeOf(base));
  return b_.Extract(base, std::min(part, count - 1));
}

ValueId FunctionContext::Member(ast::ExprId id) {
  const wgsl::ExprInfo& facts = info(id);
  if (facts.use != wgsl::ExprUse::kSwizzle) return b_.Extract(Value(expr(id).a), facts.part);
  const ValueId vector = facts.through_pointer ? LoadFrom(PointerOf(expr(id).a)) : Value(expr(id).a);
  const std::vector<uint32_t> components(facts.swizzle.begin(), facts.swizzle.begin() + facts.swizzle_count);
  return b_.Swizzle(vector, components);
}

ValueId FunctionContext::Unary(const ast::Expr& e) {
  const ValueId a = Value(e.a);
  switch (e.unary) {
    case ast::UnaryOp::kNegate:
      return b_.Neg(a);
    case ast::UnaryOp::kNot:
    case ast::UnaryOp::kComplement:
      return b_.Not(a);
    case ast::UnaryOp::kAddressOf:
    case ast::UnaryOp::kIndirection:
      break;
  }
  UNREACHABLE("a pointer is no value");
}

// a && b: if a { b } else { false };  a || b: if a { true } else { b }
ValueId FunctionContext::ShortCircuit(const ast::Expr& e) {
  const bool is_and = e.binary == ast::BinaryOp::kLogicalAnd;
  const ValueId left = Value(e.a);
  uint32_t known = 0;
  // With the left side known the right side is either the result or not evaluated at all.
  if (module().ConstantScalar(left, &known)) return (known != 0) == is_and ? Value(e.b) : left;
  const ir::TypeId type = types().Bool();
  const ir::InstId inst = b_.If(left, {&type, 1});
  const ir::BlockId outside = b_.block();
  for (int region = 0; region < 2; ++region) {
    b_.set_block(module().regions(inst)[region]);
    const bool evaluates = (region == 0) == is_and;
    const ValueId result = evaluates ? Value(e.b) : b_.Bool(!is_and);
    b_.Exit(inst, {&result, 1});
  }
  b_.set_block(outside);
  return module().result(inst);
}

// ------------------------------------------------------------------------------------------------ calls

ValueId FunctionContext::Call(ast::ExprId id) {
  const wgsl::ExprInfo& facts = info(id);
  switch (facts.use) {
    case wgsl::ExprUse::kCallFunction:
      return CallFunction(id, nullptr);
    case wgsl::ExprUse::kCallBuiltin:
      return CallBuiltin(id);
    case wgsl::ExprUse::kZeroValue:
      return module().ConstantZero(ValueType(id));
    case wgsl::ExprUse::kConvert:
    case wgsl::ExprUse::kConstruct: {
      std::vector<ValueId> parts;
      for (const ast::ExprId arg : program_.ast.list(expr(id).args)) parts.push_back(Value(arg));
      return Construct(ValueType(id), parts);
    }
    case wgsl::ExprUse::kNone:
    case wgsl::ExprUse::kVariable:
    case wgsl::ExprUse::kTypeName:
    case wgsl::ExprUse::kSwizzle:
    case wgsl::ExprUse::kComponent:
    case wgsl::ExprUse::kStructMember:
      break;
  }
  UNREACHABLE("not a call");
}

// `result`: where a large result goes.
ValueId FunctionContext::CallFunction(ast::ExprId id, const Place* result) {
  std::vector<ValueId> arguments;
  if (result != nullptr) arguments.push_back(Address(*result));
  for (const ast::ExprId arg : program_.ast.list(expr(id).args)) {
    const wgsl::TypeId type = info(arg).type;
    if (IsHandle(arg)) {
      if (!IsSampler(arg)) arguments.push_back(Texture(arg));
    } else if (program_.types.IsPointer(type)) {
      arguments.push_back(Address(PointerOf(arg)));
    } else if (IsLarge(arg)) {
      // A copy: later arguments may write what this one read, and the callee may write it through a pointer.
      const Place from = PlaceOf(arg);
      const ValueId from_address = Address(from);
      const Place copy = Temporary(ValueType(arg));
      Copy(copy.root, from_address, arg);
      arguments.push_back(copy.root);
    } else {
      arguments.push_back(Value(arg));
    }
  }
  return b_.Call(m_.Function(info(id).function), arguments);
}

// ------------------------------------------------------------------------------------------------
// constructors

ValueId FunctionContext::Construct(ir::TypeId type, std::span<const ValueId> parts) {
  switch (types()[type].kind) {
    case ir::TypeKind::kVector:
      return ConstructVector(type, parts);
    case ir::TypeKind::kMatrix:
      return ConstructMatrix(type, parts);
    case ir::TypeKind::kArray:
    case ir::TypeKind::kStruct:
      return b_.Construct(type, parts);
    case ir::TypeKind::kBool:
    case ir::TypeKind::kI32:
    case ir::TypeKind::kU32:
    case ir::TypeKind::kF32:
    case ir::TypeKind::kF16:
      return b_.Convert(type, parts[0]);
    case ir::TypeKind::kVoid:
    case ir::TypeKind::kRuntimeArray:
    case ir::TypeKind::kAtomic:
    case ir::TypeKind::kPointer:
    case ir::TypeKind::kTexture:
      break;
  }
  UNREACHABLE("not constructible");
}

ValueId FunctionContext::ConstructVector(ir::TypeId type, std::span<const ValueId> parts) {
  if (parts.size() == 1) {
    if (Width(parts[0]) > 1) return b_.Convert(type, parts[0]);
    return b_.Splat(type, b_.Convert(types().ScalarOf(type), parts[0]));
  }
  std::vector<ValueId> components;
  for (const ValueId part : parts) {
    const uint32_t width = Width(part);
    for (uint32_t i = 0; i < width; ++i) components.push_back(width == 1 ? part : b_.Extract(part, i));
  }
  return b_.Construct(type, components);
}

ValueId FunctionContext::ConstructMatrix(ir::TypeId type, std::span<const ValueId> parts) {
  const ir::TypeId column = types()[type].element;
  const uint32_t columns = types()[type].count;
  if (parts.size() == 1) return parts[0];  // a matrix of the same type
  if (parts.size() == columns) return b_.Construct(type, parts);
  const uint32_t rows = types().Width(column);
  std::vector<ValueId> made;
  for (uint32_t i = 0; i < columns; ++i)
    made.push_back(b_.Construct(column, parts.subspan(size_t{i} * rows, rows)));
  return b_.Construct(type, made);
}

}  // namespace lockstep::lower
