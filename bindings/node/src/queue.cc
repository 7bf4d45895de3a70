// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/queue.h"

#include "functions.h"
#include "loop.h"
#include "members.h"

namespace lockstep::bindings {
namespace {

void Submit(core::Queue& queue, const Napi::CallbackInfo& info) {
  queue.Submit(ReadAs<std::vector<Shared<core::CommandBuffer>>>(info[1]));
  // What is watched is awaited by whoever asked for findings.
  if (queue.device().options().watch) queue.OnSubmittedWorkDone([held = LoopOf(info.Env()).Hold()] {});
}

// writeBuffer(queue, buffer, offset, Uint8Array)
void WriteBuffer(core::Queue& queue, const Napi::CallbackInfo& info) {
  queue.WriteBuffer(ReadAs<Shared<core::Buffer>>(info[1]), ReadAs<uint64_t>(info[2]), Bytes(info[3]));
}

// writeTexture(queue, destination, Uint8Array, layout, size)
void WriteTexture(core::Queue& queue, const Napi::CallbackInfo& info) {
  queue.WriteTexture(ReadAs<core::TexelCopyTextureInfo>(info[1]), Bytes(info[2]),
                     ReadAs<core::TexelCopyBufferLayout>(info[3]), ReadAs<core::Extent3D>(info[4]));
}

// onSubmittedWorkDone(queue, done)
void OnSubmittedWorkDone(core::Queue& queue, const Napi::CallbackInfo& info) {
  queue.OnSubmittedWorkDone(
      LoopOf(info.Env()).Once<>(info[1], [](Napi::Env) { return std::vector<napi_value>(); }));
}

}  // namespace

void ExportQueue(Napi::Object exports) {
  Export<Submit>(exports, "submit");
  Export<WriteBuffer>(exports, "writeBuffer");
  Export<WriteTexture>(exports, "writeTexture");
  Export<OnSubmittedWorkDone>(exports, "onSubmittedWorkDone");
}

}  // namespace lockstep::bindings
