// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Objects of gpu/core as JavaScript values: an External that shares ownership, until it is collected. The
// implementation classes in impl/ hold one each, as `native`.
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

struct Handle {
  template <typename T>
  explicit Handle(Shared<T> shared) : object(std::move(shared)) {
    if constexpr (std::is_base_of_v<gpu::core::Object, T>) labelled = static_cast<T*>(object.get());
  }
  virtual ~Handle() = default;

  Shared<void> object;
  gpu::core::Object* labelled = nullptr;  // what setLabel names
  std::optional<Accounted> accounted;
};

inline Napi::Value WrapHandle(Napi::Env env, std::unique_ptr<Handle> handle) {
  return Napi::External<Handle>::New(env, handle.release(), [](Napi::Env, Handle* held) { delete held; });
}

template <typename T>
Napi::Value Wrap(Napi::Env env, Shared<T> object) {
  return WrapHandle(env, std::make_unique<Handle>(std::move(object)));
}

inline Handle& HandleOf(const Napi::Value& external) { return *external.As<Napi::External<Handle>>().Data(); }

// Of an External that Wrap made for a T: who calls is impl/, never a user.
template <typename T>
Shared<T> Unwrap(const Napi::Value& external) {
  return std::static_pointer_cast<T>(HandleOf(external).object);
}

}  // namespace lockstep::bindings
