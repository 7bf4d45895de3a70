// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// The facts of one result from the facts of its operands: shapes.h says what facts mean.
#pragma once

#include <span>

#include "codegen/spmd/shapes.h"
#include "ir/module.h"

namespace lockstep::codegen {

// What is known where either holds; where `fact` meets others after control flow of `level`.
Fact Join(const Fact& a, const Fact& b);
Fact Raise(const Fact& fact, uint8_t level);

Fact ConstantFact(const ir::Module& module, ir::ValueId constant);

// For operations without memory, regions or calls, `access` and `array_length` included. Operands are all
// set.
Fact EvaluateOp(const ir::Module& module, ir::InstId inst, std::span<const Fact> operands, uint32_t lanes);

}  // namespace lockstep::codegen
