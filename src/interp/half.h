// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// IEEE binary16 <-> binary32, spelled out with scaling by powers of two, so that it is easy to check.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace lockstep::interp {

// The nearest f16 (ties to even); too large becomes infinity, NaN stays NaN.
inline uint16_t HalfFromFloat(float value) {
  const uint32_t sign = (std::bit_cast<uint32_t>(value) >> 16) & 0x8000u;
  const float magnitude = std::fabs(value);
  if (std::isnan(value)) return static_cast<uint16_t>(sign | 0x7e00u);
  if (magnitude >= 65520.0f) return static_cast<uint16_t>(sign | 0x7c00u);
  int exponent = magnitude == 0 ? -14 : std::max(std::ilogb(magnitude), -14);
  // In units of the last place of that exponent: at most 2048, a multiple that nearbyint rounds to even.
  const auto units = static_cast<uint32_t>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
  // Normal numbers have the hidden 1 in `units`, which adds one to the exponent's field; 2048 carries into it.
  return static_cast<uint16_t>(sign | ((static_cast<uint32_t>(exponent + 14) << 10) + units));
}

inline float FloatFromHalf(uint16_t half) {
  const int exponent = (half >> 10) & 31;
  const int fraction = half & 1023;
  float magnitude = 0;
  if (exponent == 31) {
    magnitude = fraction != 0 ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity();
  } else if (exponent == 0) {
    magnitude = std::ldexp(static_cast<float>(fraction), -24);
  } else {
    magnitude = std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
  }
  return (half & 0x8000) != 0 ? -magnitude : magnitude;
}

}  // namespace lockstep::interp
