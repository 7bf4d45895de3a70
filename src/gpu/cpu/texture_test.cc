// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Copies of textures against a model that knows nothing of their memory.
#include "gpu/cpu/texture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <tuple>

#include "gpu/cpu/cpu_device.h"

namespace lockstep::gpu::cpu {
namespace {

using hal::Aspect;
using hal::Extent3D;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Format = hal::TextureFormat;
using Dimension = hal::TextureDimension;

constexpr std::byte kUntouched{0xee};

// Block (x, y, z) of what is written: bytes that name their place.
std::byte PatternAt(uint32_t x, uint32_t y, uint32_t z, uint32_t byte) {
  return std::byte(1 + (x * 7 + y * 31 + z * 101 + byte * 3) % 200);
}

struct Copies {
  std::unique_ptr<hal::Texture> Texture(const hal::TextureDescriptor& descriptor) {
    Result<std::unique_ptr<hal::Texture>> made = device->CreateTexture(descriptor);
    EXPECT_TRUE(made.ok());
    return std::move(*made);
  }
  std::unique_ptr<hal::Buffer> Buffer(uint64_t size, std::byte fill) {
    auto buffer = std::move(*device->CreateBuffer((size + 3) / 4 * 4));
    std::memset(buffer->bytes().data(), static_cast<int>(fill), buffer->size());
    return buffer;
  }
  void Run(const hal::Command& command) { EXPECT_TRUE(device->Execute({&command, 1}, {}).ok()); }
  // All bytes of a region, rows and images close together.
  std::vector<std::byte> Read(const hal::TexelPlace& from, const Extent3D& size, uint32_t block_bytes) {
    const uint64_t row = uint64_t{size.width} * block_bytes;
    const auto buffer = Buffer(row * size.height * size.depth_or_array_layers, kUntouched);
    Run(hal::CopyTextureToBuffer{from, buffer.get(), {0, row, size.height}, size});
    const std::span<std::byte> bytes = buffer->bytes();
    return {bytes.begin(),
            bytes.begin() + static_cast<ptrdiff_t>(row * size.height * size.depth_or_array_layers)};
  }
  // Fills the whole of a level and layer with a byte.
  void Fill(const hal::TexelPlace& to, const Extent3D& size, uint32_t block_bytes, std::byte value) {
    const std::vector<std::byte> data(uint64_t{size.width} * size.height * block_bytes, value);
    Run(hal::WriteTexture{data, {0, uint64_t{size.width} * block_bytes, size.height}, to, size});
  }

