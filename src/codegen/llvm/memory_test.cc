// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Loads, stores, variables and atomics in every pattern of addresses, against the interpreter.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codegen/llvm/engine_fixture.h"

namespace lockstep::codegen {
namespace {

Words Numbers(uint32_t count, uint32_t seed = 1) {
  Words words;
  for (uint32_t i = 0; i < count; ++i) {
    seed = seed * 747796405u + 2891336453u;
    words.push_back((seed >> 9) ^ seed);
  }
  return words;
}

// out[%o] = in[%i], with `body` that makes %i and %o from %g and %l.
std::string Move(std::string_view body) {
  return KernelText(
      fmt::format("{}  %p = access $in, %i : ptr<storage, read, u32>\n  %v = load %p : u32\n"
                  "  %q = access $out, %o : ptr<storage, read_write, u32>\n  store %q, %v\n",
                  body));
}

TEST(Addresses, SideBySide) {
  RunEverywhere(
      {Move("  %i = add %g, 3u : u32\n  %o = add %g, 0u : u32\n"), {Words(256, 7), Numbers(300)}, {4, 1, 1}});
}

TEST(Addresses, PastTheEndClampAndAreDropped) {
  for (const uint32_t size : {1u, 5u, 63u, 64u, 65u, 127u, 130u, 200u}) {
    RunEverywhere({Move("  %i = add %g, 3u : u32\n  %o = sub %g, 2u : u32\n"),
                   {Words(size, 7), Numbers(size)},
                   {3, 1, 1}});
  }
}

TEST(Addresses, Uniform) {
  RunEverywhere({Move("  %i = add 3u, 4u : u32\n  %o = add 5u, 0u : u32\n"), {Words(16, 7), Numbers(16)}});
}

TEST(Addresses, LastLaneWinsAtOnePlace) {
  const Program program{Move("  %i = add %g, 0u : u32\n  %o = add 5u, 0u : u32\n"),
                        {Words(16, 7), Numbers(64)}};
  EXPECT_EQ(RunEverywhere(program)[0][5], program.buffers[1][63]);
}

TEST(Addresses, Strided) {
  for (const char* stride : {"2u", "3u", "4u", "4294967295u", "4294967294u", "1073741824u"}) {
    const std::string body =
        fmt::format("  %i0 = mul %l, {}u : u32\n  %i = add %i0, 100u : u32\n  %o = sub 99u, %l : u32\n",
                    std::string_view(stride).substr(0, std::string_view(stride).size() - 1));
    RunEverywhere({Move(body), {Words(256, 7), Numbers(300)}});
  }
}

TEST(Addresses, Gathered) {
  const std::string body =
      "  %h = mul %g, 2654435769u : u32\n  %i = shr %h, 25u : u32\n  %o0 = mul %g, 77u : u32\n"
      "  %o = rem %o0, 131u : u32\n";
  RunEverywhere({Move(body), {Words(131, 7), Numbers(100)}, {4, 1, 1}});
}

// A workgroup that its lane groups do not divide.
TEST(Addresses, PartialGroups) {
  for (const char* size : {"1, 1, 1", "3, 1, 1", "10, 1, 1", "33, 1, 1", "5, 3, 2", "7, 9, 1"}) {
    const std::string body =
        "  %p = access $in, %g : ptr<storage, read, u32>\n  %v = load %p : u32\n"
        "  %id = builtin local_invocation_id : vec3<u32>\n  %x = extract 0 %id : u32\n"
        "  %y = extract 1 %id : u32\n  %z = extract 2 %id : u32\n  %y1 = mul %y, 100u : u32\n"
        "  %z1 = mul %z, 10000u : u32\n  %s = add %x, %y1 : u32\n  %s1 = add %s, %z1 : u32\n"
        "  %w = add %v, %s1 : u32\n  %q = access $out, %g : ptr<storage, read_write, u32>\n"
        "  store %q, %w\n";
    RunEverywhere({KernelText(body, size), {Words(400, 7), Numbers(200)}, {2, 2, 1}});
  }
}

TEST(Addresses, StructsAndPadding) {
  const std::string body = R"(  %i = and %g, 15u : u32
  %j = shr %g, 5u : u32
  %p = access $items, %i, 0u : ptr<storage, read_write, vec3<f32>>
  %v = load %p : vec3<f32>
  %w = add %v, %v : vec3<f32>
  store %p, %w
  %pb = access $items, %i, 1u : ptr<storage, read_write, u32>
  store %pb, %g
  %k = and %j, 1u : u32
  %pc = access $items, %i, 2u, %k : ptr<storage, read_write, vec2<u32>>
  %c = load %pc : vec2<u32>
  %c0 = extract 0 %c : u32
  %p1 = access $items, %i, 2u, %k, 1u : ptr<storage, read_write, u32>
  store %p1, %c0
)";
  const std::string kernel = R"(struct Item size 32 align 16 {
  a : vec3<f32> at 0
  b : u32 at 12
  c : array<vec2<u32>, 2> at 16
}
var $items : storage read_write array<Item> group 0 binding 0
fn @main() workgroup_size(16, 1, 1) {
  %g = builtin global_invocation_index : u32
)" + body + "  return\n}\n";
  Words words = Numbers(16 * 8);
  for (uint32_t& word : words) word = 0x3f800000 + (word & 0xffff);
  RunEverywhere({kernel, {words}});
}

