// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

namespace lockstep::gpu::core {
namespace {

const LimitInfo kLimits[] = {
#define LIMIT(field, name, limit_class)                                                                \
  {name, LimitClass::k##limit_class, [](const hal::Limits& limits) { return uint64_t{limits.field}; }, \
   [](hal::Limits& limits, uint64_t value) {                                                           \
     using Field = decltype(limits.field);                                                             \
     limits.field = static_cast<Field>(std::min<uint64_t>(value, std::numeric_limits<Field>::max()));  \
   }},
#include "gpu/core/limits.def"
};

// Why `value` cannot be had, empty where it can.
std::string Refusal(const LimitInfo& limit, uint64_t value, uint64_t supported) {
  if (limit.limit_class == LimitClass::kMaximum) {
    if (value <= supported) return {};
    return fmt::format("limit {} requested {} exceeds the adapter's {}", limit.name, value, supported);
  }
  if (!std::has_single_bit(value) || value > UINT32_MAX) {
    return fmt::format("limit {} requested {} is not a power of two", limit.name, value);
  }
  if (value >= supported) return {};
  return fmt::format("limit {} requested {} is below the adapter's {}", limit.name, value, supported);
}

// WebGPU: #a-new-device. With "core-features-and-limits", which every device has, all stages may use as much.
void NormalizeStages(hal::Limits& limits) {
  const auto level = [](uint32_t& stage, uint32_t& vertex, uint32_t& fragment) {
    vertex = fragment = stage = std::max({stage, vertex, fragment});
  };
  level(limits.max_storage_buffers_per_shader_stage, limits.max_storage_buffers_in_vertex_stage,
        limits.max_storage_buffers_in_fragment_stage);
  level(limits.max_storage_textures_per_shader_stage, limits.max_storage_textures_in_vertex_stage,
        limits.max_storage_textures_in_fragment_stage);
}

}  // namespace

std::span<const LimitInfo> AllLimits() { return kLimits; }

std::optional<hal::Limits> ResolveLimits(const RequiredLimits& required, const hal::Limits& supported,
                                         std::string& error) {
  hal::Limits result;
  for (const auto& [wanted, value] : required) {
    const std::string& name = wanted;  // Clang 14: no structured binding in a lambda
    const auto limit = std::find_if(std::begin(kLimits), std::end(kLimits),
                                    [&](const LimitInfo& l) { return l.name == name; });
    if (limit == std::end(kLimits)) {
      error = fmt::format("limit {} is not known", name);
      return std::nullopt;
    }
    error = Refusal(*limit, value, limit->get(supported));
    if (!error.empty()) return std::nullopt;
    const uint64_t standard = limit->get(result);
    limit->set(result, limit->limit_class == LimitClass::kMaximum ? std::max(value, standard)
                                                                  : std::min(value, standard));
  }
  NormalizeStages(result);
  return result;
}

}  // namespace lockstep::gpu::core
