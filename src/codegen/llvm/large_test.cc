// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Functions so large that LLVM gets fewer passes for them (optimize.cc): the results stay the same.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "codegen/llvm/engine_fixture.h"

namespace lockstep::codegen {
namespace {

const std::vector<Width> kWidths = {{1, 8}, {8, 8}, {32, 8}};

Words Inputs() {
  Words in;
  for (uint32_t i = 0; i < 64; ++i) in.push_back(i * 2654435761u);
  return in;
}

TEST(Large, OneLongBlock) {
  std::string body = "  %x0 = add %g, 1u : u32\n";
  for (int i = 0; i < 700; ++i) {
    body += fmt::format(
        "  %i{0} = and %x{0}, 63u : u32\n  %p{0} = access $in, %i{0} : ptr<storage, read, u32>\n"
        "  %v{0} = load %p{0} : u32\n  %m{0} = mul %v{0}, 3u : u32\n  %x{1} = xor %m{0}, {0}u : u32\n",
        i, i + 1);
  }
  body += "  %q = access $out, %g : ptr<storage, read_write, u32>\n  store %q, %x700\n";
  RunEverywhere({KernelText(body), {Words(128, 0), Inputs()}, {2, 1, 1}}, kWidths);
}

TEST(Large, ManyBarriers) {
  std::string body =
      "  %x0 = add %g, 1u : u32\n  %own = access $tile, %l : ptr<workgroup, read_write, u32>\n";
  for (int i = 0; i < 120; ++i) {
    body += fmt::format(
        "  store %own, %x{0}\n  barrier workgroup\n  %a{0} = add %l, {0}u : u32\n"
        "  %i{0} = and %a{0}, 63u : u32\n  %p{0} = access $tile, %i{0} : ptr<workgroup, read_write, u32>\n"
        "  %v{0} = load %p{0} : u32\n  %x{1} = add %x{0}, %v{0} : u32\n  barrier workgroup\n",
        i, i + 1);
  }
  body += "  %q = access $out, %g : ptr<storage, read_write, u32>\n  store %q, %x120\n";
  RunEverywhere({KernelText(body, "64, 1, 1", "var $tile : workgroup read_write array<u32, 64>"),
                 {Words(128, 0), Inputs()},
                 {2, 1, 1}},
                kWidths);
}

TEST(Large, ManyEarlyReturns) {
  std::string text =
      "var $out : storage read_write array<u32> group 0 binding 0\n"
      "fn @f(%x : u32) : u32 {\n";
  for (int i = 0; i < 600; ++i) {
    text +=
        fmt::format("  %c{0} = eq %x, {1}u : bool\n  if %c{0} {{ return {0}u }} else {{ exit }}\n", i, i * 3);
  }
  text +=
      "  return %x\n}\nfn @main() workgroup_size(64, 1, 1) {\n"
      "  %g = builtin global_invocation_index : u32\n  %y = mul %g, 7u : u32\n  %r = call @f %y : u32\n"
      "  %q = access $out, %g : ptr<storage, read_write, u32>\n  store %q, %r\n  return\n}\n";
  const Words out = RunEverywhere({text, {Words(128, 9)}, {2, 1, 1}}, kWidths).at(0);
  for (uint32_t g = 0; g < 128; ++g) EXPECT_EQ(out[g], g % 3 == 0 ? g * 7 / 3 : g * 7);
}

// None of them large, all of them together.
TEST(Large, ManyFunctions) {
  std::string text = "var $out : storage read_write array<u32> group 0 binding 0\n";
  std::string body = "  %x0 = builtin global_invocation_index : u32\n";
  for (uint32_t f = 0; f < 160; ++f) {
    text += fmt::format("fn @f{}(%x0 : u32) : u32 {{\n", f);
    for (uint32_t i = 0; i < 130; ++i) {
      text += fmt::format("  %m{0} = mul %x{0}, {2}u : u32\n  %x{1} = xor %m{0}, {3}u : u32\n", i, i + 1,
                          2 * (i + f) + 3, i * 2654435761u);
    }
    text += "  return %x130\n}\n";
    body += fmt::format("  %y{0} = call @f{0} %x{0} : u32\n  %x{1} = call @f{0} %y{0} : u32\n", f, f + 1);
  }
  text += "fn @main() workgroup_size(64, 1, 1) {\n" + body +
          "  %q = access $out, %x0 : ptr<storage, read_write, u32>\n  store %q, %x160\n  return\n}\n";
  RunEverywhere({text, {Words(128, 9)}, {2, 1, 1}}, {{32, 8}});
}

// An access a lane, and nothing tells the schedulers which of them meet (target.cc, BoundScheduling).
TEST(Large, ManyScattersInABlock) {
  std::string body =
      "  %a = var : ptr<function, read_write, array<u32, 64>>\n  store %a, array<u32, 64>()\n  %x0 = add %g, "
      "1u : u32\n";
  for (uint32_t i = 0; i < 100; ++i) {
    body += fmt::format(
        "  %i{0} = and %x{0}, 63u : u32\n  %p{0} = access %a, %i{0} : ptr<function, read_write, u32>\n"
        "  store %p{0}, %x{0}\n  %m{0} = mul %x{0}, 2654435761u : u32\n  %s{0} = shr %m{0}, 9u : u32\n"
        "  %j{0} = and %s{0}, 63u : u32\n  %q{0} = access %a, %j{0} : ptr<function, read_write, u32>\n"
        "  %v{0} = load %q{0} : u32\n  %x{1} = add %s{0}, %v{0} : u32\n",
        i, i + 1);
  }
  body += "  %q = access $out, %g : ptr<storage, read_write, u32>\n  store %q, %x100\n";
  RunEverywhere({KernelText(body), {Words(128, 0), Inputs()}, {2, 1, 1}}, kWidths);
}

}  // namespace
}  // namespace lockstep::codegen
