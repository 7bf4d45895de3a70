// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// The JSON that the program writes. Values are written by hand where they are numbers of a buffer: each has
// the shortest form of its own type, and there may be millions.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "runner/session.h"
#include "support/result.h"
#include "support/source.h"

namespace lockstep::cli {

std::string Quoted(std::string_view text);  // with the quotes; bytes that are not UTF-8 are replaced

// {"severity","line","column","end_line","end_column","message","rule","stage"}
std::string DiagnosticJson(const diag::Diagnostic& diagnostic, const SourceFile& file,
                           runner::DiagnosticStage stage);

// {"error":{"status","message","diagnostics"}}, or with `prefix` ("\"file\":\"x\",") before the error.
std::string ErrorJson(int status, std::string_view message, const std::vector<std::string>& diagnostics = {},
                      std::string_view prefix = {});

int StatusOf(FailureKind kind);

}  // namespace lockstep::cli
