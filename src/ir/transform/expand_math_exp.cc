// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// exp and exp2. With n the integer nearest to x (exp2) or x / ln 2 (exp), and f what is left, at most 1/2 or
// ln 2 / 2 in size:
//     2^x = 2^n * 2^f          e^x = 2^n * e^f
// 2^f and e^f are 1 + f Q(f), Q a minimax polynomial of degree 5 (relative error 2^-26), which is exact at f
// = 0. For exp, f = x - n ln 2 with ln 2 in two floats; the first product is exact inside the fused step.
//
// Multiplying by 2^n is an addition of n to the exponent bits: the polynomial's exponent field is 126 or
// 127, so that for -126 <= x < 128 the sum stays in the field. kRounder leaves n in the low bits of t, and t
// << 23 drops the rest.
#include "ir/transform/expand_math_emit.h"

namespace lockstep::ir::math {
namespace {

// (2^f - 1) / f on [-1/2, 1/2]
constexpr std::array<float, 6> kExp2 = {0x1.62e430p-1f, 0x1.ebfb94p-3f,  0x1.c6af9ep-5f,
                                        0x1.3b6816p-7f, 0x1.5ef4e6p-10f, 0x1.179b06p-13f};
// (e^f - 1) / f on [-ln 2 / 2, ln 2 / 2]
constexpr std::array<float, 6> kExp = {0x1p+0f,        0x1.ffffacp-2f, 0x1.5554b0p-3f,
                                       0x1.559c18p-5f, 0x1.12276ap-7f, 0x1.37d6e2p-10f};
constexpr float kLog2E = 0x1.715476p+0f;
constexpr float kLn2High = 0x1.62e430p-1f, kLn2Low = -0x1.05c610p-29f;

// p * 2^n, n in the low bits of the rounded sum t.
Val Scale(Val p, Val t) { return AsF32(AsU32(p) + (AsU32(t) << 23)); }

// e^f and, in *t, the power of two that belongs to it.
Val ExpParts(Val x, Val* t) {
  *t = Fma(x, kLog2E, kRounder);
  const Val n = *t - kRounder;
  const Val f = Fma(n, -kLn2Low, Fma(n, -kLn2High, x));
  return Fma(f, Poly(f, kExp), 1.0f);
}

}  // namespace

Val Exp(Val x) {
  Val t;
  const Val p = ExpParts(x, &t);
  const Val y = Select(Lt(x, -0x1.5d589ep+6f), 0.0f, Scale(p, t));  // below ln 2^-126
  // From the first float whose power is no float on; the product keeps NaN.
  return Select(Lt(x, 0x1.62e430p+6f), y, x * kInf);
}

Val Exp2OfSum(Val e, Val f) {
  const Val t = e + kRounder;
  const Val r = (e - (t - kRounder)) + f;
  const Val p = Fma(r, Poly(r, kExp2), 1.0f);
  const Val y = Select(Lt(e, -126.0f), 0.0f, Scale(p, t));
  return Select(Lt(e, 128.0f), y, e * kInf);
}

Val Exp2(Val x) {
  const Val t = x + kRounder;
  const Val f = x - (t - kRounder);
  const Val p = Fma(f, Poly(f, kExp2), 1.0f);
  const Val y = Select(Lt(x, -126.0f), 0.0f, Scale(p, t));
  return Select(Lt(x, 128.0f), y, x * kInf);
}

Val HalfExp(Val x) {
  Val t;
  const Val p = ExpParts(x, &t);
  const Val half = AsF32((AsU32(p) - U(x, 1u << 23)) + (AsU32(t) << 23));
  return Select(Lt(x, 0x1.65a9fap+6f), half, x * kInf);
}

}  // namespace lockstep::ir::math
