// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/object.h"

#include <fmt/format.h>

namespace lockstep::gpu::core {

std::string Named(std::string_view kind, std::string_view label) {
  return label.empty() ? fmt::format("a {} without a label", kind) : fmt::format("{} '{}'", kind, label);
}

Complaint CheckUsable(std::string_view kind, const Object* object, const Device& device) {
  if (object == nullptr) return fmt::format("no {} is given", kind);
  if (&object->device() != &device) return fmt::format("{} is of another device", Named(kind, *object));
  if (object->valid()) return std::nullopt;
  return fmt::format("{} is invalid, since {}", Named(kind, *object), object->invalid_because());
}

std::string FlagNames(uint32_t flags, std::span<const std::string_view> names) {
  std::string text;
  for (size_t bit = 0; bit < names.size(); ++bit) {
    if ((flags >> bit & 1) == 0) continue;
    if (!text.empty()) text += " | ";
    text += names[bit];
  }
  return text.empty() ? "none" : text;
}

}  // namespace lockstep::gpu::core
