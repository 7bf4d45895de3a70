// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// The fixed list of LLVM passes for kernels. No vectorisers: lanes are the vectors, and they are there already.
#pragma once

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace lockstep::codegen {

void Optimize(llvm::Module& module, llvm::TargetMachine& machine);

// Vectors of i1 that are used outside of the block that makes them become masks as wide as the data: LLVM would keep
// them as packed bytes between blocks, and pack and unpack them around each use.
bool WidenMasks(llvm::Function& function);

}  // namespace lockstep::codegen
