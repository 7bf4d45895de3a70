// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Control flow, barriers, calls and cancelling: random kernels and chosen ones, against the interpreter.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "codegen/llvm/engine_fixture.h"
#include "codegen/spmd/random_kernel.h"
#include "ir/printer.h"

namespace lockstep::codegen {
namespace {

TEST(Control, RandomKernels) {
  for (uint32_t seed = 0; seed < 60 && !testing::Test::HasFailure(); ++seed) {
    const uint32_t sizes[] = {1, 3, 8, 16, 20, 32, 13, 64};
    const uint32_t invocations = sizes[seed % 8];
    const ir::Module module = RandomKernel(seed, invocations).Make();
    Program program;
    program.module = &module;
    program.text = ir::Print(module);
    program.workgroups = {2, 1, 1};
    Words in;
    for (uint32_t i = 0; i < RandomKernel::kInputs; ++i) in.push_back((i * 2654435761u) >> 27);
    program.buffers = {in, Words(size_t{invocations} * 2 * RandomKernel::kOutputs, 0),
                       Words(RandomKernel::kSums, 0)};
    program.pipeline = seed % 2 == 0;
    SCOPED_TRACE(seed);
    RunEverywhere(program, seed % 3 == 0 ? kAllWidths : std::vector<Width>{{4, 8}, {8, 8}, {16, 8}});
  }
}

// The prices' ranks: two barriers in a loop, a tile, a divergent store.
TEST(Control, TiledLoopWithBarriers) {
  const std::string body = R"(  %n = array_length $in : u32
  %pm = access $in, %g : ptr<storage, read, u32>
  %mine = load %pm : u32
  %r = loop @tiles (%start = 0u, %count = 0u) : u32 {
    %done = ge %start, %n : bool
    if %done { exit @tiles %count } else { exit }
    %at = add %start, %l : u32
    %p = access $in, %at : ptr<storage, read, u32>
    %v = load %p : u32
    %t = access $tile, %l : ptr<workgroup, read_write, u32>
    store %t, %v
    barrier workgroup
    %c = loop @k (%k = 0u, %sum = %count) : u32 {
      %end = ge %k, 64u : bool
      if %end { exit @k %sum } else { exit }
      %tk = access $tile, %k : ptr<workgroup, read_write, u32>
      %other = load %tk : u32
      %less = lt %other, %mine : bool
      %one = convert %less : u32
      %sum2 = add %sum, %one : u32
      continue %k, %sum2
    } continuing (%kc : u32, %sc : u32) {
      %k1 = add %kc, 1u : u32
      next %k1, %sc
    }
    barrier workgroup
    continue %start, %c
  } continuing (%s : u32, %cc : u32) {
    %s1 = add %s, 64u : u32
    next %s1, %cc
  }
  %q = access $out, %g : ptr<storage, read_write, u32>
  store %q, %r
)";
  Words in;
  for (uint32_t i = 0; i < 256; ++i) in.push_back((i * 2654435761u) >> 24);
  RunEverywhere({KernelText(body, "64, 1, 1", "var $tile : workgroup read_write array<u32, 64>"),
                 {Words(256, 0), in},
                 {4, 1, 1}});
}

TEST(Control, SwitchesAndUniformLoads) {
  const std::string body = R"(  %first = eq %l, 0u : bool
  if %first {
    %v = access $in, 3u : ptr<storage, read, u32>
    %w = load %v : u32
    store $shared, %w
    exit
  } else {
    exit
  }
  %u = uniform_load $shared : u32
  %m = rem %u, 4u : u32
  %a = switch %m : u32 {
    case 0u { exit 10u }
    case 1u, 2u {
      barrier workgroup
      exit %l
    }
    case default { exit 30u }
  }
  %m2 = rem %l, 5u : u32
  %b = switch %m2 : u32 {
    case 0u { exit 100u }
    case 1u, 3u { exit %g }
    case default { exit 300u }
  }
  %c = add %a, %b : u32
  %q = access $out, %g : ptr<storage, read_write, u32>
  store %q, %c
)";
  for (uint32_t which = 0; which < 4; ++which) {
    RunEverywhere({KernelText(body, "20, 1, 1", "var $shared : workgroup read_write u32"),
                   {Words(64, 0), {0, 0, 0, 40 + which}},
                   {3, 1, 1}});
  }
}

