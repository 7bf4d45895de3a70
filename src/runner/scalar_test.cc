// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "runner/scalar.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "support/half.h"

namespace lockstep::runner {
namespace {

std::string F32(float value, NumberStyle style = NumberStyle::kText) {
  return FormatScalar({ScalarKind::kF32, std::bit_cast<uint32_t>(value)}, style);
}

TEST(FormatScalar, FloatsAreShortestOfTheirOwnType) {
  EXPECT_EQ(F32(0.1f), "0.1");
  EXPECT_EQ(F32(1.0f), "1");
  EXPECT_EQ(F32(-2.5f), "-2.5");
  EXPECT_EQ(F32(16777216.0f), "16777216");
  EXPECT_EQ(F32(100000000.0f), "100000000");
  EXPECT_EQ(F32(1.0f / 3), "0.33333334");
  EXPECT_EQ(F32(3.4028235e38f), "3.4028235e+38");
  EXPECT_EQ(F32(1e-7f), "1e-7");
  EXPECT_EQ(F32(1e-45f), "1e-45");
  EXPECT_EQ(F32(-0.0f), "-0");
  EXPECT_EQ(F32(0.0f), "0");
  EXPECT_EQ(F32(0.000001f), "0.000001");
}

TEST(FormatScalar, SpecialValuesAreStringsInJson) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(F32(nan), "NaN");
  EXPECT_EQ(F32(-infinity), "-Infinity");
  EXPECT_EQ(F32(nan, NumberStyle::kJson), "\"NaN\"");
  EXPECT_EQ(F32(infinity, NumberStyle::kJson), "\"Infinity\"");
  EXPECT_EQ(F32(-infinity, NumberStyle::kJson), "\"-Infinity\"");
}

TEST(FormatScalar, Integers) {
  EXPECT_EQ(FormatScalar({ScalarKind::kU32, 0xffffffffu}), "4294967295");
  EXPECT_EQ(FormatScalar({ScalarKind::kI32, 0x80000000u}), "-2147483648");
}

TEST(FormatScalar, EveryHalfReadsBack) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const double value = HalfValue(static_cast<uint16_t>(bits));
    if (std::isnan(value)) continue;
    const Converted back = ConvertText(FormatScalar({ScalarKind::kF16, bits}), ScalarKind::kF16);
    ASSERT_TRUE(back.bits.has_value()) << bits;
    EXPECT_EQ(*back.bits, bits);
  }
}

TEST(HalfBits, RoundsToNearestEven) {
  EXPECT_EQ(HalfBits(1.0), 0x3c00);
  EXPECT_EQ(HalfBits(65504), 0x7bff);
  EXPECT_EQ(HalfBits(65519.99), 0x7bff);
  EXPECT_EQ(HalfBits(65520), 0x7c00);
  EXPECT_EQ(HalfBits(2049), 0x6800);           // a tie: down to the even 2048
  EXPECT_EQ(HalfBits(2051), 0x6802);           // a tie: up to the even 2052
  EXPECT_EQ(HalfBits(std::ldexp(1, -24)), 1);  // the least subnormal
  EXPECT_EQ(HalfBits(std::ldexp(1, -25)), 0);
}

struct ConvertCase {
  const char* text;
  ScalarKind kind;
  uint32_t bits;
};

