// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Engines check each other: random race-free programs (support/random_program.h) run in the interpreter as
// lowered, in the interpreter after the passes, and as machine code at every lane width, compiled for speed
// and some also fast. All must give the same bits. Every other program keeps many of its calls, barriers in
// them included. LOCKSTEP_DIFFERENTIAL_SEEDS=FIRST..LAST runs others than the usual ones.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "codegen/llvm/compiler.h"
#include "interp/interpreter.h"
#include "ir/module.h"
#include "support/fake_texture.h"
#include "support/guarded_memory.h"
#include "support/random_program.h"
#include "support/run_kernel.h"
#include "support/run_program.h"

namespace lockstep::tests {
namespace {

constexpr uint32_t kWorkgroups = 3;

std::vector<uint32_t> InputWords() {
  std::vector<uint32_t> words(kInputWords);
  uint32_t state = 12345;
  for (uint32_t i = 0; i < kInputWords; ++i) {
    state = state * 1664525u + 1013904223u;
    words[i] = i % 3 == 0 ? state : state >> 24;
  }
  return words;
}

struct Memory {
  GuardedMemory input, output;
  std::vector<abi::BufferView> views;

  explicit Memory(uint32_t invocations, Touch touch = Touch::kGuardBehind)
      : input(kInputWords * 4, touch),
        output(uint64_t{kWorkgroups} * invocations * kOutputWordsPerInvocation * 4, touch) {
    const std::vector<uint32_t> words = InputWords();
    std::memcpy(input.data(), words.data(), input.size());
    std::fill_n(output.data(), output.size(), std::byte{0xab});
    views = {{input.data(), input.size()}, {output.data(), output.size()}};
  }
  std::vector<uint32_t> OutputWords() const {
    std::vector<uint32_t> words(output.size() / 4);
    std::memcpy(words.data(), output.data(), output.size());
    return words;
  }
};

std::vector<abi::BufferView> ViewsFor(const ir::Module& module, const Memory& memory) {
  std::vector<abi::BufferView> views;
  for (uint32_t i = 0; i < module.variables.size(); ++i) {
    const ir::Variable& variable = module.variables[ir::VariableId(i)];
    if (variable.space == ir::AddressSpace::kStorage) views.push_back(memory.views[variable.binding]);
  }
  return views;
}

const FakeTexture kImage({20, 12, 1, 5, 3, 1});
const abi::TextureView* const kTextures[] = {&kImage};

std::vector<uint32_t> Interpret(const ir::Module& module, uint32_t invocations) {
  Memory memory(invocations);
  interp::Options options;
  options.textures = kTextures;
  const Result<> ran = interp::Run(module, ViewsFor(module, memory), {kWorkgroups, 1, 1}, options);
  EXPECT_TRUE(ran.ok()) << (ran.ok() ? "" : ran.failure().message);
  return memory.OutputWords();
}

std::vector<uint32_t> RunCompiled(const codegen::Kernel& kernel, const ir::Module& module,
                                  uint32_t invocations, Touch touch) {
  Memory memory(invocations, touch);
  EXPECT_EQ(RunKernel(kernel, ViewsFor(module, memory), kWorkgroups, &kNeverCancel, touch, kTextures),
            abi::kDone);
  return memory.OutputWords();
}

std::string FirstDifference(const std::vector<uint32_t>& want, const std::vector<uint32_t>& got) {
  for (size_t i = 0; i < want.size(); ++i) {
    if (want[i] != got[i]) {
      return "invocation " + std::to_string(i / kOutputWordsPerInvocation) + " word " +
             std::to_string(i % kOutputWordsPerInvocation) + ": want " + std::to_string(want[i]) + " got " +
             std::to_string(got[i]);
    }
  }
  return "";
}

class Engines : public testing::Test {
 protected:
  static void SetUpTestSuite() { compiler_ = LockstepCreateCompiler(); }
  static void TearDownTestSuite() { delete compiler_; }

  void RunSeed(uint64_t seed) {
    const RandomProgram random = MakeRandomProgram(seed);
    SCOPED_TRACE("seed " + std::to_string(seed));
    ir::InlineOptions inlining;
    if (seed % 2 == 1) {
      const auto some = static_cast<uint32_t>(seed % 5) * 30;
      inlining = {0, 0, 0, some, some, 4 * some, 500};
    }
    const BuiltModule built = BuildModule(random.text, "main", {}, inlining);
    ASSERT_EQ(built.error, "") << random.text;
    // As lowered, but with the approximate functions as the engines on the CPU promise them.
    const std::vector<uint32_t> want = Interpret(*built.reference, random.invocations);
    const ir::Module& module = *built.processed;
    ASSERT_EQ(FirstDifference(want, Interpret(module, random.invocations)), "") << "after the passes\n"
                                                                                << random.text;
    for (const uint32_t lanes : {1u, 4u, 8u, 16u, 32u}) RunLanes(random, module, want, lanes, false);
    if (seed % 4 == 0) RunLanes(random, module, want, 0, true);
  }

  // The machine code of one width; 0: as wide as the compiler chooses.
  void RunLanes(const RandomProgram& random, const ir::Module& module, const std::vector<uint32_t>& want,
                uint32_t lanes, bool quick) {
    if (HasFatalFailure()) return;
    codegen::LaneOptions lane_options;
    lane_options.lanes = lanes;
    lane_options.native_lanes = compiler_->native_lanes();
    lane_options.quick = quick;
    const auto kernel = compiler_->Compile(module, lane_options, codegen::Emit::kNone, nullptr);
    ASSERT_TRUE(kernel.ok()) << kernel.failure().message << "\n" << random.text;
    for (const Touch touch : {Touch::kGuardBehind, Touch::kGuardBefore}) {
      ASSERT_EQ(FirstDifference(want, RunCompiled(**kernel, module, random.invocations, touch)), "")
          << "at " << (*kernel)->lanes << " lanes" << (quick ? ", compiled fast" : "") << "\n"
          << random.text;
    }
  }

  static codegen::Compiler* compiler_;
};

codegen::Compiler* Engines::compiler_ = nullptr;

class Differential : public Engines, public testing::WithParamInterface<uint64_t> {};

TEST_P(Differential, EnginesGiveTheSameBits) {
  for (uint64_t seed = GetParam() * 10; seed < GetParam() * 10 + 10 && !HasFatalFailure(); ++seed)
    RunSeed(seed);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Differential, testing::Range<uint64_t>(0, 20));

TEST_F(Engines, AgreeOnSeedsOfTheEnvironment) {
  const char* range = std::getenv("LOCKSTEP_DIFFERENTIAL_SEEDS");
  if (range == nullptr) return;
  const std::string text = range;
  const size_t dots = text.find("..");
  ASSERT_NE(dots, std::string::npos) << "LOCKSTEP_DIFFERENTIAL_SEEDS=FIRST..LAST";
  for (uint64_t seed = std::stoull(text.substr(0, dots)); seed <= std::stoull(text.substr(dots + 2));
       ++seed) {
    RunSeed(seed);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace lockstep::tests
