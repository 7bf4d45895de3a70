// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Ties gpu/core's events to Node's loop: what threads of a device post runs on the JavaScript thread, inside
// a callback scope, so that promises go on afterwards. The loop stays alive only while somebody waits for
// something: a device that nobody asks anything of does not keep a process from ending.
#pragma once

#include <napi.h>

#include <functional>
#include <memory>
#include <type_traits>
#include <vector>

#include "gpu/core/device.h"
#include "gpu/core/events.h"

namespace lockstep::bindings {

class Loop {
 public:
  explicit Loop(Napi::Env env);
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  const std::shared_ptr<gpu::core::Events>& events() const { return events_; }

  template <typename... Args>
  using Arguments = std::function<std::vector<napi_value>(Napi::Env, Args...)>;

  // What gpu/core is to call later, any number of times: calls the JavaScript function with what `arguments`
  // makes.
  template <typename... Args>
  std::function<void(Args...)> Always(const Napi::Value& function,
                                      std::type_identity_t<Arguments<Args...>> arguments) {
    auto callback =
        std::make_shared<Napi::FunctionReference>(Napi::Persistent(function.As<Napi::Function>()));
    return [callback, arguments = std::move(arguments)](Args... args) {
      const Napi::HandleScope scope(callback->Env());
      Call(*callback, arguments(callback->Env(), args...));
    };
  }
  // Likewise, for what somebody waits for: it keeps the process alive until it is forgotten.
  template <typename... Args>
  std::function<void(Args...)> Once(const Napi::Value& function,
                                    std::type_identity_t<Arguments<Args...>> arguments) {
    return [call = Always<Args...>(function, std::move(arguments)), held = Hold()](Args... args) {
      call(args...);
    };
  }
  // The process stays alive as long as this does.
  std::shared_ptr<void> Hold();

  // StopDevices will know it.
  void Remember(const std::shared_ptr<gpu::core::Device>& device);
  // Stops the devices and waits for what runs on their threads: before the process ends, since what they use
  // ends too.
  void StopDevices();

 private:
  static void Call(const Napi::FunctionReference& function, const std::vector<napi_value>& arguments);
  void Close();

  struct Wake;  // outlives the loop where a callback does

  std::shared_ptr<gpu::core::Events> events_ = std::make_shared<gpu::core::Events>();
  std::shared_ptr<Wake> wake_;
  std::vector<std::weak_ptr<gpu::core::Device>> devices_;
};

// The loop of this thread's JavaScript (worker threads have their own).
Loop& LoopOf(Napi::Env env);

}  // namespace lockstep::bindings
