// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Render passes that are watched (docs/races.md). Nothing orders the invocations of a pass, so its canonical
// schedule is the one in which one thread does it all; where no shader writes memory, all threads look for
// accesses out of range.
#pragma once

#include <cstdint>
#include <optional>

#include "gpu/cpu/kernel_cache.h"
#include "gpu/cpu/watch.h"
#include "gpu/hal/device.h"
#include "observe/findings.h"

namespace lockstep::gpu::cpu {

struct RenderContext;

// The stages of a pipeline with their events.
class WatchedStages {
 public:
  static Result<WatchedStages> Make(KernelCache& cache, const hal::RenderPipelineDescriptor& descriptor,
                                    const hal::PipelineOptions& options);

  const WatchedCode& vertex(bool details) const { return details ? *vertex_.detailed : vertex_.first; }
  // Null where there is none.
  const WatchedCode* fragment(bool details) const {
    if (!fragment_) return nullptr;
    return details ? &*fragment_->detailed : &fragment_->first;
  }
  // Compiles the code for the second look where that is not done yet.
  Result<> MakeDetailed(KernelCache& cache);
  // Whether fragments may write storage.
  bool writes() const { return writes_; }

 private:
  struct Stage {
    ir::Module lowered;
    WatchedCode first;
    std::optional<WatchedCode> detailed;
  };
  static Result<Stage> MakeStage(KernelCache& cache, const ir::Module& lowered,
                                 const hal::PipelineOptions& options);

  hal::PipelineOptions options_;
  Stage vertex_;
  std::optional<Stage> fragment_;
  bool writes_ = false;
};

// Performs the pass, whose pipelines are all watched; what it does wrong is added to `findings`. `number`:
// that they tell. False where it was told to stop.
Result<bool> WatchPass(const hal::RenderPass& pass, const RenderContext& context, KernelCache& cache,
                       uint32_t number, observe::Findings& findings);

}  // namespace lockstep::gpu::cpu
