// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Object code -> code in memory, by LLVM's JITLink. One session for the compiler's life; each object is a
// library of its own that goes when its handle does. Thread-safe.
#pragma once

#include <memory>
#include <string_view>

#include "abi/kernel.h"
#include "support/result.h"

namespace lockstep::codegen {

class LoadedObject {
 public:
  virtual ~LoadedObject() = default;
  abi::KernelEntry entry = nullptr;
};

class Jit {
 public:
  virtual ~Jit() = default;
  static Result<std::shared_ptr<Jit>> Create();
  // The handle keeps `self` alive.
  virtual Result<std::unique_ptr<LoadedObject>> Load(std::string_view object, std::shared_ptr<Jit> self) = 0;
};

}  // namespace lockstep::codegen