// Helpers called twice each, deep: not all of them can be inlined.
TEST(Control, CallsOfFunctionsThatAreNotInlined) {
  std::string text =
      "var $out : storage read_write array<u32> group 0 binding 0\nvar $calls : private read_write u32\n"
      "fn @f0(%x : u32, %p : ptr<function, read_write, array<u32, 4>>) : u32 {\n"
      "  %i = and %x, 3u : u32\n  %q = access %p, %i : ptr<function, read_write, u32>\n  %o = load %q : u32\n"
      "  %n = add %o, 1u : u32\n  store %q, %n\n  %c = load $calls : u32\n  %c1 = add %c, 1u : u32\n"
      "  store $calls, %c1\n  %odd0 = and %x, 1u : u32\n  %odd = ne %odd0, 0u : bool\n"
      "  %r = if %odd : u32 {\n    %t = mul %x, 3u : u32\n    exit %t\n  } else {\n    exit %x\n  }\n"
      "  return %r\n}\n";
  for (int i = 1; i <= 10; ++i) {
    text += fmt::format(
        "fn @f{0}(%x : u32, %p : ptr<function, read_write, array<u32, 4>>) : u32 {{\n  %a = call @f{1} %x, "
        "%p : u32\n"
        "  %x1 = add %a, 1u : u32\n  %b = call @f{1} %x1, %p : u32\n  %r = xor %a, %b : u32\n  return "
        "%r\n}}\n",
        i, i - 1);
  }
  text +=
      "fn @main() workgroup_size(16, 1, 1) {\n  %g = builtin global_invocation_index : u32\n"
      "  %mine = var : ptr<function, read_write, array<u32, 4>>\n  zero_fill %mine\n  %r = call @f10 %g, "
      "%mine : u32\n"
      "  %i = and %r, 3u : u32\n  %p = access %mine, %i : ptr<function, read_write, u32>\n  %v = load %p : "
      "u32\n"
      "  %c = load $calls : u32\n  %s = add %r, %v : u32\n  %t = mul %s, 31u : u32\n  %u = add %t, %c : u32\n"
      "  %q = access $out, %g : ptr<storage, read_write, u32>\n  store %q, %u\n  return\n}\n";
  RunEverywhere({text, {Words(32, 0)}, {2, 1, 1}});
}

TEST(Control, EndlessLoopsStopWhenCancelled) {
  const std::string text = KernelText(
      "  loop {\n    continue\n  } continuing {\n    next\n  }\n  unreachable\n}\nfn @unused() {\n");
  for (const uint32_t lanes : {1u, 8u, 32u}) {
    LaneOptions options;
    options.lanes = lanes;
    const std::unique_ptr<Compiler> compiler(LockstepCreateCompiler());
    const Result<ir::Module> module = ir::Parse(text);
    ASSERT_TRUE(module.ok()) << module.failure().message;
    const Result<std::unique_ptr<Kernel>> kernel = compiler->Compile(*module, options, Emit::kNone, nullptr);
    ASSERT_TRUE(kernel.ok()) << kernel.failure().message;
    std::atomic<uint32_t> cancel = 0;
    Words words(4);
    const abi::BufferView view = {reinterpret_cast<std::byte*>(words.data()), 16};
    const abi::BufferView views[2] = {view, view};
    abi::Dispatch dispatch;
    dispatch.buffers = views;
    dispatch.cancel = reinterpret_cast<const volatile uint32_t*>(&cancel);
    abi::Worker worker;
    std::thread stopper([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      cancel = 1;
    });
    EXPECT_EQ((*kernel)->entry()(&dispatch, &worker, 0, 0, 0), abi::kCancelled);
    stopper.join();
  }
}

TEST(Objects, SaveAndLoad) {
  const std::unique_ptr<Compiler> compiler(LockstepCreateCompiler());
  const Result<ir::Module> module = ir::Parse(KernelText(
      "  %q = access $out, %l : ptr<storage, read_write, u32>\n  store %q, %g, true\n", "4, 1, 1"));
  ASSERT_TRUE(module.ok());
  const Result<std::string> object = compiler->CompileToObject(*module, LaneOptions());
  ASSERT_TRUE(object.ok());
  const Result<std::unique_ptr<Kernel>> kernel = compiler->Load(*object);
  ASSERT_TRUE(kernel.ok()) << kernel.failure().message;
  Words words(8, 9);
  const abi::BufferView view = {reinterpret_cast<std::byte*>(words.data()), 32};
  const abi::BufferView views[2] = {view, view};
  abi::Dispatch dispatch;
  const uint32_t cancel = 0;
  dispatch.cancel = &cancel;
  dispatch.buffers = views;
  abi::Worker worker;
  EXPECT_EQ((*kernel)->entry()(&dispatch, &worker, 0, 0, 0), abi::kDone);
  EXPECT_EQ(words, (Words{0, 1, 2, 3, 9, 9, 9, 9}));
  EXPECT_FALSE(compiler->Load("").ok());
  EXPECT_FALSE(compiler->Load(object->substr(0, 40)).ok());
  EXPECT_FALSE(compiler->Load(object->substr(0, object->size() / 2)).ok());
  std::string other = *object;
  other[3] = 'x';
  EXPECT_FALSE(compiler->Load(other).ok());
}

TEST(Show, EveryForm) {
  const std::unique_ptr<Compiler> compiler(LockstepCreateCompiler());
  const Result<ir::Module> module =
      ir::Parse(KernelText("  store $x, %g\n", "4, 1, 1", "var $x : private read_write u32"));
  ASSERT_TRUE(module.ok());
  for (const auto& [emit, word] :
       {std::pair(Emit::kLanes, "local_invocation_index"),
        std::pair(Emit::kLlvm, "define i32 @lockstep_kernel"), std::pair(Emit::kAsm, "lockstep_kernel:")}) {
    std::string text;
    ASSERT_TRUE(compiler->Compile(*module, LaneOptions(), emit, &text).ok());
    EXPECT_NE(text.find(word), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace lockstep::codegen
