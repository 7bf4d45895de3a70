// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace lockstep::cli {
namespace {

std::string_view StageName(runner::DiagnosticStage stage) {
  switch (stage) {
    case runner::DiagnosticStage::kModule:
      return "module";
    case runner::DiagnosticStage::kPipeline:
      return "pipeline";
    case runner::DiagnosticStage::kDescription:
      return "description";
  }
  UNREACHABLE("stage");
}

}  // namespace

std::string Quoted(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string DiagnosticJson(const diag::Diagnostic& diagnostic, const SourceFile& file,
                           runner::DiagnosticStage stage) {
  const Position begin = file.PositionOf(diagnostic.span.begin);
  const Position end = file.PositionOf(std::max(diagnostic.span.begin, diagnostic.span.end));
  const std::string_view rule = diagnostic.kind != nullptr ? diagnostic.kind->rule : std::string_view();
  return fmt::format(
      R"({{"severity":"{}","line":{},"column":{},"end_line":{},"end_column":{},"message":{},"rule":{},"stage":"{}"}})",
      diag::SeverityName(diagnostic.severity), begin.line, begin.column, end.line, end.column,
      Quoted(diagnostic.message), rule.empty() ? "null" : Quoted(rule), StageName(stage));
}

std::string ErrorJson(int status, std::string_view message, const std::vector<std::string>& diagnostics,
                      std::string_view prefix) {
  return fmt::format(R"({{{}"error":{{"status":{},"message":{},"diagnostics":[{}]}}}})", prefix, status,
                     Quoted(message), fmt::join(diagnostics, ","));
}

int StatusOf(FailureKind kind) {
  switch (kind) {
    case FailureKind::kProgram:
      return 1;
    case FailureKind::kUsage:
      return 2;
    case FailureKind::kEnvironment:
      return 3;
    case FailureKind::kInterrupted:
      return 130;
  }
  UNREACHABLE("failure kind");
}

}  // namespace lockstep::cli
