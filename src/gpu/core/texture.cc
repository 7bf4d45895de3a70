// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/texture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "gpu/core/device.h"

namespace lockstep::gpu::core {
namespace {

constexpr std::array<std::string_view, 6> kUsageNames = {"COPY_SRC",          "COPY_DST",
                                                         "TEXTURE_BINDING",   "STORAGE_BINDING",
                                                         "RENDER_ATTACHMENT", "TRANSIENT_ATTACHMENT"};

Complaint CheckUsage(uint32_t usage) {
  if (usage == 0) return "has no usage";
  if ((usage & ~texture_usage::kAll) != 0)
    return fmt::format("has usage bits that WebGPU does not have (0x{:x})", usage);
  return std::nullopt;
}

// What a dimension allows: the most of each axis, and the limit that says so (none: it must be 1).
struct Axis {
  uint32_t most;
  std::string_view limit;
};
std::array<Axis, 3> AxesOf(TextureDimension dimension, const hal::Limits& limits) {
  const Axis one{1, {}}, d1{limits.max_texture_dimension_1d, "maxTextureDimension1D"},
      d2{limits.max_texture_dimension_2d, "maxTextureDimension2D"},
      d3{limits.max_texture_dimension_3d, "maxTextureDimension3D"},
      layers{limits.max_texture_array_layers, "maxTextureArrayLayers"};
  switch (dimension) {
    case TextureDimension::k1d:
      return {d1, one, one};
    case TextureDimension::k2d:
      return {d2, d2, layers};
    case TextureDimension::k3d:
      return {d3, d3, d3};
  }
  UNREACHABLE("texture dimension");
}

Complaint CheckSize(const TextureDescriptor& d, const hal::Limits& limits) {
  static constexpr std::string_view kNames[] = {"width", "height", "depthOrArrayLayers"};
  const uint32_t lengths[] = {d.size.width, d.size.height, d.size.depth_or_array_layers};
  const std::array<Axis, 3> axes = AxesOf(d.dimension, limits);
  for (size_t i = 0; i < axes.size(); ++i) {
    if (lengths[i] == 0) return fmt::format("has {} 0", kNames[i]);
    if (lengths[i] <= axes[i].most) continue;
    if (axes[i].limit.empty())
      return fmt::format("is {} and has {} {}: it must be 1", EnumName(d.dimension), kNames[i], lengths[i]);
    return fmt::format("has {} {}, which exceeds the limit {} of {}", kNames[i], lengths[i], axes[i].limit,
                       axes[i].most);
  }
  const hal::TextureFormatInfo& format = hal::FormatInfo(d.format);
  if (d.size.width % format.block_width != 0 || d.size.height % format.block_height != 0) {
    return fmt::format("of {} x {} texels does not consist of whole blocks of {} x {}, as {} needs",
                       d.size.width, d.size.height, format.block_width, format.block_height,
                       EnumName(d.format));
  }
  return std::nullopt;
}

Complaint CheckFormatOfDimension(const Device& device, const TextureDescriptor& d) {
  const hal::TextureFormatInfo& format = hal::FormatInfo(d.format);
  if (d.dimension == TextureDimension::k1d && (format.compressed() || format.depth_or_stencil()))
    return fmt::format("is 1d and has the format {}, which cannot be", EnumName(d.format));
  if (d.dimension == TextureDimension::k3d && !device.Supports(format.three_d))
    return fmt::format("is 3d and has the format {}, which cannot be", EnumName(d.format));
  return std::nullopt;
}

// WebGPU: #abstract-opdef-maximum-miplevel-count.
uint32_t MaxMipLevels(TextureDimension dimension, const Extent3D& size) {
  if (dimension == TextureDimension::k1d) return 1;
  uint32_t longest = std::max(size.width, size.height);
  if (dimension == TextureDimension::k3d) longest = std::max(longest, size.depth_or_array_layers);
  return static_cast<uint32_t>(std::bit_width(longest));
}

Complaint CheckMipLevels(const TextureDescriptor& d) {
  if (d.mip_level_count == 0) return "has no mip levels";
  const uint32_t most = MaxMipLevels(d.dimension, d.size);
  if (d.mip_level_count <= most) return std::nullopt;
  return fmt::format("has {} mip levels and with its size may have {}", d.mip_level_count, most);
}

Complaint CheckSamples(const Device& device, const TextureDescriptor& d) {
  if (d.sample_count == 1) return std::nullopt;
  if (d.sample_count != 4) return fmt::format("has {} samples: it may have 1 or 4", d.sample_count);
  if (d.dimension != TextureDimension::k2d)
    return fmt::format("is {} and has 4 samples: only 2d textures may", EnumName(d.dimension));
  if (d.mip_level_count != 1)
    return fmt::format("has 4 samples and {} mip levels: it may have 1", d.mip_level_count);
  if (d.size.depth_or_array_layers != 1)
    return fmt::format("has 4 samples and {} layers: it may have 1", d.size.depth_or_array_layers);
  if ((d.usage & texture_usage::kStorageBinding) != 0)
    return "has 4 samples and the usage STORAGE_BINDING, which do not go together";
  if ((d.usage & texture_usage::kRenderAttachment) == 0)
    return fmt::format("has 4 samples and lacks the usage RENDER_ATTACHMENT (it has {})",
                       TextureUsageNames(d.usage));
  if (!device.Supports(hal::FormatInfo(d.format).multisample))
    return fmt::format("has 4 samples, which its format {} does not allow", EnumName(d.format));
  return std::nullopt;
}

Complaint CheckAttachment(const TextureDescriptor& d) {
  if ((d.usage & texture_usage::kRenderAttachment) != 0 && d.dimension == TextureDimension::k1d)
    return "is 1d and has the usage RENDER_ATTACHMENT: it must be 2d or 3d";
  if ((d.usage & texture_usage::kTransientAttachment) == 0) return std::nullopt;
  if (d.usage != (texture_usage::kTransientAttachment | texture_usage::kRenderAttachment))
    return fmt::format("has usage {}: TRANSIENT_ATTACHMENT goes with RENDER_ATTACHMENT and nothing else",
                       TextureUsageNames(d.usage));
  if (!d.view_formats.empty() || d.dimension != TextureDimension::k2d || d.mip_level_count != 1 ||
      d.size.depth_or_array_layers != 1)
    return "has the usage TRANSIENT_ATTACHMENT: it must be 2d, with one mip level, one layer and no "
           "viewFormats";
  return std::nullopt;
}

Complaint CheckFormats(const Device& device, const TextureDescriptor& d) {
  if (Complaint missing = MissingFeature(device, d.format))
    return "has a format that is not there: " + *missing;
  for (const TextureFormat view : d.view_formats) {
    if (Complaint missing = MissingFeature(device, view))
      return "has a view format that is not there: " + *missing;
    if (!hal::EqualButForSrgb(d.format, view))
      return fmt::format("has the format {} and the view format {}: they may differ in -srgb only",
                         EnumName(d.format), EnumName(view));
  }
  return std::nullopt;
}

// WebGPU: #abstract-opdef-validating-gputexturedescriptor.
std::optional<Error> Validate(const Device& device, const TextureDescriptor& d) {
  Complaint complaint = CheckFormats(device, d);
  if (!complaint) complaint = CheckUsage(d.usage);
  if (!complaint) complaint = CheckSize(d, device.limits());
  if (!complaint) complaint = CheckFormatOfDimension(device, d);
  if (!complaint) complaint = CheckMipLevels(d);
  if (!complaint) complaint = CheckSamples(device, d);
  if (!complaint) complaint = CheckFormatOfUsage(device, d.format, d.usage);
  if (!complaint) complaint = CheckAttachment(d);
  if (!complaint) return std::nullopt;
  return ValidationError(fmt::format("{} {}", Named("texture", d.label), *complaint));
}

}  // namespace

std::string TextureUsageNames(uint32_t usage) { return FlagNames(usage, kUsageNames); }

Complaint MissingFeature(const Device& device, TextureFormat format) {
  const hal::Support needs = hal::FormatInfo(format).needs;
  if (device.Supports(needs)) return std::nullopt;
  return fmt::format("{} needs the feature {}, which the device does not have", EnumName(format),
                     EnumName(needs));
}

Complaint CheckFormatOfUsage(const Device& device, TextureFormat format, uint32_t usage) {
  const hal::TextureFormatInfo& info = hal::FormatInfo(format);
  if ((usage & texture_usage::kRenderAttachment) != 0 && !device.Supports(info.render))
    return fmt::format("has the usage RENDER_ATTACHMENT, which its format {} does not allow",
                       EnumName(format));
  const bool storage = std::any_of(info.storage.begin(), info.storage.end(),
                                   [&](hal::Support support) { return device.Supports(support); });
  if ((usage & texture_usage::kStorageBinding) != 0 && !storage)
    return fmt::format("has the usage STORAGE_BINDING, which its format {} does not allow", EnumName(format));
  return std::nullopt;
}

Texture::Texture(std::shared_ptr<Device> device, const TextureDescriptor& descriptor,
                 std::unique_ptr<hal::Texture> memory)
    : Resource(std::move(device), descriptor.label), memory_(std::move(memory)), descriptor_(descriptor) {
  if (!memory_) Invalidate();
  descriptor_.texture_binding_view_dimension.reset();
}

uint32_t Texture::array_layer_count() const {
  return dimension() == TextureDimension::k2d ? descriptor_.size.depth_or_array_layers : 1;
}

Extent3D Texture::PhysicalExtent(uint32_t mip_level) const {
  return hal::PhysicalMipExtent(dimension(), descriptor_.size, mip_level, format_info());
}

std::string_view Texture::unavailable_because() const {
  if (destroyed_) return "destroyed";
  return valid() ? "" : "invalid";
}

void Texture::Destroy() {
  destroyed_ = true;
  memory_.reset();
}

std::shared_ptr<Texture> Device::CreateTexture(const TextureDescriptor& descriptor) {
  std::unique_ptr<hal::Texture> memory;
  if (const std::optional<Error> error = Validate(*this, descriptor)) {
    Report(*error);
  } else if (!lost_) {
    Result<std::unique_ptr<hal::Texture>> made =
        hal_->CreateTexture({descriptor.dimension, descriptor.size, descriptor.mip_level_count,
                             descriptor.sample_count, descriptor.format});
    if (made.ok())
      memory = std::move(*made);
    else
      Report(OutOfMemoryError(Named("texture", descriptor.label), made.failure()));
  }
  return std::make_shared<Texture>(shared_from_this(), descriptor, std::move(memory));
}

}  // namespace lockstep::gpu::core
