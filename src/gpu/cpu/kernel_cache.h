// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// From a lowered module to a kernel, by the shortest way: kernels of this process, kernels on disk, the
// compiler. The key is the module's text with everything else that decides the code: options, processor,
// versions. Code that was compiled fast has a key of its own, stays in memory, and is only for those who ask
// for it (hal::PipelineOptions::quick); they too get what was compiled for speed where it is there.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "codegen/llvm/compiler.h"
#include "gpu/cpu/disk_cache.h"
#include "gpu/hal/device.h"
#include "ir/module.h"
#include "support/result.h"

namespace lockstep::gpu::cpu {

struct KernelCacheOptions {
  std::vector<std::string> library_folders;
  std::string disk_folder;  // empty: none
  uint64_t disk_bytes = 0;
  std::string build_id;  // changes with every build of the program
};

struct CachedKernel {
  std::shared_ptr<codegen::Kernel> code;
  // Of code that was compiled fast: how long that took.
  std::optional<double> quick_seconds;
};

class KernelCache {
 public:
  explicit KernelCache(KernelCacheOptions options);

  Result<CachedKernel> Get(const ir::Module& lowered, const hal::PipelineOptions& options);
  Result<std::string> Show(const ir::Module& lowered, codegen::Emit emit,
                           const hal::PipelineOptions& options);

 private:
  // Loads the compiler on first use.
  Result<codegen::Compiler*> Compiler();
  std::optional<CachedKernel> FindInMemory(const std::string& key, bool quick);
  Result<CachedKernel> Make(codegen::Compiler& compiler, const ir::Module& lowered, const std::string& key,
                            const hal::PipelineOptions& options);
  codegen::LaneOptions LaneOptionsFor(const codegen::Compiler& compiler,
                                      const hal::PipelineOptions& options) const;

  KernelCacheOptions options_;
  DiskCache disk_;
  std::mutex mutex_;  // guards what follows
  std::unique_ptr<codegen::Compiler> compiler_;
  std::unordered_map<std::string, CachedKernel> kernels_;
};

}  // namespace lockstep::gpu::cpu
