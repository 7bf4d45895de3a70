// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// What the addon exports: plain functions over handles, named after what they do (createBuffer(device,
// descriptor)). Each file of them adds its own.
#pragma once

#include <napi.h>

#include <optional>
#include <string>
#include <vector>

#include "gpu/core/error.h"

namespace lockstep::bindings {

void ExportAdapter(Napi::Object exports);
void ExportBuffer(Napi::Object exports);
void ExportDevice(Napi::Object exports);
void ExportEncoder(Napi::Object exports);
void ExportPipeline(Napi::Object exports);
void ExportQueue(Napi::Object exports);
void ExportTexture(Napi::Object exports);

// {kind: GPUErrorFilter, message}, or null.
Napi::Value ErrorValue(Napi::Env env, const std::optional<gpu::core::Error>& error);
Napi::Array StringArray(Napi::Env env, const std::vector<std::string>& strings);

// exports.name = function
template <Napi::Value (*Function)(const Napi::CallbackInfo&)>
void Export(Napi::Object exports, const char* name) {
  exports.Set(name, Napi::Function::New<Function>(exports.Env(), name));
}
template <void (*Function)(const Napi::CallbackInfo&)>
void Export(Napi::Object exports, const char* name) {
  exports.Set(name, Napi::Function::New<Function>(exports.Env(), name));
}

}  // namespace lockstep::bindings
