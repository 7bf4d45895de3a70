// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// The headers of all passes that transform/passes.def names, for what treats them alike.
#pragma once

#include "ir/transform/inline_functions.h"
#include "ir/transform/promote_variables.h"
#include "ir/transform/remove_unreachable.h"
#include "ir/transform/robustness.h"
#include "ir/transform/split_variables.h"
