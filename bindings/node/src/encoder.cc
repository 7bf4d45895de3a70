// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "commands.h"
#include "gpu/core/command_encoder.h"
#include "gpu/core/compute_pass.h"
#include "gpu/core/device.h"

namespace lockstep::bindings {
namespace {

Napi::Value CreateCommandEncoder(core::Device& device, const Napi::CallbackInfo& info) {
  return Wrap(info.Env(), device.CreateCommandEncoder(ReadAs<std::string>(info[1])));
}

Napi::Value BeginComputePass(core::CommandEncoder& encoder, const Napi::CallbackInfo& info) {
  return Wrap(info.Env(), encoder.BeginComputePass(ReadAs<core::ComputePassDescriptor>(info[1])));
}

// copyBufferToBuffer(encoder, from, fromOffset, to, toOffset, size)
void CopyBufferToBuffer(core::CommandEncoder& encoder, const Napi::CallbackInfo& info) {
  encoder.CopyBufferToBuffer(ReadAs<Shared<core::Buffer>>(info[1]), ReadAs<uint64_t>(info[2]),
                             ReadAs<Shared<core::Buffer>>(info[3]), ReadAs<uint64_t>(info[4]),
                             ReadAs<std::optional<uint64_t>>(info[5]));
}

void ClearBuffer(core::CommandEncoder& encoder, const Napi::CallbackInfo& info) {
  encoder.ClearBuffer(ReadAs<Shared<core::Buffer>>(info[1]), ReadAs<uint64_t>(info[2]),
                      ReadAs<std::optional<uint64_t>>(info[3]));
}

// copy…(encoder, source, destination, size)
template <auto Copy, typename Source, typename Destination>
void CopyTexels(core::CommandEncoder& encoder, const Napi::CallbackInfo& info) {
  (encoder.*Copy)(ReadAs<Source>(info[1]), ReadAs<Destination>(info[2]), ReadAs<core::Extent3D>(info[3]));
}

// resolveQuerySet(encoder, querySet, firstQuery, queryCount, destination, destinationOffset)
void ResolveQuerySet(core::CommandEncoder& encoder, const Napi::CallbackInfo& info) {
  encoder.ResolveQuerySet(ReadAs<Shared<core::QuerySet>>(info[1]), ReadAs<uint32_t>(info[2]),
                          ReadAs<uint32_t>(info[3]), ReadAs<Shared<core::Buffer>>(info[4]),
                          ReadAs<uint64_t>(info[5]));
}

Napi::Value Finish(core::CommandEncoder& encoder, const Napi::CallbackInfo& info) {
  return Wrap(info.Env(), encoder.Finish(ReadAs<std::string>(info[1])));
}

void DispatchWorkgroups(core::ComputePass& pass, const Napi::CallbackInfo& info) {
  pass.DispatchWorkgroups(ReadAs<uint32_t>(info[1]), ReadAs<uint32_t>(info[2]), ReadAs<uint32_t>(info[3]));
}

void DispatchWorkgroupsIndirect(core::ComputePass& pass, const Napi::CallbackInfo& info) {
  pass.DispatchWorkgroupsIndirect(ReadAs<Shared<core::Buffer>>(info[1]), ReadAs<uint64_t>(info[2]));
}

void End(core::ComputePass& pass, const Napi::CallbackInfo&) { pass.End(); }

}  // namespace

void ExportEncoder(Napi::Object exports) {
  Export<CreateCommandEncoder>(exports, "createCommandEncoder");
  Export<BeginComputePass>(exports, "beginComputePass");
  Export<CopyBufferToBuffer>(exports, "copyBufferToBuffer");
  Export<ClearBuffer>(exports, "clearBuffer");
  using core::CommandEncoder, core::TexelCopyBufferInfo, core::TexelCopyTextureInfo;
  Export<CopyTexels<&CommandEncoder::CopyBufferToTexture, TexelCopyBufferInfo, TexelCopyTextureInfo>>(
      exports, "copyBufferToTexture");
  Export<CopyTexels<&CommandEncoder::CopyTextureToBuffer, TexelCopyTextureInfo, TexelCopyBufferInfo>>(
      exports, "copyTextureToBuffer");
  Export<CopyTexels<&CommandEncoder::CopyTextureToTexture, TexelCopyTextureInfo, TexelCopyTextureInfo>>(
      exports, "copyTextureToTexture");
  Export<ResolveQuerySet>(exports, "resolveQuerySet");
  ExportDebugCommands<CommandEncoder>(exports, "");
  ExportPassCommands<core::ComputePass, core::ComputePipeline>(exports, "InComputePass");
  Export<Finish>(exports, "finish");
  Export<DispatchWorkgroups>(exports, "dispatchWorkgroups");
  Export<DispatchWorkgroupsIndirect>(exports, "dispatchWorkgroupsIndirect");
  Export<End>(exports, "endInComputePass");
}

}  // namespace lockstep::bindings
