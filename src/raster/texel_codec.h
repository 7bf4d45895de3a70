// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Texels of color attachments from and to channels, eight at once. Channels are f32, or i32 and u32 of
// integer formats, as bits; those that a format lacks read as 0, alpha as 1.
//
// Conversions are those of Vulkan (fundamentals, "Conversion From Floating-Point to Normalized Fixed-Point")
// and of the Khronos Data Format Specification: nearest for unorm, snorm and f16 (ties to even for f16), NaN
// becomes 0 in fixed point, integers saturate.
#pragma once

#include <array>
#include <cstddef>

#include "raster/color_format.h"
#include "raster/simd.h"
#include "raster/srgb.h"

namespace lockstep::raster::LOCKSTEP_RASTER_ISA {

struct Channels {
  U8 c[4];
};

LOCKSTEP_INLINE U8 FloatToHalf(const F8& value) {
  const U8 bits = Bits<U8>(value);
  const U8 sign = bits >> 16 & Splat(0x8000u);
  const U8 magnitude = bits & Splat(0x7fffffffu);
  // Subnormal: adding 0.5 leaves the f16's fraction, rounded, in the lowest bits.
  const U8 subnormal = Bits<U8>(Bits<F8>(magnitude) + Splat(0.5f)) - Splat(0x3f000000u);
  const U8 odd = magnitude >> 13 & Splat(1u);
  const U8 normal = (magnitude - Splat(uint32_t{112} << 23) + Splat(0xfffu) + odd) >> 13;
  const U8 finite = Select(Bits<I8>(magnitude < Splat(0x38800000u)), subnormal, normal);
  const U8 infinite = Select(Bits<I8>(magnitude > Splat(0x7f800000u)), Splat(0x7e00u), Splat(0x7c00u));
  return sign | Select(Bits<I8>(magnitude >= Splat(0x477ff000u)), infinite, finite);
}

// Unsigned floats of 5 bits of exponent and `kFraction` of fraction (rg11b10ufloat), like an f16 without its
// sign and lowest bits: negative numbers become 0.
template <int kFraction>
LOCKSTEP_INLINE U8 FloatToSmall(const F8& value) {
  const U8 bits = Bits<U8>(value);
  const I8 nan = Bits<I8>((bits & Splat(0x7fffffffu)) > Splat(0x7f800000u));
  const U8 magnitude = Select(Bits<I8>(bits) < 0, Splat(0u), bits);
  constexpr int kShift = 23 - kFraction;
  // 2^-14 * 2^-kFraction is the smallest; in its units, rounded to nearest even by adding 2^23.
  constexpr float kUnits = static_cast<float>(uint32_t{1} << (14 + kFraction));
  const U8 subnormal = Bits<U8>(Bits<F8>(magnitude) * Splat(kUnits) + Splat(8388608.0f)) - Splat(0x4b000000u);
  const U8 odd = magnitude >> kShift & Splat(1u);
  const U8 normal =
      (magnitude - Splat(uint32_t{112} << 23) + Splat((uint32_t{1} << (kShift - 1)) - 1) + odd) >> kShift;
  const U8 finite = Select(Bits<I8>(magnitude < Splat(0x38800000u)), subnormal, normal);
  constexpr uint32_t kLargest = (uint32_t{31} << kFraction) - 1;
  const U8 capped = Min(finite, Splat(kLargest));
  const U8 infinite = Splat(kLargest + 1);
  const U8 with_infinity = Select(Bits<I8>(magnitude >= Splat(0x7f800000u)), infinite, capped);
  return Select(nan, Splat(kLargest + 1) | Splat(uint32_t{1} << (kFraction - 1)), with_infinity);
}

template <int kFraction>
LOCKSTEP_INLINE U8 SmallToFloat(const U8& bits) {
  const F8 scaled = Bits<F8>(bits << (23 - kFraction)) * Splat(0x1p112f);
  const I8 special = Bits<I8>(bits >= Splat(uint32_t{31} << kFraction));
  return Select(special, Bits<U8>(scaled) | Splat(0x7f800000u), Bits<U8>(scaled));
}

LOCKSTEP_INLINE U8 HalfToFloat(const U8& half) {
  return SmallToFloat<10>(half & Splat(0x7fffu)) | (half & Splat(0x8000u)) << 16;
}

LOCKSTEP_INLINE U8 ToUnorm(const U8& channel, float largest) {
  const F8 scaled = Clamp(Bits<F8>(channel), 0, 1) * largest + 0.5f;
  return Bits<U8>(ToInt(scaled));
}

LOCKSTEP_INLINE U8 ToSnorm(const U8& channel, float largest, uint32_t mask) {
  const F8 value = Bits<F8>(channel);
  const F8 known = Select(value == value, value, Splat(0.0f));
  const F8 scaled = Clamp(known, -1, 1) * largest;
  const F8 half = Select(scaled < 0, Splat(-0.5f), Splat(0.5f));
  return Bits<U8>(ToInt(scaled + half)) & Splat(mask);
}

LOCKSTEP_INLINE U8 FromSnorm(const U8& bits, int unused_bits, float largest) {
  const I8 value = Bits<I8>(bits << unused_bits) >> unused_bits;
  return Bits<U8>(Max(ToFloat(value) / largest, Splat(-1.0f)));
}

template <ColorFormat kFormat>
struct Codec {
  static constexpr const ColorFormatInfo& kInfo = InfoOf(kFormat);
  static constexpr TexelKind kKind = kInfo.kind;
  static constexpr uint32_t kBytes = kInfo.bytes();
  static constexpr uint32_t kWords = (kBytes + 3) / 4;  // of a texel; the last one's high bits may be none
  static constexpr int kBits = kInfo.bits;
  static constexpr bool kBlueFirst = kKind == TexelKind::kBgra || kKind == TexelKind::kBgraSrgb;
  static constexpr bool kNonlinear = kKind == TexelKind::kSrgb || kKind == TexelKind::kBgraSrgb;
  static constexpr uint32_t kMask =
      kBits >= 32 ? 0xffffffffu : (uint32_t{1} << (kBits & 31)) - 1;  // of a channel
  static constexpr float kUnormMax = static_cast<float>(kMask);
  static constexpr float kSnormMax = static_cast<float>(kMask >> 1);

