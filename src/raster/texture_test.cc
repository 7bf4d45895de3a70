// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Texels as shaders read them: of every format, and from every place of a texture.
#include "raster/texture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <optional>
#include <random>
#include <vector>

#include "raster/tile.h"

namespace lockstep::raster {
namespace {

using abi::Channel;
using ::testing::ElementsAre;

std::vector<FindLoadTexels> AllFinds() {
  std::vector<FindLoadTexels> all = {portable::FindLoad};
  if (FindLoadHere() != portable::FindLoad) all.push_back(FindLoadHere());
  return all;
}

uint32_t Bits(float v) { return std::bit_cast<uint32_t>(v); }
float AsFloat(uint32_t v) { return std::bit_cast<float>(v); }

// The channels of one texel.
std::array<uint32_t, 4> At(const Texture& texture, std::array<uint32_t, abi::kTexelPlaces> place) {
  std::array<uint32_t, 4> texel = {7, 7, 7, 7};
  texture.load(&texture, 1, 1, place.data(), texel.data());
  return texel;
}

// A texture of one texel.
std::array<uint32_t, 4> Decode(FindLoadTexels find, std::string_view format, uint32_t bits,
                               abi::Swizzle swizzle = abi::kNoSwizzle) {
  std::byte memory[16] = {};
  std::memcpy(memory, &bits, sizeof(bits));
  TextureDescriptor d;
  d.format = format;
  d.levels = {{memory, 16, 16, {1, 1, 1}}};
  d.swizzle = swizzle;
  Texture texture(d);
  texture.load = find(format);
  return At(texture, {});
}

// Of a channel's highest value, by kind, all that there are.
TEST(TextureFormats, OfColorsReadWhatWasPacked) {
  std::mt19937 random(3);
  for (const FindLoadTexels find : AllFinds()) {
    for (size_t f = 0; f < std::size(kColorFormats); ++f) {
      const ColorFormatInfo& info = kColorFormats[f];
      for (int round = 0; round < 20; ++round) {
        uint32_t channels[4];
        for (uint32_t& c : channels) {
          const bool sint = info.kind == TexelKind::kSint;
          c = info.integer() ? random() % 100 - (sint ? 50 : 0)
                             : Bits(static_cast<float>(random() % 1001) / 1000.0f);
        }
        std::byte packed[16] = {}, again[16] = {};
        TileFunctionsHere().pack(static_cast<ColorFormat>(f), channels, packed);
        TextureDescriptor d;
        d.format = info.name;
        d.levels = {{packed, 16, 16, {1, 1, 1}}};
        Texture texture(d);
        texture.load = find(info.name);
        const std::array<uint32_t, 4> read = At(texture, {});
        uint32_t to_pack[4];
        std::copy(read.begin(), read.end(), to_pack);
        TileFunctionsHere().pack(static_cast<ColorFormat>(f), to_pack, again);
        EXPECT_EQ(std::memcmp(packed, again, 16), 0) << info.name;
        for (uint32_t c = 0; c < 4; ++c) {
          const bool there = c < info.channels;
          if (info.integer())
            EXPECT_EQ(read[c], there    ? std::min(channels[c], info.packed() && c == 3 ? 3u : ~0u)
                               : c == 3 ? 1u
                                        : 0u)
                << info.name;
          else if (!there)
            EXPECT_EQ(AsFloat(read[c]), c == 3 ? 1.0f : 0.0f) << info.name;
          else
            EXPECT_NEAR(AsFloat(read[c]), AsFloat(channels[c]), info.packed() && c == 3 ? 0.17 : 0.017)
                << info.name;
        }
      }
    }
  }
}

TEST(TextureFormats, OfDepthStencilAndSharedExponents) {
  for (const FindLoadTexels find : AllFinds()) {
    const uint32_t one = Bits(1.0f);
    EXPECT_THAT(Decode(find, "depth16unorm", 0xffff), ElementsAre(one, 0, 0, one));
    EXPECT_THAT(Decode(find, "depth16unorm", 0x8000), ElementsAre(Bits(32768 / 65535.0f), 0, 0, one));
    EXPECT_THAT(Decode(find, "depth24plus", Bits(0.3f)), ElementsAre(Bits(0.3f), 0, 0, one));
    EXPECT_THAT(Decode(find, "depth32float", Bits(0.7f)), ElementsAre(Bits(0.7f), 0, 0, one));
    EXPECT_THAT(Decode(find, "stencil8", 0x1c5), ElementsAre(0xc5, 0, 0, 1));
    // Fractions 1, 256 and 511 with exponents 15, 31 and 0.
    const uint32_t fractions = 1 | 256 << 9 | 511 << 18;
    const auto scaled = [](uint32_t fraction, int exponent) {
      return Bits(std::ldexp(static_cast<float>(fraction), exponent - 24));
    };
    for (const int exponent : {0, 15, 31})
      EXPECT_THAT(Decode(find, "rgb9e5ufloat", fractions | static_cast<uint32_t>(exponent) << 27),
                  ElementsAre(scaled(1, exponent), scaled(256, exponent), scaled(511, exponent), one));
    EXPECT_EQ(find("bc1-rgba-unorm"), nullptr);
  }
}

TEST(TextureFormats, SwizzlesChooseChannels) {
  for (const FindLoadTexels find : AllFinds()) {
    EXPECT_THAT(Decode(find, "rgba8uint", 0x04030201,
                       {Channel::kAlpha, Channel::kOne, Channel::kZero, Channel::kGreen}),
                ElementsAre(4, 1, 0, 2));
    EXPECT_THAT(Decode(find, "r32float", Bits(0.5f),
                       {Channel::kOne, Channel::kRed, Channel::kAlpha, Channel::kGreen}),
                ElementsAre(Bits(1.0f), Bits(0.5f), Bits(1.0f), 0));
  }
}

// Three levels of layers whose texels are numbered through; what lies before, between and behind is another
// number.
struct Numbered {
  explicit Numbered(uint32_t layers, uint32_t depth, uint32_t samples, uint32_t level_count) {
    TextureDescriptor d;
    d.format = "r32uint";
    d.layers = layers;
    d.samples = samples;
    memory.assign(4000, 0xdead);
    uint64_t at = 5;
    for (uint32_t level = 0; level < level_count; ++level) {
      const std::array<uint32_t, 3> size = {10u >> level, 6u >> level, std::max(1u, depth >> level)};
      const uint64_t row = uint64_t{size[0]} * samples + 1, image = row * size[1] + 2;
      d.levels.push_back({reinterpret_cast<const std::byte*>(memory.data() + at), row * 4, image * 4, size});
      for (uint32_t i = 0; i < layers * size[2]; ++i) {
        for (uint32_t y = 0; y < size[1]; ++y) {
          for (uint32_t x = 0; x < size[0] * samples; ++x)
            memory[at + i * image + y * row + x] = Number(x / samples, y, i, level, x % samples);
        }
      }
      at += image * layers * size[2] + 3;
    }
    texture.emplace(d);
  }
  static uint32_t Number(uint32_t x, uint32_t y, uint32_t image, uint32_t level, uint32_t sample) {
    return x + 100 * (y + 100 * (image + 10 * (level + 10 * sample)));
  }
  std::vector<uint32_t> memory;
  std::optional<Texture> texture;
};

TEST(TexturePlaces, NumbersOutOfRangeAreTheHighestOnes) {
  const Numbered layers(3, 1, 1, 3), slices(1, 4, 1, 2), samples(1, 1, 4, 1);
  const auto red = [](const Numbered& n, std::array<uint32_t, abi::kTexelPlaces> place) {
    return At(*n.texture, place)[0];
  };
  EXPECT_EQ(red(layers, {3, 2, 0, 1, 0}), Numbered::Number(3, 2, 1, 0, 0));
  EXPECT_EQ(red(layers, {3, 2, 9, 7, 2}), Numbered::Number(1, 0, 2, 2, 0));
  EXPECT_EQ(red(layers, {~0u, ~0u, ~0u, ~0u, ~0u}), Numbered::Number(1, 0, 2, 2, 0));
  EXPECT_EQ(red(slices, {9, 5, 3, 0, 0}), Numbered::Number(9, 5, 3, 0, 0));
  EXPECT_EQ(red(slices, {9, 5, 3, 4, 1}), Numbered::Number(4, 2, 1, 1, 0));
  EXPECT_EQ(red(samples, {8, 4, 0, 0, 2}), Numbered::Number(8, 4, 0, 0, 2));
  EXPECT_EQ(red(samples, {8, 9, 1, 1, 4}), Numbered::Number(8, 5, 0, 0, 3));
  EXPECT_THAT(layers.texture->numbers, ElementsAre(10, 6, 1, 3, 3, 1));
  EXPECT_THAT(slices.texture->numbers, ElementsAre(10, 6, 4, 1, 2, 1));
  EXPECT_THAT(samples.texture->numbers, ElementsAre(10, 6, 1, 1, 1, 4));
}

// Any number of lanes, any of which may take no part: those get zeros.
TEST(TexturePlaces, OfManyLanesUnderAMask) {
  const Numbered n(3, 1, 1, 3);
  std::mt19937 random(5);
  for (const FindLoadTexels find : AllFinds()) {
    Texture texture = *n.texture;
    texture.load = find("r32uint");
    for (const uint32_t lanes : {1u, 2u, 4u, 8u, 13u, 16u, 32u, 64u}) {
      std::vector<uint32_t> places(size_t{lanes} * abi::kTexelPlaces), texels(size_t{lanes} * 4, 0xbeef);
      for (uint32_t& p : places) p = random() % 12;
      const uint64_t mask =
          (uint64_t{random()} << 32 | random()) & (lanes == 64 ? ~0ull : (1ull << lanes) - 1);
      texture.load(&texture, lanes, mask, places.data(), texels.data());
      for (uint32_t i = 0; i < lanes; ++i) {
        std::array<uint32_t, abi::kTexelPlaces> place;
        for (uint32_t row = 0; row < place.size(); ++row) place[row] = places[row * lanes + i];
        std::array<uint32_t, 4> expected = At(*n.texture, place);
        if ((mask >> i & 1) == 0) expected = {};
        for (uint32_t c = 0; c < 4; ++c) ASSERT_EQ(texels[c * lanes + i], expected[c]) << lanes << " " << i;
      }
    }
  }
}

TEST(TexturePlaces, CubesCountByFaces) {
  TextureDescriptor d;
  d.format = "r8unorm";
  d.levels = {{nullptr, 4, 16, {4, 4, 1}}};
  d.layers = 12;
  d.cube_faces = 6;
  EXPECT_THAT(Texture(d).numbers, ElementsAre(4, 4, 1, 2, 1, 1));
}

}  // namespace
}  // namespace lockstep::raster
