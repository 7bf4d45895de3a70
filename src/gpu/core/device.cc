// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/device.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "gpu/core/buffer.h"
#include "gpu/core/features.h"
#include "gpu/core/queue.h"

namespace lockstep::gpu::core {

Device::Device(std::shared_ptr<hal::Device> hal, std::shared_ptr<Events> events,
               const DeviceDescriptor& descriptor, const hal::Limits& limits, const DeviceOptions& options)
    : hal_(std::move(hal)),
      events_(std::move(events)),
      label_(descriptor.label),
      queue_label_(descriptor.queue_label),
      features_(EnabledFeatures(descriptor.required_features)),
      limits_(limits),
      options_(options),
      watchdog_(options.command_seconds, stop_),
      compile_worker_(events_, std::max(1u, std::thread::hardware_concurrency())),
      queue_worker_(events_, 1) {}

Device::~Device() { stop_.store(1); }

bool Device::HasFeature(std::string_view feature) const {
  return std::find(features_.begin(), features_.end(), feature) != features_.end();
}

bool Device::Supports(hal::Support support) const {
  if (support == hal::Support::kNever) return false;
  return support == hal::Support::kAlways || HasFeature(EnumName(support));
}

std::shared_ptr<Queue> Device::queue() {
  std::shared_ptr<Queue> queue = queue_.lock();
  if (!queue) {
    queue = std::make_shared<Queue>(shared_from_this(), queue_label_);
    queue_ = queue;
  }
  return queue;
}

void Device::Report(const Error& error) {
  if (!lost_) scopes_.Report(error);
}

void Device::Resolve(const std::shared_ptr<ErrorScopes::Expected>& expected,
                     const std::optional<Error>& error) {
  scopes_.Resolve(expected, lost_ ? std::nullopt : error);
}

bool Device::PopErrorScope(ErrorScopes::Popped callback) {
  if (lost_) {
    events_->Post([callback = std::move(callback)] { callback(std::nullopt); });
    return true;
  }
  return scopes_.Pop([events = events_, callback = std::move(callback)](const std::optional<Error>& error) {
    events->Post([callback, error] { callback(error); });
  });
}

void Device::AfterQueuedWork(std::function<void()> task) {
  if (queue_worker_.idle())
    events_->Post(std::move(task));
  else
    queue_worker_.Do([] {}, std::move(task));
}

void Device::RememberMapped(const std::shared_ptr<Buffer>& buffer) {
  std::erase_if(mapped_, [](const std::weak_ptr<Buffer>& known) {
    const std::shared_ptr<Buffer> alive = known.lock();
    return !alive || alive->map_state() == MapState::kUnmapped;
  });
  mapped_.push_back(buffer);
}

void Device::Destroy() {
  for (const std::weak_ptr<Buffer>& known : std::exchange(mapped_, {})) {
    if (const std::shared_ptr<Buffer> buffer = known.lock())
      buffer->Unmap("the device was destroyed meanwhile");
  }
  LoseAs({true, "the device was destroyed"});
}

void Device::LoseAs(LostInfo info) {
  if (lost_) return;
  lost_ = std::move(info);
  stop_.store(1);
  TellLost();
}

void Device::set_lost_callback(std::function<void(const LostInfo&)> callback) {
  lost_callback_ = std::move(callback);
  if (lost_) TellLost();
}

void Device::TellLost() {
  if (!lost_callback_) return;
  events_->Post([callback = lost_callback_, info = *lost_] { callback(info); });
}

}  // namespace lockstep::gpu::core
