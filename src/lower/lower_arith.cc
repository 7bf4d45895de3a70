// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Operators (WGSL #arithmetic-expr, #comparison-expr, #bit-expr) on IR values. Sums of products are evaluated
// from left to right, each operation rounded, in every engine.
#include "lower/function_context.h"

namespace lockstep::lower {

ValueId FunctionContext::Spread(ValueId scalar, ir::TypeId like) {
  const uint32_t width = types().Width(like);
  if (width == 1 || Width(scalar) != 1) return scalar;
  const ir::TypeId type = types().Vector(TypeOf(scalar), width);
  if (module().is_constant(scalar))
    return module().ConstantComposite(type, std::vector<ValueId>(width, scalar));
  return b_.Splat(type, scalar);
}

ValueId FunctionContext::Arithmetic(ast::BinaryOp op, ValueId a, ValueId b) {
  const auto is_matrix = [&](ValueId v) { return types()[TypeOf(v)].kind == ir::TypeKind::kMatrix; };
  if (is_matrix(a) || is_matrix(b)) return MatrixArithmetic(op, a, b);
  const ir::TypeId type_a = TypeOf(a), type_b = TypeOf(b);
  a = Spread(a, type_b);
  b = Spread(b, type_a);
  switch (op) {
    case ast::BinaryOp::kAdd:
      return b_.Add(a, b);
    case ast::BinaryOp::kSub:
      return b_.Sub(a, b);
    case ast::BinaryOp::kMul:
      return b_.Mul(a, b);
    case ast::BinaryOp::kDiv:
      return b_.Div(a, b);
    case ast::BinaryOp::kRem:
      return IsFloat(a) ? FloatRemainder(a, b) : b_.Rem(a, b);
    case ast::BinaryOp::kAnd:
      return b_.And(a, b);
    case ast::BinaryOp::kOr:
      return b_.Or(a, b);
    case ast::BinaryOp::kXor:
      return b_.Xor(a, b);
    case ast::BinaryOp::kShl:
      return b_.Shl(a, b);
    case ast::BinaryOp::kShr:
      return b_.Shr(a, b);
    case ast::BinaryOp::kEq:
      return b_.Eq(a, b);
    case ast::BinaryOp::kNe:
      return b_.Ne(a, b);
    case ast::BinaryOp::kLt:
      return b_.Lt(a, b);
    case ast::BinaryOp::kLe:
      return b_.Le(a, b);
    case ast::BinaryOp::kGt:
      return b_.Gt(a, b);
    case ast::BinaryOp::kGe:
      return b_.Ge(a, b);
    case ast::BinaryOp::kLogicalAnd:
    case ast::BinaryOp::kLogicalOr:
      break;
  }
  UNREACHABLE("a short circuit is no arithmetic");
}

// x - y * trunc(x / y), as the accuracy table has it.
ValueId FunctionContext::FloatRemainder(ValueId a, ValueId b) {
  const ValueId whole = b_.Unary(ir::Op::kTrunc, b_.Div(a, b));
  return b_.Sub(a, b_.Mul(b, whole));
}

// ------------------------------------------------------------------------------------------------ matrices

ValueId FunctionContext::MatrixArithmetic(ast::BinaryOp op, ValueId a, ValueId b) {
  const ir::TypeId type_a = TypeOf(a), type_b = TypeOf(b);
  const bool matrix_a = types()[type_a].kind == ir::TypeKind::kMatrix;
  const bool matrix_b = types()[type_b].kind == ir::TypeKind::kMatrix;
  if (op == ast::BinaryOp::kMul && matrix_a && Width(b) > 1 && !matrix_b) return MatrixTimesVector(a, b);
  if (op == ast::BinaryOp::kMul && matrix_b && Width(a) > 1 && !matrix_a) return VectorTimesMatrix(a, b);
  std::vector<ValueId> columns;
  if (op == ast::BinaryOp::kMul && matrix_a && matrix_b) {
    const uint32_t count = types()[type_b].count;
    for (uint32_t i = 0; i < count; ++i) columns.push_back(MatrixTimesVector(a, b_.Extract(b, i)));
    return b_.Construct(types().Matrix(types()[type_a].element, count), columns);
  }
  // Column by column: sums and differences, products with a scalar.
  const ir::TypeId type = matrix_a ? type_a : type_b;
  const uint32_t count = types()[type].count;
  for (uint32_t i = 0; i < count; ++i) {
    columns.push_back(Arithmetic(op, matrix_a ? b_.Extract(a, i) : a, matrix_b ? b_.Extract(b, i) : b));
  }
  return b_.Construct(type, columns);
}

// The sum of the columns, each times its component.
ValueId FunctionContext::MatrixTimesVector(ValueId matrix, ValueId vector) {
  const ir::TypeId column = types()[TypeOf(matrix)].element;
  ValueId sum = ValueId::None();
  for (uint32_t i = 0; i < Width(vector); ++i) {
    const ValueId term = b_.Mul(b_.Extract(matrix, i), Spread(b_.Extract(vector, i), column));
    sum = sum.has_value() ? b_.Add(sum, term) : term;
  }
  return sum;
}

// A dot product a column.
ValueId FunctionContext::VectorTimesMatrix(ValueId vector, ValueId matrix) {
  const uint32_t columns = types()[TypeOf(matrix)].count;
  std::vector<ValueId> components;
  for (uint32_t i = 0; i < columns; ++i) components.push_back(Dot(vector, b_.Extract(matrix, i)));
  return b_.Construct(types().Vector(types().ScalarOf(TypeOf(vector)), columns), components);
}

ValueId FunctionContext::SumOfComponents(ValueId vector) {
  ValueId sum = b_.Extract(vector, 0);
  for (uint32_t i = 1; i < Width(vector); ++i) sum = b_.Add(sum, b_.Extract(vector, i));
  return sum;
}

ValueId FunctionContext::Dot(ValueId a, ValueId b) { return SumOfComponents(b_.Mul(a, b)); }

}  // namespace lockstep::lower
