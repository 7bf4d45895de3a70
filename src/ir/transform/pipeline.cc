// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/transform/pipeline.h"

#include "ir/transform/all_passes.h"

namespace lockstep::ir {
namespace {

class Runner {
 public:
  Runner(Module& module, const PipelineOptions& options) : m_(module), options_(options) {}

#define PASS(name, Function, help)                           \
  void name() {                                              \
    Function(m_);                                            \
    if (options_.after_pass) options_.after_pass(#name, m_); \
  }
#include "ir/transform/passes.def"

  void inline_functions_by_options() {
    InlineFunctions(m_, options_.inlining);
    if (options_.after_pass) options_.after_pass("inline_functions", m_);
  }

  void stage_io_by_layout(const abi::StageLayout& layout) {
    if (m_.stage == Stage::kCompute) return;
    LowerStageIo(m_, layout);
    if (options_.after_pass) options_.after_pass("stage_io", m_);
  }

 private:
  Module& m_;
  const PipelineOptions& options_;
};

}  // namespace

void RunCpuPipeline(Module& module, const PipelineOptions& options) {
  Runner run(module, options);
  const abi::StageLayout layout = StageLayoutOf(module);
  // One function with values instead of variables.
  run.remove_unreachable();
  run.inline_functions_by_options();
  run.remove_unreachable();
  run.stage_io_by_layout(layout);
  run.split_variables();
  run.promote_variables();
  run.fold();
  run.dce();
  run.nest_exits();
  run.fold();
  run.cse();
  run.dce();
  // Divergence and ranges see the most in the program as it is now; every access is safe from here on.
  run.robustness();
  run.fold();
  run.cse();
  // Branches become selects; what that makes of conditions is folded into plain logic.
  run.if_conversion();
  run.fold();
  // Transcendental functions as exact operations: the same bits everywhere.
  run.expand_math();
  run.fold();
  run.cse();
  run.dce();
}

}  // namespace lockstep::ir