  static LOCKSTEP_INLINE U8 PackChannel(const U8& v, int channel) {
    if constexpr (kNonlinear) {
      if (channel < 3) {
        U8 out;
        for (int i = 0; i < 8; ++i) out[i] = LinearToSrgb8(Bits<F8>(v)[i]);
        return out;
      }
      return ToUnorm(v, kUnormMax);
    } else if constexpr (kKind == TexelKind::kUnorm || kKind == TexelKind::kBgra) {
      return ToUnorm(v, kUnormMax);
    } else if constexpr (kKind == TexelKind::kSnorm) {
      return ToSnorm(v, kSnormMax, kMask);
    } else if constexpr (kBits == 32) {
      return v;
    } else if constexpr (kKind == TexelKind::kFloat) {
      return FloatToHalf(Bits<F8>(v));
    } else if constexpr (kKind == TexelKind::kUint) {
      return Min(v, Splat(kMask));
    } else {
      constexpr int32_t kMost = static_cast<int32_t>(kMask >> 1);
      return Bits<U8>(Max(Min(Bits<I8>(v), Splat(kMost)), Splat(-kMost - 1))) & Splat(kMask);
    }
  }

  static LOCKSTEP_INLINE U8 UnpackChannel(const U8& bits, int channel) {
    if constexpr (kNonlinear) {
      if (channel < 3) {
        const std::array<float, 256>& table = SrgbToLinear();
        F8 out;
        for (int i = 0; i < 8; ++i) out[i] = table[bits[i] & 255];
        return Bits<U8>(out);
      }
      return Bits<U8>(ToFloat(Bits<I8>(bits)) / kUnormMax);
    } else if constexpr (kKind == TexelKind::kUnorm || kKind == TexelKind::kBgra) {
      return Bits<U8>(ToFloat(Bits<I8>(bits)) / kUnormMax);
    } else if constexpr (kKind == TexelKind::kSnorm) {
      return FromSnorm(bits, 32 - kBits, kSnormMax);
    } else if constexpr (kBits == 32 || kKind == TexelKind::kUint) {
      return bits;
    } else if constexpr (kKind == TexelKind::kFloat) {
      return HalfToFloat(bits);
    } else {
      return Bits<U8>(Bits<I8>(bits << (32 - kBits)) >> (32 - kBits));
    }
  }

