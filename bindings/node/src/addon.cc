// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include <napi.h>

#include "functions.h"
#include "loop.h"

namespace lockstep::bindings {
namespace {

Napi::Object Init(Napi::Env env, Napi::Object exports) {
  env.SetInstanceData(new Loop(env));
  ExportAdapter(exports);
  ExportBuffer(exports);
  ExportDevice(exports);
  ExportEncoder(exports);
  ExportPipeline(exports);
  ExportQueue(exports);
  return exports;
}

NODE_API_MODULE(lockstep, Init)

}  // namespace
}  // namespace lockstep::bindings
