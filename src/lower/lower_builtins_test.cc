// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include <functional>

#include "lower/lower_test_util.h"

namespace lockstep::lower {
namespace {

void CheckFloat(const std::string& expression, std::initializer_list<float> in, float expected) {
  Check({.body = "put(0, " + expression + ");", .expected = Floats({expected}), .in = Floats(in)});
}
void CheckInt(const std::string& expression, std::initializer_list<int32_t> in, int32_t expected) {
  Check({.body = "put_i(0, " + expression + ");", .expected = Ints({expected}), .in = Ints(in)});
}
void CheckUint(const std::string& expression, Words in, uint32_t expected) {
  Check({.body = "out[0] = " + expression + ";", .expected = {expected}, .in = std::move(in)});
}
// Within the accuracy that WGSL asks for, as lowered.
void CheckNear(const std::string& expression, std::initializer_list<float> in, double expected,
               double error) {
  const Snippet snippet = {.body = "put(0, " + expression + ");", .expected = {0}, .in = Floats(in)};
  SCOPED_TRACE(expression);
  const Words out = RunSnippet(snippet);
  if (!out.empty()) {
    EXPECT_NEAR(AsFloat(out[0]), expected, error);
  }
}

constexpr float kInf = INFINITY;
constexpr int32_t kMin = INT32_MIN;

TEST(LowerBuiltins, FloatRounding) {
  CheckFloat("floor(f(0))", {-1.5}, -2);
  CheckFloat("ceil(f(0))", {-1.5}, -1);
  CheckFloat("trunc(f(0))", {-1.5}, -1);
  CheckFloat("round(f(0))", {2.5}, 2);
  CheckFloat("round(f(0))", {-3.5}, -4);
  CheckFloat("fract(f(0))", {-1.25}, 0.75);
  CheckFloat("abs(f(0))", {-1.25}, 1.25);
  CheckFloat("sign(f(0))", {-0.5}, -1);
  CheckFloat("sign(f(0))", {0}, 0);
  CheckFloat("sign(f(0))", {7}, 1);
  CheckFloat("quantizeToF16(f(0))", {0.1f}, 0.0999755859375f);
  CheckFloat("fma(f(0), f(1), f(2))", {2, 3, 4}, 10);
}

TEST(LowerBuiltins, FloatMinMaxClamp) {
  CheckFloat("min(f(0), f(1))", {2, -3}, -3);
  CheckFloat("max(f(0), f(1))", {2, -3}, 2);
  CheckFloat("clamp(f(0), f(1), f(2))", {5, 1, 3}, 3);
  CheckFloat("clamp(f(0), f(1), f(2))", {-5, 1, 3}, 1);
  CheckFloat("saturate(f(0))", {1.5}, 1);
  CheckFloat("saturate(f(0))", {-1.5}, 0);
  CheckFloat("step(f(0), f(1))", {1, 1}, 1);
  CheckFloat("step(f(0), f(1))", {1, 0.5}, 0);
  CheckFloat("smoothstep(f(0), f(1), f(2))", {0, 2, 1}, 0.5);
  CheckFloat("smoothstep(f(0), f(1), f(2))", {0, 2, 5}, 1);
  CheckFloat("mix(f(0), f(1), f(2))", {1, 3, 0.25}, 1.5);
  CheckFloat("mix(vec2f(f(0), 0), vec2f(f(1)), f(2)).x", {1, 3, 0.25}, 1.5);
  CheckFloat("mix(vec2f(f(0), 0), vec2f(f(1)), vec2f(f(2), 1)).y", {1, 3, 0.25}, 3);
  CheckFloat("degrees(f(0))", {1}, 57.295779513082322865f);
  CheckFloat("radians(f(0))", {180}, 180 * 0.017453292519943295474f);
}

TEST(LowerBuiltins, Geometry) {
  CheckFloat("length(vec2f(f(0), f(1)))", {3, 4}, 5);
  CheckFloat("length(f(0))", {-3}, 3);
  CheckFloat("distance(vec3f(f(0), 0, 0), vec3f(0, f(1), 0))", {3, 4}, 5);
  CheckFloat("normalize(vec2f(f(0), f(1))).y", {3, 4}, 0.8f);
  CheckFloat("dot(vec3f(f(0), 2, 3), vec3f(4, f(1), 6))", {1, 5}, 32);
  CheckInt("dot(vec3i(i(0), 2, 3), vec3i(4, i(1), -6))", {1, 5}, -4);
  CheckUint("dot(vec4u(u(0)), vec4u(1, 2, 3, 4))", {2}, 20);
  CheckFloat("cross(vec3f(f(0), 2, 3), vec3f(4, 5, f(1))).x", {1, 6}, -3);
  CheckFloat("cross(vec3f(f(0), 2, 3), vec3f(4, 5, f(1))).y", {1, 6}, 6);
  CheckFloat("cross(vec3f(f(0), 2, 3), vec3f(4, 5, f(1))).z", {1, 6}, -3);
  CheckFloat("reflect(vec2f(f(0), -1), vec2f(0, 1)).y", {1}, 1);
  CheckFloat("refract(vec2f(f(0), -1), vec2f(0, 1), 1.0).y", {0}, -1);
  CheckFloat("refract(vec2f(f(0), 0), vec2f(0, 1), 2.0).x", {1}, 0);
  CheckFloat("faceForward(vec2f(f(0), 2), vec2f(1, 0), vec2f(1, 0)).y", {1}, -2);
  CheckFloat("faceForward(vec2f(f(0), 2), vec2f(-1, 0), vec2f(1, 0)).y", {1}, 2);
}

TEST(LowerBuiltins, Determinants) {
  CheckFloat("determinant(mat2x2f(f(0), 2, 3, 4))", {1}, -2);
  CheckFloat("determinant(mat3x3f(f(0), 0, 1, 1, 3, 0, 5, 6, 1))", {2}, 2 * 3 - 0 + (6 - 15));
  CheckFloat("determinant(mat4x4f(f(0), 0, 0, 0, 0, 3, 0, 0, 0, 0, 4, 0, 9, 9, 9, 5))", {2}, 120);
  CheckFloat("determinant(mat4x4f(0, f(0), 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0))", {1}, 1);
}

TEST(LowerBuiltins, IntegerNumbers) {
  CheckInt("abs(i(0))", {-5}, 5);
  CheckInt("abs(i(0))", {kMin}, kMin);
  CheckInt("min(i(0), i(1))", {-5, 3}, -5);
  CheckUint("min(u(0), u(1))", {0xffffffff, 3}, 3);
  CheckInt("clamp(i(0), i(1), i(2))", {-5, -2, 3}, -2);
  CheckInt("sign(i(0))", {-5}, -1);
  CheckInt("sign(i(0))", {0}, 0);
  CheckInt("select(vec2i(1, 2), vec2i(3, 4), vec2<bool>(i(0) == 0, i(0) == 1)).x", {0}, 3);
}

TEST(LowerBuiltins, IntegerBits) {
  CheckUint("countOneBits(u(0))", {0xf0f0}, 8);
  CheckUint("countLeadingZeros(u(0))", {1}, 31);
  CheckUint("countLeadingZeros(u(0))", {0}, 32);
  CheckUint("countTrailingZeros(u(0))", {8}, 3);
  CheckUint("countTrailingZeros(u(0))", {0}, 32);
  CheckUint("reverseBits(u(0))", {0x13}, 0xc8000000);
  CheckUint("firstLeadingBit(u(0))", {0x1234}, 12);
  CheckUint("firstLeadingBit(u(0))", {0}, 0xffffffff);
  CheckUint("firstLeadingBit(u(0))", {0x80000000}, 31);
  CheckInt("firstLeadingBit(i(0))", {-1}, -1);
  CheckInt("firstLeadingBit(i(0))", {0}, -1);
  CheckInt("firstLeadingBit(i(0))", {-5}, 2);
  CheckInt("firstLeadingBit(i(0))", {5}, 2);
  CheckUint("firstTrailingBit(u(0))", {0x30}, 4);
  CheckUint("firstTrailingBit(u(0))", {0}, 0xffffffff);
  CheckInt("firstTrailingBit(i(0))", {kMin}, 31);
  CheckInt("countOneBits(vec2i(i(0))).y", {-1}, 32);
}

uint32_t ExtractReference(uint32_t v, uint32_t offset, uint32_t count, bool is_signed) {
  const uint32_t o = std::min(offset, 32u), c = std::min(count, 32 - o);
  if (c == 0) return 0;
  uint32_t r = static_cast<uint32_t>((uint64_t{v} >> o) & ((uint64_t{1} << c) - 1));
  if (is_signed && c < 32 && ((r >> (c - 1)) & 1) != 0) r |= ~((1u << c) - 1);
  return r;
}

uint32_t InsertReference(uint32_t v, uint32_t n, uint32_t offset, uint32_t count) {
  const uint32_t o = std::min(offset, 32u), c = std::min(count, 32 - o);
  const uint64_t mask = ((uint64_t{1} << c) - 1) << o;
  return static_cast<uint32_t>((v & ~mask) | ((uint64_t{n} << o) & mask));
}

TEST(LowerBuiltins, BitFields) {
  const uint32_t v = 0x8badf00d, n = 0x12345678;
  for (const uint32_t offset : {0u, 1u, 4u, 16u, 31u, 32u, 40u, 0xffffffffu}) {
    for (const uint32_t count : {0u, 1u, 4u, 16u, 31u, 32u, 40u, 0xffffffffu}) {
      Check({.body = "out[0] = extractBits(u(0), u(2), u(3)); put_i(1, extractBits(i(0), u(2), u(3))); "
                     "out[2] = insertBits(u(0), u(1), u(2), u(3)); put_i(3, insertBits(vec2i(i(0)), "
                     "vec2i(i(1)), u(2), u(3)).y);",
             .expected = {ExtractReference(v, offset, count, false), ExtractReference(v, offset, count, true),
                          InsertReference(v, n, offset, count), InsertReference(v, n, offset, count)},
             .in = {v, n, offset, count}});
    }
  }
}

TEST(LowerBuiltins, Packing) {
  CheckUint("pack4x8unorm(vec4f(bitcast<f32>(u(0)), 0, 2, 0.5))", {Bits(1.0f)}, 0x80ff00ff);
  CheckUint("pack4x8snorm(vec4f(bitcast<f32>(u(0)), 0, -2, 0.5))", {Bits(1.0f)}, 0x4081007f);
  CheckUint("pack2x16unorm(vec2f(bitcast<f32>(u(0)), 0.5))", {Bits(1.0f)}, 0x8000ffff);
  CheckUint("pack2x16snorm(vec2f(bitcast<f32>(u(0)), -1))", {Bits(1.0f)}, 0x80017fff);
  CheckUint("pack2x16float(vec2f(bitcast<f32>(u(0)), -2))", {Bits(1.0f)}, 0xc0003c00);
  CheckUint("pack4xI8(vec4i(bitcast<i32>(u(0)), 2, 300, -128))", {0xffffffff}, 0x802c02ff);
  CheckUint("pack4xU8(vec4u(u(0), 2, 300, 255))", {1}, 0xff2c0201);
  CheckUint("pack4xI8Clamp(vec4i(bitcast<i32>(u(0)), 2, 300, -300))", {0xffffffff}, 0x807f02ff);
  CheckUint("pack4xU8Clamp(vec4u(u(0), 2, 300, 255))", {1}, 0xffff0201);
  CheckFloat("unpack4x8unorm(bitcast<u32>(f(0)) | 0xff).x", {0}, 1);
  CheckFloat("unpack4x8unorm(bitcast<u32>(f(0)) | 0x3300).y", {0}, 51.0f / 255.0f);
  CheckFloat("unpack4x8snorm(bitcast<u32>(f(0)) | 0x80).x", {0}, -1);
  CheckFloat("unpack4x8snorm(bitcast<u32>(f(0)) | 0x81000000).w", {0}, -1);
  CheckFloat("unpack2x16unorm(bitcast<u32>(f(0)) | 0xffff0000).y", {0}, 1);
  CheckFloat("unpack2x16snorm(bitcast<u32>(f(0)) | 0x8000).x", {0}, -1);
  CheckFloat("unpack2x16float(bitcast<u32>(f(0)) | 0xc0003c00).y", {0}, -2);
  CheckInt("unpack4xI8(bitcast<u32>(i(0))).w", {kMin}, -128);
  CheckInt("unpack4xI8(bitcast<u32>(i(0))).x", {0x7f}, 127);
  CheckUint("unpack4xU8(u(0)).z", {0x00fe0000}, 254);
  CheckInt("dot4I8Packed(bitcast<u32>(i(0)), 0x02020202u)", {-1}, -8);
  CheckUint("dot4U8Packed(u(0), 0x02020202u)", {0xffffffff}, 255 * 8);
}

TEST(LowerBuiltins, FrexpModfLdexp) {
  const auto frexp = [](float v) {
    int exponent = 0;
    const float fraction = std::frexp(v, &exponent);
    Check({.body = "let r = frexp(f(0)); put(0, r.fract); put_i(1, r.exp);",
           .expected = {Bits(fraction), Bits(int32_t{exponent})},
           .in = Floats({v})});
  };
  for (const float v : {1.0f, -3.5f, 0.1f, 0.0f, 1e38f, 1e-38f, 1e-40f, 1e-45f, -65536.0f}) frexp(v);
  CheckAll({
      {"let r = modf(f(0)); put(0, r.fract); put(1, r.whole);", Floats({-0.5, -1}), Floats({-1.5})},
      {"let r = modf(vec2f(f(0), 2.25)); put(0, r.fract.y); put(1, r.whole.x);", Floats({0.25, -1}),
       Floats({-1.5})},
      {"let r = frexp(vec2f(f(0), 8)); put(0, r.fract.x); put_i(1, r.exp.y);",
       {Bits(0.75f), 4},
       Floats({1.5})},
  });
  for (const float v : {1.0f, 1.9999999f, -0.1f, 3e-39f, 1e-44f}) {
    for (const int e : {0, 1, -1, 10, -125, -126, -127, -140, -149, -150, -160, 100, 127, -1000, kMin}) {
      Check({.body = "put(0, ldexp(f(0), i(1)));",
             .expected = Floats({std::ldexp(v, std::max(e, -2000))}),
             .in = {Bits(v), Bits(int32_t{e})}});
    }
  }
  CheckFloat("ldexp(vec2f(f(0), 3), vec2i(1, 4)).y", {1}, 48);
}

TEST(LowerBuiltins, Transcendental) {
  struct Row {
    const char* name;
    std::function<double(double)> reference;
    std::vector<float> points;
    double error;  // relative to the larger of 1 and the result
  };
  const std::vector<Row> rows = {
      {"sin", [](double x) { return std::sin(x); }, {-3, -0.5, 0, 1, 3.1f}, 1e-3},
      {"cos", [](double x) { return std::cos(x); }, {-3, -0.5, 0, 1, 3.1f}, 1e-3},
      {"tan", [](double x) { return std::tan(x); }, {-1, 0, 1}, 1e-3},
      {"asin", [](double x) { return std::asin(x); }, {-1, -0.5, 0, 0.3f, 1}, 1e-3},
      {"acos", [](double x) { return std::acos(x); }, {-1, -0.5, 0, 0.3f, 1}, 1e-3},
      {"atan", [](double x) { return std::atan(x); }, {-100, -1, 0, 0.3f, 5}, 1e-3},
      {"sinh", [](double x) { return std::sinh(x); }, {-5, 0, 1, 10}, 1e-4},
      {"cosh", [](double x) { return std::cosh(x); }, {-5, 0, 1, 10}, 1e-4},
      {"tanh", [](double x) { return std::tanh(x); }, {-5, 0, 1, 10}, 1e-4},
      {"asinh", [](double x) { return std::asinh(x); }, {-5, 0, 1, 10}, 1e-4},
      {"acosh", [](double x) { return std::acosh(x); }, {1, 2, 10}, 1e-3},
      {"atanh", [](double x) { return std::atanh(x); }, {-0.9f, 0, 0.5}, 1e-4},
      {"exp", [](double x) { return std::exp(x); }, {-10, 0, 1, 20}, 1e-5},
      {"exp2", [](double x) { return std::exp2(x); }, {-10, 0, 0.5, 20}, 1e-5},
      {"log", [](double x) { return std::log(x); }, {0.001f, 1, 2, 1e20f}, 1e-5},
      {"log2", [](double x) { return std::log2(x); }, {0.001f, 1, 2, 1e20f}, 1e-5},
      {"sqrt", [](double x) { return std::sqrt(x); }, {0, 2, 1e20f}, 1e-6},
      {"inverseSqrt", [](double x) { return 1 / std::sqrt(x); }, {0.01f, 2, 1e20f}, 1e-6},
  };
  for (const Row& row : rows) {
    for (const float x : row.points) {
      const double expected = row.reference(x);
      CheckNear(std::string(row.name) + "(f(0))", {x}, expected,
                row.error * std::max(1.0, std::fabs(expected)));
    }
  }
  CheckNear("atan2(f(0), f(1))", {1, -2}, std::atan2(1, -2), 1e-3);
  CheckNear("pow(f(0), f(1))", {2.5, 3.5}, std::pow(2.5, 3.5), 1e-3);
  CheckNear("sin(vec2f(f(0), 1)).y", {0}, std::sin(1), 1e-3);
}

TEST(LowerBuiltins, SquareRootOfInfinityAndSo) {
  CheckFloat("sqrt(f(0))", {kInf}, kInf);
  CheckFloat("f(0) / f(1)", {1, 0}, kInf);
  CheckFloat("max(f(0), f(1))", {-kInf, 1}, 1);
}

}  // namespace
}  // namespace lockstep::lower
