// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// ir::Module -> machine code in memory. This header shows no LLVM: the room is a shared library of its own
// that the CPU device loads on first use, through the one C symbol below.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "abi/kernel.h"
#include "codegen/spmd/options.h"
#include "ir/module.h"
#include "support/result.h"

namespace lockstep::codegen {

// Kernels that would need more do not compile.
inline constexpr uint64_t kMaxStackBytes = uint64_t{1} << 26;

// Machine code ready to run, and what the host must provide for it (abi/kernel.h). Thread-safe to call.
class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual abi::KernelEntry entry() const = 0;
  uint64_t workgroup_bytes = 0;  // Worker::workgroup_memory
  uint64_t frame_bytes = 0;      // Worker::frame
  uint64_t stack_bytes = 0;      // of the calling thread's stack, at most kMaxStackBytes
  uint32_t lanes = 0;            // chosen
  uint32_t groups = 0;           // lane groups of a workgroup
};

enum class Emit { kNone, kLanes, kLlvm, kAsm };  // a text form wanted beside the kernel: lockstep show

class Compiler {
 public:
  virtual ~Compiler() = default;
  // `module` has been through the CPU pipeline (ir/transform/pipeline.h). The i-th storage or uniform
  // variable in module.variables' order is Dispatch::buffers[i]. Thread-safe. `emitted` may be null.
  virtual Result<std::unique_ptr<Kernel>> Compile(const ir::Module& module, const LaneOptions& options,
                                                  Emit emit, std::string* emitted) = 0;
  // Object code for a disk cache; Load takes what Save gave for the same CPU and version, trusting its
  // caller's checksum.
  virtual Result<std::string> CompileToObject(const ir::Module& module, const LaneOptions& options) = 0;
  virtual Result<std::unique_ptr<Kernel>> Load(std::string_view object) = 0;
  virtual std::string cpu_name() const = 0;   // "znver3"; part of a cache key
  virtual std::string version() const = 0;    // of LLVM; part of a cache key
  virtual uint32_t native_lanes() const = 0;  // 32-bit lanes of this machine's vectors
};

}  // namespace lockstep::codegen

// Made once; the caller owns the result.
extern "C" lockstep::codegen::Compiler* LockstepCreateCompiler();
