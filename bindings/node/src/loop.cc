// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "loop.h"

#include <utility>

namespace lockstep::bindings {

struct Loop::Wake {
  explicit Wake(Napi::Env e) : env(e) {
    const auto nothing = Napi::Function::New(env, [](const Napi::CallbackInfo&) {});
    function = Napi::ThreadSafeFunction::New(env, nothing, "lockstep", 0, 1);
    function.Unref(env);
  }
  void Hold() {
    if (held++ == 0 && !closed) function.Ref(env);
  }
  void Release() {
    if (--held == 0 && !closed) function.Unref(env);
  }

  Napi::Env env;
  Napi::ThreadSafeFunction function;
  size_t held = 0;
  bool closed = false;
};

Loop::Loop(Napi::Env env) : wake_(std::make_shared<Wake>(env)) {
  events_->set_wake([wake = wake_, events = events_] {
    wake->function.NonBlockingCall([wake, events](Napi::Env, const Napi::Function&) {
      if (!wake->closed) events->Process();
    });
  });
  env.AddCleanupHook([this] { Close(); });
}

Loop::~Loop() { Close(); }

void Loop::Close() {
  if (std::exchange(wake_->closed, true)) return;
  events_->set_wake(nullptr);
  StopDevices();
  events_->Clear();
  wake_->function.Release();
}

void Loop::StopDevices() {
  for (const std::weak_ptr<gpu::core::Device>& known : devices_) {
    const std::shared_ptr<gpu::core::Device> device = known.lock();
    if (!device) continue;
    device->Stop();
    device->queue_worker().WaitIdle();
    device->compile_worker().WaitIdle();
  }
}

std::shared_ptr<void> Loop::Hold() {
  wake_->Hold();
  return {nullptr, [wake = wake_](void*) { wake->Release(); }};
}

void Loop::Remember(const std::shared_ptr<gpu::core::Device>& device) {
  std::erase_if(devices_, [](const auto& known) { return known.expired(); });
  devices_.push_back(device);
}

void Loop::Call(const Napi::FunctionReference& function, const std::vector<napi_value>& arguments) {
  const Napi::Env env = function.Env();
  function.Call(arguments);
  // What a listener throws is an uncaught exception, and must not keep later callbacks from running.
  if (env.IsExceptionPending()) {
    const Napi::Error error = env.GetAndClearPendingException();
    napi_fatal_exception(env, error.Value());
  }
}

Loop& LoopOf(Napi::Env env) { return *env.GetInstanceData<Loop>(); }

}  // namespace lockstep::bindings
