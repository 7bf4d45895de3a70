// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// The machine that kernels run on: this one, with all that its CPU has.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

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

// Target machines, each for one compilation at a time and kept for the next one: making one, with what it
// finds out about the processor, takes a twentieth of a small kernel's compilation. Thread-safe.
class TargetMachines {
 public:
  explicit TargetMachines(const HostTarget& host) : host_(host) {}

  // As new. Null where LLVM was built without this machine's target. It must go before this does.
  using Machine = std::unique_ptr<llvm::TargetMachine, std::function<void(llvm::TargetMachine*)>>;
  Machine Take();

 private:
  const HostTarget& host_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<llvm::TargetMachine>> idle_;
};

}  // namespace lockstep::codegen
