// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/adapter.h"

#include <fmt/format.h>

#include <algorithm>

#include "gpu/core/device.h"
#include "gpu/core/features.h"

namespace lockstep::gpu::core {

bool Adapter::HasFeature(std::string_view feature) const {
  return std::find(features().begin(), features().end(), feature) != features().end();
}

RequestDeviceResult Adapter::RequestDevice(const DeviceDescriptor& descriptor, const DeviceOptions& options) {
  RequestDeviceResult result;
  for (const std::string& feature : descriptor.required_features) {
    if (HasFeature(feature)) continue;
    result.type_error = true;
    result.error = fmt::format("the adapter '{}' does not have the feature '{}'", info().name, feature);
    return result;
  }
  if (consumed_) {
    result.error = fmt::format("the adapter '{}' has given a device already: request another", info().name);
    return result;
  }
  const std::optional<hal::Limits> limits =
      ResolveLimits(descriptor.required_limits, this->limits(), result.error);
  if (!limits) return result;
  consumed_ = true;
  result.device = std::make_shared<Device>(device_, events_, descriptor, *limits, options);
  if (expired_) result.device->Lose("the adapter has expired: request another");
  return result;
}

}  // namespace lockstep::gpu::core
