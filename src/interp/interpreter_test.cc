// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "interp/interpreter.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <set>
#include <string>
#include <vector>

#include "ir/printer.h"
#include "ir/verifier.h"

namespace lockstep::interp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Words = std::vector<uint32_t>;

// Runs `text` on one buffer; the buffer afterwards, or the failure.
struct Outcome {
  Words out;
  std::string failure;
};

Outcome RunText(std::string_view text, Words out, const Options& options = {},
                std::array<uint32_t, 3> workgroups = {1, 1, 1}) {
  const Result<ir::Module> module = ir::Parse(text);
  if (!module.ok()) return {{}, module.failure().message};
  EXPECT_EQ(ir::Verify(*module), "");
  const abi::BufferView view = {reinterpret_cast<std::byte*>(out.data()), out.size() * 4};
  const Result<> result = Run(*module, {&view, 1}, workgroups, options);
  return {out, result.ok() ? "" : result.failure().message};
}

// A program with `body` in front of the stores of its results to out[0], out[1] ...
std::string Program(std::string_view body, std::string_view workgroup = "1, 1, 1",
                    std::string_view globals = "") {
  return fmt::format(
      "var $out : storage read_write array<u32> group 0 binding 0\n{}\n"
      "fn @main() workgroup_size({}) {{\n{}\n  return\n}}\n",
      globals, workgroup, body);
}

std::string StoreAt(int index, std::string_view value) {
  return fmt::format("  %p{0} = access $out, {0}u : ptr<storage, read_write, u32>\n  store %p{0}, {1}\n",
                     index, value);
}

// One operation on constants, as bits.
uint32_t Evaluate(std::string_view operation, std::string_view type) {
  std::string body = fmt::format("  %r = {} : {}\n", operation, type);
  if (type == "bool")
    body += "  %b = convert %r : u32\n";
  else if (type == "u32")
    body += "  %b = or %r, 0u : u32\n";
  else
    body += "  %b = bitcast %r : u32\n";
  const Outcome outcome = RunText(Program(body + StoreAt(0, "%b")), {0xdeadbeef});
  EXPECT_EQ(outcome.failure, "") << operation;
  return outcome.out.empty() ? 0xdeadbeef : outcome.out[0];
}

TEST(Textures, MustBeBound) {
  EXPECT_EQ(RunText(Program("", "1, 1, 1", "var $image : handle read texture_2d<f32> group 0 binding 1"), {0})
                .failure,
            "no texture is bound for 'image'");
}

TEST(Interpreter, IntegerCorners) {
  constexpr uint32_t kMin = 0x80000000;
  EXPECT_EQ(Evaluate("div 7u, 0u", "u32"), 7u);
  EXPECT_EQ(Evaluate("rem 7u, 0u", "u32"), 0u);
  EXPECT_EQ(Evaluate("div -7i, 0i", "i32"), static_cast<uint32_t>(-7));
  EXPECT_EQ(Evaluate("div -2147483648i, -1i", "i32"), kMin);
  EXPECT_EQ(Evaluate("rem -2147483648i, -1i", "i32"), 0u);
  EXPECT_EQ(Evaluate("rem -7i, 3i", "i32"), static_cast<uint32_t>(-1));
  EXPECT_EQ(Evaluate("add -2147483648i, -1i", "i32"), 0x7fffffffu);
  EXPECT_EQ(Evaluate("abs -2147483648i", "i32"), kMin);
  EXPECT_EQ(Evaluate("neg -2147483648i", "i32"), kMin);
  EXPECT_EQ(Evaluate("shl 1u, 33u", "u32"), 2u);
  EXPECT_EQ(Evaluate("shr -8i, 1u", "i32"), static_cast<uint32_t>(-4));
  EXPECT_EQ(Evaluate("shr 2147483648u, 31u", "u32"), 1u);
  EXPECT_EQ(Evaluate("mul_high 4294967295u, 4294967295u", "u32"), 0xfffffffeu);
  EXPECT_EQ(Evaluate("mul_high -1i, 2i", "i32"), 0xffffffffu);
  EXPECT_EQ(Evaluate("lt -1i, 1i", "bool"), 1u);
  EXPECT_EQ(Evaluate("lt 4294967295u, 1u", "bool"), 0u);
  EXPECT_EQ(Evaluate("min -1i, 1i", "i32"), 0xffffffffu);
  EXPECT_EQ(Evaluate("count_leading_zeros 0u", "u32"), 32u);
  EXPECT_EQ(Evaluate("count_trailing_zeros 0u", "u32"), 32u);
  EXPECT_EQ(Evaluate("count_one_bits 255u", "u32"), 8u);
  EXPECT_EQ(Evaluate("reverse_bits 1u", "u32"), kMin);
  EXPECT_EQ(Evaluate("not true", "bool"), 0u);
  EXPECT_EQ(Evaluate("not 0u", "u32"), 0xffffffffu);
}

