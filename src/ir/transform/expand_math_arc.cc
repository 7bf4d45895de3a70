// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// asin, acos, atan and atan2.
//     atan(t) = t + t^3 A(t^2) for |t| <= 1, A of degree 7, relative error 2^-26; pi/2 - atan(1/t) above.
//     atan2(y, x) takes t = smaller / larger of |x| and |y| and puts the angle into its octant.
//     asin(s) = s + s^3 B(s^2) for |s| <= 0.54, B of degree 4, relative error 2^-26; above, with
//     s = sqrt((1 - |x|) / 2), asin(x) = pi/2 - 2 asin(s) and acos(x) = 2 asin(s): nothing cancels near 1.
// Signs are put back by their bit, so that zeros keep theirs.
#include "ir/transform/expand_math_emit.h"

namespace lockstep::ir::math {
namespace {

constexpr std::array<float, 8> kAtan = {-0x1.5554dcp-2f, 0x1.9978ecp-3f, -0x1.230a92p-3f, 0x1.b4de8ep-4f,
                                        -0x1.35506cp-4f, 0x1.61ed5ap-5f, -0x1.0c15d0p-6f, 0x1.7ea1d2p-9f};
constexpr std::array<float, 5> kAsin = {0x1.55567ap-3f, 0x1.32c8f4p-4f, 0x1.7a13e0p-5f, 0x1.5593c6p-6f,
                                        0x1.86f894p-5f};
// Above it asin(s) < 1/2, whose last place is half that of numbers above 1/2.
constexpr float kAsinLimit = 0.5405f;
constexpr float kHalfPiHigh = 0x1.921fb6p+0f, kHalfPiLow = -0x1.777a5cp-25f;

// pi/2 - x, pi/2 in two floats.
Val HalfPiMinus(Val x) { return kHalfPiHigh - (x - kHalfPiLow); }

// Up to the limit |x|; above: sqrt((1 - |x|) / 2). Then asin of it.
struct Reduced {
  Val is_large, asin;
};

Reduced ReduceAsin(Val x) {
  const Val a = Abs(x);
  const Val is_large = Gt(a, kAsinLimit);
  const Val half = Fma(a, -0.5f, 0.5f);
  const Val s = Select(is_large, Sqrt(half), a);
  const Val z = Select(is_large, half, a * a);
  return {is_large, Fma(z * s, Poly(z, kAsin), s)};
}

}  // namespace

Val Asin(Val x) {
  const Reduced r = ReduceAsin(x);
  return WithSignOf(Select(r.is_large, HalfPiMinus(r.asin * 2.0f), r.asin), x);
}

Val Acos(Val x) {
  const Reduced r = ReduceAsin(x);
  const Val twice = r.asin * 2.0f;
  const Val pi_minus = 2 * kHalfPiHigh - (twice - 2 * kHalfPiLow);
  const Val large = Select(Lt(x, 0.0f), pi_minus, twice);
  return Select(r.is_large, large, HalfPiMinus(WithSignOf(r.asin, x)));
}

Val Atan(Val x) {
  const Val a = Abs(x);
  const Val is_large = Gt(a, 1.0f);
  const Val y = OddPoly(Select(is_large, 1.0f / a, a), kAtan);
  return WithSignOf(Select(is_large, HalfPiMinus(y), y), x);
}

Val Atan2(Val y, Val x) {
  const Val ax = Abs(x), ay = Abs(y);
  const Val is_steep = Gt(ay, ax);
  const Val larger = Select(is_steep, ay, ax), smaller = Select(is_steep, ax, ay);
  // Two zeros count as the angle 0, two infinities as the diagonal.
  const Val diagonal = Select(Gt(larger, 0.0f), F(x, 1.0f), F(x, 0.0f));
  const Val t = Select(Eq(larger, smaller), diagonal, smaller / larger);
  const Val octant = OddPoly(t, kAtan);
  const Val quadrant = Select(is_steep, HalfPiMinus(octant), octant);
  const Val is_left = AsI32(x);
  const Val half = Select(is_left.With(is_left.b->Lt(is_left.id, I(x, 0).id)),
                          2 * kHalfPiHigh - (quadrant - 2 * kHalfPiLow), quadrant);
  return WithSignOf(half, y);
}

}  // namespace lockstep::ir::math
