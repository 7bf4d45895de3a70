// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/builder.h"

#include <gtest/gtest.h>

namespace lockstep::ir {
namespace {

TEST(Builder, ResultTypesFollowOperands) {
  Module m;
  Builder b(&m, m.AddBlock());
  const TypeId vec3 = m.types.Vector(m.types.F32(), 3);
  const ValueId v = b.Number(vec3, 1.5);
  EXPECT_EQ(m.type_of(b.Add(v, v)), vec3);
  EXPECT_EQ(m.type_of(b.Lt(v, v)), m.types.Vector(m.types.Bool(), 3));
  EXPECT_EQ(m.type_of(b.Extract(v, 2)), m.types.F32());
  EXPECT_EQ(m.type_of(b.Swizzle(v, {2, 1})), m.types.Vector(m.types.F32(), 2));
  EXPECT_EQ(b.Convert(vec3, v), v);
}

TEST(Builder, NumbersAreConstantsOfTheType) {
  Module m;
  Builder b(&m, m.AddBlock());
  EXPECT_EQ(b.Number(m.types.I32(), -3), m.ConstantI32(-3));
  EXPECT_EQ(b.Number(m.types.U32(), 4294967295.0), m.ConstantU32(0xffffffffu));
  EXPECT_EQ(b.Number(m.types.F16(), 1), m.ConstantBits(m.types.F16(), 0x3c00));
  EXPECT_EQ(b.Number(m.types.F16(), 65504), m.ConstantBits(m.types.F16(), 0x7bff));
  EXPECT_EQ(b.Number(m.types.F16(), 65520), m.ConstantBits(m.types.F16(), 0x7c00));
  EXPECT_EQ(b.Number(m.types.F16(), 0x1p-24), m.ConstantBits(m.types.F16(), 1));
  EXPECT_TRUE(m.blocks[b.block()].insts.empty());
}

TEST(Builder, AccessWalksDownTheType) {
  Module m;
  TypeTable& t = m.types;
  const TypeId vec4 = t.Vector(t.F32(), 4);
  const TypeId s = t.Struct("S", {{"n", t.U32(), 0}, {"rows", t.RuntimeArray(vec4, 16), 16}}, 32, 16);
  Variable v;
  v.name = "data";
  v.type = s;
  v.space = AddressSpace::kStorage;
  v.access = Access::kRead;
  const ValueId data = m.variable_value(m.AddVariable(v));
  Builder b(&m, m.AddBlock());
  const ValueId p = b.Access(data, {b.U32(1), b.BuiltinInput(Builtin::kLocalInvocationIndex), b.U32(2)});
  EXPECT_EQ(t.ToString(m.type_of(p)), "ptr<storage, read, f32>");
  EXPECT_EQ(m.type_of(b.Load(p)), t.F32());
  EXPECT_EQ(b.Access(data, {}), data);
}

TEST(Builder, LoopsGetBodyParametersOfTheInitialValues) {
  Module m;
  Builder b(&m, m.AddBlock());
  const ValueId initial[] = {b.U32(0), b.F32(1)};
  const TypeId results[] = {m.types.F32()};
  const InstId loop = b.Loop(initial, results);
  const BlockId body = m.regions(loop)[0];
  ASSERT_EQ(m.blocks[body].params.size(), 2u);
  EXPECT_EQ(m.type_of(m.blocks[body].params[1]), m.types.F32());
  Builder in(&m, body);
  in.Exit(loop, std::vector<ValueId>{m.blocks[body].params[1]});
  EXPECT_TRUE(in.terminated());
  EXPECT_FALSE(b.terminated());
}

}  // namespace
}  // namespace lockstep::ir
