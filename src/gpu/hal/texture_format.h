// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// GPUTextureFormat and what each format can do.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "gpu/hal/enums.h"

namespace lockstep::gpu::hal {

enum class TextureFormat : uint8_t {
#define COLOR(enumerator, ...) enumerator,
#define DEPTH_STENCIL(enumerator, ...) enumerator,
#define PACKED(enumerator, ...) enumerator,
#include "gpu/hal/texture_format.def"
};
template <>
inline constexpr auto kEnumNames<TextureFormat> = std::to_array<std::string_view>({
#define COLOR(enumerator, name, ...) name,
#define DEPTH_STENCIL(enumerator, name, ...) name,
#define PACKED(enumerator, name, ...) name,
#include "gpu/hal/texture_format.def"
});

// What a device must have for something: nothing (Always), what no device has (Never), or a feature.
enum class Support : uint8_t {
  kNever,
  kAlways,
  kDepth32FloatStencil8,
  kBc,
  kBcSliced3d,
  kEtc2,
  kAstc,
  kAstcSliced3d,
  kRg11b10Renderable,
  kBgra8Storage,
  kFloat32Filterable,
  kFloat32Blendable,
  kTier1,
  kTier2,
};
// The feature's name; empty for the first two.
template <>
inline constexpr auto kEnumNames<Support> = std::to_array<std::string_view>(
    {"", "", "depth32float-stencil8", "texture-compression-bc", "texture-compression-bc-sliced-3d",
     "texture-compression-etc2", "texture-compression-astc", "texture-compression-astc-sliced-3d",
     "rg11b10ufloat-renderable", "bgra8unorm-storage", "float32-filterable", "float32-blendable",
     "texture-formats-tier1", "texture-formats-tier2"});

// WebGPU: #aspect.
enum class Aspect : uint8_t { kColor, kDepth, kStencil };
inline constexpr std::array<Aspect, 3> kAspects = {Aspect::kColor, Aspect::kDepth, Aspect::kStencil};

// One aspect of a format.
struct AspectInfo {
  uint8_t bytes = 0;       // of a texel block in memory, and in texel copies; 0: the format lacks the aspect
  TextureFormat format{};  // WebGPU: #aspect-specific-format
  bool copy_source = false;  // of texel copies between textures and buffers
  bool copy_destination = false;
  TextureSampleType sample_type{};  // kFloat: only where `filterable`; kUnfilterableFloat in any case
};

struct TextureFormatInfo {
  Support needs = Support::kAlways;
  std::array<AspectInfo, 3> aspects;  // by Aspect
  uint8_t block_width = 1, block_height = 1;
  Support filterable = Support::kNever;
  Support render = Support::kNever, blend = Support::kNever;  // as a color attachment
  Support multisample = Support::kNever, resolve = Support::kNever;
  std::array<Support, 3> storage{};  // by StorageTextureAccess
  Support three_d = Support::kNever;
  uint8_t render_bytes = 0;      // WebGPU: #render-target-pixel-byte-cost
  uint8_t render_alignment = 0;  // WebGPU: #render-target-component-alignment

  constexpr const AspectInfo& operator[](Aspect aspect) const { return aspects[static_cast<size_t>(aspect)]; }
  constexpr bool Has(Aspect aspect) const { return (*this)[aspect].bytes != 0; }
  constexpr bool depth_or_stencil() const { return !Has(Aspect::kColor); }
  constexpr bool compressed() const { return block_width > 1 || block_height > 1; }
};

namespace internal {

constexpr TextureFormatInfo ColorFormat(TextureFormat format, Support needs, TextureSampleType sample_type,
                                        Support filterable, uint8_t bytes, uint8_t render_bytes,
                                        uint8_t render_alignment, Support render, Support blend,
                                        Support multisample, Support resolve,
                                        const std::array<Support, 3>& storage) {
  TextureFormatInfo info;
  info.needs = needs;
  info.aspects[0] = {bytes, format, true, true, sample_type};
  info.filterable = filterable;
  info.render = render;
  info.blend = blend;
  info.multisample = multisample;
  info.resolve = resolve;
  info.storage = storage;
  info.three_d = Support::kAlways;
  info.render_bytes = render_bytes;
  info.render_alignment = render_alignment;
  return info;
}

constexpr TextureFormatInfo DepthStencilFormat(Support needs, const AspectInfo& depth, bool stencil) {
  TextureFormatInfo info;
  info.needs = needs;
  info.aspects[1] = depth;
  if (stencil) info.aspects[2] = {1, TextureFormat::kStencil8, true, true, TextureSampleType::kUint};
  info.render = Support::kAlways;
  info.multisample = Support::kAlways;
  return info;
}

constexpr TextureFormatInfo PackedFormat(TextureFormat format, Support needs, uint8_t bytes,
                                         uint8_t block_width, uint8_t block_height, Support three_d) {
  TextureFormatInfo info;
  info.needs = needs;
  info.aspects[0] = {bytes, format, true, true, TextureSampleType::kFloat};
  info.block_width = block_width;
  info.block_height = block_height;
  info.filterable = Support::kAlways;
  info.three_d = three_d;
  return info;
}

#define COLOR(enumerator, name, needs, sample_type, filterable, bytes, render_bytes, render_alignment, \
              render, blend, multisample, resolve, write, read, read_write)                            \
  ColorFormat(TextureFormat::enumerator, Support::k##needs, TextureSampleType::k##sample_type,         \
              Support::k##filterable, bytes, render_bytes, render_alignment, Support::k##render,       \
              Support::k##blend, Support::k##multisample, Support::k##resolve,                         \
              {Support::k##write, Support::k##read, Support::k##read_write}),
#define DEPTH_STENCIL(enumerator, name, needs, depth, bytes, source, destination, stencil)          \
  DepthStencilFormat(Support::k##needs,                                                             \
                     {bytes, TextureFormat::depth, source, destination, TextureSampleType::kDepth}, \
                     stencil),
#define PACKED(enumerator, name, needs, bytes, width, height, three_d) \
  PackedFormat(TextureFormat::enumerator, Support::k##needs, bytes, width, height, Support::k##three_d),
inline constexpr TextureFormatInfo kTextureFormats[] = {
#include "gpu/hal/texture_format.def"
};

}  // namespace internal

constexpr const TextureFormatInfo& FormatInfo(TextureFormat format) {
  return internal::kTextureFormats[static_cast<size_t>(format)];
}

// The name without "-srgb".
constexpr std::string_view LinearName(TextureFormat format) {
  constexpr std::string_view kSuffix = "-srgb";
  std::string_view name = EnumName(format);
  if (name.ends_with(kSuffix)) name.remove_suffix(kSuffix.size());
  return name;
}

// WebGPU: #copy-compatible, #texture-view-format-compatible.
constexpr bool EqualButForSrgb(TextureFormat a, TextureFormat b) { return LinearName(a) == LinearName(b); }

}  // namespace lockstep::gpu::hal
