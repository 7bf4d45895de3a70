// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// What texel copies and texture writes refuse, and what they give to the device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu/core/core_test_util.h"

namespace lockstep::gpu::core {
namespace {

using ::testing::HasSubstr;
using Format = TextureFormat;
using Dimension = TextureDimension;

constexpr uint32_t kBoth = texture_usage::kCopySrc | texture_usage::kCopyDst;

struct CopyFixture : Fixture {
  CopyFixture() : Fixture({"depth32float-stencil8", "texture-compression-bc"}) {}

  std::shared_ptr<Texture> MakeTexture(const std::string& label, Extent3D size, Format format,
                                       const std::function<void(TextureDescriptor&)>& change = {}) {
    TextureDescriptor d;
    d.label = label;
    d.size = size;
    d.format = format;
    d.usage = kBoth;
    if (change) change(d);
    const auto texture = device->CreateTexture(d);
    EXPECT_EQ(TakeError(), "");
    return texture;
  }
  // The encoder's error, without the call's name.
  std::string Finish(std::string_view call) {
    commands = encoder->Finish();
    encoder = device->CreateCommandEncoder("e");
    std::string error = TakeError();
    const std::string prefix = fmt::format("{}: ", call);
    if (error.starts_with(prefix)) error.erase(0, prefix.size());
    return error;
  }
  std::string ToTexture(const TexelCopyBufferInfo& from, const TexelCopyTextureInfo& to, Extent3D size) {
    encoder->CopyBufferToTexture(from, to, size);
    return Finish("copyBufferToTexture");
  }
  std::string ToBuffer(const TexelCopyTextureInfo& from, const TexelCopyBufferInfo& to, Extent3D size) {
    encoder->CopyTextureToBuffer(from, to, size);
    return Finish("copyTextureToBuffer");
  }
  std::string Between(const TexelCopyTextureInfo& from, const TexelCopyTextureInfo& to, Extent3D size) {
    encoder->CopyTextureToTexture(from, to, size);
    return Finish("copyTextureToTexture");
  }
  std::string Write(const TexelCopyTextureInfo& to, uint64_t bytes, const TexelCopyBufferLayout& layout,
                    Extent3D size) {
    device->queue()->WriteTexture(to, std::vector<std::byte>(bytes), layout, size);
    return TakeError();
  }

