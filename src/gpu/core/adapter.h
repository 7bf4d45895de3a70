// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// GPUAdapter: a device of the machine, and what it can do.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpu/core/limits.h"
#include "gpu/hal/device.h"

namespace lockstep::gpu::core {

class Device;

struct DeviceDescriptor {
  std::string label;
  std::vector<std::string> required_features;
  RequiredLimits required_limits;
};

struct RequestDeviceResult {
  std::shared_ptr<Device> device;  // null: refused
  std::string error;
  bool type_error = false;  // a TypeError (a feature that the adapter lacks) rather than an OperationError
};

class Adapter {
 public:
  explicit Adapter(std::shared_ptr<hal::Device> device) : device_(std::move(device)) {}

  const hal::AdapterInfo& info() const { return device_->info(); }
  const std::vector<std::string>& features() const { return info().features; }
  const hal::Limits& limits() const { return info().limits; }
  bool HasFeature(std::string_view feature) const;

  RequestDeviceResult RequestDevice(const DeviceDescriptor& descriptor);

 private:
  std::shared_ptr<hal::Device> device_;
};

}  // namespace lockstep::gpu::core
