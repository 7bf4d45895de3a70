// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// From a batch's colors to a color attachment: blending, write mask, conversion (WebGPU: #output-merging).
#pragma once

#include "raster/depth_stencil.h"
#include "raster/texel_codec.h"
#include "raster/tile_scratch.h"

namespace lockstep::raster::LOCKSTEP_RASTER_ISA {

// A batch on its way into one attachment.
struct ColorBatch {
  const Quad* quads = nullptr;
  uint32_t count = 0;
  const uint32_t* channels[4] = {};         // by invocation; null: the shader does not write it
  const uint32_t* second_channels[4] = {};  // of @blend_src(1), likewise
  const Attachments* attachments = nullptr;
  const ColorAttachment* attachment = nullptr;
  const abi::ColorTargetState* state = nullptr;
  const float* blend_constant = nullptr;
};

struct BlendInput {
  F8 source[4], second[4], destination[4], constant[4];
};

LOCKSTEP_INLINE F8 Factor(abi::BlendFactor factor, const BlendInput& in, int channel) {
  using abi::BlendFactor;
  switch (factor) {
    case BlendFactor::kZero:
      return F8{};
    case BlendFactor::kOne:
      return Splat(1.0f);
    case BlendFactor::kSrc:
      return in.source[channel];
    case BlendFactor::kOneMinusSrc:
      return 1.0f - in.source[channel];
    case BlendFactor::kSrcAlpha:
      return in.source[3];
    case BlendFactor::kOneMinusSrcAlpha:
      return 1.0f - in.source[3];
    case BlendFactor::kDst:
      return in.destination[channel];
    case BlendFactor::kOneMinusDst:
      return 1.0f - in.destination[channel];
    case BlendFactor::kDstAlpha:
      return in.destination[3];
    case BlendFactor::kOneMinusDstAlpha:
      return 1.0f - in.destination[3];
    case BlendFactor::kSrcAlphaSaturated:
      return channel == 3 ? Splat(1.0f) : Min(in.source[3], 1.0f - in.destination[3]);
    case BlendFactor::kConstant:
      return in.constant[channel];
    case BlendFactor::kOneMinusConstant:
      return 1.0f - in.constant[channel];
    case BlendFactor::kSrc1:
      return in.second[channel];
    case BlendFactor::kOneMinusSrc1:
      return 1.0f - in.second[channel];
    case BlendFactor::kSrc1Alpha:
      return in.second[3];
    case BlendFactor::kOneMinusSrc1Alpha:
      return 1.0f - in.second[3];
  }
  __builtin_unreachable();
}

LOCKSTEP_INLINE F8 Blend(const abi::BlendComponent& how, const BlendInput& in, int channel) {
  const F8 source = in.source[channel], destination = in.destination[channel];
  switch (how.operation) {
    case abi::BlendOperation::kMin:
      return Min(source, destination);
    case abi::BlendOperation::kMax:
      return Max(source, destination);
    default:
      break;
  }
  const F8 a = source * Factor(how.src_factor, in, channel);
  const F8 b = destination * Factor(how.dst_factor, in, channel);
  if (how.operation == abi::BlendOperation::kSubtract) return a - b;
  return how.operation == abi::BlendOperation::kReverseSubtract ? b - a : a + b;
}

template <ColorFormat kFormat>
struct ColorWriter {
  using C = Codec<kFormat>;
  static constexpr ColorFormatInfo kInfo = InfoOf(kFormat);
  // Fixed point is blended within its range (Vulkan: "Blending").
  static constexpr bool kUnorm = kInfo.kind == TexelKind::kUnorm || kInfo.kind == TexelKind::kSrgb ||
                                 kInfo.kind == TexelKind::kBgra || kInfo.kind == TexelKind::kBgraSrgb ||
                                 kInfo.kind == TexelKind::kPacked1010102Unorm;
  static constexpr bool kSnorm = kInfo.kind == TexelKind::kSnorm;

  const ColorBatch& batch;
  const Surface& surface = batch.attachment->surface;
  const uint32_t samples = batch.attachments->samples;
  const uint32_t width = batch.attachments->width, height = batch.attachments->height;
  const uint32_t write_mask = batch.state->write_mask & ((1u << kInfo.channels) - 1);
  const bool needs_destination = batch.state->blend.has_value() || write_mask != (1u << kInfo.channels) - 1;

