// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "runner/values.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>

namespace lockstep::runner {
namespace {

Layout Array(ScalarKind kind, uint64_t count) {
  return Layout::OfArray(Layout::OfScalar(kind), count, ScalarBytes(kind));
}

Initializer Init(std::string_view text) {
  const ParsedLine line = ParseBufferFlag("b: u32 = " + std::string(text));
  EXPECT_FALSE(line.error) << text;
  return std::get<BufferItem>(line.items.at(0).value).init;
}

std::vector<uint32_t> Values(std::string_view text, const Layout& layout) {
  const Result<std::vector<uint32_t>> values = InitialValues(Init(text), layout, "");
  EXPECT_TRUE(values.ok()) << text << ": " << (values.ok() ? "" : values.failure().message);
  return values.ok() ? *values : std::vector<uint32_t>();
}

std::string Error(std::string_view text, const Layout& layout) {
  const Result<std::vector<uint32_t>> values = InitialValues(Init(text), layout, "");
  EXPECT_FALSE(values.ok()) << text;
  return values.ok() ? "" : values.failure().message;
}

TEST(InitialValues, NumbersListsAndIota) {
  EXPECT_EQ(Values("7", Array(ScalarKind::kU32, 3)), (std::vector<uint32_t>{7, 7, 7}));
  EXPECT_EQ(Values("[1, -2]", Array(ScalarKind::kI32, 2)), (std::vector<uint32_t>{1, 0xfffffffe}));
  EXPECT_EQ(Values("iota", Array(ScalarKind::kF32, 3)),
            (std::vector<uint32_t>{0, std::bit_cast<uint32_t>(1.0f), std::bit_cast<uint32_t>(2.0f)}));
  EXPECT_TRUE(InitialValues(Initializer(), Array(ScalarKind::kU32, 3), "").value().empty());
}

TEST(InitialValues, EachScalarConvertsToItsOwnKind) {
  const Layout pair =
      Layout::OfStruct({Layout::OfScalar(ScalarKind::kF32), Layout::OfScalar(ScalarKind::kU32)}, {0, 4}, 8);
  EXPECT_EQ(Values("2", Layout::OfArray(pair, 2, 8)), (std::vector<uint32_t>{0x40000000, 2, 0x40000000, 2}));
}

TEST(InitialValues, SplitMix64IsThePublishedOne) {
  // First outputs of the reference implementation with seed 1234567.
  EXPECT_EQ(SplitMix64(1234567, 0), 6457827717110365317u);
  EXPECT_EQ(SplitMix64(1234567, 1), 3203168211198807973u);
  EXPECT_EQ(SplitMix64(1234567, 2), 9817491932198370423u);
}

TEST(InitialValues, RandomFloatsStayBelowTheUpperBound) {
  const std::vector<uint32_t> values = Values("random 1 .. 1.0000002", Array(ScalarKind::kF32, 4000));
  for (const uint32_t bits : values) {
    EXPECT_GE(std::bit_cast<float>(bits), 1.0f);
    EXPECT_LT(std::bit_cast<float>(bits), 1.0000002f);
  }
}

TEST(InitialValues, RandomFloatsUseTheTopBits) {
  const std::vector<uint32_t> values = Values("random 0 .. 1 seed 5", Array(ScalarKind::kF32, 3));
  for (uint64_t i = 0; i < 3; ++i) {
    EXPECT_EQ(std::bit_cast<float>(values[i]), static_cast<float>(SplitMix64(5, i) >> 40) / 16777216.0f);
  }
}

TEST(InitialValues, RandomIntegersReachBothEnds) {
  std::array<int, 5> seen = {};
  for (const uint32_t value : Values("random -2 .. 2", Array(ScalarKind::kI32, 1000))) {
    const int signed_value = static_cast<int32_t>(value);
    ASSERT_TRUE(signed_value >= -2 && signed_value <= 2);
    ++seen[static_cast<size_t>(signed_value + 2)];
  }
  for (const int count : seen) EXPECT_GT(count, 100);
  EXPECT_EQ(Values("random 0 .. 4294967295", Array(ScalarKind::kU32, 1))[0],
            static_cast<uint32_t>(SplitMix64(0, 0)));
}

TEST(InitialValues, MistakesAreNamed) {
  EXPECT_EQ(Error("[1, 2]", Array(ScalarKind::kU32, 3)), "the list has 2 numbers and the buffer 3 scalars");
  EXPECT_EQ(Error("-1", Array(ScalarKind::kU32, 3)), "-1 is out of range for u32");
  EXPECT_EQ(Error("[0, 1.5]", Array(ScalarKind::kI32, 2)), "1.5 is not an i32");
  EXPECT_NE(Error("random 2 .. 1", Array(ScalarKind::kU32, 3)).find("empty range"), std::string::npos);
  EXPECT_NE(Error("random 1 .. 1", Array(ScalarKind::kF32, 3)).find("empty range"), std::string::npos);
  EXPECT_NE(Error("random 0 .. inf", Array(ScalarKind::kF32, 3)).find("finite"), std::string::npos);
  EXPECT_NE(Error("@missing.npy", Array(ScalarKind::kF32, 3)).find("there is no such file"),
            std::string::npos);
  EXPECT_NE(Error("@data.txt", Array(ScalarKind::kF32, 3)).find(".npy, .bin, .csv or .json"),
            std::string::npos);
}

TEST(Layout, PlacesSkipPadding) {
  // array<struct { a: vec3f, b: u32 with @align(16) }, 2>
  const Layout vector = Layout::OfArray(Layout::OfScalar(ScalarKind::kF32), 3, 4);
  const Layout element = Layout::OfStruct({vector, Layout::OfScalar(ScalarKind::kU32)}, {0, 16}, 32);
  const Layout layout = Layout::OfArray(element, 2, 32);
  EXPECT_EQ(layout.scalars, 8u);
  EXPECT_EQ(layout.size, 64u);
  const uint64_t offsets[] = {0, 4, 8, 16, 32, 36, 40, 48};
  for (uint64_t i = 0; i < 8; ++i) EXPECT_EQ(PlaceOf(layout, i).offset, offsets[i]);
  std::vector<std::byte> memory(64, std::byte{0xee});
  const std::vector<uint32_t> values = {1, 2, 3, 4, 5, 6, 7, 8};
  Scatter(layout, values, memory);
  EXPECT_EQ(memory[12], std::byte{0xee});
  EXPECT_EQ(Gather(layout, memory), values);
  EXPECT_FALSE(CommonKind(layout).has_value());
  EXPECT_EQ(CommonKind(vector), ScalarKind::kF32);
}

TEST(Layout, AbsurdSizesSaturate) {
  const Layout vector = Layout::OfArray(Layout::OfScalar(ScalarKind::kF32), 4, 4);
  EXPECT_EQ(Layout::OfArray(vector, UINT64_MAX / 2, 16).size, UINT64_MAX);
}

}  // namespace
}  // namespace lockstep::runner