TEST(ConvertText, AcceptsWhatTheTypeHolds) {
  const ConvertCase cases[] = {
      {"7", ScalarKind::kU32, 7},
      {"+7", ScalarKind::kU32, 7},
      {"-0", ScalarKind::kU32, 0},
      {"4294967295", ScalarKind::kU32, 0xffffffffu},
      {"0xff", ScalarKind::kU32, 255},
      {"1e3", ScalarKind::kU32, 1000},
      {"2.0", ScalarKind::kI32, 2},
      {"-2147483648", ScalarKind::kI32, 0x80000000u},
      {"0.1", ScalarKind::kF32, 0x3dcccccdu},
      {"-0", ScalarKind::kF32, 0x80000000u},
      {".5", ScalarKind::kF32, 0x3f000000u},
      {"5.", ScalarKind::kF32, 0x40a00000u},
      {"0x10", ScalarKind::kF32, 0x41800000u},
      {"16777217", ScalarKind::kF32, 0x4b800000u},
      {"1e-60", ScalarKind::kF32, 0},
      {"inf", ScalarKind::kF32, 0x7f800000u},
      {"-Infinity", ScalarKind::kF32, 0xff800000u},
      {"1.5", ScalarKind::kF16, 0x3e00},
      // Just above the middle between two floats; by way of double it would become the middle and round down.
      {"1.00000005960464477540", ScalarKind::kF32, 0x3f800001u},
  };
  for (const ConvertCase& c : cases) {
    const Converted converted = ConvertText(c.text, c.kind);
    ASSERT_TRUE(converted.bits.has_value()) << c.text << ": " << converted.error;
    EXPECT_EQ(*converted.bits, c.bits) << c.text;
  }
  EXPECT_TRUE(std::isnan(ToDouble({ScalarKind::kF32, *ConvertText("NaN", ScalarKind::kF32).bits})));
}

TEST(ConvertText, RefusesWhatItDoesNot) {
  const std::pair<const char*, ScalarKind> cases[] = {{"-1", ScalarKind::kU32},
                                                      {"4294967296", ScalarKind::kU32},
                                                      {"1.5", ScalarKind::kU32},
                                                      {"2147483648", ScalarKind::kI32},
                                                      {"-2147483649", ScalarKind::kI32},
                                                      {"nan", ScalarKind::kI32},
                                                      {"1e39", ScalarKind::kF32},
                                                      {"65520", ScalarKind::kF16},
                                                      {"99999999999999999999999", ScalarKind::kU32},
                                                      {"", ScalarKind::kF32},
                                                      {"1e", ScalarKind::kF32},
                                                      {"1.2.3", ScalarKind::kF32},
                                                      {"0x", ScalarKind::kU32},
                                                      {"0xg", ScalarKind::kU32},
                                                      {"--1", ScalarKind::kI32},
                                                      {".", ScalarKind::kF32},
                                                      {"1u", ScalarKind::kU32}};
  for (const auto& [text, kind] : cases) {
    const Converted converted = ConvertText(text, kind);
    EXPECT_FALSE(converted.bits.has_value()) << text;
    EXPECT_FALSE(converted.error.empty()) << text;
  }
}

TEST(FormatSeconds, ThreeDigitsInTheUnitThatFits) {
  EXPECT_EQ(FormatSeconds(87.1e-6), "87.1 us");
  EXPECT_EQ(FormatSeconds(1e-9), "1.00 ns");
  EXPECT_EQ(FormatSeconds(412e-9), "412 ns");
  EXPECT_EQ(FormatSeconds(999.6e-9), "1.00 us");
  EXPECT_EQ(FormatSeconds(1.5234e-3), "1.52 ms");
  EXPECT_EQ(FormatSeconds(9.996e-3), "10.0 ms");
  EXPECT_EQ(FormatSeconds(0.5), "500 ms");
  EXPECT_EQ(FormatSeconds(59.99), "60.0 s");
  EXPECT_EQ(FormatSeconds(12345), "12345 s");
  EXPECT_EQ(FormatSeconds(0), "0 ns");
}

TEST(Scalars, MessagesShortenLongNumbers) {
  const std::string digits(100000, '9');
  for (const std::string& number : {digits, "x" + digits, digits + ".5"}) {
    const Converted converted = ConvertText(number, ScalarKind::kU32);
    EXPECT_FALSE(converted.bits);
    EXPECT_LT(converted.error.size(), 100u);
  }
}

}  // namespace
}  // namespace lockstep::runner
