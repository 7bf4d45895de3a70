// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// The IR's one text form (docs/ir.md): deterministic, no addresses; Parse(Print(m)) prints the same again.
#pragma once

#include <string>
#include <string_view>

#include "ir/module.h"
#include "support/result.h"

namespace lockstep::ir {

std::string Print(const Module& module);
std::string Print(const Module& module, FunctionId function);

// The module that `text` describes; a failure names the line. The result is not verified.
Result<Module> Parse(std::string_view text);

}  // namespace lockstep::ir
