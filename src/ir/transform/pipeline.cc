// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/transform/pipeline.h"

#include "ir/transform/all_passes.h"

namespace lockstep::ir {
namespace {

class Runner {
 public:
  Runner(Module& module, const PipelineOptions& options) : m_(module), options_(options) {}

#define PASS(name, Function, help)                            \
  void name() {                                               \
    Function(m_);                                             \
    if (options_.after_pass) options_.after_pass(#name, m_);  \
  }
#include "ir/transform/passes.def"

 private:
  Module& m_;
  const PipelineOptions& options_;
};

}  // namespace

void RunCpuPipeline(Module& module, const PipelineOptions& options) {
  Runner run(module, options);
  run.remove_unreachable();
  run.inline_functions();
  run.remove_unreachable();
  run.split_variables();
  run.promote_variables();
  run.robustness();
}

}  // namespace lockstep::ir