// Variables of each invocation, indexed in every way.
TEST(Variables, ArraysOfEachLane) {
  const std::string body = R"(  %a = var : ptr<function, read_write, array<u32, 24>>
  zero_fill %a
  %r = loop @l (%k = 0u) : u32 {
    %done = ge %k, 40u : bool
    if %done { exit @l %k } else { exit }
    %s = add %k, %g : u32
    %i = rem %s, 24u : u32
    %p = access %a, %i : ptr<function, read_write, u32>
    %old = load %p : u32
    %m = mul %old, 3u : u32
    %n = add %m, %k : u32
    store %p, %n
    continue %k
  } continuing (%c : u32) {
    %c1 = add %c, 1u : u32
    next %c1
  }
  %j = mul %g, 5u : u32
  %j1 = rem %j, 24u : u32
  %p1 = access %a, %j1 : ptr<function, read_write, u32>
  %v1 = load %p1 : u32
  %p2 = access %a, 7u : ptr<function, read_write, u32>
  %v2 = load %p2 : u32
  %v = xor %v1, %v2 : u32
  %q = access $out, %g : ptr<storage, read_write, u32>
  store %q, %v
)";
  RunEverywhere({KernelText(body), {Words(128, 7), Words(1, 0)}, {2, 1, 1}});
}

TEST(Variables, PrivateOnesStartAnew) {
  const std::string kernel = KernelText(R"(  %v = load $one : u32
  %w = add %v, %l : u32
  store $one, %w
  %u = load $one : u32
  %q = access $out, %g : ptr<storage, read_write, u32>
  store %q, %u
)",
                                        "64, 1, 1", "var $one : private read_write u32 = 41u");
  EXPECT_EQ(RunEverywhere({kernel, {Words(128, 7), Words(1, 0)}, {2, 1, 1}})[0][64 + 3], 44u);
}

TEST(Variables, LargeCopies) {
  const std::string body = R"(  %a = var : ptr<function, read_write, array<vec4<u32>, 40>>
  zero_fill %a
  %i = rem %g, 40u : u32
  %p = access %a, %i : ptr<function, read_write, vec4<u32>>
  %v = splat %g : vec4<u32>
  store %p, %v
  %b = var : ptr<function, read_write, array<vec4<u32>, 40>>
  copy %b, %a
  %p2 = access %b, %i, 2u : ptr<function, read_write, u32>
  %w = load %p2 : u32
  %p3 = access %b, 3u, 1u : ptr<function, read_write, u32>
  %x = load %p3 : u32
  %y = mul %x, 1000u : u32
  %z = add %y, %w : u32
  %q = access $out, %g : ptr<storage, read_write, u32>
  store %q, %z
)";
  RunEverywhere({KernelText(body), {Words(64, 7), Words(1, 0)}});
}

std::string AtomicText(std::string_view space, std::string_view type, std::string_view body) {
  const bool workgroup = space == "workgroup";
  return fmt::format(
      "var $out : storage read_write array<{0}> group 0 binding 0\n"
      "var $bins : {1} array<atomic<{2}>{3}> {4}\n"
      "fn @main() workgroup_size(64, 1, 1) {{\n  %g = builtin global_invocation_index : u32\n"
      "  %l = builtin local_invocation_index : u32\n  %h0 = mul %g, 2654435769u : u32\n  %h = shr %h0, 7u : "
      "u32\n"
      "  %v = bitcast %h : {2}\n  %odd0 = and %h, 3u : u32\n  %odd = ne %odd0, 1u : bool\n{5}\n  "
      "return\n}}\n",
      type, workgroup ? "workgroup read_write" : "storage read_write", type, workgroup ? ", 16" : "",
      workgroup ? "" : "group 0 binding 1", body);
}

