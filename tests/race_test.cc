// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Small kernels under watch, each a thing that was once told wrongly. Both engines must agree with brute
// force (support/race_oracle.h) on all of a kernel; the tests say what is special about it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "support/watch_kernel.h"

namespace lockstep::tests {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

class RaceTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    interpreter_ = MakeRaceDevice(gpu::cpu::Engine::kInterpreter);
    compiler_ = MakeRaceDevice(gpu::cpu::Engine::kCompiler);
  }
  static void TearDownTestSuite() {
    interpreter_.reset();
    compiler_.reset();
  }

  // Runs `globals` and main's body with four invocations a workgroup, of which each has `l` and `w`.
  observe::Findings Find(const std::string& globals, const std::string& body, uint32_t workgroups = 1) {
    RaceKernel kernel;
    kernel.text = globals +
                  "\n@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) l: u32,\n"
                  "    @builtin(workgroup_id) id: vec3<u32>) {\n  let w = id.x;\n" +
                  body + "\n}\n";
    kernel.entries = {"main"};
    kernel.dispatches = {{0, {workgroups, 1, 1}}};
    text_ = kernel.text;
    const BuiltRaceKernel built = BuildRaceKernel(kernel);
    EXPECT_EQ(built.error, "");
    if (!built.error.empty()) return {};
    const std::vector<OracleFindings> want = AskOracle(kernel, built, 1'000'000);
    EXPECT_EQ(want.back().failure, "");
    const Watched interpreted = RunWatched({"", interpreter_.get(), 1, 0}, kernel, built);
    EXPECT_EQ(Compare(want, interpreted, kernel, built), "");
    const Watched compiled = RunWatched({"", compiler_.get(), 2, 0}, kernel, built);
    EXPECT_EQ(Compare(want, compiled, kernel, built), "");
    return interpreted.findings;
  }

  std::string text_;  // of the last kernel
  static std::shared_ptr<gpu::hal::Device> interpreter_, compiler_;
};

std::shared_ptr<gpu::hal::Device> RaceTest::interpreter_, RaceTest::compiler_;

TEST_F(RaceTest, NegativeIndexIsToldAsItIs) {
  const observe::Findings found = Find("var<private> a: array<i32, 8>;", "a[i32(l) - 2] = 1;");
  ASSERT_THAT(found.out_of_bounds, SizeIs(1));
  EXPECT_THAT(found.out_of_bounds[0].indices, ElementsAre(-2, -1));
}

TEST_F(RaceTest, NegativeIndexOfAPointerIsToldInTheFunctionThatUsesIt) {
  const observe::Findings found = Find(
      "var<workgroup> a: array<array<u32, 2>, 8>;\n"
      "fn put(p: ptr<workgroup, array<u32, 2>>, l: u32) { (*p)[l & 1u] = 1u; }",
      "put(&a[i32(l) - 1], l);");
  ASSERT_THAT(found.out_of_bounds, SizeIs(1));
  EXPECT_THAT(found.out_of_bounds[0].indices, ElementsAre(-1));
}

TEST_F(RaceTest, SignIsOfTheIndexThatFailsFirst) {
  const observe::Findings found =
      Find("var<private> a: array<array<u32, 2>, 8>;", "a[l + 0xfffffffeu][i32(l) - 1] = 1u;");
  ASSERT_THAT(found.out_of_bounds, SizeIs(2));
  EXPECT_THAT(found.out_of_bounds[0].indices, ElementsAre(2));
  EXPECT_THAT(found.out_of_bounds[1].indices, ElementsAre(0xfffffffe, 0xffffffff));
}

// A large one lies in memory, but not in a variable that somebody declared.
TEST_F(RaceTest, LargeConstantIsNoVariable) {
  const observe::Findings found =
      Find("var<workgroup> a: u32;\nconst t = array<u32, 100>();", "if (l == 0) { a = t[l + 1000]; }");
  EXPECT_TRUE(found.empty());
}

TEST_F(RaceTest, PaddingIsNoElement) {
  const observe::Findings found =
      Find("struct S { a: vec3<f32>, b: array<vec2<i32>, 1>, c: vec3<u32> }\nvar<workgroup> s: S;",
           "s = S(vec3(1.0), array(vec2(i32(l))), vec3(0u));");
  ASSERT_THAT(found.races, SizeIs(1));
  EXPECT_THAT(found.races[0].elements,
              ElementsAre("s.a.x", "s.a.y", "s.a.z", "s.b[0].x", "s.b[0].y", "s.c.x", "s.c.y", "s.c.z"));
}

