// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// The reference interpreter: runs a dispatch of an ir::Module one invocation at a time between barriers, with
// no cleverness at all. It is the oracle for the engines: tests and fuzzing compare every result with it. It
// accepts a module before or after any pass of the CPU pipeline except lane form; it bounds-checks every
// access itself and reports one that robust access should have prevented.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "abi/kernel.h"
#include "ir/module.h"
#include "support/result.h"

namespace lockstep::interp {

struct Options {
  uint64_t max_steps = UINT64_MAX;            // instructions in all; past it the run stops with a Failure
  const volatile uint32_t* cancel = nullptr;  // non-zero: stop
  uint32_t weak_failure_seed = 0;             // see abi::Dispatch
  // False: a module as lowered, whose accesses may go out of range; the robust policy is then applied here (a
  // load reads the clamped element, stores and atomics do nothing). True: the module went through
  // transform/robustness, and an access out of range is a Failure, since it is a hole in that pass.
  bool expect_robust = false;
  // Set where an operation gives a NaN, unless null. Which NaN is not promised: such a run must not be
  // compared by bits.
  bool* made_nan = nullptr;
  // Not 0: invocations of a workgroup take turns of a few instructions each, in an order that this seed
  // gives.
  uint64_t schedule_seed = 0;
  abi::Observer* observer = nullptr;  // of the events of an instrumented module
};

// `buffers[i]` is the memory of the i-th storage or uniform variable in module.variables' order (others
// skipped). Runs workgroups in linear order, invocations in linear order between barriers.
Result<> Run(const ir::Module& module, std::span<const abi::BufferView> buffers,
             std::array<uint32_t, 3> workgroup_count, const Options& options);

}  // namespace lockstep::interp
