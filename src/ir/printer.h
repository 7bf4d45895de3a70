// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// The IR's one text form (docs/ir.md): deterministic, no addresses; Parse(Print(m)) prints the same again.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "ir/module.h"
#include "support/result.h"

namespace lockstep::ir {

std::string Print(const Module& module);
std::string Print(const Module& module, FunctionId function);

// Comments that another room adds to the text form (shapes of lane form): what the functions return stands
// after the line of the instruction, and on a line of its own before a block with parameters. Empty for none.
struct PrintNotes {
  std::function<std::string(InstId)> inst;
  std::function<std::string(ValueId)> param;
};
std::string Print(const Module& module, const PrintNotes& notes);

// The module that `text` describes; a failure names the line. The result is not verified.
Result<Module> Parse(std::string_view text);

}  // namespace lockstep::ir
