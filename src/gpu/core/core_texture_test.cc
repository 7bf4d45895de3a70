// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Enumerations, texture formats, textures, views and samplers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "gpu/core/core_test_util.h"

namespace lockstep::gpu::core {
namespace {

using ::testing::HasSubstr;
using namespace texture_usage;  // NOLINT: flags, as short as WebGPU's
using hal::Aspect;
using hal::FormatInfo;
using hal::Support;
using Format = TextureFormat;
using Dimension = TextureDimension;
using ViewDimension = TextureViewDimension;

template <typename Enum>
void ExpectRoundTrip() {
  for (size_t i = 0; i < hal::kEnumNames<Enum>.size(); ++i) {
    const auto value = static_cast<Enum>(i);
    EXPECT_EQ(FindEnum<Enum>(EnumName(value)), value) << EnumName(value);
  }
  EXPECT_EQ(FindEnum<Enum>("no such value"), std::nullopt);
}

TEST(Enums, NamesAreFoundAgain) {
#define ENUM(Name) ExpectRoundTrip<Name>();
#define VALUE(enumerator, string)
#define END(Name)
#include "gpu/hal/enums.def"
#define ENUM(Name) ExpectRoundTrip<Name>();
#define VALUE(enumerator, string)
#define END(Name)
#include "abi/render_enums.def"
  ExpectRoundTrip<TextureFormat>();
  ExpectRoundTrip<VertexFormat>();
  EXPECT_EQ(EnumName(VertexFormat::kUnorm1010102), "unorm10-10-10-2");
  EXPECT_EQ(abi::FormatInfo(VertexFormat::kSnorm16x2).bytes(), 4u);
  EXPECT_EQ(FindEnum<TextureViewDimension>("cube-array"), TextureViewDimension::kCubeArray);
  EXPECT_EQ(EnumName(TextureFormat::kBc6hRgbUfloat), "bc6h-rgb-ufloat");
}

TEST(TextureFormats, TheTableSaysWhatEachCanDo) {
  EXPECT_EQ(hal::kEnumNames<Format>.size(), 101u);
  EXPECT_EQ(FormatInfo(Format::kRgba32Float)[Aspect::kColor].bytes, 16);
  EXPECT_EQ(FormatInfo(Format::kRgba32Float).filterable, Support::kFloat32Filterable);
  EXPECT_EQ(FormatInfo(Format::kAstc10x6Unorm).block_width, 10);
  EXPECT_EQ(FormatInfo(Format::kAstc10x6Unorm).block_height, 6);
  const hal::TextureFormatInfo& depth = FormatInfo(Format::kDepth24PlusStencil8);
  EXPECT_FALSE(depth.Has(Aspect::kColor));
  EXPECT_EQ(depth[Aspect::kDepth].format, Format::kDepth24Plus);
  EXPECT_FALSE(depth[Aspect::kDepth].copy_source);
  EXPECT_EQ(depth[Aspect::kStencil].format, Format::kStencil8);
  EXPECT_TRUE(depth[Aspect::kStencil].copy_destination);
  EXPECT_FALSE(FormatInfo(Format::kStencil8).Has(Aspect::kDepth));
  EXPECT_TRUE(hal::EqualButForSrgb(Format::kBgra8Unorm, Format::kBgra8UnormSrgb));
  EXPECT_FALSE(hal::EqualButForSrgb(Format::kBgra8Unorm, Format::kRgba8Unorm));
}

// What a test changes of a texture that is right: 64 x 64, rgba8unorm, for copies.
using Change = std::function<void(TextureDescriptor&)>;

TextureDescriptor Described(const Change& change) {
  TextureDescriptor d;
  d.label = "t";
  d.size = {64, 64, 1};
  d.usage = kCopySrc | kCopyDst;
  if (change) change(d);
  return d;
}

struct BadTexture {
  Change change;
  const char* message;
};

// The device lacks all features where `features` is empty.
void ExpectRefused(const std::vector<BadTexture>& cases, const std::vector<std::string>& features = {}) {
  Fixture f(features);
  for (const BadTexture& c : cases) {
    EXPECT_FALSE(f.device->CreateTexture(Described(c.change))->valid()) << c.message;
    EXPECT_EQ(f.TakeError(), std::string("texture 't' ") + c.message);
  }
}

void ExpectAllowed(const std::vector<Change>& changes, const std::vector<std::string>& features = {}) {
  Fixture f(features);
  for (const Change& change : changes) {
    EXPECT_TRUE(f.device->CreateTexture(Described(change))->valid());
    EXPECT_EQ(f.TakeError(), "");
  }
}

TEST(Textures, SizesAreValidated) {
  ExpectRefused({
      {[](auto& d) { d.size.width = 0; }, "has width 0"},
      {[](auto& d) { d.size.depth_or_array_layers = 0; }, "has depthOrArrayLayers 0"},
      {[](auto& d) { d.size.height = 8193; },
       "has height 8193, which exceeds the limit maxTextureDimension2D of 8192"},
      {[](auto& d) { d.size.depth_or_array_layers = 257; },
       "has depthOrArrayLayers 257, which exceeds the limit maxTextureArrayLayers of 256"},
      {[](auto& d) {
         d.dimension = Dimension::k3d;
         d.size.width = 2049;
       },
       "has width 2049, which exceeds the limit maxTextureDimension3D of 2048"},
      {[](auto& d) { d.dimension = Dimension::k1d; }, "is 1d and has height 64: it must be 1"},
      {[](auto& d) {
         d.dimension = Dimension::k1d;
         d.size = {8193, 1, 1};
       },
       "has width 8193, which exceeds the limit maxTextureDimension1D of 8192"},
      {[](auto& d) { d.mip_level_count = 0; }, "has no mip levels"},
      {[](auto& d) { d.mip_level_count = 8; }, "has 8 mip levels and with its size may have 7"},
      {[](auto& d) {
         d.dimension = Dimension::k1d;
         d.size = {64, 1, 1};
         d.mip_level_count = 2;
       },
       "has 2 mip levels and with its size may have 1"},
  });
  ExpectAllowed({
      [](auto& d) { d.mip_level_count = 7; },
      [](auto& d) {
        d.size = {8191, 8192, 256};
      },
      [](auto& d) {
        d.dimension = Dimension::k3d;
        d.size = {1, 1, 2048};
        d.mip_level_count = 12;
      },
  });
}

TEST(Textures, UsagesAreValidated) {
  ExpectRefused({
      {[](auto& d) { d.usage = 0; }, "has no usage"},
      {[](auto& d) { d.usage = 0x40; }, "has usage bits that WebGPU does not have (0x40)"},
      {[](auto& d) {
         d.usage = kRenderAttachment;
         d.format = Format::kR8Snorm;
       },
       "has the usage RENDER_ATTACHMENT, which its format r8snorm does not allow"},
      {[](auto& d) {
         d.usage = kStorageBinding;
         d.format = Format::kR8Unorm;
       },
       "has the usage STORAGE_BINDING, which its format r8unorm does not allow"},
      {[](auto& d) {
         d.usage = kRenderAttachment;
         d.dimension = Dimension::k1d;
         d.size = {64, 1, 1};
       },
       "is 1d and has the usage RENDER_ATTACHMENT: it must be 2d or 3d"},
      {[](auto& d) { d.usage = kTransientAttachment; },
       "has usage TRANSIENT_ATTACHMENT: TRANSIENT_ATTACHMENT goes with RENDER_ATTACHMENT and nothing else"},
      {[](auto& d) {
         d.usage = kTransientAttachment | kRenderAttachment;
         d.mip_level_count = 2;
       },
       "has the usage TRANSIENT_ATTACHMENT: it must be 2d, with one mip level, one layer and no viewFormats"},
  });
  ExpectAllowed({
      [](auto& d) { d.usage = kTransientAttachment | kRenderAttachment; },
      [](auto& d) {
        d.usage = kRenderAttachment | kTextureBinding;
        d.format = Format::kDepth24PlusStencil8;
      },
  });
  ExpectAllowed({[](auto& d) {
                  d.usage = kStorageBinding;
                  d.format = Format::kR8Unorm;
                }},
                {"texture-formats-tier1"});
}

TEST(Textures, SamplesAreValidated) {
  ExpectRefused({
      {[](auto& d) { d.sample_count = 2; }, "has 2 samples: it may have 1 or 4"},
      {[](auto& d) { d.sample_count = 4; },
       "has 4 samples and lacks the usage RENDER_ATTACHMENT (it has COPY_SRC | COPY_DST)"},
      {[](auto& d) {
         d.sample_count = 4;
         d.mip_level_count = 2;
       },
       "has 4 samples and 2 mip levels: it may have 1"},
      {[](auto& d) {
         d.sample_count = 4;
         d.size.depth_or_array_layers = 2;
       },
       "has 4 samples and 2 layers: it may have 1"},
      {[](auto& d) {
         d.sample_count = 4;
         d.dimension = Dimension::k3d;
       },
       "is 3d and has 4 samples: only 2d textures may"},
      {[](auto& d) {
         d.sample_count = 4;
         d.usage = kRenderAttachment | kStorageBinding;
       },
       "has 4 samples and the usage STORAGE_BINDING, which do not go together"},
      {[](auto& d) {
         d.sample_count = 4;
         d.usage = kRenderAttachment;
         d.format = Format::kR32Uint;
       },
       "has 4 samples, which its format r32uint does not allow"},
  });
  ExpectAllowed({
      [](auto& d) {
        d.sample_count = 4;
        d.usage = kRenderAttachment;
      },
  });
}

TEST(Textures, FormatsAreValidated) {
  const std::vector<BadTexture> cases = {
      {[](auto& d) {
         d.dimension = Dimension::k1d;
         d.size = {64, 1, 1};
         d.format = Format::kStencil8;
       },
       "is 1d and has the format stencil8, which cannot be"},
      {[](auto& d) {
         d.dimension = Dimension::k3d;
         d.format = Format::kDepth16Unorm;
       },
       "is 3d and has the format depth16unorm, which cannot be"},
      {[](auto& d) {
         d.view_formats = {Format::kRgba8UnormSrgb, Format::kRgba8Uint};
       },
       "has the format rgba8unorm and the view format rgba8uint: they may differ in -srgb only"}};
  ExpectRefused(cases);
  ExpectRefused({{[](auto& d) { d.format = Format::kDepth32FloatStencil8; },
                  "has a format that is not there: depth32float-stencil8 needs the feature "
                  "depth32float-stencil8, which the device does not have"},
                 {[](auto& d) { d.view_formats = {Format::kBc1RgbaUnorm}; },
                  "has a view format that is not there: bc1-rgba-unorm needs the feature "
                  "texture-compression-bc, which the device does not have"}});
  ExpectRefused({{[](auto& d) {
                    d.format = Format::kBc1RgbaUnorm;
                    d.size = {62, 64, 1};
                  },
                  "of 62 x 64 texels does not consist of whole blocks of 4 x 4, as bc1-rgba-unorm needs"},
                 {[](auto& d) {
                    d.format = Format::kBc1RgbaUnorm;
                    d.dimension = Dimension::k3d;
                  },
                  "is 3d and has the format bc1-rgba-unorm, which cannot be"}},
                {"texture-compression-bc"});
  ExpectAllowed({[](auto& d) {
                  d.format = Format::kBc1RgbaUnorm;
                  d.dimension = Dimension::k3d;
                }},
                {"texture-compression-bc", "texture-compression-bc-sliced-3d"});
}

TEST(Textures, OutOfMemoryIsNoValidationError) {
  Fixture f;
  EXPECT_FALSE(f.device->CreateTexture(Described([](auto& d) { d.size.width = 8192; }))->valid());
  EXPECT_EQ(f.last_error->kind, ErrorKind::kOutOfMemory);
  EXPECT_EQ(f.TakeError(), "texture 't': out of memory");
}

std::shared_ptr<Texture> Make(Fixture& f, const Change& change) {
  const std::shared_ptr<Texture> texture = f.device->CreateTexture(Described(change));
  EXPECT_EQ(f.TakeError(), "");
  return texture;
}

TEST(TextureViews, DefaultsAreThoseOfTheTexture) {
  Fixture f;
  const auto array = Make(f, [](auto& d) {
    d.size.depth_or_array_layers = 12;
    d.mip_level_count = 5;
  });
  TextureViewDescriptor d;
  d.base_mip_level = 2;
  d.base_array_layer = 3;
  const TextureViewDescriptor all = array->CreateView(d)->descriptor();
  EXPECT_EQ(all.format, Format::kRgba8Unorm);
  EXPECT_EQ(all.dimension, ViewDimension::k2dArray);
  EXPECT_EQ(all.mip_level_count, 3u);
  EXPECT_EQ(all.array_layer_count, 9u);
  EXPECT_EQ(all.usage, kCopySrc | kCopyDst);
  d.base_array_layer = 0;
  d.dimension = ViewDimension::kCube;
  EXPECT_EQ(array->CreateView(d)->descriptor().array_layer_count, 6u);
  d.dimension = ViewDimension::kCubeArray;
  EXPECT_EQ(array->CreateView(d)->descriptor().array_layer_count, 12u);
  EXPECT_EQ(Make(f, {})->CreateView()->dimension(), ViewDimension::k2d);
  const auto volume = Make(f, [](auto& v) {
    v.dimension = Dimension::k3d;
    v.size.depth_or_array_layers = 8;
  });
  EXPECT_EQ(volume->CreateView()->dimension(), ViewDimension::k3d);
  EXPECT_EQ(volume->CreateView()->descriptor().array_layer_count, 1u);
  const auto depth = Make(f, [](auto& v) { v.format = Format::kDepth24PlusStencil8; });
  TextureViewDescriptor stencil;
  stencil.aspect = TextureAspect::kStencilOnly;
  EXPECT_EQ(depth->CreateView(stencil)->format(), Format::kStencil8);
  EXPECT_EQ(f.TakeError(), "");
}

struct BadView {
  Change texture;
  std::function<void(TextureViewDescriptor&)> view;
  const char* message;
};

void ExpectViewsRefused(const std::vector<BadView>& cases) {
  Fixture f;
  for (const BadView& c : cases) {
    const auto texture = Make(f, c.texture);
    TextureViewDescriptor d;
    d.label = "v";
    c.view(d);
    EXPECT_FALSE(texture->CreateView(d)->valid()) << c.message;
    EXPECT_EQ(f.TakeError(), std::string("view 'v' of texture 't' ") + c.message);
  }
}

TEST(TextureViews, RangesAndDimensionsAreValidated) {
  const Change plain;
  const Change twelve = [](auto& d) { d.size.depth_or_array_layers = 12; };
  ExpectViewsRefused({
      {plain, [](auto& v) { v.base_mip_level = 1; }, "has no mip levels (from 1 of 1)"},
      {plain, [](auto& v) { v.mip_level_count = 2; }, "has 2 mip levels from 0, and the texture 1"},
      {twelve, [](auto& v) { v.array_layer_count = 0; }, "has no layers (from 0 of 12)"},
      {twelve,
       [](auto& v) {
         v.base_array_layer = UINT32_MAX;
         v.array_layer_count = 2;
       },
       "has 2 layers from 4294967295, and the texture 12"},
      {twelve,
       [](auto& v) {
         v.dimension = ViewDimension::k2d;
         v.array_layer_count = 2;
       },
       "is 2d and has 2 layers: it must have 1"},
      {twelve,
       [](auto& v) {
         v.dimension = ViewDimension::kCubeArray;
         v.array_layer_count = 7;
       },
       "is cube-array and has 7 layers: it must be a multiple of 6"},
      {twelve, [](auto& v) { v.dimension = ViewDimension::k3d; }, "is 3d of a texture that is 2d"},
      {[](auto& d) {
         d.size = {64, 32, 6};
       },
       [](auto& v) { v.dimension = ViewDimension::kCube; },
       "is cube of a texture of 64 x 32 texels: it must be square"},
      {[](auto& d) {
         d.sample_count = 4;
         d.usage = kRenderAttachment;
       },
       [](auto& v) { v.dimension = ViewDimension::k2dArray; },
       "is 2d-array of a multisampled texture: it must be 2d"},
  });
}

TEST(TextureViews, FormatsAndUsagesAreValidated) {
  const Change plain;
  const Change depth = [](auto& d) { d.format = Format::kDepth24PlusStencil8; };
  const Change srgb = [](auto& d) {
    d.usage = kStorageBinding | kTextureBinding;
    d.view_formats = {Format::kRgba8UnormSrgb};
  };
  ExpectViewsRefused({
      {plain, [](auto& v) { v.format = Format::kRgba8UnormSrgb; },
       "has the format rgba8unorm-srgb, which is neither the texture's (rgba8unorm) nor one of its "
       "viewFormats"},
      {plain, [](auto& v) { v.format = Format::kBc1RgbaUnorm; },
       "has a format that is not there: bc1-rgba-unorm needs the feature texture-compression-bc, which the "
       "device does not have"},
      {plain, [](auto& v) { v.aspect = TextureAspect::kDepthOnly; },
       "is of the aspect depth-only, which rgba8unorm lacks"},
      {depth,
       [](auto& v) {
         v.aspect = TextureAspect::kDepthOnly;
         v.format = Format::kDepth24PlusStencil8;
       },
       "is of the aspect depth-only of depth24plus-stencil8 and has the format depth24plus-stencil8: it must "
       "be depth24plus"},
      {plain, [](auto& v) { v.usage = kTextureBinding; },
       "has usage TEXTURE_BINDING, which the texture lacks (it has COPY_SRC | COPY_DST)"},
      {srgb, [](auto& v) { v.format = Format::kRgba8UnormSrgb; },
       "has the usage STORAGE_BINDING, which its format rgba8unorm-srgb does not allow"},
      {[](auto& d) { d.usage = kTransientAttachment | kRenderAttachment; },
       [](auto& v) { v.usage = kRenderAttachment; },
       "has usage RENDER_ATTACHMENT: of a TRANSIENT_ATTACHMENT it must be the texture's, RENDER_ATTACHMENT | "
       "TRANSIENT_ATTACHMENT"},
      {plain, [](auto& v) { v.swizzle = "rgb"; }, "has the swizzle 'rgb', which is not four of rgba01"},
      {plain, [](auto& v) { v.swizzle = "bgra"; },
       "has the swizzle bgra, which needs the feature texture-component-swizzle"},
  });
  Fixture f({"texture-component-swizzle"});
  TextureViewDescriptor d;
  d.swizzle = "rrr1";
  EXPECT_TRUE(Make(f, {})->CreateView(d)->valid());
  const auto bad = f.device->CreateTexture(Described([](auto& t) { t.usage = 0; }));
  f.TakeError();
  EXPECT_FALSE(bad->CreateView()->valid());
  EXPECT_EQ(f.TakeError(), "a view without a label: texture 't' is invalid, since its creation failed");
}

TEST(TextureViews, OfADestroyedTextureCanBeMade) {
  Fixture f;
  const auto texture = Make(f, {});
  texture->Destroy();
  texture->Destroy();
  EXPECT_TRUE(texture->CreateView()->valid());
  EXPECT_EQ(f.TakeError(), "");
}

TEST(TextureViews, AliasWhereASubresourceIsCommon) {
  Fixture f;
  const auto texture = Make(f, [](auto& d) {
    d.size.depth_or_array_layers = 4;
    d.mip_level_count = 4;
    d.format = Format::kDepth24PlusStencil8;
  });
  const auto view = [&](uint32_t level, uint32_t layer, TextureAspect aspect) {
    TextureViewDescriptor d;
    d.base_mip_level = level;
    d.mip_level_count = 2;
    d.base_array_layer = layer;
    d.array_layer_count = 2;
    d.aspect = aspect;
    return texture->CreateView(d);
  };
  const auto all = view(1, 1, TextureAspect::kAll);
  EXPECT_TRUE(all->Aliases(*view(2, 0, TextureAspect::kDepthOnly)));
  EXPECT_TRUE(all->Aliases(*view(0, 2, TextureAspect::kAll)));
  const auto first = view(0, 0, TextureAspect::kAll);
  EXPECT_FALSE(first->Aliases(*view(2, 0, TextureAspect::kAll)));
  EXPECT_FALSE(first->Aliases(*view(0, 2, TextureAspect::kAll)));
  const auto depth = view(1, 1, TextureAspect::kDepthOnly);
  EXPECT_FALSE(depth->Aliases(*view(1, 1, TextureAspect::kStencilOnly)));
  EXPECT_FALSE(all->Aliases(*Make(f, {})->CreateView()));
  EXPECT_EQ(f.TakeError(), "");
}

struct BadSampler {
  std::function<void(SamplerDescriptor&)> change;
  const char* message;
};

TEST(Samplers, AreValidated) {
  Fixture f;
  const BadSampler cases[] = {
      {[](auto& d) { d.lod_min_clamp = -1; }, "sampler 's' has lodMinClamp -1, which is below 0"},
      {[](auto& d) { d.lod_min_clamp = std::nanf(""); }, "which is below 0"},
      {[](auto& d) { d.lod_max_clamp = 1, d.lod_min_clamp = 2; },
       "sampler 's' has lodMaxClamp 1, which is below its lodMinClamp 2"},
      {[](auto& d) { d.max_anisotropy = 0; }, "has maxAnisotropy 0, which is below 1"},
      {[](auto& d) {
         d.max_anisotropy = 2;
         d.mag_filter = FilterMode::kLinear;
       },
       "has maxAnisotropy 2: magFilter, minFilter and mipmapFilter must be linear then (they are linear, "
       "nearest and nearest)"}};
  for (const BadSampler& c : cases) {
    SamplerDescriptor d;
    d.label = "s";
    c.change(d);
    EXPECT_FALSE(f.device->CreateSampler(d)->valid());
    EXPECT_THAT(f.TakeError(), HasSubstr(c.message));
  }
  SamplerDescriptor d;
  EXPECT_FALSE(f.device->CreateSampler(d)->filtering());
  d.mipmap_filter = MipmapFilterMode::kLinear;
  d.compare = CompareFunction::kLess;
  EXPECT_TRUE(f.device->CreateSampler(d)->filtering());
  EXPECT_TRUE(f.device->CreateSampler(d)->comparison());
}

}  // namespace
}  // namespace lockstep::gpu::core
