// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Types written in a description, in the shader's own terms: its structs, aliases and constants, and WGSL's
// types.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "wgsl/program.h"

namespace lockstep::runner {

// The type that `text` names; interns what is new. None: `error` says why.
std::optional<wgsl::TypeId> ParseType(wgsl::Program& program, std::string_view text, std::string& error);

}  // namespace lockstep::runner
