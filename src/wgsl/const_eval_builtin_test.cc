// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "wgsl/const_eval_test_util.h"

namespace lockstep::wgsl {
namespace {

using ConstBuiltinTest = ConstEvalTest;
using B_ = Builtin;

TEST_F(ConstBuiltinTest, Logical) {
  EXPECT_EQ(Call(B_::kAll, types.Bool(), {Vec({B(true), B(false)})}), "false");
  EXPECT_EQ(Call(B_::kAll, types.Bool(), {Vec({B(true), B(true)})}), "true");
  EXPECT_EQ(Call(B_::kAny, types.Bool(), {Vec({B(true), B(false)})}), "true");
  EXPECT_EQ(Call(B_::kAny, types.Bool(), {B(false)}), "false");
  EXPECT_EQ(Call(B_::kSelect, {I(1), I(2), B(true)}), "2i");
  EXPECT_EQ(Call(B_::kSelect, {I(1), I(2), B(false)}), "1i");
  EXPECT_EQ(Call(B_::kSelect, {Vec({I(1), I(2)}), Vec({I(3), I(4)}), Vec({B(true), B(false)})}),
            "vec2<i32>(3i, 2i)");
}

TEST_F(ConstBuiltinTest, IntegersAndFloatsAlike) {
  EXPECT_EQ(Call(B_::kAbs, {I(-3)}), "3i");
  EXPECT_EQ(Call(B_::kAbs, {I(INT32_MIN)}), "-2147483648i");
  EXPECT_EQ(Call(B_::kAbs, {F(-0.5)}), "0.5f");
  EXPECT_EQ(Call(B_::kSign, {F(-0.5)}), "-1f");
  EXPECT_EQ(Call(B_::kSign, {AI(0)}), "0");
  EXPECT_EQ(Call(B_::kMin, {U(3), U(4000000000)}), "3u");
  EXPECT_EQ(Call(B_::kMax, {Vec({I(3), I(-4)}), Vec({I(1), I(9)})}), "vec2<i32>(3i, 9i)");
  EXPECT_EQ(Call(B_::kClamp, {F(5), F(0), F(1)}), "1f");
  EXPECT_EQ(Call(B_::kClamp, {I(-5), I(0), I(1)}), "0i");
  EXPECT_EQ(Call(B_::kClamp, {I(5), I(2), I(1)}),
            "error: 'clamp' needs low <= high, but low is 2i and high is 1i");
  EXPECT_EQ(Call(B_::kSaturate, {F(1.5)}), "1f");
}

TEST_F(ConstBuiltinTest, FloatsRoundOnce) {
  EXPECT_EQ(Call(B_::kSin, {F(0.5)}), Show(F(std::sin(0.5))));
  EXPECT_EQ(Call(B_::kExp, {F(1)}), "2.7182817f");
  EXPECT_EQ(Call(B_::kExp2, {F(10)}), "1024f");
  EXPECT_EQ(Call(B_::kPow, {F(2), F(0.5)}), "1.4142135f");
  EXPECT_EQ(Call(B_::kPow, {F(0), F(0.5)}), "0f");
  EXPECT_EQ(Call(B_::kRound, {F(2.5)}), "2f");
  EXPECT_EQ(Call(B_::kRound, {F(-3.5)}), "-4f");
  EXPECT_EQ(Call(B_::kFract, {F(-1.25)}), "0.75f");
  EXPECT_EQ(Call(B_::kTrunc, {F(-1.75)}), "-1f");
  EXPECT_EQ(Call(B_::kDegrees, {F(3.14159265)}), "180f");
  EXPECT_EQ(Call(B_::kInverseSqrt, {F(4)}), "0.5f");
  EXPECT_EQ(Call(B_::kAtan2, {F(1), F(-1)}), Show(F(std::atan2(1.0, -1.0))));
  EXPECT_EQ(Call(B_::kMix, {F(1), F(3), F(0.25)}), "1.5f");
  EXPECT_EQ(Call(B_::kMix, {Vec({F(1), F(2)}), Vec({F(3), F(6)}), F(0.5)}), "vec2<f32>(2f, 4f)");
  EXPECT_EQ(Call(B_::kStep, {F(1), F(1)}), "1f");
  EXPECT_EQ(Call(B_::kSmoothstep, {F(0), F(2), F(1)}), "0.5f");
  EXPECT_EQ(Call(B_::kFma, {F(2), F(3), F(4)}), "10f");
  EXPECT_EQ(Call(B_::kSqrt, {AF(2)}), "1.4142135623730951");
}

TEST_F(ConstBuiltinTest, OutsideTheDomain) {
  EXPECT_EQ(Call(B_::kSqrt, {F(-1)}), "error: 'sqrt' needs a value of at least 0, not -1f");
  EXPECT_EQ(Call(B_::kInverseSqrt, {F(0)}), "error: 'inverseSqrt' needs a value above 0, not 0f");
  EXPECT_EQ(Call(B_::kLog, {F(0)}), "error: 'log' needs a value above 0, not 0f");
  EXPECT_EQ(Call(B_::kAcos, {AF(1.5)}), "error: 'acos' needs a value from -1 to 1, not 1.5");
  EXPECT_EQ(Call(B_::kAcosh, {F(0.5)}), "error: 'acosh' needs a value of at least 1, not 0.5f");
  EXPECT_EQ(Call(B_::kAtanh, {F(1)}), "error: 'atanh' needs a value between -1 and 1, not 1f");
  EXPECT_EQ(Call(B_::kPow, {F(-1), F(2)}), "error: 'pow' needs a base of at least 0, not -1f");
  EXPECT_EQ(Call(B_::kPow, {F(0), F(0)}),
            "error: 'pow' needs a base above 0 where the exponent is 0, not 0f");
  EXPECT_EQ(Call(B_::kPow, {Vec({F(2), F(0)}), Vec({F(0), F(-0.0)})}),
            "error: 'pow' needs a base above 0 where the exponent is 0, not 0f");
  EXPECT_EQ(Call(B_::kPow, {F(0), F(-1)}), "error: the result of 'pow' overflows 'f32'");
  EXPECT_EQ(Call(B_::kExp, {F(100)}), "error: the result of 'exp' overflows 'f32'");
  EXPECT_EQ(Call(B_::kExp, {AF(100)}), Show(AF(std::exp(100.0))));
  EXPECT_EQ(Call(B_::kLog2, {Vec({F(1), F(-1)})}), "error: 'log2' needs a value above 0, not -1f");
  EXPECT_EQ(Call(B_::kSmoothstep, {F(1), F(1), F(0)}),
            "error: 'smoothstep' needs two different edges, but both are 1f");
}

TEST_F(ConstBuiltinTest, ExponentsAndFractions) {
  const TypeId frexp_type =
      types.BuiltinStruct("__frexp_result_f32", {{"fract", types.F32()}, {"exp", types.I32()}});
  const ConstantId split = eval.CallBuiltin(B_::kFrexp, frexp_type, std::vector<ConstantId>{F(6)}, {});
  EXPECT_EQ(Show(constants.Part(split, 0)), "0.75f");
  EXPECT_EQ(Show(constants.Part(split, 1)), "3i");
  const TypeId vec2 = types.Vector(types.F32(), 2);
  const TypeId modf_type = types.BuiltinStruct("__modf_result_vec2_f32", {{"fract", vec2}, {"whole", vec2}});
  const std::vector<ConstantId> values = {Vec({F(-1.25), F(2.5)})};
  const ConstantId parts = eval.CallBuiltin(B_::kModf, modf_type, values, {});
  EXPECT_EQ(Show(constants.Part(parts, 0)), "vec2<f32>(-0.25f, 0.5f)");
  EXPECT_EQ(Show(constants.Part(parts, 1)), "vec2<f32>(-1f, 2f)");
  EXPECT_EQ(Call(B_::kLdexp, {F(0.75), I(3)}), "6f");
  EXPECT_EQ(Call(B_::kLdexp, {F(1), I(-1000000)}), "0f");
  EXPECT_EQ(Call(B_::kLdexp, {F(1), I(129)}),
            "error: the exponent of 'ldexp' is at most 128 for 'f32', but is 129");
  EXPECT_EQ(Call(B_::kLdexp, {F(1), I(128)}), "error: the result of 'ldexp' overflows 'f32'");
  EXPECT_EQ(Call(B_::kLdexp, {F(0.5), I(128)}), Show(F(0x1p127)));
}

TEST_F(ConstBuiltinTest, Vectors) {
  const ConstantId a = Vec({F(1), F(2), F(3)}), b = Vec({F(4), F(5), F(6)});
  EXPECT_EQ(Call(B_::kDot, types.F32(), {a, b}), "32f");
  EXPECT_EQ(Call(B_::kDot, types.I32(), {Vec({I(65536), I(1)}), Vec({I(65536), I(2)})}), "2i");
  EXPECT_EQ(
      Call(B_::kDot, types.AbstractInt(), {Vec({AI(INT64_MAX), AI(1)}), Vec({AI(1), AI(1)})}).substr(0, 37),
      "error: the result of 'dot' overflows ");
  EXPECT_EQ(Call(B_::kCross, {a, b}), "vec3<f32>(-3f, 6f, -3f)");
  EXPECT_EQ(Call(B_::kLength, types.F32(), {Vec({F(3), F(4)})}), "5f");
  EXPECT_EQ(Call(B_::kLength, types.F32(), {F(-3e38)}), "3e+38f");
  EXPECT_EQ(Call(B_::kLength, types.F32(), {Vec({F(1e30), F(0)})}),
            "error: the result of 'length' overflows 'f32'");
  EXPECT_EQ(Call(B_::kDistance, types.F32(), {Vec({F(4), F(6)}), Vec({F(1), F(2)})}), "5f");
  EXPECT_EQ(Call(B_::kNormalize, {Vec({F(3), F(4)})}), "vec2<f32>(0.6f, 0.8f)");
  EXPECT_EQ(Call(B_::kNormalize, {Vec({F(0), F(0)})}),
            "error: 'normalize' needs a vector whose length is not 0, not vec2<f32>(0f, 0f)");
  EXPECT_EQ(Call(B_::kFaceForward, {Vec({F(1), F(2)}), Vec({F(1), F(0)}), Vec({F(-1), F(0)})}),
            "vec2<f32>(1f, 2f)");
  EXPECT_EQ(Call(B_::kFaceForward, {Vec({F(1), F(2)}), Vec({F(1), F(0)}), Vec({F(1), F(0)})}),
            "vec2<f32>(-1f, -2f)");
  EXPECT_EQ(Call(B_::kReflect, {Vec({F(1), F(-1)}), Vec({F(0), F(1)})}), "vec2<f32>(1f, 1f)");
  EXPECT_EQ(Call(B_::kRefract, {Vec({F(0), F(-1)}), Vec({F(0), F(1)}), F(1)}), "vec2<f32>(0f, -1f)");
  EXPECT_EQ(Call(B_::kRefract, {Vec({F(1), F(0)}), Vec({F(0), F(1)}), F(2)}), "vec2<f32>(0f, 0f)");
}

TEST_F(ConstBuiltinTest, Matrices) {
  const ConstantId m = Mat({Vec({F(1), F(2)}), Vec({F(3), F(4)}), Vec({F(5), F(6)})});
  EXPECT_EQ(Call(B_::kTranspose, types.Matrix(types.F32(), 2, 3), {m}),
            Show(Mat({Vec({F(1), F(3), F(5)}), Vec({F(2), F(4), F(6)})})));
  EXPECT_EQ(Call(B_::kDeterminant, types.F32(), {Mat({Vec({F(1), F(2)}), Vec({F(3), F(4)})})}), "-2f");
  EXPECT_EQ(Call(B_::kDeterminant, types.F32(),
                 {Mat({Vec({F(2), F(0), F(1)}), Vec({F(1), F(3), F(2)}), Vec({F(1), F(1), F(4)})})}),
            "18f");
  EXPECT_EQ(Call(B_::kDeterminant, types.F32(),
                 {Mat({Vec({F(1), F(0), F(0), F(0)}), Vec({F(0), F(0), F(2), F(0)}),
                       Vec({F(0), F(3), F(0), F(0)}), Vec({F(0), F(0), F(0), F(4)})})}),
            "-24f");
}

TEST_F(ConstBuiltinTest, IntegerBits) {
  EXPECT_EQ(Call(B_::kCountOneBits, {U(0xff00ff)}), "16u");
  EXPECT_EQ(Call(B_::kCountLeadingZeros, {I(1)}), "31i");
  EXPECT_EQ(Call(B_::kCountLeadingZeros, {U(0)}), "32u");
  EXPECT_EQ(Call(B_::kCountTrailingZeros, {U(0)}), "32u");
  EXPECT_EQ(Call(B_::kFirstLeadingBit, {I(-1)}), "-1i");
  EXPECT_EQ(Call(B_::kFirstLeadingBit, {I(-5)}), "2i");
  EXPECT_EQ(Call(B_::kFirstLeadingBit, {U(0)}), "4294967295u");
  EXPECT_EQ(Call(B_::kFirstLeadingBit, {U(0x80000000)}), "31u");
  EXPECT_EQ(Call(B_::kFirstTrailingBit, {I(0)}), "-1i");
  EXPECT_EQ(Call(B_::kFirstTrailingBit, {U(8)}), "3u");
  EXPECT_EQ(Call(B_::kReverseBits, {U(1)}), "2147483648u");
  EXPECT_EQ(Call(B_::kReverseBits, {Vec({I(1), I(2)})}), "vec2<i32>(-2147483648i, 1073741824i)");
  EXPECT_EQ(Call(B_::kExtractBits, {I(0xf0), U(4), U(4)}), "-1i");
  EXPECT_EQ(Call(B_::kExtractBits, {U(0xf0), U(4), U(4)}), "15u");
  EXPECT_EQ(Call(B_::kExtractBits, {U(0xf0), U(0), U(32)}), "240u");
  EXPECT_EQ(Call(B_::kExtractBits, {U(0xf0), U(32), U(0)}), "0u");
  EXPECT_EQ(Call(B_::kExtractBits, {U(0xf0), U(16), U(17)}),
            "error: 'extractBits' needs offset + count <= 32, but offset is 16 and count is 17");
  EXPECT_EQ(Call(B_::kInsertBits, {U(0xffffffff), U(0), U(8), U(8)}), "4294902015u");
  EXPECT_EQ(Call(B_::kInsertBits, {I(0), I(-1), U(0), U(32)}), "-1i");
}

TEST_F(ConstBuiltinTest, Packing) {
  const TypeId u32 = types.U32();
  EXPECT_EQ(Call(B_::kPack4x8snorm, u32, {Vec({F(-1), F(0), F(0.5), F(2)})}), Show(U(0x7f400081)));
  EXPECT_EQ(Call(B_::kPack4x8unorm, u32, {Vec({F(-1), F(0), F(0.5), F(1)})}), Show(U(0xff800000)));
  EXPECT_EQ(Call(B_::kPack2x16snorm, u32, {Vec({F(-1), F(1)})}), Show(U(0x7fff8001)));
  EXPECT_EQ(Call(B_::kPack2x16unorm, u32, {Vec({F(0.5), F(1)})}), Show(U(0xffff8000)));
  EXPECT_EQ(Call(B_::kPack2x16float, u32, {Vec({F(1), F(-2)})}), Show(U(0xc0003c00)));
  EXPECT_EQ(Call(B_::kPack2x16float, u32, {Vec({F(1), F(65505)})}),
            "error: value 65505 cannot be represented as 'f16', which holds -65504 to 65504");
  EXPECT_EQ(Call(B_::kPack4xI8, u32, {Vec({I(-1), I(2), I(300), I(-128)})}), Show(U(0x802c02ff)));
  EXPECT_EQ(Call(B_::kPack4xI8Clamp, u32, {Vec({I(-1), I(2), I(300), I(-500)})}), Show(U(0x807f02ff)));
  EXPECT_EQ(Call(B_::kPack4xU8Clamp, u32, {Vec({U(1), U(2), U(300), U(4000000000)})}), Show(U(0xffff0201)));
  EXPECT_EQ(Call(B_::kPack4xU8, u32, {Vec({U(1), U(2), U(300), U(255)})}), Show(U(0xff2c0201)));
  const TypeId vec4 = types.Vector(types.F32(), 4), vec2 = types.Vector(types.F32(), 2);
  EXPECT_EQ(Call(B_::kUnpack4x8snorm, vec4, {U(0x80817f00)}), "vec4<f32>(0f, 1f, -1f, -1f)");
  EXPECT_EQ(Call(B_::kUnpack4x8unorm, vec4, {U(0x000000ff)}), "vec4<f32>(1f, 0f, 0f, 0f)");
  EXPECT_EQ(Call(B_::kUnpack2x16unorm, vec2, {U(0xffff0000)}), "vec2<f32>(0f, 1f)");
  EXPECT_EQ(Call(B_::kUnpack2x16float, vec2, {U(0xc0003c00)}), "vec2<f32>(1f, -2f)");
  EXPECT_EQ(Call(B_::kUnpack4xI8, types.Vector(types.I32(), 4), {U(0x807f02ff)}),
            "vec4<i32>(-1i, 2i, 127i, -128i)");
  EXPECT_EQ(Call(B_::kUnpack4xU8, types.Vector(u32, 4), {U(0x807f02ff)}), "vec4<u32>(255u, 2u, 127u, 128u)");
  EXPECT_EQ(Call(B_::kDot4I8Packed, types.I32(), {U(0x01ff0201), U(0x01020304)}), "9i");
  EXPECT_EQ(Call(B_::kDot4U8Packed, u32, {U(0x01ff0201), U(0x01020304)}), "521u");
  EXPECT_EQ(Call(B_::kQuantizeToF16, {F(0.1)}), "0.099975586f");
  EXPECT_EQ(Call(B_::kQuantizeToF16, {F(70000)}),
            "error: value 70000 cannot be represented as 'f16', which holds -65504 to 65504");
}

TEST_F(ConstBuiltinTest, Bitcasts) {
  EXPECT_EQ(Call(B_::kBitcast, types.U32(), {F(1)}), "1065353216u");
  EXPECT_EQ(Call(B_::kBitcast, types.F32(), {U(0x3f800000)}), "1f");
  EXPECT_EQ(Call(B_::kBitcast, types.F32(), {U(0x7f800000)}),
            "error: bitcast of 2139095040u to 'f32' gives an infinity");
  EXPECT_EQ(Call(B_::kBitcast, types.F32(), {I(-1)}), "error: bitcast of -1i to 'f32' gives NaN");
  EXPECT_EQ(Call(B_::kBitcast, types.I32(), {U(0xffffffff)}), "-1i");
  EXPECT_EQ(Call(B_::kBitcast, types.U32(), {AI(4000000000)}), "4000000000u");
  EXPECT_EQ(Call(B_::kBitcast, types.U32(), {AI(-1)}),
            "error: value -1 cannot be represented as 'u32', which holds 0 to 4294967295");
  EXPECT_EQ(Call(B_::kBitcast, types.U32(), {Vec({H(1), H(-2)})}), Show(U(0xc0003c00)));
  EXPECT_EQ(Call(B_::kBitcast, types.Vector(types.F16(), 2), {U(0xc0003c00)}), "vec2<f16>(1h, -2h)");
  EXPECT_EQ(Call(B_::kBitcast, types.Vector(types.I32(), 2), {Vec({F(1), F(-0.0)})}),
            "vec2<i32>(1065353216i, -2147483648i)");
}

TEST_F(ConstBuiltinTest, ChecksOnPartlyKnownArguments) {
  const std::vector<TypeId> f32s(3, types.F32());
  const std::vector<ConstantId> clamp = {ConstantId::None(), F(2), F(1)};
  EXPECT_FALSE(eval.CheckBuiltinArguments(B_::kClamp, clamp, f32s, {}));
  const std::vector<ConstantId> half_known = {ConstantId::None(), F(2), ConstantId::None()};
  EXPECT_TRUE(eval.CheckBuiltinArguments(B_::kClamp, half_known, f32s, {}));
  const std::vector<ConstantId> exponent = {ConstantId::None(), I(200)};
  EXPECT_FALSE(eval.CheckBuiltinArguments(B_::kLdexp, exponent, f32s, {}));
  EXPECT_EQ(sink.error_count(), 2u);
}

}  // namespace
}  // namespace lockstep::wgsl
