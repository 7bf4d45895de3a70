// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Shader modules, layouts, bind groups and pipelines.
#include "functions.h"
#include "gpu/core/device.h"
#include "loop.h"
#include "members.h"

namespace lockstep::bindings {
namespace {

// name(device, descriptor): a handle.
template <auto Create, typename Descriptor>
Napi::Value CreateFrom(core::Device& device, const Napi::CallbackInfo& info) {
  return Wrap(info.Env(), (device.*Create)(ReadAs<Descriptor>(info[1])));
}

// compilationInfo(module): an array of {message, type, lineNum, linePos, offset, length}.
Napi::Value CompilationInfo(core::ShaderModule& module, const Napi::CallbackInfo& info) {
  const std::vector<core::CompilationMessage> messages = module.CompilationInfo();
  Napi::Array array = Napi::Array::New(info.Env(), messages.size());
  for (uint32_t i = 0; i < messages.size(); ++i) {
    const core::CompilationMessage& message = messages[i];
    const bool warning = message.severity == diag::Severity::kWarning;
    Napi::Object object = Napi::Object::New(info.Env());
    object.Set("message", message.message);
    object.Set("type", message.severity == diag::Severity::kError ? "error" : warning ? "warning" : "info");
    object.Set("lineNum", static_cast<double>(message.line));
    object.Set("linePos", static_cast<double>(message.column));
    object.Set("offset", static_cast<double>(message.offset));
    object.Set("length", static_cast<double>(message.length));
    array.Set(i, object);
  }
  return array;
}

// create…PipelineAsync(device, descriptor, done): done(handle, null) or done(null, {kind, message}).
template <auto Create, typename Pipeline, typename Descriptor>
void CreatePipelineAsync(core::Device& device, const Napi::CallbackInfo& info) {
  (device.*Create)(
      ReadAs<Descriptor>(info[1]),
      LoopOf(info.Env())
          .Once<const Shared<Pipeline>&,
                const std::optional<core::Error>&>(info[2], [](Napi::Env env,
                                                               const Shared<Pipeline>& pipeline,
                                                               const std::optional<core::Error>& error) {
            return std::vector<napi_value>{error ? env.Null() : Wrap(env, pipeline), ErrorValue(env, error)};
          }));
}

// languageFeatures(): names of the WGSL language features that the front end has.
Napi::Value LanguageFeatures(const Napi::CallbackInfo& info) {
  return StringArray(info.Env(), wgsl::OfferedLanguageFeatures());
}

// setLabel(handle, label)
void SetLabel(Handle& handle, const Napi::CallbackInfo& info) {
  if (handle.labelled != nullptr) handle.labelled->set_label(ReadAs<std::string>(info[1]));
}

// getBindGroupLayout(pipeline, index): a handle.
template <typename Pipeline>
Napi::Value GetBindGroupLayout(Pipeline& pipeline, const Napi::CallbackInfo& info) {
  return Wrap(info.Env(), pipeline.GetBindGroupLayout(ReadAs<uint32_t>(info[1])));
}

}  // namespace

void ExportPipeline(Napi::Object exports) {
  using core::Device;
  Export<CreateFrom<&Device::CreateShaderModule, core::ShaderModuleDescriptor>>(exports,
                                                                                "createShaderModule");
  Export<CreateFrom<&Device::CreateBindGroupLayout, core::BindGroupLayoutDescriptor>>(
      exports, "createBindGroupLayout");
  Export<CreateFrom<&Device::CreatePipelineLayout, core::PipelineLayoutDescriptor>>(exports,
                                                                                    "createPipelineLayout");
  Export<CreateFrom<&Device::CreateBindGroup, core::BindGroupDescriptor>>(exports, "createBindGroup");
  Export<CreateFrom<&Device::CreateComputePipeline, core::ComputePipelineDescriptor>>(
      exports, "createComputePipeline");
  Export<CompilationInfo>(exports, "compilationInfo");
  Export<CreatePipelineAsync<&Device::CreateComputePipelineAsync, core::ComputePipeline,
                             core::ComputePipelineDescriptor>>(exports, "createComputePipelineAsync");
  Export<CreateFrom<&Device::CreateRenderPipeline, core::RenderPipelineDescriptor>>(exports,
                                                                                    "createRenderPipeline");
  Export<CreatePipelineAsync<&Device::CreateRenderPipelineAsync, core::RenderPipeline,
                             core::RenderPipelineDescriptor>>(exports, "createRenderPipelineAsync");
  Export<LanguageFeatures>(exports, "languageFeatures");
  Export<SetLabel>(exports, "setLabel");
  Export<GetBindGroupLayout<core::ComputePipeline>>(exports, "getBindGroupLayout");
  Export<GetBindGroupLayout<core::RenderPipeline>>(exports, "getBindGroupLayoutOfRenderPipeline");
}

}  // namespace lockstep::bindings
