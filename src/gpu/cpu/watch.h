// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Pipelines that are watched: the module with its events, and the words of the compiler
// translated for observers, which know none.
#pragma once

#include <array>
#include <memory>
#include <span>

#include "abi/kernel.h"
#include "codegen/llvm/compiler.h"
#include "gpu/cpu/kernel_cache.h"
#include "ir/module.h"
#include "ir/transform/instrument_races.h"
#include "observe/program.h"

namespace lockstep::gpu::cpu {

// The canonical schedule has lane groups of this many invocations, whatever the machine's vectors and
// --lanes.
inline constexpr uint32_t kWatchLanes = 16;

// A kernel with events, and what they mean. Without details for the first look, with them for the second.
struct WatchedCode {
  ir::Module module;
  ir::WatchTable table;
  std::shared_ptr<codegen::Kernel> kernel;  // null with the interpreter
};

WatchedCode Instrument(const ir::Module& lowered, bool details);
// With lane groups of kWatchLanes.
Result<> CompileWatched(WatchedCode& code, KernelCache& cache, const hal::PipelineOptions& options);

// Whether the order in which workgroups run shows, even where nothing races: in what they do, since an old
// value that an atomic on storage gives is used, or in what they leave, since their atomics do not commute.
bool DependsOnOrder(const ir::Module& lowered);

// `views`: the bound buffers, as for the kernel.
observe::Program MakeProgram(const WatchedCode& code, std::span<const abi::BufferView> views,
                             const std::array<uint32_t, 3>& workgroups);

// --- its parts, of which programs with several kernels are made ---

// Where the layouts and sites of a kernel begin in a program.
struct CodeNumbers {
  uint32_t layout = 0, site = 0;
};
// `source`: as observe::Site has it.
CodeNumbers AddCode(observe::Program& program, const WatchedCode& code, uint32_t source);

// Where a bound buffer lies: words of one of the program's memories.
struct BoundMemory {
  uint32_t memory = 0;
  uint64_t first_word = 0, words = 0;
};
// The kernel's variables with these buffers; the number of the first. Memories grow to hold what is watched.
uint32_t AddVariables(observe::Program& program, const WatchedCode& code, const CodeNumbers& numbers,
                      std::span<const BoundMemory> bound);

}  // namespace lockstep::gpu::cpu
