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

}  // namespace lockstep::gpu::cpu
