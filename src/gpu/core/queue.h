// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// GPUQueue (#gpuqueue). What it is given runs in order on a thread of the device's; validation is done at
// once, and its errors are reported at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "gpu/core/command_buffer.h"
#include "gpu/core/device.h"
#include "gpu/core/object.h"
#include "gpu/hal/device.h"
#include "support/result.h"

namespace lockstep::gpu::core {

struct SubmitResult {
  bool ran = false;                // false: a validation error was reported, or `failure`
  hal::ExecuteResult times;        // a dispatch each, in order
  std::optional<Failure> failure;  // interrupted (nothing is lost), or the device's: then the device is lost
};

// A submit on its way.
class Submission {
 public:
  explicit Submission(std::shared_ptr<Events> events) : events_(std::move(events)) {}
  // Blocks until it has run, processing events meanwhile.
  const SubmitResult& Wait();

 private:
  friend class Queue;
  std::shared_ptr<Events> events_;
  std::optional<SubmitResult> result_;
};

class Queue : public Object {
 public:
  Queue(std::shared_ptr<Device> device, std::string label) : Object(std::move(device), std::move(label)) {}

  // What `options` points at must live until the submission is done. Without a `cancel` of its own a submit
  // stops when the device is destroyed.
  std::shared_ptr<Submission> Submit(std::span<const std::shared_ptr<CommandBuffer>> command_buffers,
                                     const hal::ExecuteOptions& options = {});
  void WriteBuffer(const std::shared_ptr<Buffer>& buffer, uint64_t offset, std::span<const std::byte> data);
  void WriteTexture(const TexelCopyTextureInfo& destination, std::span<const std::byte> data,
                    const TexelCopyBufferLayout& data_layout, const Extent3D& size);
  // `done` comes in Events::Process.
  void OnSubmittedWorkDone(std::function<void()> done) { device().AfterQueuedWork(std::move(done)); }
  // What mapping a copy would give, without the copy: for tools that own the device and have waited for its
  // work. No usage is asked for.
  std::span<const std::byte> ReadBuffer(const Buffer& buffer) const;
};

}  // namespace lockstep::gpu::core
