// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Barriers that `lockstep race` suggests, against brute force: with the barrier in the text the race is gone,
// as support/race_oracle.h sees it.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "observe/report/wording.h"
#include "runner/run.h"
#include "support/race_oracle.h"
#include "support/random_race.h"
#include "support/watch_kernel.h"

namespace lockstep::tests {
namespace {

constexpr uint64_t kMaxSteps = 400'000;

runner::RunRequest RequestFor(const RaceKernel& kernel, const BuiltRaceKernel& built) {
  runner::RunRequest request;
  request.file = "test.wgsl";
  request.text = kernel.text;
  request.watch = true;
  for (const auto& [binding, words] : InitialMemory(kernel, built)) {
    request.flags.buffers.push_back(
        fmt::format("0.{}: {} x u32 = [{}]", binding, words.size(), fmt::join(words, ", ")));
  }
  for (const RaceKernel::Dispatch& d : kernel.dispatches) {
    request.flags.dispatches.push_back(
        fmt::format("{} entry {}", fmt::join(d.workgroups, " x "), kernel.entries[d.entry]));
  }
  return request;
}

// Whether the race is still there with the barrier in front of `before`; nothing where that does not compile.
std::optional<bool> StaysWith(const RaceKernel& kernel, const observe::Race& race, uint32_t before) {
  const bool storage = race.address_space == "storage";
  const std::string barrier = storage ? "storageBarrier(); " : "workgroupBarrier(); ";
  RaceKernel with = kernel;
  with.text.insert(before, barrier);
  const BuiltRaceKernel built = BuildRaceKernel(with);
  if (!built.error.empty()) return std::nullopt;
  const auto moved = [&](const observe::Access& access) {
    const auto by = static_cast<uint32_t>(access.span.begin >= before ? barrier.size() : 0);
    return OraclePlace{{access.span.begin + by, access.span.end + by}, access.kind};
  };
  const std::vector<OracleFindings> found = AskOracle(with, built, kMaxSteps);
  if (found.size() <= race.dispatch || !found.back().failure.empty()) return std::nullopt;
  return found[race.dispatch].races.count(
             {race.scope, race.variable, moved(race.first), moved(race.second)}) != 0;
}

void CheckFixes(uint64_t seed, size_t* fixes) {
  const RaceKernel kernel = MakeRaceKernel(seed);
  SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + kernel.text);
  const BuiltRaceKernel built = BuildRaceKernel(kernel);
  ASSERT_EQ(built.error, "");
  const std::vector<OracleFindings> want = AskOracle(kernel, built, kMaxSteps);
  if (!want.back().failure.empty()) return;  // too long
  gpu::devices::Options devices;
  devices.cpu.engine = gpu::cpu::Engine::kInterpreter;
  runner::CancelFlag cancel = runner::kRunning;
  const runner::RunReport report = runner::Run(RequestFor(kernel, built), devices, cancel);
  ASSERT_FALSE(report.failure) << report.failure->message;
  ASSERT_EQ(Compare(want, {report.findings, ""}, kernel, built), "");
  for (const observe::Race& race : report.findings.races) {
    if (!race.fix) continue;
    ASSERT_EQ(race.scope, observe::Scope::kWorkgroup) << "a barrier orders no workgroups";
    ASSERT_EQ(observe::BarrierName(race.fix->barrier),
              race.address_space == "storage" ? "storageBarrier" : "workgroupBarrier");
    ASSERT_EQ(StaysWith(kernel, race, race.fix->before.begin), std::optional(false))
        << race.variable << " with a barrier at " << race.fix->before.begin;
    ++*fixes;
  }
}

class Fixes : public testing::TestWithParam<uint64_t> {};

TEST_P(Fixes, MendTheRace) {
  size_t fixes = 0;
  for (uint64_t seed = GetParam() * 100; seed < GetParam() * 100 + 100 && !HasFailure(); ++seed) {
    CheckFixes(seed, &fixes);
  }
  EXPECT_GT(fixes, 20u);
}

INSTANTIATE_TEST_SUITE_P(, Fixes, testing::Range<uint64_t>(0, 8));

}  // namespace
}  // namespace lockstep::tests
