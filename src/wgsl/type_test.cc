// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "wgsl/type.h"

#include <gtest/gtest.h>

#include <limits>

#include "wgsl/layout.h"

namespace lockstep::wgsl {
namespace {

TEST(TypeTable, InternsTypes) {
  TypeTable t;
  EXPECT_EQ(t.Vector(t.F32(), 3), t.Vector(t.F32(), 3));
  EXPECT_NE(t.Vector(t.F32(), 3), t.Vector(t.F32(), 4));
  EXPECT_NE(t.Array(t.F32(), 3), t.RuntimeArray(t.F32()));
  EXPECT_NE(t.Array(t.F32(), 3), t.OverrideArray(t.F32(), ast::ExprId(3)));
  EXPECT_NE(t.OverrideArray(t.F32(), ast::ExprId(0)), t.RuntimeArray(t.F32()));
  EXPECT_NE(t.Pointer(AddressSpace::kStorage, t.F32(), AccessMode::kRead),
            t.Pointer(AddressSpace::kStorage, t.F32(), AccessMode::kReadWrite));
  EXPECT_NE(t.Matrix(t.F32(), 2, 3), t.Matrix(t.F32(), 3, 2));
}

TEST(TypeTable, KnowsSizesAndAlignments) {
  TypeTable t;
  const auto check = [&](TypeId type, uint64_t size, uint64_t align) {
    EXPECT_EQ(t.SizeOf(type), size) << t.ToString(type);
    EXPECT_EQ(t.AlignOf(type), align) << t.ToString(type);
  };
  check(t.Bool(), 4, 4);
  check(t.F16(), 2, 2);
  check(t.Vector(t.F32(), 2), 8, 8);
  check(t.Vector(t.F32(), 3), 12, 16);
  check(t.Vector(t.F16(), 3), 6, 8);
  check(t.Matrix(t.F32(), 3, 3), 48, 16);
  check(t.Matrix(t.F32(), 4, 2), 32, 8);
  check(t.Matrix(t.F16(), 2, 3), 16, 8);
  check(t.Array(t.Vector(t.F32(), 3), 5), 80, 16);
  check(t.Atomic(t.U32()), 4, 4);
  check(t.RuntimeArray(t.Vector(t.U32(), 2)), 8, 8);
  EXPECT_EQ(t.StrideOf(t.Array(t.Vector(t.F32(), 3), 5)), 16u);
}

TEST(TypeTable, SizesSaturate) {
  TypeTable t;
  const uint32_t many = std::numeric_limits<uint32_t>::max();
  const TypeId once = t.Array(t.F32(), many);
  EXPECT_EQ(t.SizeOf(t.Array(t.Array(once, many), many)), std::numeric_limits<uint64_t>::max());
}

TEST(TypeTable, AnswersQuestions) {
  TypeTable t;
  const TypeId atomics = t.Array(t.Atomic(t.U32()), 4);
  EXPECT_FALSE(t.IsConstructible(atomics));
  EXPECT_TRUE(t.HasCreationFixedFootprint(atomics));
  EXPECT_TRUE(t.ContainsAtomic(atomics));
  EXPECT_TRUE(t.IsHostShareable(atomics));
  EXPECT_FALSE(t.IsHostShareable(t.Vector(t.Bool(), 2)));
  EXPECT_TRUE(t.IsAbstract(t.Array(t.Vector(t.AbstractInt(), 2), 3)));
  EXPECT_TRUE(t.HasFixedFootprint(t.OverrideArray(t.F32(), ast::ExprId(1))));
  EXPECT_FALSE(t.HasCreationFixedFootprint(t.OverrideArray(t.F32(), ast::ExprId(1))));
  EXPECT_FALSE(t.HasFixedFootprint(t.RuntimeArray(t.F32())));
  EXPECT_EQ(t.NestDepth(t.Array(t.Matrix(t.F32(), 2, 2), 2)), 3u);
  EXPECT_EQ(t.ToString(t.Pointer(AddressSpace::kStorage, atomics, AccessMode::kReadWrite)),
            "ptr<storage, array<atomic<u32>, 4>, read_write>");
}

TEST(Layout, RejectsWhatDoesNotFit32Bits) {
  TypeTable t;
  Struct s;
  for (int i = 0; i < 3; ++i) {
    StructMember member;
    member.type = t.Array(t.U32(), 1u << 29);
    s.members.push_back(member);
  }
  EXPECT_FALSE(LayoutStruct(t, s));
  s.members.pop_back();
  s.members.pop_back();
  EXPECT_TRUE(LayoutStruct(t, s));
  EXPECT_EQ(s.size, 1u << 31);
}

}  // namespace
}  // namespace lockstep::wgsl
