// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/analysis/used_parts.h"

#include <gtest/gtest.h>

#include "ir/printer.h"

namespace lockstep::ir {
namespace {

// What is used of the value that is called `name`.
uint32_t UsedOf(const std::string& body, std::string_view name) {
  const std::string text =
      "struct Both size 32 align 16 {\n  a : vec4<f32> at 0\n  b : vec4<f32> at 16\n}\n\n"
      "var $out : storage read_write f32 group 0 binding 0\nvar $kept : private read_write Both\n\n"
      "fn @fs() fragment {\n  %v = input 0 perspective center : vec4<f32>\n"
      "  %w = input 1 perspective center : vec4<f32>\n  %s = input 2 perspective center : f32\n" +
      body + "  return\n}\n";
  Result<Module> module = Parse(text);
  EXPECT_TRUE(module.ok()) << (module.ok() ? "" : module.failure().message);
  for (uint32_t i = 0; i < module->value_count(); ++i) {
    if (module->name_of(ValueId(i)) == name) return UsedParts(*module).Of(ValueId(i));
  }
  ADD_FAILURE() << name;
  return 0;
}

TEST(UsedParts, OfVectorsAndScalars) {
  EXPECT_EQ(UsedOf("", "v"), 0u);
  EXPECT_EQ(UsedOf("  %x = extract 2 %v : f32\n  store $out, %x\n", "v"), 4u);
  EXPECT_EQ(UsedOf("  %x = swizzle xy %v : vec2<f32>\n", "v"), 3u);
  EXPECT_EQ(UsedOf("  %x = swizzle wx %v : vec2<f32>\n  %y = extract 1 %v : f32\n", "v"), 11u);
  EXPECT_EQ(UsedOf("  %x = add %v, %w : vec4<f32>\n", "v"), 15u);
  EXPECT_EQ(UsedOf("", "s"), 0u);
  EXPECT_EQ(UsedOf("  store $out, %s\n", "s"), 1u);
  EXPECT_EQ(UsedOf("  %c = construct %s, 0f : vec2<f32>\n", "s"), 1u);
}

TEST(UsedParts, ThroughStructs) {
  const std::string made = "  %c = construct %v, %w : Both\n";
  EXPECT_EQ(UsedOf(made, "v"), 0u);
  EXPECT_EQ(UsedOf(made + "  %b = extract 1 %c : vec4<f32>\n  %x = extract 3 %b : f32\n", "w"), 8u);
  EXPECT_EQ(UsedOf(made + "  %b = extract 1 %c : vec4<f32>\n  %x = extract 3 %b : f32\n", "v"), 0u);
  EXPECT_EQ(UsedOf(made + "  store $kept, %c\n", "v"), 15u);
  EXPECT_EQ(
      UsedOf("  %c = construct %v, %v : Both\n  %b = extract 1 %c : vec4<f32>\n  %x = extract 0 %b : f32\n"
             "  %a = extract 0 %c : vec4<f32>\n  %y = extract 3 %a : f32\n",
             "v"),
      9u);
}

}  // namespace
}  // namespace lockstep::ir