TEST_F(RaceTest, PaddingHasNoValueThatMightDiffer) {
  const observe::Findings found =
      Find("struct S { a: vec3<f32>, b: vec2<u32> }\nvar<workgroup> s: S;", "s = S(vec3(1.0), vec2(2u));");
  ASSERT_THAT(found.races, SizeIs(1));
  EXPECT_EQ(found.races[0].same_value, std::optional(true));
}

// Each component's write counts for the whole vector, and only for itself has it a value.
TEST_F(RaceTest, ValuesOfASwizzleDiffer) {
  const observe::Findings found = Find("var<workgroup> v: vec4<u32>;", "v.xz = vec2(1u, l);");
  ASSERT_THAT(found.races, SizeIs(1));
  EXPECT_EQ(found.races[0].same_value, std::optional(false));
}

TEST_F(RaceTest, ValuesOfDifferentComponentsAreNotComparable) {
  const observe::Findings found =
      Find("var<workgroup> v: vec4<u32>;", "if (l == 1) { v.x = 1; }\nif (l == 2) { v.y = 2; }");
  ASSERT_THAT(found.races, SizeIs(1));
  EXPECT_EQ(found.races[0].same_value, std::nullopt);
}

// The text at a place, which stands in main's body.
std::string TextAt(const observe::Access& access, const std::string& text) {
  return text.substr(access.span.begin, access.span.end - access.span.begin);
}

TEST_F(RaceTest, CopiesOfLargeValuesPointAtWhatIsReadAndWhatIsWritten) {
  const std::string large =
      "struct Box { a: array<u32, 100> }\nvar<workgroup> s: array<Box, 2>;\nvar<workgroup> t: Box;\n"
      "fn take(b: Box) -> u32 { return b.a[3]; }\nfn give() -> Box { return t; }\n";
  const std::vector<std::tuple<std::string, std::string, std::string>> cases = {
      {"s[1] = t;", "s[1]", "t"},
      {"s[l & 1] = Box();", "s[l & 1]", ""},
      {"let x = t;", "", "t"},
      {"var x = t;", "", "t"},
      {"_ = t;", "", "t"},
      {"if (take(t) == 3) { return; }", "", "t"},
      {"if (give().a[0] == 3) { return; }", "", "t"},
      {"let x = array<Box, 2>(t, Box());", "", "t"},
  };
  for (const auto& [statement, write, read] : cases) {
    SCOPED_TRACE(statement);
    const observe::Findings found = Find(large, "if (l == 1) { t = Box(); }\n" + statement);
    std::set<std::string> writes, reads;
    for (const observe::Race& race : found.races) {
      for (const observe::Access& access : {race.first, race.second}) {
        (abi::Writes(access.kind) ? writes : reads).insert(TextAt(access, text_));
      }
    }
    std::set<std::string> want_writes, want_reads;
    if (!write.empty()) want_writes.insert(write);
    if (!read.empty()) want_writes.insert("t");  // the assignment before
    if (!read.empty()) want_reads.insert(read);
    EXPECT_EQ(writes, want_writes);
    EXPECT_EQ(reads, want_reads);
  }
}

TEST_F(RaceTest, SwizzlesPointAtTheLeftSide) {
  const observe::Findings found =
      Find("var<workgroup> v: vec4<u32>;", "v.xz = vec2(l, 1u); v.yw += vec2(l);");
  for (const observe::Race& race : found.races) {
    for (const observe::Access& access : {race.first, race.second}) {
      EXPECT_THAT(TextAt(access, text_), testing::AnyOf("v.xz", "v.yw"));
    }
  }
  EXPECT_THAT(found.races, testing::Not(testing::IsEmpty()));
}

// However many values one invocation writes before.
TEST_F(RaceTest, TheLastOfManyValuesDiffers) {
  const observe::Findings found = Find("var<workgroup> a: u32;",
                                       "for (var i = 0u; i < 9; i++) { if (l == 0) { a = i; } }\n"
                                       "if (l == 1) { a = 8; }");
  ASSERT_THAT(found.races, SizeIs(1));
  EXPECT_EQ(found.races[0].same_value, std::optional(false));
}

}  // namespace
}  // namespace lockstep::tests
