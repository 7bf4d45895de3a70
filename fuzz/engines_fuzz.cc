// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Engines against each other, on shaders. An input is one of two things:
//   - text: what the front end accepts runs for a single invocation, where races cannot make results differ;
//     with its own workgroup size it must only stay inside its memory and end when cancelled;
//   - behind a byte of 1, the choices of tests/support/random_program: a valid program free of races, with
//     barriers, which runs as it is.
// The interpreter runs the module as lowered and after the passes, the machine its code at several lane
// widths; all must leave the same bits. A budget of steps stands for the time limit: what exceeds it is
// started on the machine too, and cancelled. All memory stands between ranges that fault, and touches one of
// them.
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "codegen/llvm/compiler.h"
#include "interp/interpreter.h"
#include "ir/transform/expand_math.h"
#include "ir/transform/pipeline.h"
#include "ir/verifier.h"
#include "lower/lower.h"
#include "support/check.h"
#include "support/fake_texture.h"
#include "support/random_program.h"
#include "support/run_kernel.h"
#include "token_mutator.h"
#include "wgsl/program.h"

namespace {

using namespace lockstep;

constexpr uint64_t kTextBytes = 512;        // of each buffer of a text's program
constexpr uint64_t kMaxVariable = 1 << 16;  // bytes; more makes slow inputs and nothing new
constexpr uint64_t kTextSteps = 100'000;
constexpr uint64_t kRandomSteps = 3'000'000;
constexpr std::chrono::milliseconds kPatience(200);

// Sets a flag some time after it was armed, for kernels whose end nothing else assures.
class Watchdog {
 public:
  Watchdog() : thread_([this] { Watch(); }) {}
  void Arm() {
    cancel_ = 0;
    deadline_ = (Clock::now() + kPatience).time_since_epoch().count();
  }
  void Disarm() { deadline_ = 0; }
  const volatile uint32_t* flag() const { return reinterpret_cast<const volatile uint32_t*>(&cancel_); }

 private:
  using Clock = std::chrono::steady_clock;
  void Watch() {
    for (;;) {
      std::this_thread::sleep_for(kPatience / 4);
      const int64_t deadline = deadline_;
      if (deadline != 0 && Clock::now().time_since_epoch().count() > deadline) cancel_ = 1;
    }
  }
  std::atomic<uint32_t> cancel_ = 0;
  std::atomic<int64_t> deadline_ = 0;
  std::thread thread_;
};

struct Tools {
  codegen::Compiler* compiler = LockstepCreateCompiler();
  Watchdog* watchdog = new Watchdog;
};

const Tools& TheTools() {
  static const Tools tools;  // as long as the process: the watchdog never ends
  return tools;
}

class Buffers {
 public:
  Buffers(const ir::Module& module, uint64_t bytes, tests::Touch touch) {
    for (const ir::Variable& variable : module.variables) {
      if (variable.is_texture()) textures_.push_back(&texture_);
      if (!variable.is_buffer()) continue;
      memory_.push_back(std::make_unique<tests::GuardedMemory>(bytes, touch));
      for (uint64_t i = 0; i < bytes; ++i) memory_.back()->data()[i] = static_cast<std::byte>(i * 37 % 251);
      views_.push_back({memory_.back()->data(), bytes});
    }
  }
  std::span<const abi::BufferView> views() const { return views_; }
  std::span<const abi::TextureView* const> textures() const { return textures_; }
  bool operator==(const Buffers& other) const {
    for (size_t i = 0; i < views_.size(); ++i) {
      if (std::memcmp(views_[i].data, other.views_[i].data, views_[i].size) != 0) return false;
    }
    return true;
  }

