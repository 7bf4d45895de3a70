// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>

namespace lockstep::gpu::cpu {

// Never 0: the clock's own step is the least that can be said.
inline double SecondsSince(std::chrono::steady_clock::time_point start) {
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return std::max(seconds, 1e-9);
}

}  // namespace lockstep::gpu::cpu
