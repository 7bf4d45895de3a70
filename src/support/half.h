// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// IEEE binary16 by hand: C++20 has no type for it.
#pragma once

#include <cstdint>

namespace lockstep {

// The bits of the nearest f16, ties to even; past its range infinity, NaN stays NaN.
uint32_t HalfBits(double v);
// The value of an f16's bits, exact.
float HalfValue(uint32_t bits);

}  // namespace lockstep
