// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// The passes of each engine, in order, as one readable list (pipeline.cc).
#pragma once

#include <functional>
#include <string_view>

#include "ir/module.h"
#include "ir/transform/inline_functions.h"

namespace lockstep::ir {

struct PipelineOptions {
  InlineOptions inlining;  // tests set other budgets than the usual ones
  // Called after each pass with its name: --print-after, and the verifier in tests.
  std::function<void(std::string_view pass, const Module& module)> after_pass;
};

// Readies a freshly lowered module for the engines on the CPU: the interpreter and codegen/spmd.
void RunCpuPipeline(Module& module, const PipelineOptions& options = {});

}  // namespace lockstep::ir
