// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// The attachments of render passes.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu/core/core_render_test_util.h"

namespace lockstep::gpu::core {
namespace {

using ::testing::HasSubstr;

TEST(Attachments, AreRenderable) {
  RenderFixture f;
  const auto attempt = [&](AttachmentView view) {
    RenderPassDescriptor d;
    d.label = "r";
    d.color_attachments.emplace_back(RenderFixture::Cleared(std::move(view)));
    return f.TryPass(d);
  };
  const std::string place = "beginRenderPass in render pass 'r': color attachment 0, a view of texture 't', ";
  EXPECT_EQ(attempt(f.MakeTexture("t", TextureFormat::kRgba8Unorm)), "");
  EXPECT_EQ(attempt(f.MakeTexture("t", TextureFormat::kDepth16Unorm)),
            place + "has the format depth16unorm, which is no color");
  const auto layers = f.MakeTexture("t", TextureFormat::kRgba8Unorm, 1, 2);
  EXPECT_EQ(attempt(layers), place + "has 2 layers: it must have 1");
  TextureViewDescriptor view;
  view.base_array_layer = 1;
  view.array_layer_count = 1;
  view.dimension = TextureViewDimension::k2d;
  EXPECT_EQ(attempt(layers->CreateView(view)), "");
  const auto sampled = f.device->CreateTexture({"t",
                                                {4, 4, 1},
                                                1,
                                                1,
                                                TextureDimension::k2d,
                                                TextureFormat::kRgba8Unorm,
                                                texture_usage::kTextureBinding});
  EXPECT_EQ(attempt(sampled), place + "lacks the usage RENDER_ATTACHMENT (it has TEXTURE_BINDING)");
  EXPECT_EQ(attempt(std::shared_ptr<Texture>()),
            "beginRenderPass in render pass 'r': color attachment 0: no texture is given");
  const auto levels = f.device->CreateTexture({"t",
                                               {4, 4, 1},
                                               3,
                                               1,
                                               TextureDimension::k2d,
                                               TextureFormat::kRgba8Unorm,
                                               texture_usage::kRenderAttachment});
  EXPECT_EQ(attempt(levels), place + "has 3 mip levels: it must have 1");
  EXPECT_EQ(f.TryPass({"r", {std::nullopt}, {}, {}, {}, 0}),
            "beginRenderPass in render pass 'r': there is neither a color attachment nor a depth-stencil "
            "attachment");
}

TEST(Attachments, AreAlikeAndApart) {
  RenderFixture f;
  RenderPassDescriptor d = f.DescribePass();
  d.color_attachments.push_back(d.color_attachments[0]);
  EXPECT_EQ(f.TryPass(d),
            "beginRenderPass in render pass 'r': color attachment 0 and color attachment 1 are the same part "
            "of texture 't'");
  d.color_attachments[1] = RenderFixture::Cleared(f.MakeTexture("u", TextureFormat::kRgba8Unorm, 4));
  EXPECT_EQ(
      f.TryPass(d),
      "beginRenderPass in render pass 'r': color attachment 1, a view of texture 'u', has 4 samples and "
      "the attachments before 1");
  const auto small = f.device->CreateTexture({"s",
                                              {32, 32, 1},
                                              1,
                                              1,
                                              TextureDimension::k2d,
                                              TextureFormat::kRgba8Unorm,
                                              texture_usage::kRenderAttachment});
  d.color_attachments[1] = RenderFixture::Cleared(small);
  EXPECT_EQ(
      f.TryPass(d),
      "beginRenderPass in render pass 'r': color attachment 1, a view of texture 's', is 32 x 32 and the "
      "attachments before 64 x 32");
  d.color_attachments.resize(9);
  EXPECT_THAT(f.TryPass(d), HasSubstr("9 color attachments exceed the limit maxColorAttachments of 8"));
  d.color_attachments.clear();
  for (int i = 0; i < 3; ++i) {
    d.color_attachments.emplace_back(
        RenderFixture::Cleared(f.MakeTexture("wide", TextureFormat::kRgba32Float)));
  }
  EXPECT_THAT(f.TryPass(d), HasSubstr("its color attachments take 48 bytes a sample"));
}

TEST(Attachments, SlicesOf3dTexturesAreApart) {
  RenderFixture f;
  const auto deep = f.device->CreateTexture({"d",
                                             {4, 4, 8},
                                             2,
                                             1,
                                             TextureDimension::k3d,
                                             TextureFormat::kRgba8Unorm,
                                             texture_usage::kRenderAttachment});
  TextureViewDescriptor level;
  level.base_mip_level = 1;
  level.mip_level_count = 1;
  RenderPassColorAttachment first = RenderFixture::Cleared(deep->CreateView(level));
  const auto attempt = [&](std::optional<uint32_t> a, std::optional<uint32_t> b) {
    RenderPassDescriptor d;
    d.label = "r";
    d.color_attachments = {first, first};
    d.color_attachments[0]->depth_slice = a;
    d.color_attachments[1]->depth_slice = b;
    return f.TryPass(d);
  };
  EXPECT_EQ(attempt(0, 3), "");
  ASSERT_EQ(f.Submit(), "");
  const auto& pass = std::get<hal::RenderPass>(f.fake->executed.at(0));
  EXPECT_EQ(pass.colors[1]->target.layer, 3u);
  EXPECT_EQ(pass.colors[1]->target.mip_level, 1u);
  EXPECT_EQ(pass.width, 2u);
  EXPECT_THAT(attempt(1, 1), HasSubstr("are the same part of texture 'd'"));
  EXPECT_THAT(attempt(0, 4), HasSubstr("color attachment 1, a view of texture 'd', is given the depthSlice 4 "
                                       "and has 4"));
  EXPECT_THAT(attempt(0, {}), HasSubstr("is 3d and not given a depthSlice"));
  RenderPassDescriptor flat = f.DescribePass();
  flat.color_attachments[0]->depth_slice = 0;
  EXPECT_THAT(f.TryPass(flat), HasSubstr("is 2d and given a depthSlice, which is for 3d"));
}

TEST(Attachments, ResolveToOneSample) {
  RenderFixture f;
  const auto attempt = [&](const std::shared_ptr<Texture>& from, const std::shared_ptr<Texture>& to) {
    RenderPassDescriptor d;
    d.label = "r";
    d.color_attachments.emplace_back(RenderFixture::Cleared(from));
    d.color_attachments[0]->resolve_target = to;
    return f.TryPass(d);
  };
  using enum TextureFormat;
  const auto from = f.MakeTexture("f", kRgba8Unorm, 4);
  const std::string place =
      "beginRenderPass in render pass 'r': the resolve target of color attachment 0, a view of texture 't', ";
  EXPECT_EQ(attempt(from, f.MakeTexture("t", kRgba8Unorm)), "");
  EXPECT_EQ(attempt(from, f.MakeTexture("t", kRgba8Unorm, 4)), place + "has 4 samples: it must have 1");
  EXPECT_EQ(attempt(f.MakeTexture("u", kRgba8Unorm), f.MakeTexture("t", kRgba8Unorm)),
            place + "is of a view of texture 'u', which has 1 sample: only several are resolved");
  EXPECT_EQ(attempt(from, f.MakeTexture("t", kBgra8Unorm)),
            place +
                "has the format bgra8unorm (its texture bgra8unorm) and the attachment rgba8unorm (its "
                "texture rgba8unorm)");
  EXPECT_EQ(attempt(f.MakeTexture("u", kR8Uint, 4), f.MakeTexture("t", kR8Uint)),
            place + "has the format r8uint, which cannot be resolved");
}

TEST(Attachments, ClearValuesFitTheFormat) {
  RenderFixture f;
  const auto attempt = [&](TextureFormat format, double red, LoadOp load_op = LoadOp::kClear) {
    RenderPassDescriptor d;
    d.color_attachments.emplace_back(RenderFixture::Cleared(f.MakeTexture("t", format)));
    d.color_attachments[0]->clear_value = {red, 0, 0, 0};
    d.color_attachments[0]->load_op = load_op;
    return f.TryPass(d);
  };
  using enum TextureFormat;
  EXPECT_EQ(attempt(kRgba8Unorm, 1e30), "") << "out of the format's range, and not of f32's";
  EXPECT_THAT(attempt(kRgba8Unorm, 1e300), HasSubstr("is cleared to 1e+300, which is no f32"));
  EXPECT_EQ(attempt(kRgba8Uint, 4294967295.5), "");
  EXPECT_THAT(attempt(kRgba8Uint, 4294967296), HasSubstr("which is no u32"));
  EXPECT_THAT(attempt(kRgba8Uint, -1), HasSubstr("is cleared to -1, which is no u32"));
  EXPECT_EQ(attempt(kRgba8Sint, -1), "");
  EXPECT_EQ(attempt(kRgba8Uint, -1, LoadOp::kLoad), "");
}

TEST(Attachments, DepthAndStencilHaveOperations) {
  RenderFixture f;
  const auto attempt = [&](TextureFormat format, const auto& change) {
    RenderPassDescriptor d;
    d.label = "r";
    RenderPassDepthStencilAttachment& attachment = d.depth_stencil_attachment.emplace();
    attachment.view = f.MakeTexture("d", format);
    attachment.depth_load_op = LoadOp::kClear;
    attachment.depth_store_op = StoreOp::kStore;
    attachment.depth_clear_value = 0.5F;
    change(attachment);
    return f.TryPass(d);
  };
  const std::string place =
      "beginRenderPass in render pass 'r': the depth-stencil attachment, a view of texture 'd', ";
  using enum TextureFormat;
  EXPECT_EQ(attempt(kDepth16Unorm, [](auto&) {}), "");
  EXPECT_EQ(attempt(kRgba8Unorm, [](auto&) {}),
            place + "has the format rgba8unorm, which has neither depth nor stencil");
  EXPECT_EQ(attempt(kDepth16Unorm, [](auto& a) { a.depth_store_op.reset(); }),
            place + "is given no depthStoreOp, which writable depth needs");
  EXPECT_EQ(attempt(kDepth16Unorm, [](auto& a) { a.depth_clear_value.reset(); }),
            place + "is cleared and given no depthClearValue");
  EXPECT_EQ(attempt(kDepth16Unorm, [](auto& a) { a.depth_clear_value = 1.5F; }),
            place + "has the depthClearValue 1.5: it must be between 0 and 1");
  EXPECT_EQ(attempt(kDepth16Unorm, [](auto& a) { a.depth_read_only = true; }),
            place + "is given a depthLoadOp, and its depth is read-only");
  EXPECT_EQ(attempt(kStencil8, [](auto&) {}), place + "is given a depthLoadOp, and its depth is not there");
  EXPECT_EQ(attempt(kDepth24PlusStencil8, [](auto&) {}),
            place + "is given no stencilLoadOp, which writable stencil needs");
  EXPECT_EQ(attempt(kDepth24PlusStencil8, [](auto& a) { a.stencil_read_only = true; }), "");
}

TEST(Attachments, TransientOnesAreClearedAndDiscarded) {
  RenderFixture f;
  RenderPassDescriptor d;
  d.color_attachments.emplace_back(RenderFixture::Cleared(
      f.device->CreateTexture({"t",
                               {4, 4, 1},
                               1,
                               1,
                               TextureDimension::k2d,
                               TextureFormat::kRgba8Unorm,
                               texture_usage::kRenderAttachment | texture_usage::kTransientAttachment})));
  EXPECT_THAT(f.TryPass(d), HasSubstr("its loadOp must be clear and its storeOp discard"));
  d.color_attachments[0]->store_op = StoreOp::kDiscard;
  EXPECT_EQ(f.TryPass(d), "");
}

}  // namespace
}  // namespace lockstep::gpu::core
