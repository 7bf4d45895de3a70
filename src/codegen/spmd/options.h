// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// How a kernel is spread over vector lanes, and how much work its code is worth.
#pragma once

#include <cstdint>

namespace lockstep::codegen {

struct LaneOptions {
  uint32_t lanes = 0;            // invocations worked on together: 1, 2, 4 ... 64; 0 lets the compiler choose
  uint32_t native_lanes = 8;     // 32-bit lanes of the machine's vectors: SSE, NEON 4; AVX2 8; AVX-512 16
  bool weak_failures = false;    // atomicCompareExchangeWeak may fail spuriously by the worker's random state
  bool half_in_hardware = true;  // f16 conversions by the machine's own instructions, where it has them
  bool shuffle_groups = false;   // the worker says in which order lane groups run
  bool quick = false;  // compiled fast: a third of the work, code that may run at a quarter of the speed
};

}  // namespace lockstep::codegen
