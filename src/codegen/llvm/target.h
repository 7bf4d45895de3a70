// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// The machine that kernels run on: this one, with all that its CPU has.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "llvm/Target/TargetMachine.h"

namespace lockstep::codegen {

struct HostTarget {
  std::string triple;
  std::string cpu;       // "znver3"
  std::string features;  // "+avx2,+fma,..."
  uint32_t native_lanes = 4;
  bool has_half = false;
};

HostTarget DetectHost();
// Null where LLVM was built without this machine's target. Not to be shared between threads.
std::unique_ptr<llvm::TargetMachine> MakeTargetMachine(const HostTarget& host);

}  // namespace lockstep::codegen
