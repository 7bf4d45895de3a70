// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Pipelines whose dispatches are watched: the module with its events, and the words of the compiler
// translated for observers, which know none.
#pragma once

#include <array>
#include <memory>
#include <span>

#include "abi/kernel.h"
#include "codegen/llvm/compiler.h"
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

// Whether the order in which workgroups run shows, even where nothing races: in what they do, since an old
// value that an atomic on storage gives is used, or in what they leave, since their atomics do not commute.
bool DependsOnOrder(const ir::Module& lowered);

// `views`: the bound buffers, as for the kernel.
observe::Program MakeProgram(const ir::Module& module, const ir::WatchTable& table,
                             std::span<const abi::BufferView> views,
                             const std::array<uint32_t, 3>& workgroups);

}  // namespace lockstep::gpu::cpu
