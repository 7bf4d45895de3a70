// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// A texture without memory, whose channels say where their texel lies.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "abi/texture.h"

namespace lockstep::tests {

struct FakeTexture : abi::TextureView {
  // By abi::TextureNumber: width, height, depth, layers, levels, samples.
  explicit FakeTexture(const std::array<uint32_t, abi::kTextureNumbers>& given) {
    std::copy(given.begin(), given.end(), numbers);
    load = Load;
  }

  // Channel `c` of the texel there, all of which exist.
  static uint32_t TexelAt(uint32_t x, uint32_t y, uint32_t z, uint32_t layer, uint32_t level, uint32_t c) {
    return 1 + c + 4 * (x + 32 * (y + 32 * (z + 8 * (layer + 8 * level))));
  }

 private:
  static void Load(const abi::TextureView* self, uint32_t lanes, uint64_t mask, const uint32_t* places,
                   uint32_t* texels) {
    using Number = abi::TextureNumber;
    const auto number = [&](Number of) { return self->numbers[static_cast<size_t>(of)]; };
    const bool multisampled = number(Number::kSamples) > 1;
    for (uint32_t i = 0; i < lanes; ++i) {
      const auto place = [&](uint32_t row, uint32_t count) {
        return std::min(places[row * lanes + i], count - 1);
      };
      const uint32_t level =
          place(abi::kTexelLevel, number(multisampled ? Number::kSamples : Number::kLevels));
      const auto size = [&](Number of) { return std::max(1u, number(of) >> (multisampled ? 0 : level)); };
      for (uint32_t c = 0; c < 4; ++c) {
        const uint32_t texel =
            TexelAt(place(abi::kTexelX, size(Number::kWidth)), place(abi::kTexelY, size(Number::kHeight)),
                    place(abi::kTexelZ, size(Number::kDepth)),
                    place(abi::kTexelLayer, number(Number::kLayers)), level, c);
        texels[c * lanes + i] = (mask >> i & 1) != 0 ? texel : 0;
      }
    }
  }
};

}  // namespace lockstep::tests
