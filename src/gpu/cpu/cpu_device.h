// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// The CPU as a hal::Device: compiled kernels (or the reference interpreter) on a pool of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gpu/cpu/memory.h"
#include "gpu/hal/device.h"

namespace lockstep::gpu::cpu {

enum class Engine : uint8_t {
  kCompiler,
  kInterpreter,  // slow and obviously right: for tests and comparisons
};

struct Options {
  Engine engine = Engine::kCompiler;
  std::vector<std::string> library_folders;  // where the compiler's shared library may lie
  std::string cache_folder;                  // of compiled kernels; empty: none
  uint64_t cache_bytes = uint64_t{256} << 20;
  std::string build_id;  // changes with every build of the program; part of the cache's keys
  // Around everything that a kernel may touch.
#ifdef LOCKSTEP_GUARD_PAGES
  Guards guards = Guards::kBehind;
#else
  Guards guards = Guards::kNone;
#endif
};

std::shared_ptr<hal::Device> MakeCpuDevice(const Options& options);

}  // namespace lockstep::gpu::cpu
