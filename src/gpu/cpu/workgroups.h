// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// The order in which a dispatch's workgroups run, and their spreading over threads.
//
// Threads take chunks of consecutive numbers from one counter; the number of a workgroup becomes its place
// (x, y, z) directly, or by way of a permutation where the order is shuffled. One thread without a shuffle is
// the linear order.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>

#include "support/result.h"

namespace lockstep::gpu::cpu {

// A bijection on [0, count) chosen by a seed: a Feistel network on the next power of four, walked until it
// stays inside (fewer than four steps on average). It needs no memory, so that a dispatch of 65535^3
// workgroups can be shuffled too.
class Permutation {
 public:
  Permutation(uint64_t count, uint64_t seed);
  uint64_t operator()(uint64_t index) const;

 private:
  uint64_t count_;
  uint32_t half_bits_;
  std::array<uint64_t, 4> keys_;
};

// A step that walks through all of `groups` numbers modulo their count, in one of several orders by the seed.
uint32_t StepThroughGroups(uint32_t groups, uint64_t seed);

// SplitMix64's output function.
uint64_t Mix64(uint64_t value);

// What any thread that runs a kernel is expected to have left of its stack, the host's own calls not counted.
inline constexpr uint64_t kUsualStackBytes = 256 << 10;

// The threads that a device runs workgroups on. Used by one dispatch at a time.
class WorkgroupThreads {
 public:
  WorkgroupThreads();
  ~WorkgroupThreads();

  // Makes the threads that Run with these arguments uses, where they are not there yet: so that whoever
  // measures Run does not measure that.
  void Prepare(uint64_t total, uint32_t threads, uint64_t stack_bytes);

  // Calls run(slot, first, last) with disjoint ranges that cover [0, total), from at most `threads` threads
  // at once; a slot (less than `threads`) is used by one thread at a time. A false result ends everything
  // soon. `stack_bytes` is what `run` needs of a stack: where that is more than usual, threads are made for
  // this call alone.
  Result<> Run(uint64_t total, uint32_t threads, uint64_t stack_bytes,
               const std::function<bool(uint32_t slot, uint64_t first, uint64_t last)>& run);

 private:
  struct Arena;  // oneTBB's; kept, since making one costs as much as a small dispatch
  std::unique_ptr<Arena> arena_;
};

uint32_t DefaultThreads();

}  // namespace lockstep::gpu::cpu
