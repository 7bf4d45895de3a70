// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Render pipelines and passes of the CPU device: the rasteriser (raster/) with compiled stages, on the
// device's threads and textures.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "codegen/llvm/compiler.h"
#include "gpu/cpu/kernel_cache.h"
#include "gpu/cpu/kernel_memory.h"
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

  const raster::Pipeline& pipeline() const { return pipeline_; }

  // --- by one thread at a time ---
  // Compiles for speed where it is worth it: so many invocations are about to run.
  void Prepare(KernelCache& cache, uint64_t vertices, uint64_t fragments) const;
  void Ran(double seconds) const;
  // Calls visit(const codegen::Kernel&) for each stage, which needs memory and a stack.
  template <typename Visit>
  void ForEachKernel(const Visit& visit) const {
    visit(vertex_->code());
    if (fragment_) visit(fragment_->code());
  }

 private:
  mutable raster::Pipeline pipeline_;
  mutable std::optional<TieredKernel> vertex_, fragment_;
};

// Of each pipeline of the pass.
void PrepareKernels(const hal::RenderPass& pass, KernelCache& cache);

// What a pass runs on.
struct RenderContext {
  WorkgroupThreads& threads;
  std::vector<WorkerMemory>& workers;  // as many as there are threads, made to fit
  uint32_t thread_count = 1;
  Guards guards{};
  const volatile uint32_t* cancel = nullptr;
};

// False where it was told to stop.
Result<bool> Perform(const hal::RenderPass& pass, const RenderContext& context);

}  // namespace lockstep::gpu::cpu
