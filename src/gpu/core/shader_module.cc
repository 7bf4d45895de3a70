// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/shader_module.h"

#include <fmt/format.h>

#include "gpu/core/device.h"

namespace lockstep::gpu::core {

namespace {

std::string FileName(const ShaderModuleDescriptor& descriptor) {
  if (!descriptor.file_name.empty()) return descriptor.file_name;
  return descriptor.label.empty() ? "shader" : descriptor.label;
}

}  // namespace

ShaderModule::ShaderModule(std::shared_ptr<Device> device, const ShaderModuleDescriptor& descriptor)
    : Object(std::move(device), descriptor.label), source_(FileName(descriptor), descriptor.code) {
  if (!this->device().lost()) program_ = wgsl::Compile(source_, {this->device().features()}, sink_);
  if (!program_) Invalidate("it does not compile");
}

std::vector<CompilationMessage> ShaderModule::CompilationInfo() const {
  std::vector<CompilationMessage> messages;
  if (device().lost()) return messages;
  for (const diag::Diagnostic& diagnostic : sink_.diagnostics()) {
    const Position at = source_.PositionOf(diagnostic.span.begin);
    CompilationMessage message{diagnostic.severity, diagnostic.message, at.line, at.column, 0, 0};
    message.offset = Utf16Length(source_.text().substr(0, diagnostic.span.begin));
    message.length = Utf16Length(source_.Text(diagnostic.span));
    messages.push_back(std::move(message));
  }
  return messages;
}

std::shared_ptr<ShaderModule> Device::CreateShaderModule(const ShaderModuleDescriptor& descriptor) {
  auto module = std::make_shared<ShaderModule>(shared_from_this(), descriptor);
  if (!module->valid()) {
    const auto& all = module->messages().diagnostics();
    std::string first = "it does not compile";
    for (const diag::Diagnostic& diagnostic : all) {
      if (diagnostic.severity != diag::Severity::kError) continue;
      first = diag::RenderText(diagnostic, module->source());
      break;
    }
    Report(
        ValidationError(fmt::format("{} is in error: {}", Named("shader module", descriptor.label), first)));
  }
  return module;
}

}  // namespace lockstep::gpu::core
