// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Textures as kernels see them: a few numbers, and functions of the host that read texels, so that no
// generated code knows a format. A kernel names a texture by its place in Dispatch::textures, which holds
// those that are bound.
#pragma once

#include <array>
#include <cstdint>

namespace lockstep::abi {

// What can be asked of a texture (TextureView::numbers).
enum class TextureNumber : uint32_t { kWidth, kHeight, kDepth, kLayers, kLevels, kSamples };
inline constexpr uint32_t kTextureNumbers = 6;

// The rows of TextureView::load: where a texel lies.
enum TexelPlace : uint32_t { kTexelX, kTexelY, kTexelZ, kTexelLayer, kTexelLevel, kTexelPlaces };

struct TextureView {
  // Reads a texel for each of `lanes` lanes, at most 64; those whose bit in `mask` is not set get zeros.
  // Arrays have rows of one word a lane: `places` the rows of TexelPlace, `texels` four channels, as bits.
  // The level is the number of a sample in multisampled textures; rows of what the texture does not have are
  // zero. A number out of range is taken as the highest one (and a negative one, as u32, so too).
  void (*load)(const TextureView* self, uint32_t lanes, uint64_t mask, const uint32_t* places,
               uint32_t* texels) = nullptr;
  // By TextureNumber, of the first level that is seen; 1 for what the texture does not have. Layers of cubes
  // are cubes.
  uint32_t numbers[kTextureNumbers] = {1, 1, 1, 1, 1, 1};
};

// What a view makes of a texel's channels (WebGPU: #dom-gputextureviewdescriptor-swizzle), for each of its
// own.
enum class Channel : uint8_t { kRed, kGreen, kBlue, kAlpha, kZero, kOne };
using Swizzle = std::array<Channel, 4>;
inline constexpr Swizzle kNoSwizzle = {Channel::kRed, Channel::kGreen, Channel::kBlue, Channel::kAlpha};

}  // namespace lockstep::abi
