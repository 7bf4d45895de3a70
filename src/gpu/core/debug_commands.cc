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

Complaint DebugCommands::CheckPopped() const {
  if (debug_groups_.empty()) return std::nullopt;
  return fmt::format("the debug group '{}' is not popped", debug_groups_.back());
}

std::string DebugCommands::InDebugGroup() const {
  std::vector<std::string> groups = debug_groups_;
  for (const DebugCommands* outer = outer_; outer != nullptr; outer = outer->outer_)
    groups.insert(groups.begin(), outer->debug_groups_.begin(), outer->debug_groups_.end());
  if (groups.empty()) return {};
  return fmt::format(" (in the debug group '{}')", fmt::join(groups, " / "));
}

}  // namespace lockstep::gpu::core
