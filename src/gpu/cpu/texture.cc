// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/cpu/texture.h"

namespace lockstep::gpu::cpu {
TextureLayout::TextureLayout(const hal::TextureDescriptor& descriptor) : descriptor_(descriptor) {
  for (const hal::Aspect aspect : hal::kAspects) {
    if (!format().Has(aspect)) continue;
    for (uint32_t level = 0; level < descriptor.mip_level_count; ++level) {
      const hal::Extent3D extent =
          hal::PhysicalMipExtent(descriptor.dimension, descriptor.size, level, format());
      const uint64_t row = extent.width / format().block_width * BlockBytes(aspect);
      const uint64_t image = extent.height / format().block_height * row;
      levels_[static_cast<size_t>(aspect)].push_back({bytes_, row, image});
      bytes_ += (image * extent.depth_or_array_layers + 15) / 16 * 16;
    }
  }
}

uint64_t TextureLayout::BlockBytes(hal::Aspect aspect) const {
  return uint64_t{format()[aspect].bytes} * descriptor_.sample_count;
}

Blocks TextureLayout::At(std::byte* memory, hal::Aspect aspect, uint32_t mip_level,
                         const hal::Origin3D& origin) const {
  const Level& level = levels_[static_cast<size_t>(aspect)][mip_level];
  return {memory + level.offset + origin.z * level.image_bytes +
              origin.y / format().block_height * level.row_bytes +
              origin.x / format().block_width * BlockBytes(aspect),
          level.row_bytes, level.image_bytes};
}

namespace {

raster::TextureDescriptor Describe(const hal::BoundTexture& bound) {
  auto& texture = static_cast<LinearTexture&>(*bound.texture);
  const hal::TextureDescriptor& whole = texture.layout().descriptor();
  raster::TextureDescriptor view;
  view.format = hal::EnumName(
      bound.aspect == hal::Aspect::kColor ? bound.format : texture.layout().format()[bound.aspect].format);
  for (uint32_t level = bound.base_mip_level; level < bound.base_mip_level + bound.mip_level_count; ++level) {
    const Blocks blocks =
        texture.layout().At(texture.memory(), bound.aspect, level, {0, 0, bound.base_array_layer});
    const hal::Extent3D size = hal::LogicalMipExtent(whole.dimension, whole.size, level);
    const uint32_t depth = whole.dimension == hal::TextureDimension::k3d ? size.depth_or_array_layers : 1;
    view.levels.push_back(
        {blocks.first, blocks.row_bytes, blocks.image_bytes, {size.width, size.height, depth}});
  }
  view.layers = bound.array_layer_count;
  const bool cube = bound.dimension == hal::TextureViewDimension::kCube ||
                    bound.dimension == hal::TextureViewDimension::kCubeArray;
  view.cube_faces = cube ? 6 : 1;
  view.samples = whole.sample_count;
  view.swizzle = bound.swizzle;
  return view;
}

}  // namespace

BoundTextures::BoundTextures(const std::vector<hal::BoundTexture>& textures) {
  for (const hal::BoundTexture& bound : textures) {
    textures_.push_back(std::make_unique<raster::Texture>(Describe(bound)));
    views_.push_back(textures_.back().get());
  }
}

}  // namespace lockstep::gpu::cpu
