// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// The only room that names the devices: which there are, and how to open one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/core/adapter.h"
#include "gpu/cpu/cpu_device.h"
#include "support/result.h"

namespace lockstep::gpu::devices {

struct Options {
  cpu::Options cpu;
};

struct DeviceName {
  std::string kind = "cpu";  // cpu, vulkan
  uint32_t index = 0;        // vulkan:1
};

// "cpu", "vulkan", "vulkan:1".
Result<DeviceName> ParseDeviceName(std::string_view text);

struct Listed {
  std::string name;  // what --device takes
  hal::AdapterInfo info;
};
std::vector<Listed> List(const Options& options);

// Several adapters may share a device, and with it its threads and its compiled kernels.
Result<std::shared_ptr<hal::Device>> OpenDevice(const DeviceName& name, const Options& options);
Result<std::shared_ptr<core::Adapter>> Open(const DeviceName& name, const Options& options);

}  // namespace lockstep::gpu::devices
