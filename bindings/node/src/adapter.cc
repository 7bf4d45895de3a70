// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/adapter.h"

#include "functions.h"
#include "gpu/core/device.h"
#include "gpu/core/queue.h"
#include "loop.h"
#include "members.h"

namespace lockstep::bindings {
namespace {

Napi::Object LimitsObject(Napi::Env env, const gpu::hal::Limits& limits) {
  Napi::Object object = Napi::Object::New(env);
  for (const core::LimitInfo& limit : core::AllLimits())
    object.Set(std::string(limit.name), static_cast<double>(limit.get(limits)));
  return object;
}

// openDevice(name, options): a handle of a machine's device, or throws why there is none.
Napi::Value OpenDevice(const Napi::CallbackInfo& info) {
  Result<gpu::devices::DeviceName> name = gpu::devices::ParseDeviceName(ReadAs<std::string>(info[0]));
  if (name.ok()) {
    Result<std::shared_ptr<gpu::hal::Device>> device =
        gpu::devices::OpenDevice(*name, ReadAs<gpu::devices::Options>(info[1]));
    if (device.ok()) return Wrap(info.Env(), std::move(*device));
    Napi::Error::New(info.Env(), device.failure().message).ThrowAsJavaScriptException();
  } else {
    Napi::TypeError::New(info.Env(), name.failure().message).ThrowAsJavaScriptException();
  }
  return info.Env().Undefined();
}

// requestAdapter(device of the machine): {handle, features, limits, info}.
Napi::Value RequestAdapter(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  Shared<gpu::hal::Device> device = Unwrap<gpu::hal::Device>(info[0]);
  if (!device) return env.Undefined();
  auto adapter = std::make_shared<core::Adapter>(std::move(device), LoopOf(env).events());
  Napi::Object result = Napi::Object::New(env);
  result.Set("features", StringArray(env, adapter->features()));
  result.Set("limits", LimitsObject(env, adapter->limits()));
  const gpu::hal::AdapterInfo& about = adapter->info();
  Napi::Object described = Napi::Object::New(env);
  described.Set("vendor", about.vendor);
  described.Set("architecture", about.architecture);
  described.Set("device", about.device);
  described.Set("description", about.description);
  described.Set("subgroupMinSize", about.subgroup_min_size);
  described.Set("subgroupMaxSize", about.subgroup_max_size);
  described.Set("isFallbackAdapter", about.fallback);
  result.Set("info", described);
  result.Set("handle", Wrap(env, std::move(adapter)));
  return result;
}

// What create was told: {timeout, onFinding}. Where there is onFinding, races and accesses out of bounds are
// looked for in whatever the device runs, and it gets {kind, pipelineKind,
// pipeline, message}.
core::DeviceOptions ReadOptions(Napi::Env env, const MemberReader& read) {
  core::DeviceOptions options;
  options.quick_pipelines = true;
  read("timeout", options.command_seconds);
  const Napi::Value sink = read.Get("onFinding");
  if (IsAbsent(sink)) return options;
  options.watch = true;
  options.findings =
      LoopOf(env).Always<const core::Finding&>(sink, [](Napi::Env in, const core::Finding& found) {
        Napi::Object object = Napi::Object::New(in);
        object.Set("kind", std::holds_alternative<observe::Race>(found.what) ? "race" : "out-of-bounds");
        object.Set("pipelineKind", found.kind);
        object.Set("pipeline", found.pipeline);
        object.Set("message", found.text);
        return std::vector<napi_value>{object};
      });
  return options;
}

// requestDevice(adapter, descriptor, options): {handle, queue, features, limits}, or {error,
// typeError}.
Napi::Value RequestDevice(core::Adapter& adapter, const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  Napi::Object result = Napi::Object::New(env);
  core::RequestDeviceResult requested =
      adapter.RequestDevice(ReadAs<core::DeviceDescriptor>(info[1]), ReadOptions(env, MemberReader(info[2])));
  if (!requested.device) {
    result.Set("error", requested.error);
    result.Set("typeError", requested.type_error);
    return result;
  }
  core::Device& device = *requested.device;
  LoopOf(env).Remember(requested.device);
  result.Set("features", StringArray(env, device.features()));
  result.Set("limits", LimitsObject(env, device.limits()));
  result.Set("queue", Wrap(env, device.queue()));
  result.Set("handle", Wrap(env, std::move(requested.device)));
  return result;
}

}  // namespace

Napi::Array StringArray(Napi::Env env, const std::vector<std::string>& strings) {
  Napi::Array array = Napi::Array::New(env, strings.size());
  for (uint32_t i = 0; i < strings.size(); ++i) array.Set(i, strings[i]);
  return array;
}

void ExportAdapter(Napi::Object exports) {
  Export<OpenDevice>(exports, "openDevice");
  Export<RequestAdapter>(exports, "requestAdapter");
  Export<RequestDevice>(exports, "requestDevice");
}

}  // namespace lockstep::bindings
