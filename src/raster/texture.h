// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Views of textures that kernels read (abi/texture.h). Here texels are found and decoded, with the codecs
// that attachments have too; what a number out of range means is decided here, once for every engine and
// stage.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "abi/texture.h"

namespace lockstep::raster {

// One of the levels that a view sees.
struct TextureLevel {
  const std::byte* texels = nullptr;         // of the first image that it sees
  uint64_t row_bytes = 0, image_bytes = 0;   // from one row, and one layer or slice, to the next
  std::array<uint32_t, 3> size = {1, 1, 1};  // texels
};

struct TextureDescriptor {
  // By the name of its GPUTextureFormat; of depth and stencil that of the aspect that is seen. It must not be
  // compressed.
  std::string_view format;
  std::vector<TextureLevel> levels;
  uint32_t layers = 1;      // images of a level that are no slices
  uint32_t cube_faces = 1;  // 6 where layers are faces of cubes
  uint32_t samples = 1;     // of a texel, one after the other
  abi::Swizzle swizzle = abi::kNoSwizzle;
};

class Texture : public abi::TextureView {
 public:
  explicit Texture(TextureDescriptor descriptor);

  const std::vector<TextureLevel>& levels() const { return descriptor_.levels; }
  uint32_t layers() const { return descriptor_.layers; }
  uint32_t samples() const { return descriptor_.samples; }
  const abi::Swizzle& swizzle() const { return descriptor_.swizzle; }

 private:
  TextureDescriptor descriptor_;
};

// --- the code that reads texels (texture_kernels.h), once for each kind of processor ---

using LoadTexels = decltype(abi::TextureView::load);
// By a format's name; null for formats that cannot be read.
using FindLoadTexels = LoadTexels (*)(std::string_view format);
namespace portable {
LoadTexels FindLoad(std::string_view format);
}
namespace avx2 {
LoadTexels FindLoad(std::string_view format);
}
FindLoadTexels FindLoadHere();  // for this processor

}  // namespace lockstep::raster
