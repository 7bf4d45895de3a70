// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls that stay calls: functions with barriers, which run for the whole workgroup, and pointers that are
// out of range where they are passed. The interpreter, as lowered and after the passes, and machine code at
// every lane width must agree, with no call inlined and with the usual ones.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "codegen/llvm/compiler.h"
#include "interp/interpreter.h"
#include "support/run_kernel.h"
#include "support/run_program.h"

namespace lockstep::tests {
namespace {

constexpr ir::InlineOptions kInlineNothing = {0, 0, 0, 0, 0, 0, 500};

// Programs have one buffer, `out`, at group 0, binding 0.
class Calls : public testing::Test {
 protected:
  static void SetUpTestSuite() { compiler_ = LockstepCreateCompiler(); }
  static void TearDownTestSuite() { delete compiler_; }

  static Words RunCompiled(const ir::Module& module, Words out, uint32_t lanes, uint32_t workgroups) {
    codegen::LaneOptions options;
    options.lanes = lanes;
    options.native_lanes = compiler_->native_lanes();
    const auto kernel = compiler_->Compile(module, options, codegen::Emit::kNone, nullptr);
    EXPECT_TRUE(kernel.ok()) << kernel.failure().message;
    if (!kernel.ok()) return {};
    const abi::BufferView view = {reinterpret_cast<std::byte*>(out.data()), out.size() * 4};
    EXPECT_EQ(RunKernel(**kernel, {&view, 1}, workgroups), abi::kDone);
    return out;
  }
  static Words Interpret(const ir::Module& module, const Words& out, uint32_t workgroups) {
    std::map<Slot, Words> buffers = {{{0, 0}, out}};
    EXPECT_EQ(RunModule(module, &buffers, {workgroups, 1, 1}, {}), "");
    return buffers[{0, 0}];
  }

  // What all engines give.
  static Words RunEverywhere(const std::string& text, const Words& out, uint32_t workgroups = 2) {
    Words want;
    for (const bool inlined : {false, true}) {
      const BuiltModule built = BuildModule(text, "", {}, inlined ? ir::InlineOptions() : kInlineNothing);
      EXPECT_EQ(built.error, "");
      if (!built.error.empty()) return {};
      if (!inlined) {
        EXPECT_GT(built.processed->functions.size(), 1u);
        want = Interpret(*built.reference, out, workgroups);
      }
      EXPECT_EQ(Interpret(*built.processed, out, workgroups), want) << "after the passes";
      for (const uint32_t lanes : {1u, 4u, 8u, 16u, 32u, 0u})
        EXPECT_EQ(RunCompiled(*built.processed, out, lanes, workgroups), want)
            << lanes << " lanes" << (inlined ? ", inlined" : "");
    }
    return want;
  }

