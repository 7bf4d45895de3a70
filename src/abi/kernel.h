// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// What generated code and the host share. A leaf: plain structs, fixed layout, no compiler and no device.
//
// One call of a KernelEntry runs one workgroup on one thread. All memory that a kernel touches is named here;
// its code holds no absolute addresses, so that a compiled kernel can be cached on disk.
#pragma once

#include <cstddef>
#include <cstdint>

#include "abi/observe.h"
#include "abi/texture.h"

namespace lockstep::abi {

// A bound buffer range. Kernels never touch bytes outside of [data, data + size).
struct BufferView {
  std::byte* data = nullptr;  // aligned to 16 bytes at least
  uint64_t size = 0;          // bytes; a multiple of 4
};

// Constant for a dispatch; shared by all threads.
struct Dispatch {
  const BufferView* buffers = nullptr;        // by slot: the order of KernelInterface::bindings
  const volatile uint32_t* cancel = nullptr;  // non-zero: stop soon. Polled at the back edges of loops.
  uint32_t workgroup_count[3] = {1, 1, 1};
  uint32_t weak_failure_seed = 0;                // 0: atomicCompareExchangeWeak never fails spuriously
  const TextureView* const* textures = nullptr;  // those that the kernel names, in the order of the module
};
static_assert(sizeof(Dispatch) == 40);

// One for each thread that runs workgroups; never shared.
struct Worker {
  std::byte* workgroup_memory =
      nullptr;                 // KernelInterface::workgroup_bytes, aligned to 64; contents undefined at entry
  std::byte* frame = nullptr;  // KernelInterface::frame_bytes, aligned to 64; contents undefined at entry
  uint64_t random_state = 0;   // spurious failures; the host seeds it for each workgroup
  Observer* observer = nullptr;   // of instrumented kernels; others never look
  uint32_t first_invocation = 0;  // of the lane group that runs: the kernel's own note for what it calls
  // Kernels made with LaneOptions::shuffle_groups: the order of lane groups in a region is
  // (i * schedule_step + something that schedule_state gives) % groups; the step has no divisor in common
  // with the number of groups.
  uint32_t schedule_step = 1;
  uint64_t schedule_state = 0;
  uint32_t invocations = 0;  // vertex and fragment kernels: of the batch (abi/stage.h)
};
static_assert(sizeof(Worker) == 56);

enum KernelStatus : int32_t { kDone = 0, kCancelled = 1 };

// Runs the workgroup (x, y, z).
using KernelEntry = int32_t (*)(const Dispatch* dispatch, Worker* worker, uint32_t x, uint32_t y, uint32_t z);

}  // namespace lockstep::abi
