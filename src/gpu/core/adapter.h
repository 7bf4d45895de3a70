// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// GPUAdapter: a device of the machine, and what it can do.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpu/core/events.h"
#include "gpu/core/finding.h"
#include "gpu/core/limits.h"
#include "gpu/hal/device.h"

namespace lockstep::gpu::core {

class Device;

struct DeviceDescriptor {
  std::string label;
  std::vector<std::string> required_features;
  RequiredLimits required_limits;
  std::string queue_label;  // defaultQueue.label
};

// What whoever embeds Lockstep decides, and not the application.
struct DeviceOptions {
  // A dispatch, or another command, that takes longer loses the device; 0: no limit. Submits with a `cancel`
  // flag of their own have none.
  double command_seconds = 30;
  uint64_t timestamp_step = 1;   // hal::ExecuteOptions
  bool quick_pipelines = false;  // hal::PipelineOptions::quick
  // All pipelines and submits are watched for races and accesses out of bounds. Each finding of a pipeline is
  // told once, in Events::Process.
  bool watch = false;
  FindingSink findings;
};

struct RequestDeviceResult {
  std::shared_ptr<Device> device;  // null: refused
  std::string error;
  bool type_error = false;  // a TypeError (a feature that the adapter lacks) rather than an OperationError
};

class Adapter {
 public:
  // Its devices tell what comes later through `events`.
  explicit Adapter(std::shared_ptr<hal::Device> device,
                   std::shared_ptr<Events> events = std::make_shared<Events>())
      : device_(std::move(device)), events_(std::move(events)) {}

  const hal::AdapterInfo& info() const { return device_->info(); }
  const std::vector<std::string>& features() const { return info().features; }
  const hal::Limits& limits() const { return info().limits; }
  bool HasFeature(std::string_view feature) const;

  // Once: afterwards the adapter is consumed, and refuses. Of an expired adapter the device is lost from the
  // beginning.
  RequestDeviceResult RequestDevice(const DeviceDescriptor& descriptor, const DeviceOptions& options = {});
  // The machine has changed (#abstract-opdef-expire).
  void Expire() { expired_ = true; }

 private:
  std::shared_ptr<hal::Device> device_;
  std::shared_ptr<Events> events_;
  bool consumed_ = false;
  bool expired_ = false;
};

}  // namespace lockstep::gpu::core
