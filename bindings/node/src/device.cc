// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/device.h"

#include "functions.h"
#include "loop.h"
#include "members.h"

namespace lockstep::bindings {
namespace {

// Whoever awaits `lost` hears of it before the process ends.
void DestroyDevice(core::Device& device, const Napi::CallbackInfo& info) {
  Loop& loop = LoopOf(info.Env());
  device.Destroy();
  loop.events()->Post([held = loop.Hold()] {});
}

// onLost(device, callback): callback(reason, message).
void OnLost(core::Device& device, const Napi::CallbackInfo& info) {
  device.set_lost_callback(
      LoopOf(info.Env())
          .Always<const core::LostInfo&>(info[1], [](Napi::Env env, const core::LostInfo& lost) {
            return std::vector<napi_value>{Napi::String::New(env, lost.destroyed ? "destroyed" : "unknown"),
                                           Napi::String::New(env, lost.message)};
          }));
}

// onUncapturedError(device, callback): callback({kind, message}), later.
void OnUncapturedError(core::Device& device, const Napi::CallbackInfo& info) {
  Loop& loop = LoopOf(info.Env());
  const auto tell = loop.Always<const core::Error&>(info[1], [](Napi::Env env, const core::Error& error) {
    return std::vector<napi_value>{ErrorValue(env, error)};
  });
  device.set_uncaptured_error([&loop, tell](const core::Error& error) {
    loop.events()->Post([tell, error, held = loop.Hold()] { tell(error); });
  });
}

Napi::Value CreateQuerySet(core::Device& device, const Napi::CallbackInfo& info) {
  return Wrap(info.Env(), device.CreateQuerySet(ReadAs<core::QuerySetDescriptor>(info[1])));
}

void DestroyQuerySet(core::QuerySet& queries, const Napi::CallbackInfo&) { queries.Destroy(); }

void PushErrorScope(core::Device& device, const Napi::CallbackInfo& info) {
  device.PushErrorScope(ReadAs<core::ErrorKind>(info[1]));
}

// popErrorScope(device, done): done(error or null); false where there is no scope.
Napi::Value PopErrorScope(core::Device& device, const Napi::CallbackInfo& info) {
  const bool popped =
      device.PopErrorScope(LoopOf(info.Env())
                               .Once<const std::optional<core::Error>&>(
                                   info[1], [](Napi::Env env, const std::optional<core::Error>& error) {
                                     return std::vector<napi_value>{ErrorValue(env, error)};
                                   }));
  return Napi::Boolean::New(info.Env(), popped);
}

}  // namespace

Napi::Value ErrorValue(Napi::Env env, const std::optional<core::Error>& error) {
  if (!error) return env.Null();
  Napi::Object object = Napi::Object::New(env);
  object.Set("kind", std::string(core::EnumName(error->kind)));
  object.Set("message", error->message);
  return object;
}

void ExportDevice(Napi::Object exports) {
  Export<DestroyDevice>(exports, "destroyDevice");
  Export<OnLost>(exports, "onLost");
  Export<OnUncapturedError>(exports, "onUncapturedError");
  Export<CreateQuerySet>(exports, "createQuerySet");
  Export<DestroyQuerySet>(exports, "destroyQuerySet");
  Export<PushErrorScope>(exports, "pushErrorScope");
  Export<PopErrorScope>(exports, "popErrorScope");
}

}  // namespace lockstep::bindings
