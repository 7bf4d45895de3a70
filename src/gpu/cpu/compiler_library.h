// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// The compiler lives in a shared library of its own (LLVM is large), which is loaded when the first pipeline
// needs it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "codegen/llvm/compiler.h"
#include "support/result.h"

namespace lockstep::gpu::cpu {

inline constexpr const char* kCompilerLibrary = "liblockstep_codegen_llvm.so";

// The library stays loaded until the process ends: kernels may outlive their compiler.
Result<std::unique_ptr<codegen::Compiler>> LoadCompiler(const std::vector<std::string>& folders);

}  // namespace lockstep::gpu::cpu
