// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Render bundles.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu/core/core_render_test_util.h"

namespace lockstep::gpu::core {
namespace {

using ::testing::SizeIs;
using namespace buffer_usage;  // NOLINT: flags, as short as WebGPU's

struct BundleFixture : DrawFixture {
  RenderBundleEncoderDescriptor DescribeBundle() {
    RenderBundleEncoderDescriptor d;
    d.label = "b";
    d.layout.color_formats = {TextureFormat::kRgba8Unorm};
    return d;
  }
  std::shared_ptr<RenderBundle> MakeBundle() {
    const auto bundle_encoder = device->CreateRenderBundleEncoder(DescribeBundle());
    Set(*bundle_encoder);
    bundle_encoder->Draw(3);
    bundle_encoder->DrawIndexed(6);
    return bundle_encoder->Finish("bundle");
  }
};

TEST(RenderBundles, AreDrawnByPasses) {
  BundleFixture f;
  const std::shared_ptr<RenderBundle> bundles[] = {f.MakeBundle(), f.MakeBundle()};
  const auto pass = f.encoder->BeginRenderPass(f.DescribePass());
  pass->SetStencilReference(3);
  pass->ExecuteBundles(bundles);
  ASSERT_EQ(f.EndOf(pass), "");
  ASSERT_EQ(f.Submit(), "");
  const auto& draws = std::get<hal::RenderPass>(f.fake->executed[0]).draws;
  ASSERT_THAT(draws, SizeIs(4));
  EXPECT_EQ(draws[3].count, 6u);
  EXPECT_EQ(draws[3].stencil_reference, 3u) << "as the pass has it";
  EXPECT_EQ(draws[0].viewport.width, 64);
  EXPECT_NE(draws[0].pipeline, nullptr);
}

TEST(RenderBundles, LeaveNothingSet) {
  BundleFixture f;
  const auto pass = f.Begin();
  pass->ExecuteBundles({});
  pass->Draw(3);
  EXPECT_EQ(f.EndOf(pass), "draw in render pass 'r': no pipeline is set");
}

TEST(RenderBundles, FitTheirPass) {
  BundleFixture f;
  RenderBundleEncoderDescriptor d = f.DescribeBundle();
  d.layout.sample_count = 4;
  const std::shared_ptr<RenderBundle> sampled[] = {f.device->CreateRenderBundleEncoder(d)->Finish("bundle")};
  const auto pass = f.encoder->BeginRenderPass(f.DescribePass());
  pass->ExecuteBundles(sampled);
  EXPECT_EQ(f.EndOf(pass),
            "executeBundles in render pass 'r': render bundle 'bundle' draws to (rgba8unorm; no depth or "
            "stencil; 4 samples), and the render pass has (rgba8unorm; no depth or stencil; 1 sample)");
  d = f.DescribeBundle();
  d.layout.depth_stencil_format = TextureFormat::kDepth24Plus;
  const std::shared_ptr<RenderBundle> writing[] = {f.device->CreateRenderBundleEncoder(d)->Finish("bundle")};
  RenderPassDescriptor reading = f.DescribePass();
  reading.depth_stencil_attachment.emplace();
  reading.depth_stencil_attachment->view = f.MakeTexture("d", TextureFormat::kDepth24Plus);
  reading.depth_stencil_attachment->depth_read_only = true;
  const auto read_only = f.encoder->BeginRenderPass(reading);
  read_only->ExecuteBundles(writing);
  EXPECT_EQ(f.EndOf(read_only),
            "executeBundles in render pass 'r': render bundle 'bundle' was not made for depth that is "
            "read-only");
}

TEST(RenderBundles, TellTheirMistakesAtTheEnd) {
  BundleFixture f;
  const auto bundle_encoder = f.device->CreateRenderBundleEncoder(f.DescribeBundle());
  bundle_encoder->PushDebugGroup("trees");
  bundle_encoder->Draw(3);
  EXPECT_EQ(f.TakeError(), "");
  const std::shared_ptr<RenderBundle> bundles[] = {bundle_encoder->Finish("bundle")};
  EXPECT_EQ(f.TakeError(),
            "draw in render bundle encoder 'b': no pipeline is set (in the debug group 'trees')");
  bundle_encoder->Draw(3);
  EXPECT_EQ(f.TakeError(), "draw in render bundle encoder 'b': the encoder is finished");
  EXPECT_FALSE(bundle_encoder->Finish()->valid());
  EXPECT_NE(f.TakeError(), "");
  const auto pass = f.encoder->BeginRenderPass(f.DescribePass());
  pass->ExecuteBundles(bundles);
  EXPECT_EQ(
      f.EndOf(pass),
      "executeBundles in render pass 'r': render bundle 'bundle' is invalid, since its encoding failed");
}

TEST(RenderBundles, HaveAttachmentsOfTheRightKind) {
  BundleFixture f;
  const auto attempt = [&](const RenderPassLayout& layout) {
    const auto bundle_encoder = f.device->CreateRenderBundleEncoder({"b", layout, false, false});
    return f.TakeError();
  };
  EXPECT_EQ(attempt({{}, {}, 1}),
            "render bundle encoder 'b': it has neither a color format nor a depthStencilFormat");
  EXPECT_EQ(attempt({{std::nullopt, TextureFormat::kStencil8}, {}, 1}),
            "render bundle encoder 'b': color format 1 is stencil8, which no color attachment can have");
  EXPECT_EQ(attempt({{}, TextureFormat::kR8Unorm, 1}),
            "render bundle encoder 'b': its depthStencilFormat is r8unorm, which has neither depth nor "
            "stencil");
  EXPECT_EQ(attempt({{}, TextureFormat::kStencil8, 4}), "");
}

TEST(RenderBundles, OfALostDeviceAreInvalid) {
  BundleFixture f;
  f.device->Destroy();
  const auto bundle_encoder = f.device->CreateRenderBundleEncoder(f.DescribeBundle());
  EXPECT_FALSE(bundle_encoder->valid());
  EXPECT_FALSE(bundle_encoder->Finish()->valid());
  EXPECT_EQ(f.TakeError(), "");
}

TEST(RenderBundles, AreInTheScopeOfTheirPass) {
  BundleFixture f;
  const std::shared_ptr<RenderBundle> bundles[] = {f.MakeBundle()};
  BindGroupLayoutEntry entry;
  entry.visibility = shader_stage::kFragment;
  entry.buffer.emplace().type = BufferBindingType::kStorage;
  const auto layout = f.device->CreateBindGroupLayout({"l", {entry}});
  const auto group = f.device->CreateBindGroup({"w", layout, {{0, BufferBinding{f.quads, 0, {}}}}});
  const auto pass = f.encoder->BeginRenderPass(f.DescribePass());
  pass->ExecuteBundles(bundles);
  pass->SetBindGroup(0, group);
  EXPECT_EQ(
      f.EndOf(pass),
      "end in render pass 'r': buffer 'quads' is writable as binding 0 of group 0 and read as binding 0 "
      "of group 0");
}

TEST(RenderBundles, HoldWhatTheyUse) {
  BundleFixture f;
  const std::shared_ptr<RenderBundle> bundles[] = {f.MakeBundle()};
  f.places->Destroy();
  const auto pass = f.encoder->BeginRenderPass(f.DescribePass());
  pass->ExecuteBundles(bundles);
  ASSERT_EQ(f.EndOf(pass), "");
  EXPECT_EQ(f.Submit(), "buffer 'places' is destroyed and used by a submit");
}

}  // namespace
}  // namespace lockstep::gpu::core
