// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// The race detector against brute force: random kernels (support/random_race.h) run under watch on the CPU
// device, and what it finds is compared with all pairs of accesses (support/race_oracle.h): no race missed,
// none invented, all elements, passes of loops and indices out of range. Most seeds run in the device's
// interpreter, which tells the same observers the same events without a compiler; some in compiled kernels,
// with one thread and two and two values of `lanes`, which must not show. LOCKSTEP_RACE_SEEDS=FIRST..LAST
// runs others than the usual ones in the interpreter, LOCKSTEP_RACE_COMPILED_SEEDS both ways.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "support/race_oracle.h"
#include "support/random_race.h"
#include "support/watch_kernel.h"

namespace lockstep::tests {
namespace {

constexpr uint64_t kMaxSteps = 4'000'000;
constexpr const char* kTooLong = "the interpreter's limit of steps is reached";

class RaceProperty : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    interpreter_ = MakeRaceDevice(gpu::cpu::Engine::kInterpreter);
    compiler_ = MakeRaceDevice(gpu::cpu::Engine::kCompiler);
    statistics_ = {};
  }
  static void TearDownTestSuite() {
    interpreter_.reset();
    compiler_.reset();
    std::printf("%zu kernels, %zu with races, %zu with accesses out of range, %zu too long\n",
                statistics_.kernels, statistics_.with_races, statistics_.with_bounds, statistics_.too_long);
  }

  void RunSeed(uint64_t seed, bool compiled) {
    const RaceKernel kernel = MakeRaceKernel(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + kernel.text);
    const BuiltRaceKernel built = BuildRaceKernel(kernel);
    ASSERT_EQ(built.error, "");
    const std::vector<OracleFindings> want = AskOracle(kernel, built, kMaxSteps);
    Count(want);
    if (want.back().failure == kTooLong) return;
    ASSERT_EQ(want.back().failure, "");
    if (kernel.clean) {
      for (const OracleFindings& found : want) {
        ASSERT_TRUE(found.races.empty()) << "a race by mistake: " << Compare(found, {}, 0, {}, {});
      }
    }
    std::vector<Way> ways = {{"interpreter", interpreter_.get(), 1, 0}};
    if (compiled) {
      ways.push_back({"compiled", compiler_.get(), 1, 0});
      ways.push_back({"compiled, two threads, lanes 1", compiler_.get(), 2, 1});
    }
    for (const Way& way : ways) {
      ASSERT_EQ(Compare(want, RunWatched(way, kernel, built), kernel, built), "") << way.name;
    }
  }

  static void Count(const std::vector<OracleFindings>& all) {
    bool races = false, bounds = false;
    for (const OracleFindings& found : all) {
      races |= !found.races.empty();
      bounds |= !found.out_of_bounds.empty();
    }
    ++statistics_.kernels;
    if (races) ++statistics_.with_races;
    if (bounds) ++statistics_.with_bounds;
    if (all.back().failure == kTooLong) ++statistics_.too_long;
  }

  void RunRange(uint64_t first, uint64_t last, bool compiled) {
    for (uint64_t seed = first; seed <= last && !HasFailure(); ++seed) RunSeed(seed, compiled);
  }

  void RunRangeOfEnvironment(const char* name, bool compiled) {
    const char* range = std::getenv(name);
    if (range == nullptr) return;
    const std::string text = range;
    const size_t dots = text.find("..");
    ASSERT_NE(dots, std::string::npos) << name << "=FIRST..LAST";
    RunRange(std::stoull(text.substr(0, dots)), std::stoull(text.substr(dots + 2)), compiled);
  }

  struct Statistics {
    size_t kernels = 0, with_races = 0, with_bounds = 0, too_long = 0;
  };
  static std::shared_ptr<gpu::hal::Device> interpreter_, compiler_;
  static Statistics statistics_;
};

std::shared_ptr<gpu::hal::Device> RaceProperty::interpreter_, RaceProperty::compiler_;
RaceProperty::Statistics RaceProperty::statistics_;

class Seeds : public RaceProperty, public testing::WithParamInterface<uint64_t> {};

TEST_P(Seeds, InterpreterFindsWhatBruteForceFinds) {
  RunRange(GetParam() * 500, GetParam() * 500 + 499, false);
  // The programs are worth the name: both kinds are there in numbers.
  EXPECT_GT(statistics_.with_races, 100u);
  EXPECT_GT(statistics_.kernels - statistics_.with_races, 200u);
  EXPECT_GT(statistics_.with_bounds, 100u);
  EXPECT_LT(statistics_.too_long, 10u);
}

INSTANTIATE_TEST_SUITE_P(, Seeds, testing::Range<uint64_t>(0, 8));

class CompiledSeeds : public RaceProperty, public testing::WithParamInterface<uint64_t> {};

TEST_P(CompiledSeeds, KernelsFindWhatBruteForceFinds) {
  RunRange(100'000 + GetParam() * 40, 100'000 + GetParam() * 40 + 39, true);
}

INSTANTIATE_TEST_SUITE_P(, CompiledSeeds, testing::Range<uint64_t>(0, 8));

TEST_F(RaceProperty, HoldsForSeedsOfTheEnvironment) {
  RunRangeOfEnvironment("LOCKSTEP_RACE_SEEDS", false);
  RunRangeOfEnvironment("LOCKSTEP_RACE_COMPILED_SEEDS", true);
}

}  // namespace
}  // namespace lockstep::tests
