// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Who calls whom.
#pragma once

#include <vector>

#include "ir/module.h"

namespace lockstep::ir {

// Functions in an order in which each comes after all that it calls.
std::vector<FunctionId> CalleesFirst(const Module& module);
// By function: it holds a barrier or uniform_load, itself or by what it calls.
std::vector<bool> FunctionsWithBarriers(const Module& module);

}  // namespace lockstep::ir
