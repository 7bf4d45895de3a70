// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// The headers of all passes that transform/passes.def names, for what treats them alike.
#pragma once

#include "ir/transform/cse.h"
#include "ir/transform/dce.h"
#include "ir/transform/expand_math.h"
#include "ir/transform/fold.h"
#include "ir/transform/if_conversion.h"
#include "ir/transform/inline_functions.h"
#include "ir/transform/nest_exits.h"
#include "ir/transform/promote_variables.h"
#include "ir/transform/remove_unreachable.h"
#include "ir/transform/robustness.h"
#include "ir/transform/split_variables.h"
#include "ir/transform/stage_io.h"