  static F8 InRange(const F8& v) {
    if constexpr (kUnorm) return Clamp(v, 0, 1);
    if constexpr (kSnorm) return Clamp(v, -1, 1);
    return v;
  }

  static Channels LoadChannels(const uint32_t* const (&rows)[4], uint32_t at) {
    Channels channels;
    for (int i = 0; i < 4; ++i) {
      if (rows[i] != nullptr)
        channels.c[i] = Load<U8>(rows[i] + at);
      else
        channels.c[i] = i == 3 ? (kInfo.integer() ? Splat(1u) : Bits<U8>(Splat(1.0f))) : U8{};
    }
    return channels;
  }

  Channels Merge(const Channels& source, const Channels& second, const Channels& destination) const {
    Channels merged = source;
    if (!kInfo.integer() && batch.state->blend) {
      BlendInput in;
      for (int i = 0; i < 4; ++i) {
        in.source[i] = InRange(Bits<F8>(source.c[i]));
        in.second[i] = InRange(Bits<F8>(second.c[i]));
        in.destination[i] = Bits<F8>(destination.c[i]);
        in.constant[i] = InRange(Splat(batch.blend_constant[i]));
      }
      for (int i = 0; i < 4; ++i)
        merged.c[i] = Bits<U8>(Blend(i < 3 ? batch.state->blend->color : batch.state->blend->alpha, in, i));
    }
    for (int i = 0; i < 4; ++i) {
      if ((write_mask >> i & 1) == 0) merged.c[i] = destination.c[i];
    }
    return merged;
  }

  // Quads of four covered pixels, all within the attachment, as two rows.
  LOCKSTEP_INLINE void StoreWhole(const U8& texels, const Places& at) const {
    using L4 = int64_t __attribute__((vector_size(32)));
    const auto rows = Bits<L4>(texels);
    for (int q = 0; q < 2; ++q) {
      std::byte* const to = surface.texels + at.y[q] * surface.row_bytes + uint64_t{at.x[q]} * 4;
      const int64_t upper = rows[2 * q], lower = rows[2 * q + 1];
      std::memcpy(to, &upper, sizeof(upper));
      std::memcpy(to + surface.row_bytes, &lower, sizeof(lower));
    }
  }

  void Pointers(const Places& at, std::byte* (&texels)[8]) const {
    for (int lane = 0; lane < 8; ++lane) {
      texels[lane] =
          surface.texels + at.YOf(lane) * surface.row_bytes + uint64_t{at.XOf(lane)} * samples * C::kBytes;
    }
  }

  void WritePair(uint32_t first, bool both) {
    const Quad& a = batch.quads[first];
    const Quad& b = batch.quads[both ? first + 1 : first];
    const Places at{{a.x, b.x}, {a.y, b.y}};
    const Channels source = LoadChannels(batch.channels, 4 * first);
    std::byte* texels[8];
    U8 words[C::kWords] = {};
    if (!needs_destination) {
      C::Pack(source, words);
      if constexpr (C::kBytes == 4) {
        if (samples == 1 && both && (a.coverage & b.coverage) == 15) return StoreWhole(words[0], at);
      }
    }
    Pointers(at, texels);
    for (uint32_t s = 0; s < samples; ++s) {
      uint32_t lanes = a.coverage >> (4 * s) & 15;
      if (both) lanes |= (b.coverage >> (4 * s) & 15u) << 4;
      if (lanes != 0) WriteSample(source, first, lanes, texels, words);
      for (std::byte*& texel : texels) texel += C::kBytes;
    }
  }

  void WriteSample(const Channels& source, uint32_t first, uint32_t lanes, std::byte* const (&texels)[8],
                   U8 (&words)[C::kWords]) {
    if (needs_destination) {
      const std::byte* from[8];
      for (int i = 0; i < 8; ++i) from[i] = texels[i];
      C::LoadLanes(from, lanes, words);
      C::Pack(Merge(source, LoadChannels(batch.second_channels, 4 * first), C::Unpack(words)), words);
    }
    C::StoreLanes(words, lanes, texels);
  }

