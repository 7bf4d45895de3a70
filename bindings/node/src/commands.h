// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// What encoders, passes and bundles have in common, as functions of the addon: each is there for each of
// them.
#pragma once

#include <string>

#include "functions.h"
#include "gpu/core/bind_group.h"
#include "members.h"

namespace lockstep::bindings {

// GPUDebugCommandsMixin.
template <typename Encoder>
void PushDebugGroup(Encoder& encoder, const Napi::CallbackInfo& info) {
  encoder.PushDebugGroup(ReadAs<std::string>(info[1]));
}
template <typename Encoder>
void PopDebugGroup(Encoder& encoder, const Napi::CallbackInfo&) {
  encoder.PopDebugGroup();
}
template <typename Encoder>
void InsertDebugMarker(Encoder& encoder, const Napi::CallbackInfo& info) {
  encoder.InsertDebugMarker(ReadAs<std::string>(info[1]));
}

// GPUBindingCommandsMixin: setBindGroup(pass, index, group or null, array of dynamic offsets)
template <typename Pass>
void SetBindGroup(Pass& pass, const Napi::CallbackInfo& info) {
  pass.SetBindGroup(ReadAs<uint32_t>(info[1]), ReadAs<Shared<core::BindGroup>>(info[2]),
                    ReadAs<std::vector<uint32_t>>(info[3]));
}
// setImmediates(pass, rangeOffset, Uint8Array)
template <typename Pass>
void SetImmediates(Pass& pass, const Napi::CallbackInfo& info) {
  pass.SetImmediates(ReadAs<uint32_t>(info[1]), Bytes(info[2]));
}

template <typename Pass, typename Pipeline>
void SetPipeline(Pass& pass, const Napi::CallbackInfo& info) {
  pass.SetPipeline(ReadAs<Shared<Pipeline>>(info[1]));
}

// exports.nameInX = function
template <auto Function>
void ExportIn(Napi::Object exports, const char* name, const std::string& suffix) {
  Export<Function>(exports, (name + suffix).c_str());
}

template <typename Encoder>
void ExportDebugCommands(Napi::Object exports, const std::string& suffix) {
  ExportIn<PushDebugGroup<Encoder>>(exports, "pushDebugGroup", suffix);
  ExportIn<PopDebugGroup<Encoder>>(exports, "popDebugGroup", suffix);
  ExportIn<InsertDebugMarker<Encoder>>(exports, "insertDebugMarker", suffix);
}

template <typename Pass, typename Pipeline>
void ExportPassCommands(Napi::Object exports, const std::string& suffix) {
  ExportDebugCommands<Pass>(exports, suffix);
  ExportIn<SetPipeline<Pass, Pipeline>>(exports, "setPipeline", suffix);
  ExportIn<SetBindGroup<Pass>>(exports, "setBindGroup", suffix);
  ExportIn<SetImmediates<Pass>>(exports, "setImmediates", suffix);
}

}  // namespace lockstep::bindings
