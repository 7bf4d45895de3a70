// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "support/half.h"

#include <cmath>
#include <limits>

namespace lockstep {

uint32_t HalfBits(double v) {
  const uint32_t sign = std::signbit(v) ? 0x8000u : 0u;
  const double magnitude = std::fabs(v);
  if (std::isnan(v)) return sign | 0x7e00u;
  if (magnitude < 0x1p-14) return sign | static_cast<uint32_t>(std::nearbyint(magnitude * 0x1p24));
  int exponent = 0;
  const double fraction = std::frexp(magnitude, &exponent);  // in [0.5, 1)
  if (std::isinf(magnitude) || exponent > 16) return sign | 0x7c00u;
  // The carry of a fraction that rounds up to 2048 walks into the exponent by itself.
  const uint32_t mantissa = static_cast<uint32_t>(std::nearbyint(fraction * 0x1p11)) - 0x400u;
  return sign | ((static_cast<uint32_t>(exponent + 14) << 10) + mantissa);
}

float HalfValue(uint32_t bits) {
  const float sign = (bits & 0x8000u) != 0 ? -1.0f : 1.0f;
  const int exponent = static_cast<int>((bits >> 10) & 0x1f);
  const float mantissa = static_cast<float>(bits & 0x3ff);
  if (exponent == 0x1f) {
    return mantissa == 0 ? sign * std::numeric_limits<float>::infinity()
                         : std::numeric_limits<float>::quiet_NaN();
  }
  if (exponent == 0) return sign * std::ldexp(mantissa, -24);
  return sign * std::ldexp(mantissa + 1024.0f, exponent - 25);
}

}  // namespace lockstep
