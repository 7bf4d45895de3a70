// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// How many invocations a lane group has, where the user does not say.
//
// More native vectors in a group share uniform loads and hide latency, as long as registers last: four where
// the hottest loops keep little in vectors, two otherwise. Fewer where a narrower group makes accesses plain
// that a wider one must gather (16 lanes of a 16 x 16 workgroup are one row, 32 are two), or fills without
// lanes that are no invocations.
#pragma once

#include <cstdint>

#include "codegen/spmd/options.h"
#include "codegen/spmd/structure.h"
#include "ir/module.h"

namespace lockstep::codegen {

inline constexpr uint32_t kMaxLanes = 64;

// A power of two: as the options say, or what suits the module, which has been through PrepareForLanes.
uint32_t ChooseLanes(const ir::Module& module, const Structure& structure, const LaneOptions& options);

}  // namespace lockstep::codegen
