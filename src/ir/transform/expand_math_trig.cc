// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// sin, cos and tan. sin and cos take out the nearest multiple of pi: with an integer k and |f| <= pi/2
//     sin(k pi + f) = (-1)^k sin(f)        cos((k + 1/2) pi - f) = (-1)^k sin(f)
// so that both need one polynomial: sin(f) = f + f^3 S(f^2), S of degree 3, relative error 2^-26. tan takes
// out multiples of pi/2: tan(f) or -1 / tan(f), |f| <= pi/4, tan(f) = f + f^3 T(f^2), T of degree 5, 2^-26.
//
// f = x - k pi with pi in three floats and fused steps (Cody and Waite): the first step is exact while k <
// 2^22, and the sum of the three is pi to 2^-75. Past |x| = 2^22 the float x says little about x modulo pi:
// f is set to 0 there, which keeps results in range (NaN for infinities and NaN).
#include "ir/transform/expand_math_emit.h"

namespace lockstep::ir::math {
namespace {

// Nudged so that no rounding takes sin past 1 and that cos(0) is 1.
constexpr std::array<float, 4> kSin = {-0x1.555548p-3f, 0x1.110ebap-7f, -0x1.9f70eep-13f, 0x1.5dd044p-19f};
constexpr std::array<float, 6> kTan = {0x1.5554dep-2f, 0x1.112deap-3f, 0x1.b5851ep-5f,
                                       0x1.9072a0p-6f, 0x1.96847ap-9f, 0x1.33e7c6p-7f};
constexpr float kInvPi = 0x1.45f306p-2f;
constexpr float kPi1 = 0x1.921fb6p+1f, kPi2 = -0x1.777a5cp-24f, kPi3 = -0x1.ee59dap-49f;
constexpr float kMaxReducible = 0x1p22f;

// f, or 0 where x is too large to reduce, NaN where it is not finite.
Val Guarded(Val x, Val f) { return Select(Le(Abs(x), kMaxReducible), f, x - x); }

// y with its sign changed where the low bit of the rounded sum t is set.
Val FlipIfOdd(Val y, Val t) { return AsF32(AsU32(y) ^ (AsU32(t) << 31)); }

}  // namespace

Val Sin(Val x) {
  const Val t = Fma(x, kInvPi, kRounder);
  const Val k = t - kRounder;
  const Val f = Fma(k, -kPi3, Fma(k, -kPi2, Fma(k, -kPi1, x)));
  return FlipIfOdd(OddPoly(Guarded(x, f), kSin), t);
}

Val Cos(Val x) {
  const Val t = Fma(x, kInvPi, -0.5f) + kRounder;
  const Val k = (t - kRounder) + 0.5f;
  const Val f = Fma(k, kPi3, Fma(k, kPi2, Fma(k, kPi1, -x)));
  return FlipIfOdd(OddPoly(Guarded(x, f), kSin), t);
}

Val Tan(Val x) {
  const Val t = Fma(x, 2 * kInvPi, kRounder);
  const Val k = t - kRounder;
  const Val f = Fma(k, -kPi3 / 2, Fma(k, -kPi2 / 2, Fma(k, -kPi1 / 2, x)));
  const Val y = OddPoly(Guarded(x, f), kTan);
  const Val is_even = Eq(AsU32(t) & U(x, 1), U(x, 0));
  return Select(is_even, y, -1.0f / y);
}

}  // namespace lockstep::ir::math