class AtomicRmw : public ::testing::TestWithParam<const char*> {};

// One atomic operation in each invocation: where, guarded or not, its old value used or not.
Program AtomicProgram(std::string_view op, std::string_view type, std::string_view space,
                      std::string_view index, bool guarded, bool used) {
  std::string body =
      fmt::format("  {}\n  %p = access $bins, %i0 : ptr<{}, read_write, atomic<{}>>\n", index, space, type);
  const std::string act = fmt::format("%old = atomic_rmw {} %p, %v : {}\n", op, type);
  const std::string keep = used ? "%old" : "%v";
  if (guarded) {
    body += fmt::format("  %res = if %odd : {} {{\n    {}    exit {}\n  }} else {{\n    exit %v\n  }}\n",
                        type, act, keep);
  } else {
    body += fmt::format("  {}  %res = add {}, {} : {}\n", act, keep, keep, type);
  }
  body += fmt::format("  %q = access $out, %g : ptr<storage, read_write, {}>\n  store %q, %res\n", type);
  if (space == "storage") return {AtomicText(space, type, body), {Words(256, 7), Numbers(16)}, {2, 1, 1}};
  body += fmt::format(
      "  barrier workgroup\n  %e = and %l, 15u : u32\n"
      "  %pe = access $bins, %e : ptr<workgroup, read_write, atomic<{0}>>\n  %end = atomic_load %pe : {0}\n"
      "  %qi = add %g, 128u : u32\n  %qe = access $out, %qi : ptr<storage, read_write, {0}>\n  store %qe, "
      "%end\n",
      type);
  return {AtomicText(space, type, body), {Words(256, 7)}, {2, 1, 1}};
}

TEST_P(AtomicRmw, OldValuesAndMemory) {
  const std::string_view op = GetParam();
  const std::string_view type = op == "max" || op == "sub" ? "i32" : "u32";
  for (const char* index : {"%i0 = and %h, 15u : u32", "%i0 = add 3u, 0u : u32", "%i0 = and %l, 15u : u32"}) {
    for (const bool guarded : {false, true}) {
      for (const bool used : {false, true}) {
        RunEverywhere(
            AtomicProgram(op, type, guarded == used ? "workgroup" : "storage", index, guarded, used),
            {{1, 8}, {8, 8}, {16, 8}});
        if (HasFailure()) return;
      }
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Ops, AtomicRmw,
                         ::testing::Values("add", "sub", "max", "min", "and", "or", "xor", "exchange"));

TEST(Atomics, AppendGivesEachInvocationItsOwnPlace) {
  const std::string body = R"(  if %odd {
    %p = access $bins, 0u : ptr<storage, read_write, atomic<u32>>
    %at = atomic_rmw add %p, 1u : u32
    %q = access $out, %at : ptr<storage, read_write, u32>
    store %q, %g
    exit
  } else {
    exit
  }
)";
  RunEverywhere({AtomicText("storage", "u32", body), {Words(256, 7), {0}}, {4, 1, 1}});
}

std::string ExchangeBody(std::string_view space) {
  return fmt::format(R"(  %i = and %h, 3u : u32
  %p = access $bins, %i : ptr<{}, read_write, atomic<u32>>
  %r = loop @l (%tries = 0u) : u32 {{
    %old = atomic_load %p : u32
    %new = add %old, %l : u32
    %was, %done = atomic_cmpxchg %p, %old, %new : u32, bool
    if %done {{ exit @l %was }} else {{ exit }}
    continue %tries
  }} continuing (%t : u32) {{
    %t1 = add %t, 1u : u32
    next %t1
  }}
  %q = access $out, %g : ptr<storage, read_write, u32>
  store %q, %r
)",
                     space);
}

// Which invocation goes first may differ by width; the sum that each bin ends with may not.
TEST(Atomics, CompareExchangeRetries) {
  for (const uint32_t lanes : {1u, 4u, 8u, 16u, 32u}) {
    for (const bool weak : {false, true}) {
      LaneOptions options;
      options.lanes = lanes;
      options.weak_failures = weak;
      Program program{
          AtomicText("storage", "u32", ExchangeBody("storage")), {Words(256, 7), {0, 0, 0, 0}}, {4, 1, 1}};
      program.weak_failure_seed = weak ? 99 : 0;
      EXPECT_EQ(RunCompiled(program, options)[1], RunInterpreter(program)[1]) << lanes << weak;
    }
  }
}

}  // namespace
}  // namespace lockstep::codegen
