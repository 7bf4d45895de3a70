// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// The reference interpreter: runs a dispatch of an ir::Module one invocation at a time between barriers, with
// no cleverness at all; or, asked for another schedule, all of them in turns. It is the oracle for the
// engines: tests and fuzzing compare every result with it. It accepts a module before or after any pass of
// the CPU pipeline except lane form; it bounds-checks every access itself and reports one that robust access
// should have prevented.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "abi/kernel.h"
#include "abi/observe.h"
#include "ir/module.h"
#include "support/result.h"

namespace lockstep::interp {

// How often a loop has gone round, from 0.
struct LoopRound {
  ir::InstId loop;
  uint32_t round = 0;
};

// One access of one invocation, as a load, store, copy, zero_fill, atomic or uniform_load makes it: a copy
// makes two. It is told also where it goes out of range and therefore does something else or nothing.
struct LoggedAccess {
  ir::InstId inst;
  // A compare-exchange that fails is a read, one out of range what it was meant to be.
  abi::AccessKind kind = abi::AccessKind::kRead;
  ir::VariableId variable;  // None for a `var` of a function
  ir::InstId var;           // that one
  ir::TypeId type;          // of what is accessed
  uint64_t offset = 0;      // bytes from the variable's start; means nothing out of range
  // Out of range: the first index on the way that was, as it was computed, and what it should be below.
  bool out_of_range = false;
  bool signed_index = false;
  uint32_t index = 0;
  uint32_t length = 0;
  std::array<uint32_t, 3> workgroup = {0, 0, 0};
  uint32_t workgroup_number = 0;  // in linear order
  uint32_t invocation = 0;        // local_invocation_index
  // Barriers that the workgroup has passed: that order workgroup memory, that order storage, all together (a
  // uniform_load is two).
  uint32_t workgroup_barriers = 0, storage_barriers = 0, barriers = 0;
  std::span<const uint32_t> written;  // a word each scalar; empty where it only reads
  std::span<const LoopRound> loops;   // around it in its function, outermost first
};

class AccessLog {
 public:
  virtual ~AccessLog() = default;
  virtual void Add(const LoggedAccess& access) = 0;
};

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
  // Not 0: invocations take turns of a few instructions each, of as many workgroups at once as kTurnBytes
  // hold, in an order that this seed gives.
  uint64_t schedule_seed = 0;
  abi::Observer* observer = nullptr;  // of the events of an instrumented module; not with schedule_seed
  AccessLog* log = nullptr;           // of every access, with or without events
  // Of a vertex or fragment kernel's batch (abi::Worker::invocations): only so many run, 0 for all. Fragments
  // run quad by quad, one invocation at a time up to a derivative; not with schedule_seed.
  uint32_t invocations = 0;
  // As abi::Dispatch::textures: one each texture variable of the module, in order.
  std::span<const abi::TextureView* const> textures;
};

// For the workgroups that take turns: about what their memory and the variables of their invocations take.
inline constexpr uint64_t kTurnBytes = uint64_t{64} << 20;

// `buffers[i]` is the memory of the i-th storage or uniform variable in module.variables' order (others
// skipped). Runs workgroups in linear order, invocations in linear order between barriers; but see
// Options::schedule_seed.
Result<> Run(const ir::Module& module, std::span<const abi::BufferView> buffers,
             std::array<uint32_t, 3> workgroup_count, const Options& options);

}  // namespace lockstep::interp
