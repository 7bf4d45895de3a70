// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// The sRGB transfer functions (IEC 61966-2-1) for 8 bits.
#pragma once

#include <array>
#include <cstdint>

namespace lockstep::raster {

const std::array<float, 256>& SrgbToLinear();
uint32_t LinearToSrgb8(float linear);  // NaN gives 0

}  // namespace lockstep::raster
