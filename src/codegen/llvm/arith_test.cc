// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Every arithmetic operation on all pairs of corner values, at every width, against the interpreter.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "codegen/llvm/engine_fixture.h"
#include "support/half.h"

namespace lockstep::codegen {
namespace {

const Words kIntegers = {0,          1,          2,          3,          5,          7,          31,
                         32,         33,         255,        65535,      65536,      0x7fffffff, 0x80000000,
                         0x80000001, 0xfffffffe, 0xffffffff, 1000000007, 0xdeadbeef, 12345};
const Words kFloats = {0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x3f000000, 0xbf000000, 0x40200000,
                       0x40600000, 0xc0600000, 0x00000001, 0x80000001, 0x007fffff, 0x7f7fffff, 0xff7fffff,
                       0x7f800000, 0xff800000, 0x3dcccccd, 0x4f000000, 0xcf000000, 0x4f800000, 0x477fe000,
                       0x477ff000, 0x33000000, 0x33000001, 0x387fc000, 0x38800000, 0x4e6e6b28, 0x42f6e979};

enum class Kind { kU32, kI32, kF32 };

// The pairs (a, b) of `values`, and a NaN for each where floats are asked to keep them apart (results never
// NaN).
std::string Name(Kind kind) { return kind == Kind::kU32 ? "u32" : kind == Kind::kI32 ? "i32" : "f32"; }

// out[i] = op(in[2i], in[2i+1], ...) as words. `from`: the type of operands, `to`: of the result.
Program OpProgram(std::string_view op, int operands, Kind from, std::string_view to, const Words& values) {
  std::string body = "  %base = mul %g, 4u : u32\n";
  for (int i = 0; i < operands; ++i) {
    body += fmt::format(
        "  %i{0} = add %base, {0}u : u32\n  %p{0} = access $in, %i{0} : ptr<storage, read, u32>\n"
        "  %w{0} = load %p{0} : u32\n  %v{0} = bitcast %w{0} : {1}\n",
        i, Name(from));
  }
  std::string list;
  for (int i = 0; i < operands; ++i) list += fmt::format("{}%v{}", i == 0 ? "" : ", ", i);
  body += fmt::format("  %r = {} {} : {}\n", op, list, to);
  body += to == "bool" ? "  %x = convert %r : u32\n" : "  %x = bitcast %r : u32\n";
  body += "  %q = access $out, %g : ptr<storage, read_write, u32>\n  store %q, %x\n";
  Words in;
  for (const uint32_t a : values) {
    for (const uint32_t b : values) in.insert(in.end(), {a, b, values[in.size() / 4 % values.size()], 0});
  }
  while (in.size() % 256 != 0) in.push_back(1);
  const auto count = static_cast<uint32_t>(in.size() / 4);
  return Program{KernelText(body), {Words(count, 0), in}, {count / 64, 1, 1}};
}

class IntegerOps : public ::testing::TestWithParam<const char*> {};

TEST_P(IntegerOps, SameAsInterpreter) {
  for (const Kind kind : {Kind::kU32, Kind::kI32}) {
    RunEverywhere(OpProgram(GetParam(), 2, kind, Name(kind), kIntegers));
  }
}
INSTANTIATE_TEST_SUITE_P(Ops, IntegerOps,
                         ::testing::Values("add", "sub", "mul", "div", "rem", "min", "max", "and", "or",
                                           "xor", "mul_high"));

TEST(Shifts, AreMasked) {
  RunEverywhere(OpProgram("shl", 2, Kind::kU32, "u32", kIntegers));
  RunEverywhere(OpProgram("shr", 2, Kind::kU32, "u32", kIntegers));
}

class IntegerUnary : public ::testing::TestWithParam<const char*> {};
TEST_P(IntegerUnary, SameAsInterpreter) {
  for (const Kind kind : {Kind::kU32, Kind::kI32}) {
    if (std::string_view(GetParam()) == "neg" && kind == Kind::kU32) continue;
    RunEverywhere(OpProgram(GetParam(), 1, kind, Name(kind), kIntegers));
  }
}
INSTANTIATE_TEST_SUITE_P(Ops, IntegerUnary,
                         ::testing::Values("neg", "not", "abs", "count_one_bits", "count_leading_zeros",
                                           "count_trailing_zeros", "reverse_bits"));

class Compares : public ::testing::TestWithParam<const char*> {};
TEST_P(Compares, SameAsInterpreter) {
  RunEverywhere(OpProgram(GetParam(), 2, Kind::kU32, "bool", kIntegers));
  RunEverywhere(OpProgram(GetParam(), 2, Kind::kI32, "bool", kIntegers));
  Words floats = kFloats;
  floats.push_back(0x7fc00000);
  RunEverywhere(OpProgram(GetParam(), 2, Kind::kF32, "bool", floats));
}
INSTANTIATE_TEST_SUITE_P(Ops, Compares, ::testing::Values("eq", "ne", "lt", "le", "gt", "ge"));

TEST(FloatMinMax, PassOverOneNan) {
  Words floats = kFloats;
  floats.push_back(0x7fc00000);
  RunEverywhere(OpProgram("min", 2, Kind::kF32, "f32", floats));
  RunEverywhere(OpProgram("max", 2, Kind::kF32, "f32", floats));
}

// Results may be NaN; which NaN is not promised, so they are made canonical.
class FloatOps : public ::testing::TestWithParam<std::pair<const char*, int>> {};
TEST_P(FloatOps, SameAsInterpreter) {
  Program run = OpProgram(GetParam().first, GetParam().second, Kind::kF32, "f32", kFloats);
  const std::string plain = "  %x = bitcast %r : u32\n";
  const size_t at = run.text.find(plain);
  ASSERT_NE(at, std::string::npos);
  run.text.replace(
      at, plain.size(),
      "  %nan = ne %r, %r : bool\n  %bits = bitcast %r : u32\n  %x = select %nan, 9u, %bits : u32\n");
  RunEverywhere(run);
}
INSTANTIATE_TEST_SUITE_P(Ops, FloatOps,
                         ::testing::Values(std::pair("add", 2), std::pair("sub", 2), std::pair("mul", 2),
                                           std::pair("div", 2), std::pair("rem", 2), std::pair("fma", 3),
                                           std::pair("floor", 1), std::pair("ceil", 1), std::pair("trunc", 1),
                                           std::pair("round_even", 1), std::pair("sqrt", 1),
                                           std::pair("neg", 1), std::pair("abs", 1),
                                           std::pair("quantize_f16", 1)));

TEST(Conversions, ClampAndTruncate) {
  Words floats = kFloats;
  floats.push_back(0x7fc00000);
  RunEverywhere(OpProgram("convert", 1, Kind::kF32, "i32", floats));
  RunEverywhere(OpProgram("convert", 1, Kind::kF32, "u32", floats));
  RunEverywhere(OpProgram("convert", 1, Kind::kF32, "bool", floats));
  RunEverywhere(OpProgram("convert", 1, Kind::kI32, "f32", kIntegers));
  RunEverywhere(OpProgram("convert", 1, Kind::kU32, "f32", kIntegers));
  RunEverywhere(OpProgram("convert", 1, Kind::kU32, "bool", kIntegers));
}

TEST(Conversions, PackedBytesAndHalves) {
  RunEverywhere(OpProgram("dot4_i8", 2, Kind::kU32, "i32", kIntegers));
  RunEverywhere(OpProgram("dot4_u8", 2, Kind::kU32, "u32", kIntegers));
  Program pack = OpProgram("construct", 2, Kind::kF32, "vec2<f32>", kFloats);
  const std::string plain = "  %x = bitcast %r : u32\n";
  pack.text.replace(pack.text.find(plain), plain.size(), "  %x = pack_half %r : u32\n");
  RunEverywhere(pack);
  Program unpack = OpProgram("unpack_half", 1, Kind::kU32, "vec2<f32>",
                             {0, 0x3c00c000, 0x7bff0001, 0x83ff7c00, 0xfc000400});
  unpack.text.replace(unpack.text.find(plain), plain.size(),
                      "  %e = extract 0 %r : f32\n  %f = extract 1 %r : f32\n  %ei = bitcast %e : u32\n"
                      "  %fi = bitcast %f : u32\n  %e3 = mul %ei, 3u : u32\n  %x = add %e3, %fi : u32\n");
  RunEverywhere(unpack);
}

// Values that differ by a fixed step from lane to lane, where the step itself wraps around: ubsan watches the
// compiler.
TEST(Affine, StridesWrapAround) {
  const std::string body = R"(  %a = mul %g, 2147483648u : u32
  %b = add %a, %a : u32
  %c = mul %g, 2147483647u : u32
  %d = sub %c, %a : u32
  %e = add %d, %c : u32
  %s = bitcast %a : i32
  %n = neg %s : i32
  %m = bitcast %n : u32
  %x = xor %b, %e : u32
  %f = add %m, %d : u32
  %y = xor %x, %f : u32
  %q = access $out, %g : ptr<storage, read_write, u32>
  store %q, %y
  %far = access $out, %c : ptr<storage, read_write, u32>
  store %far, 7u
)";
  RunEverywhere({KernelText(body), {Words(128, 3), Words(1, 0)}, {2, 1, 1}});
}

// Every f16 to f32: two a word. NaNs give some NaN.
TEST(HalfConversions, EveryHalfToFloat) {
  const std::string body = R"(  %p = access $in, %g : ptr<storage, read, u32>
  %w = load %p : u32
  %r = unpack_half %w : vec2<f32>
  %a = extract 0 %r : f32
  %b = extract 1 %r : f32
  %an = ne %a, %a : bool
  %bn = ne %b, %b : bool
  %ai = bitcast %a : u32
  %bi = bitcast %b : u32
  %ax = select %an, 2143289344u, %ai : u32
  %bx = select %bn, 2143289344u, %bi : u32
  %i = mul %g, 2u : u32
  %j = add %i, 1u : u32
  %q0 = access $out, %i : ptr<storage, read_write, u32>
  store %q0, %ax
  %q1 = access $out, %j : ptr<storage, read_write, u32>
  store %q1, %bx
)";
  Words in, want;
  for (uint32_t half = 0; half < 65536; half += 2) {
    in.push_back(half | (half + 1) << 16);
    for (const uint32_t h : {half, half + 1}) {
      const float value = HalfValue(h);
      want.push_back(std::isnan(value) ? 0x7fc00000 : std::bit_cast<uint32_t>(value));
    }
  }
  for (const std::vector<Width>& widths : {kAllWidths, kSoftwareHalves}) {
    EXPECT_EQ(RunEverywhere({KernelText(body), {Words(65536, 0), in}, {512, 1, 1}}, widths)[0], want);
  }
}

