// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "wgsl/const_eval_test_util.h"

namespace lockstep::wgsl {
namespace {

using Op = ast::BinaryOp;
using ast::UnaryOp;
using ConstantTableTest = ConstEvalTest;

TEST_F(ConstantTableTest, EqualConstantsAreOne) {
  EXPECT_EQ(I(3), I(3));
  EXPECT_NE(I(3), U(3));
  EXPECT_NE(F(0.0), F(-0.0));
  EXPECT_EQ(Vec({I(1), I(1)}), constants.Splat(types.Vector(types.I32(), 2), I(1)));
  EXPECT_NE(Vec({I(1), I(2)}), Vec({I(2), I(1)}));
}

TEST_F(ConstantTableTest, ZeroOfAHugeArrayIsOnePart) {
  const TypeId array = types.Array(types.Array(types.Vector(types.F32(), 3), 60000), 60000);
  const ConstantId zero = ZeroValue(types, constants, array);
  EXPECT_TRUE(constants[zero].splat);
  EXPECT_EQ(constants.Part(constants.Part(zero, 59999), 59999), Vec({F(0), F(0), F(0)}));
}

TEST_F(ConstantTableTest, Text) {
  EXPECT_EQ(Show(I(-3)), "-3i");
  EXPECT_EQ(Show(U(3)), "3u");
  EXPECT_EQ(Show(AI(3)), "3");
  EXPECT_EQ(Show(AF(3)), "3.0");
  EXPECT_EQ(Show(AF(1e300)), "1e+300");
  EXPECT_EQ(Show(F(0.1)), "0.1f");
  EXPECT_EQ(Show(B(true)), "true");
  EXPECT_EQ(Show(Vec({F(1), F(2.5)})), "vec2<f32>(1f, 2.5f)");
}

TEST_F(ConstEvalTest, AbstractIntegersMustNotOverflow) {
  EXPECT_EQ(Bin(Op::kAdd, AI(2), AI(3)), "5");
  EXPECT_EQ(Bin(Op::kAdd, AI(INT64_MAX), AI(1)),
            "error: '9223372036854775807 + 1' cannot be represented as '" +
                types.ToString(types.AbstractInt()) + "'");
  EXPECT_EQ(Bin(Op::kSub, AI(INT64_MIN), AI(1)).substr(0, 6), "error:");
  EXPECT_EQ(Bin(Op::kMul, AI(int64_t{1} << 32), AI(int64_t{1} << 31)).substr(0, 6), "error:");
  EXPECT_EQ(Bin(Op::kMul, AI(int64_t{1} << 31), AI(int64_t{1} << 31)), "4611686018427387904");
  EXPECT_EQ(Bin(Op::kDiv, AI(INT64_MIN), AI(-1)).substr(0, 6), "error:");
}

TEST_F(ConstEvalTest, ConcreteIntegersWrap) {
  EXPECT_EQ(Bin(Op::kAdd, I(INT32_MAX), I(1)), "-2147483648i");
  EXPECT_EQ(Bin(Op::kSub, U(0), U(1)), "4294967295u");
  EXPECT_EQ(Bin(Op::kMul, U(UINT32_MAX), U(UINT32_MAX)), "1u");
  EXPECT_EQ(Bin(Op::kMul, I(INT32_MIN), I(INT32_MIN)), "0i");
  EXPECT_EQ(Un(UnaryOp::kNegate, I(INT32_MIN)), "-2147483648i");
  EXPECT_EQ(Un(UnaryOp::kNegate, AI(INT64_MIN)), "-9223372036854775808");
  EXPECT_EQ(Un(UnaryOp::kComplement, U(1)), "4294967294u");
  EXPECT_EQ(Un(UnaryOp::kComplement, AI(1)), "-2");
  EXPECT_EQ(Un(UnaryOp::kNot, Vec({B(true), B(false)})), "vec2<bool>(false, true)");
}

TEST_F(ConstEvalTest, IntegerDivision) {
  EXPECT_EQ(Bin(Op::kDiv, I(-7), I(2)), "-3i");
  EXPECT_EQ(Bin(Op::kRem, I(-7), I(2)), "-1i");
  EXPECT_EQ(Bin(Op::kRem, I(7), I(-2)), "1i");
  EXPECT_EQ(Bin(Op::kDiv, U(4000000000), U(3)), "1333333333u");
  EXPECT_EQ(Bin(Op::kDiv, I(1), I(0)), "error: division by zero");
  EXPECT_EQ(Bin(Op::kRem, U(1), U(0)), "error: remainder of a division by zero");
  EXPECT_EQ(Bin(Op::kDiv, Vec({I(4), I(4)}), Vec({I(2), I(0)})), "error: division by zero");
  EXPECT_EQ(Bin(Op::kDiv, I(INT32_MIN), I(-1)), "error: '-2147483648i / -1i' cannot be represented as 'i32'");
  EXPECT_EQ(Bin(Op::kRem, I(INT32_MIN), I(-1)), "error: '-2147483648i % -1i' cannot be represented as 'i32'");
}

TEST_F(ConstEvalTest, FloatArithmeticRoundsToItsType) {
  EXPECT_EQ(Bin(Op::kAdd, F(1), F(1e-10)), "1f");
  EXPECT_EQ(Bin(Op::kAdd, F(16777216), F(1)), "16777216f");
  EXPECT_EQ(Bin(Op::kDiv, F(1), F(3)), "0.33333334f");
  EXPECT_EQ(Bin(Op::kAdd, AF(1), AF(1e-10)), "1.0000000001");
  EXPECT_EQ(Bin(Op::kRem, F(-5.5), F(2)), "-1.5f");
  EXPECT_EQ(Bin(Op::kAdd, H(2048), H(1)), "2048h");
}

TEST_F(ConstEvalTest, FloatsMustStayFinite) {
  EXPECT_EQ(Bin(Op::kMul, F(1e20), F(1e20)), "error: '1e+20f * 1e+20f' cannot be represented as 'f32'");
  EXPECT_EQ(Bin(Op::kAdd, F(3e38), F(3e38)).substr(0, 6), "error:");
  EXPECT_EQ(Bin(Op::kDiv, F(1), F(0)), "error: division by zero");
  EXPECT_EQ(Bin(Op::kDiv, F(0), F(0)), "error: division by zero");
  EXPECT_EQ(Bin(Op::kMul, AF(1e200), AF(1e200)).substr(0, 6), "error:");
  EXPECT_EQ(Bin(Op::kMul, H(256), H(256)), "error: '256h * 256h' cannot be represented as 'f16'");
}

TEST_F(ConstEvalTest, Shifts) {
  EXPECT_EQ(Bin(Op::kShl, U(1), U(31)), "2147483648u");
  EXPECT_EQ(Bin(Op::kShl, U(1), U(32)), "error: shift by 32 is too far: 'u32' has 32 bits");
  EXPECT_EQ(Bin(Op::kShr, I(1), U(40)), "error: shift by 40 is too far: 'i32' has 32 bits");
  EXPECT_EQ(Bin(Op::kShl, I(1), U(31)), "error: '1i << 31u' cannot be represented as 'i32'");
  EXPECT_EQ(Bin(Op::kShl, I(-1), U(31)), "-2147483648i");
  EXPECT_EQ(Bin(Op::kShl, I(0x20000000), U(1)), "1073741824i");
  EXPECT_EQ(Bin(Op::kShl, I(0x40000000), U(1)).substr(0, 6), "error:");
  EXPECT_EQ(Bin(Op::kShl, U(0x80000000), U(1)).substr(0, 6), "error:");
  EXPECT_EQ(Bin(Op::kShl, AI(1), U(62)), "4611686018427387904");
  EXPECT_EQ(Bin(Op::kShl, AI(1), U(63)).substr(0, 6), "error:");
  EXPECT_EQ(Bin(Op::kShl, AI(0), U(100)), "0");
  EXPECT_EQ(Bin(Op::kShr, AI(-5), U(100)), "-1");
  EXPECT_EQ(Bin(Op::kShr, I(-8), U(1)), "-4i");
  EXPECT_EQ(Bin(Op::kShr, U(0xffffffff), U(28)), "15u");
  EXPECT_EQ(Bin(Op::kShl, Vec({U(1), U(2)}), Vec({U(4), U(5)})), "vec2<u32>(16u, 64u)");
}

TEST_F(ConstEvalTest, BitsAndComparisons) {
  EXPECT_EQ(Bin(Op::kAnd, I(12), I(10)), "8i");
  EXPECT_EQ(Bin(Op::kOr, U(12), U(10)), "14u");
  EXPECT_EQ(Bin(Op::kXor, I(-1), I(10)), "-11i");
  EXPECT_EQ(Bin(Op::kAnd, B(true), B(false)), "false");
  EXPECT_EQ(Bin(Op::kLt, U(4000000000), U(1)), "false");
  EXPECT_EQ(Bin(Op::kEq, F(0.0), F(-0.0)), "true");
  EXPECT_EQ(Bin(Op::kGe, Vec({I(1), I(5)}), Vec({I(2), I(5)})), "vec2<bool>(false, true)");
  EXPECT_EQ(Bin(Op::kNe, B(true), B(true)), "false");
}

TEST_F(ConstEvalTest, VectorsWithScalars) {
  EXPECT_EQ(Bin(Op::kMul, Vec({F(1), F(2)}), F(3)), "vec2<f32>(3f, 6f)");
  EXPECT_EQ(Bin(Op::kSub, AI(10), Vec({AI(1), AI(2)})).substr(0, 5), "vec2<");
  EXPECT_EQ(Bin(Op::kDiv, Vec({I(9), I(6)}), I(0)), "error: division by zero");
}

TEST_F(ConstEvalTest, MatrixProducts) {
  const ConstantId m = Mat({Vec({F(1), F(2)}), Vec({F(3), F(4)}), Vec({F(5), F(6)})});  // 3 columns, 2 rows
  const TypeId vec2 = types.Vector(types.F32(), 2), vec3 = types.Vector(types.F32(), 3);
  EXPECT_EQ(Bin(Op::kMul, vec2, m, Vec({F(1), F(10), F(100)})), "vec2<f32>(531f, 642f)");
  EXPECT_EQ(Bin(Op::kMul, vec3, Vec({F(1), F(10)}), m), "vec3<f32>(21f, 43f, 65f)");
  const ConstantId n = Mat({Vec({F(1), F(0), F(1)}), Vec({F(0), F(2), F(0)})});  // 2 columns, 3 rows
  EXPECT_EQ(Bin(Op::kMul, types.Matrix(types.F32(), 2, 2), m, n),
            Show(Mat({Vec({F(6), F(8)}), Vec({F(6), F(8)})})));
  EXPECT_EQ(Bin(Op::kMul, TypeOf(m), m, F(2)),
            Show(Mat({Vec({F(2), F(4)}), Vec({F(6), F(8)}), Vec({F(10), F(12)})})));
  EXPECT_EQ(Bin(Op::kAdd, m, m), Bin(Op::kMul, TypeOf(m), m, F(2)));
  const ConstantId big = Mat({Vec({F(1e30), F(1)}), Vec({F(1), F(1)})});
  EXPECT_EQ(Bin(Op::kMul, big, big),
            "error: the matrix product overflows '" + types.ToString(TypeOf(big)) + "'");
}

TEST_F(ConstEvalTest, AbstractConversionsMustFit) {
  EXPECT_EQ(Conv(AI(300), types.I32()), "300i");
  EXPECT_EQ(Conv(AI(int64_t{1} << 31), types.I32()),
            "error: value 2147483648 cannot be represented as 'i32', which holds -2147483648 to 2147483647");
  EXPECT_EQ(Conv(AI(-1), types.U32()),
            "error: value -1 cannot be represented as 'u32', which holds 0 to 4294967295");
  EXPECT_EQ(Conv(AI(4000000000), types.U32()), "4000000000u");
  EXPECT_EQ(Conv(AI(16777217), types.F32()), "16777216f");
  EXPECT_EQ(Conv(AF(0.1), types.F32()), "0.1f");
  EXPECT_EQ(Conv(AF(1e39), types.F32()),
            "error: value 1e+39 cannot be represented as 'f32', which holds -3.4028235e+38 to 3.4028235e+38");
  EXPECT_EQ(Conv(AF(3.4028234663852886e38), types.F32()), "3.4028235e+38f");
  EXPECT_EQ(Conv(AF(3.4028235e38), types.F32()).substr(0, 6), "error:");
  EXPECT_EQ(Conv(AI(65505), types.F16()),
            "error: value 65505 cannot be represented as 'f16', which holds -65504 to 65504");
  EXPECT_EQ(Conv(Vec({AI(1), AI(2)}), types.Vector(types.F32(), 2)), "vec2<f32>(1f, 2f)");
  EXPECT_EQ(Conv(Vec({AI(1), AI(-2)}), types.Vector(types.U32(), 2)).substr(0, 6), "error:");
}

TEST_F(ConstEvalTest, ConcreteConversions) {
  EXPECT_EQ(Conv(I(-1), types.U32()), "4294967295u");
  EXPECT_EQ(Conv(U(0xffffffff), types.I32()), "-1i");
  EXPECT_EQ(Conv(F(3.9), types.U32()), "3u");
  EXPECT_EQ(Conv(F(-1), types.U32()), "0u");
  EXPECT_EQ(Conv(F(1e20), types.U32()), "4294967040u");
  EXPECT_EQ(Conv(F(-3.9), types.I32()), "-3i");
  EXPECT_EQ(Conv(F(1e20), types.I32()), "2147483520i");
  EXPECT_EQ(Conv(F(-1e20), types.I32()), "-2147483648i");
  EXPECT_EQ(Conv(AF(1e20), types.I32()), "2147483647i");
  EXPECT_EQ(Conv(B(true), types.F32()), "1f");
  EXPECT_EQ(Conv(F(0.5), types.Bool()), "true");
  EXPECT_EQ(Conv(I(0), types.Bool()), "false");
  EXPECT_EQ(Conv(U(4294967295), types.F32()), "4294967300f");
  EXPECT_EQ(Conv(F(65520), types.F16()),
            "error: value 65520 cannot be represented as 'f16', which holds -65504 to 65504");
}

TEST_F(ConstEvalTest, Numbers) {
  EXPECT_EQ(Show(eval.Number(types.U32(), 4294967295.0, {})), "4294967295u");
  EXPECT_EQ(Show(eval.Number(types.U32(), -1, {})),
            "error: value -1 cannot be represented as 'u32', which holds 0 to 4294967295");
  EXPECT_EQ(Show(eval.Number(types.I32(), 1.5, {})),
            "error: value 1.5 cannot be represented as 'i32', which holds -2147483648 to 2147483647");
  EXPECT_EQ(Show(eval.Number(types.F32(), 1e39, {})),
            "error: value 1e+39 cannot be represented as 'f32', which holds -3.4028235e+38 to 3.4028235e+38");
  EXPECT_EQ(Show(eval.Number(types.F32(), std::nan(""), {})),
            "error: value nan cannot be represented as 'f32', which holds -3.4028235e+38 to 3.4028235e+38");
  EXPECT_EQ(Show(eval.Number(types.Bool(), 2, {})), "true");
}

TEST_F(ConstEvalTest, Constructors) {
  const TypeId vec3 = types.Vector(types.F32(), 3), mat2 = types.Matrix(types.F32(), 2, 2);
  EXPECT_EQ(Show(eval.Construct(vec3, {}, {})), "vec3<f32>(0f, 0f, 0f)");
  const std::vector<ConstantId> splat = {F(4)};
  EXPECT_EQ(Show(eval.Construct(vec3, splat, {})), "vec3<f32>(4f, 4f, 4f)");
  const std::vector<ConstantId> mixed = {Vec({F(1), F(2)}), F(3)};
  EXPECT_EQ(Show(eval.Construct(vec3, mixed, {})), "vec3<f32>(1f, 2f, 3f)");
  const std::vector<ConstantId> converted = {Vec({I(1), I(2), I(-3)})};
  EXPECT_EQ(Show(eval.Construct(vec3, converted, {})), "vec3<f32>(1f, 2f, -3f)");
  const std::vector<ConstantId> scalars = {F(1), F(2), F(3), F(4)};
  const ConstantId m = eval.Construct(mat2, scalars, {});
  EXPECT_EQ(m, Mat({Vec({F(1), F(2)}), Vec({F(3), F(4)})}));
  const std::vector<ConstantId> columns = {Vec({F(1), F(2)}), Vec({F(3), F(4)})};
  EXPECT_EQ(eval.Construct(mat2, columns, {}), m);
  const std::vector<ConstantId> elements = {AI(1), AI(2)};
  EXPECT_EQ(Show(eval.Construct(types.Array(types.U32(), 2), elements, {})), "array<u32, 2>(1u, 2u)");
}

TEST_F(ConstEvalTest, IndexAndSwizzle) {
  const ConstantId v = Vec({F(1), F(2), F(3)});
  EXPECT_EQ(Show(eval.Index(v, AI(2), {})), "3f");
  EXPECT_EQ(Show(eval.Index(v, AI(3), {})),
            "error: index 3 is out of range for 'vec3<f32>', which has 3 components");
  EXPECT_EQ(Show(eval.Index(v, I(-1), {})).substr(0, 15), "error: index -1");
  const std::array<uint8_t, 2> zx = {2, 0};
  EXPECT_EQ(Show(eval.Swizzle(v, zx)), "vec2<f32>(3f, 1f)");
  const std::array<uint8_t, 1> y = {1};
  EXPECT_EQ(Show(eval.Swizzle(v, y)), "2f");
}

TEST_F(ConstEvalTest, ChecksOnTheRightOperandAlone) {
  EXPECT_FALSE(eval.CheckRightOperand(Op::kDiv, types.I32(), I(0), {}));
  EXPECT_TRUE(eval.CheckRightOperand(Op::kDiv, types.F32(), F(0), {}));
  EXPECT_FALSE(eval.CheckRightOperand(Op::kRem, types.Vector(types.U32(), 2), Vec({U(1), U(0)}), {}));
  EXPECT_FALSE(eval.CheckRightOperand(Op::kShl, types.U32(), U(32), {}));
  EXPECT_TRUE(eval.CheckRightOperand(Op::kShr, types.U32(), U(31), {}));
  EXPECT_TRUE(eval.CheckRightOperand(Op::kAdd, types.U32(), U(0), {}));
  EXPECT_EQ(sink.error_count(), 3u);
}

TEST_F(ConstEvalTest, RoundingToHalf) {
  EXPECT_EQ(RoundToF16(65519), 65504);
  EXPECT_TRUE(std::isinf(RoundToF16(65520)));
  EXPECT_EQ(RoundToF16(0x1p-24), 0x1p-24);
  EXPECT_EQ(RoundToF16(0x1p-25), 0);  // a tie: to even
  EXPECT_EQ(RoundToF16(0x1.8p-25), 0x1p-24);
  EXPECT_EQ(RoundToF16(2049), 2048);
  EXPECT_EQ(RoundToF16(2051), 2052);
  EXPECT_EQ(RoundToF16(-1.0009765625), -1.0009765625);
}

}  // namespace
}  // namespace lockstep::wgsl
