// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/texel_copy.h"

#include <fmt/format.h>

#include <algorithm>

#include "gpu/core/device.h"

namespace lockstep::gpu::core {
namespace {

using hal::Aspect;

// WebGPU: #abstract-opdef-validating-texture-copy-range. Formats with blocks are measured in whole ones.
Complaint CheckRange(const TexelCopyTextureInfo& info, const Extent3D& size, const std::string& name) {
  const Extent3D extent = info.texture->PhysicalExtent(info.mip_level);
  const struct {
    char axis;
    uint32_t origin, size, extent;
  } axes[] = {{'x', info.origin.x, size.width, extent.width},
              {'y', info.origin.y, size.height, extent.height},
              {'z', info.origin.z, size.depth_or_array_layers, extent.depth_or_array_layers}};
  for (const auto& a : axes) {
    if (uint64_t{a.origin} + a.size <= a.extent) continue;
    return fmt::format("the copy of {} texels in {} from {} does not fit mip level {} of {}, which has {}",
                       a.size, a.axis, a.origin, info.mip_level, name, a.extent);
  }
  return std::nullopt;
}

Complaint CheckBlocks(const TexelCopyTextureInfo& info, const Extent3D& size, const std::string& name) {
  const hal::TextureFormatInfo& format = info.texture->format_info();
  const uint32_t width = format.block_width, height = format.block_height;
  if (info.origin.x % width == 0 && info.origin.y % height == 0 && size.width % width == 0 &&
      size.height % height == 0)
    return std::nullopt;
  return fmt::format(
      "the copy of {} x {} texels at {}, {} of {} does not consist of whole blocks of {} x {}, as {} needs",
      size.width, size.height, info.origin.x, info.origin.y, name, width, height,
      EnumName(info.texture->format()));
}

Complaint CheckWhole(const TexelCopyTextureInfo& info, const Extent3D& size, const std::string& name) {
  const bool multisampled = info.texture->descriptor().sample_count > 1;
  if (!info.texture->format_info().depth_or_stencil() && !multisampled) return std::nullopt;
  const Extent3D extent = info.texture->PhysicalExtent(info.mip_level);
  // The depth is left to the range: layers are subresources of their own.
  if (size.width == extent.width && size.height == extent.height) return std::nullopt;
  return fmt::format("the copy of {} x {} texels must be of all {} x {} of mip level {}, since {} is {}",
                     size.width, size.height, extent.width, extent.height, info.mip_level, name,
                     multisampled ? "multisampled" : EnumName(info.texture->format()));
}

// The aspects of the texture that `aspects` names.
uint32_t CountAspects(const Texture& texture, TextureAspect aspects) {
  return static_cast<uint32_t>(std::count_if(hal::kAspects.begin(), hal::kAspects.end(), [&](Aspect aspect) {
    return texture.format_info().Has(aspect) && Includes(aspects, aspect);
  }));
}

Complaint CheckAspect(const TexelCopyTextureInfo& info, uint32_t usage, const std::string& name) {
  const std::string_view format = EnumName(info.texture->format());
  const uint32_t count = CountAspects(*info.texture, info.aspect);
  if (count == 0)
    return fmt::format("the aspect {} of {} is copied, which {} lacks", EnumName(info.aspect), name, format);
  if (count > 1)
    return fmt::format("both aspects of {} are copied: aspect must choose one of {}", name, format);
  const hal::AspectInfo& aspect = info.texture->format_info()[CopiedAspect(info)];
  const bool from = usage == texture_usage::kCopySrc;
  if (from ? aspect.copy_source : aspect.copy_destination) return std::nullopt;
  return fmt::format("{} of {} cannot be copied {} linear data: its format is {}",
                     CopiedAspect(info) == Aspect::kDepth ? "the depth" : "the stencil", name,
                     from ? "to" : "from", format);
}

// The size of a region in blocks of a texture, and the bytes of a row of it.
struct BlockSize {
  BlockSize(const TexelCopyTextureInfo& info, const Extent3D& size) {
    const hal::TextureFormatInfo& format = info.texture->format_info();
    rows = size.height / format.block_height;
    row_bytes = uint64_t{size.width} / format.block_width * format[CopiedAspect(info)].bytes;
  }
  uint64_t rows, row_bytes;
};

// WebGPU: #abstract-opdef-validating-linear-texture-data.
Complaint CheckLinearData(const TexelCopyTextureInfo& info, const TexelCopyBufferLayout& layout,
                          const LinearData& data, const Extent3D& size) {
  const BlockSize blocks(info, size);
  const uint32_t images = size.depth_or_array_layers;
  const std::string name = Named("texture", *info.texture);
  if ((blocks.rows > 1 || images > 1) && !layout.bytes_per_row)
    return fmt::format("bytesPerRow is needed for {} rows and {} images of {}", blocks.rows, images, name);
  if (images > 1 && !layout.rows_per_image)
    return fmt::format("rowsPerImage is needed for {} images of {}", images, name);
  if (layout.bytes_per_row && *layout.bytes_per_row < blocks.row_bytes) {
    return fmt::format("bytesPerRow {} is less than the {} bytes of a row of {}", *layout.bytes_per_row,
                       blocks.row_bytes, name);
  }
  if (layout.rows_per_image && *layout.rows_per_image < blocks.rows) {
    return fmt::format("rowsPerImage {} is less than the {} rows that are copied of {}",
                       *layout.rows_per_image, blocks.rows, name);
  }
  const uint64_t required = RequiredBytes(info, layout, size);
  if (layout.offset <= data.bytes && required <= data.bytes - layout.offset) return std::nullopt;
  return fmt::format("{} bytes from {} are needed, and {} has {}", required, layout.offset, data.name,
                     data.bytes);
}

}  // namespace

Aspect CopiedAspect(const TexelCopyTextureInfo& info) {
  return *std::find_if(hal::kAspects.begin(), hal::kAspects.end(), [&](Aspect aspect) {
    return info.texture->format_info().Has(aspect) && Includes(info.aspect, aspect);
  });
}

uint64_t RequiredBytes(const TexelCopyTextureInfo& info, const TexelCopyBufferLayout& layout,
                       const Extent3D& size) {
  const BlockSize blocks(info, size);
  const uint64_t per_row = layout.bytes_per_row.value_or(0);
  if (size.depth_or_array_layers == 0) return 0;
  uint64_t bytes = blocks.rows > 0 ? per_row * (blocks.rows - 1) + blocks.row_bytes : 0;
  uint64_t images = 0;
  if (__builtin_mul_overflow(per_row * layout.rows_per_image.value_or(0), size.depth_or_array_layers - 1,
                             &images) ||
      __builtin_add_overflow(images, bytes, &bytes))
    return UINT64_MAX;
  return bytes;
}

hal::TexelLayout LinearLayout(const TexelCopyBufferLayout& layout) {
  return {layout.offset, layout.bytes_per_row.value_or(0), layout.rows_per_image.value_or(0)};
}

Complaint CheckTexelCopyTexture(const Device& device, const TexelCopyTextureInfo& info, const Extent3D& size,
                                uint32_t usage) {
  if (Complaint complaint = CheckUsable("texture", info.texture, device)) return complaint;
  const std::string name = Named("texture", *info.texture);
  const TextureDescriptor& d = info.texture->descriptor();
  if (!info.texture->Has(usage)) {
    return fmt::format("{} lacks the usage {} (it has {})", name, TextureUsageNames(usage),
                       TextureUsageNames(d.usage));
  }
  if (info.mip_level >= d.mip_level_count)
    return fmt::format("mip level {} is copied of {}, which has {}", info.mip_level, name, d.mip_level_count);
  if (Complaint complaint = CheckBlocks(info, size, name)) return complaint;
  if (Complaint complaint = CheckRange(info, size, name)) return complaint;
  return CheckWhole(info, size, name);
}

Complaint CheckTexelCopyLayout(const TexelCopyTextureInfo& info, const TexelCopyBufferLayout& layout,
                               const LinearData& data, const Extent3D& size, uint32_t usage) {
  const std::string name = Named("texture", *info.texture);
  if (info.texture->descriptor().sample_count > 1)
    return fmt::format("{} is multisampled, and linear data is not", name);
  if (Complaint complaint = CheckAspect(info, usage, name)) return complaint;
  const hal::TextureFormatInfo& format = info.texture->format_info();
  const uint32_t alignment = format.depth_or_stencil() ? 4 : format[Aspect::kColor].bytes;
  if (data.aligned && layout.offset % alignment != 0) {
    return fmt::format("the offset {} into {} is not a multiple of {}, as {} needs", layout.offset, data.name,
                       alignment, EnumName(info.texture->format()));
  }
  return CheckLinearData(info, layout, data, size);
}

Complaint CheckTextureToTexture(const TexelCopyTextureInfo& from, const TexelCopyTextureInfo& to,
                                const Extent3D& size) {
  const std::string source = Named("texture", *from.texture), destination = Named("texture", *to.texture);
  const TextureDescriptor &a = from.texture->descriptor(), &b = to.texture->descriptor();
  if (a.sample_count != b.sample_count)
    return fmt::format("{} has {} samples and {} {}", source, a.sample_count, destination, b.sample_count);
  if (!hal::EqualButForSrgb(a.format, b.format)) {
    return fmt::format("{} has the format {} and {} {}: they may differ in -srgb only", source,
                       EnumName(a.format), destination, EnumName(b.format));
  }
  for (const TexelCopyTextureInfo* info : {&from, &to}) {
    if (CountAspects(*info->texture, info->aspect) == CountAspects(*info->texture, TextureAspect::kAll))
      continue;
    return fmt::format("the aspect {} of {} is copied: all aspects of {} must be", EnumName(info->aspect),
                       Named("texture", *info->texture), EnumName(info->texture->format()));
  }
  if (from.texture != to.texture || from.mip_level != to.mip_level) return std::nullopt;
  const uint64_t layers = size.depth_or_array_layers;
  if (from.texture->dimension() == TextureDimension::k2d &&
      (from.origin.z >= to.origin.z + layers || to.origin.z >= from.origin.z + layers))
    return std::nullopt;
  return fmt::format("{} is copied to the same subresource (mip level {}) of itself", source, from.mip_level);
}

}  // namespace lockstep::gpu::core
