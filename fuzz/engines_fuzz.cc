// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Whatever the front end accepts runs in the interpreter and as machine code at several lane widths, for a
// single invocation, where races cannot make results differ, and must leave the same bits in every buffer. A
// budget of steps stands for the time limit: programs that exceed it in the interpreter are started on the
// machine too, and cancelled. Buffers lie at the end of a page before an inaccessible one, so that an access
// behind them faults.
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "codegen/llvm/compiler.h"
#include "interp/interpreter.h"
#include "ir/transform/pipeline.h"
#include "lower/lower.h"
#include "support/check.h"
#include "support/run_kernel.h"
#include "wgsl/program.h"

namespace {

using namespace lockstep;

constexpr uint64_t kBufferBytes = 512;
constexpr uint64_t kMaxSteps = 200000;

// The fewest bytes that WebGPU would let a shader have for this variable; larger ones than our buffers are
// left out.
bool Fits(const ir::Module& module) {
  for (const ir::Variable& variable : module.variables) {
    if (variable.space == ir::AddressSpace::kStorage || variable.space == ir::AddressSpace::kUniform) {
      if (module.types[variable.type].size > kBufferBytes) return false;
    }
    if (module.types[variable.type].size > 65536) return false;
  }
  return true;
}

struct Buffers {
  std::vector<std::unique_ptr<tests::GuardedMemory>> memory;
  std::vector<abi::BufferView> views;
  explicit Buffers(const ir::Module& module) {
    for (const ir::Variable& variable : module.variables) {
      if (variable.space != ir::AddressSpace::kStorage && variable.space != ir::AddressSpace::kUniform)
        continue;
      memory.push_back(std::make_unique<tests::GuardedMemory>(kBufferBytes));
      for (uint64_t i = 0; i < kBufferBytes; ++i)
        memory.back()->data()[i] = static_cast<std::byte>(i * 37 % 251);
      views.push_back({memory.back()->data(), kBufferBytes});
    }
  }
  bool operator==(const Buffers& other) const {
    for (size_t i = 0; i < views.size(); ++i) {
      if (std::memcmp(views[i].data, other.views[i].data, kBufferBytes) != 0) return false;
    }
    return true;
  }
};

void RunEntry(ir::Module module, codegen::Compiler& compiler) {
  module.workgroup_size = {1, 1, 1};
  if (!Fits(module)) return;
  ir::RunCpuPipeline(module);
  Buffers want(module);
  interp::Options options;
  options.max_steps = kMaxSteps;
  const bool ends = interp::Run(module, want.views, {1, 1, 1}, options).ok();
  for (const uint32_t lanes : {1u, 8u, 32u}) {
    codegen::LaneOptions lane_options;
    lane_options.lanes = lanes;
    lane_options.native_lanes = compiler.native_lanes();
    const auto kernel = compiler.Compile(module, lane_options, codegen::Emit::kNone, nullptr);
    if (!kernel.ok()) return;  // a limit, said so
    Buffers got(module);
    tests::RunKernel(**kernel, got.views, 1, ends ? 0 : 1);
    if (ends) CHECK(got == want);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static codegen::Compiler* compiler = LockstepCreateCompiler();
  if (size > 1 << 14) return 0;
  const SourceFile file("fuzz.wgsl", std::string(reinterpret_cast<const char*>(data), size));
  diag::Sink sink;
  std::optional<wgsl::Program> program = wgsl::Compile(file, {}, sink);
  if (!program) return 0;
  for (uint32_t i = 0; i < program->functions.size(); ++i) {
    if (!program->functions[wgsl::FunctionId(i)].is_entry_point) continue;
    diag::Sink pipeline_sink;
    const auto overrides = wgsl::EvaluateOverrides(*program, wgsl::FunctionId(i), {}, pipeline_sink);
    if (overrides) RunEntry(lower::Lower(*program, wgsl::FunctionId(i), *overrides), *compiler);
  }
  return 0;
}
