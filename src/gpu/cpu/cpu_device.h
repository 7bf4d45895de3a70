// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// The CPU as a hal::Device: compiled kernels (or the reference interpreter) on a pool of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

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
#ifdef LOCKSTEP_GUARD_PAGES
  bool guard_pages = true;
#else
  bool guard_pages = false;  // buffers end at a page that faults
#endif
};

std::shared_ptr<hal::Device> MakeCpuDevice(const Options& options);

}  // namespace lockstep::gpu::cpu
