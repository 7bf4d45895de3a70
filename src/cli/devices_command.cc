// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// lockstep devices: what --device can name, and what each can do.
#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "cli/environment.h"
#include "cli/json.h"
#include "gpu/core/limits.h"

namespace lockstep::cli {
namespace {

std::string KindName(gpu::hal::DeviceKind kind) { return kind == gpu::hal::DeviceKind::kCpu ? "cpu" : "gpu"; }

std::string DeviceJson(const gpu::devices::Listed& device) {
  std::vector<std::string> features, limits;
  for (const std::string& feature : device.info.features) features.push_back(Quoted(feature));
  for (const gpu::core::LimitInfo& limit : gpu::core::AllLimits()) {
    limits.push_back(fmt::format("{}:{}", Quoted(limit.name), limit.get(device.info.limits)));
  }
  return fmt::format(
      R"({{"device":{},"kind":{},"name":{},"vendor":{},"description":{},"features":[{}],"limits":{{{}}}}})",
      Quoted(device.name), Quoted(KindName(device.info.kind)), Quoted(device.info.name),
      Quoted(device.info.vendor), Quoted(device.info.description), fmt::join(features, ","),
      fmt::join(limits, ","));
}

void WriteText(const gpu::devices::Listed& device, bool limits, Output& output) {
  output.Line(fmt::format("{}: {}", device.name, device.info.name));
  if (!device.info.features.empty())
    output.Line(fmt::format("  features: {}", fmt::join(device.info.features, ", ")));
  if (!limits) return;
  for (const gpu::core::LimitInfo& limit : gpu::core::AllLimits()) {
    output.Line(fmt::format("  {}: {}", limit.name, limit.get(device.info.limits)));
  }
}

int Devices(bool json, bool limits, Output& output) {
  const std::vector<gpu::devices::Listed> devices = gpu::devices::List(DeviceOptions());
  if (json) {
    std::vector<std::string> all;
    all.reserve(devices.size());
    for (const gpu::devices::Listed& device : devices) all.push_back(DeviceJson(device));
    output.Line(fmt::format(R"({{"devices":[{}]}})", fmt::join(all, ",")));
    return 0;
  }
  for (const gpu::devices::Listed& device : devices) WriteText(device, limits, output);
  return 0;
}

}  // namespace

void AddDevices(CLI::App& app, Program& program) {
  CLI::App* devices = app.add_subcommand("devices", "List the devices of this machine");
  const auto json = std::make_shared<bool>(false);
  const auto limits = std::make_shared<bool>(false);
  devices->add_flag("--limits", *limits, "With the limits that --limits max gives");
  devices->add_flag("--json", *json, "One JSON document, limits included");
  devices->footer("Examples:\n  lockstep devices\n  lockstep devices --limits\n  lockstep devices --json");
  devices->callback([json, limits, &program] {
    program.json = *json;
    program.action = [json, limits](Output& output) { return Devices(*json, *limits, output); };
  });
}

}  // namespace lockstep::cli