TEST(Interpreter, FloatCorners) {
  const auto bits = [](float v) { return std::bit_cast<uint32_t>(v); };
  EXPECT_EQ(Evaluate("min f32(0x7fc00000), 1f", "f32"), bits(1));
  EXPECT_EQ(Evaluate("max 1f, f32(0x7fc00000)", "f32"), bits(1));
  EXPECT_EQ(Evaluate("round_even 2.5f", "f32"), bits(2));
  EXPECT_EQ(Evaluate("round_even -3.5f", "f32"), bits(-4));
  EXPECT_EQ(Evaluate("rem -5.5f, 2f", "f32"), bits(-1.5));
  EXPECT_EQ(Evaluate("fma 16777216f, 16777216f, -1f", "f32"), bits(281474976710656.0f));
  EXPECT_EQ(Evaluate("convert 3000000000f", "i32"), 2147483520u);
  EXPECT_EQ(Evaluate("convert -1.5f", "u32"), 0u);
  EXPECT_EQ(Evaluate("convert 5000000000f", "u32"), 4294967040u);
  EXPECT_EQ(Evaluate("convert f32(0x7fc00000)", "i32"), 0u);
  EXPECT_EQ(Evaluate("convert -0f", "bool"), 0u);
  EXPECT_EQ(Evaluate("convert 4294967295u", "f32"), bits(4294967296.0f));
  EXPECT_EQ(Evaluate("quantize_f16 65519f", "f32"), bits(65504));
  EXPECT_EQ(Evaluate("quantize_f16 0.1f", "f32"), bits(0.0999755859375f));
  EXPECT_EQ(Evaluate("sqrt 2f", "f32"), bits(1.41421354f));
  EXPECT_EQ(Evaluate("eq f32(0x7fc00000), f32(0x7fc00000)", "bool"), 0u);
}

TEST(Interpreter, BytesAndHalves) {
  EXPECT_EQ(Evaluate("dot4_i8 4278255617u, 33686018u", "i32"), static_cast<uint32_t>(2 + 2 - 2 - 2 + 2));
  EXPECT_EQ(Evaluate("dot4_u8 4294967295u, 4294967295u", "u32"), 4u * 255 * 255);
  EXPECT_EQ(Evaluate("pack_half vec2<f32>(1f, -2f)", "u32"), 0xc0003c00u);
}

TEST(Interpreter, LoopAssignsItsParametersAtOnce) {
  const Outcome outcome = RunText(Program(R"(
  %r, %s = loop @l (%a = 1u, %b = 2u, %n = 0u) : u32, u32 {
    %done = eq %n, 3u : bool
    if %done { exit @l %a, %b } else { exit }
    continue %a, %b, %n
  } continuing (%x : u32, %y : u32, %m : u32) {
    %m1 = add %m, 1u : u32
    next %y, %x, %m1
  }
)" + StoreAt(0, "%r") + StoreAt(1, "%s")),
                                  {0, 0});
  EXPECT_EQ(outcome.failure, "");
  EXPECT_THAT(outcome.out, ElementsAre(2, 1));
}

