// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "wgsl/parser.h"
#include "wgsl/program.h"

namespace lockstep::wgsl {

std::optional<Program> Compile(const SourceFile& file, const CompileOptions& options, diag::Sink& sink) {
  ast::Module module = Parse(file, sink);
  if (sink.has_errors()) return std::nullopt;
  return Resolve(file, std::move(module), options, sink);
}

}  // namespace lockstep::wgsl
