// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// How many invocations a lane group has, where the user does not say.
#pragma once

#include <cstdint>

#include "codegen/spmd/options.h"
#include "ir/module.h"

namespace lockstep::codegen {

inline constexpr uint32_t kMaxLanes = 64;

// A power of two: as the options say, or two native vectors, never more than the workgroup fills.
uint32_t ChooseLanes(const ir::Module& module, const LaneOptions& options);

}  // namespace lockstep::codegen
