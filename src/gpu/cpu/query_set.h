// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/hal/device.h"

namespace lockstep::gpu::cpu {

class CpuQuerySet : public hal::QuerySet {
 public:
  explicit CpuQuerySet(uint32_t count) : values(count, 0) {}
  std::vector<uint64_t> values;
};

}  // namespace lockstep::gpu::cpu
