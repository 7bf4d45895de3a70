// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "raster/texture.h"

#include <utility>

#include "support/check.h"

namespace lockstep::raster {

FindLoadTexels FindLoadHere() {
#if defined(__x86_64__)
  static const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
  if (has_avx2) return avx2::FindLoad;
#endif
  return portable::FindLoad;
}

Texture::Texture(TextureDescriptor descriptor) : descriptor_(std::move(descriptor)) {
  const TextureDescriptor& d = descriptor_;
  load = FindLoadHere()(d.format);
  CHECK(load != nullptr && !d.levels.empty());
  const auto number = [this](abi::TextureNumber of) -> uint32_t& { return numbers[static_cast<size_t>(of)]; };
  number(abi::TextureNumber::kWidth) = d.levels[0].size[0];
  number(abi::TextureNumber::kHeight) = d.levels[0].size[1];
  number(abi::TextureNumber::kDepth) = d.levels[0].size[2];
  number(abi::TextureNumber::kLayers) = d.layers / d.cube_faces;
  number(abi::TextureNumber::kLevels) = static_cast<uint32_t>(d.levels.size());
  number(abi::TextureNumber::kSamples) = d.samples;
}

}  // namespace lockstep::raster
