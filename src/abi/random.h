// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// The generator behind spurious failures and other schedules, in generated code and in the interpreter: a
// linear congruential one (Knuth's MMIX). Its high bits are the good ones.
#pragma once

#include <cstdint>

namespace lockstep::abi {

inline constexpr uint64_t kRandomMultiplier = 6364136223846793005u, kRandomIncrement = 1442695040888963407u;
constexpr uint64_t NextRandomState(uint64_t state) { return state * kRandomMultiplier + kRandomIncrement; }

}  // namespace lockstep::abi
