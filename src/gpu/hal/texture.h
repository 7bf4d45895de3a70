// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Textures of a device, and the commands that copy them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "abi/texture.h"
#include "gpu/hal/enums.h"
#include "gpu/hal/texture_format.h"

namespace lockstep::gpu::hal {

class Buffer;

struct Extent3D {
  uint32_t width = 0, height = 1, depth_or_array_layers = 1;
  bool empty() const { return width == 0 || height == 0 || depth_or_array_layers == 0; }
};

struct Origin3D {
  uint32_t x = 0, y = 0, z = 0;
};

struct TextureDescriptor {
  TextureDimension dimension = TextureDimension::k2d;
  Extent3D size;
  uint32_t mip_level_count = 1;
  uint32_t sample_count = 1;
  TextureFormat format = TextureFormat::kRgba8Unorm;
};

// WebGPU: #logical-miplevel-specific-texture-extent.
inline Extent3D LogicalMipExtent(TextureDimension dimension, const Extent3D& size, uint32_t level) {
  const auto half = [level](uint32_t length) { return level < 32 ? std::max(1u, length >> level) : 1u; };
  return {half(size.width), dimension == TextureDimension::k1d ? 1 : half(size.height),
          dimension == TextureDimension::k3d ? half(size.depth_or_array_layers) : size.depth_or_array_layers};
}

// WebGPU: #physical-miplevel-specific-texture-extent: whole texel blocks.
inline Extent3D PhysicalMipExtent(TextureDimension dimension, const Extent3D& size, uint32_t level,
                                  const TextureFormatInfo& format) {
  Extent3D extent = LogicalMipExtent(dimension, size, level);
  extent.width = (extent.width + format.block_width - 1) / format.block_width * format.block_width;
  extent.height = (extent.height + format.block_height - 1) / format.block_height * format.block_height;
  return extent;
}

// Its texels are zero when made.
class Texture {
 public:
  virtual ~Texture() = default;
  virtual uint64_t bytes() const = 0;  // of memory
};

// A view of a texture that a shader reads (WebGPU: #gputextureview).
struct BoundTexture {
  Texture* texture = nullptr;
  TextureFormat format = TextureFormat::kRgba8Unorm;  // the texture's, or one that differs in "-srgb"
  TextureViewDimension dimension = TextureViewDimension::k2d;
  Aspect aspect = Aspect::kColor;
  uint32_t base_mip_level = 0, mip_level_count = 1;
  uint32_t base_array_layer = 0, array_layer_count = 1;
  abi::Swizzle swizzle = abi::kNoSwizzle;
};

// Where texel blocks lie in bytes.
struct TexelLayout {
  uint64_t offset = 0;
  uint64_t bytes_per_row = 0;  // of blocks
  uint64_t rows_per_image = 0;
};

// Where they lie in a texture. The origin is in texels, at a block's corner.
struct TexelPlace {
  Texture* texture = nullptr;
  Aspect aspect = Aspect::kColor;  // not looked at where textures are copied to textures: that copies all
  uint32_t mip_level = 0;
  Origin3D origin;
};

struct CopyBufferToTexture {
  Buffer* from = nullptr;
  TexelLayout layout;
  TexelPlace to;
  Extent3D size;  // whole blocks, within the physical extent of the level
};
struct CopyTextureToBuffer {
  TexelPlace from;
  Buffer* to = nullptr;
  TexelLayout layout;
  Extent3D size;
};
// Formats that are equal but for "-srgb"; subresources that do not overlap.
struct CopyTextureToTexture {
  TexelPlace from, to;
  Extent3D size;
};
struct WriteTexture {
  std::span<const std::byte> from;
  TexelLayout layout;
  TexelPlace to;
  Extent3D size;
};

}  // namespace lockstep::gpu::hal
