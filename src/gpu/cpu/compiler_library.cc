// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/cpu/compiler_library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

namespace lockstep::gpu::cpu {

Result<std::unique_ptr<codegen::Compiler>> LoadCompiler(const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) {
    const std::string path = folder + "/" + kCompilerLibrary;
    if (access(path.c_str(), R_OK) != 0) continue;
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      return Failure{FailureKind::kEnvironment,
                     fmt::format("the compiler {} cannot be loaded: {}", path, dlerror())};
    }
    using Create = codegen::Compiler* (*)();
    const auto create = reinterpret_cast<Create>(dlsym(library, "LockstepCreateCompiler"));
    if (create == nullptr)
      return Failure{FailureKind::kEnvironment, fmt::format("{} is not Lockstep's compiler", path)};
    std::unique_ptr<codegen::Compiler> compiler(create());
    if (!compiler)
      return Failure{FailureKind::kEnvironment, fmt::format("{} cannot compile for this machine", path)};
    return compiler;
  }
  std::string places;
  for (const std::string& folder : folders) places += fmt::format("{}{}", places.empty() ? "" : ", ", folder);
  return Failure{
      FailureKind::kEnvironment,
      fmt::format("the compiler {} is missing (looked in {}): build or install it beside the program",
                  kCompilerLibrary, places)};
}

}  // namespace lockstep::gpu::cpu
