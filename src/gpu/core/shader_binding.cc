// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/shader_binding.h"

#include <fmt/format.h>

namespace lockstep::gpu::core {
namespace {

// What kind of resource an entry is for, in words.
std::string_view KindOf(const BindGroupLayoutEntry& entry) {
  if (entry.buffer) return "buffer";
  if (entry.sampler) return "sampler";
  if (entry.texture) return "texture";
  return entry.storage_texture ? "storage texture" : "external texture";
}

// One difference between what a shader has and a layout; the layout's name follows.
std::string Difference(std::string_view shader, std::string_view layout) {
  return fmt::format("{} in the shader and {} in", shader, layout);
}

Complaint BufferMismatch(const BufferBindingLayout& shader, const BufferBindingLayout& layout) {
  if (shader.type != layout.type)
    return Difference(fmt::format("a {} buffer", EnumName(shader.type)), EnumName(layout.type));
  if (layout.min_binding_size == 0 || layout.min_binding_size >= shader.min_binding_size) return std::nullopt;
  return fmt::format("{} bytes long in the shader and promised {} by", shader.min_binding_size,
                     layout.min_binding_size);
}

Complaint TextureMismatch(const TextureBindingLayout& shader, const TextureBindingLayout& layout) {
  using enum TextureSampleType;
  const bool is_float = shader.sample_type == kUnfilterableFloat;
  const bool fits = shader.sample_type == layout.sample_type ||
                    (is_float && (layout.sample_type == kFloat || layout.sample_type == kDepth));
  if (!fits) {
    return Difference(fmt::format("a texture of sample type {}", EnumName(shader.sample_type)),
                      EnumName(layout.sample_type));
  }
  if (shader.multisampled != layout.multisampled) {
    return Difference(shader.multisampled ? "multisampled" : "not multisampled",
                      layout.multisampled ? "multisampled" : "not");
  }
  if (shader.view_dimension == layout.view_dimension) return std::nullopt;
  return Difference(EnumName(shader.view_dimension), EnumName(layout.view_dimension));
}

Complaint StorageMismatch(const StorageTextureBindingLayout& shader,
                          const StorageTextureBindingLayout& layout) {
  // What a shader only writes may be bound to a slot that can be read too.
  const bool fits = shader.access == layout.access || (shader.access == StorageTextureAccess::kWriteOnly &&
                                                       layout.access == StorageTextureAccess::kReadWrite);
  if (!fits) return Difference(EnumName(shader.access), EnumName(layout.access));
  if (shader.format != layout.format) return Difference(EnumName(shader.format), EnumName(layout.format));
  if (shader.view_dimension == layout.view_dimension) return std::nullopt;
  return Difference(EnumName(shader.view_dimension), EnumName(layout.view_dimension));
}

Complaint Mismatch(const BindGroupLayoutEntry& shader, const BindGroupLayoutEntry& layout) {
  if (KindOf(shader) != KindOf(layout))
    return Difference(fmt::format("a {}", KindOf(shader)), fmt::format("a {}", KindOf(layout)));
  if (shader.buffer) return BufferMismatch(*shader.buffer, *layout.buffer);
  if (shader.texture) return TextureMismatch(*shader.texture, *layout.texture);
  if (shader.storage_texture) return StorageMismatch(*shader.storage_texture, *layout.storage_texture);
  const auto compares = [](const BindGroupLayoutEntry& entry) {
    return entry.sampler && entry.sampler->type == SamplerBindingType::kComparison;
  };
  if (compares(shader) == compares(layout)) return std::nullopt;
  return Difference(compares(shader) ? "a comparison sampler" : "no comparison sampler",
                    compares(layout) ? "one" : "none");
}

}  // namespace

Complaint CheckShaderBinding(const StageResource& resource, uint32_t stage, const PipelineLayout& layout) {
  const std::string name =
      fmt::format("'{}' (group {}, binding {})", resource.name, resource.group, resource.slot.binding);
  const BindGroupLayout* group = layout.group(resource.group);
  const BindGroupLayoutEntry* slot = group ? group->Find(resource.slot.binding) : nullptr;
  if (slot == nullptr) return fmt::format("{} is not in {}", name, Named("pipeline layout", layout));
  if ((slot->visibility & stage) == 0) {
    return fmt::format("{} is not visible to {} shaders in {}", name, StageName(stage),
                       Named("pipeline layout", layout));
  }
  if (Complaint complaint = CheckEntry(resource.slot, layout.device()))
    return fmt::format("{} {}", name, *complaint);
  if (Complaint complaint = Mismatch(resource.slot, *slot))
    return fmt::format("{} is {} {}", name, *complaint, Named("pipeline layout", layout));
  return std::nullopt;
}

}  // namespace lockstep::gpu::core
