// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Random kernels about memory that invocations share. Which accesses happen never depends on a value that may
// be raced or on the order of atomics: loads of shared memory go into `acc`, which only the invocation's own
// word of `own` ever gets. So every schedule makes the same accesses, and a verdict can be compared exactly.
//
// A kernel keeps, for each shared variable and phase, a discipline: everybody reads; each invocation has an
// element of its own; one invocation has it all. The discipline changes at a barrier of the right kind. A
// clean kernel follows it and has no race; the others forget a barrier, take one of the wrong kind, or touch
// something they should not, here and there.
//
//   group 0: binding 0  var<storage, read> data: array<u32>       RaceKernel::data
//            binding 1  var<storage, read_write> own: array<u32>  a word for each invocation
//            binding 2  var<uniform> uni: Uni                     zeros
//            binding 3  and on: shared storage
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace lockstep::tests {

struct RaceKernel {
  std::string text;
  bool clean = false;                // it has no race
  std::vector<std::string> entries;  // names of entry points
  struct Dispatch {
    uint32_t entry = 0;
    std::array<uint32_t, 3> workgroups = {1, 1, 1};
  };
  std::vector<Dispatch> dispatches;
  std::vector<uint32_t> data;
  std::map<uint32_t, uint32_t> runtime_elements;  // by binding, where the last thing is a runtime array
};

RaceKernel MakeRaceKernel(uint64_t seed);

}  // namespace lockstep::tests
