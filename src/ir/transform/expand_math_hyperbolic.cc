// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Hyperbolic functions and their inverses, from exp(x) / 2 (finite wherever sinh and cosh are) and log1p.
// With h = exp(|x|) / 2, or exp(2 |x|) / 2 for tanh:
//     sinh(x) = h - 1 / (4 h)     cosh(x) = h + 1 / (4 h)     tanh(x) = 1 - 1 / (h + 1/2)
// Near zero, where these cancel, sinh and tanh are odd polynomials: below 1 of degree 7, relative error
// 2^-25, and below 5/8 of degree 11, relative error 2^-28. For x >= 0, losing nothing near zero:
//     asinh(x) = log1p(x + x^2 / (1 + sqrt(x^2 + 1)))     acosh(1 + d) = log1p(d + sqrt(d (d + 2)))
//     atanh(x) = log1p(2 x / (1 - x)) / 2
// Above 2^28 the squares would overflow: log(2 x) = log1p(x / 4) + ln 8 there.
#include "ir/transform/expand_math_emit.h"

namespace lockstep::ir::math {
namespace {

constexpr std::array<float, 3> kSinh = {0x1.555598p-3f, 0x1.10f760p-7f, 0x1.ab428ap-13f};
constexpr std::array<float, 5> kTanh = {-0x1.555532p-2f, 0x1.1106f6p-3f, -0x1.b835a4p-5f, 0x1.51f8cep-6f,
                                        -0x1.750ce2p-8f};
constexpr float kLn8 = 0x1.0a2b24p+1f;
constexpr float kLarge = 0x1p28f;

// log1p(w), or for large x log(2 x); infinity and NaN as they are.
Val LogOfSum(Val x, Val w) {
  const Val is_large = Gt(x, kLarge);
  const Val y = Log1p(Select(is_large, x * 0.25f, w)) + Select(is_large, F(x, kLn8), F(x, 0.0f));
  return Select(Lt(x, kInf), y, x);
}

}  // namespace

Val Sinh(Val x) {
  const Val a = Abs(x);
  const Val h = HalfExp(a);
  return WithSignOf(Select(Lt(a, 1.0f), OddPoly(a, kSinh), h - 0.25f / h), x);
}

Val Cosh(Val x) {
  const Val h = HalfExp(Abs(x));
  return h + 0.25f / h;
}

Val Tanh(Val x) {
  const Val a = Abs(x);
  const Val h = HalfExp(a + a);
  return WithSignOf(Select(Lt(a, 0.625f), OddPoly(a, kTanh), 1.0f - 1.0f / (h + 0.5f)), x);
}

Val Asinh(Val x) {
  const Val a = Abs(x);
  const Val square = a * a;
  return WithSignOf(LogOfSum(a, a + square / (Sqrt(square + 1.0f) + 1.0f)), x);
}

Val Acosh(Val x) {
  const Val d = x - 1.0f;
  return Select(Lt(x, 1.0f), kNaN, LogOfSum(x, d + Sqrt(d * (d + 2.0f))));
}

Val Atanh(Val x) {
  const Val a = Abs(x);
  const Val y = Log1p((a + a) / (1.0f - a)) * 0.5f;
  const Val at_or_past_one = Select(Eq(a, 1.0f), F(x, kInf), F(x, kNaN));
  return WithSignOf(Select(Lt(a, 1.0f), y, at_or_past_one), x);
}

}  // namespace lockstep::ir::math
