// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "observe/program.h"

#include <gtest/gtest.h>

namespace lockstep::observe {
namespace {

// struct State { items: array<Item, 4> at 0, flag: u32 at 32 }, Item { place: vec3f, count: u32 }: 4 words.
Program MakeProgram() {
  Program program;
  program.layouts.resize(5);
  program.layouts[1] = {Layout::Kind::kVector, 3, 1, 0, {}};
  program.layouts[2] = {Layout::Kind::kStruct, 4, 1, 0, {{"place", 0, 1}, {"count", 3, 0}}};
  program.layouts[3] = {Layout::Kind::kArray, 16, 4, 2, {}};
  program.layouts[4] = {Layout::Kind::kStruct, 20, 1, 0, {{"items", 0, 3}, {"flag", 16, 0}}};
  program.variables.push_back({"state", Space::kStorage, "storage", 4, 20});
  program.workgroup_size = {4, 2, 3};
  program.workgroups = {5, 7, 2};
  return program;
}

TEST(ElementName, GoesDownToTheScalar) {
  const Program program = MakeProgram();
  EXPECT_EQ(ElementName(program, 0, 0), "state.items[0].place.x");
  EXPECT_EQ(ElementName(program, 0, 14), "state.items[3].place.z");
  EXPECT_EQ(ElementName(program, 0, 15), "state.items[3].count");
  EXPECT_EQ(ElementName(program, 0, 16), "state.flag");
}

TEST(IsPadding, KnowsWhatIsBetweenMembersAndBehindThem) {
  Program program = MakeProgram();
  EXPECT_FALSE(IsPadding(program, 0, 15));
  EXPECT_FALSE(IsPadding(program, 0, 16));
  EXPECT_TRUE(IsPadding(program, 0, 17));
  program.layouts[2].members.pop_back();  // a vec3f in four words
  EXPECT_FALSE(IsPadding(program, 0, 14));
  EXPECT_TRUE(IsPadding(program, 0, 15));
  program.layouts[3].words = 12;  // three items, and four words of nothing
  EXPECT_TRUE(IsPadding(program, 0, 12));
  EXPECT_FALSE(IsPadding(program, 0, 16));
}

TEST(IsPadding, KnowsNoEndOfARuntimeArray) {
  Program program = MakeProgram();
  program.layouts[3].words = Layout::kUnbounded;
  program.variables[0].layout = 3;
  EXPECT_FALSE(IsPadding(program, 0, 400));
}

TEST(Program, NumbersBecomeIds) {
  const Program program = MakeProgram();
  EXPECT_EQ(program.InvocationId(4 + 8 * 2 + 3), (std::array<uint32_t, 3>{3, 1, 2}));
  EXPECT_EQ(program.WorkgroupId(4 + 5 * (6 + 7 * 1)), (std::array<uint32_t, 3>{4, 6, 1}));
}

}  // namespace
}  // namespace lockstep::observe
