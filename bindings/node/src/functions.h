// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// What the addon exports: plain functions over handles, named after what they do (createBuffer(device,
// descriptor)). Each file of them adds its own. One whose first parameter is an object takes it from the
// handle that comes first.
#pragma once

#include <napi.h>

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "gpu/core/error.h"
#include "handle.h"

namespace lockstep::bindings {

void ExportAdapter(Napi::Object exports);
void ExportBuffer(Napi::Object exports);
void ExportDevice(Napi::Object exports);
void ExportEncoder(Napi::Object exports);
void ExportPipeline(Napi::Object exports);
void ExportQueue(Napi::Object exports);
void ExportRender(Napi::Object exports);
void ExportTexture(Napi::Object exports);

// {kind: GPUErrorFilter, message}, or null.
Napi::Value ErrorValue(Napi::Env env, const std::optional<gpu::core::Error>& error);
Napi::Array StringArray(Napi::Env env, const std::vector<std::string>& strings);

// The object that a function is about: its first argument, null where that is something else.
template <typename T>
auto Self(const Napi::Value& value) {
  if constexpr (std::is_same_v<T, Handle>)
    return RequireHandle(value, nullptr);
  else if constexpr (std::is_base_of_v<Handle, T>)
    return static_cast<T*>(RequireHandle(value, &kTypeOf<typename T::Held>));
  else
    return Unwrap<T>(value);
}

template <typename Result>
Result Invoke(Result (*function)(const Napi::CallbackInfo&), const Napi::CallbackInfo& info) {
  return function(info);
}
template <typename Result, typename T>
Result Invoke(Result (*function)(T&, const Napi::CallbackInfo&), const Napi::CallbackInfo& info) {
  const auto self = Self<T>(info[0]);
  return self ? function(*self, info) : Result();
}
template <auto Function>
auto Entry(const Napi::CallbackInfo& info) {
  return Invoke(Function, info);
}

// exports.name = function
template <auto Function>
void Export(Napi::Object exports, const char* name) {
  exports.Set(name, Napi::Function::New<Entry<Function>>(exports.Env(), name));
}

}  // namespace lockstep::bindings
