// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Conversions of floats to integers end at the closest integer that the float type has too (WGSL:
// #floating-point-conversion), so that an i32 from a large f32 is not the largest i32.
#pragma once

namespace lockstep::abi {

inline constexpr float kLargestI32InF32 = 0x1.fffffep30f;  // 2147483520
inline constexpr float kLargestU32InF32 = 0x1.fffffep31f;  // 4294967040
inline constexpr float kLargestF16 = 65504;

}  // namespace lockstep::abi
