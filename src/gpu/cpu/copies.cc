// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/cpu/copies.h"

#include <cstring>

#include "gpu/cpu/query_set.h"
#include "gpu/cpu/texture.h"

namespace lockstep::gpu::cpu {
namespace {

LinearTexture& TextureOf(const hal::TexelPlace& place) { return static_cast<LinearTexture&>(*place.texture); }

Blocks BlocksOf(const hal::TexelPlace& place, hal::Aspect aspect) {
  LinearTexture& texture = TextureOf(place);
  return texture.layout().At(texture.memory(), aspect, place.mip_level, place.origin);
}

template <typename Byte>
BasicBlocks<Byte> BlocksOf(Byte* bytes, const hal::TexelLayout& layout) {
  return {bytes + layout.offset, layout.bytes_per_row, layout.bytes_per_row * layout.rows_per_image};
}

template <typename Byte>
void CopyBlocks(const Blocks& to, const BasicBlocks<Byte>& from, const hal::Extent3D& size,
                const hal::TextureFormatInfo& format, uint64_t block_bytes) {
  const uint64_t bytes = size.width / format.block_width * block_bytes;
  if (bytes == 0) return;
  for (uint64_t image = 0; image < size.depth_or_array_layers; ++image) {
    for (uint64_t row = 0; row < size.height / format.block_height; ++row) {
      std::memcpy(to.first + image * to.image_bytes + row * to.row_bytes,
                  from.first + image * from.image_bytes + row * from.row_bytes, bytes);
    }
  }
}

// The texture says how large a block is.
template <typename Byte>
void CopyBlocks(const Blocks& to, const BasicBlocks<Byte>& from, const hal::Extent3D& size,
                const hal::TexelPlace& texture) {
  const TextureLayout& layout = TextureOf(texture).layout();
  CopyBlocks(to, from, size, layout.format(), layout.BlockBytes(texture.aspect));
}

}  // namespace

void Perform(const hal::CopyBuffer& copy) {
  std::memcpy(copy.to->bytes().data() + copy.to_offset, copy.from->bytes().data() + copy.from_offset,
              copy.size);
}

void Perform(const hal::ClearBuffer& clear) {
  std::memset(clear.buffer->bytes().data() + clear.offset, 0, clear.size);
}

void Perform(const hal::CopyBufferToTexture& copy) {
  CopyBlocks(BlocksOf(copy.to, copy.to.aspect), BlocksOf(copy.from->bytes().data(), copy.layout), copy.size,
             copy.to);
}

void Perform(const hal::CopyTextureToBuffer& copy) {
  CopyBlocks(BlocksOf(copy.to->bytes().data(), copy.layout), BlocksOf(copy.from, copy.from.aspect), copy.size,
             copy.from);
}

void Perform(const hal::CopyTextureToTexture& copy) {
  const TextureLayout& layout = TextureOf(copy.from).layout();
  for (const hal::Aspect aspect : hal::kAspects) {
    if (!layout.format().Has(aspect)) continue;
    CopyBlocks(BlocksOf(copy.to, aspect), BlocksOf(copy.from, aspect), copy.size, layout.format(),
               layout.BlockBytes(aspect));
  }
}

void Perform(const hal::WriteTexture& write) {
  CopyBlocks(BlocksOf(write.to, write.to.aspect), BlocksOf(write.from.data(), write.layout), write.size,
             write.to);
}

void Perform(const hal::WriteTimestamp& write, uint64_t now) {
  static_cast<CpuQuerySet*>(write.queries)->values[write.index] = now;
}

void Perform(const hal::ResolveQueries& resolve) {
  const auto& values = static_cast<const CpuQuerySet*>(resolve.queries)->values;
  std::memcpy(resolve.to->bytes().data() + resolve.to_offset, values.data() + resolve.first,
              resolve.count * sizeof(uint64_t));
}

}  // namespace lockstep::gpu::cpu
