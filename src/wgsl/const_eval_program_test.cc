// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Constant evaluation through whole programs: const_asserts that hold (many are the specification's own
// examples), and the errors of expressions that must not compile.
#include <gtest/gtest.h>

#include "wgsl/program.h"

namespace lockstep::wgsl {
namespace {

// The first error's message, empty where `text` compiles.
std::string ErrorOf(const std::string& text) {
  const SourceFile file("a.wgsl", text);
  diag::Sink sink;
  if (Compile(file, {}, sink).has_value()) return "";
  return sink.diagnostics().empty() ? "no result and no error" : sink.diagnostics()[0].message;
}

// Flat table.
TEST(ConstPrograms, AssertionsThatHold) {
  for (const char* condition : {
           // literals and conversions
           "1 + 2 == 3",
           "1 + 2.5 == 3.5",
           "i32(2147483647) == 2147483647",
           "-2147483648 == i32(-2147483648)",
           "u32(4 * 1000 * 1000 * 1000) == 4000000000u",
           "i32(-3.9) == -3",
           "u32(3.9f) == 3u",
           "u32(-1f) == 0u",
           "u32(1e20f) == 4294967040u",
           "i32(1e20f) == 2147483520i",
           "i32(4294967295u) == -1",
           "f32(true) == 1.0",
           "bool(0.0f) == false",
           "u32(true) == 1u",
           "vec2<i32>(vec2f(1.5, -1.5)).y == -1",
           // operators
           "7 / 2 == 3",
           "-7 / 2 == -3",
           "-7 % 2 == -1",
           "7u % 4u == 3u",
           "5.5 % 2.0 == 1.5",
           "1 << 4 == 16",
           "-8 >> 1 == -4",
           "0xffffffffu >> 28 == 15u",
           "~0u == 4294967295u",
           "~5 == -6",
           "(6 & 3) == 2",
           "(6 | 3) == 7",
           "(6 ^ 3) == 5",
           "2147483647i + 1i == i32(-2147483648)",
           "0u - 1u == 4294967295u",
           "-1 * i32(-2147483648) == i32(-2147483648)",
           "!(1 > 2) && 3 <= 3",
           "false == !true",
           "true || 1 / 0 == 1",
           "!(false && 1 / 0 == 1)",
           "all(vec3(1, 2, 3) + 1 == vec3(2, 3, 4))",
           "all(2.0 * vec2(1, 2) == vec2f(2, 4))",
           "all(vec2(1, 2) < vec2(2, 3))",
           "(mat2x2f(1, 2, 3, 4) * vec2f(1, 1)).y == 6",
           "(mat2x3f(1, 2, 3, 4, 5, 6) * mat3x2f(1, 0, 0, 1, 1, 1))[2].z == 9",
           "(vec2f(1, 1) * mat2x2f(1, 2, 3, 4)).y == 7",
           // composites
           "array(1, 2, 3)[1] == 2",
           "array<f32, 2>(1, 2)[1] == 2.0",
           "vec4(1, vec2(2, 3), 4).zw.y == 4",
           "vec3(7).z == 7",
           "vec3f().x == 0",
           "mat2x2(1, 2, 3, 4)[1][0] == 3",
           "vec3(1, 2, 3)[2] == 3",
           "vec4(1, 2, 3, 4).wzyx.x == 4",
           // builtins
           "abs(-5) == 5",
           "max(2, 3.5) == 3.5",
           "min(2u, 3u) == 2u",
           "clamp(5, 1, 3) == 3",
           "sign(-2.5) == -1",
           "select(1, 2, true) == 2",
           "dot(vec3(1, 2, 3), vec3(4, 5, 6)) == 32",
           "length(vec2(3, 4)) == 5",
           "all(cross(vec3(1, 0, 0), vec3(0, 1, 0)) == vec3(0, 0, 1))",
           "floor(-1.5) == -2",
           "round(2.5) == 2",
           "fract(1.25) == 0.25",
           "frexp(6.0).exp == 3",
           "frexp(6.0).fract == 0.75",
           "modf(-1.25).whole == -1",
           "modf(vec2f(1.5, 2.25)).fract.y == 0.25",
           "ldexp(0.75, 3) == 6",
           "sqrt(16) == 4",
           "pow(2, 10) == 1024",
           "exp2(3) == 8",
           "log2(8) == 3",
           "countOneBits(255u) == 8u",
           "firstLeadingBit(-1i) == -1i",
           "reverseBits(1u) == 0x80000000u",
           "extractBits(0xf0u, 4u, 4u) == 15u",
           "insertBits(0u, 0xffu, 8u, 4u) == 0xf00u",
           "bitcast<u32>(1f) == 0x3f800000u",
           "bitcast<f32>(0x40490fdbu) > 3.14",
           "pack4x8unorm(vec4f(1, 0, 0, 1)) == 0xff0000ffu",
           "unpack2x16float(0xc0003c00u).y == -2",
           "determinant(mat2x2f(1, 2, 3, 4)) == -2",
           "transpose(mat2x3f(1, 2, 3, 4, 5, 6))[2].y == 6",
           "smoothstep(0, 2, 1) == 0.5",
           "step(1, 2) == 1",
           "mix(1, 3, 0.5) == 2",
           "degrees(0) == 0",
           "quantizeToF16(0.1f) == 0.0999755859375f",
           "ldexp(0.5, 201) == ldexp(1.0, 200)",
           "ldexp(0.5, i32(3)) == 4f",
           "pow(0, 0.5) == 0",
           "dot4U8Packed(0x01010101u, 0x01020304u) == 10u",
           "any(vec2(false, true))",
           "distance(vec2f(4, 6), vec2f(1, 2)) == 5",
           "faceForward(vec2f(1, 2), vec2f(1, 0), vec2f(1, 0)).x == -1",
       }) {
    EXPECT_EQ(ErrorOf(std::string("const_assert ") + condition + ";"), "") << condition;
  }
}

TEST(ConstPrograms, ErrorsOfConstExpressions) {
  const std::pair<const char*, const char*> cases[] = {
      {"9223372036854775807 + 1", "'9223372036854775807 + 1' cannot be represented as 'abstract-int'"},
      {"i32(2147483648)",
       "value 2147483648 cannot be represented as 'i32', which holds -2147483648 to 2147483647"},
      {"u32(-1)", "value -1 cannot be represented as 'u32', which holds 0 to 4294967295"},
      {"f32(1e39)",
       "value 1e+39 cannot be represented as 'f32', which holds -3.4028235e+38 to 3.4028235e+38"},
      {"1e38f * 10f", "'1e+38f * 10f' cannot be represented as 'f32'"},
      {"1 / 0", "division by zero"},
      {"1.0 / 0.0", "division by zero"},
      {"5u % 0u", "remainder of a division by zero"},
      {"vec2(1, 2) / vec2(1, 0)", "division by zero"},
      {"i32(-2147483648) / -1", "'-2147483648i / -1i' cannot be represented as 'i32'"},
      {"1u << 32", "shift by 32 is too far: 'u32' has 32 bits"},
      {"1i << 31", "'1i << 31u' cannot be represented as 'i32'"},
      {"array(1, 2)[2]", "index 2 is out of range for 'array<abstract-int, 2>', which has 2 elements"},
      {"vec2(1, 2)[-1]", "index -1 is out of range for 'vec2<abstract-int>', which has 2 components"},
      {"sqrt(-1)", "'sqrt' needs a value of at least 0, not -1.0"},
      {"log(0f)", "'log' needs a value above 0, not 0f"},
      {"clamp(1, 3, 2)", "'clamp' needs low <= high, but low is 3 and high is 2"},
      {"normalize(vec2f())", "'normalize' needs a vector whose length is not 0, not vec2<f32>(0f, 0f)"},
      {"bitcast<f32>(0x7f800000u)", "bitcast of 2139095040u to 'f32' gives an infinity"},
      {"exp(100f)", "the result of 'exp' overflows 'f32'"},
      {"pack2x16float(vec2f(1e6, 0))",
       "value 1000000 cannot be represented as 'f16', which holds -65504 to 65504"},
      {"extractBits(1u, 30u, 3u)",
       "'extractBits' needs offset + count <= 32, but offset is 30 and count is 3"},
      {"pow(0, 0)", "'pow' needs a base above 0 where the exponent is 0, not 0.0"},
      // One concrete argument makes the other concrete (WGSL #ldexp-builtin).
      {"ldexp(1.0, i32(200))", "the exponent of 'ldexp' is at most 128 for 'f32', but is 200"},
      {"ldexp(1f, 200)", "the exponent of 'ldexp' is at most 128 for 'f32', but is 200"},
  };
  for (const auto& [expression, error] : cases) {
    EXPECT_EQ(ErrorOf(std::string("const x = ") + expression + ";"), error) << expression;
  }
}

TEST(ConstPrograms, PartlyConstantExpressionsAreChecked) {
  const std::pair<const char*, const char*> cases[] = {
      {"v / 0", "division by zero"},
      {"v % 0", "remainder of a division by zero"},
      {"v << 32", "shift by 32 is too far: 'u32' has 32 bits"},
      {"clamp(v, 3, 2)", "'clamp' needs low <= high, but low is 3u and high is 2u"},
      {"extractBits(v, 30, 3)", "'extractBits' needs offset + count <= 32, but offset is 30 and count is 3"},
  };
  for (const auto& [expression, error] : cases) {
    EXPECT_EQ(ErrorOf(std::string("fn f(v: u32) { let x = ") + expression + "; }"), error) << expression;
  }
  EXPECT_EQ(ErrorOf("fn f(v: f32) { let x = v / 0.0; }"), "");
}

}  // namespace
}  // namespace lockstep::wgsl
