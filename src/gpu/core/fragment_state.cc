// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/fragment_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "gpu/core/device.h"
#include "gpu/core/texture.h"

namespace lockstep::gpu::core {
namespace {

using abi::BlendComponent;
using abi::BlendState;

bool IsOneOf(BlendFactor factor, std::initializer_list<BlendFactor> factors) {
  return std::find(factors.begin(), factors.end(), factor) != factors.end();
}

bool UsesSecondSource(BlendFactor factor) {
  using enum BlendFactor;
  return IsOneOf(factor, {kSrc1, kOneMinusSrc1, kSrc1Alpha, kOneMinusSrc1Alpha});
}

bool UsesSourceAlpha(BlendFactor factor) {
  using enum BlendFactor;
  return IsOneOf(factor, {kSrcAlpha, kOneMinusSrcAlpha, kSrcAlphaSaturated, kSrc1Alpha, kOneMinusSrc1Alpha});
}

// WebGPU: #valid-gpublendcomponent.
Complaint CheckComponent(const Device& device, std::string_view name, const BlendComponent& component) {
  const bool extreme =
      component.operation == BlendOperation::kMin || component.operation == BlendOperation::kMax;
  for (const BlendFactor factor : {component.src_factor, component.dst_factor}) {
    if (extreme && factor != BlendFactor::kOne) {
      return fmt::format("blends {} by {} with the factor {}: it must be one", name,
                         EnumName(component.operation), EnumName(factor));
    }
    if (UsesSecondSource(factor) && !device.HasFeature("dual-source-blending")) {
      return fmt::format("blends {} with {}, which needs the feature dual-source-blending", name,
                         EnumName(factor));
    }
  }
  return std::nullopt;
}

Complaint CheckTarget(const Device& device, const ColorTarget& target) {
  const hal::TextureFormatInfo& info = hal::FormatInfo(target.format);
  const std::string_view format = EnumName(target.format);
  if (Complaint missing = MissingFeature(device, target.format))
    return "has a format that is not there: " + *missing;
  if (info.depth_or_stencil() || !device.Supports(info.render))
    return fmt::format("has the format {}, which no color target can have", format);
  if (target.state.write_mask > abi::color_write::kAll)
    return fmt::format("has the writeMask {}: it must be less than 16", target.state.write_mask);
  if (!target.state.blend) return std::nullopt;
  if (!device.Supports(info.blend))
    return fmt::format("blends, and its format {} does not allow that", format);
  if (Complaint complaint = CheckComponent(device, "color", target.state.blend->color)) return complaint;
  return CheckComponent(device, "alpha", target.state.blend->alpha);
}

const wgsl::StageVariable* FindOutput(const StageFunction& fragment, size_t location) {
  for (const wgsl::StageVariable& output : fragment.function.outputs) {
    if (output.io.location == location && output.io.blend_src.value_or(0) == 0) return &output;
  }
  return nullptr;
}

std::string_view ScalarOf(TextureSampleType type) {
  if (type == TextureSampleType::kSint) return "i32";
  return type == TextureSampleType::kUint ? "u32" : "f32";
}

// The shader's output for a target, against the target's format and blending.
Complaint CheckOutput(const StageFunction& fragment, const wgsl::StageVariable& output,
                      const ColorTarget& target) {
  const wgsl::TypeTable& types = fragment.program.types;
  const wgsl::Type& type = types[output.type];
  const bool is_vector = type.kind == wgsl::TypeKind::kVector;
  const std::string scalar = types.ToString(is_vector ? type.element : output.type);
  const size_t components = is_vector ? type.count : 1;
  const std::string_view wanted = ScalarOf(hal::FormatInfo(target.format)[hal::Aspect::kColor].sample_type);
  const std::string given = fmt::format("has the format {}, and '{}' gives it {}", EnumName(target.format),
                                        fragment.function.name, types.ToString(output.type));
  if (scalar != wanted && !(scalar == "f16" && wanted == "f32"))
    return fmt::format("{}: it must be of {}", given, wanted);
  const size_t channels = ChannelsOf(target.format).size();
  if (components < channels) return fmt::format("{}: it must have {} components", given, channels);
  if (!target.state.blend || components == 4) return std::nullopt;
  const BlendComponent& color = target.state.blend->color;
  for (const BlendFactor factor : {color.src_factor, color.dst_factor}) {
    if (!UsesSourceAlpha(factor)) continue;
    return fmt::format("blends color with {}, and '{}' gives it {}, which has no alpha", EnumName(factor),
                       fragment.function.name, types.ToString(output.type));
  }
  return std::nullopt;
}

Complaint CheckTargetAt(const Device& device, const StageFunction& fragment, size_t index,
                        const ColorTarget& target) {
  if (Complaint complaint = CheckTarget(device, target)) return complaint;
  const wgsl::StageVariable* output = FindOutput(fragment, index);
  if (output != nullptr) return CheckOutput(fragment, *output, target);
  if (target.state.write_mask == 0) return std::nullopt;
  return fmt::format("is written, and '{}' has no output at location {}", fragment.function.name, index);
}

bool UsesSecondSource(const ColorTarget& target) {
  if (!target.state.blend) return false;
  const BlendState& blend = *target.state.blend;
  return UsesSecondSource(blend.color.src_factor) || UsesSecondSource(blend.color.dst_factor) ||
         UsesSecondSource(blend.alpha.src_factor) || UsesSecondSource(blend.alpha.dst_factor);
}

// WebGPU: #dom-gpudevice-createrenderpipeline, "usesDualSourceBlending".
Complaint CheckSecondSources(const FragmentState& state, const StageFunction& fragment) {
  const bool used = std::any_of(state.targets.begin(), state.targets.end(),
                                [](const auto& target) { return target && UsesSecondSource(*target); });
  if (!used) return std::nullopt;
  if (state.targets.size() != 1)
    return fmt::format("a color target blends with a second source: it must be the only one of {}",
                       state.targets.size());
  for (const wgsl::StageVariable& output : fragment.function.outputs) {
    if (!output.io.location || output.io.blend_src) continue;
    return fmt::format("color target 0 blends with a second source, and '{}' has outputs without @blend_src",
                       fragment.function.name);
  }
  return std::nullopt;
}

}  // namespace

std::string ChannelsOf(TextureFormat format) {
  std::string channels;
  for (const char letter : EnumName(format)) {
    if (letter >= '0' && letter <= '9') continue;
    if (std::string_view("rgba").find(letter) == std::string_view::npos) break;
    channels += letter;
  }
  return channels;
}

Complaint CheckFragmentState(const Device& device, const FragmentState& state,
                             const StageFunction& fragment) {
  const uint32_t limit = device.limits().max_color_attachments;
  if (state.targets.size() > limit) {
    return fmt::format("it has {} color targets, which exceeds the limit maxColorAttachments of {}",
                       state.targets.size(), limit);
  }
  for (const wgsl::StageVariable& output : fragment.function.outputs) {
    if (!output.io.location || *output.io.location < limit) continue;
    return fmt::format(
        "'{}' has an output at location {}, which exceeds the limit: maxColorAttachments is {}",
        fragment.function.name, *output.io.location, limit);
  }
  std::vector<std::optional<TextureFormat>> formats;
  for (size_t i = 0; i < state.targets.size(); ++i) {
    if (!state.targets[i]) continue;
    if (const Complaint complaint = CheckTargetAt(device, fragment, i, *state.targets[i]))
      return fmt::format("color target {} {}", i, *complaint);
    formats.emplace_back(state.targets[i]->format);
  }
  if (Complaint complaint = CheckSecondSources(state, fragment)) return complaint;
  return CheckColorBytes(device, formats);
}

}  // namespace lockstep::gpu::core
