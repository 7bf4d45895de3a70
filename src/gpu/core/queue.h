// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// GPUQueue. A submit has run when Submit returns; what WebGPU makes asynchronous is made so above.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "gpu/core/command_buffer.h"
#include "gpu/core/object.h"
#include "gpu/hal/device.h"
#include "support/result.h"

namespace lockstep::gpu::core {

struct SubmitResult {
  bool ran = false;                // false: a validation error was reported, or `failure`
  hal::ExecuteResult times;        // a dispatch each, in order
  std::optional<Failure> failure;  // interrupted (nothing is lost), or the device's: then the device is lost
};

class Queue : public Object {
 public:
  explicit Queue(std::shared_ptr<Device> device) : Object(std::move(device), {}) {}

  SubmitResult Submit(std::span<const std::shared_ptr<CommandBuffer>> command_buffers,
                      const hal::ExecuteOptions& options = {});
  void WriteBuffer(const std::shared_ptr<Buffer>& buffer, uint64_t offset, std::span<const std::byte> data);
  // What mapping a copy would give, without the copy: for tools that own the device. No usage is asked for.
  std::span<const std::byte> ReadBuffer(const Buffer& buffer) const;
};

}  // namespace lockstep::gpu::core
