// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Random compute shaders that are valid and free of races by construction, so that every engine and every
// lane width must give the same bits. An invocation writes only its own eight words of `out`; workgroup
// memory is written in the invocation's own slot and read after a barrier, in uniform control flow: in the
// entry point, and in helpers (`phase`) with uniform and varying parameters, pointers and early returns.
// Everything else is free: divergent branches, loops, switches, early returns, helpers, arrays indexed by
// data, vectors, matrices, structs, integer corner cases.
//
//   @group(0) @binding(0) var<storage, read> words: array<u32>;         kInputWords of them
//   @group(0) @binding(1) var<storage, read_write> out: array<u32>;     8 for each invocation
//   @group(0) @binding(2) var image: texture_2d_array<u32>;             used by some
//   entry point `main`
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace lockstep::tests {

inline constexpr uint32_t kInputWords = 64;
inline constexpr uint32_t kOutputWordsPerInvocation = 8;

struct RandomProgram {
  std::string text;
  uint32_t invocations = 1;  // of a workgroup
};

RandomProgram MakeRandomProgram(uint64_t seed);
// Each byte is one choice; where they are used up, choices follow from all of them. A byte changed changes
// little of the program, which is what a fuzzer needs.
RandomProgram MakeRandomProgram(std::span<const uint8_t> choices);

}  // namespace lockstep::tests
