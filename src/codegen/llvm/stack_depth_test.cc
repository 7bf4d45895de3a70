// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// What a kernel says of the stack that it needs, and that it needs no more.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <cstdlib>

#include "codegen/llvm/compiler.h"
#include "ir/printer.h"

namespace lockstep::codegen {
namespace {

using ::testing::HasSubstr;

// A chain of calls; `words` words of a variable that is indexed lie in each function's frame, eight lanes
// wide.
std::string Chain(int functions, int words) {
  std::string text = "var $out : storage read_write array<u32> group 0 binding 0\n";
  for (int i = functions; i >= 0; --i) {
    const std::string deeper =
        i < functions ? fmt::format("%r = call @f{} %x : u32", i + 1) : "%r = add %x, 1u : u32";
    text += fmt::format(
        "fn @f{0}(%x : u32) : u32 {{\n  %v = var : ptr<function, read_write, array<u32, {1}>>\n"
        "  %i = rem %x, {1}u : u32\n  %p = access %v, %i : ptr<function, read_write, u32>\n  store %p, %x\n"
        "  {2}\n  %j = rem %r, {1}u : u32\n  %q = access %v, %j : ptr<function, read_write, u32>\n"
        "  %w = load %q : u32\n  %s = add %w, %r : u32\n  return %s\n}}\n",
        i, words, deeper);
  }
  return text +
         "fn @main() workgroup_size(8, 1, 1) {\n  %l = builtin local_invocation_index : u32\n"
         "  %r = call @f0 %l : u32\n  %p = access $out, %l : ptr<storage, read_write, u32>\n  store %p, %r\n"
         "  return\n}\n";
}

Result<std::unique_ptr<Kernel>> Compile(const std::string& text) {
  static const std::unique_ptr<Compiler> compiler(LockstepCreateCompiler());
  const Result<ir::Module> module = ir::Parse(text);
  EXPECT_TRUE(module.ok()) << module.failure().message;
  LaneOptions options;
  options.lanes = 8;
  return compiler->Compile(*module, options, Emit::kNone, nullptr);
}

TEST(StackDepth, AddsUpAlongTheDeepestWay) {
  const Result<std::unique_ptr<Kernel>> shallow = Compile(Chain(1, 32));
  const Result<std::unique_ptr<Kernel>> deep = Compile(Chain(101, 32));
  ASSERT_TRUE(shallow.ok() && deep.ok());
  EXPECT_GT((*shallow)->stack_bytes, uint64_t{2} * 32 * 8 * 4);
  EXPECT_GT((*deep)->stack_bytes - (*shallow)->stack_bytes, uint64_t{100} * 32 * 8 * 4);
  EXPECT_LT((*deep)->stack_bytes, uint64_t{102} * 32 * 8 * 4 * 2) << "of the order of the variables";
}

// The kernel on a stack of its own that holds a pattern: what is left of it shows how deep the kernel went.
struct OnOwnStack {
  const Kernel* kernel;
  std::vector<uint32_t> out = std::vector<uint32_t>(8);

  static void* Enter(void* given) {
    auto* self = static_cast<OnOwnStack*>(given);
    const abi::BufferView view = {reinterpret_cast<std::byte*>(self->out.data()), self->out.size() * 4};
    const uint32_t cancel = 0;
    abi::Dispatch dispatch;
    dispatch.buffers = &view;
    dispatch.cancel = &cancel;
    abi::Worker worker;
    EXPECT_EQ(self->kernel->entry()(&dispatch, &worker, 0, 0, 0), abi::kDone);
    return nullptr;
  }
};

TEST(StackDepth, IsNeverExceeded) {
  constexpr size_t kStack = 16 << 20;
  const Result<std::unique_ptr<Kernel>> kernel = Compile(Chain(1000, 61));
  ASSERT_TRUE(kernel.ok()) << kernel.failure().message;
  ASSERT_LT((*kernel)->stack_bytes, kStack);
  auto* const stack = static_cast<std::byte*>(std::aligned_alloc(4096, kStack));
  std::fill_n(stack, kStack, std::byte{0x5a});
  OnOwnStack run{kernel->get()};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  ASSERT_EQ(pthread_attr_setstack(&attributes, stack, kStack), 0);
  pthread_t thread;
  ASSERT_EQ(pthread_create(&thread, &attributes, OnOwnStack::Enter, &run), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  const size_t untouched = static_cast<size_t>(
      std::find_if(stack, stack + kStack, [](std::byte b) { return b != std::byte{0x5a}; }) - stack);
  constexpr size_t kThreadItself = 64 << 10;  // what the system and the test have on it
  EXPECT_LE(kStack - untouched, (*kernel)->stack_bytes + kThreadItself);
  EXPECT_GE(kStack - untouched, (*kernel)->stack_bytes / 2) << "or the test measures nothing";
  std::free(stack);
}

TEST(StackDepth, HasALimitThatNamesTheFunction) {
  // Variables of which only known elements are used lie in the frame, whatever their size.
  const std::string large = fmt::format(
      "fn @large(%x : u32) : u32 {{\n  %v = var : ptr<function, read_write, array<u32, {0}>>\n"
      "  %w = var : ptr<function, read_write, array<u32, {0}>>\n  zero_fill %v\n"
      "  %p = access %v, 7u : ptr<function, read_write, u32>\n  store %p, %x\n  copy %w, %v\n"
      "  %q = access %w, 7u : ptr<function, read_write, u32>\n  %y = load %q : u32\n  return %y\n}}\n",
      (kMaxStackBytes + (16 << 20)) / 64);
  std::string text = Chain(1, 4);
  text.replace(text.find("fn @main"), 0, large);
  text.replace(text.find("call @f0 %l"), 11, "call @large %l");
  const Result<std::unique_ptr<Kernel>> kernel = Compile(text);
  ASSERT_FALSE(kernel.ok());
  EXPECT_EQ(kernel.failure().kind, FailureKind::kProgram);
  EXPECT_THAT(kernel.failure().message,
              HasSubstr("'main' takes 80 MiB of stack on this device, more than 64 MiB: "
                        "calls nest 1 deep, and 'large' takes 838"));
}

}  // namespace
}  // namespace lockstep::codegen
