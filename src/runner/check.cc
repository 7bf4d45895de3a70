// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "runner/check.h"

#include <algorithm>

#include "gpu/core/evaluated_stage.h"
#include "wgsl/program.h"

namespace lockstep::runner {
namespace {

// The same fault may be found on the way from several entry points: it is told once.
void AddNew(const diag::Sink& from, std::vector<diag::Diagnostic>& to) {
  for (const diag::Diagnostic& diagnostic : from.diagnostics()) {
    const bool told = std::any_of(to.begin(), to.end(), [&](const diag::Diagnostic& other) {
      return other.span == diagnostic.span && other.message == diagnostic.message;
    });
    if (!told) to.push_back(diagnostic);
  }
}

void CheckPipelines(wgsl::Program& program, const CheckOptions& options, Checked& checked) {
  gpu::core::Constants constants;
  for (const wgsl::VariableId id : program.overrides) {
    const wgsl::Variable& variable = program.variables[id];
    const auto given = options.overrides.find(variable.name);
    if (given == options.overrides.end()) continue;
    checked.overrides_used.insert(variable.name);
    constants[gpu::core::OverrideKey(variable)] = given->second;
  }
  for (uint32_t i = 0; i < program.functions.size(); ++i) {
    const wgsl::FunctionId id(i);
    if (!program.functions[id].is_entry_point) continue;
    diag::Sink found;
    static_cast<void>(gpu::core::EvaluateStage(program, id, constants, gpu::hal::Limits(), found));
    AddNew(found, checked.pipeline);
  }
}

}  // namespace

bool Checked::ok() const {
  return !module.has_errors() &&
         std::none_of(pipeline.begin(), pipeline.end(),
                      [](const diag::Diagnostic& d) { return d.severity == diag::Severity::kError; });
}

Checked CheckShader(const SourceFile& file, const CheckOptions& options) {
  Checked checked;
  std::optional<wgsl::Program> program = wgsl::Compile(file, {options.features}, checked.module);
  if (program && !options.module_only) CheckPipelines(*program, options, checked);
  return checked;
}

}  // namespace lockstep::runner
