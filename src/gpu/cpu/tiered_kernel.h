// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// A pipeline's code. With hal::PipelineOptions::quick it may begin as code that was compiled fast, which most
// pipelines of most applications never outgrow. It is compiled again, for speed, when that is worth its time:
//
//   many invocations are about to run     a loop in the program makes each count for more
//   the fast code has run for long        as long as compiling takes: so no program waits for more than twice
//                                         what it would have waited for, had it been known what it will run
//
// Vertex and fragment shaders are compiled like compute shaders: the code is the kernel of abi/stage.h, one
// call a batch.
//
// Both give the same bits. What cannot be compiled for speed stays as it is.
#pragma once

#include <cstdint>
#include <optional>

#include "codegen/llvm/compiler.h"
#include "gpu/cpu/kernel_cache.h"
#include "gpu/hal/device.h"
#include "ir/module.h"
#include "support/result.h"

namespace lockstep::gpu::cpu {

// Used by one thread at a time.
class TieredKernel {
 public:
  static Result<TieredKernel> Make(KernelCache& cache, const ir::Module& lowered,
                                   const hal::PipelineOptions& options);

  const codegen::Kernel& code() const { return *kernel_.code; }
  // It might be compiled again.
  bool quick() const { return source_.has_value(); }
  // Compiles for speed where it is worth it: `workgroups` are about to run, or so many vertices or fragments.
  void Prepare(KernelCache& cache, uint64_t workgroups);
  void Ran(double seconds) { seconds_ += seconds; }

 private:
  struct Source {
    ir::Module lowered;
    hal::PipelineOptions options;
    uint64_t many_invocations;
  };

  TieredKernel() = default;
  bool WorthIt(uint64_t workgroups) const;

  CachedKernel kernel_;
  std::optional<Source> source_;  // of code that was compiled fast
  double seconds_ = 0;            // of dispatches
};

}  // namespace lockstep::gpu::cpu
