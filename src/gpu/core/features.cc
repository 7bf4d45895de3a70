// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/features.h"

namespace lockstep::gpu::core {

std::vector<std::string> EnabledFeatures(const std::vector<std::string>& required) {
  std::vector<std::string> features;
  const auto has = [&](std::string_view feature) {
    return std::find(features.begin(), features.end(), feature) != features.end();
  };
  const auto enable = [&](std::string_view feature) {
    if (!has(feature)) features.emplace_back(feature);
  };
  enable("core-features-and-limits");
  for (const std::string& feature : required) enable(feature);
  for (const auto& [feature, implied] : kImpliedFeatures) {
    if (has(feature)) enable(implied);
  }
  return features;
}

}  // namespace lockstep::gpu::core
