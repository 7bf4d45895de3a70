// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Lets emitted math read as math: `Fma(z * f, Poly(z, kSin), f)`. A Val is an IR value of one shape (a
// scalar or a vector of some width) together with the builder that appends to the expansion. Private to
// expand_math*.cc.
#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "ir/builder.h"

namespace lockstep::ir::math {

// Adding it to a float below 2^22 rounds that to the nearest integer (ties to even), which then stands in the
// low bits of the sum: one addition and one subtraction in place of rounding and conversion.
constexpr float kRounder = 0x1.8p23f;
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kMinNormal = 0x1p-126f;

struct Val {
  Builder* b = nullptr;
  ValueId id;

  TypeId type() const { return b->module().type_of(id); }
  TypeId Shaped(TypeId scalar) const { return b->module().types.WithScalar(type(), scalar); }
  Val With(ValueId value) const { return Val{b, value}; }
};

// Constants of the same shape as `like`.
inline Val F(Val like, float v) {
  return like.With(like.b->Number(like.Shaped(like.b->module().types.F32()), v));
}
inline Val U(Val like, uint32_t v) {
  return like.With(like.b->Number(like.Shaped(like.b->module().types.U32()), v));
}
inline Val I(Val like, int32_t v) {
  return like.With(like.b->Number(like.Shaped(like.b->module().types.I32()), v));
}

inline Val operator+(Val x, Val y) { return x.With(x.b->Add(x.id, y.id)); }
inline Val operator-(Val x, Val y) { return x.With(x.b->Sub(x.id, y.id)); }
inline Val operator*(Val x, Val y) { return x.With(x.b->Mul(x.id, y.id)); }
inline Val operator/(Val x, Val y) { return x.With(x.b->Div(x.id, y.id)); }
inline Val operator-(Val x) { return x.With(x.b->Neg(x.id)); }
inline Val operator+(Val x, float y) { return x + F(x, y); }
inline Val operator-(Val x, float y) { return x - F(x, y); }
inline Val operator*(Val x, float y) { return x * F(x, y); }
inline Val operator-(float x, Val y) { return F(y, x) - y; }
inline Val operator/(float x, Val y) { return F(y, x) / y; }
inline Val operator&(Val x, Val y) { return x.With(x.b->And(x.id, y.id)); }
inline Val operator|(Val x, Val y) { return x.With(x.b->Or(x.id, y.id)); }
inline Val operator^(Val x, Val y) { return x.With(x.b->Xor(x.id, y.id)); }
inline Val operator<<(Val x, uint32_t n) { return x.With(x.b->Shl(x.id, U(x, n).id)); }
inline Val operator>>(Val x, uint32_t n) { return x.With(x.b->Shr(x.id, U(x, n).id)); }  // arithmetic for i32

inline Val Fma(Val x, Val y, Val z) { return x.With(x.b->Fma(x.id, y.id, z.id)); }
inline Val Fma(Val x, float y, Val z) { return Fma(x, F(x, y), z); }
inline Val Fma(Val x, Val y, float z) { return Fma(x, y, F(x, z)); }
inline Val Fma(Val x, float y, float z) { return Fma(x, F(x, y), F(x, z)); }
inline Val Abs(Val x) { return x.With(x.b->Abs(x.id)); }
inline Val Sqrt(Val x) { return x.With(x.b->Sqrt(x.id)); }

// Comparisons give a bool of the shape.
inline Val Lt(Val x, Val y) { return x.With(x.b->Lt(x.id, y.id)); }
inline Val Lt(Val x, float y) { return Lt(x, F(x, y)); }
inline Val Le(Val x, float y) { return x.With(x.b->Le(x.id, F(x, y).id)); }
inline Val Gt(Val x, Val y) { return x.With(x.b->Gt(x.id, y.id)); }
inline Val Gt(Val x, float y) { return Gt(x, F(x, y)); }
inline Val Eq(Val x, Val y) { return x.With(x.b->Eq(x.id, y.id)); }
inline Val Eq(Val x, float y) { return Eq(x, F(x, y)); }
inline Val Select(Val condition, Val if_true, Val if_false) {
  return condition.With(condition.b->Select(condition.id, if_true.id, if_false.id));
}
inline Val Select(Val c, Val x, float y) { return Select(c, x, F(x, y)); }
inline Val Select(Val c, float x, Val y) { return Select(c, F(y, x), y); }

// Reinterpretations of bits, and the one conversion that the expansions need.
inline Val AsU32(Val x) { return x.With(x.b->Bitcast(x.Shaped(x.b->module().types.U32()), x.id)); }
inline Val AsI32(Val x) { return x.With(x.b->Bitcast(x.Shaped(x.b->module().types.I32()), x.id)); }
inline Val AsF32(Val x) { return x.With(x.b->Bitcast(x.Shaped(x.b->module().types.F32()), x.id)); }
inline Val ToF32(Val x) { return x.With(x.b->Convert(x.Shaped(x.b->module().types.F32()), x.id)); }

// The magnitude of `x` (not negative) with the sign of `sign`.
inline Val WithSignOf(Val x, Val sign) { return AsF32(AsU32(x) | (AsU32(sign) & U(x, 0x80000000u))); }

// c[0] + c[1] x + c[2] x^2 ..., by Horner's rule with fused steps.
template <size_t n>
Val Poly(Val x, const std::array<float, n>& c) {
  Val sum = F(x, c[n - 1]);
  for (size_t i = n - 1; i > 0; --i) sum = Fma(sum, x, c[i - 1]);
  return sum;
}

// x + x^3 P(x^2): odd functions near zero.
template <size_t n>
Val OddPoly(Val x, const std::array<float, n>& c) {
  const Val z = x * x;
  return Fma(z * x, Poly(z, c), x);
}

// --- one function an operation; each .cc opens with its method ---
// expand_math_exp.cc
Val Exp(Val x);
Val Exp2(Val x);
Val HalfExp(Val x);  // exp(x) / 2 for x >= 0, finite wherever that is
// expand_math_log.cc
Val Log(Val x);
Val Log2(Val x);
Val Log1p(Val x);  // log(1 + x) for 0 <= x <= 2^126
Val Pow(Val x, Val y);
// expand_math_trig.cc
Val Sin(Val x);
Val Cos(Val x);
Val Tan(Val x);
// expand_math_arc.cc
Val Asin(Val x);
Val Acos(Val x);
Val Atan(Val x);
Val Atan2(Val y, Val x);
// expand_math_hyperbolic.cc
Val Sinh(Val x);
Val Cosh(Val x);
Val Tanh(Val x);
Val Asinh(Val x);
Val Acosh(Val x);
Val Atanh(Val x);

// 2^(e + f) for a float e and a small f that is added last, |f| <= ulp(e): the tail of exp2 and pow.
Val Exp2OfSum(Val e, Val f);

}  // namespace lockstep::ir::math
