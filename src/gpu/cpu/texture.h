// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Textures in linear memory, one allocation each:
//
//   aspect 0: level 0: image 0: row 0 of blocks | row 1 | ...   image 1 ...   level 1 ...   aspect 1 ...
//
// An image is a layer of a 2d texture or a slice of a 3d one. Rows hold whole blocks and no padding; levels
// begin at multiples of 16 bytes. A block of a multisampled texture is that of each sample, one after the
// other: nothing but shaders and a copy of whole images can see it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gpu/hal/device.h"
#include "raster/texture.h"

namespace lockstep::gpu::cpu {

// Where blocks lie, in a texture or a buffer.
template <typename Byte>
struct BasicBlocks {
  Byte* first = nullptr;
  uint64_t row_bytes = 0, image_bytes = 0;  // from one to the next
};
using Blocks = BasicBlocks<std::byte>;

class TextureLayout {
 public:
  explicit TextureLayout(const hal::TextureDescriptor& descriptor);

  uint64_t bytes() const { return bytes_; }
  uint64_t BlockBytes(hal::Aspect aspect) const;
  const hal::TextureFormatInfo& format() const { return hal::FormatInfo(descriptor_.format); }
  const hal::TextureDescriptor& descriptor() const { return descriptor_; }
  // `memory` is that of the whole texture.
  Blocks At(std::byte* memory, hal::Aspect aspect, uint32_t mip_level, const hal::Origin3D& origin) const;

 private:
  struct Level {
    uint64_t offset = 0, row_bytes = 0, image_bytes = 0;
  };
  hal::TextureDescriptor descriptor_;
  std::array<std::vector<Level>, 3> levels_;  // by aspect
  uint64_t bytes_ = 0;
};

class LinearTexture : public hal::Texture {
 public:
  explicit LinearTexture(const TextureLayout& layout) : layout_(layout) {}
  uint64_t bytes() const override { return layout_.bytes(); }
  const TextureLayout& layout() const { return layout_; }
  virtual std::byte* memory() = 0;

 private:
  TextureLayout layout_;
};

// Textures that a dispatch or draw reads, as kernels see them (abi::Dispatch::textures).
class BoundTextures {
 public:
  explicit BoundTextures(const std::vector<hal::BoundTexture>& textures);
  const std::vector<const abi::TextureView*>& views() const { return views_; }

 private:
  std::vector<std::unique_ptr<raster::Texture>> textures_;
  std::vector<const abi::TextureView*> views_;
};

}  // namespace lockstep::gpu::cpu
