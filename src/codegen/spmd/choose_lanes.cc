// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "codegen/spmd/choose_lanes.h"

#include <algorithm>
#include <bit>

namespace lockstep::codegen {

uint32_t ChooseLanes(const ir::Module& module, const LaneOptions& options) {
  const uint32_t filled = std::bit_ceil(std::clamp<uint32_t>(module.invocations(), 1, kMaxLanes));
  if (options.lanes != 0) return std::bit_floor(std::min(options.lanes, kMaxLanes));
  return std::min({filled, options.native_lanes * 2, kMaxLanes});
}

}  // namespace lockstep::codegen
