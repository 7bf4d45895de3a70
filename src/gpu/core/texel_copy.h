// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Texel copies (WebGPU: #texel-copies): what they are told, and the rules that all of them share. The
// commands are CommandEncoder's and Queue's.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "gpu/core/buffer.h"
#include "gpu/core/texture.h"
#include "gpu/hal/texture.h"

namespace lockstep::gpu::core {

struct TexelCopyBufferLayout {
  uint64_t offset = 0;  // bytes
  std::optional<uint32_t> bytes_per_row;
  std::optional<uint32_t> rows_per_image;  // rows of texel blocks
};

struct TexelCopyBufferInfo : TexelCopyBufferLayout {
  std::shared_ptr<Buffer> buffer;
};

struct TexelCopyTextureInfo {
  std::shared_ptr<Texture> texture;
  uint32_t mip_level = 0;
  Origin3D origin;
  TextureAspect aspect = TextureAspect::kAll;
};

// The texture can be used by the device, has the usage, and holds the region (WebGPU:
// #abstract-opdef-validating-gputexelcopytextureinfo).
Complaint CheckTexelCopyTexture(const Device& device, const TexelCopyTextureInfo& info, const Extent3D& size,
                                uint32_t usage);
struct LinearData {
  std::string name;  // "buffer 'b'"
  uint64_t bytes = 0;
  bool aligned = false;  // copies from and to buffers must be
};
// After CheckTexelCopyTexture: the region, in linear data (WebGPU:
// #abstract-opdef-validating-texture-buffer-copy).
Complaint CheckTexelCopyLayout(const TexelCopyTextureInfo& info, const TexelCopyBufferLayout& layout,
                               const LinearData& data, const Extent3D& size, uint32_t usage);
// After CheckTexelCopyTexture of both.
Complaint CheckTextureToTexture(const TexelCopyTextureInfo& from, const TexelCopyTextureInfo& to,
                                const Extent3D& size);

// The aspect that is copied from or to linear data: the only one that `aspect` names.
hal::Aspect CopiedAspect(const TexelCopyTextureInfo& info);
// Bytes from the layout's offset to the end of the last row; UINT64_MAX where there are more.
uint64_t RequiredBytes(const TexelCopyTextureInfo& info, const TexelCopyBufferLayout& layout,
                       const Extent3D& size);
hal::TexelLayout LinearLayout(const TexelCopyBufferLayout& layout);

}  // namespace lockstep::gpu::core
