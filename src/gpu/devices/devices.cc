// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/devices/devices.h"

#include <fmt/format.h>

#include <charconv>

namespace lockstep::gpu::devices {

Result<DeviceName> ParseDeviceName(std::string_view text) {
  DeviceName name;
  const size_t colon = text.find(':');
  name.kind = std::string(text.substr(0, colon));
  bool good = name.kind == "vulkan" || (name.kind == "cpu" && colon == std::string_view::npos);
  if (good && colon != std::string_view::npos) {
    const std::string_view digits = text.substr(colon + 1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), name.index);
    good = error == std::errc() && end == digits.data() + digits.size();
  }
  if (!good)
    return Failure{FailureKind::kUsage, fmt::format("--device '{}': expected cpu, vulkan or vulkan:N", text)};
  return name;
}

std::vector<Listed> List(const Options& options) {
  return {{"cpu", cpu::MakeCpuDevice(options.cpu)->info()}};
}

Result<std::shared_ptr<hal::Device>> OpenDevice(const DeviceName& name, const Options& options) {
  if (name.kind == "vulkan") {
    return Failure{
        FailureKind::kEnvironment,
        "there is no Vulkan device: this build of lockstep has the CPU device only, use --device cpu"};
  }
  return cpu::MakeCpuDevice(options.cpu);
}

Result<std::shared_ptr<core::Adapter>> Open(const DeviceName& name, const Options& options) {
  Result<std::shared_ptr<hal::Device>> device = OpenDevice(name, options);
  if (!device.ok()) return device.failure();
  return std::make_shared<core::Adapter>(std::move(*device));
}

}  // namespace lockstep::gpu::devices