TEST(Interpreter, BarriersLetInvocationsExchange) {
  const Outcome outcome = RunText(Program(R"(
  %l = builtin local_invocation_index : u32
  %t = access $tile, %l : ptr<workgroup, read_write, u32>
  %v = mul %l, 10u : u32
  store %t, %v
  barrier workgroup
  %other = sub 3u, %l : u32
  %t2 = access $tile, %other : ptr<workgroup, read_write, u32>
  %w = load %t2 : u32
  %o = access $out, %l : ptr<storage, read_write, u32>
  store %o, %w
)",
                                          "4, 1, 1", "var $tile : workgroup read_write array<u32, 4>"),
                                  {9, 9, 9, 9});
  EXPECT_EQ(outcome.failure, "");
  EXPECT_THAT(outcome.out, ElementsAre(30, 20, 10, 0));
}

TEST(Interpreter, UniformLoadReadsBeforeAnyoneWritesAgain) {
  const Outcome outcome = RunText(Program(R"(
  %l = builtin local_invocation_index : u32
  store $shared, 7u
  %v = uniform_load $shared : u32
  store $shared, 100u
  %o = access $out, %l : ptr<storage, read_write, u32>
  store %o, %v
)",
                                          "4, 1, 1", "var $shared : workgroup read_write u32"),
                                  {9, 9, 9, 9});
  EXPECT_EQ(outcome.failure, "");
  EXPECT_THAT(outcome.out, ElementsAre(7, 7, 7, 7));
}

TEST(Interpreter, BarrierThatSomeMissIsReported) {
  const Outcome outcome = RunText(Program(R"(
  %l = builtin local_invocation_index : u32
  %c = lt %l, 2u : bool
  if %c {
    barrier workgroup
    exit
  } else {
    exit
  }
)",
                                          "4, 1, 1"),
                                  {0});
  EXPECT_THAT(outcome.failure, HasSubstr("2 of 4 invocations reach a barrier"));
}

TEST(Interpreter, RobustPolicy) {
  const std::string program = Program(R"(
  %p = access $out, 77u : ptr<storage, read_write, u32>
  %v = load %p : u32
  store %p, 5u
)" + StoreAt(0, "%v"));
  const Outcome outcome = RunText(program, {1, 2, 3});
  EXPECT_EQ(outcome.failure, "");
  EXPECT_THAT(outcome.out, ElementsAre(3, 2, 3));
  Options strict;
  strict.expect_robust = true;
  EXPECT_THAT(RunText(program, {1, 2, 3}, strict).failure, HasSubstr("out of range of variable 'out'"));
}

TEST(Interpreter, GuardedStoreOutOfRangeIsFine) {
  Options strict;
  strict.expect_robust = true;
  const Outcome outcome = RunText(Program(R"(
  %p = access $out, 77u : ptr<storage, read_write, u32>
  store %p, 5u, false
)"),
                                  {1}, strict);
  EXPECT_EQ(outcome.failure, "");
}

TEST(Interpreter, StopsAtItsLimits) {
  const std::string endless =
      Program("  loop { continue } continuing { next }\n  unreachable\n}\nfn @f() {\n");
  Options options;
  options.max_steps = 1000;
  EXPECT_THAT(RunText(endless, {0}, options).failure, HasSubstr("limit of steps"));
  const volatile uint32_t cancel = 1;
  Options cancelled;
  cancelled.cancel = &cancel;
  EXPECT_THAT(RunText(endless, {0}, cancelled).failure, HasSubstr("cancelled"));
}

TEST(Interpreter, CompareExchangeFailsSpuriouslyOnlyWhenAsked) {
  const std::string program = R"(var $out : storage read_write array<atomic<u32>> group 0 binding 0
fn @main() workgroup_size(64, 1, 1) {
  %p = access $out, 0u : ptr<storage, read_write, atomic<u32>>
  %v = atomic_load %p : u32
  %next = add %v, 1u : u32
  %old, %done = atomic_cmpxchg %p, %v, %next : u32, bool
  %q = access $out, 1u : ptr<storage, read_write, atomic<u32>>
  %n = convert %done : u32
  %before = atomic_rmw add %q, %n : u32
  return
}
)";
  EXPECT_THAT(RunText(program, {0, 0}).out, ElementsAre(64, 64));
  Options weak;
  weak.weak_failure_seed = 1;
  const Outcome outcome = RunText(program, {0, 0}, weak);
  EXPECT_EQ(outcome.out[0], outcome.out[1]);
  EXPECT_LT(outcome.out[0], 64u);
  EXPECT_GT(outcome.out[0], 16u);
}

