// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Render pipelines and passes of the CPU device: the rasteriser (raster/) with compiled stages, on the
// device's threads and textures.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "codegen/llvm/compiler.h"
#include "gpu/cpu/kernel_cache.h"
#include "gpu/cpu/kernel_memory.h"
#include "gpu/cpu/render_watch.h"
#include "gpu/cpu/tiered_kernel.h"
#include "gpu/cpu/workgroups.h"
#include "gpu/hal/device.h"
#include "raster/pipeline.h"

namespace lockstep::gpu::cpu {

class CpuRenderPipeline : public hal::RenderPipeline {
 public:
  static Result<std::unique_ptr<CpuRenderPipeline>> Make(KernelCache& cache,
                                                         const hal::RenderPipelineDescriptor& descriptor,
                                                         const hal::PipelineOptions& options);

  // `details`: with the code for the second look, of pipelines that are watched.
  const raster::Pipeline& pipeline(bool details) const { return details ? *detailed_ : pipeline_; }

  // --- by one thread at a time ---
  // Null where it is not watched.
  WatchedStages* watched() const { return watched_.get(); }
  Result<> MakeDetailed(KernelCache& cache) const;
  // Compiles for speed where it is worth it: so many invocations are about to run.
  void Prepare(KernelCache& cache, uint64_t vertices, uint64_t fragments) const;
  void Ran(double seconds) const;
  // Calls visit(const codegen::Kernel&) for each stage, which needs memory and a stack.
  template <typename Visit>
  void ForEachKernel(bool details, const Visit& visit) const {
    if (watched_) {
      visit(*watched_->vertex(details).kernel);
      if (const WatchedCode* code = watched_->fragment(details)) visit(*code->kernel);
      return;
    }
    visit(vertex_->code());
    if (fragment_) visit(fragment_->code());
  }

 private:
  Result<> MakeStages(KernelCache& cache, const hal::RenderPipelineDescriptor& descriptor,
                      const hal::PipelineOptions& options);
  Result<> MakeWatchedStages(KernelCache& cache, const hal::RenderPipelineDescriptor& descriptor,
                             const hal::PipelineOptions& options);

  mutable raster::Pipeline pipeline_;
  mutable std::optional<TieredKernel> vertex_, fragment_;  // unless it is watched
  std::unique_ptr<WatchedStages> watched_;
  mutable std::optional<raster::Pipeline> detailed_;
};

// Whether its draws are; those of a device all are, or none.
bool IsWatched(const hal::RenderPass& pass);

// Of each pipeline of the pass.
void PrepareKernels(const hal::RenderPass& pass, KernelCache& cache);

// What a pass runs on.
struct RenderContext {
  WorkgroupThreads& threads;
  std::vector<WorkerMemory>& workers;  // as many as there are threads, made to fit
  uint32_t thread_count = 1;
  Guards guards{};
  const volatile uint32_t* cancel = nullptr;
  std::function<abi::Observer*(uint32_t slot)> observer;  // of a pass that is watched
  bool details = false;                                   // likewise: the second look
};

// False where it was told to stop.
Result<bool> Perform(const hal::RenderPass& pass, const RenderContext& context);

}  // namespace lockstep::gpu::cpu
