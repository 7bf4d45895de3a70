// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/debug_commands.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace lockstep::gpu::core {

void DebugCommands::PushDebugGroup(std::string label) {
  if (CheckOpen("pushDebugGroup")) debug_groups_.push_back(std::move(label));
}

void DebugCommands::PopDebugGroup() {
  if (!CheckOpen("popDebugGroup")) return;
  if (debug_groups_.empty()) return Fail("popDebugGroup: no debug group is open");
  debug_groups_.pop_back();
}

void DebugCommands::InsertDebugMarker(std::string_view) { CheckOpen("insertDebugMarker"); }

std::string DebugCommands::InDebugGroup() const {
  if (debug_groups_.empty()) return {};
  return fmt::format(" in the debug group '{}'", fmt::join(debug_groups_, " / "));
}

}  // namespace lockstep::gpu::core