  std::shared_ptr<CommandEncoder> encoder = device->CreateCommandEncoder("e");
  std::shared_ptr<CommandBuffer> commands;
  std::shared_ptr<Buffer> buffer = MakeBuffer("b", 65536, buffer_usage::kCopySrc | buffer_usage::kCopyDst);
  std::shared_ptr<Texture> texture =
      MakeTexture("t", {16, 16, 4}, Format::kRgba8Unorm, [](auto& d) { d.mip_level_count = 3; });
};

TexelCopyBufferInfo From(const std::shared_ptr<Buffer>& buffer, uint64_t offset,
                         std::optional<uint32_t> bytes_per_row, std::optional<uint32_t> rows_per_image) {
  return {{offset, bytes_per_row, rows_per_image}, buffer};
}

TEST(TexelCopies, TexturesAndRegionsAreValidated) {
  CopyFixture f;
  const auto copy = [&](const TexelCopyTextureInfo& to, Extent3D size) {
    return f.ToTexture(From(f.buffer, 0, 256, 16), to, size);
  };
  EXPECT_EQ(copy({f.texture, 1, {4, 4, 2}}, {4, 4, 2}), "");
  EXPECT_EQ(copy({f.texture, 3}, {1, 1, 1}), "mip level 3 is copied of texture 't', which has 3");
  EXPECT_EQ(copy({f.texture, 2, {1, 0, 0}}, {4, 1, 1}),
            "the copy of 4 texels in x from 1 does not fit mip level 2 of texture 't', which has 4");
  EXPECT_EQ(
      copy({f.texture, 0, {0, UINT32_MAX, 0}}, {1, 1, 1}),
      "the copy of 1 texels in y from 4294967295 does not fit mip level 0 of texture 't', which has 16");
  EXPECT_EQ(copy({f.texture, 1, {0, 0, 3}}, {1, 1, 2}),
            "the copy of 2 texels in z from 3 does not fit mip level 1 of texture 't', which has 4");
  EXPECT_EQ(copy({nullptr}, {1, 1, 1}), "no texture is given");
  const auto source =
      f.MakeTexture("s", {4, 4, 1}, Format::kRgba8Unorm, [](auto& d) { d.usage = texture_usage::kCopySrc; });
  EXPECT_EQ(copy({source}, {1, 1, 1}), "texture 's' lacks the usage COPY_DST (it has COPY_SRC)");
  const auto compressed =
      f.MakeTexture("bc", {20, 20, 1}, Format::kBc1RgbaUnorm, [](auto& d) { d.mip_level_count = 2; });
  EXPECT_EQ(copy({compressed, 1, {8, 8, 0}}, {4, 4, 1}), "");  // 10 x 10 texels lie in 3 x 3 blocks
  EXPECT_EQ(copy({compressed, 0, {2, 0, 0}}, {4, 4, 1}),
            "the copy of 4 x 4 texels at 2, 0 of texture 'bc' does not consist of whole blocks of 4 x 4, as "
            "bc1-rgba-unorm needs");
  EXPECT_THAT(copy({compressed}, {4, 6, 1}), HasSubstr("does not consist of whole blocks"));
  const auto multisampled = f.MakeTexture("m", {8, 8, 1}, Format::kRgba8Unorm, [](auto& d) {
    d.sample_count = 4;
    d.usage = kBoth | texture_usage::kRenderAttachment;
  });
  EXPECT_EQ(copy({multisampled}, {8, 8, 1}), "texture 'm' is multisampled, and linear data is not");
}

TEST(TexelCopies, LinearDataIsValidated) {
  CopyFixture f;
  const auto copy = [&](uint64_t offset, std::optional<uint32_t> row, std::optional<uint32_t> image,
                        Extent3D size) {
    return f.ToBuffer({f.texture}, From(f.buffer, offset, row, image), size);
  };
  EXPECT_EQ(copy(65536 - 4, {}, {}, {1, 1, 1}), "");
  EXPECT_EQ(copy(0, 256, 16, {16, 16, 4}), "");
  EXPECT_EQ(copy(4, 256, 64, {16, 16, 4}), "");
  EXPECT_EQ(copy(2, {}, {}, {1, 1, 1}),
            "the offset 2 into buffer 'b' is not a multiple of 4, as rgba8unorm needs");
  EXPECT_EQ(copy(0, 64, {}, {16, 2, 1}), "bytesPerRow 64 is not a multiple of 256");
  EXPECT_EQ(copy(0, {}, {}, {16, 2, 1}), "bytesPerRow is needed for 2 rows and 1 images of texture 't'");
  EXPECT_EQ(copy(0, {}, 1, {16, 1, 2}), "bytesPerRow is needed for 1 rows and 2 images of texture 't'");
  EXPECT_EQ(copy(0, 256, {}, {16, 1, 2}), "rowsPerImage is needed for 2 images of texture 't'");
  EXPECT_EQ(copy(0, 0, {}, {16, 1, 1}), "bytesPerRow 0 is less than the 64 bytes of a row of texture 't'");
  EXPECT_EQ(copy(0, 256, 3, {16, 4, 1}),
            "rowsPerImage 3 is less than the 4 rows that are copied of texture 't'");
  EXPECT_EQ(copy(4, 256, 84, {16, 16, 4}), "68416 bytes from 4 are needed, and buffer 'b' has 65536");
  EXPECT_EQ(copy(65540, {}, {}, {1, 1, 1}), "4 bytes from 65540 are needed, and buffer 'b' has 65536");
  EXPECT_THAT(copy(0, 0xffffff00, 0xffffffff, {1, 1, 4}), HasSubstr("and buffer 'b' has 65536"));
  EXPECT_EQ(f.ToBuffer({f.texture}, From(nullptr, 0, {}, {}), {1, 1, 1}), "no buffer is given");
  const auto uniform = f.MakeBuffer("u", 64, buffer_usage::kUniform);
  EXPECT_EQ(f.ToBuffer({f.texture}, From(uniform, 0, {}, {}), {1, 1, 1}),
            "buffer 'u' lacks the usage COPY_DST (it has UNIFORM)");
  EXPECT_EQ(f.ToTexture(From(uniform, 0, {}, {}), {f.texture}, {1, 1, 1}),
            "buffer 'u' lacks the usage COPY_SRC (it has UNIFORM)");
}

TEST(TexelCopies, AspectsAreValidated) {
  CopyFixture f;
  const auto make = [&](Format format) { return f.MakeTexture("d", {8, 8, 2}, format); };
  const auto from = [&](Format format, TextureAspect aspect, Extent3D size = {8, 8, 1}) {
    return f.ToBuffer({make(format), 0, {}, aspect}, From(f.buffer, 0, 256, 8), size);
  };
  const auto to = [&](Format format, TextureAspect aspect) {
    return f.ToTexture(From(f.buffer, 4, 256, 8), {make(format), 0, {}, aspect}, {8, 8, 1});
  };
  EXPECT_EQ(from(Format::kDepth16Unorm, TextureAspect::kAll), "");
  EXPECT_EQ(from(Format::kDepth32FloatStencil8, TextureAspect::kDepthOnly), "");
  EXPECT_EQ(to(Format::kDepth24PlusStencil8, TextureAspect::kStencilOnly), "");
  EXPECT_EQ(from(Format::kDepth24PlusStencil8, TextureAspect::kAll),
            "both aspects of texture 'd' are copied: aspect must choose one of depth24plus-stencil8");
  EXPECT_EQ(from(Format::kDepth16Unorm, TextureAspect::kStencilOnly),
            "the aspect stencil-only of texture 'd' is copied, which depth16unorm lacks");
  EXPECT_EQ(from(Format::kDepth24Plus, TextureAspect::kDepthOnly),
            "the depth of texture 'd' cannot be copied to linear data: its format is depth24plus");
  EXPECT_EQ(to(Format::kDepth32Float, TextureAspect::kDepthOnly),
            "the depth of texture 'd' cannot be copied from linear data: its format is depth32float");
  EXPECT_EQ(from(Format::kStencil8, TextureAspect::kAll, {8, 4, 1}),
            "the copy of 8 x 4 texels must be of all 8 x 8 of mip level 0, since texture 'd' is stencil8");
  EXPECT_EQ(f.ToTexture(From(f.buffer, 2, 256, 8), {make(Format::kStencil8)}, {8, 8, 1}),
            "the offset 2 into buffer 'b' is not a multiple of 4, as stencil8 needs");
}

TEST(TexelCopies, BetweenTexturesAreValidated) {
  CopyFixture f;
  const auto other = f.MakeTexture("o", {16, 16, 4}, Format::kRgba8UnormSrgb);
  EXPECT_EQ(f.Between({f.texture}, {other}, {16, 16, 4}), "");
  EXPECT_EQ(f.Between({f.texture}, {f.texture, 0, {0, 0, 2}}, {16, 16, 2}), "");
  EXPECT_EQ(f.Between({f.texture}, {f.texture, 1}, {8, 8, 4}), "");
  EXPECT_EQ(f.Between({f.texture}, {f.texture, 0, {8, 0, 1}}, {8, 8, 2}),
            "texture 't' is copied to the same subresource (mip level 0) of itself");
  const auto volume =
      f.MakeTexture("v", {8, 8, 4}, Format::kRgba8Unorm, [](auto& d) { d.dimension = Dimension::k3d; });
  EXPECT_EQ(f.Between({volume}, {volume, 0, {0, 0, 2}}, {8, 8, 1}),
            "texture 'v' is copied to the same subresource (mip level 0) of itself");
  const auto uint = f.MakeTexture("i", {16, 16, 1}, Format::kRgba8Uint);
  EXPECT_EQ(f.Between({f.texture}, {uint}, {1, 1, 1}),
            "texture 't' has the format rgba8unorm and texture 'i' rgba8uint: they may differ in -srgb only");
  const auto samples = f.MakeTexture("m", {16, 16, 1}, Format::kRgba8Unorm, [](auto& d) {
    d.sample_count = 4;
    d.usage = kBoth | texture_usage::kRenderAttachment;
  });
  EXPECT_EQ(f.Between({f.texture}, {samples}, {16, 16, 1}), "texture 't' has 1 samples and texture 'm' 4");
  EXPECT_EQ(
      f.Between({samples}, {samples}, {8, 16, 1}),
      "the copy of 8 x 16 texels must be of all 16 x 16 of mip level 0, since texture 'm' is multisampled");
  const auto depth = f.MakeTexture("d", {4, 4, 2}, Format::kDepth24PlusStencil8);
  EXPECT_EQ(f.Between({depth}, {depth, 0, {0, 0, 1}}, {4, 4, 1}), "");
  EXPECT_EQ(f.Between({depth, 0, {}, TextureAspect::kDepthOnly}, {depth, 0, {0, 0, 1}}, {4, 4, 1}),
            "the aspect depth-only of texture 'd' is copied: all aspects of depth24plus-stencil8 must be");
  const auto write_only = f.MakeTexture("w", {16, 16, 1}, Format::kRgba8Unorm,
                                        [](auto& d) { d.usage = texture_usage::kCopyDst; });
  EXPECT_EQ(f.Between({write_only}, {f.texture}, {1, 1, 1}),
            "texture 'w' lacks the usage COPY_SRC (it has COPY_DST)");
}

TEST(TexelCopies, ReachTheDevice) {
  CopyFixture f;
  const auto depth = f.MakeTexture("d", {4, 4, 2}, Format::kDepth24PlusStencil8);
  f.encoder->CopyBufferToTexture(From(f.buffer, 512, 256, 16), {f.texture, 1, {2, 3, 1}}, {3, 2, 2});
  f.encoder->CopyTextureToBuffer({depth, 0, {0, 0, 1}, TextureAspect::kStencilOnly},
                                 From(f.buffer, 0, 256, {}), {4, 4, 1});
  f.encoder->CopyTextureToTexture({f.texture}, {f.texture, 2}, {4, 4, 4});
  ASSERT_EQ(f.Finish(""), "");
  const std::shared_ptr<CommandBuffer> list[] = {f.commands};
  ASSERT_TRUE(f.device->queue()->Submit(list)->Wait().ran) << f.TakeError();
  ASSERT_EQ(f.fake->executed.size(), 3u);
  const auto& to = std::get<hal::CopyBufferToTexture>(f.fake->executed[0]);
  EXPECT_EQ(to.from, f.buffer->memory().get());
  EXPECT_EQ(to.to.texture, f.texture->memory().get());
  EXPECT_EQ(to.to.mip_level, 1u);
  EXPECT_EQ(to.to.origin.z, 1u);
  EXPECT_EQ(to.layout.offset, 512u);
  EXPECT_EQ(to.layout.rows_per_image, 16u);
  EXPECT_EQ(to.size.height, 2u);
  const auto& from = std::get<hal::CopyTextureToBuffer>(f.fake->executed[1]);
  EXPECT_EQ(from.from.texture, depth->memory().get());
  EXPECT_EQ(from.from.aspect, hal::Aspect::kStencil);
  EXPECT_EQ(from.layout.bytes_per_row, 256u);
  const auto& between = std::get<hal::CopyTextureToTexture>(f.fake->executed[2]);
  EXPECT_EQ(between.to.mip_level, 2u);
  EXPECT_EQ(between.size.depth_or_array_layers, 4u);
}

TEST(TexelCopies, NothingIsRecordedOfEmptyOnes) {
  CopyFixture f;
  EXPECT_EQ(f.ToTexture(From(f.buffer, 0, {}, {}), {f.texture}, {0, 1, 1}), "");
  EXPECT_TRUE(f.commands->recording().commands.empty());
  EXPECT_EQ(f.Between({f.texture}, {f.texture}, {16, 16, 0}), "");
  EXPECT_TRUE(f.commands->recording().commands.empty());
  EXPECT_EQ(f.Write({f.texture}, 0, {}, {0, 0, 0}), "");
  EXPECT_TRUE(f.fake->executed.empty());
}

TEST(TexelCopies, DestroyedTexturesAreRefusedAtTheSubmit) {
  CopyFixture f;
  EXPECT_EQ(f.ToBuffer({f.texture}, From(f.buffer, 0, {}, {}), {1, 1, 1}), "");
  f.texture->Destroy();
  const std::shared_ptr<CommandBuffer> list[] = {f.commands};
  EXPECT_FALSE(f.device->queue()->Submit(list)->Wait().ran);
  EXPECT_EQ(f.TakeError(), "texture 't' is destroyed and used by a submit");
  EXPECT_EQ(f.Write({f.texture}, 4, {}, {1, 1, 1}), "writeTexture: texture 't' is destroyed");
}

TEST(TextureWrites, AreValidatedWithoutAlignment) {
  CopyFixture f;
  EXPECT_EQ(f.Write({f.texture}, 4 + 3 + 2 * 17, {3, 17, {}}, {1, 3, 1}), "");
  EXPECT_EQ(f.Write({f.texture}, 36, {3, 17, {}}, {1, 3, 1}),
            "writeTexture: 38 bytes from 3 are needed, and the data has 36");
  EXPECT_EQ(f.Write({f.texture, 5}, 4, {}, {1, 1, 1}),
            "writeTexture: mip level 5 is copied of texture 't', which has 3");
  const auto depth = f.MakeTexture("d", {4, 4, 1}, Format::kDepth16Unorm);
  EXPECT_EQ(f.Write({depth}, 32, {0, 8, {}}, {4, 4, 1}), "");
  f.device->Lose("gone");
  f.fake->executed.clear();
  EXPECT_EQ(f.Write({f.texture}, 4, {}, {1, 1, 1}), "");
  EXPECT_TRUE(f.fake->executed.empty());
}

TEST(TextureWrites, GoToTheDeviceWithTheBytesThatTheyNeed) {
  CopyFixture f;
  EXPECT_EQ(f.Write({f.texture, 1, {2, 3, 1}}, 4096, {100, 40, 9}, {3, 2, 2}), "");
  ASSERT_EQ(f.fake->executed.size(), 1u);
  const auto& write = std::get<hal::WriteTexture>(f.fake->executed[0]);
  EXPECT_EQ(write.from.size(), 9 * 40 + 40 + 12u);
  EXPECT_EQ(write.layout.offset, 0u);
  EXPECT_EQ(write.layout.bytes_per_row, 40u);
  EXPECT_EQ(write.layout.rows_per_image, 9u);
  EXPECT_EQ(write.to.texture, f.texture->memory().get());
  EXPECT_EQ(write.to.mip_level, 1u);
  EXPECT_EQ(write.to.origin.y, 3u);
  EXPECT_EQ(write.size.width, 3u);
}

}  // namespace
}  // namespace lockstep::gpu::core