// f32 to f16 around everything that rounding could mistake: each half's value, the middle between it and the
// next, and their neighbours; both signs.
TEST(HalfConversions, FloatsAroundEveryHalf) {
  Words floats;
  for (uint32_t half = 0; half < 0x7c00; ++half) {
    const uint32_t exact = std::bit_cast<uint32_t>(HalfValue(half));
    const float next = half == 0x7bff ? 65536.0f : HalfValue(half + 1);
    const uint32_t middle = std::bit_cast<uint32_t>(HalfValue(half) / 2 + next / 2);
    const uint32_t sign = (half & 1) << 31;
    for (const uint32_t bits : {exact, exact + 1, middle - 1, middle, middle + 1})
      floats.push_back(bits | sign);
  }
  for (const uint32_t bits : {0x47800000u, 0x7f7fffffu, 0x7f800000u, 0xff800000u, 0x00000001u, 0x807fffffu})
    floats.push_back(bits);
  while (floats.size() % 64 != 0) floats.push_back(0);
  const auto run = [&](const char* op, const char* rest, auto&& want_of) {
    Words want;
    for (const uint32_t bits : floats) want.push_back(want_of(std::bit_cast<float>(bits)));
    const std::string body = fmt::format(
        "  %p = access $in, %g : ptr<storage, read, u32>\n  %w = load %p : u32\n  %f = bitcast %w : f32\n"
        "{}{}  %q = access $out, %g : ptr<storage, read_write, u32>\n  store %q, %x\n",
        op, rest);
    const auto groups = static_cast<uint32_t>(floats.size() / 64);
    for (const std::vector<Width>& widths : {kAllWidths, kSoftwareHalves}) {
      EXPECT_EQ(
          RunEverywhere({KernelText(body), {Words(floats.size(), 0), floats}, {groups, 1, 1}}, widths)[0],
          want);
    }
  };
  run("  %v = construct %f, 1f : vec2<f32>\n", "  %x = pack_half %v : u32\n",
      [](float f) { return HalfBits(f) | 0x3c000000u; });
  run("  %h = quantize_f16 %f : f32\n", "  %x = bitcast %h : u32\n",
      [](float f) { return std::bit_cast<uint32_t>(HalfValue(HalfBits(f))); });
}

TEST(HalfConversions, NanStaysNanInSoftware) {
  Program run = OpProgram("quantize_f16", 1, Kind::kF32, "f32",
                          {0x7fc00000, 0xffc00000, 0x7f800001, 0xff800001, 0x7fffffff, 0x7f802000});
  const std::string plain = "  %x = bitcast %r : u32\n";
  run.text.replace(run.text.find(plain), plain.size(),
                   "  %nan = ne %r, %r : bool\n  %x = convert %nan : u32\n");
  for (const std::vector<Width>& widths : {kAllWidths, kSoftwareHalves}) {
    const Words out = RunEverywhere(run, widths)[0];
    for (size_t i = 0; i < 36; ++i) EXPECT_EQ(out[i], 1u) << i;
  }
}

}  // namespace
}  // namespace lockstep::codegen
