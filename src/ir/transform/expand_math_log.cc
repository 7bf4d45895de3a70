// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// log, log2, log1p and pow. x = 2^n m with m in [sqrt(1/2), sqrt(2)), cut off by integer arithmetic on the
// bits, and f = m - 1, exact:
//     log(x)  = n ln 2 + (f + f^2 Q(f))                 Q of degree 8, relative error of the sum 2^-27
//     log2(x) = n + (f log2(e) + f^2 Q2(f))             Q2 of degree 8, 2^-25
// Near x = 1, where n = 0, the result is f plus a small correction: accurate in relative terms.
//
// pow(x, y) = 2^(y log2(x)) needs log2(x) to some 2^-31, since y log2(x) may be near 128. With s = f / (2 +
// f),
//     log2(m) = (2 / ln 2) s + s^3 P(s^2)               P of degree 3, relative error 2^-36
// where s and the first product are kept as sums of two floats (fused steps give the errors of products and
// of the quotient), as are n + log2(m) and y log2(x). Powers of two come out exact.
#include <bit>
#include <optional>
#include <vector>

#include "ir/transform/expand_math_emit.h"

namespace lockstep::ir::math {
namespace {

// (log(1 + f) - f) / f^2 on [sqrt(1/2) - 1, sqrt(2) - 1], and the same in base 2
constexpr std::array<float, 9> kLog = {-0x1.fffff8p-2f, 0x1.55554ep-2f,  -0x1.000438p-2f,
                                       0x1.99a544p-3f,  -0x1.5424f4p-3f, 0x1.2253cep-3f,
                                       -0x1.0f3176p-3f, 0x1.09129ap-3f,  -0x1.3a334ep-4f};
constexpr std::array<float, 9> kLog2 = {-0x1.715470p-1f, 0x1.ec7078p-2f,  -0x1.715b14p-2f,
                                        0x1.279f54p-2f,  -0x1.ead728p-3f, 0x1.9c0b78p-3f,
                                        -0x1.7e5af8p-3f, 0x1.ad8858p-3f,  -0x1.380a02p-3f};
// (log2((1 + s) / (1 - s)) - 2 s / ln 2) / s^3 in s^2
constexpr std::array<float, 4> kPow = {0x1.ec709ep-1f, 0x1.2776e0p-1f, 0x1.a5d048p-2f, 0x1.589020p-2f};
constexpr float kLn2 = 0x1.62e430p-1f;
constexpr float kLog2E = 0x1.715476p+0f;
constexpr float kTwoLog2EHigh = 0x1.715476p+1f, kTwoLog2ELow = 0x1.4ae0c0p-25f;
constexpr int32_t kSqrtHalfBits = 0x3f3504f3;

// x = 2^n (1 + f) for positive normal x; the exponent bits of 2^n as an integer too.
struct Split {
  Val n, f, exponent_bits;
};

Split SplitNormal(Val x) {
  const Val bits = AsI32(x);
  const Val exponent = (bits - I(x, kSqrtHalfBits)) >> 23;
  const Val shifted = exponent << 23;
  return {ToF32(exponent), AsF32(bits - shifted) - 1.0f, shifted};
}

// For subnormal x too.
Split SplitPositive(Val x) {
  const Val is_small = Lt(x, kMinNormal);
  Split split = SplitNormal(Select(is_small, x * 0x1p23f, x));
  split.n = split.n + Select(is_small, F(x, -23.0f), F(x, 0.0f));
  return split;
}

// `value` where x is positive and finite; -infinity for zero, NaN for negative x, x itself for infinity and
// NaN.
Val WithSpecials(Val x, Val value) {
  const Val not_positive = Select(Eq(x, 0.0f), F(x, -kInf), F(x, kNaN));
  return Select(Lt(x, kInf), Select(Gt(x, 0.0f), value, not_positive), x);
}

// ln 2 in one float is off by 2^-28 of itself: less than the final rounding by far.
Val LogOf(const Split& s) { return Fma(s.n, kLn2, Fma(s.f * s.f, Poly(s.f, kLog), s.f)); }

}  // namespace

Val Log(Val x) { return WithSpecials(x, LogOf(SplitPositive(x))); }

Val Log2(Val x) {
  const Split s = SplitPositive(x);
  return WithSpecials(x, Fma(s.f, kLog2E, (s.f * s.f) * Poly(s.f, kLog2)) + s.n);
}

Val Log1p(Val x) {
  // What 1 + x loses by rounding is put back into f, scaled as m was.
  const Val u = x + 1.0f;
  const Val lost = x - (u - 1.0f);
  Split s = SplitNormal(u);
  s.f = Fma(lost, AsF32(I(x, 0x3f800000) - s.exponent_bits), s.f);
  return LogOf(s);
}

namespace {

// Powers that multiplication gives, for a base of any sign; a constant exponent of all components alike.
std::optional<Val> SimplePow(Val x, Val y) {
  const Module& m = y.b->module();
  if (!m.is_constant(y.id)) return std::nullopt;
  ValueId scalar = y.id;
  if (m.types.Width(y.type()) > 1) {
    const std::vector<ValueId>& parts = m.constant(y.id).parts;
    if (parts.empty()) return std::nullopt;
    for (const ValueId part : parts) {
      if (part != parts[0]) return std::nullopt;
    }
    scalar = parts[0];
  }
  const float exponent = std::bit_cast<float>(m.constant(scalar).bits);
  if (exponent == 1.0f) return x;
  if (exponent == 2.0f) return x * x;
  if (exponent == 3.0f) return (x * x) * x;
  if (exponent == 4.0f) return (x * x) * (x * x);
  if (exponent == 0.5f) return Sqrt(x);
  if (exponent == -1.0f) return 1.0f / x;
  return std::nullopt;
}

}  // namespace

Val Pow(Val x, Val y) {
  if (const std::optional<Val> simple = SimplePow(x, y)) return *simple;
  const Split split = SplitPositive(x);
  const Val f = split.f;
  // s + s_low = f / (2 + f), where 2 + f = d + d_low.
  const Val d = f + 2.0f;
  const Val d_low = f - (d - 2.0f);
  const Val inverse = 1.0f / d;
  const Val s = f * inverse;
  const Val s_low = Fma(-s, d_low, Fma(-s, d, f)) * inverse;
  // log2(m) = high + low; s^3 P also feels s_low, by its derivative 3 s^2 P.
  const Val z = s * s;
  const Val q = z * Poly(z, kPow);
  const Val high = s * kTwoLog2EHigh;
  Val low = Fma(s, kTwoLog2EHigh, -high);
  low = Fma(s_low, Fma(q, 3.0f, kTwoLog2EHigh), Fma(s, kTwoLog2ELow, low)) + s * q;
  // log2(x) = sum + sum_low: |n| is zero or above |high|.
  const Val sum = split.n + high;
  const Val sum_low = (high - (sum - split.n)) + low;
  const Val log = WithSpecials(x, sum);
  // y log2(x) = e + e_low; where it is far out of range only e counts.
  const Val product = y * log;
  const Val product_low = Fma(y, sum_low, Fma(y, log, -product));
  const Val rest = Select(Lt(Abs(product), 1024.0f), product_low, 0.0f);
  const Val e = product + rest;
  const Val e_low = rest - (e - product);
  return Select(Eq(y, 0.0f), 1.0f, Exp2OfSum(e, e_low));
}

}  // namespace lockstep::ir::math
