// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "wgsl/overload.h"

#include <gtest/gtest.h>

namespace lockstep::wgsl {
namespace {

class OverloadTest : public ::testing::Test {
 protected:
  std::string Call(Builtin builtin, std::vector<OverloadArgument> args,
                   std::vector<TypeId> explicit_types = {}) {
    return Show(MatchOverload(types, OverloadsOf(builtin), explicit_types, args));
  }
  std::string Op(ast::BinaryOp op, OverloadArgument a, OverloadArgument b) {
    const OverloadArgument args[] = {a, b};
    return Show(MatchOverload(types, OverloadsOf(op), {}, args));
  }
  std::string Show(const std::optional<OverloadMatch>& match) {
    if (!match) return "none";
    std::string out;
    for (const TypeId param : match->params) out += (out.empty() ? "" : ", ") + types.ToString(param);
    return out + " -> " + types.ToString(match->result);
  }

  TypeTable types;
  TypeId i32 = types.I32(), u32 = types.U32(), f32 = types.F32(), ai = types.AbstractInt(),
         af = types.AbstractFloat();
  TypeId v3f = types.Vector(f32, 3), v3ai = types.Vector(ai, 3);
};

TEST_F(OverloadTest, EveryBuiltinHasRows) {
  for (size_t i = 1; i < kBuiltinCount; ++i) {
    const auto builtin = static_cast<Builtin>(i);
    const OverloadRange range = OverloadsOf(builtin);
    EXPECT_NE(range.begin(), range.end()) << BuiltinName(builtin);
    EXPECT_EQ(FindBuiltin(BuiltinName(builtin)), builtin);
    for (const Overload& overload : range)
      EXPECT_EQ(DescribeOverload(overload).rfind(BuiltinName(builtin), 0), 0u);
  }
}

TEST_F(OverloadTest, ConstantsPreferAbstractTypes) {
  EXPECT_EQ(Op(ast::BinaryOp::kAdd, {ai, true}, {ai, true}), "abstract-int, abstract-int -> abstract-int");
  EXPECT_EQ(Op(ast::BinaryOp::kAdd, {ai, true}, {af, true}),
            "abstract-float, abstract-float -> abstract-float");
  EXPECT_EQ(Call(Builtin::kSqrt, {{ai, true}}), "abstract-float -> abstract-float");
}

TEST_F(OverloadTest, RuntimeOperandsMakeConstantsConcrete) {
  EXPECT_EQ(Op(ast::BinaryOp::kAdd, {ai, true}, {f32, false}), "f32, f32 -> f32");
  EXPECT_EQ(Op(ast::BinaryOp::kShl, {ai, true}, {u32, false}), "i32, u32 -> i32");
  EXPECT_EQ(Call(Builtin::kSelect, {{ai, true}, {ai, true}, {types.Bool(), false}}), "i32, i32, bool -> i32");
  EXPECT_EQ(Call(Builtin::kLdexp, {{af, true}, {i32, false}}), "f32, i32 -> f32");
  EXPECT_EQ(Op(ast::BinaryOp::kAdd, {v3ai, true}, {f32, false}), "vec3<f32>, f32 -> vec3<f32>");
}

TEST_F(OverloadTest, FunctionsOfConcreteTypesTakeTheCheapest) {
  EXPECT_EQ(Call(Builtin::kCountOneBits, {{ai, true}}), "i32 -> i32");
  EXPECT_EQ(Call(Builtin::kExtractBits, {{u32, false}, {ai, true}, {ai, true}}), "u32, u32, u32 -> u32");
  EXPECT_EQ(Call(Builtin::kPack4x8snorm, {{types.Vector(ai, 4), true}}), "vec4<f32> -> u32");
}

TEST_F(OverloadTest, MatricesMultiplyByShape) {
  const TypeId m23 = types.Matrix(f32, 2, 3), m32 = types.Matrix(f32, 3, 2);
  EXPECT_EQ(Op(ast::BinaryOp::kMul, {m23, false}, {m32, false}), "mat2x3<f32>, mat3x2<f32> -> mat3x3<f32>");
  EXPECT_EQ(Op(ast::BinaryOp::kMul, {m23, false}, {types.Vector(f32, 2), false}),
            "mat2x3<f32>, vec2<f32> -> vec3<f32>");
  EXPECT_EQ(Op(ast::BinaryOp::kMul, {v3f, false}, {m23, false}), "vec3<f32>, mat2x3<f32> -> vec2<f32>");
  EXPECT_EQ(Op(ast::BinaryOp::kMul, {m23, false}, {v3f, false}), "none");
  EXPECT_EQ(Op(ast::BinaryOp::kMul, {ai, true}, {m23, false}), "f32, mat2x3<f32> -> mat2x3<f32>");
}

TEST_F(OverloadTest, ComponentWiseNeedsOneShape) {
  EXPECT_EQ(Call(Builtin::kMax, {{v3f, false}, {f32, false}}), "none");
  EXPECT_EQ(Call(Builtin::kMix, {{v3f, false}, {v3f, false}, {af, true}}),
            "vec3<f32>, vec3<f32>, f32 -> vec3<f32>");
  EXPECT_EQ(Call(Builtin::kLength, {{v3f, false}}), "vec3<f32> -> f32");
}

TEST_F(OverloadTest, PointersMatchExactly) {
  const TypeId atomic = types.Atomic(u32);
  const auto pointer = [&](AddressSpace space, AccessMode access) {
    return types.Pointer(space, atomic, access);
  };
  EXPECT_NE(Call(Builtin::kAtomicAdd,
                 {{pointer(AddressSpace::kStorage, AccessMode::kReadWrite), false}, {ai, true}}),
            "none");
  EXPECT_NE(Call(Builtin::kAtomicAdd,
                 {{pointer(AddressSpace::kWorkgroup, AccessMode::kReadWrite), false}, {u32, false}}),
            "none");
  EXPECT_EQ(
      Call(Builtin::kAtomicAdd, {{pointer(AddressSpace::kStorage, AccessMode::kRead), false}, {ai, true}}),
      "none");
  EXPECT_EQ(Call(Builtin::kAtomicAdd,
                 {{pointer(AddressSpace::kPrivate, AccessMode::kReadWrite), false}, {ai, true}}),
            "none");
  EXPECT_EQ(Call(Builtin::kAtomicAdd,
                 {{pointer(AddressSpace::kStorage, AccessMode::kReadWrite), false}, {i32, false}}),
            "none");
}

TEST_F(OverloadTest, BitcastTakesItsTypeExactly) {
  EXPECT_EQ(Call(Builtin::kBitcast, {{f32, false}}, {u32}), "f32 -> u32");
  EXPECT_EQ(Call(Builtin::kBitcast, {{v3f, false}}, {types.Vector(u32, 3)}), "vec3<f32> -> vec3<u32>");
  EXPECT_EQ(Call(Builtin::kBitcast, {{ai, true}}, {u32}), "abstract-int -> u32");
  EXPECT_EQ(Call(Builtin::kBitcast, {{types.Vector(types.F16(), 2), false}}, {u32}), "vec2<f16> -> u32");
  EXPECT_EQ(Call(Builtin::kBitcast, {{v3f, false}}, {u32}), "none");
  EXPECT_EQ(Call(Builtin::kBitcast, {{f32, false}}, {types.Bool()}), "none");
}

TEST_F(OverloadTest, DescribesRowsForPeople) {
  EXPECT_EQ(DescribeOverload(*OverloadsOf(Builtin::kClamp).begin()),
            "clamp(T, T, T) -> T, where T is i32, u32 or f32 or a vector of these");
  EXPECT_EQ(DescribeOverload(*OverloadsOf(Builtin::kAtomicAdd).begin()),
            "atomicAdd(ptr<workgroup or storage, atomic<T>, read_write>, T) -> T, where T is i32 or u32");
}

TEST_F(OverloadTest, ConversionRanksFollowTheTable) {
  EXPECT_EQ(ConversionRank(types, af, f32), 1u);
  EXPECT_EQ(ConversionRank(types, ai, i32), 3u);
  EXPECT_EQ(ConversionRank(types, ai, u32), 4u);
  EXPECT_EQ(ConversionRank(types, ai, af), 5u);
  EXPECT_EQ(ConversionRank(types, ai, f32), 6u);
  EXPECT_EQ(ConversionRank(types, v3ai, v3f), 6u);
  EXPECT_EQ(ConversionRank(types, types.Array(ai, 2), types.Array(u32, 2)), 4u);
  EXPECT_EQ(ConversionRank(types, types.Array(ai, 2), types.Array(u32, 3)), kNoConversion);
  EXPECT_EQ(ConversionRank(types, af, i32), kNoConversion);
  EXPECT_EQ(ConversionRank(types, i32, u32), kNoConversion);
}

}  // namespace
}  // namespace lockstep::wgsl
