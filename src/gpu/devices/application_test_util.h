// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// A device of the CPU as an embedder has it, for tests of whole applications.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "gpu/core/command_encoder.h"
#include "gpu/core/device.h"
#include "gpu/core/queue.h"
#include "gpu/devices/devices.h"

namespace lockstep::gpu {

struct TestDevice {
  explicit TestDevice(core::DeviceOptions options = {}, const std::vector<std::string>& features = {},
                      cpu::Engine engine = cpu::Engine::kCompiler) {
    devices::Options opened;
    opened.cpu.engine = engine;
    opened.cpu.library_folders = {std::filesystem::read_symlink("/proc/self/exe").parent_path() / "lib"};
    options.findings = [this](const core::Finding& finding) { findings.push_back(finding); };
    device = (*devices::Open({}, opened))->RequestDevice({"", features, {}}, options).device;
    device->set_uncaptured_error([](const core::Error& error) { ADD_FAILURE() << error.message; });
    device->set_lost_callback([this](const core::LostInfo& info) { lost = info.message; });
  }
  core::SubmitResult Submit(core::CommandEncoder& encoder) const {
    const std::shared_ptr<core::CommandBuffer> list[] = {encoder.Finish()};
    return device->queue()->Submit(list)->Wait();
  }

  std::vector<core::Finding> findings;
  std::string lost;
  std::shared_ptr<core::Device> device;
};

inline core::DeviceOptions Watching() {
  core::DeviceOptions options;
  options.watch = true;
  return options;
}

}  // namespace lockstep::gpu