  // Whether two quads lie side by side, wholly covered, and nothing of what is there counts.
  LOCKSTEP_INLINE bool IsPlain(uint32_t first) const {
    const Quad& a = batch.quads[first];
    const Quad& b = batch.quads[first + 1];
    return (a.coverage & b.coverage) == 15 && b.x == a.x + 2 && b.y == a.y;
  }
  LOCKSTEP_INLINE void WritePlain(uint32_t first) const {
    using U4 = uint32_t __attribute__((vector_size(16)));
    U8 words[C::kWords];
    C::Pack(LoadChannels(batch.channels, 4 * first), words);
    const Quad& quad = batch.quads[first];
    std::byte* const to = surface.texels + quad.y * surface.row_bytes + uint64_t{quad.x} * 4;
    const U4 upper = __builtin_shufflevector(words[0], words[0], 0, 1, 4, 5);
    const U4 lower = __builtin_shufflevector(words[0], words[0], 2, 3, 6, 7);
    std::memcpy(to, &upper, sizeof(upper));
    std::memcpy(to + surface.row_bytes, &lower, sizeof(lower));
  }

  void Run() {
    const bool may_be_plain = C::kBytes == 4 && !needs_destination && samples == 1;
    for (uint32_t i = 0; i < batch.count; i += 2) {
      const bool both = i + 1 < batch.count;
      if constexpr (C::kBytes == 4) {
        if (may_be_plain && both && IsPlain(i)) {
          WritePlain(i);
          continue;
        }
      }
      if (batch.quads[i].coverage != 0 || (both && batch.quads[i + 1].coverage != 0)) WritePair(i, both);
    }
  }
};

template <ColorFormat kFormat>
void WriteColors(const ColorBatch& batch) {
  ColorWriter<kFormat>{batch}.Run();
}

template <ColorFormat kFormat>
void PackTexel(const uint32_t (&channels)[4], std::byte* texel) {
  Channels in;
  for (int i = 0; i < 4; ++i) in.c[i] = Splat(channels[i]);
  U8 words[Codec<kFormat>::kWords];
  Codec<kFormat>::Pack(in, words);
  std::byte* const to[8] = {texel};
  Codec<kFormat>::StoreLanes(words, 1, to);
}

template <ColorFormat kFormat>
void ResolveTexels(const std::byte* from, uint32_t samples, uint32_t count, std::byte* to) {
  using C = Codec<kFormat>;
  for (uint32_t first = 0; first < count; first += 8) {
    const uint32_t left = count - first;
    const uint32_t lanes = left >= 8 ? 255 : (1u << left) - 1;
    F8 sums[4] = {};
    for (uint32_t s = 0; s < samples; ++s) {
      const std::byte* texels[8];
      for (uint32_t i = 0; i < 8; ++i) texels[i] = from + (uint64_t{first + i} * samples + s) * C::kBytes;
      U8 words[C::kWords];
      C::LoadLanes(texels, lanes, words);
      const Channels channels = C::Unpack(words);
      for (int i = 0; i < 4; ++i) sums[i] += Bits<F8>(channels.c[i]);
    }
    Channels average;
    for (int i = 0; i < 4; ++i) average.c[i] = Bits<U8>(sums[i] / static_cast<float>(samples));
    U8 words[C::kWords];
    C::Pack(average, words);
    std::byte* texels[8];
    for (uint32_t i = 0; i < 8; ++i) texels[i] = to + uint64_t{first + i} * C::kBytes;
    C::StoreLanes(words, lanes, texels);
  }
}

struct ColorFunctions {
  void (*write)(const ColorBatch& batch);
  void (*pack)(const uint32_t (&channels)[4], std::byte* texel);
  void (*resolve)(const std::byte* from, uint32_t samples, uint32_t count, std::byte* to);
};

inline const ColorFunctions& FunctionsOf(ColorFormat format) {
  static constexpr ColorFunctions kTable[] = {
#define FORMAT(enumerator, name, kind, bits, channels)                       \
  {WriteColors<ColorFormat::enumerator>, PackTexel<ColorFormat::enumerator>, \
   ResolveTexels<ColorFormat::enumerator>},
#include "raster/color_format.def"
  };
  return kTable[static_cast<size_t>(format)];
}

}  // namespace lockstep::raster::LOCKSTEP_RASTER_ISA
