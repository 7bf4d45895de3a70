// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/cpu/kernel_cache.h"

#include <fmt/format.h>

#include <chrono>

#include "gpu/cpu/clock.h"
#include "gpu/cpu/compiler_library.h"
#include "ir/printer.h"
#include "ir/transform/pipeline.h"

namespace lockstep::gpu::cpu {
namespace {

// A page may make pipelines without end; those that are in use live on in their pipelines.
constexpr size_t kMaxKernels = 512;

// Larger modules are compiled for speed from the beginning: whoever makes such a pipeline waits, rather than
// a dispatch for seconds in the midst of others.
constexpr size_t kMostQuickInsts = 2'000;

std::string QuickKey(const std::string& key) { return "quick\n" + key; }

}  // namespace

KernelCache::KernelCache(KernelCacheOptions options)
    : options_(std::move(options)), disk_(options_.disk_folder, options_.disk_bytes) {}

Result<codegen::Compiler*> KernelCache::Compiler() {
  const std::lock_guard lock(mutex_);
  if (!compiler_) {
    Result<std::unique_ptr<codegen::Compiler>> loaded = LoadCompiler(options_.library_folders);
    if (!loaded.ok()) return loaded.failure();
    compiler_ = std::move(*loaded);
  }
  return compiler_.get();
}

codegen::LaneOptions KernelCache::LaneOptionsFor(const codegen::Compiler& compiler,
                                                 const hal::PipelineOptions& options) const {
  codegen::LaneOptions lanes;
  lanes.lanes = options.lanes;
  lanes.native_lanes = compiler.native_lanes();
  lanes.weak_failures = options.weak_failures;
  lanes.shuffle_groups = options.shuffle_groups;
  lanes.quick = options.quick;
  return lanes;
}

std::optional<CachedKernel> KernelCache::FindInMemory(const std::string& key, bool quick) {
  const std::lock_guard lock(mutex_);
  auto known = kernels_.find(key);
  if (known == kernels_.end() && quick) known = kernels_.find(QuickKey(key));
  if (known == kernels_.end()) return std::nullopt;
  return known->second;
}

Result<CachedKernel> KernelCache::Get(const ir::Module& lowered, const hal::PipelineOptions& options) {
  Result<codegen::Compiler*> compiler = Compiler();
  if (!compiler.ok()) return compiler.failure();
  const std::string key =
      fmt::format("{}\n{}\n{}\nlanes {} of {} weak {} shuffle {}\n{}", options_.build_id,
                  (*compiler)->version(), (*compiler)->cpu_name(), options.lanes, (*compiler)->native_lanes(),
                  options.weak_failures, options.shuffle_groups, ir::Print(lowered));
  if (std::optional<CachedKernel> known = FindInMemory(key, options.quick)) return *known;
  Result<CachedKernel> made = Make(**compiler, lowered, key, options);
  if (!made.ok()) return made;
  const std::lock_guard lock(mutex_);
  if (kernels_.size() >= kMaxKernels) kernels_.clear();
  if (!made->quick_seconds) kernels_.erase(QuickKey(key));
  kernels_[made->quick_seconds ? QuickKey(key) : key] = *made;
  return made;
}

Result<CachedKernel> KernelCache::Make(codegen::Compiler& compiler, const ir::Module& lowered,
                                       const std::string& key, const hal::PipelineOptions& options) {
  using Compiled = Result<std::unique_ptr<codegen::Kernel>>;
  const bool use_disk = options.cache && !options_.disk_folder.empty();
  if (use_disk) {
    if (const std::optional<std::string> object = disk_.Find(key)) {
      Compiled loaded = compiler.Load(*object);
      if (loaded.ok()) return CachedKernel{std::move(*loaded), {}};
    }
  }
  const auto start = std::chrono::steady_clock::now();
  ir::Module module = lowered;
  ir::RunCpuPipeline(module);
  codegen::LaneOptions lanes = LaneOptionsFor(compiler, options);
  if (lanes.quick && lowered.insts.size() <= kMostQuickInsts) {
    Compiled kernel = compiler.Compile(module, lanes, codegen::Emit::kNone, nullptr);
    if (kernel.ok()) return CachedKernel{std::move(*kernel), SecondsSince(start)};
    // It needs more stack than code for speed, which may be within the bound.
  }
  lanes.quick = false;
  Compiled kernel = Failure{};
  if (use_disk) {
    Result<std::string> object = compiler.CompileToObject(module, lanes);
    if (!object.ok()) return object.failure();
    kernel = compiler.Load(*object);
    if (kernel.ok()) disk_.Store(key, *object);
  } else {
    kernel = compiler.Compile(module, lanes, codegen::Emit::kNone, nullptr);
  }
  if (!kernel.ok()) return kernel.failure();
  return CachedKernel{std::move(*kernel), {}};
}

Result<std::string> KernelCache::Show(const ir::Module& lowered, codegen::Emit emit,
                                      const hal::PipelineOptions& options) {
  Result<codegen::Compiler*> compiler = Compiler();
  if (!compiler.ok()) return compiler.failure();
  ir::Module module = lowered;
  ir::RunCpuPipeline(module);
  std::string text;
  const Result<std::unique_ptr<codegen::Kernel>> kernel =
      (*compiler)->Compile(module, LaneOptionsFor(**compiler, options), emit, &text);
  if (!kernel.ok()) return kernel.failure();
  return text;
}

}  // namespace lockstep::gpu::cpu
