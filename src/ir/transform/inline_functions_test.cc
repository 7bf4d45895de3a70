// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/transform/inline_functions.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ir/printer.h"
#include "ir/transform/pipeline.h"
#include "ir/transform/rewrite.h"
#include "ir/verifier.h"

namespace lockstep::ir {
namespace {

// f0 does `leaf`, and each function calls the one before it twice: 2^levels leaves where all is inlined.
Module Chain(uint32_t levels, std::string_view leaf) {
  std::string text = "var $w : workgroup read_write array<u32, 64>\n";
  text += fmt::format("fn @f0(%p : ptr<workgroup, read_write, u32>, %x : u32) {{\n{}\nreturn\n}}\n", leaf);
  for (uint32_t i = 1; i <= levels; ++i) {
    text += fmt::format(
        "fn @f{}(%p : ptr<workgroup, read_write, u32>, %x : u32) {{\n"
        "call @f{} %p, %x\n%y = add %x, {}u : u32\ncall @f{} %p, %y\nreturn\n}}\n",
        i, i - 1, i, i - 1);
  }
  text += fmt::format(
      "fn @main() workgroup_size(64, 1, 1) {{\n%p = access $w, 3u : ptr<workgroup, read_write, u32>\n"
      "call @f{} %p, 5u\nreturn\n}}\n",
      levels);
  Result<Module> m = Parse(text);
  EXPECT_TRUE(m.ok()) << m.failure().message;
  EXPECT_EQ(Verify(*m), "");
  return *m;
}

uint32_t Size(const Module& m) {
  uint32_t size = 0;
  for (const Function& f : m.functions) size += CountInsts(m, f.body);
  return size;
}

TEST(InlineFunctions, LeavesNoCallInAShortChain) {
  Module m = Chain(6, "barrier workgroup\nstore %p, %x");
  InlineFunctions(m);
  EXPECT_EQ(Verify(m), "");
  EXPECT_EQ(m.functions.size(), 1u);
}

TEST(InlineFunctions, AChainOfHelpersCalledTwiceDoesNotExplode) {
  Module m = Chain(60, "barrier workgroup\nstore %p, %x");
  InlineFunctions(m);
  EXPECT_EQ(Verify(m), "");
  EXPECT_GT(m.functions.size(), 1u);
  EXPECT_LT(Size(m), 20'000u);
}

TEST(InlineFunctions, StopsAtItsBudget) {
  InlineOptions options;
  options.pointer_growth = 100;
  Module m = Chain(10, "store %p, %x");
  InlineFunctions(m, options);
  EXPECT_EQ(Verify(m), "");
  EXPECT_GT(m.functions.size(), 1u);
  EXPECT_LT(Size(m), 250u);
}

// A call chain as deep as the program is long: wrappers nest up to the limit, then calls stay.
TEST(InlineFunctions, DoesNotNestWithoutBound) {
  std::string text =
      "fn @f0(%x : u32) : u32 {\n%c = lt %x, 5u : bool\nif %c { return 1u } else { exit }\nreturn %x\n}\n";
  for (uint32_t i = 1; i < 3000; ++i) {
    text += fmt::format(
        "fn @f{}(%x : u32) : u32 {{\n%c = lt %x, {}u : bool\nif %c {{ %r = call @f{} %x : u32\n return %r }} "
        "else {{ exit }}\n"
        "return %x\n}}\n",
        i, i, i - 1);
  }
  text +=
      "fn @main() workgroup_size(1, 1, 1) {\n%l = builtin local_invocation_index : u32\n"
      "%r = call @f2999 %l : u32\nreturn\n}\n";
  Result<Module> m = Parse(text);
  ASSERT_TRUE(m.ok()) << m.failure().message;
  InlineFunctions(*m);
  EXPECT_EQ(Verify(*m), "");
  for (const Function& f : m->functions) EXPECT_LE(RegionDepth(*m, f.body), InlineOptions().max_depth);
  std::string problem;
  PipelineOptions options;
  options.after_pass = [&](std::string_view pass, const Module& module) {
    if (problem.empty()) problem = Verify(module).empty() ? "" : fmt::format("{}: {}", pass, Verify(module));
  };
  RunCpuPipeline(*m, options);
  EXPECT_EQ(problem, "");
}

}  // namespace
}  // namespace lockstep::ir
