// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "runner/expect.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

namespace lockstep::runner {
namespace {

Layout Array(ScalarKind kind, uint64_t count) {
  return Layout::OfArray(Layout::OfScalar(kind), count, ScalarBytes(kind));
}

ExpectItem Item(std::string_view text) {
  const ParsedLine line = ParseExpectFlag(text);
  EXPECT_FALSE(line.error) << text;
  return std::get<ExpectItem>(line.items.at(0).value);
}

template <typename T>
std::optional<Difference> Check(std::string_view text, ScalarKind kind, const std::vector<T>& memory) {
  const Layout layout = Array(kind, memory.size());
  const Result<Expectation> expectation = MakeExpectation(Item(text), layout, "");
  EXPECT_TRUE(expectation.ok()) << text << ": " << (expectation.ok() ? "" : expectation.failure().message);
  if (!expectation.ok()) return std::nullopt;
  return Compare(*expectation, layout, std::as_bytes(std::span(memory)));
}

TEST(Expect, ExactValues) {
  EXPECT_FALSE(Check<uint32_t>("b: 1, 2, 3", ScalarKind::kU32, {1, 2, 3}));
  const std::optional<Difference> difference = Check<uint32_t>("b: 1, 5, 6", ScalarKind::kU32, {1, 2, 3});
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->index, 1u);
  EXPECT_EQ(difference->got, "2");
  EXPECT_EQ(difference->want, "5");
  EXPECT_EQ(difference->count, 2u);
}

TEST(Expect, ADecimalMeansTheNearestValueOfTheType) {
  EXPECT_FALSE(Check<float>("b: 0.1", ScalarKind::kF32, {0.1f}));
  const std::optional<Difference> difference = Check<float>("b: 0.1", ScalarKind::kF32, {0.2f});
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->want, "0.1");
}

TEST(Expect, NanEqualsNanAndZeroesAreEqual) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(Check<float>("b: nan, 0", ScalarKind::kF32, {nan, -0.0f}));
  const std::optional<Difference> difference = Check<float>("b: 1", ScalarKind::kF32, {nan});
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->got, "NaN");
  EXPECT_EQ(difference->got_json, "\"NaN\"");
}

TEST(Expect, Tolerances) {
  EXPECT_FALSE(Check<float>("b: 1, 2 within 0.01", ScalarKind::kF32, {1.009f, 1.991f}));
  EXPECT_TRUE(Check<float>("b: 1, 2 within 0.01", ScalarKind::kF32, {1.02f, 2.0f}));
  EXPECT_FALSE(Check<float>("b: 1000 within 1%", ScalarKind::kF32, {1009.0f}));
  EXPECT_TRUE(Check<float>("b: 1000 within 1%", ScalarKind::kF32, {1011.0f}));
  EXPECT_TRUE(Check<float>("b: 0 within 1%", ScalarKind::kF32, {1e-6f}));
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_FALSE(Check<float>("b: inf within 1", ScalarKind::kF32, {infinity}));
  EXPECT_TRUE(Check<float>("b: 5 within inf", ScalarKind::kF32, {infinity}));
  EXPECT_FALSE(Check<uint32_t>("b: 9.5 within 0.5", ScalarKind::kU32, {10}));
}

TEST(Expect, TheRestMayGoUnchecked) {
  EXPECT_FALSE(Check<uint32_t>("b: 1, 2, ...", ScalarKind::kU32, {1, 2, 99, 98}));
  EXPECT_TRUE(Check<uint32_t>("b: 1, 3, ...", ScalarKind::kU32, {1, 2, 99, 98}));
}

TEST(Expect, Unordered) {
  EXPECT_FALSE(Check<uint32_t>("b unordered: 3, 1, 2, 1", ScalarKind::kU32, {1, 1, 2, 3}));
  const std::optional<Difference> difference =
      Check<uint32_t>("b unordered: 3, 1, 2, 2", ScalarKind::kU32, {1, 1, 2, 3});
  ASSERT_TRUE(difference);
  EXPECT_EQ(difference->got, "1");
  EXPECT_EQ(difference->want, "2");
  EXPECT_FALSE(Check<uint32_t>("b unordered: 7, 3, ...", ScalarKind::kU32, {1, 3, 5, 7}));
  EXPECT_TRUE(Check<uint32_t>("b unordered: 3, 3, ...", ScalarKind::kU32, {1, 3, 5, 7}));
  EXPECT_TRUE(Check<uint32_t>("b unordered: 9, ...", ScalarKind::kU32, {1, 3, 5, 7})->got.empty());
  EXPECT_FALSE(Check<float>("b unordered: 2, 1 within 0.1", ScalarKind::kF32, {1.05f, 1.95f}));
}

TEST(Expect, ListsThatDoNotFitAreTheCallsFault) {
  const std::pair<const char*, const char*> cases[] = {
      {"b: 1, 2", "the list has 2 numbers and the buffer 3 scalars: end it with ', ...'"},
      {"b: 1, 2, 3, 4", "the list has 4 numbers and the buffer 3 scalars"},
      {"b: 1, 2, 3, 4, ...", "the list has 4 numbers"},
      {"b: 1, 2, -3", "-3 is out of range for u32"},
      {"b: @none.csv", "there is no such file"}};
  for (const auto& [text, message] : cases) {
    const Result<Expectation> made = MakeExpectation(Item(text), Array(ScalarKind::kU32, 3), "");
    ASSERT_FALSE(made.ok()) << text;
    EXPECT_EQ(made.failure().kind, FailureKind::kUsage);
    EXPECT_NE(made.failure().message.find(message), std::string::npos) << made.failure().message;
  }
}

}  // namespace
}  // namespace lockstep::runner
