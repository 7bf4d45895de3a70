// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs a RaceKernel under watch on the CPU device.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gpu/cpu/cpu_device.h"
#include "ir/module.h"
#include "observe/findings.h"
#include "support/race_oracle.h"
#include "support/random_race.h"

namespace lockstep::tests {

std::shared_ptr<gpu::hal::Device> MakeRaceDevice(gpu::cpu::Engine engine);

// A kernel's entry points, as lowered; what goes wrong becomes `error`.
struct BuiltRaceKernel {
  std::vector<ir::Module> entries;
  std::string error;
};
BuiltRaceKernel BuildRaceKernel(const RaceKernel& kernel);

struct Way {
  std::string name;
  gpu::hal::Device* device = nullptr;
  uint32_t threads = 1, lanes = 0;
};

// The words of all buffers before the first dispatch, by binding.
std::map<uint32_t, std::vector<uint32_t>> InitialMemory(const RaceKernel& kernel,
                                                        const BuiltRaceKernel& built);

// What the device finds in all dispatches, in one submit; a failure's message in `error`.
struct Watched {
  observe::Findings findings;
  std::string error;
};
Watched RunWatched(const Way& way, const RaceKernel& kernel, const BuiltRaceKernel& built);

// What brute force finds in each dispatch, until one fails.
std::vector<OracleFindings> AskOracle(const RaceKernel& kernel, const BuiltRaceKernel& built,
                                      uint64_t max_steps);

// Compare (race_oracle.h) for all dispatches.
std::string Compare(const std::vector<OracleFindings>& want, const Watched& got, const RaceKernel& kernel,
                    const BuiltRaceKernel& built);

}  // namespace lockstep::tests