  std::shared_ptr<hal::Device> device = MakeCpuDevice({});
};

struct Case {
  const char* name;
  hal::TextureDescriptor texture;
  uint32_t mip_level;
  hal::Origin3D origin;
  Extent3D size;
};

const Case kCases[] = {
    {"Bytes1Of1d", {Dimension::k1d, {37, 1, 1}, 1, 1, Format::kR8Unorm}, 0, {5, 0, 0}, {17, 1, 1}},
    {"Bytes2Of2d", {Dimension::k2d, {33, 9, 1}, 3, 1, Format::kRg8Uint}, 1, {3, 1, 0}, {13, 3, 1}},
    {"Bytes4OfLayers", {Dimension::k2d, {8, 8, 5}, 4, 1, Format::kRgba8Unorm}, 1, {1, 2, 2}, {3, 2, 3}},
    {"Bytes8Of3d", {Dimension::k3d, {9, 7, 12}, 3, 1, Format::kRgba16Float}, 1, {1, 0, 2}, {2, 3, 4}},
    {"Bytes16Of3d", {Dimension::k3d, {4, 4, 4}, 1, 1, Format::kRgba32Uint}, 0, {0, 0, 0}, {4, 4, 4}},
    {"Blocks8", {Dimension::k2d, {20, 12, 3}, 2, 1, Format::kBc1RgbaUnorm}, 1, {4, 4, 1}, {8, 4, 2}},
    {"Blocks16", {Dimension::k2d, {20, 18, 1}, 1, 1, Format::kAstc10x6Unorm}, 0, {10, 6, 0}, {10, 12, 1}},
    {"Depth16", {Dimension::k2d, {6, 5, 2}, 1, 1, Format::kDepth16Unorm}, 0, {0, 0, 1}, {6, 5, 1}},
};

class TextureCopies : public ::testing::TestWithParam<Case> {
 protected:
  struct Blocks {
    uint32_t x, y, z, width, height, depth;
  };
  Blocks Region() const {
    const Case& c = GetParam();
    return {
        c.origin.x / info_.block_width,   c.origin.y / info_.block_height,    c.origin.z,
        c.size.width / info_.block_width, c.size.height / info_.block_height, c.size.depth_or_array_layers};
  }
  // What the level holds after the region was written: bytes of blocks, in order.
  std::vector<std::byte> Expected() const {
    const Extent3D extent = Level();
    const uint32_t columns = extent.width / info_.block_width, rows = extent.height / info_.block_height;
    std::vector<std::byte> level(uint64_t{columns} * rows * extent.depth_or_array_layers * bytes_);
    const Blocks r = Region();
    for (uint32_t z = 0; z < r.depth; ++z)
      for (uint32_t y = 0; y < r.height; ++y)
        for (uint32_t x = 0; x < r.width; ++x)
          for (uint32_t byte = 0; byte < bytes_; ++byte) {
            const uint64_t block = (uint64_t{r.z + z} * rows + r.y + y) * columns + r.x + x;
            level[block * bytes_ + byte] = PatternAt(x, y, z, byte);
          }
    return level;
  }
  // The pattern in linear data with padding everywhere.
  void Lay(std::span<std::byte> data, const hal::TexelLayout& layout) const {
    const Blocks r = Region();
    for (uint32_t z = 0; z < r.depth; ++z)
      for (uint32_t y = 0; y < r.height; ++y)
        for (uint32_t x = 0; x < r.width; ++x)
          for (uint32_t byte = 0; byte < bytes_; ++byte) {
            const uint64_t row = z * layout.rows_per_image + y;
            data[layout.offset + row * layout.bytes_per_row + uint64_t{x} * bytes_ + byte] =
                PatternAt(x, y, z, byte);
          }
  }
  Extent3D Level() const {
    const hal::TextureDescriptor& d = GetParam().texture;
    return hal::PhysicalMipExtent(d.dimension, d.size, GetParam().mip_level, info_);
  }
  hal::TexelPlace Place(hal::Texture& texture, const hal::Origin3D& origin) const {
    return {&texture, aspect_, GetParam().mip_level, origin};
  }
  std::vector<std::byte> ReadLevel(hal::Texture& texture) {
    Extent3D level = Level();
    const uint64_t row = level.width / info_.block_width * bytes_;
    const uint64_t rows = level.height / info_.block_height;
    const uint64_t size = row * rows * level.depth_or_array_layers;
    const auto buffer = copies_.Buffer(size, kUntouched);
    copies_.Run(hal::CopyTextureToBuffer{Place(texture, {}), buffer.get(), {0, row, rows}, level});
    return {buffer->bytes().begin(), buffer->bytes().begin() + static_cast<ptrdiff_t>(size)};
  }

