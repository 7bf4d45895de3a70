// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Objects of gpu/core as JavaScript values: an object that shares ownership, until it is collected. The
// implementation classes in impl/ hold one each, as `native`; since a program can put anything there, each
// says what it is.
#pragma once

#include <napi.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "gpu/core/object.h"

namespace lockstep::bindings {

template <typename T>
using Shared = std::shared_ptr<T>;

// What an object holds outside of JavaScript's heap, for the collector to know.
class Accounted {
 public:
  Accounted(Napi::Env env, uint64_t bytes) : env_(env), bytes_(static_cast<int64_t>(bytes)) {
    Adjust(bytes_);
  }
  ~Accounted() { Adjust(-bytes_); }
  Accounted(const Accounted&) = delete;
  Accounted& operator=(const Accounted&) = delete;

 private:
  void Adjust(int64_t bytes) { Napi::MemoryManagement::AdjustExternalMemory(env_, bytes); }
  Napi::Env env_;
  int64_t bytes_;
};

// Types, by their addresses.
template <typename T>
inline constexpr char kTypeOf = 0;

struct Handle {
  template <typename T>
  explicit Handle(Shared<T> shared) : type(&kTypeOf<T>), object(std::move(shared)) {
    if constexpr (std::is_base_of_v<gpu::core::Object, T>) labelled = static_cast<T*>(object.get());
  }
  virtual ~Handle() = default;

  const char* type;
  Shared<void> object;
  gpu::core::Object* labelled = nullptr;  // what setLabel names
  std::optional<Accounted> accounted;
};

Napi::Value WrapHandle(Napi::Env env, std::unique_ptr<Handle> handle);
// Null where the value is nothing that WrapHandle made.
Handle* FindHandle(const Napi::Value& value);
// Leaves the exception pending; its result is for the caller to return.
Napi::Value ThrowTypeError(Napi::Env env, const char* message);
// FindHandle, and a TypeError where it is null, or of another type (null: of any).
Handle* RequireHandle(const Napi::Value& value, const char* type);

template <typename T>
Napi::Value Wrap(Napi::Env env, Shared<T> object) {
  return WrapHandle(env, std::make_unique<Handle>(std::move(object)));
}

// Of what Wrap made for a T; null, and a TypeError pending, of anything else.
template <typename T>
Shared<T> Unwrap(const Napi::Value& value) {
  const Handle* handle = RequireHandle(value, &kTypeOf<T>);
  return handle != nullptr ? std::static_pointer_cast<T>(handle->object) : nullptr;
}

}  // namespace lockstep::bindings
