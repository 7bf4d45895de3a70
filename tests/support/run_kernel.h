// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Machine code run by hand, without a device: workgroups in linear order on one thread, with memory of its
// own that ends at (or begins after) what faults and holds what earlier kernels may have left behind.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "abi/kernel.h"
#include "codegen/llvm/compiler.h"
#include "support/guarded_memory.h"

namespace lockstep::tests {

inline constexpr uint32_t kNeverCancel = 0;

// Runs `workgroups` workgroups along x until one does not end by itself; that one's status.
inline int32_t RunKernel(const codegen::Kernel& kernel, std::span<const abi::BufferView> buffers,
                         uint32_t workgroups, const volatile uint32_t* cancel = &kNeverCancel,
                         Touch touch = Touch::kGuardBehind,
                         std::span<const abi::TextureView* const> textures = {}) {
  // A kernel wants an alignment of 64 bytes: the start of a whole number of them that ends at a page's end.
  const GuardedMemory workgroup_memory((kernel.workgroup_bytes + 63) / 64 * 64, touch);
  const GuardedMemory frame((kernel.frame_bytes + 63) / 64 * 64, touch);
  std::fill_n(workgroup_memory.data(), workgroup_memory.size(), std::byte{0xcd});
  std::fill_n(frame.data(), frame.size(), std::byte{0xcd});
  abi::Worker worker{workgroup_memory.data(), frame.data(), 1};
  abi::Dispatch dispatch;
  dispatch.buffers = buffers.data();
  dispatch.textures = textures.data();
  dispatch.cancel = cancel;
  dispatch.workgroup_count[0] = workgroups;
  for (uint32_t x = 0; x < workgroups; ++x) {
    const int32_t status = kernel.entry()(&dispatch, &worker, x, 0, 0);
    if (status != abi::kDone) return status;
  }
  return abi::kDone;
}

}  // namespace lockstep::tests
