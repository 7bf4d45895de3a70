// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Reading texels, eight lanes at once. Included by the translation units that are compiled for one kind of
// processor each.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <string_view>

#include "raster/color_format.h"
#include "raster/texel_codec.h"
#include "raster/texture.h"

namespace lockstep::raster::LOCKSTEP_RASTER_ISA {

// rgb9e5ufloat, which no attachment has: three fractions of 9 bits and the exponent that they share.
struct SharedExponentCodec : Codec<ColorFormat::kR32Uint> {
  static constexpr bool kInteger = false;
  static LOCKSTEP_INLINE Channels Unpack(const U8 (&words)[kWords]) {
    // 2^(exponent - 15 - 9), of which every value is normal.
    const F8 scale = Bits<F8>(((words[0] >> 27) + Splat(127u - 24)) << 23);
    Channels out = {};
    for (int i = 0; i < 3; ++i)
      out.c[i] = Bits<U8>(ToFloat(Bits<I8>(words[0] >> (9 * i) & Splat(511u))) * scale);
    out.c[3] = Bits<U8>(Splat(1.0f));
    return out;
  }
};

// What is read like a color format is. Depth and stencil read as red (WebGPU: #reading-depth-stencil); depth
// of 24 bits is kept as a float.
template <ColorFormat kFormat>
struct ColorReader : Codec<kFormat> {
  static constexpr bool kInteger = InfoOf(kFormat).integer();
};

// The texels of the lanes from `first` on whose bit is set in `lanes`. A texture has layers or slices, levels
// or samples, and 1 of the other.
template <uint32_t kBytes>
LOCKSTEP_INLINE void FindTexels(const Texture& texture, const uint32_t* places, uint32_t width,
                                uint32_t first, uint32_t lanes, const std::byte* (&at)[8]) {
  const bool multisampled = texture.samples() > 1;
  const auto last_level = static_cast<uint32_t>(texture.levels().size()) - 1;
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto i = static_cast<uint32_t>(std::countr_zero(rest));
    const auto place = [&](uint32_t row) { return places[row * width + first + i]; };
    const uint32_t number = place(abi::kTexelLevel);
    const TextureLevel& level = texture.levels()[multisampled ? 0 : std::min(number, last_level)];
    const uint64_t x = std::min(place(abi::kTexelX), level.size[0] - 1);
    const uint64_t y = std::min(place(abi::kTexelY), level.size[1] - 1);
    const uint64_t image = std::min(place(abi::kTexelZ), level.size[2] - 1) +
                           uint64_t{std::min(place(abi::kTexelLayer), texture.layers() - 1)};
    const uint64_t sample = multisampled ? std::min(number, texture.samples() - 1) : 0;
    at[i] = level.texels + image * level.image_bytes + y * level.row_bytes +
            (x * texture.samples() + sample) * kBytes;
  }
}

template <typename Reader>
void Load(const abi::TextureView* self, uint32_t width, uint64_t mask, const uint32_t* places,
          uint32_t* texels) {
  const auto& texture = static_cast<const Texture&>(*self);
  for (uint32_t first = 0; first < width; first += 8) {
    const uint32_t count = std::min(8u, width - first);
    const auto lanes = static_cast<uint32_t>(mask >> first & 255);
    const std::byte* at[8] = {};
    FindTexels<Reader::kBytes>(texture, places, width, first, lanes, at);
    U8 words[Reader::kWords];
    Reader::LoadLanes(at, lanes, words);
    const Channels read = Reader::Unpack(words);
    const U8 one = Reader::kInteger ? Splat(1u) : Bits<U8>(Splat(1.0f));
    const U8 choices[] = {read.c[0], read.c[1], read.c[2], read.c[3], U8{}, one};
    const U8 active = Bits<U8>(LanesOf(lanes));
    for (uint32_t c = 0; c < 4; ++c) {
      alignas(32) uint32_t row[8];
      Store(row, choices[static_cast<size_t>(texture.swizzle()[c])] & active);
      std::copy_n(row, count, texels + c * width + first);
    }
  }
}

LoadTexels FindLoad(std::string_view format) {
  static constexpr LoadTexels kColors[] = {
#define FORMAT(enumerator, name, kind, bits, channels) Load<ColorReader<ColorFormat::enumerator>>,
#include "raster/color_format.def"
  };
  if (const auto color = FindColorFormat(format)) return kColors[static_cast<size_t>(*color)];
  if (format == "rgb9e5ufloat") return Load<SharedExponentCodec>;
  if (format == "stencil8") return Load<ColorReader<ColorFormat::kR8Uint>>;
  if (format == "depth16unorm") return Load<ColorReader<ColorFormat::kR16Unorm>>;
  if (format == "depth24plus" || format == "depth32float") return Load<ColorReader<ColorFormat::kR32Float>>;
  return nullptr;
}

}  // namespace lockstep::raster::LOCKSTEP_RASTER_ISA
