// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Operators on constants (WGSL #arithmetic-expr, #comparison-expr, #bit-expr, #logical-expr). i32 and u32
// wrap, abstract-int and floats must not overflow; what is an error for one component is an error for the
// expression.
#include <cmath>

#include "support/check.h"
#include "wgsl/const_eval_internal.h"
#include "wgsl/diagnostics.h"

namespace lockstep::wgsl::const_eval {
namespace {

using ast::BinaryOp;
using ast::UnaryOp;

// The width that shift counts are measured against.
uint32_t BitWidth(TypeKind kind) { return kind == TypeKind::kAbstractInt ? 64 : 32; }

ConstantId Overflow(Context& c, BinaryOp op, ConstantId a, ConstantId b, TypeId result) {
  return c.Fail(kConstOverflow, fmt::format("{} {} {}", c.Text(a), ast::BinaryOpText(op), c.Text(b)),
                c.Text(result));
}

bool IsComparison(BinaryOp op) {
  return op == BinaryOp::kEq || op == BinaryOp::kNe || op == BinaryOp::kLt || op == BinaryOp::kLe ||
         op == BinaryOp::kGt || op == BinaryOp::kGe;
}

template <typename T>
bool Compare(BinaryOp op, T a, T b) {
  if (op == BinaryOp::kEq) return a == b;
  if (op == BinaryOp::kNe) return a != b;
  if (op == BinaryOp::kLt) return a < b;
  if (op == BinaryOp::kLe) return a <= b;
  if (op == BinaryOp::kGt) return a > b;
  return a >= b;
}

// False where abstract-int overflows; narrower types never overflow 64 bits.
bool Arithmetic(BinaryOp op, int64_t a, int64_t b, int64_t* out) {
  if (op == BinaryOp::kAdd) return !__builtin_add_overflow(a, b, out);
  if (op == BinaryOp::kSub) return !__builtin_sub_overflow(a, b, out);
  return !__builtin_mul_overflow(a, b, out);
}

ConstantId IntArithmetic(Context& c, BinaryOp op, TypeId result, ConstantId a, ConstantId b) {
  int64_t value = 0;
  if (c.KindOf(result) == TypeKind::kU32) {  // the product of two u32 may leave int64_t
    const uint64_t x = static_cast<uint64_t>(c.I(a)), y = static_cast<uint64_t>(c.I(b));
    const uint64_t wrapped = op == BinaryOp::kAdd ? x + y : op == BinaryOp::kSub ? x - y : x * y;
    return c.constants.Int(result, static_cast<uint32_t>(wrapped));
  }
  if (!Arithmetic(op, c.I(a), c.I(b), &value)) return Overflow(c, op, a, b, result);
  return c.WrappedInt(result, value);
}

ConstantId IntDivision(Context& c, BinaryOp op, TypeId result, ConstantId a, ConstantId b) {
  const bool is_div = op == BinaryOp::kDiv;
  const int64_t x = c.I(a), y = c.I(b);
  if (y == 0) return is_div ? c.Fail(kDivisionByZero) : c.Fail(kRemainderByZero);
  const TypeKind kind = c.KindOf(result);
  const int64_t lowest = kind == TypeKind::kI32 ? INT32_MIN : INT64_MIN;
  if (kind != TypeKind::kU32 && x == lowest && y == -1) return Overflow(c, op, a, b, result);
  return c.constants.Int(result, is_div ? x / y : x % y);
}

ConstantId ShiftLeft(Context& c, TypeId result, ConstantId a, ConstantId b) {
  const int64_t x = c.I(a);
  const uint32_t width = BitWidth(c.KindOf(result));
  const uint64_t count = static_cast<uint64_t>(c.I(b));
  if (count >= width && x == 0) return a;  // only abstract-int gets here: no bit is lost
  if (count >= width) return Overflow(c, BinaryOp::kShl, a, b, result);
  const int64_t shifted = static_cast<int64_t>(static_cast<uint64_t>(x) << count);
  const ConstantId value = c.WrappedInt(result, shifted);
  // No bit is lost exactly where shifting back restores the operand.
  if (c.I(value) >> count != x) return Overflow(c, BinaryOp::kShl, a, b, result);
  return value;
}

ConstantId ShiftRight(Context& c, TypeId result, ConstantId a, ConstantId b) {
  const uint64_t count = std::min<uint64_t>(static_cast<uint64_t>(c.I(b)), 63);
  return c.constants.Int(result, c.I(a) >> count);
}

ConstantId IntBinary(Context& c, BinaryOp op, TypeId result, ConstantId a, ConstantId b) {
  switch (op) {
    case BinaryOp::kAdd:
    case BinaryOp::kSub:
    case BinaryOp::kMul:
      return IntArithmetic(c, op, result, a, b);
    case BinaryOp::kDiv:
    case BinaryOp::kRem:
      return IntDivision(c, op, result, a, b);
    case BinaryOp::kAnd:
      return c.constants.Int(result, c.I(a) & c.I(b));
    case BinaryOp::kOr:
      return c.constants.Int(result, c.I(a) | c.I(b));
    case BinaryOp::kXor:
      return c.constants.Int(result, c.I(a) ^ c.I(b));
    case BinaryOp::kShl:
      return ShiftLeft(c, result, a, b);
    case BinaryOp::kShr:
      return ShiftRight(c, result, a, b);
    case BinaryOp::kEq:
    case BinaryOp::kNe:
    case BinaryOp::kLt:
    case BinaryOp::kLe:
    case BinaryOp::kGt:
    case BinaryOp::kGe:
    case BinaryOp::kLogicalAnd:
    case BinaryOp::kLogicalOr:
      break;
  }
  UNREACHABLE("operator without an integer form");
}

ConstantId FloatBinary(Context& c, BinaryOp op, TypeId result, ConstantId a, ConstantId b) {
  const double x = c.F(a), y = c.F(b);
  FloatOps ops(c.KindOf(result));
  double value = 0;
  if (op == BinaryOp::kAdd) value = ops.Add(x, y);
  if (op == BinaryOp::kSub) value = ops.Sub(x, y);
  if (op == BinaryOp::kMul) value = ops.Mul(x, y);
  if (op == BinaryOp::kDiv) {
    if (y == 0) return c.Fail(kDivisionByZero);
    value = ops.Div(x, y);
  }
  if (op == BinaryOp::kRem) {
    if (y == 0) return c.Fail(kRemainderByZero);
    value = ops.Round(std::fmod(x, y));
  }
  return ops.ok() ? c.constants.Float(result, value) : Overflow(c, op, a, b, result);
}

ConstantId ScalarBinary(Context& c, BinaryOp op, TypeId result, ConstantId a, ConstantId b) {
  const bool is_float = c.IsFloat(a);
  if (IsComparison(op)) return c.Bool(is_float ? Compare(op, c.F(a), c.F(b)) : Compare(op, c.I(a), c.I(b)));
  return is_float ? FloatBinary(c, op, result, a, b) : IntBinary(c, op, result, a, b);
}

// --- matrix products: sums of products in the order of rows, each step rounded ---

bool IsMatrix(Context& c, ConstantId id) { return c.KindOf(id) == TypeKind::kMatrix; }

// Component (column, row) of a matrix; a vector is a single column.
double Element(Context& c, ConstantId m, uint32_t column, uint32_t row) {
  return c.F(c.Part(IsMatrix(c, m) ? c.Part(m, column) : m, row));
}

// matrix * vector: a vector of the matrix's rows.
ConstantId MatrixTimesVector(Context& c, TypeId result, ConstantId m, ConstantId v, FloatOps* ops) {
  const TypeId scalar = c.types.ScalarOf(result);
  std::vector<ConstantId> parts;
  for (uint32_t row = 0; row < PartCount(c.types, result); ++row) {
    double sum = 0;
    for (uint32_t k = 0; k < PartCount(c.types, c.TypeOf(m)); ++k) {
      const double product = ops->Mul(Element(c, m, k, row), Element(c, v, 0, k));
      sum = k == 0 ? product : ops->Add(sum, product);
    }
    parts.push_back(c.constants.Float(scalar, ops->ok() ? sum : 0));
  }
  return c.constants.Composite(result, std::move(parts));
}

// vector * matrix: a vector of the matrix's columns.
ConstantId VectorTimesMatrix(Context& c, TypeId result, ConstantId v, ConstantId m, FloatOps* ops) {
  const TypeId scalar = c.types.ScalarOf(result);
  std::vector<ConstantId> parts;
  for (uint32_t column = 0; column < PartCount(c.types, result); ++column) {
    double sum = 0;
    for (uint32_t k = 0; k < PartCount(c.types, c.TypeOf(v)); ++k) {
      const double product = ops->Mul(Element(c, v, 0, k), Element(c, m, column, k));
      sum = k == 0 ? product : ops->Add(sum, product);
    }
    parts.push_back(c.constants.Float(scalar, ops->ok() ? sum : 0));
  }
  return c.constants.Composite(result, std::move(parts));
}

ConstantId MatrixProduct(Context& c, TypeId result, ConstantId a, ConstantId b) {
  FloatOps ops(c.KindOf(c.types.ScalarOf(result)));
  ConstantId value;
  if (!IsMatrix(c, a)) {
    value = VectorTimesMatrix(c, result, a, b, &ops);
  } else if (!IsMatrix(c, b)) {
    value = MatrixTimesVector(c, result, a, b, &ops);
  } else {
    const TypeId column_type = PartType(c.types, result, 0);
    std::vector<ConstantId> columns;
    for (uint32_t i = 0; i < PartCount(c.types, result); ++i) {
      columns.push_back(MatrixTimesVector(c, column_type, a, c.Part(b, i), &ops));
    }
    value = c.constants.Composite(result, std::move(columns));
  }
  return ops.ok() ? value : c.Fail(kProductOverflow, c.Text(result));
}

}  // namespace

ConstantId UnaryOperation(Context& c, UnaryOp op, TypeId result, ConstantId a) {
  const std::array<ConstantId, 1> args = {a};
  return Map(c, result, args, [&](TypeId type, Args operand) {
    const int64_t i = c.I(operand[0]);
    switch (op) {
      case UnaryOp::kNot:
        return c.Bool(i == 0);
      case UnaryOp::kComplement:
        return c.WrappedInt(type, ~i);
      case UnaryOp::kNegate:
        if (c.IsFloat(operand[0])) return c.constants.Float(type, -c.F(operand[0]));
        // The lowest value is its own negation.
        return c.WrappedInt(type, static_cast<int64_t>(0 - static_cast<uint64_t>(i)));
      case UnaryOp::kAddressOf:
      case UnaryOp::kIndirection:
        break;
    }
    UNREACHABLE("memory has no constants");
  });
}

ConstantId BinaryOperation(Context& c, BinaryOp op, TypeId result, ConstantId a, ConstantId b) {
  const bool both_composite = PartCount(c.types, c.TypeOf(a)) != 0 && PartCount(c.types, c.TypeOf(b)) != 0;
  if (op == BinaryOp::kMul && both_composite && (IsMatrix(c, a) || IsMatrix(c, b))) {
    return MatrixProduct(c, result, a, b);
  }
  if (!CheckRight(c, op, c.TypeOf(a), b)) return ConstantId::None();
  const std::array<ConstantId, 2> args = {a, b};
  return Map(c, result, args,
             [&](TypeId type, Args operands) { return ScalarBinary(c, op, type, operands[0], operands[1]); });
}

namespace {

bool CheckRightScalar(Context& c, BinaryOp op, TypeId left_scalar, ConstantId b) {
  const TypeKind kind = c.KindOf(left_scalar);
  if ((op == BinaryOp::kDiv || op == BinaryOp::kRem) && c.IsInteger(b) && c.I(b) == 0) {
    c.Fail(op == BinaryOp::kDiv ? kDivisionByZero : kRemainderByZero);
    return false;
  }
  // abstract-int has no limit of its own: a count past 63 is an overflow, or shifts in the sign.
  const bool is_shift = op == BinaryOp::kShl || op == BinaryOp::kShr;
  if (is_shift && kind != TypeKind::kAbstractInt && c.I(b) >= BitWidth(kind)) {
    c.Fail(kShiftTooFar, c.I(b), c.Text(left_scalar), BitWidth(kind));
    return false;
  }
  return true;
}

}  // namespace

bool CheckRight(Context& c, BinaryOp op, TypeId left_type, ConstantId b) {
  if (op != BinaryOp::kDiv && op != BinaryOp::kRem && op != BinaryOp::kShl && op != BinaryOp::kShr)
    return true;
  const TypeId scalar = c.types.ScalarOf(c.types.Unreference(left_type));
  if (c.constants[b].parts.empty()) return CheckRightScalar(c, op, scalar, b);
  for (const ConstantId part : std::vector<ConstantId>(c.constants[b].parts)) {
    if (!CheckRightScalar(c, op, scalar, part)) return false;
  }
  return true;
}

}  // namespace lockstep::wgsl::const_eval
