// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/module.h"

#include <gtest/gtest.h>

namespace lockstep::ir {
namespace {

TEST(Types, AreInternedWithWgslLayout) {
  TypeTable t;
  const TypeId vec3 = t.Vector(t.F32(), 3);
  EXPECT_EQ(vec3, t.Vector(t.F32(), 3));
  EXPECT_EQ(t[vec3].size, 12u);
  EXPECT_EQ(t[vec3].align, 16u);
  const TypeId mat = t.Matrix(vec3, 4);
  EXPECT_EQ(t[mat].size, 64u);
  EXPECT_EQ(t.PartOffset(mat, 2), 32u);
  EXPECT_EQ(t.ToString(mat), "mat4x3<f32>");
  EXPECT_EQ(t.ScalarCount(mat), 12u);
  EXPECT_EQ(t[t.Matrix(t.Vector(t.F16(), 2), 2)].size, 8u);
}

TEST(Types, PrintAsTheirNames) {
  TypeTable t;
  EXPECT_EQ(t.ToString(t.Array(t.Vector(t.F32(), 3), 4, 16)), "array<vec3<f32>, 4>");
  EXPECT_EQ(t.ToString(t.Array(t.U32(), 4, 16)), "array<u32, 4, stride 16>");
  EXPECT_EQ(
      t.ToString(t.Pointer(AddressSpace::kStorage, Access::kRead, t.RuntimeArray(t.Atomic(t.I32()), 4))),
      "ptr<storage, read, array<atomic<i32>>>");
}

TEST(Types, HugeArraysSaturate) {
  TypeTable t;
  TypeId a = t.Array(t.U32(), 0xffffffffu, 4);
  for (int i = 0; i < 4; ++i) a = t.Array(a, 0xffffffffu, 0xffffffffu);
  EXPECT_EQ(t.ScalarCount(a), 0xffffffffu);
  EXPECT_EQ(t[a].size, 0xffffffffu);
}

TEST(Types, StructNamesAreUnique) {
  TypeTable t;
  const TypeId a = t.Struct("S", {{"x", t.U32(), 0}}, 4, 4);
  const TypeId b = t.Struct("S", {{"y", t.U32(), 0}}, 4, 4);
  EXPECT_NE(a, b);
  EXPECT_NE(t[a].name, t[b].name);
  EXPECT_EQ(a, t.Struct("S", {{"x", t.U32(), 0}}, 4, 4));
  EXPECT_EQ(b, t.Struct("S", {{"y", t.U32(), 0}}, 4, 4));
}

TEST(Module, ConstantsAreInterned) {
  Module m;
  EXPECT_EQ(m.ConstantU32(7), m.ConstantU32(7));
  EXPECT_NE(m.ConstantU32(7), m.ConstantI32(7));
  const TypeId vec2 = m.types.Vector(m.types.F32(), 2);
  const ValueId one = m.ConstantF32(1);
  EXPECT_EQ(m.ConstantComposite(vec2, {one, one}), m.ConstantComposite(vec2, {one, one}));
  EXPECT_EQ(m.ConstantComposite(vec2, {m.ConstantF32(0), m.ConstantF32(0)}), m.ConstantZero(vec2));
  EXPECT_NE(m.ConstantComposite(vec2, {m.ConstantF32(-0.0f), m.ConstantF32(0)}), m.ConstantZero(vec2));
  EXPECT_EQ(m.ConstantPart(m.ConstantZero(vec2), 1), m.ConstantF32(0));
}

TEST(Module, ResultsCanBeAddedAndDropped) {
  Module m;
  const TypeId types[] = {m.types.U32(), m.types.F32()};
  const InstId inst = m.MakeInst(Op::kIf, {}, types);
  m.AddResult(inst, m.types.Bool());
  const ValueId last = m.result(inst, 2);
  const ValueId kept[] = {m.result(inst, 1), last};
  m.SetResults(inst, kept);
  ASSERT_EQ(m.results(inst).size(), 2u);
  EXPECT_EQ(m.value(last).number, 1);
  EXPECT_EQ(m.defining_inst(last), inst);
}

TEST(Module, OperandsCanGrowAndShrink) {
  Module m;
  const ValueId ab[] = {m.ConstantU32(1), m.ConstantU32(2)};
  const InstId inst = m.MakeInst(Op::kExit, ab, {});
  m.SetOperands(inst, m.operands(inst).subspan(1));
  ASSERT_EQ(m.operands(inst).size(), 1u);
  EXPECT_EQ(m.operands(inst)[0], ab[1]);
  m.SetOperands(inst, ab);
  EXPECT_EQ(m.operands(inst)[1], ab[1]);
}

}  // namespace
}  // namespace lockstep::ir
