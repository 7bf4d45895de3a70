// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Text to syntax tree: the whole WGSL grammar with template-list disambiguation (#template-lists-sec). After
// a syntax error the parser goes on at the next declaration or statement, so that one run reports several.
#pragma once

#include <string>

#include "diag/diagnostic.h"
#include "support/source.h"
#include "wgsl/ast.h"

namespace lockstep::wgsl {

// What could be parsed. Where the sink has errors, the tree has holes and must not be resolved.
ast::Module Parse(const SourceFile& file, diag::Sink& sink);

// One token a line with its place: `lockstep show --emit=tokens`.
std::string DumpTokens(const SourceFile& file, diag::Sink& sink);

}  // namespace lockstep::wgsl
