// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// GPUShaderModule: compiled WGSL, or the messages that say why it is not.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "gpu/core/object.h"
#include "support/source.h"
#include "wgsl/program.h"

namespace lockstep::gpu::core {

struct ShaderModuleDescriptor {
  std::string label;
  std::string file_name;  // for messages; where it is empty the label, and "shader"
  std::string code;
};

// GPUCompilationMessage: lines and columns from 1, offsets and lengths in UTF-16 units of the code.
struct CompilationMessage {
  diag::Severity severity = diag::Severity::kError;
  std::string message;
  uint64_t line = 0, column = 0, offset = 0, length = 0;
};

class ShaderModule : public Object {
 public:
  ShaderModule(std::shared_ptr<Device> device, const ShaderModuleDescriptor& descriptor);

  const SourceFile& source() const { return source_; }
  const diag::Sink& messages() const { return sink_; }
  std::vector<CompilationMessage> CompilationInfo() const;

  // Only of a valid module. Overrides are evaluated into the program's tables.
  const wgsl::Program& program() const { return *program_; }
  wgsl::Program& program() { return *program_; }

 private:
  SourceFile source_;
  diag::Sink sink_;
  std::optional<wgsl::Program> program_;
};

}  // namespace lockstep::gpu::core