  static codegen::Compiler* compiler_;
};

codegen::Compiler* Calls::compiler_ = nullptr;

constexpr const char* kHead =
    "@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n"
    "var<workgroup> tile: array<u32, 64>;\n";

// A neighbour's value, through workgroup memory.
constexpr const char* kExchange =
    "fn exchange(l: u32, v: u32) -> u32 {\n"
    "  tile[l] = v;\n  workgroupBarrier();\n  let other = tile[(l + 1) % 20];\n  workgroupBarrier();\n"
    "  return other;\n}\n";

constexpr const char* kMain =
    "@compute @workgroup_size(20)\n"
    "fn main(@builtin(local_invocation_index) l: u32, @builtin(global_invocation_id) g: vec3u) {\n";

std::string Program(std::string_view functions, std::string_view body) {
  return fmt::format("{}{}{}{}{}}}\n", kHead, kExchange, functions, kMain, body);
}

TEST_F(Calls, ResultsOfTwoCallsInOneExpression) {
  const Words out =
      RunEverywhere(Program("", "out[g.x] = exchange(l, l * 3) + exchange(l, l) * 100;"), Words(40, 7));
  ASSERT_EQ(out.size(), 40u);
  for (uint32_t i = 0; i < 40; ++i) {
    const uint32_t next = (i % 20 + 1) % 20;
    EXPECT_EQ(out[i], next * 3 + next * 100);
  }
}

TEST_F(Calls, AValueOfEachInvocationLivesAcrossTheCall) {
  RunEverywhere(Program("",
                        "var x = g.x * 7; let y = vec3u(l, g.x, 5);"
                        "if (l & 1) == 1 { x += 5; }"
                        "let z = exchange(l, x); out[g.x] = x * 1000 + z + y.x + y.y + y.z;"),
                Words(40, 0));
}

TEST_F(Calls, LoopsAroundCallsAndInThem) {
  RunEverywhere(
      Program("fn rounds(l: u32, n: u32, v: u32) -> u32 {\n"
              "  var x = v;\n  for (var i = 0u; i < n; i++) { x = exchange(l, x + i) ^ (x << 1); }\n  return "
              "x;\n}\n",
              "var x = g.x; for (var i = 0u; i < 3; i++) { x += rounds(l, i + 1, x); } out[g.x] = x;"),
      Words(40, 0));
}

TEST_F(Calls, EarlyReturns) {
  RunEverywhere(
      Program("fn early(l: u32, n: u32, v: u32) -> u32 {\n"
              "  if n == 0 { return v + 1; }\n"
              "  let x = exchange(l, v);\n"
              "  if n == 1 { return x * 2; }\n"
              "  loop { let z = exchange(l, n); if n == 3 { return x * z; } break; }\n"
              "  let y = exchange(l, x);\n"
              "  if (l & 3) == 1 { return y * 5; }\n"
              "  for (var i = 0u; i < l; i++) { if i * y > 30 { return i; } }\n"
              "  return y;\n}\n",
              "var x = 0u; for (var n = 0u; n < 5; n++) { x = x * 10 + early(l, n, x + l); } out[g.x] = x;"),
      Words(40, 0));
}

TEST_F(Calls, PointersToVariablesAndWorkgroupMemory) {
  RunEverywhere(
      Program("var<workgroup> sums: array<u32, 20>;\nvar<workgroup> cells: array<u32, 20>;\nvar<private> "
              "seen: array<u32, 3>;\n"
              "fn add(l: u32, to: ptr<function, u32>, s: ptr<private, u32>, cell: ptr<workgroup, u32>,\n"
              "       all: ptr<workgroup, array<u32, 20>>, cell2: ptr<storage, u32, read_write>) {\n"
              "  *to += exchange(l, *to + 3);\n  *cell = *to;\n  *s += 1;  (*all)[l] = *cell + 1;\n  "
              "workgroupBarrier();\n"
              "  *to ^= (*all)[19 - l] + *cell2;\n  workgroupBarrier();\n}\n"
              "fn both(l: u32, g: u32, a: ptr<function, array<u32, 4>>) {\n"
              "  var own = l;\n"
              "  add(l, &(*a)[l & 3], &seen[l % 3], &cells[l], &sums, &out[g]);\n"
              "  add(l, &own, &seen[0], &cells[l], &sums, &out[g]);\n  (*a)[0] += own;\n}\n",
              "var a = array<u32, 4>(1, 2, 3, g.x); both(l, g.x, &a); both(l, g.x, &a);\n"
              "out[g.x] = a[0] + a[1] * 3 + a[2] * 5 + a[3] * 7 + seen[0] + seen[1] * 10 + seen[2] * 100;"),
      Words(40, 9));
}

TEST_F(Calls, UniformLoadsOfWhatIsPassed) {
  RunEverywhere(
      Program("var<workgroup> one: array<u32, 8>;\n"
              "fn first(p: ptr<workgroup, u32>, v: u32, l: u32) -> u32 {\n"
              "  if l == 0 { *p = v; }\n  return workgroupUniformLoad(p);\n}\n"
              "fn same(x: u32) -> u32 { return x + 1; }\n",
              // `same` is called with what differs and with what does not: only its second result is uniform.
              "let d = same(l); let n = first(&one[same(2)], 3, l);\n"
              "var x = d; for (var i = 0u; i < n; i++) { x += exchange(l, x); }\n"
              "if same(n) == 4 { x += first(&one[same(n)], x, l); }\n"
              "out[g.x] = x + workgroupUniformLoad(&one[same(1)]);"),
      Words(40, 0));
}

TEST_F(Calls, ManySizesOfResultsAndParameters) {
  RunEverywhere(
      Program(
          "struct S { a: vec3f, b: mat2x2f, c: array<i32, 3>, d: bool }\n"
          "fn mix(l: u32, s: S, k: bool) -> S {\n"
          "  var r = s;\n  r.a.x += f32(exchange(l, u32(s.c[1])));\n  r.b[1] += r.a.xy;\n"
          "  r.c[exchange(l, l) % 3] += 4;\n  r.d = s.d != k;\n  return r;\n}\n",
          "var s = S(vec3f(f32(l)), mat2x2f(1, 2, 3, 4), array<i32, 3>(1, i32(l), 3), l < 7);\n"
          "s = mix(l, s, true); s = mix(l, s, l > 3);\n"
          "out[g.x] = u32(s.a.x + s.b[1].y * 3) + u32(s.c[0] + s.c[1] * 2 + s.c[2] * 3) + u32(s.d) * 1000;"),
      Words(40, 0));
}

// Over any budget for inlining: 2^20 calls of the lowest.
TEST_F(Calls, AChainOfHelpersThatAreCalledTwiceEach) {
  std::string functions =
      "fn f0(l: u32, x: u32) -> u32 { let n = workgroupUniformLoad(&count); return x + n; }\n";
  for (int i = 1; i <= 20; ++i)
    functions +=
        fmt::format("fn f{0}(l: u32, x: u32) -> u32 {{ return f{1}(l, x) + f{1}(l, x & 1); }}\n", i, i - 1);
  const std::string text =
      Program("var<workgroup> count: u32;\n" + functions, "if l == 0 { count = 3; } out[g.x] = f20(l, l);");
  const BuiltModule built = BuildModule(text);
  ASSERT_EQ(built.error, "");
  const Words out = RunCompiled(*built.processed, Words(20, 0), 0, 1);
  ASSERT_EQ(out.size(), 20u);
  for (uint32_t l = 0; l < 20; ++l) {
    // f(n, x) = f(n-1, x) + f(n-1, x & 1): one leaf keeps x, the others have x & 1.
    const uint32_t leaves = 1u << 20;
    EXPECT_EQ(out[l], leaves * 3 + l + (leaves - 1) * (l & 1));
  }
}

// --- cancelling ---

void ExpectStops(codegen::Compiler* compiler, const std::string& text, const ir::InlineOptions& inlining) {
  const BuiltModule built = BuildModule(text, "", {}, inlining);
  ASSERT_EQ(built.error, "");
  for (const uint32_t lanes : {1u, 8u, 0u}) {
    codegen::LaneOptions options;
    options.lanes = lanes;
    options.native_lanes = compiler->native_lanes();
    const auto kernel = compiler->Compile(*built.processed, options, codegen::Emit::kNone, nullptr);
    ASSERT_TRUE(kernel.ok()) << kernel.failure().message;
    std::vector<std::byte> memory((*kernel)->workgroup_bytes + (*kernel)->frame_bytes + 192);
    std::byte* aligned = memory.data() + (64 - reinterpret_cast<uintptr_t>(memory.data()) % 64) % 64;
    abi::Worker worker{aligned, aligned + ((*kernel)->workgroup_bytes + 63) / 64 * 64, 1};
    Words words(64);
    const abi::BufferView view = {reinterpret_cast<std::byte*>(words.data()), 256};
    std::atomic<uint32_t> cancel = 0;
    abi::Dispatch dispatch;
    dispatch.buffers = &view;
    dispatch.cancel = reinterpret_cast<const volatile uint32_t*>(&cancel);
    std::thread stopper([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      cancel = 1;
    });
    EXPECT_EQ((*kernel)->entry()(&dispatch, &worker, 0, 0, 0), abi::kCancelled);
    stopper.join();
  }
}

TEST_F(Calls, AnEndlessLoopInAFunctionWithBarriersStops) {
  ExpectStops(compiler_,
              Program("fn spin(l: u32, n: u32) -> u32 { var x = l; loop { x += exchange(l, x); if n == 9 { "
                      "return x; } } }\n",
                      "out[g.x] = spin(l, 8);"),
              kInlineNothing);
}

// Without any loop, 2^40 calls.
TEST_F(Calls, AChainOfCallsStops) {
  for (const char* bottom : {"out[x] += x;", "workgroupBarrier();"}) {
    std::string functions = fmt::format("fn f0(x: u32) {{ {} }}\n", bottom);
    for (int i = 1; i <= 40; ++i)
      functions += fmt::format("fn f{0}(x: u32) {{ f{1}(x); f{1}(x + 1); }}\n", i, i - 1);
    ExpectStops(compiler_, Program(functions, "f40(l);"), {});
  }
}

// --- pointers out of range ---

TEST_F(Calls, StoresThroughPointersOutOfRangeDoNothing) {
  const Words out = RunEverywhere(
      Program("fn put(p: ptr<storage, u32, read_write>, v: u32) { *p = v; }\n"
              "fn twice(p: ptr<storage, u32, read_write>, v: u32) { put(p, v); put(p, v + 1); }\n",
              "twice(&out[g.x * 3], g.x + 50);"),
      Words(40, 1));
  ASSERT_EQ(out.size(), 40u);
  for (uint32_t i = 0; i < 40; ++i) EXPECT_EQ(out[i], i % 3 == 0 ? i / 3 + 51 : 1u) << i;
}

TEST_F(Calls, PointersOutOfRangeInEveryAddressSpace) {
  const Words out = RunEverywhere(
      Program("var<private> hidden: array<u32, 4>;\n"
              "fn w(p: ptr<workgroup, u32>, v: u32) -> u32 { let old = *p; *p = v; return old; }\n"
              "fn f(p: ptr<function, u32>, v: u32) -> u32 { let old = *p; *p += v; return old; }\n"
              "fn h(p: ptr<private, u32>, v: u32) -> u32 { let old = *p; *p -= v; return old; }\n"
              "fn s(p: ptr<storage, u32, read_write>) -> u32 { return *p; }\n",
              "var a = array<u32, 4>(10, 20, 30, 40); hidden = a;\n"
              "if l == 0 { tile[63] = 5; }\n workgroupBarrier();\n"
              // The last element is read, and stays as it is.
              "let i = l + 60; var x = 0u; if i != 63 { x = w(&tile[i + u32(i > 63) * 20], l); }\n"
              "workgroupBarrier();\n"
              "let y = f(&a[l], 1) + h(&hidden[i32(l) - 2], 2);\n"
              "out[g.x] = x + y * 10 + (a[3] + hidden[3] * 2) * 1000 + tile[63] * 1000000 + s(&out[g.x + "
              "1000]);"),
      Words(40, 1), 1);
  ASSERT_EQ(out.size(), 40u);
  for (uint32_t l = 0; l < 20; ++l) {
    const uint32_t x = l > 3 ? 5 : 0;
    const uint32_t y = std::array<uint32_t, 4>{10, 20, 30, 40}[std::min(l, 3u)] +
                       std::array<uint32_t, 4>{10, 20, 30, 40}[l < 2 ? 3 : std::min(l - 2, 3u)];
    const uint32_t a3 = l == 3 ? 41 : 40, hidden3 = l == 5 ? 38 : 40;
    EXPECT_EQ(out[l], x + y * 10 + (a3 + hidden3 * 2) * 1000 + 5 * 1000000 + 1) << l;
  }
}

TEST_F(Calls, AtomicsThroughPointersOutOfRangeGiveZero) {
  const std::string text =
      "@group(0) @binding(0) var<storage, read_write> out: array<atomic<u32>>;\n"
      "var<workgroup> shared_count: array<atomic<u32>, 2>;\n"
      "fn add(p: ptr<storage, atomic<u32>, read_write>, q: ptr<workgroup, atomic<u32>>) -> u32 {\n"
      "  return atomicAdd(p, 5) + atomicMax(q, 7) + atomicLoad(q) + atomicExchange(p, 9)\n"
      "    + atomicCompareExchangeWeak(p, 9, 11).old_value;\n}\n"
      "fn both(p: ptr<storage, atomic<u32>, read_write>, i: u32) -> u32 { return add(p, &shared_count[i]); "
      "}\n"
      "@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) g: vec3u) {\n"
      "  let r = both(&out[g.x * 9], g.x * 2);\n  atomicStore(&out[g.x + 1], r);\n}\n";
  const Words out = RunEverywhere(text, Words(8, 3), 2);
  EXPECT_EQ(out, (Words{11, 3 + 0 + 7 + 8 + 9, 0, 3, 3, 3, 3, 3}));
}

TEST_F(Calls, PartsOfArraysOutOfRange) {
  const Words out = RunEverywhere(
      Program("struct Row { cells: array<u32, 4>, more: vec2u }\n"
              "fn fill(r: ptr<function, Row>, j: u32, v: u32) {\n"
              "  (*r).cells[j] = v;\n  (*r).more = vec2u(v, j);\n  fill_row(&(*r).cells, v);\n}\n"
              "fn fill_row(c: ptr<function, array<u32, 4>>, v: u32) { for (var i = 0u; i < 2; i++) { (*c)[i "
              "+ v % 4] ^= v; } }\n",
              "var rows: array<Row, 3>; fill(&rows[l], l % 6, l + 1); fill(&rows[2], 3, 8);\n"
              "var sum = 0u; for (var i = 0u; i < 12; i++) { sum = sum * 3 + rows[i / 4].cells[i % 4]; }\n"
              "out[g.x] = sum + rows[l % 3].more.x;"),
      Words(40, 0));
  ASSERT_EQ(out.size(), 40u);
  // Only rows[2] is there to be filled by lanes past the first three.
  EXPECT_NE(out[0], out[4]);
}

}  // namespace
}  // namespace lockstep::tests
