// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// A buffer's initial contents.
//
// `random LOW .. HIGH seed S` gives scalar i the number r(i), the (i + 1)-th output of SplitMix64 started at
// S:
//     z = S + (i + 1) * 0x9e3779b97f4a7c15
//     z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
//     z = (z ^ (z >> 27)) * 0x94d049bb133111eb
//     r = z ^ (z >> 31)                                     all modulo 2^64
// floats in [LOW, HIGH): LOW + (r >> 40) / 2^24 * (HIGH - LOW), in double, rounded to the type; where that
// rounds up to HIGH, the next value below it. Integers in [LOW, HIGH]: LOW + r mod (HIGH - LOW + 1).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runner/description.h"
#include "runner/layout.h"
#include "support/result.h"

namespace lockstep::runner {

uint64_t SplitMix64(uint64_t seed, uint64_t index);

// One value a scalar; nothing at all where everything is zero. `folder`: what files are relative to.
Result<std::vector<uint32_t>> InitialValues(const Initializer& init, const Layout& layout,
                                            const std::string& folder);

}  // namespace lockstep::runner
