// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/stage_interface.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "gpu/core/device.h"

namespace lockstep::gpu::core {
namespace {

// WebGPU: #inter-stage-builtins.
constexpr std::array<std::string_view, 6> kCountedBuiltins = {
    "front_facing",    "sample_index",           "sample_mask",
    "primitive_index", "subgroup_invocation_id", "subgroup_size"};

std::string InterpolationOf(const wgsl::IoAttributes& io) {
  static constexpr std::array<std::string_view, 3> kTypes = {"perspective", "linear", "flat"};
  static constexpr std::array<std::string_view, 5> kSamplings = {"center", "centroid", "sample", "first",
                                                                 "either"};
  return fmt::format("@interpolate({}, {})", kTypes[static_cast<size_t>(io.interpolation)],
                     kSamplings[static_cast<size_t>(io.sampling)]);
}

uint32_t CountLocations(const std::vector<wgsl::StageVariable>& variables) {
  return static_cast<uint32_t>(std::count_if(variables.begin(), variables.end(),
                                             [](const auto& v) { return v.io.location.has_value(); }));
}

// How many locations the clip distances take; 0 where there are none.
uint32_t ClipDistanceLocations(const StageFunction& vertex) {
  for (const wgsl::StageVariable& output : vertex.function.outputs) {
    if (output.io.builtin == "clip_distances") return (vertex.program.types[output.type].count + 3) / 4;
  }
  return 0;
}

Complaint CheckOutputs(uint32_t limit, PrimitiveTopology topology, const StageFunction& vertex) {
  const uint32_t clip = ClipDistanceLocations(vertex);
  const uint32_t point = topology == PrimitiveTopology::kPointList ? 1 : 0;
  const auto why = [&](uint32_t taken) {
    return taken == 0 ? std::string() : fmt::format(", of which points and clip distances take {}", taken);
  };
  const uint32_t count = CountLocations(vertex.function.outputs);
  if (count + clip + point > limit) {
    return fmt::format("'{}' has {} outputs, which exceeds the limit maxInterStageShaderVariables of {}{}",
                       vertex.function.name, count, limit, why(clip + point));
  }
  for (const wgsl::StageVariable& output : vertex.function.outputs) {
    if (!output.io.location || *output.io.location + uint64_t{clip} < limit) continue;
    return fmt::format(
        "'{}' has an output at location {}, which exceeds the limit: maxInterStageShaderVariables is {}{}",
        vertex.function.name, *output.io.location, limit, why(clip));
  }
  return std::nullopt;
}

Complaint CheckInput(const StageFunction& vertex, const StageFunction& fragment,
                     const wgsl::StageVariable& input) {
  const std::string name =
      fmt::format("input '{}' (location {}) of '{}'", input.name, *input.io.location, fragment.function.name);
  const std::vector<wgsl::StageVariable>& outputs = vertex.function.outputs;
  const auto output = std::find_if(outputs.begin(), outputs.end(), [&](const wgsl::StageVariable& o) {
    return o.io.location == input.io.location;
  });
  if (output == outputs.end()) return fmt::format("{} is no output of '{}'", name, vertex.function.name);
  // The modules may differ, and their types with them.
  const std::string type = fragment.program.types.ToString(input.type);
  const std::string given = vertex.program.types.ToString(output->type);
  if (type != given)
    return fmt::format("{} is {}, and '{}' gives {}", name, type, vertex.function.name, given);
  const std::string interpolation = InterpolationOf(input.io);
  const std::string other = InterpolationOf(output->io);
  if (interpolation == other) return std::nullopt;
  return fmt::format("{} is {}, and in '{}' {}", name, interpolation, vertex.function.name, other);
}

Complaint CheckInputs(uint32_t limit, const StageFunction& vertex, const StageFunction& fragment) {
  for (const wgsl::StageVariable& input : fragment.function.inputs) {
    if (!input.io.location) continue;
    if (Complaint complaint = CheckInput(vertex, fragment, input)) return complaint;
  }
  std::string builtins;
  uint32_t count = CountLocations(fragment.function.inputs);
  for (const wgsl::StageVariable& input : fragment.function.inputs) {
    const bool counts = std::find(kCountedBuiltins.begin(), kCountedBuiltins.end(), input.io.builtin) !=
                        kCountedBuiltins.end();
    if (!counts) continue;
    ++count;
    builtins += fmt::format("{}{}", builtins.empty() ? " (with " : ", ", input.io.builtin);
  }
  if (count <= limit) return std::nullopt;
  return fmt::format("'{}' has {} inputs{}, which exceeds the limit maxInterStageShaderVariables of {}",
                     fragment.function.name, count, builtins.empty() ? builtins : builtins + ")", limit);
}

}  // namespace

Complaint CheckStageInterface(const Device& device, PrimitiveTopology topology, const StageFunction& vertex,
                              const StageFunction* fragment) {
  const uint32_t limit = device.limits().max_inter_stage_shader_variables;
  if (Complaint complaint = CheckOutputs(limit, topology, vertex)) return complaint;
  return fragment != nullptr ? CheckInputs(limit, vertex, *fragment) : std::nullopt;
}

}  // namespace lockstep::gpu::core
