// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/object.h"

#include <fmt/format.h>

namespace lockstep::gpu::core {

std::string Named(std::string_view kind, std::string_view label) {
  return label.empty() ? fmt::format("a {} without a label", kind) : fmt::format("{} '{}'", kind, label);
}

}  // namespace lockstep::gpu::core
