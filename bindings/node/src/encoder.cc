// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "functions.h"
#include "gpu/core/command_encoder.h"
#include "gpu/core/device.h"
#include "members.h"

namespace lockstep::bindings {
namespace {

core::CommandEncoder& Encoder(const Napi::CallbackInfo& info) {
  return *Unwrap<core::CommandEncoder>(info[0]);
}
core::ComputePass& Pass(const Napi::CallbackInfo& info) { return *Unwrap<core::ComputePass>(info[0]); }

Napi::Value CreateCommandEncoder(const Napi::CallbackInfo& info) {
  return Wrap(info.Env(), Unwrap<core::Device>(info[0])->CreateCommandEncoder(ReadAs<std::string>(info[1])));
}

Napi::Value BeginComputePass(const Napi::CallbackInfo& info) {
  return Wrap(info.Env(), Encoder(info).BeginComputePass(ReadAs<core::ComputePassDescriptor>(info[1])));
}

// copyBufferToBuffer(encoder, from, fromOffset, to, toOffset, size)
void CopyBufferToBuffer(const Napi::CallbackInfo& info) {
  Encoder(info).CopyBufferToBuffer(ReadAs<Shared<core::Buffer>>(info[1]), ReadAs<uint64_t>(info[2]),
                                   ReadAs<Shared<core::Buffer>>(info[3]), ReadAs<uint64_t>(info[4]),
                                   ReadAs<std::optional<uint64_t>>(info[5]));
}

void ClearBuffer(const Napi::CallbackInfo& info) {
  Encoder(info).ClearBuffer(ReadAs<Shared<core::Buffer>>(info[1]), ReadAs<uint64_t>(info[2]),
                            ReadAs<std::optional<uint64_t>>(info[3]));
}

// copy…(encoder, source, destination, size)
template <auto Copy, typename Source, typename Destination>
void CopyTexels(const Napi::CallbackInfo& info) {
  (Encoder(info).*Copy)(ReadAs<Source>(info[1]), ReadAs<Destination>(info[2]),
                        ReadAs<core::Extent3D>(info[3]));
}

// resolveQuerySet(encoder, querySet, firstQuery, queryCount, destination, destinationOffset)
void ResolveQuerySet(const Napi::CallbackInfo& info) {
  Encoder(info).ResolveQuerySet(ReadAs<Shared<core::QuerySet>>(info[1]), ReadAs<uint32_t>(info[2]),
                                ReadAs<uint32_t>(info[3]), ReadAs<Shared<core::Buffer>>(info[4]),
                                ReadAs<uint64_t>(info[5]));
}

// GPUDebugCommandsMixin, of an encoder or a pass.
template <typename Encoder>
void PushDebugGroup(const Napi::CallbackInfo& info) {
  Unwrap<Encoder>(info[0])->PushDebugGroup(ReadAs<std::string>(info[1]));
}
template <typename Encoder>
void PopDebugGroup(const Napi::CallbackInfo& info) {
  Unwrap<Encoder>(info[0])->PopDebugGroup();
}
template <typename Encoder>
void InsertDebugMarker(const Napi::CallbackInfo& info) {
  Unwrap<Encoder>(info[0])->InsertDebugMarker(ReadAs<std::string>(info[1]));
}

// setImmediates(pass, rangeOffset, Uint8Array)
void SetImmediates(const Napi::CallbackInfo& info) {
  Pass(info).SetImmediates(ReadAs<uint32_t>(info[1]), Bytes(info[2]));
}

Napi::Value Finish(const Napi::CallbackInfo& info) {
  return Wrap(info.Env(), Encoder(info).Finish(ReadAs<std::string>(info[1])));
}

void SetPipeline(const Napi::CallbackInfo& info) {
  Pass(info).SetPipeline(ReadAs<Shared<core::ComputePipeline>>(info[1]));
}

// setBindGroup(pass, index, group or null, array of dynamic offsets)
void SetBindGroup(const Napi::CallbackInfo& info) {
  Pass(info).SetBindGroup(ReadAs<uint32_t>(info[1]), ReadAs<Shared<core::BindGroup>>(info[2]),
                          ReadAs<std::vector<uint32_t>>(info[3]));
}

void DispatchWorkgroups(const Napi::CallbackInfo& info) {
  Pass(info).DispatchWorkgroups(ReadAs<uint32_t>(info[1]), ReadAs<uint32_t>(info[2]),
                                ReadAs<uint32_t>(info[3]));
}

void DispatchWorkgroupsIndirect(const Napi::CallbackInfo& info) {
  Pass(info).DispatchWorkgroupsIndirect(ReadAs<Shared<core::Buffer>>(info[1]), ReadAs<uint64_t>(info[2]));
}

void End(const Napi::CallbackInfo& info) { Pass(info).End(); }

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
  Export<PushDebugGroup<core::CommandEncoder>>(exports, "pushDebugGroup");
  Export<PopDebugGroup<core::CommandEncoder>>(exports, "popDebugGroup");
  Export<InsertDebugMarker<core::CommandEncoder>>(exports, "insertDebugMarker");
  Export<PushDebugGroup<core::ComputePass>>(exports, "pushDebugGroupInComputePass");
  Export<PopDebugGroup<core::ComputePass>>(exports, "popDebugGroupInComputePass");
  Export<InsertDebugMarker<core::ComputePass>>(exports, "insertDebugMarkerInComputePass");
  Export<SetImmediates>(exports, "setImmediates");
  Export<Finish>(exports, "finish");
  Export<SetPipeline>(exports, "setPipeline");
  Export<SetBindGroup>(exports, "setBindGroup");
  Export<DispatchWorkgroups>(exports, "dispatchWorkgroups");
  Export<DispatchWorkgroupsIndirect>(exports, "dispatchWorkgroupsIndirect");
  Export<End>(exports, "end");
}

}  // namespace lockstep::bindings
