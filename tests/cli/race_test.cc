// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// lockstep race: verdicts, places and words, as a user sees them.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace lockstep::cli_test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

class Race : public CliTest {
 protected:
  json Find(const std::string& shader, std::vector<std::string> flags = {}) const {
    Write("a.wgsl", shader);
    std::vector<std::string> arguments = {"race", "a.wgsl", "--json"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const Outcome outcome = Run(arguments);
    json found = json::parse(outcome.out, nullptr, false);
    EXPECT_FALSE(found.is_discarded()) << outcome.out << outcome.err;
    const bool wrong = !found["races"].empty() || !found["out_of_bounds"].empty();
    EXPECT_EQ(outcome.status, wrong ? 1 : 0) << outcome.out << outcome.err;
    return found;
  }
};

// The rank of prices, with what stands for the two barriers left open.
std::string Rank(const std::string& first, const std::string& second, const std::string& tile = "256") {
  return "// prices: 1024 x f32 = random 5..60, rank: 1024 x u32, dispatch 4\n"
         "@group(0) @binding(0) var<storage> prices: array<f32>;\n"
         "@group(0) @binding(1) var<storage, read_write> rank: array<u32>;\n"
         "var<workgroup> tile: array<f32, " +
         tile +
         ">;\n"
         "@compute @workgroup_size(256)\n"
         "fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) l: u32) {\n"
         "  let own = prices[id.x];\n"
         "  var below = 0u;\n"
         "  for (var start = 0u; start < arrayLength(&prices); start += 256u) {\n"
         "    tile[l] = prices[start + l];\n"
         "    " +
         first +
         "\n"
         "    for (var k = 0u; k < 256u; k++) {\n"
         "      below += u32(tile[k] < own || (tile[k] == own && start + k < id.x));\n"
         "    }\n"
         "    " +
         second +
         "\n"
         "  }\n"
         "  rank[id.x] = below;\n"
         "}\n";
}

TEST_F(Race, TiledRankWithBothBarriersIsClean) {
  const json found = Find(Rank("workgroupBarrier();", "workgroupBarrier();"));
  EXPECT_TRUE(found["races"].empty()) << found;
  EXPECT_TRUE(found["out_of_bounds"].empty()) << found;
}

TEST_F(Race, AMissingOrWrongBarrierIsNamedWithItsPlace) {
  for (const char* instead : {"", "storageBarrier();"}) {
    SCOPED_TRACE(instead);
    const json first = Find(Rank(instead, "workgroupBarrier();"));
    ASSERT_EQ(first["races"].size(), 2u) << first;  // the tile is read in two places
    for (const json& race : first["races"]) {
      EXPECT_EQ(race["scope"], "workgroup");
      EXPECT_EQ(race["variable"], "tile");
      EXPECT_EQ(race["kind"], "read-write");
      EXPECT_EQ(race["element"], "tile[0]");
      EXPECT_EQ(race["count"], 256);
      EXPECT_EQ(race["elements"].size(), 100u);
      EXPECT_EQ(race["first"]["line"], 10);
      EXPECT_EQ(race["first"]["access"], "write");
      EXPECT_EQ(race["second"]["line"], 13);
      EXPECT_EQ(race["second"]["access"], "read");
      EXPECT_NE(race["first"]["invocation"], race["second"]["invocation"]);
      EXPECT_EQ(race["fix"]["barrier"], "workgroupBarrier");
      EXPECT_EQ(race["fix"]["line"], 12);
      EXPECT_TRUE(race["same_value"].is_null());
    }
    const json second = Find(Rank("workgroupBarrier();", instead));
    ASSERT_FALSE(second["races"].empty());
    EXPECT_EQ(second["races"][0]["fix"]["line"], 10) << second;
  }
}

TEST_F(Race, WithoutAnyBarrierNoSingleOneIsSuggested) {
  const json found = Find(Rank("", ""));
  ASSERT_FALSE(found["races"].empty());
  EXPECT_TRUE(found["races"][0]["fix"].is_null()) << found;
}

TEST_F(Race, ATileTooShortIsOutOfBoundsAndNoRace) {
  const json found = Find(Rank("workgroupBarrier();", "workgroupBarrier();", "128"));
  EXPECT_TRUE(found["races"].empty()) << found;
  ASSERT_EQ(found["out_of_bounds"].size(), 3u) << found;
  const json& write = found["out_of_bounds"][0];
  EXPECT_EQ(write["variable"], "tile");
  EXPECT_EQ(write["line"], 10);
  EXPECT_EQ(write["access"], "write");
  EXPECT_EQ(write["length"], 128);
  EXPECT_EQ(write["count"], 128);
  EXPECT_EQ(write["indices"][0], 128);
  EXPECT_EQ(write["first"]["invocation"], json({128, 0, 0}));
}

constexpr char kHead[] =
    "// out: 64 x u32, dispatch 4\n"
    "@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n"
    "var<workgroup> w: array<u32, 64>;\n"
    "var<workgroup> v: vec4u;\n"
    "var<workgroup> m: mat2x2f;\n"
    "struct S { a: u32, b: array<u32, 4> }\n"
    "var<workgroup> s: S;\n"
    "fn add(p: ptr<workgroup, u32>, x: u32) { *p += x; }\n"
    "fn fill(p: ptr<workgroup, array<u32, 64>>, i: u32) { (*p)[i] = i; }\n"
    "@compute @workgroup_size(16)\n"
    "fn main(@builtin(local_invocation_index) l: u32, @builtin(workgroup_id) g: vec3u) {\n";

json FindIn(const std::string& body, const std::function<json(const std::string&)>& find) {
  return find(kHead + body + "\n}\n");
}

TEST_F(Race, ComponentsOfOneVectorAreOneLocationForWrites) {
  const auto find = [&](const std::string& shader) { return Find(shader); };
  const json found = FindIn("if (l < 4) { v[l] = l; }", find);
  ASSERT_EQ(found["races"].size(), 1u) << found;
  EXPECT_EQ(found["races"][0]["kind"], "write-write");
  EXPECT_EQ(found["races"][0]["elements"], json({"v.x", "v.y", "v.z", "v.w"}));
  EXPECT_TRUE(
      FindIn("if (l == 0) { v = vec4u(1); }\nworkgroupBarrier();\nif (l < 4) { out[g.x * 16 + l] = v[l]; }",
             find)["races"]
          .empty());
  EXPECT_TRUE(FindIn("if (l < 2) { m[l] = vec2f(f32(l)); }", find)["races"].empty());
  EXPECT_FALSE(FindIn("if (l < 2) { m[0][l] = f32(l); }", find)["races"].empty());
}

TEST_F(Race, MembersAndElementsAreSeparate) {
  const auto find = [&](const std::string& shader) { return Find(shader); };
  EXPECT_TRUE(FindIn("if (l < 4) { s.b[l] = l; }\nif (l == 4) { s.a = 1; }", find)["races"].empty());
  const json found = FindIn("s.b[l % 4] = 7;", find);
  ASSERT_EQ(found["races"].size(), 1u) << found;
  EXPECT_EQ(found["races"][0]["element"], "s.b[0]");
  EXPECT_EQ(found["races"][0]["same_value"], true);
}

TEST_F(Race, PointersGivenToFunctionsArePlacesToo) {
  const auto find = [&](const std::string& shader) { return Find(shader); };
  EXPECT_TRUE(FindIn("add(&w[l], 1); fill(&w, l);", find)["races"].empty());
  const json found = FindIn("add(&w[l / 2], 1);", find);
  ASSERT_EQ(found["races"].size(), 2u) << found;
  EXPECT_EQ(found["races"][0]["variable"], "w");
  EXPECT_EQ(found["races"][0]["first"]["line"], 8);
  EXPECT_EQ(found["races"][0]["count"], 8);
  const json outside = FindIn("fill(&w, l + 56);\nadd(&w[l * 5], 1);", find);
  ASSERT_EQ(outside["out_of_bounds"].size(), 3u) << outside;  // the write; the read and the write of add
  EXPECT_EQ(outside["out_of_bounds"][2]["indices"], json({64, 65, 66, 67, 68, 69, 70, 71}));
}

TEST_F(Race, PlainAddsAcrossWorkgroupsRaceInBothScopes) {
  const auto find = [&](const std::string& shader) { return Find(shader); };
  const json found = FindIn("out[0] += 1;", find);
  std::map<std::string, int> scopes;
  for (const json& race : found["races"]) ++scopes[race["scope"]];
  EXPECT_EQ(scopes, (std::map<std::string, int>{{"workgroup", 2}, {"dispatch", 2}})) << found;
}

TEST_F(Race, UniformLoadsAreBarriers) {
  const auto find = [&](const std::string& shader) { return Find(shader); };
  EXPECT_TRUE(
      FindIn("if (l == 0) { w[0] = g.x; }\nlet x = workgroupUniformLoad(&w[0]);\nw[0 + u32(l == 3)] = x;",
             find)["races"]
          .size() == 1u);
  EXPECT_TRUE(FindIn("if (l == 0) { w[0] = g.x; }\nout[g.x * 16 + l] = workgroupUniformLoad(&w[0]);\n"
                     "if (l == 1) { w[0] = 3; }",
                     find)["races"]
                  .empty());
}

TEST_F(Race, GuardsThatHoldGuard) {
  const auto find = [&](const std::string& shader) { return Find(shader); };
  EXPECT_TRUE(
      FindIn("let i = l * 8;\nif (i < 64 && w[i] == 0) { out[g.x * 16 + l] = i; }", find)["out_of_bounds"]
          .empty());
  const json found = FindIn("let i = i32(l) - 1;\nout[g.x * 16 + l] = select(0u, w[i], i >= 0);", find);
  ASSERT_EQ(found["out_of_bounds"].size(), 1u) << found;
  EXPECT_EQ(found["out_of_bounds"][0]["indices"], json({-1}));
}

TEST_F(Race, EveryMemoryIsCheckedForItsBounds) {
  const json found = Find(
      "// u: 4 x vec4u = iota, out: 16 x u32, dispatch 1\n"
      "@group(0) @binding(0) var<uniform> u: array<vec4u, 4>;\n"
      "@group(0) @binding(1) var<storage, read_write> out: array<u32>;\n"
      "var<private> p: array<u32, 3>;\n"
      "@compute @workgroup_size(16) fn main(@builtin(local_invocation_index) l: u32) {\n"
      "  var f: array<u32, 5>;\n"
      "  f[l] = 1;\n"
      "  p[l] = 2;\n"
      "  out[l] = u[l].x + f[l] + p[l] + u[0][l];\n"
      "}\n");
  std::map<std::string, std::set<int>> lengths;
  for (const json& access : found["out_of_bounds"])
    lengths[access["variable"]].insert(access["length"].get<int>());
  EXPECT_EQ(lengths, (std::map<std::string, std::set<int>>{{"u", {4}}, {"f", {5}}, {"p", {3}}})) << found;
  EXPECT_EQ(found["out_of_bounds"].size(), 6u) << found;
}

TEST_F(Race, ScheduleDependentResultsAreShownAndFailOnlyWhenAsked) {
  const std::string append =
      "// n: 1 x u32, list: 64 x u32, dispatch 2\n"
      "@group(0) @binding(0) var<storage, read_write> n: atomic<u32>;\n"
      "@group(0) @binding(1) var<storage, read_write> list: array<u32>;\n"
      "@compute @workgroup_size(32) fn main(@builtin(global_invocation_id) id: vec3u) {\n"
      "  list[atomicAdd(&n, 1u)] = id.x;\n"
      "}\n";
  const json found = Find(append, {"--schedules", "6"});
  ASSERT_EQ(found["schedule_dependent"].size(), 1u) << found;
  EXPECT_EQ(found["schedule_dependent"][0]["variable"], "list");
  EXPECT_THAT(found["schedule_dependent"][0]["element"].get<std::string>(), testing::StartsWith("list["));
  EXPECT_EQ(found["schedule_dependent"][0]["values"].size(), 2u);
  EXPECT_EQ(Run({"race", "a.wgsl", "--schedules", "6", "--strict-order"}).status, 1);
  EXPECT_TRUE(Find(append)["schedule_dependent"].empty());
}

TEST_F(Race, WhatDependsOnTheScheduleIsNamedAsInRaces) {
  const json found = Find(
      "// state: State, dispatch 8\n"
      "struct Item { pad: vec3f, count: atomic<u32> }\n"
      "struct State { first: mat3x3f, items: array<Item, 4> }\n"
      "@group(0) @binding(0) var<storage, read_write> state: State;\n"
      "@group(0) @binding(1) var<storage, read_write> m: mat2x3f;\n"
      "@group(0) @binding(2) var<storage, read_write> one: atomic<u32>;\n"
      "@compute @workgroup_size(1) fn main(@builtin(workgroup_id) g: vec3u) {\n"
      "  if (atomicExchange(&state.items[3].count, g.x + 1u) == 0u) {\n"
      "    m[1].y = f32(g.x);\n"
      "  }\n"
      "  atomicStore(&one, g.x);\n"
      "}\n",
      {"--schedules", "20"});
  std::vector<std::string> names;
  for (const json& one : found["schedule_dependent"]) names.push_back(one["element"]);
  EXPECT_THAT(names, testing::UnorderedElementsAre("state.items[3].count", "m[1].y", "one")) << found;
}

// Every access is atomic, so that nothing races; and the result is wrong all the same.
TEST_F(Race, ABarrierMissingBetweenAtomicsShowsInTheSchedules) {
  const std::string bins =
      "// out: 4 x u32, dispatch 8\n"
      "@group(0) @binding(0) var<storage, read_write> out: array<atomic<u32>>;\n"
      "var<workgroup> bins: array<atomic<u32>, 4>;\n"
      "@compute @workgroup_size(256) fn main(@builtin(local_invocation_index) l: u32) {\n"
      "  atomicAdd(&bins[l % 4u], 1u);\n"
      "  if (l < 4u) { atomicAdd(&out[l], atomicLoad(&bins[l])); }\n"
      "}\n";
  const json found = Find(bins, {"--schedules", "20"});
  EXPECT_TRUE(found["races"].empty()) << found;
  ASSERT_EQ(found["schedule_dependent"].size(), 1u) << found;
  EXPECT_EQ(found["schedule_dependent"][0]["variable"], "out");
}

// Workgroups run one after the other, so that each first try works, unless it fails for no reason.
TEST_F(Race, ACompareExchangeThatDoesNotRetryIsWrongUnderSpuriousFailures) {
  const std::string once =
      "// sum: 1 x u32, dispatch 16\n"
      "// expect sum: 16\n"
      "@group(0) @binding(0) var<storage, read_write> sum: atomic<u32>;\n"
      "@compute @workgroup_size(1) fn main() {\n"
      "  let old = atomicLoad(&sum);\n"
      "  let tried = atomicCompareExchangeWeak(&sum, old, old + 1u);\n"
      "  if (!tried.exchanged) { return; }\n"
      "}\n";
  const json right = Find(once);
  EXPECT_EQ(right["expect"][0]["ok"], true) << right;
  const Outcome wrong = Run({"race", "a.wgsl", "--weak-failures", "3"});
  EXPECT_EQ(wrong.status, 1);
  EXPECT_THAT(wrong.out, HasSubstr("expect sum: 1 of 1 values differ"));
}

// Whole workgroups one after the other, in any order, never show it: another one has to come in the middle.
TEST_F(Race, SchedulesInterleaveWorkgroups) {
  const json found = Find(
      "// n: 1 x u32, others: 1 x u32, dispatch 8\n"
      "@group(0) @binding(0) var<storage, read_write> n: atomic<u32>;\n"
      "@group(0) @binding(1) var<storage, read_write> others: atomic<u32>;\n"
      "@compute @workgroup_size(1) fn main() {\n"
      "  let before = atomicAdd(&n, 1u);\n"
      "  let after = atomicLoad(&n);\n"
      "  atomicAdd(&others, after - before - 1u);\n"
      "}\n",
      {"--schedules", "4"});
  ASSERT_EQ(found["schedule_dependent"].size(), 1u) << found;
  EXPECT_EQ(found["schedule_dependent"][0]["element"], "others");
  EXPECT_EQ(found["schedule_dependent"][0]["values"][0], 0);
}

// A lock, whose holder adds one in two steps.
std::string Lock(const std::string& size, const std::string& dispatch, const std::string& body) {
  return "// lock: 1 x u32, total: 1 x u32, dispatch " + dispatch +
         "\n// expect total: 64\n"
         "@group(0) @binding(0) var<storage, read_write> lock: atomic<u32>;\n"
         "@group(0) @binding(1) var<storage, read_write> total: atomic<u32>;\n"
         "@compute @workgroup_size(" +
         size + ") fn main() {\n" + body + "}\n";
}
constexpr char kTakeAndLeave[] =
    "  while (!atomicCompareExchangeWeak(&lock, 0u, 1u).exchanged) { }\n"
    "  let old = atomicLoad(&total);\n"
    "  atomicStore(&total, old + 1u);\n"
    "  atomicStore(&lock, 0u);\n";
constexpr char kTryUntilDone[] =
    "  var done = false;\n"
    "  while (!done) {\n"
    "    if (atomicCompareExchangeWeak(&lock, 0u, 1u).exchanged) {\n"
    "      let old = atomicLoad(&total);\n"
    "      atomicStore(&total, old + 1u);\n"
    "      atomicStore(&lock, 0u);\n"
    "      done = true;\n"
    "    }\n"
    "  }\n";

TEST_F(Race, LocksHoldInAllSchedules) {
  for (const std::string& shader :
       {Lock("1", "64", kTakeAndLeave), Lock("1", "64", kTryUntilDone), Lock("32", "2", kTryUntilDone)}) {
    SCOPED_TRACE(shader);
    const json found = Find(shader, {"--schedules", "6", "--weak-failures", "1"});
    EXPECT_EQ(found["expect"][0]["ok"], true) << found;
    EXPECT_EQ(found["schedule_dependent"], json::array()) << found;
    EXPECT_EQ(found["unfinished_schedules"], 0) << found;
  }
}

// The holder waits for those of its group that have no lock yet.
TEST_F(Race, ALockThatSpinsInTheCanonicalScheduleIsStoppedAndSaidToWait) {
  Write("a.wgsl", Lock("32", "2", kTakeAndLeave));
  const Outcome outcome = Run({"race", "a.wgsl", "--time-limit", "1"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, HasSubstr("the time limit of 1 s is reached"));
  EXPECT_THAT(outcome.out, HasSubstr("WebGPU does not promise"));
}

// A running sum in which each workgroup looks back to the one before.
std::string LookBack(const std::string& number) {
  return "// next: 1 x u32, sums: 33 x u32, dispatch 32\n"
         "@group(0) @binding(0) var<storage, read_write> next: atomic<u32>;\n"
         "@group(0) @binding(1) var<storage, read_write> sums: array<atomic<u32>>;\n"
         "var<workgroup> number: u32;\n"
         "@compute @workgroup_size(4)\n"
         "fn main(@builtin(local_invocation_index) l: u32, @builtin(workgroup_id) g: vec3u) {\n"
         "  if (l == 0u) { number = " +
         number +
         "; }\n"
         "  let n = workgroupUniformLoad(&number);\n"
         "  if (l != 0u) { return; }\n"
         "  var before = u32(n == 0u);\n"
         "  while (before == 0u) { before = atomicLoad(&sums[n]); }\n"
         "  atomicStore(&sums[n + 1u], before + n);\n"
         "}\n";
}

TEST_F(Race, ALookBackReliesOnForwardProgressUnlessWorkgroupsAreNumberedAsTheyCome) {
  const json fixed = Find(LookBack("g.x"), {"--schedules", "6"});
  EXPECT_GT(fixed["unfinished_schedules"], 0) << fixed;
  EXPECT_LT(fixed["unfinished_schedules"], 6) << fixed;
  EXPECT_EQ(fixed["schedule_dependent"], json::array()) << fixed;
  const json numbered = Find(LookBack("atomicAdd(&next, 1u)"), {"--schedules", "6"});
  EXPECT_EQ(numbered["unfinished_schedules"], 0) << numbered;
  EXPECT_EQ(numbered["schedule_dependent"], json::array()) << numbered;
}

// The last invocation to come opens the door for those that wait: not in a schedule that runs the waiting
// ones first.
TEST_F(Race, AScheduleThatOnlySpinsIsNoFailure) {
  const std::string door =
      "// open: 1 x u32, dispatch 8\n"
      "@group(0) @binding(0) var<storage, read_write> open: atomic<u32>;\n"
      "@compute @workgroup_size(1) fn main(@builtin(workgroup_id) g: vec3u) {\n"
      "  if (g.x == 0u) { atomicStore(&open, 1u); }\n"
      "  else { while (atomicLoad(&open) == 0u) { } }\n"
      "}\n";
  const json found = Find(door, {"--schedules", "6"});
  EXPECT_GT(found["unfinished_schedules"], 0) << found;
  EXPECT_TRUE(found["schedule_dependent"].empty());
}

TEST_F(Race, TheVerdictDependsOnNeitherThreadsNorLanes) {
  const std::string racy = Rank("", "workgroupBarrier();");
  json want = Find(racy);
  want.erase("times_ms");
  for (const std::vector<std::string>& flags : std::vector<std::vector<std::string>>{
           {"--threads", "1"}, {"--threads", "3"}, {"--lanes", "1"}, {"--lanes", "8"}, {"--lanes", "64"}}) {
    json got = Find(racy, flags);
    got.erase("times_ms");
    EXPECT_EQ(got, want) << flags[0] << " " << flags[1];
  }
}

// The last one to store stays: in the canonical schedule it is the last workgroup, though the first takes so
// much longer that on two threads it would be last.
constexpr char kSlowFirst[] =
    "// last: 1 x u32, dispatch 2\n"
    "@group(0) @binding(0) var<storage, read_write> last: atomic<u32>;\n"
    "@group(0) @binding(1) var<storage, read_write> sink: array<u32, 2>;\n"
    "@compute @workgroup_size(1) fn main(@builtin(workgroup_id) g: vec3u) {\n"
    "  for (var i = 0u; i < (1u - g.x) * 3000000u; i++) { sink[g.x] = sink[g.x] * 7u + i; }\n";

TEST_F(Race, StoresAreInCanonicalOrderWhateverTheThreads) {
  const json found = Find(std::string(kSlowFirst) + "  atomicStore(&last, g.x + 1u);\n}\n// expect last: 2\n",
                          {"--threads", "2"});
  EXPECT_EQ(found["expect"][0]["ok"], true) << found;
}

TEST_F(Race, CompareExchangesAreInCanonicalOrderWhateverTheThreads) {
  const json found = Find(std::string(kSlowFirst) +
                              "  _ = atomicCompareExchangeWeak(&last, 0u, g.x + 1u);\n}\n// expect last: 1\n",
                          {"--threads", "2"});
  EXPECT_EQ(found["expect"][0]["ok"], true) << found;
}

TEST_F(Race, ShuffleSeedsTheOtherSchedulesAndNeverTheCanonicalOne) {
  const std::string append =
      "// n: 1 x u32, list: 8 x u32, dispatch 8\n"
      "// expect list: 0, 1, 2, 3, 4, 5, 6, 7\n"
      "@group(0) @binding(0) var<storage, read_write> n: atomic<u32>;\n"
      "@group(0) @binding(1) var<storage, read_write> list: array<u32>;\n"
      "@compute @workgroup_size(1) fn main(@builtin(workgroup_id) g: vec3u) {\n"
      "  list[atomicAdd(&n, 1u)] = g.x;\n"
      "}\n";
  std::set<std::string> others;
  for (const char* seed : {"0", "1", "2", "3", "18446744073709551615"}) {
    SCOPED_TRACE(seed);
    const json found = Find(append, {"--schedules", "1", "--shuffle", seed});
    EXPECT_EQ(found["expect"][0]["ok"], true) << found;
    others.insert(found["schedule_dependent"].dump());
  }
  EXPECT_GT(others.size(), 2u);
}

TEST_F(Race, LenientLeavesOutSameValues) {
  Write("a.wgsl", std::string(kHead) + "w[0] = 1;\n}\n");
  EXPECT_EQ(Run({"race", "a.wgsl"}).status, 1);
  const Outcome lenient = Run({"race", "a.wgsl", "--lenient"});
  EXPECT_EQ(lenient.status, 0) << lenient.out;
  EXPECT_THAT(lenient.out, HasSubstr("1 race is left out"));
}

TEST_F(Race, TextShowsBothLinesAndTheFix) {
  Write("a.wgsl", Rank("", "workgroupBarrier();"));
  const Outcome text = Run({"race", "a.wgsl"});
  EXPECT_THAT(text.out,
              HasSubstr("a.wgsl:10:5: error: data race on 'tile[0]' and 255 more elements: this write by "
                        "invocation (0, 0, 0) (in pass 1 of the loop in line 9)"));
  EXPECT_THAT(text.out, HasSubstr("a.wgsl:13:20: note: the read is here"));
  EXPECT_THAT(text.out, HasSubstr("a.wgsl:12:5: note: workgroupBarrier() in front of this would order them"));
  EXPECT_THAT(text.out, HasSubstr("a.wgsl: 2 races, no places out of bounds"));
}

TEST_F(Race, SarifPointsAtTheSource) {
  Write("a.wgsl", Rank("", "workgroupBarrier();"));
  Run({"race", "a.wgsl", "--sarif", "found.sarif"});
  const json sarif = json::parse(Read("found.sarif"));
  EXPECT_EQ(sarif["version"], "2.1.0");
  const json& result = sarif["runs"][0]["results"][0];
  EXPECT_EQ(result["ruleId"], "data-race");
  const json& region = result["locations"][0]["physicalLocation"]["region"];
  EXPECT_EQ(region["startLine"], 10);
  EXPECT_EQ(region["startColumn"], 5);
  EXPECT_EQ(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "a.wgsl");
  EXPECT_EQ(result["relatedLocations"].size(), 2u);
}

// Where the place itself is in divergent control flow, or in a helper that is called there, the barrier goes
// further out.
TEST_F(Race, TheBarrierMayStandAroundTheCallThatLeadsToTheRace) {
  const json found = Find(
      "// out: 64 x u32, dispatch 1\n"
      "@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n"
      "var<workgroup> tile: array<u32, 32>;\n"
      "fn bump(i: u32) {\n"
      "  tile[i] += i;\n"
      "}\n"
      "@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) l: u32) {\n"
      "  if l < 32 {\n"
      "    bump(l);\n"
      "  }\n"
      "  if l >= 32 {\n"
      "    bump(l - 32);\n"
      "  }\n"
      "  out[l] = l;\n"
      "}\n");
  ASSERT_FALSE(found["races"].empty());
  for (const json& race : found["races"]) {
    ASSERT_TRUE(race["fix"].is_object()) << race;
    EXPECT_EQ(race["fix"]["line"], 11);
  }
}

// Before the run, so that no finding is lost to a mistyped path.
TEST_F(Race, ASarifThatCannotBeWrittenIsAMistakeOfTheCall) {
  Write("a.wgsl", Rank("", "workgroupBarrier();"));
  for (const char* path : {"none/found.sarif", ".", ""}) {
    const Outcome outcome = Run({"race", "a.wgsl", "--json", "--sarif", path});
    EXPECT_EQ(outcome.status, 2) << path;
    EXPECT_THAT(json::parse(outcome.out)["error"]["message"].get<std::string>(), HasSubstr("--sarif: "));
  }
}

TEST_F(Race, SeveralDispatchesAreOrdered) {
  const json found = Find(
      "// data: 64 x u32, dispatch 4 entry fill, dispatch 1 entry sum\n"
      "@group(0) @binding(0) var<storage, read_write> data: array<u32>;\n"
      "@compute @workgroup_size(16) fn fill(@builtin(global_invocation_id) id: vec3u) { data[id.x] = id.x; "
      "}\n"
      "@compute @workgroup_size(16) fn sum(@builtin(local_invocation_index) l: u32) {\n"
      "  data[0] = data[l + 16];\n"
      "}\n");
  ASSERT_EQ(found["races"].size(), 1u) << found;
  EXPECT_EQ(found["races"][0]["dispatch"], 1);
}

TEST_F(Race, WhatDoesNotCompileIsAnErrorAsInRun) {
  const Outcome outcome = RunShader("fn main( {");
  Write("a.wgsl", "fn main( {");
  const Outcome race = Run({"race", "a.wgsl", "--json"});
  EXPECT_EQ(race.status, 1);
  EXPECT_EQ(json::parse(race.out)["error"]["status"], 1);
}

}  // namespace
}  // namespace lockstep::cli_test
