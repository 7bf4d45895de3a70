// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// How much of its thread's stack a kernel takes at most. WGSL has no recursion, so that the calls of a kernel
// form a graph without cycles, and LLVM tells how large the frame of each function is once it has made its
// code:
//
//     depth(f) = frame(f) + the largest depth of what f calls
//
// Whoever runs the kernel must have that much and some more: large frames step over the page that faults
// below a thread's stack, and nothing else would notice.
#pragma once

#include <cstdint>
#include <string>

#include "llvm/ADT/StringMap.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

namespace lockstep::codegen {

struct StackDepth {
  uint64_t bytes = 0;
  // On the deepest way down, the function with the largest frame.
  std::string largest;
  uint64_t largest_bytes = 0;
  uint64_t calls = 0;  // on the way down, one inside the other
};

class StackMeter {
 public:
  // Before code is made. `module`'s functions stand in it behind those that they call.
  explicit StackMeter(llvm::Module* module);
  // After code was made.
  StackDepth Deepest() const;

 private:
  llvm::Module& module_;
  llvm::StringMap<uint64_t> frames_;  // by function
};

}  // namespace lockstep::codegen
