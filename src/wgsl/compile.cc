// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "wgsl/parser.h"
#include "wgsl/program.h"

namespace lockstep::wgsl {

std::optional<Program> Compile(const SourceFile& file, const CompileOptions& options, diag::Sink& sink) {
  ast::Module module = Parse(file, sink);
  if (sink.has_errors()) return std::nullopt;
  std::optional<Program> program = Resolve(file, std::move(module), options, sink);
  if (!program || sink.has_errors()) return std::nullopt;
  CheckAliasing(*program, sink);
  CheckUniformity(*program, sink);
  if (sink.has_errors()) return std::nullopt;
  return program;
}

}  // namespace lockstep::wgsl
