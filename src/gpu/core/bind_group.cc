// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/bind_group.h"

#include <fmt/format.h>

#include <algorithm>

#include "gpu/core/device.h"

namespace lockstep::gpu::core {
namespace {

// One binding against its slot; every message names the buffer by its label.
std::optional<Error> ValidateBuffer(const Device& device, const BufferBinding& bound,
                                    const BufferBindingLayout& layout, const std::string& place) {
  const hal::Limits& limits = device.limits();
  const std::string name = Named("buffer", *bound.buffer);
  const bool uniform = layout.type == BufferBindingType::kUniform;
  const uint64_t size = bound.EffectiveSize();
  const uint32_t usage = uniform ? buffer_usage::kUniform : buffer_usage::kStorage;
  if (!bound.buffer->Has(usage)) {
    return ValidationError(fmt::format("{} needs the usage {}, which {} lacks (it has {})", place,
                                       BufferUsageNames(usage), name,
                                       BufferUsageNames(bound.buffer->usage())));
  }
  const uint32_t alignment =
      uniform ? limits.min_uniform_buffer_offset_alignment : limits.min_storage_buffer_offset_alignment;
  if (bound.offset % alignment != 0) {
    return ValidationError(fmt::format("{} begins at byte {} of {}, which is not a multiple of {}", place,
                                       bound.offset, name, alignment));
  }
  if (bound.offset > bound.buffer->size() || size > bound.buffer->size() - bound.offset) {
    return ValidationError(fmt::format("{} spans {} bytes from {} of {}, which has {}", place, size,
                                       bound.offset, name, bound.buffer->size()));
  }
  if (size == 0) return ValidationError(fmt::format("{} is given an empty range of {}", place, name));
  if (size < layout.min_binding_size) {
    return ValidationError(fmt::format("{} needs {} bytes at least and is given {} of {}", place,
                                       layout.min_binding_size, size, name));
  }
  const uint64_t limit =
      uniform ? limits.max_uniform_buffer_binding_size : limits.max_storage_buffer_binding_size;
  if (size > limit) {
    return ValidationError(
        fmt::format("{} is given {} bytes of {}, which exceeds the limit {} of {}", place, size, name,
                    uniform ? "maxUniformBufferBindingSize" : "maxStorageBufferBindingSize", limit));
  }
  if (!uniform && size % 4 != 0) {
    return ValidationError(
        fmt::format("{} is given {} bytes of {}, which is not a multiple of 4", place, size, name));
  }
  return std::nullopt;
}

std::optional<Error> ValidateSampler(const Sampler& sampler, const SamplerBindingLayout& layout,
                                     const std::string& place) {
  const bool comparison = layout.type == SamplerBindingType::kComparison;
  if (sampler.comparison() != comparison) {
    return ValidationError(fmt::format("{} is a {} sampler, and {} {}", place, EnumName(layout.type),
                                       Named("sampler", sampler),
                                       comparison ? "has no compare" : "is a comparison sampler"));
  }
  if (layout.type == SamplerBindingType::kNonFiltering && sampler.filtering()) {
    return ValidationError(
        fmt::format("{} is a non-filtering sampler, and {} filters", place, Named("sampler", sampler)));
  }
  return std::nullopt;
}

// "view 'v' of texture 't'"; a texture's default view has no label of its own.
std::string NameOf(const TextureView& view) {
  const std::string texture = Named("texture", *view.texture());
  return view.label().empty() ? texture : fmt::format("{} of {}", Named("view", view), texture);
}

// The sample types of what is seen (WebGPU: #texture-format-caps).
bool HasSampleType(const TextureView& view, TextureSampleType wanted) {
  const hal::TextureFormatInfo& format = hal::FormatInfo(view.format());
  const hal::Aspect aspect = format.Has(hal::Aspect::kColor)   ? hal::Aspect::kColor
                             : format.Has(hal::Aspect::kDepth) ? hal::Aspect::kDepth
                                                               : hal::Aspect::kStencil;
  const TextureSampleType type = format[aspect].sample_type;
  if (wanted == TextureSampleType::kUnfilterableFloat)
    return type == TextureSampleType::kFloat || type == TextureSampleType::kDepth;
  if (wanted == TextureSampleType::kFloat && !view.device().Supports(format.filterable)) return false;
  return type == wanted;
}

// What texture bindings of all kinds ask of a view.
std::optional<Error> ValidateView(const TextureView& view, uint32_t usage, TextureViewDimension dimension,
                                  const std::string& place) {
  if (!view.Has(usage)) {
    return ValidationError(fmt::format("{} needs the usage {}, which {} lacks (it has {})", place,
                                       TextureUsageNames(usage), NameOf(view),
                                       TextureUsageNames(view.descriptor().usage)));
  }
  if (view.dimension() != dimension) {
    return ValidationError(fmt::format("{} is {}, and {} is {}", place, EnumName(dimension), NameOf(view),
                                       EnumName(view.dimension())));
  }
  return std::nullopt;
}

std::optional<Error> ValidateTexture(const TextureView& view, const TextureBindingLayout& layout,
                                     const std::string& place) {
  if (std::optional<Error> error =
          ValidateView(view, texture_usage::kTextureBinding, layout.view_dimension, place))
    return error;
  const bool multisampled = view.texture()->descriptor().sample_count > 1;
  if (multisampled != layout.multisampled) {
    return ValidationError(fmt::format("{} is {}, and {} is {}", place,
                                       layout.multisampled ? "multisampled" : "not multisampled",
                                       NameOf(view), multisampled ? "multisampled" : "not"));
  }
  if (view.Sees(hal::Aspect::kDepth) && view.Sees(hal::Aspect::kStencil)) {
    return ValidationError(
        fmt::format("{} is given both aspects of {}: the view must choose one", place, NameOf(view)));
  }
  if (HasSampleType(view, layout.sample_type)) return std::nullopt;
  return ValidationError(fmt::format("{} has sample type {}, which the format {} of {} does not have", place,
                                     EnumName(layout.sample_type), EnumName(view.format()), NameOf(view)));
}

std::optional<Error> ValidateStorageTexture(const TextureView& view,
                                            const StorageTextureBindingLayout& layout,
                                            const std::string& place) {
  if (std::optional<Error> error =
          ValidateView(view, texture_usage::kStorageBinding, layout.view_dimension, place))
    return error;
  const TextureViewDescriptor& d = view.descriptor();
  if (view.format() != layout.format) {
    return ValidationError(fmt::format("{} has the format {}, and {} has {}", place, EnumName(layout.format),
                                       NameOf(view), EnumName(view.format())));
  }
  if (d.mip_level_count != 1) {
    return ValidationError(fmt::format("{} is a storage texture, and {} has {} mip levels: it must have 1",
                                       place, NameOf(view), *d.mip_level_count));
  }
  if (d.swizzle != "rgba") {
    return ValidationError(fmt::format("{} is a storage texture, and {} has the swizzle {}: it must be rgba",
                                       place, NameOf(view), d.swizzle));
  }
  return std::nullopt;
}

std::optional<Error> ValidateExternalTexture(const TextureView& view, const std::string& place) {
  if (std::optional<Error> error =
          ValidateView(view, texture_usage::kTextureBinding, TextureViewDimension::k2d, place))
    return error;
  if (view.descriptor().mip_level_count != 1 || view.texture()->descriptor().sample_count != 1) {
    return ValidationError(fmt::format(
        "{} is an external texture, and {} has {} mip levels and {} samples: it must have 1 and 1", place,
        NameOf(view), *view.descriptor().mip_level_count, view.texture()->descriptor().sample_count));
  }
  const TextureFormat format = view.format();
  if (format == TextureFormat::kRgba8Unorm || format == TextureFormat::kBgra8Unorm ||
      format == TextureFormat::kRgba16Float)
    return std::nullopt;
  return ValidationError(
      fmt::format("{} is an external texture, and {} has the format {}: it must be rgba8unorm, bgra8unorm or "
                  "rgba16float",
                  place, NameOf(view), EnumName(format)));
}

// The resource is of the kind that the slot wants.
std::optional<Error> ValidateResource(const Device& device, const BindingResource& resource,
                                      const BindGroupLayoutEntry& slot, const std::string& place) {
  const auto* buffer = std::get_if<BufferBinding>(&resource);
  const auto* sampler = std::get_if<std::shared_ptr<Sampler>>(&resource);
  const auto* view = std::get_if<std::shared_ptr<TextureView>>(&resource);
  const std::string_view given = buffer ? "buffer" : sampler ? "sampler" : "texture";
  const std::string_view wanted = slot.buffer ? "buffer" : slot.sampler ? "sampler" : "texture";
  if (given != wanted)
    return ValidationError(fmt::format("{} is a {} and is given a {}", place, wanted, given));
  const Complaint unusable =
      buffer    ? CheckUsable("buffer", buffer->buffer, device)
      : sampler ? CheckUsable("sampler", *sampler, device)
      : view    ? CheckUsable("view", *view, device)
                : CheckUsable("texture", std::get<std::shared_ptr<Texture>>(resource), device);
  if (unusable) return ValidationError(fmt::format("{}: {}", place, *unusable));
  if (buffer) return ValidateBuffer(device, *buffer, *slot.buffer, place);
  if (sampler) return ValidateSampler(**sampler, *slot.sampler, place);
  if (slot.texture) return ValidateTexture(**view, *slot.texture, place);
  if (slot.storage_texture) return ValidateStorageTexture(**view, *slot.storage_texture, place);
  return ValidateExternalTexture(**view, place);
}

// WebGPU: #abstract-opdef-get-as-texture-view. Textures that cannot be used stay.
void BindViews(const Device& device, std::vector<BindGroupEntry>& entries) {
  for (BindGroupEntry& entry : entries) {
    const auto* texture = std::get_if<std::shared_ptr<Texture>>(&entry.resource);
    if (texture != nullptr && !CheckUsable("texture", *texture, device))
      entry.resource = (*texture)->CreateView();
  }
}

std::optional<Error> Validate(const Device& device, const BindGroupDescriptor& descriptor,
                              const std::vector<BindGroupEntry>& sorted) {
  const std::string name = Named("bind group", descriptor.label);
  if (const Complaint complaint = CheckUsable("bind group layout", descriptor.layout, device))
    return ValidationError(fmt::format("{}: {}", name, *complaint));
  const BindGroupLayout& layout = *descriptor.layout;
  if (sorted.size() != layout.entries().size()) {
    return ValidationError(
        fmt::format("{} has {} entries and its layout {}", name, sorted.size(), layout.entries().size()));
  }
  for (size_t i = 0; i < sorted.size(); ++i) {
    const std::string place = fmt::format("binding {} of {}", sorted[i].binding, name);
    if (i > 0 && sorted[i].binding == sorted[i - 1].binding)
      return ValidationError(fmt::format("{} is given twice", place));
    const BindGroupLayoutEntry* slot = layout.Find(sorted[i].binding);
    if (slot == nullptr) return ValidationError(fmt::format("{} is not in its layout", place));
    if (std::optional<Error> error = ValidateResource(device, sorted[i].resource, *slot, place)) return error;
  }
  return std::nullopt;
}

}  // namespace

uint64_t BufferBinding::EffectiveSize() const {
  if (size) return *size;
  return buffer && buffer->size() > offset ? buffer->size() - offset : 0;
}

BindGroup::BindGroup(std::shared_ptr<Device> device, std::string label,
                     std::shared_ptr<BindGroupLayout> layout, std::vector<BindGroupEntry> entries)
    : Object(std::move(device), std::move(label)), layout_(std::move(layout)), entries_(std::move(entries)) {}

std::shared_ptr<BindGroup> Device::CreateBindGroup(const BindGroupDescriptor& descriptor) {
  std::vector<BindGroupEntry> sorted = SortedByBinding(descriptor.entries);
  BindViews(*this, sorted);
  const std::optional<Error> error = Validate(*this, descriptor, sorted);
  auto group =
      std::make_shared<BindGroup>(shared_from_this(), descriptor.label, descriptor.layout, std::move(sorted));
  if (error) {
    Report(*error);
    group->Invalidate();
  }
  return group;
}

}  // namespace lockstep::gpu::core