  Copies copies_;
  const hal::TextureFormatInfo& info_ = hal::FormatInfo(GetParam().texture.format);
  Aspect aspect_ = info_.depth_or_stencil() ? Aspect::kDepth : Aspect::kColor;
  uint32_t bytes_ = info_[aspect_].bytes;
  hal::TexelLayout layout_ = {64, 512, 9};
};

TEST_P(TextureCopies, BuffersReachTheRegionAndNothingElse) {
  const auto texture = copies_.Texture(GetParam().texture);
  EXPECT_THAT(ReadLevel(*texture), Each(std::byte{0}));
  const auto buffer = copies_.Buffer(65536, kUntouched);
  Lay(buffer->bytes(), layout_);
  copies_.Run(
      hal::CopyBufferToTexture{buffer.get(), layout_, Place(*texture, GetParam().origin), GetParam().size});
  EXPECT_EQ(ReadLevel(*texture), Expected());
}

TEST_P(TextureCopies, WritesReachTheRegionAndNothingElse) {
  const auto texture = copies_.Texture(GetParam().texture);
  std::vector<std::byte> data(65536, kUntouched);
  const hal::TexelLayout layout = {3, 517, 11};
  Lay(data, layout);
  copies_.Run(hal::WriteTexture{data, layout, Place(*texture, GetParam().origin), GetParam().size});
  EXPECT_EQ(ReadLevel(*texture), Expected());
}

TEST_P(TextureCopies, RegionsComeBackWithThePaddingLeftAlone) {
  const auto texture = copies_.Texture(GetParam().texture);
  const auto from = copies_.Buffer(65536, std::byte{0}), to = copies_.Buffer(65536, kUntouched);
  Lay(from->bytes(), layout_);
  const hal::TexelPlace place = Place(*texture, GetParam().origin);
  copies_.Run(hal::CopyBufferToTexture{from.get(), layout_, place, GetParam().size});
  copies_.Run(hal::CopyTextureToBuffer{place, to.get(), layout_, GetParam().size});
  std::vector<std::byte> expected(65536, kUntouched);
  Lay(expected, layout_);
  const std::vector<std::byte> found(to->bytes().begin(), to->bytes().end());
  EXPECT_TRUE(found == expected);
}

TEST_P(TextureCopies, TexturesReachTextures) {
  const auto from = copies_.Texture(GetParam().texture), to = copies_.Texture(GetParam().texture);
  const auto buffer = copies_.Buffer(65536, kUntouched);
  Lay(buffer->bytes(), layout_);
  const hal::TexelPlace source = Place(*from, GetParam().origin), destination = Place(*to, GetParam().origin);
  copies_.Run(hal::CopyBufferToTexture{buffer.get(), layout_, source, GetParam().size});
  copies_.Run(hal::CopyTextureToTexture{source, destination, GetParam().size});
  EXPECT_EQ(ReadLevel(*to), Expected());
}

INSTANTIATE_TEST_SUITE_P(Formats, TextureCopies, ::testing::ValuesIn(kCases),
                         [](const auto& test) { return test.param.name; });

TEST(Textures, SubresourcesDoNotOverlap) {
  Copies c;
  const hal::TextureDescriptor d{Dimension::k2d, {6, 6, 3}, 3, 1, Format::kDepth32FloatStencil8};
  const auto texture = c.Texture(d);
  const auto for_each = [&](auto use) {
    int number = 1;
    for (const auto& [aspect, bytes] : {std::pair(Aspect::kDepth, 4u), std::pair(Aspect::kStencil, 1u)}) {
      for (uint32_t level = 0; level < 3; ++level) {
        for (uint32_t layer = 0; layer < 3; ++layer) {
          Extent3D size = hal::LogicalMipExtent(d.dimension, d.size, level);
          size.depth_or_array_layers = 1;
          use(hal::TexelPlace{texture.get(), aspect, level, {0, 0, layer}}, size, bytes, std::byte(number++));
        }
      }
    }
  };
  for_each([&](const auto& place, const auto& size, uint32_t bytes, std::byte value) {
    c.Fill(place, size, bytes, value);
  });
  for_each([&](const auto& place, const auto& size, uint32_t bytes, std::byte value) {
    EXPECT_THAT(c.Read(place, size, bytes), Each(value));
  });
}

TEST(Textures, CopiesTakeAllAspects) {
  Copies c;
  const hal::TextureDescriptor d{Dimension::k2d, {5, 3, 2}, 1, 1, Format::kDepth24PlusStencil8};
  const auto from = c.Texture(d), to = c.Texture(d);
  const auto place = [](hal::Texture& texture, Aspect aspect, uint32_t layer) {
    return hal::TexelPlace{&texture, aspect, 0, {0, 0, layer}};
  };
  const Extent3D size{5, 3, 1};
  c.Fill(place(*from, Aspect::kDepth, 0), size, 4, std::byte{3});
  c.Fill(place(*from, Aspect::kStencil, 0), size, 1, std::byte{4});
  c.Run(hal::CopyTextureToTexture{place(*from, Aspect::kDepth, 0), place(*to, Aspect::kDepth, 1), size});
  EXPECT_THAT(c.Read(place(*to, Aspect::kDepth, 1), size, 4), Each(std::byte{3}));
  EXPECT_THAT(c.Read(place(*to, Aspect::kStencil, 1), size, 1), Each(std::byte{4}));
  EXPECT_THAT(c.Read(place(*to, Aspect::kStencil, 0), size, 1), Each(std::byte{0}));
}

TEST(Textures, CopiesTakeAllSamples) {
  Copies c;
  const hal::TextureDescriptor d{Dimension::k2d, {3, 2, 1}, 1, 4, Format::kRgba8Unorm};
  const auto from = c.Texture(d), to = c.Texture(d);
  const auto bytes = [](hal::Texture& texture) {
    auto& linear = static_cast<LinearTexture&>(texture);
    return std::span<std::byte>(linear.memory(), linear.layout().bytes());
  };
  ASSERT_GE(bytes(*from).size(), 3 * 2 * 4 * 4u);
  for (size_t i = 0; i < 3 * 2 * 4 * 4; ++i) bytes(*from)[i] = std::byte(i);
  c.Run(hal::CopyTextureToTexture{{from.get()}, {to.get()}, {3, 2, 1}});
  EXPECT_EQ(std::memcmp(bytes(*from).data(), bytes(*to).data(), 3 * 2 * 4 * 4), 0);
}

// The red channel of a texel of a view.
uint32_t RedOf(const abi::TextureView& view, std::array<uint32_t, abi::kTexelPlaces> place) {
  uint32_t texel[4] = {};
  view.load(&view, 1, 1, place.data(), texel);
  return texel[0];
}

TEST(TextureViews, SeeTheirLevelsAndLayers) {
  Copies c;
  const hal::TextureDescriptor d{Dimension::k2d, {8, 4, 7}, 4, 1, Format::kR8Uint};
  const auto texture = c.Texture(d);
  for (uint32_t level = 0; level < 4; ++level) {
    for (uint32_t layer = 0; layer < 7; ++layer) {
      Extent3D size = hal::LogicalMipExtent(d.dimension, d.size, level);
      size.depth_or_array_layers = 1;
      c.Fill({texture.get(), Aspect::kColor, level, {0, 0, layer}}, size, 1, std::byte(10 * level + layer));
    }
  }
  hal::BoundTexture bound;
  bound.texture = texture.get();
  bound.format = Format::kR8Uint;
  bound.dimension = hal::TextureViewDimension::k2dArray;
  bound.base_mip_level = 1;
  bound.mip_level_count = 2;
  bound.base_array_layer = 3;
  bound.array_layer_count = 2;
  const BoundTextures textures({bound});
  ASSERT_EQ(textures.views().size(), 1u);
  const abi::TextureView& view = *textures.views()[0];
  EXPECT_THAT(view.numbers, ElementsAre(4, 2, 1, 2, 2, 1));
  EXPECT_EQ(RedOf(view, {0, 0, 0, 0, 0}), 13u);
  EXPECT_EQ(RedOf(view, {3, 1, 0, 1, 0}), 14u);
  EXPECT_EQ(RedOf(view, {1, 0, 0, 0, 1}), 23u);
  EXPECT_EQ(RedOf(view, {9, 9, 9, 9, 9}), 24u) << "nothing beyond what the view sees";
  bound.dimension = hal::TextureViewDimension::kCube;
  bound.base_array_layer = 0;
  bound.array_layer_count = 6;
  EXPECT_THAT(BoundTextures({bound}).views()[0]->numbers, ElementsAre(4, 2, 1, 1, 2, 1));
}

TEST(TextureViews, SeeOneAspectSlicesAndSamples) {
  Copies c;
  const auto both = c.Texture({Dimension::k2d, {2, 2, 1}, 1, 1, Format::kDepth24PlusStencil8});
  const float half = 0.5f;
  std::vector<std::byte> depth(16);
  for (size_t i = 0; i < 16; i += 4) std::memcpy(&depth[i], &half, 4);
  c.Run(hal::WriteTexture{depth, {0, 8, 2}, {both.get(), Aspect::kDepth, 0, {}}, {2, 2, 1}});
  c.Fill({both.get(), Aspect::kStencil, 0, {}}, {2, 2, 1}, 1, std::byte{200});
  hal::BoundTexture bound;
  bound.texture = both.get();
  bound.format = Format::kDepth24PlusStencil8;
  bound.aspect = Aspect::kDepth;
  EXPECT_EQ(RedOf(*BoundTextures({bound}).views()[0], {1, 1, 0, 0, 0}), 0x3f000000u);
  bound.aspect = Aspect::kStencil;
  EXPECT_EQ(RedOf(*BoundTextures({bound}).views()[0], {1, 1, 0, 0, 0}), 200u);

  const auto deep = c.Texture({Dimension::k3d, {2, 2, 4}, 2, 1, Format::kR8Uint});
  for (uint32_t z = 0; z < 4; ++z)
    c.Fill({deep.get(), Aspect::kColor, 0, {0, 0, z}}, {2, 2, 1}, 1, std::byte(z + 1));
  bound = {};
  bound.texture = deep.get();
  bound.format = Format::kR8Uint;
  bound.dimension = hal::TextureViewDimension::k3d;
  bound.mip_level_count = 2;
  const BoundTextures slices({bound});
  EXPECT_THAT(slices.views()[0]->numbers, ElementsAre(2, 2, 4, 1, 2, 1));
  EXPECT_EQ(RedOf(*slices.views()[0], {1, 0, 2, 0, 0}), 3u);
  EXPECT_EQ(RedOf(*slices.views()[0], {1, 0, 7, 0, 0}), 4u);

  const auto samples = c.Texture({Dimension::k2d, {3, 2, 1}, 1, 4, Format::kRgba8Unorm});
  auto& linear = static_cast<LinearTexture&>(*samples);
  for (size_t i = 0; i < 3 * 2 * 4 * 4; ++i) linear.memory()[i] = std::byte(i);
  bound = {};
  bound.texture = samples.get();
  bound.swizzle = {abi::Channel::kAlpha, abi::Channel::kOne, abi::Channel::kZero, abi::Channel::kRed};
  EXPECT_EQ(RedOf(*BoundTextures({bound}).views()[0], {2, 1, 0, 0, 3}), std::bit_cast<uint32_t>(95 / 255.0f));
}

TEST(Textures, CountAgainstTheMemoryOfTheDevice) {
  Copies c;
  // A layer is a gibibyte.
  const auto layers = static_cast<uint32_t>(UsableMemory() * 6 / 10 >> 30) + 1;
  const hal::TextureDescriptor d{Dimension::k2d, {16384, 16384, layers}, 1, 1, Format::kRgba8Unorm};
  Result<std::unique_ptr<hal::Texture>> first = c.device->CreateTexture(d);
  if (!first.ok()) GTEST_SKIP() << first.failure().message;
  const Result<std::unique_ptr<hal::Texture>> second = c.device->CreateTexture(d);
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(second.failure().message, HasSubstr("out of memory"));
  first->reset();
  EXPECT_TRUE(c.device->CreateTexture(d).ok());
}

}  // namespace
}  // namespace lockstep::gpu::cpu