  static LOCKSTEP_INLINE void Pack(const Channels& in, U8 (&words)[kWords]) {
    if constexpr (kKind == TexelKind::kPacked1010102Unorm) {
      words[0] = ToUnorm(in.c[0], 1023) | ToUnorm(in.c[1], 1023) << 10 | ToUnorm(in.c[2], 1023) << 20 |
                 ToUnorm(in.c[3], 3) << 30;
    } else if constexpr (kKind == TexelKind::kPacked1010102Uint) {
      words[0] = Min(in.c[0], Splat(1023u)) | Min(in.c[1], Splat(1023u)) << 10 |
                 Min(in.c[2], Splat(1023u)) << 20 | Min(in.c[3], Splat(3u)) << 30;
    } else if constexpr (kKind == TexelKind::kPacked111110Float) {
      words[0] = FloatToSmall<6>(Bits<F8>(in.c[0])) | FloatToSmall<6>(Bits<F8>(in.c[1])) << 11 |
                 FloatToSmall<5>(Bits<F8>(in.c[2])) << 22;
    } else {
      for (U8& word : words) word = U8{};
      for (int i = 0; i < kInfo.channels; ++i) {
        const int channel = kBlueFirst && i < 3 ? 2 - i : i;
        words[i * kBits / 32] |= PackChannel(in.c[channel], channel) << (i * kBits % 32);
      }
    }
  }

  static LOCKSTEP_INLINE Channels Unpack(const U8 (&words)[kWords]) {
    Channels out = {};
    if constexpr (kKind == TexelKind::kPacked1010102Unorm || kKind == TexelKind::kPacked1010102Uint) {
      for (int i = 0; i < 4; ++i) {
        const uint32_t most = i < 3 ? 1023 : 3;
        const U8 bits = words[0] >> (10 * i) & Splat(most);
        out.c[i] = kInfo.integer() ? bits : Bits<U8>(ToFloat(Bits<I8>(bits)) / static_cast<float>(most));
      }
      return out;
    }
    out.c[3] = kInfo.integer() ? Splat(1u) : Bits<U8>(Splat(1.0f));
    if constexpr (kKind == TexelKind::kPacked111110Float) {
      out.c[0] = SmallToFloat<6>(words[0] & Splat(0x7ffu));
      out.c[1] = SmallToFloat<6>(words[0] >> 11 & Splat(0x7ffu));
      out.c[2] = SmallToFloat<5>(words[0] >> 22);
    } else {
      for (int i = 0; i < kInfo.channels; ++i) {
        const int channel = kBlueFirst && i < 3 ? 2 - i : i;
        const U8 bits = words[i * kBits / 32] >> (i * kBits % 32) & Splat(kMask);
        out.c[channel] = UnpackChannel(bits, channel);
      }
    }
    return out;
  }

  // The texels at `from`, those of lanes whose bit is not set left 0.
  static LOCKSTEP_INLINE void LoadLanes(const std::byte* const (&from)[8], uint32_t lanes,
                                        U8 (&words)[kWords]) {
    alignas(32) uint32_t values[kWords][8] = {};
    for (int i = 0; i < 8; ++i) {
      if ((lanes >> i & 1) == 0) continue;
      for (uint32_t w = 0; w < kWords; ++w) {
        std::memcpy(&values[w][i], from[i] + 4 * w, kBytes < 4 ? kBytes : 4);
      }
    }
    for (uint32_t w = 0; w < kWords; ++w) words[w] = Load<U8>(values[w]);
  }

  static LOCKSTEP_INLINE void StoreLanes(const U8 (&words)[kWords], uint32_t lanes,
                                         std::byte* const (&to)[8]) {
    alignas(32) uint32_t values[kWords][8];
    for (uint32_t w = 0; w < kWords; ++w) Store(values[w], words[w]);
    for (int i = 0; i < 8; ++i) {
      if ((lanes >> i & 1) == 0) continue;
      for (uint32_t w = 0; w < kWords; ++w)
        std::memcpy(to[i] + 4 * w, &values[w][i], kBytes < 4 ? kBytes : 4);
    }
  }
};

}  // namespace lockstep::raster::LOCKSTEP_RASTER_ISA
