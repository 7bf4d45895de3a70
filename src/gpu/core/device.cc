// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/device.h"

#include <algorithm>

#include "gpu/core/queue.h"

namespace lockstep::gpu::core {

Device::Device(std::shared_ptr<hal::Device> hal, const DeviceDescriptor& descriptor,
               const hal::Limits& limits)
    : hal_(std::move(hal)),
      label_(descriptor.label),
      features_(descriptor.required_features),
      limits_(limits) {}

bool Device::HasFeature(std::string_view feature) const {
  return std::find(features_.begin(), features_.end(), feature) != features_.end();
}

std::shared_ptr<Queue> Device::queue() {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<Queue> queue = queue_.lock();
  if (!queue) {
    queue = std::make_shared<Queue>(shared_from_this());
    queue_ = queue;
  }
  return queue;
}

void Device::Report(const Error& error) {
  if (!lost()) scopes_.Report(error);
}

std::optional<LostInfo> Device::lost() const {
  const std::lock_guard lock(mutex_);
  return lost_;
}

void Device::set_lost_callback(std::function<void(const LostInfo&)> callback) {
  const std::lock_guard lock(mutex_);
  lost_callback_ = std::move(callback);
}

void Device::LoseAs(LostInfo info) {
  std::function<void(const LostInfo&)> callback;
  {
    const std::lock_guard lock(mutex_);
    if (lost_) return;
    lost_ = info;
    callback = lost_callback_;
  }
  if (callback) callback(info);
}

}  // namespace lockstep::gpu::core
