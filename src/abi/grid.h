// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// The linear order of workgroups in a dispatch and of invocations in a workgroup.
#pragma once

#include <array>
#include <cstdint>

namespace lockstep::abi {

// The place of the one with this number: x runs fastest.
inline std::array<uint32_t, 3> PlaceInGrid(uint64_t number, const std::array<uint32_t, 3>& counts) {
  const uint64_t row = number / counts[0];
  return {static_cast<uint32_t>(number % counts[0]), static_cast<uint32_t>(row % counts[1]),
          static_cast<uint32_t>(row / counts[1])};
}

}  // namespace lockstep::abi
