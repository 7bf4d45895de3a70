// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "observe/race/cell.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace lockstep::observe::race {
namespace {

constexpr uint64_t kEpoch = uint64_t{1} << kEpochShift;

struct Step {
  uint64_t kinds;
  uint32_t invocation;
  uint64_t interval = 1;
  uint64_t workgroup = 0;
};

// All pairs, by the definition.
bool BruteForce(const std::vector<Step>& steps, bool shared) {
  for (const Step& a : steps) {
    for (const Step& b : steps) {
      const bool same_workgroup = a.workgroup == b.workgroup;
      if (!same_workgroup && !shared) continue;
      if (same_workgroup && (a.invocation == b.invocation || a.interval != b.interval)) continue;
      if (Conflict(a.kinds, b.kinds)) return true;
    }
  }
  return false;
}

bool ByCell(const std::vector<Step>& steps, bool shared) {
  uint64_t cell = 0;
  uint64_t first = 1;
  uint64_t workgroup = 0, interval = 1, epoch = 1;
  for (const Step& step : steps) {
    if (step.workgroup != workgroup) {
      workgroup = step.workgroup;
      interval = step.interval;
      first = ++epoch;
    } else if (step.interval != interval) {
      interval = step.interval;
      ++epoch;
    }
    cell = After(cell, step.kinds, step.invocation, epoch * kEpoch, first * kEpoch, shared);
  }
  return (cell & kSuspect) != 0;
}

TEST(Cell, ReadsAndAtomicsAloneNeverConflict) {
  EXPECT_FALSE(ByCell({{kPlainRead, 0}, {kPlainRead, 1}, {kAtomicRead, 2}}, true));
  EXPECT_FALSE(ByCell({{kAtomicWrite, 0}, {kAtomicRead, 1}, {kAtomicWrite, 2}}, true));
}

TEST(Cell, OneInvocationNeverConflictsWithItself) {
  EXPECT_FALSE(ByCell({{kPlainWrite, 3}, {kPlainRead, 3}, {kPlainWrite, 3}}, true));
}

TEST(Cell, ABarrierSeparatesInsideOfAWorkgroupOnly) {
  EXPECT_TRUE(ByCell({{kPlainWrite, 0}, {kPlainRead, 1}}, false));
  EXPECT_FALSE(ByCell({{kPlainWrite, 0, 1}, {kPlainRead, 1, 2}}, false));
  EXPECT_TRUE(ByCell({{kPlainWrite, 0, 1, 0}, {kPlainRead, 1, 5, 1}}, true));
}

TEST(Cell, WorkgroupMemoryStartsAnewWithEachWorkgroup) {
  EXPECT_FALSE(ByCell({{kPlainWrite, 0, 1, 0}, {kPlainRead, 1, 1, 1}}, false));
}

// A workgroup that comes back finds what others did between two of its intervals.
TEST(Cell, EarlierIntervalsCountAgainstOtherWorkgroups) {
  EXPECT_TRUE(ByCell({{kPlainWrite, 0, 1, 0}, {kPlainRead, 0, 2, 0}, {kPlainRead, 0, 1, 1}}, true));
}

// Every kind of access to one word in WGSL is plain or atomic by the word's type, so that a word has one
// sort.
TEST(Cell, AgreesWithAllPairsOnRandomHistories) {
  std::mt19937 random(7);
  int conflicts = 0;
  for (int round = 0; round < 20000; ++round) {
    std::vector<Step> steps;
    const bool atomic = random() % 4 == 0;
    const uint32_t invocations = 1 + random() % 3;
    uint64_t interval = 1, workgroup = 0;
    for (uint32_t i = 0, n = 1 + random() % 6; i < n; ++i) {
      if (random() % 3 == 0) ++interval;
      if (random() % 5 == 0) ++workgroup, ++interval;
      const uint64_t kinds = atomic              ? (random() % 2 == 0 ? kAtomicRead : kAtomicWrite)
                             : random() % 3 == 0 ? kPlainWrite
                                                 : kPlainRead;
      steps.push_back({kinds, static_cast<uint32_t>(random() % invocations), interval, workgroup});
    }
    const bool shared = random() % 2 == 0;
    const bool expected = BruteForce(steps, shared);
    conflicts += expected ? 1 : 0;
    ASSERT_EQ(ByCell(steps, shared), expected) << "round " << round;
  }
  EXPECT_GT(conflicts, 1000);
}

}  // namespace
}  // namespace lockstep::observe::race
