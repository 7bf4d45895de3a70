// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Formats that color attachments can have: what a texel's bytes mean (WebGPU: #texture-format-caps).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace lockstep::raster {

enum class ColorFormat : uint8_t {
#define FORMAT(enumerator, name, kind, bits, channels) enumerator,
#include "raster/color_format.def"
};

enum class TexelKind : uint8_t {
  kUnorm,
  kSnorm,
  kUint,
  kSint,
  kFloat,
  kSrgb,
  kBgra,
  kBgraSrgb,
  kPacked1010102Unorm,
  kPacked1010102Uint,
  kPacked111110Float,
};

struct ColorFormatInfo {
  std::string_view name;
  TexelKind kind;
  uint8_t bits;      // of a channel; of the texel where it is packed
  uint8_t channels;  // 1, 2, 3 or 4
  constexpr bool packed() const { return kind >= TexelKind::kPacked1010102Unorm; }
  constexpr uint32_t bytes() const { return packed() ? 4 : bits / 8 * channels; }
  // Channels are i32 or u32, not f32.
  constexpr bool integer() const {
    return kind == TexelKind::kUint || kind == TexelKind::kSint || kind == TexelKind::kPacked1010102Uint;
  }
};

inline constexpr ColorFormatInfo kColorFormats[] = {
#define FORMAT(enumerator, name, kind, bits, channels) {name, TexelKind::k##kind, bits, channels},
#include "raster/color_format.def"
};

constexpr const ColorFormatInfo& InfoOf(ColorFormat format) {
  return kColorFormats[static_cast<size_t>(format)];
}

// By the name of the GPUTextureFormat; none for formats that no color attachment has.
constexpr std::optional<ColorFormat> FindColorFormat(std::string_view name) {
  for (size_t i = 0; i < std::size(kColorFormats); ++i) {
    if (kColorFormats[i].name == name) return static_cast<ColorFormat>(i);
  }
  return std::nullopt;
}

}  // namespace lockstep::raster
