// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "handle.h"

namespace lockstep::bindings {
namespace {

// Random: what other addons wrap has other tags.
constexpr napi_type_tag kTag = {0x88ec0c2ffcd562a9ull, 0x8a23160dfbf2b681ull};

}  // namespace

Napi::Value WrapHandle(Napi::Env env, std::unique_ptr<Handle> handle) {
  const Napi::Object object = Napi::Object::New(env);
  const auto free = [](napi_env, void* held, void*) { delete static_cast<Handle*>(held); };
  if (napi_wrap(env, object, handle.get(), free, nullptr, nullptr) != napi_ok) return object;
  handle.release();
  object.TypeTag(&kTag);
  return object;
}

Handle* FindHandle(const Napi::Value& value) {
  if (!value.IsObject() || !value.As<Napi::Object>().CheckTypeTag(&kTag)) return nullptr;
  void* handle = nullptr;
  return napi_unwrap(value.Env(), value, &handle) == napi_ok ? static_cast<Handle*>(handle) : nullptr;
}

Napi::Value ThrowTypeError(Napi::Env env, const char* message) {
  if (!env.IsExceptionPending()) Napi::TypeError::New(env, message).ThrowAsJavaScriptException();
  return env.Undefined();
}

Handle* RequireHandle(const Napi::Value& value, const char* type) {
  Handle* handle = FindHandle(value);
  if (handle != nullptr && (type == nullptr || handle->type == type)) return handle;
  ThrowTypeError(value.Env(), "the native part of an object is not what its class has");
  return nullptr;
}

}  // namespace lockstep::bindings
