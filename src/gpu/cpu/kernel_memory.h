// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// All memory that a running kernel sees: its buffers, and what each thread needs besides. With guards each of
// them begins or ends at a range that faults, to the byte as far as alignment allows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "abi/kernel.h"
#include "gpu/cpu/memory.h"
#include "gpu/hal/device.h"
#include "support/result.h"

namespace lockstep::gpu::cpu {

// The buffers of a dispatch. With guards a binding of a part of a buffer is a copy with guards of its own
// while the dispatch runs: the rest of the buffer is as much out of bounds as another buffer. (WebGPU lets no
// writable binding share bytes with another of the same dispatch, so copies cannot disagree.)
class BoundViews {
 public:
  BoundViews() = default;
  BoundViews(BoundViews&&) = default;
  BoundViews& operator=(BoundViews&&) = default;
  ~BoundViews();  // puts what was written into copies back

  static Result<BoundViews> Bind(std::span<const hal::BoundBuffer> buffers, Guards guards);
  std::span<const abi::BufferView> views() const { return views_; }

 private:
  struct Copy {
    Pages pages;
    std::byte* origin;
  };
  std::vector<abi::BufferView> views_;
  std::vector<Copy> copies_;
};

// What one thread that runs workgroups needs; kept from kernel to kernel.
class WorkerMemory {
 public:
  Result<> Fit(uint64_t workgroup_bytes, uint64_t frame_bytes, Guards guards);
  std::byte* workgroup() const { return workgroup_.data(); }
  std::byte* frame() const { return frame_.data(); }

 private:
  Pages workgroup_, frame_;
};

}  // namespace lockstep::gpu::cpu
