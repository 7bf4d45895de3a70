// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "codegen/llvm/engine_fixture.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>

#include "abi/stage.h"
#include "interp/interpreter.h"
#include "ir/printer.h"
#include "ir/transform/pipeline.h"
#include "ir/verifier.h"

namespace lockstep::codegen {

namespace {

constexpr size_t kGuardWords = 64;
constexpr uint32_t kGuard = 0x5afe5afe;

Compiler& TheCompiler() {
  static const std::unique_ptr<Compiler> compiler(LockstepCreateCompiler());
  return *compiler;
}

// Memory for kernels: the words between two guards, aligned as buffers are.
class Fenced {
 public:
  explicit Fenced(const Words& words) : size_(words.size()) {
    storage_.assign(words.size() + 2 * kGuardWords + 16, kGuard);
    const size_t misaligned = reinterpret_cast<uintptr_t>(storage_.data()) % 64 / 4;
    begin_ = kGuardWords + (misaligned == 0 ? 0 : 16 - misaligned);
    std::copy(words.begin(), words.end(), storage_.begin() + static_cast<ptrdiff_t>(begin_));
  }
  abi::BufferView view() { return {reinterpret_cast<std::byte*>(storage_.data() + begin_), size_ * 4}; }
  Words words() const {
    return Words(storage_.begin() + static_cast<ptrdiff_t>(begin_),
                 storage_.begin() + static_cast<ptrdiff_t>(begin_ + size_));
  }
  bool intact() const {
    for (size_t i = 0; i < storage_.size(); ++i) {
      if ((i < begin_ || i >= begin_ + size_) && storage_[i] != kGuard) return false;
    }
    return true;
  }

 private:
  size_t size_;
  size_t begin_ = 0;
  Words storage_;
};

Result<ir::Module> Prepare(const Program& run) {
  Result<ir::Module> module = run.module != nullptr ? Result<ir::Module>(*run.module) : ir::Parse(run.text);
  if (!module.ok()) {
    ADD_FAILURE() << module.failure().message << "\n" << run.text;
    return module;
  }
  const std::string wrong = ir::Verify(*module);
  EXPECT_EQ(wrong, "") << run.text;
  if (!wrong.empty()) return Failure{FailureKind::kProgram, wrong};
  if (run.pipeline) ir::RunCpuPipeline(*module);
  return module;
}

std::vector<Words> WithoutPadding(std::vector<Words> buffers, uint32_t invocations) {
  if (invocations == 0 || buffers.empty()) return buffers;
  Words& outputs = buffers.back();
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (i % abi::kStageInvocations >= invocations) outputs[i] = 0;
  }
  return buffers;
}

}  // namespace

std::vector<Words> RunCompiled(const Program& run, const LaneOptions& options) {
  const Result<ir::Module> module = Prepare(run);
  if (!module.ok()) return {};
  std::string text;
  const Result<std::unique_ptr<Kernel>> kernel =
      TheCompiler().Compile(*module, options, Emit::kNone, nullptr);
  if (!kernel.ok()) {
    ADD_FAILURE() << kernel.failure().message << "\n" << run.text;
    return {};
  }
  std::vector<Fenced> buffers(run.buffers.begin(), run.buffers.end());
  std::vector<abi::BufferView> views;
  for (Fenced& buffer : buffers) views.push_back(buffer.view());
  Fenced workgroup_memory(Words((*kernel)->workgroup_bytes / 4 + 1, 0xdeadbeef));
  Fenced frame(Words((*kernel)->frame_bytes / 4 + 1, 0xdeadbeef));
  const uint32_t cancel = 0;
  abi::Dispatch dispatch;
  dispatch.buffers = views.data();
  dispatch.textures = run.textures.data();
  dispatch.cancel = &cancel;
  dispatch.weak_failure_seed = run.weak_failure_seed;
  for (int i = 0; i < 3; ++i) dispatch.workgroup_count[i] = run.workgroups[static_cast<size_t>(i)];
  abi::Worker worker;
  worker.workgroup_memory = workgroup_memory.view().data;
  worker.frame = frame.view().data;
  worker.random_state = 0x9e3779b97f4a7c15u;
  worker.invocations = run.invocations;
  for (uint32_t z = 0; z < run.workgroups[2]; ++z) {
    for (uint32_t y = 0; y < run.workgroups[1]; ++y) {
      for (uint32_t x = 0; x < run.workgroups[0]; ++x) {
        EXPECT_EQ((*kernel)->entry()(&dispatch, &worker, x, y, z), abi::kDone);
      }
    }
  }
  EXPECT_TRUE(workgroup_memory.intact()) << "workgroup memory";
  EXPECT_TRUE(frame.intact()) << "frame";
  std::vector<Words> after;
  for (const Fenced& buffer : buffers) {
    EXPECT_TRUE(buffer.intact()) << "buffer " << after.size();
    after.push_back(buffer.words());
  }
  return after;
}

std::vector<Words> RunInterpreter(const Program& run) {
  const Result<ir::Module> module = Prepare(run);
  if (!module.ok()) return {};
  std::vector<Words> after = run.buffers;
  std::vector<abi::BufferView> views;
  for (Words& words : after) views.push_back({reinterpret_cast<std::byte*>(words.data()), words.size() * 4});
  interp::Options options;
  options.invocations = run.invocations;
  options.textures = run.textures;
  const Result<> result = interp::Run(*module, views, run.workgroups, options);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.failure().message) << "\n" << run.text;
  return after;
}

std::vector<Words> RunEverywhere(const Program& run, const std::vector<Width>& widths) {
  const std::vector<Words> expected = WithoutPadding(RunInterpreter(run), run.invocations);
  for (const Width width : widths) {
    LaneOptions options;
    options.lanes = width.lanes;
    options.native_lanes = width.native;
    options.half_in_hardware = width.half_in_hardware;
    const std::vector<Words> got = WithoutPadding(RunCompiled(run, options), run.invocations);
    EXPECT_EQ(got, expected) << "lanes " << width.lanes << ", vectors of " << width.native << "\n"
                             << run.text;
    if (got != expected) break;
  }
  return expected;
}

std::string KernelText(std::string_view body, std::string_view workgroup, std::string_view globals) {
  return fmt::format(
      "var $out : storage read_write array<u32> group 0 binding 0\n"
      "var $in : storage read array<u32> group 0 binding 1\n{}\n"
      "fn @main() workgroup_size({}) {{\n"
      "  %g = builtin global_invocation_index : u32\n  %l = builtin local_invocation_index : u32\n{}\n  "
      "return\n}}\n",
      globals, workgroup, body);
}

}  // namespace lockstep::codegen