 private:
  std::vector<std::unique_ptr<tests::GuardedMemory>> memory_;
  std::vector<abi::BufferView> views_;
  tests::FakeTexture texture_{{20, 12, 6, 5, 3, 1}};
  std::vector<const abi::TextureView*> textures_;
};

// One program, and what is compared of it.
struct Experiment {
  ir::Module lowered;
  uint64_t bytes;  // of each buffer
  uint32_t workgroups;
  uint64_t steps;
  bool compare_nans;  // results never tell one NaN from another
  uint32_t dice;      // of the input: chooses what is tried
  uint32_t lanes() const { return std::array{1u, 4u, 8u, 16u, 32u}[dice % 5]; }
  tests::Touch touch() const {
    return dice / 5 % 2 == 0 ? tests::Touch::kGuardBehind : tests::Touch::kGuardBefore;
  }
};

[[noreturn]] void Find(std::string_view what) { InternalError(__FILE__, __LINE__, what); }

// Whether the run ended by itself. The interpreter's own complaints are findings.
bool Interpret(const ir::Module& module, const Experiment& of, bool robust, Buffers& buffers,
               bool* made_nan) {
  interp::Options options;
  options.max_steps = of.steps;
  options.expect_robust = robust;
  options.made_nan = made_nan;
  options.textures = buffers.textures();
  const Result<> run = interp::Run(module, buffers.views(), {of.workgroups, 1, 1}, options);
  if (!run.ok() && run.failure().message.starts_with("internal: ") &&
      run.failure().message.find("nest too deep") == std::string::npos) {
    Find(run.failure().message);
  }
  return run.ok();
}

void RunOnMachine(const ir::Module& module, const Experiment& of, bool ends, const Buffers* want) {
  constexpr uint32_t kCancelled = 1;
  codegen::LaneOptions options;
  options.lanes = of.lanes();
  options.native_lanes = TheTools().compiler->native_lanes();
  options.half_in_hardware = of.dice / 10 % 2 == 0;
  const auto kernel = TheTools().compiler->Compile(module, options, codegen::Emit::kNone, nullptr);
  if (!kernel.ok()) return;  // a limit, said so
  const Buffers got(module, of.bytes, of.touch());
  const int32_t status =
      tests::RunKernel(**kernel, got.views(), of.workgroups, ends ? &tests::kNeverCancel : &kCancelled,
                       of.touch(), got.textures());
  if (ends && status != abi::kDone) Find("a kernel gave up that nothing cancelled");
  if (want != nullptr && !(got == *want)) {
    std::fprintf(stderr, "machine code at %u lanes differs from the interpreter\n", of.lanes());
    Find("engines differ");
  }
}

void Passes(ir::Module& module, bool verify) {
  ir::PipelineOptions options;
  if (verify)
    options.after_pass = [](std::string_view pass, const ir::Module& now) {
      const std::string wrong = ir::Verify(now);
      if (!wrong.empty()) Find(std::string(pass) + ": " + wrong);
    };
  ir::RunCpuPipeline(module, options);
}

void Compare(Experiment experiment) {
  ir::Module processed = experiment.lowered;
  Passes(processed, experiment.dice / 20 % 4 == 0);
  ir::ExpandMath(experiment.lowered);
  bool made_nan = false;
  Buffers lowered(experiment.lowered, experiment.bytes, tests::Touch::kGuardBehind);
  Buffers want(experiment.lowered, experiment.bytes, tests::Touch::kGuardBehind);
  const bool lowered_ends = Interpret(experiment.lowered, experiment, false, lowered, &made_nan);
  const bool ends = Interpret(processed, experiment, true, want, &made_nan) && lowered_ends;
  const bool comparable = ends && (experiment.compare_nans || !made_nan);
  if (comparable && !(lowered == want)) Find("the passes changed what the program does");
  RunOnMachine(processed, experiment, ends, comparable ? &want : nullptr);
}

// Racy and endless perhaps: it must stay where it belongs, and stop.
void RunAsItIs(ir::Module module) {
  Passes(module, false);
  codegen::LaneOptions options;
  options.native_lanes = TheTools().compiler->native_lanes();
  const auto kernel = TheTools().compiler->Compile(module, options, codegen::Emit::kNone, nullptr);
  if (!kernel.ok()) return;
  const Buffers buffers(module, kTextBytes, tests::Touch::kGuardBehind);
  TheTools().watchdog->Arm();
  tests::RunKernel(**kernel, buffers.views(), 2, TheTools().watchdog->flag(), tests::Touch::kGuardBehind,
                   buffers.textures());
  TheTools().watchdog->Disarm();
}

// Buffers of our size are as large as WebGPU wants them for each variable, and nothing is huge.
bool Fits(const ir::Module& module) {
  uint64_t total = 0;
  for (const ir::Variable& variable : module.variables) {
    if (variable.is_buffer() && module.types[variable.type].size > kTextBytes) return false;
    total += module.types[variable.type].size;
  }
  return total <= kMaxVariable && module.invocations() <= 256;
}

std::optional<wgsl::Program> Accept(const SourceFile& file) {
  diag::Sink sink;
  return wgsl::Compile(file, {}, sink);
}

template <typename F>
void ForEachEntryPoint(const std::string& text, F&& run) {
  const SourceFile file("fuzz.wgsl", text);
  std::optional<wgsl::Program> program = Accept(file);
  for (uint32_t i = 0; program && i < program->functions.size(); ++i) {
    if (!program->functions[wgsl::FunctionId(i)].is_entry_point) continue;
    diag::Sink sink;
    const auto overrides = wgsl::EvaluateOverrides(*program, wgsl::FunctionId(i), {}, sink);
    if (overrides) run(lower::Lower(*program, wgsl::FunctionId(i), *overrides));
  }
}

void RunText(const std::string& text, uint32_t dice) {
  ForEachEntryPoint(text, [&](ir::Module module) {
    if (!Fits(module)) return;
    if (dice / 80 % 2 == 0) return RunAsItIs(std::move(module));
    module.workgroup_size = {1, 1, 1};
    Compare({std::move(module), kTextBytes, 1, kTextSteps, false, dice});
  });
}

void RunChoices(std::span<const uint8_t> choices, uint32_t dice) {
  const tests::RandomProgram random = tests::MakeRandomProgram(choices);
  bool ran = false;
  ForEachEntryPoint(random.text, [&](ir::Module module) {
    ran = true;
    const uint64_t output = uint64_t{random.invocations} * tests::kOutputWordsPerInvocation * 4;
    Compare(
        {std::move(module), std::max<uint64_t>(output, tests::kInputWords * 4), 1, kRandomSteps, true, dice});
  });
  if (!ran) Find("the front end refuses a valid program:\n" + random.text);
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed) {
  if (size > 0 && data[0] == 1) return LLVMFuzzerMutate(data, size, std::min<size_t>(max_size, 2048));
  return fuzz::MutateShader(data, size, max_size, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 1 << 14) return 0;
  uint32_t dice = 0;
  for (size_t i = 0; i < size; ++i) dice = (dice ^ data[i]) * 16777619u;  // FNV-1a
  dice ^= dice >> 15;
  if (size > 1 && data[0] == 1) {
    RunChoices({data + 1, size - 1}, dice);
  } else {
    RunText(std::string(reinterpret_cast<const char*>(data), size), dice);
  }
  return 0;
}
