// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// The fixed list of LLVM passes for kernels. No vectorisers: lanes are the vectors, and they are there
// already.
#pragma once

#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Target/TargetMachine.h"

namespace llvm {
class LPMUpdater;
}

namespace lockstep::codegen {

// `quick`: only what makes the code small enough to be compiled fast. Sets how hard `machine` will try too.
void Optimize(llvm::Module& module, llvm::TargetMachine& machine, bool quick);

// Vectors of i1 that are used outside of the block that makes them become masks as wide as the data: LLVM
// would keep them as packed bytes between blocks, and pack and unpack them around each use.
bool WidenMasks(llvm::Function& function);

// A uniform counter that all lanes use as a vector gets a vector twin that counts along with it: one addition
// instead of moving the scalar to a vector and spreading it in each turn.
class VectorTwinPass : public llvm::PassInfoMixin<VectorTwinPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Loop& loop, llvm::LoopAnalysisManager& analyses,
                              llvm::LoopStandardAnalysisResults& results, llvm::LPMUpdater& updater);
};

}  // namespace lockstep::codegen
