// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Render pipelines and passes of the CPU device: the rasteriser (raster/) with compiled stages, on the
// device's threads and textures.
#pragma once

#include <memory>
#include <vector>

#include "codegen/llvm/compiler.h"
#include "gpu/cpu/kernel_cache.h"
#include "gpu/cpu/kernel_memory.h"
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
  // The kernels of its stages, which need memory and a stack.
  const std::vector<std::shared_ptr<codegen::Kernel>>& code() const { return code_; }

 private:
  Result<raster::Stage> MakeStage(KernelCache& cache, const ir::Module& module,
                                  const hal::PipelineOptions& options);

  raster::Pipeline pipeline_;
  std::vector<std::shared_ptr<codegen::Kernel>> code_;
};

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