// out[1]: how many others came between an invocation's two accesses.
constexpr const char* kBetween = R"(var $out : storage read_write array<atomic<u32>> group 0 binding 0
fn @main() workgroup_size(1, 1, 1) {
  %p = access $out, 0u : ptr<storage, read_write, atomic<u32>>
  %before = atomic_rmw add %p, 1u : u32
  %after = atomic_load %p : u32
  %own = add %before, 1u : u32
  %others = sub %after, %own : u32
  %q = access $out, 1u : ptr<storage, read_write, atomic<u32>>
  %old = atomic_rmw add %q, %others : u32
  return
}
)";

TEST(Interpreter, WorkgroupsTakeTurnsInTheMiddle) {
  EXPECT_THAT(RunText(kBetween, {0, 0}, {}, {8, 1, 1}).out, ElementsAre(8, 0));
  std::set<uint32_t> others;
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    Options options;
    options.schedule_seed = seed;
    const Outcome outcome = RunText(kBetween, {0, 0}, options, {2, 2, 2});
    EXPECT_EQ(outcome.out[0], 8u);
    EXPECT_EQ(RunText(kBetween, {0, 0}, options, {2, 2, 2}).out, outcome.out);
    others.insert(outcome.out[1]);
  }
  EXPECT_GT(others.size(), 2u);
}

// Every invocation waits until all of them have come.
std::string Meeting(uint32_t all, std::string_view globals, std::string_view body) {
  return fmt::format(
      "var $out : storage read_write array<atomic<u32>> group 0 binding 0\n{}\n"
      "fn @main() workgroup_size(1, 1, 1) {{\n{}\n"
      "  %p = access $out, 0u : ptr<storage, read_write, atomic<u32>>\n"
      "  %before = atomic_rmw add %p, 1u : u32\n"
      "  loop @wait {{\n    %now = atomic_load %p : u32\n    %all = eq %now, {}u : bool\n"
      "    if %all {{ exit @wait }} else {{ exit }}\n    continue\n"
      "  }} continuing {{ next }}\n  return\n}}\n",
      globals, body, all);
}

TEST(Interpreter, WorkgroupsThatWaitForEachOtherMeet) {
  Options options;
  options.max_steps = 100000;
  EXPECT_THAT(RunText(Meeting(30, "", ""), {0}, options, {30, 1, 1}).failure, HasSubstr("limit of steps"));
  options.schedule_seed = 1;
  EXPECT_EQ(RunText(Meeting(30, "", ""), {0}, options, {30, 1, 1}).failure, "");
}

// Of workgroups with 4 MiB each fewer than 30 run at once.
TEST(Interpreter, TurnsTakeABoundedAmountOfMemory) {
  Options options;
  options.max_steps = 10000;
  options.schedule_seed = 1;
  const std::string globals = "var $big : workgroup read_write array<u32, 1048576>";
  const std::string body = "  %b = access $big, 5u : ptr<workgroup, read_write, u32>\n  store %b, 1u";
  const Outcome all = RunText(Meeting(30, globals, body), {0}, options, {30, 1, 1});
  EXPECT_THAT(all.failure, HasSubstr("limit of steps"));
  EXPECT_LE(all.out[0], 16u);
  EXPECT_EQ(RunText(Meeting(1, globals, body), {0}, options, {1, 1, 1}).failure, "");
}

