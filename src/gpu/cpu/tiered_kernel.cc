// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/cpu/tiered_kernel.h"

#include <algorithm>

#include "ir/op.h"

namespace lockstep::gpu::cpu {
namespace {

// Invocations that are expected to take longer, compiled fast, than compiling for speed does.
constexpr uint64_t kManyInvocations = uint64_t{1} << 20;
constexpr uint64_t kManyWithLoops = uint64_t{1} << 12;
// How many times longer it takes to compile for speed.
constexpr double kCompilesLonger = 3;

bool HasLoop(const ir::Module& module) {
  return std::any_of(module.insts.begin(), module.insts.end(),
                     [](const ir::Inst& inst) { return inst.op == ir::Op::kLoop; });
}

}  // namespace

Result<TieredKernel> TieredKernel::Make(KernelCache& cache, const ir::Module& lowered,
                                        const hal::PipelineOptions& options) {
  Result<CachedKernel> kernel = cache.Get(lowered, options);
  if (!kernel.ok()) return kernel.failure();
  TieredKernel made;
  made.kernel_ = std::move(*kernel);
  if (made.kernel_.quick_seconds) {
    made.source_ = {lowered, options, HasLoop(lowered) ? kManyWithLoops : kManyInvocations};
    made.source_->options.quick = false;
  }
  return made;
}

bool TieredKernel::WorthIt(uint64_t workgroups) const {
  return workgroups >= source_->many_invocations / source_->lowered.invocations() ||
         seconds_ > kCompilesLonger * *kernel_.quick_seconds;
}

void TieredKernel::Prepare(KernelCache& cache, uint64_t workgroups) {
  if (!quick() || !WorthIt(workgroups)) return;
  Result<CachedKernel> kernel = cache.Get(source_->lowered, source_->options);
  if (kernel.ok()) kernel_ = std::move(*kernel);
  source_.reset();
}

}  // namespace lockstep::gpu::cpu
