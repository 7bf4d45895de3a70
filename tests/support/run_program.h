// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// From WGSL text to buffer contents in the interpreter, for tests: every stage's complaint becomes `error`.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "interp/interpreter.h"
#include "ir/printer.h"
#include "ir/transform/expand_math.h"
#include "ir/transform/pipeline.h"
#include "ir/verifier.h"
#include "lower/lower.h"
#include "wgsl/program.h"

namespace lockstep::tests {

using Words = std::vector<uint32_t>;
using Slot = std::pair<uint32_t, uint32_t>;  // group, binding

// One entry point: as lowered; with only the approximate functions made exact, whose results the engines
// promise to give bit by bit; after the CPU pipeline.
struct BuiltModule {
  std::string error;
  std::optional<ir::Module> lowered, reference, processed;
};

// The entry point `entry`, the only one where that is empty.
inline BuiltModule BuildModule(const std::string& text, const std::string& entry = {},
                               const std::map<std::string, double>& overrides = {},
                               const ir::InlineOptions& inlining = {}) {
  BuiltModule built;
  const SourceFile file("test.wgsl", text);
  diag::Sink sink;
  std::optional<wgsl::Program> program = wgsl::Compile(file, {}, sink);
  if (!program) {
    built.error = diag::RenderText(sink, file);
    return built;
  }
  wgsl::FunctionId function = wgsl::FunctionId::None();
  for (uint32_t i = 0; i < program->functions.size(); ++i) {
    const wgsl::Function& f = program->functions[wgsl::FunctionId(i)];
    if (f.is_entry_point && (entry.empty() || f.name == entry)) function = wgsl::FunctionId(i);
  }
  if (!function.has_value()) {
    built.error = "no entry point '" + entry + "'";
    return built;
  }
  const std::optional<wgsl::OverrideValues> values =
      wgsl::EvaluateOverrides(*program, function, overrides, sink);
  if (!values) {
    built.error = diag::RenderText(sink, file);
    return built;
  }
  built.lowered = lower::Lower(*program, function, *values);
  built.error = ir::Verify(*built.lowered);
  if (!built.error.empty()) {
    built.error += "\n" + ir::Print(*built.lowered);
    return built;
  }
  built.reference = built.lowered;
  ir::ExpandMath(*built.reference);
  built.processed = built.lowered;
  ir::PipelineOptions options;
  options.inlining = inlining;
  options.after_pass = [&](std::string_view pass, const ir::Module& module) {
    const std::string problem = ir::Verify(module);
    if (problem.empty() || !built.error.empty()) return;
    built.error = std::string(pass) + ": " + problem + "\n" + ir::Print(module);
  };
  ir::RunCpuPipeline(*built.processed, options);
  return built;
}

// Runs one dispatch on `buffers`; what is not there is an empty buffer. Returns a failure's message.
inline std::string RunModule(const ir::Module& module, std::map<Slot, Words>* buffers,
                             std::array<uint32_t, 3> workgroups, const interp::Options& options) {
  std::vector<abi::BufferView> views;
  for (const ir::Variable& variable : module.variables) {
    if (variable.space != ir::AddressSpace::kStorage && variable.space != ir::AddressSpace::kUniform)
      continue;
    Words& words = (*buffers)[{variable.group, variable.binding}];
    views.push_back({reinterpret_cast<std::byte*>(words.data()), words.size() * 4});
  }
  const Result<> result = interp::Run(module, views, workgroups, options);
  return result.ok() ? "" : result.failure().message;
}

}  // namespace lockstep::tests
