// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Float builtins by the formulas of WGSL #floating-point-accuracy; those on bits are exact.
#include "lower/function_context.h"

namespace lockstep::lower {

ValueId FunctionContext::Length(ValueId v) {
  if (Width(v) == 1) return b_.Abs(v);
  return b_.Sqrt(Dot(v, v));
}

ValueId FunctionContext::Normalize(ValueId v) { return b_.Div(v, Spread(Length(v), TypeOf(v))); }

// x * (1 - t) + y * t
ValueId FunctionContext::Mix(ValueId a, ValueId b, ValueId t) {
  const ValueId rest = b_.Sub(NumberLike(t, 1), t);
  return b_.Add(b_.Mul(a, Spread(rest, TypeOf(a))), b_.Mul(b, Spread(t, TypeOf(b))));
}

ValueId FunctionContext::Smoothstep(ValueId low, ValueId high, ValueId x) {
  const ValueId t = Saturate(b_.Div(b_.Sub(x, low), b_.Sub(high, low)));
  const ValueId slope = b_.Sub(NumberLike(t, 3), b_.Mul(NumberLike(t, 2), t));
  return b_.Mul(b_.Mul(t, t), slope);
}

ValueId FunctionContext::StepFunction(ValueId edge, ValueId x) {
  return b_.Select(b_.Le(edge, x), NumberLike(x, 1), NumberLike(x, 0));
}

ValueId FunctionContext::Sign(ValueId v) {
  if (!IsFloat(v)) return Clamp(v, NumberLike(v, -1), NumberLike(v, 1));
  const ValueId zero = NumberLike(v, 0);
  const ValueId negative = b_.Select(b_.Lt(v, zero), NumberLike(v, -1), zero);
  return b_.Select(b_.Gt(v, zero), NumberLike(v, 1), negative);
}

ValueId FunctionContext::Fract(ValueId v) { return b_.Sub(v, b_.Floor(v)); }

ValueId FunctionContext::Cross(ValueId a, ValueId b) {
  const ValueId left = b_.Mul(b_.Swizzle(a, {1, 2, 0}), b_.Swizzle(b, {2, 0, 1}));
  const ValueId right = b_.Mul(b_.Swizzle(a, {2, 0, 1}), b_.Swizzle(b, {1, 2, 0}));
  return b_.Sub(left, right);
}

// x - 2 * dot(x, y) * y
ValueId FunctionContext::Reflect(ValueId a, ValueId b) {
  const ValueId dot = Dot(a, b);
  return b_.Sub(a, b_.Mul(Spread(b_.Mul(NumberLike(dot, 2), dot), TypeOf(b)), b));
}

// k = 1 - r * r * (1 - d * d) with d = dot(y, x); k < 0: zero, otherwise r * x - (r * d + sqrt(k)) * y
ValueId FunctionContext::Refract(ValueId a, ValueId b, ValueId ratio) {
  const ir::TypeId type = TypeOf(a);
  const ValueId dot = Dot(b, a);
  const ValueId one = NumberLike(dot, 1);
  const ValueId k = b_.Sub(one, b_.Mul(b_.Mul(ratio, ratio), b_.Sub(one, b_.Mul(dot, dot))));
  const ValueId along = b_.Add(b_.Mul(ratio, dot), b_.Sqrt(k));
  const ValueId bent = b_.Sub(b_.Mul(Spread(ratio, type), a), b_.Mul(Spread(along, type), b));
  return b_.Select(b_.Lt(k, NumberLike(k, 0)), module().ConstantZero(type), bent);
}

ValueId FunctionContext::FaceForward(ValueId a, ValueId b, ValueId c) {
  const ValueId dot = Dot(c, b);
  return b_.Select(b_.Lt(dot, NumberLike(dot, 0)), a, b_.Neg(a));
}

// ------------------------------------------------------------------------------------------------ matrices

ValueId FunctionContext::Transpose(ValueId m) {
  const ir::TypeId column = types()[TypeOf(m)].element;
  const uint32_t columns = types()[TypeOf(m)].count, rows = types().Width(column);
  const ir::TypeId row = types().Vector(types().ScalarOf(column), columns);
  std::vector<ValueId> made;
  for (uint32_t r = 0; r < rows; ++r) {
    std::vector<ValueId> components;
    for (uint32_t c = 0; c < columns; ++c) components.push_back(b_.Extract(b_.Extract(m, c), r));
    made.push_back(b_.Construct(row, components));
  }
  return b_.Construct(types().Matrix(row, rows), made);
}

// Of the last three columns and the given rows, by the first of these columns.
ValueId FunctionContext::Determinant3(const std::vector<ValueId>& columns, uint32_t r0, uint32_t r1,
                                      uint32_t r2) {
  const size_t n = columns.size();
  const auto at = [&](size_t c, uint32_t r) { return b_.Extract(columns[n - 3 + c], r); };
  const auto minor = [&](uint32_t p, uint32_t q) {
    return b_.Sub(b_.Mul(at(1, p), at(2, q)), b_.Mul(at(2, p), at(1, q)));
  };
  const ValueId first = b_.Mul(at(0, r0), minor(r1, r2));
  const ValueId second = b_.Mul(at(0, r1), minor(r0, r2));
  const ValueId third = b_.Mul(at(0, r2), minor(r0, r1));
  return b_.Add(b_.Sub(first, second), third);
}

ValueId FunctionContext::Determinant(ValueId m) {
  std::vector<ValueId> columns;
  for (uint32_t i = 0; i < types()[TypeOf(m)].count; ++i) columns.push_back(b_.Extract(m, i));
  const auto at = [&](uint32_t c, uint32_t r) { return b_.Extract(columns[c], r); };
  if (columns.size() == 2) return b_.Sub(b_.Mul(at(0, 0), at(1, 1)), b_.Mul(at(1, 0), at(0, 1)));
  if (columns.size() == 3) return Determinant3(columns, 0, 1, 2);
  ValueId sum = b_.Mul(at(0, 0), Determinant3(columns, 1, 2, 3));
  sum = b_.Sub(sum, b_.Mul(at(0, 1), Determinant3(columns, 0, 2, 3)));
  sum = b_.Add(sum, b_.Mul(at(0, 2), Determinant3(columns, 0, 1, 3)));
  return b_.Sub(sum, b_.Mul(at(0, 3), Determinant3(columns, 0, 1, 2)));
}

// ------------------------------------------------------------------------------------------------ on bits

// fract in [0.5, 1) and exp with x = fract * 2^exp; x itself and 0 for zero, infinities and NaN.
ValueId FunctionContext::Frexp(ValueId v, ir::TypeId result) {
  const ir::TypeId float_type = TypeOf(v);
  const ir::TypeId uint_type = types().WithScalar(float_type, types().U32());
  const ir::TypeId int_type = types().WithScalar(float_type, types().I32());
  const auto bits = [&](uint32_t n) { return b_.Number(uint_type, n); };
  // A subnormal number is scaled to a normal one first.
  const ValueId subnormal = b_.Lt(b_.Abs(v), NumberLike(v, 0x1p-126));
  const ValueId scaled = b_.Select(subnormal, b_.Mul(v, NumberLike(v, 0x1p24)), v);
  const ValueId word = b_.Bitcast(uint_type, scaled);
  const ValueId field = b_.And(b_.Shr(word, bits(23)), bits(255));
  const ValueId bias = b_.Select(subnormal, b_.Number(int_type, 126 + 24), b_.Number(int_type, 126));
  const ValueId exponent = b_.Sub(b_.Bitcast(int_type, field), bias);
  const ValueId fraction = b_.Bitcast(float_type, b_.Or(b_.And(word, bits(0x807fffff)), bits(0x3f000000)));
  const ValueId special = b_.Or(b_.Eq(field, bits(0)), b_.Eq(field, bits(255)));
  return b_.Construct(
      result, {b_.Select(special, v, fraction), b_.Select(special, b_.Number(int_type, 0), exponent)});
}

ValueId FunctionContext::Modf(ValueId v, ir::TypeId result) {
  const ValueId whole = b_.Unary(ir::Op::kTrunc, v);
  return b_.Construct(result, {b_.Sub(v, whole), whole});
}

// v * 2^e, rounded once: exact steps by powers of two bring e into the range of a normal power of two; on the
// way down a step leaves 24 bits of room above the subnormal numbers, so that only the last product rounds.
ValueId FunctionContext::Ldexp(ValueId v, ValueId exponent) {
  const auto number = [&](double n) { return NumberLike(exponent, n); };
  exponent = Clamp(exponent, number(-1000), number(1000));
  for (int i = 0; i < 2; ++i) {
    const ValueId high = b_.Gt(exponent, number(127));
    const ValueId low = b_.Lt(exponent, number(-126));
    const ValueId factor =
        b_.Select(high, NumberLike(v, 0x1p127), b_.Select(low, NumberLike(v, 0x1p-102), NumberLike(v, 1)));
    const ValueId step = b_.Select(high, number(127), b_.Select(low, number(-102), number(0)));
    v = b_.Mul(v, factor);
    exponent = b_.Sub(exponent, step);
  }
  exponent = Clamp(exponent, number(-126), number(127));
  const ir::TypeId uint_type = types().WithScalar(TypeOf(v), types().U32());
  const ValueId field = b_.Bitcast(uint_type, b_.Add(exponent, number(127)));
  return b_.Mul(v, b_.Bitcast(TypeOf(v), b_.Shl(field, b_.Number(uint_type, 23))));
}

}  // namespace lockstep::lower