TEST(Interpreter, BuiltinsOverAGrid) {
  const std::string program = Program(R"(
  %i = builtin global_invocation_index : u32
  %g = builtin global_invocation_id : vec3<u32>
  %w = builtin workgroup_index : u32
  %gx = extract 0 %g : u32
  %gy = extract 1 %g : u32
  %a = mul %gx, 100u : u32
  %b = mul %gy, 10u : u32
  %c = add %a, %b : u32
  %d = add %c, %w : u32
  %o = access $out, %i : ptr<storage, read_write, u32>
  store %o, %d
)",
                                      "2, 1, 1");
  const Outcome outcome = RunText(program, Words(8, 0), {}, {2, 2, 1});
  EXPECT_EQ(outcome.failure, "");
  EXPECT_THAT(outcome.out, ElementsAre(0, 100, 201, 301, 12, 112, 213, 313));
}

TEST(Interpreter, PaddingStaysAsItIs) {
  const Outcome outcome = RunText(R"(struct S size 32 align 16 {
  a : vec3<f32> at 0
  b : u32 at 16
}
var $out : storage read_write S group 0 binding 0
fn @main() workgroup_size(1, 1, 1) {
  %v = construct vec3<f32>(1f, 1f, 1f), 5u : S
  store $out, %v
  return
}
)",
                                  Words(8, 0xeeeeeeee));
  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.out[2], std::bit_cast<uint32_t>(1.0f));
  EXPECT_EQ(outcome.out[3], 0xeeeeeeeeu);
  EXPECT_EQ(outcome.out[4], 5u);
  EXPECT_EQ(outcome.out[5], 0xeeeeeeeeu);
}

TEST(Interpreter, CallsKeepTheirOwnFrames) {
  const Outcome outcome = RunText(R"(var $out : storage read_write array<u32> group 0 binding 0
fn @bump(%p : ptr<function, read_write, u32>, %by : u32) : u32 {
  %mine = var : ptr<function, read_write, u32>
  store %mine, %by
  %old = load %p : u32
  %m = load %mine : u32
  %new = add %old, %m : u32
  store %p, %new
  return %old
}
fn @main() workgroup_size(1, 1, 1) {
  %mine = var : ptr<function, read_write, u32>
  store %mine, 10u
  %a = call @bump %mine, 5u : u32
  %b = call @bump %mine, 7u : u32
  %c = load %mine : u32
  %p0 = access $out, 0u : ptr<storage, read_write, u32>
  store %p0, %a
  %p1 = access $out, 1u : ptr<storage, read_write, u32>
  store %p1, %b
  %p2 = access $out, 2u : ptr<storage, read_write, u32>
  store %p2, %c
  return
}
)",
                                  {0, 0, 0});
  EXPECT_EQ(outcome.failure, "");
  EXPECT_THAT(outcome.out, ElementsAre(10, 15, 22));
}

// Each function calls the next one; the last one holds a variable of `words`.
std::string Chain(int functions, uint32_t words) {
  std::string text = "var $out : storage read_write array<u32> group 0 binding 0\n";
  text += fmt::format("fn @f{}(%x : u32) : u32 {{\n  %v = var : ptr<function, read_write, array<u32, {}>>\n",
                      functions, words);
  text += "  %y = add %x, 1u : u32\n  return %y\n}\n";
  for (int i = functions - 1; i >= 0; --i) {
    text += fmt::format(
        "fn @f{}(%x : u32) : u32 {{\n  %y = add %x, 1u : u32\n  %r = call @f{} %y : u32\n  return %r\n}}\n",
        i, i + 1);
  }
  return text +
         "fn @main() workgroup_size(1, 1, 1) {\n  %r = call @f0 5u : u32\n"
         "  %p = access $out, 0u : ptr<storage, read_write, u32>\n  store %p, %r\n  return\n}\n";
}

TEST(Calls, NestAsDeepAsTheProgramHasFunctions) {
  const Outcome run = RunText(Chain(10000, 1), {0});
  EXPECT_EQ(run.failure, "");
  EXPECT_THAT(run.out, ElementsAre(10006));
}

// The variable alone would fit.
TEST(Calls, TakeBoundedMemory) {
  const Outcome run = RunText(Chain(1000, 268'435'000), {0});
  EXPECT_EQ(run.failure, "the calls that run take more than 1 GiB in the interpreter, 1001 deep in 'f1000'");
}

}  // namespace
}  // namespace lockstep::interp
