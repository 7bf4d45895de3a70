// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// The sRGB transfer functions (IEC 61966-2-1) for 8 bits.
#include "raster/srgb.h"

#include <array>
#include <cmath>

namespace lockstep::raster {

const std::array<float, 256>& SrgbToLinear() {
  static const std::array<float, 256> kTable = [] {
    std::array<float, 256> table;
    for (size_t i = 0; i < table.size(); ++i) {
      const double v = static_cast<double>(i) / 255;
      table[i] = static_cast<float>(v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4));
    }
    return table;
  }();
  return kTable;
}

uint32_t LinearToSrgb8(float linear) {
  if (!(linear > 0)) return 0;
  if (linear >= 1) return 255;
  const float v = linear <= 0.0031308f ? 12.92f * linear : 1.055f * std::pow(linear, 1 / 2.4f) - 0.055f;
  return static_cast<uint32_t>(v * 255 + 0.5f);
}

}  // namespace lockstep::raster
