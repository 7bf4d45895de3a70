// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include <napi.h>

#include "functions.h"
#include "loop.h"

namespace lockstep::bindings {
namespace {

// stopDevices(): for when the process ends without its environment being cleaned up, as by process.exit.
void StopDevices(const Napi::CallbackInfo& info) { LoopOf(info.Env()).StopDevices(); }

Napi::Object Init(Napi::Env env, Napi::Object exports) {
  env.SetInstanceData(new Loop(env));
  Export<StopDevices>(exports, "stopDevices");
  ExportAdapter(exports);
  ExportBuffer(exports);
  ExportDevice(exports);
  ExportEncoder(exports);
  ExportPipeline(exports);
  ExportQueue(exports);
  ExportRender(exports);
  ExportTexture(exports);
  return exports;
}

NODE_API_MODULE(lockstep, Init)

}  // namespace
}  // namespace lockstep::bindings
