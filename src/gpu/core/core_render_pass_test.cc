// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Render passes: what is set and drawn, and what the device gets.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu/core/core_render_test_util.h"

namespace lockstep::gpu::core {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using namespace buffer_usage;  // NOLINT: flags, as short as WebGPU's

TEST(RenderPasses, GoToTheDeviceAsOneCommand) {
  DrawFixture f;
  const auto pass = f.Begin();
  pass->SetBlendConstant({0.5, 0, 0, 1});
  pass->Draw(4, 2);
  pass->SetViewport({1, 2, 30, 20, 0, 0.5});
  pass->SetScissorRect({3, 4, 5, 6});
  pass->SetStencilReference(7);
  pass->DrawIndexed(3, 1, 2, -1, 1);
  ASSERT_EQ(f.EndOf(pass), "");
  ASSERT_EQ(f.Submit(), "");
  ASSERT_THAT(f.fake->executed, SizeIs(1));
  const auto& made = std::get<hal::RenderPass>(f.fake->executed[0]);
  EXPECT_EQ(made.width, 64u);
  EXPECT_EQ(made.height, 32u);
  ASSERT_THAT(made.colors, SizeIs(1));
  EXPECT_EQ(made.colors[0]->load_op, LoadOp::kClear);
  EXPECT_EQ(made.colors[0]->target.format, TextureFormat::kRgba8Unorm);
  ASSERT_THAT(made.draws, SizeIs(2));
  const hal::RenderDraw &first = made.draws[0], &second = made.draws[1];
  EXPECT_NE(first.pipeline, nullptr);
  EXPECT_EQ(first.count, 4u);
  EXPECT_EQ(first.instance_count, 2u);
  EXPECT_EQ(first.viewport.width, 64);
  EXPECT_EQ(first.scissor.height, 32u);
  ASSERT_THAT(first.vertex_resources, SizeIs(1));
  EXPECT_EQ(first.vertex_resources[0].buffer, f.quads->memory().get());
  ASSERT_THAT(first.fragment_resources, SizeIs(1));
  EXPECT_EQ(first.fragment_resources[0].buffer, f.color->memory().get());
  ASSERT_THAT(first.vertex_buffers, SizeIs(2));
  EXPECT_EQ(first.vertex_buffers[1].offset, 16u);
  EXPECT_EQ(first.vertex_buffers[1].size, 48u);
  EXPECT_FALSE(first.index_format);
  EXPECT_EQ(second.index_format, IndexFormat::kUint16);
  EXPECT_EQ(second.indices.offset, 2u);
  EXPECT_EQ(second.indices.size, 12u);
  EXPECT_EQ(second.first, 2u);
  EXPECT_EQ(second.base_vertex, -1);
  EXPECT_EQ(second.first_instance, 1u);
  EXPECT_EQ(second.viewport.max_depth, 0.5F);
  EXPECT_EQ(second.scissor.x, 3u);
  EXPECT_EQ(second.stencil_reference, 7u);
  EXPECT_EQ(second.blend_constant[0], 0.5F);
}

TEST(RenderPasses, DrawsHaveTheTexturesOfEachStage) {
  RenderFixture f;
  const auto pipeline = f.Make(f.Describe(R"(
@group(0) @binding(0) var shared_by_both: texture_2d<f32>;
@group(0) @binding(1) var of_fragments: texture_depth_2d;
@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return textureLoad(shared_by_both, vec2(i, 0), 0);
}
@fragment fn fs() -> @location(0) vec4f {
  return textureLoad(shared_by_both, vec2(0, 0), 0) * textureLoad(of_fragments, vec2(0, 0), 0);
}
)"));
  ASSERT_EQ(f.TakeError(), "");
  const auto color = f.MakeTexture("color", TextureFormat::kRgba8Unorm);
  const auto depth = f.MakeTexture("depth", TextureFormat::kDepth16Unorm);
  const auto pass = f.encoder->BeginRenderPass(f.DescribePass());
  pass->SetPipeline(pipeline);
  pass->SetBindGroup(
      0, f.device->CreateBindGroup(
             {"g", pipeline->GetBindGroupLayout(0), {{0, color->CreateView()}, {1, depth->CreateView()}}}));
  pass->Draw(3);
  pass->End();
  ASSERT_EQ(f.Finish(), "");
  ASSERT_EQ(f.Submit(), "");
  const hal::RenderDraw& draw = std::get<hal::RenderPass>(f.fake->executed.at(0)).draws.at(0);
  ASSERT_THAT(draw.vertex_textures, SizeIs(1));
  EXPECT_EQ(draw.vertex_textures[0].texture, color->memory().get());
  ASSERT_THAT(draw.fragment_textures, SizeIs(2));
  EXPECT_EQ(draw.fragment_textures[0].texture, color->memory().get());
  EXPECT_EQ(draw.fragment_textures[1].texture, depth->memory().get());
  EXPECT_EQ(draw.fragment_textures[1].aspect, hal::Aspect::kDepth);
}

TEST(RenderPasses, WaitForTheirPipelines) {
  DrawFixture f;
  f.fake->compile_failure = Failure{FailureKind::kEnvironment, "no registers left"};
  f.pipeline = f.device->CreateRenderPipeline(f.Describe());
  const auto pass = f.encoder->BeginRenderPass(f.DescribePass());
  pass->SetPipeline(f.pipeline);
  pass->Draw(3);
  ASSERT_EQ(f.EndOf(pass), "");
  f.Submit();
  EXPECT_THAT(f.fake->executed, SizeIs(0)) << "nothing can run";
}

TEST(RenderPasses, PipelinesFitTheAttachments) {
  DrawFixture f;
  RenderPassDescriptor d = f.DescribePass();
  d.color_attachments[0]->view = f.MakeTexture("t", TextureFormat::kBgra8Unorm);
  d.color_attachments.resize(3);
  const auto pass = f.encoder->BeginRenderPass(d);
  pass->SetPipeline(f.pipeline);
  EXPECT_EQ(
      f.EndOf(pass),
      "setPipeline in render pass 'r': render pipeline 'p' draws to (rgba8unorm; no depth or stencil; 1 "
      "sample), and the render pass has (bgra8unorm; no depth or stencil; 1 sample)");
  RenderPipelineDescriptor writing = f.Describe();
  writing.depth_stencil.emplace();
  writing.depth_stencil->depth_write_enabled = true;
  writing.depth_stencil->depth_compare = CompareFunction::kLess;
  d = f.DescribePass();
  d.color_attachments.resize(3);
  d.depth_stencil_attachment.emplace();
  d.depth_stencil_attachment->view = f.MakeTexture("d", TextureFormat::kDepth24Plus);
  d.depth_stencil_attachment->depth_read_only = true;
  const auto reading = f.encoder->BeginRenderPass(d);
  reading->SetPipeline(f.Make(writing));
  EXPECT_EQ(f.EndOf(reading),
            "setPipeline in render pass 'r': render pipeline 'p' writes depth, which is read-only");
  writing.depth_stencil->depth_write_enabled = false;
  const auto testing = f.encoder->BeginRenderPass(d);
  testing->SetPipeline(f.Make(writing));
  EXPECT_EQ(f.EndOf(testing), "") << "nulls at the end do not count";
}

TEST(RenderPasses, DrawsNeedWhatThePipelineUses) {
  DrawFixture f;
  const auto attempt = [&](const auto& commands) {
    const auto pass = f.encoder->BeginRenderPass(f.DescribePass());
    commands(*pass);
    return f.EndOf(pass);
  };
  EXPECT_EQ(attempt([&](RenderPass& pass) { pass.Draw(3); }), "draw in render pass 'r': no pipeline is set");
  EXPECT_EQ(attempt([&](RenderPass& pass) {
              pass.SetPipeline(f.pipeline);
              pass.Draw(3);
            }),
            "draw in render pass 'r': render pipeline 'p' needs bind group 0, which is not set");
  EXPECT_EQ(attempt([&](RenderPass& pass) {
              f.Set(pass);
              pass.SetVertexBuffer(1, nullptr);
              pass.DrawIndexed(3);
            }),
            "drawIndexed in render pass 'r': render pipeline 'p' needs vertex buffer 1, which is not set");
  EXPECT_EQ(attempt([&](RenderPass& pass) {
              pass.SetPipeline(f.pipeline);
              pass.SetBindGroup(0, f.group);
              pass.SetVertexBuffer(0, f.corners);
              pass.SetVertexBuffer(1, f.places);
              pass.DrawIndexed(3);
            }),
            "drawIndexed in render pass 'r': no index buffer is set");
  RenderPipelineDescriptor other = f.Describe(kQuads);
  other.vertex.buffers = f.pipeline->vertex_buffers();
  const auto other_group = f.MakeGroup(*f.Make(other));
  EXPECT_EQ(attempt([&](RenderPass& pass) {
              f.Set(pass);
              pass.Draw(3);
              pass.SetBindGroup(0, other_group);
              pass.Draw(3);
            }),
            "draw in render pass 'r': bind group 'g' set as group 0 does not have the layout that render "
            "pipeline 'p' needs");
}

TEST(RenderPasses, DrawsStayWithinTheirBuffers) {
  struct Case {
    void (*draw)(RenderPass&);
    const char* message;
  };
  const Case cases[] = {
      {[](RenderPass& pass) { pass.Draw(4, 3); }, ""},
      {[](RenderPass& pass) { pass.Draw(0, 0, 0, 0); }, ""},
      {[](RenderPass& pass) { pass.Draw(3, 1, 2); },
       "draw in render pass 'r': 5 vertices need 40 bytes of vertex buffer 0, which has 32 (buffer "
       "'corners')"},
      {[](RenderPass& pass) { pass.Draw(UINT32_MAX, 1, UINT32_MAX); },
       "draw in render pass 'r': 8589934590 vertices need 68719476720 bytes of vertex buffer 0, which has 32 "
       "(buffer 'corners')"},
      {[](RenderPass& pass) { pass.Draw(3, 1, 0, 3); },
       "draw in render pass 'r': 4 instances need 60 bytes of vertex buffer 1, which has 48 (buffer "
       "'places')"},
      {[](RenderPass& pass) { pass.DrawIndexed(6, 3, 0, 100); }, ""},
      {[](RenderPass& pass) { pass.DrawIndexed(6, 1, 1); },
       "drawIndexed in render pass 'r': 6 indices from 1 are drawn, and the index buffer has 6 (buffer "
       "'indices')"},
      {[](RenderPass& pass) { pass.DrawIndexed(6, 4); },
       "drawIndexed in render pass 'r': 4 instances need 60 bytes of vertex buffer 1, which has 48 (buffer "
       "'places')"},
  };
  DrawFixture f;
  for (const Case& c : cases) {
    const auto pass = f.Begin();
    c.draw(*pass);
    EXPECT_EQ(f.EndOf(pass), c.message);
  }
}

TEST(RenderPasses, StripsAreDrawnWithTheirIndexFormat) {
  RenderFixture f;
  const auto indices = f.MakeBuffer("indices", 16, kIndex);
  RenderPipelineDescriptor d = f.Describe();
  d.primitive.topology = PrimitiveTopology::kTriangleStrip;
  const auto attempt = [&] {
    const auto pass = f.encoder->BeginRenderPass(f.DescribePass());
    pass->SetPipeline(f.Make(d));
    pass->SetIndexBuffer(indices, IndexFormat::kUint16);
    pass->DrawIndexed(3);
    pass->End();
    return f.Finish();
  };
  EXPECT_EQ(attempt(),
            "drawIndexed in render pass 'r': the indices are uint16, and the stripIndexFormat of render "
            "pipeline 'p' is not given");
  d.primitive.strip_index_format = IndexFormat::kUint32;
  EXPECT_THAT(attempt(), HasSubstr("the stripIndexFormat of render pipeline 'p' is uint32"));
  d.primitive.strip_index_format = IndexFormat::kUint16;
  EXPECT_EQ(attempt(), "");
}

TEST(RenderPasses, BuffersAreSetAsTheyMayBe) {
  struct Case {
    void (*set)(DrawFixture&, RenderPass&);
    const char* message;
  };
  const Case cases[] = {
      {[](DrawFixture& f, RenderPass& pass) { pass.SetVertexBuffer(0, f.quads); },
       "setVertexBuffer in render pass 'r': buffer 'quads' lacks the usage VERTEX (it has STORAGE)"},
      {[](DrawFixture& f, RenderPass& pass) { pass.SetVertexBuffer(0, f.corners, 2); },
       "setVertexBuffer in render pass 'r': the offset 2 into buffer 'corners' is not a multiple of 4"},
      {[](DrawFixture& f, RenderPass& pass) { pass.SetVertexBuffer(0, f.corners, 4, 32); },
       "setVertexBuffer in render pass 'r': 32 bytes at 4 do not fit buffer 'corners' of 32 bytes"},
      {[](DrawFixture& f, RenderPass& pass) { pass.SetVertexBuffer(0, f.corners, 32); }, ""},
      {[](DrawFixture& f, RenderPass& pass) { pass.SetVertexBuffer(8, f.corners); },
       "setVertexBuffer in render pass 'r': slot 8 exceeds the limit: maxVertexBuffers is 8"},
      {[](DrawFixture&, RenderPass& pass) { pass.SetVertexBuffer(0, nullptr, 0, 4); },
       "setVertexBuffer in render pass 'r': no buffer is given, and 4 bytes at 0 of it"},
      {[](DrawFixture& f, RenderPass& pass) { pass.SetIndexBuffer(f.corners, IndexFormat::kUint32); },
       "setIndexBuffer in render pass 'r': buffer 'corners' lacks the usage INDEX (it has VERTEX)"},
      {[](DrawFixture& f, RenderPass& pass) { pass.SetIndexBuffer(f.indices, IndexFormat::kUint32, 2); },
       "setIndexBuffer in render pass 'r': the offset 2 into buffer 'indices' is not a multiple of 4"},
      {[](DrawFixture& f, RenderPass& pass) { pass.SetIndexBuffer(f.indices, IndexFormat::kUint16, 2); }, ""},
      {[](DrawFixture&, RenderPass& pass) { pass.SetIndexBuffer(nullptr, IndexFormat::kUint16); },
       "setIndexBuffer in render pass 'r': no buffer is given"},
  };
  DrawFixture f;
  for (const Case& c : cases) {
    const auto pass = f.encoder->BeginRenderPass(f.DescribePass());
    c.set(f, *pass);
    EXPECT_EQ(f.EndOf(pass), c.message);
  }
}

TEST(RenderPasses, IndirectDrawsReadTheirArguments) {
  DrawFixture f;
  const auto attempt = [&](const auto& draw) {
    const auto pass = f.Begin();
    draw(*pass);
    return f.EndOf(pass);
  };
  EXPECT_EQ(attempt([&](RenderPass& pass) { pass.DrawIndexedIndirect(f.color, 0); }),
            "drawIndexedIndirect in render pass 'r': 20 bytes at 0 do not fit buffer 'color' of 16 bytes");
  EXPECT_EQ(attempt([&](RenderPass& pass) { pass.DrawIndirect(f.indices, 2); }),
            "drawIndirect in render pass 'r': the offset 2 into buffer 'indices' is not a multiple of 4");
  EXPECT_EQ(attempt([&](RenderPass& pass) { pass.DrawIndirect(f.corners, 0); }),
            "drawIndirect in render pass 'r': buffer 'corners' lacks the usage INDIRECT (it has VERTEX)");
  ASSERT_EQ(attempt([&](RenderPass& pass) { pass.DrawIndirect(f.color, 0); }), "");
  ASSERT_EQ(f.Submit(), "");
  const hal::RenderDraw& draw = std::get<hal::RenderPass>(f.fake->executed[0]).draws[0];
  EXPECT_EQ(draw.indirect, f.color->memory().get());
  EXPECT_FALSE(draw.indirect_first_instance);
}

TEST(RenderPasses, IndirectDrawsMayHaveAFirstInstance) {
  RenderFixture f;
  f.fake->info().features.emplace_back("indirect-first-instance");
  f.MakeDevice([](hal::Limits&) {}, {}, {"indirect-first-instance"});
  const auto arguments = f.MakeBuffer("arguments", 16, kIndirect);
  const auto pass = f.encoder->BeginRenderPass(f.DescribePass());
  pass->SetPipeline(f.Make(f.Describe()));
  pass->DrawIndirect(arguments, 0);
  pass->End();
  ASSERT_EQ(f.Finish(), "");
  ASSERT_EQ(f.Submit(), "");
  EXPECT_TRUE(std::get<hal::RenderPass>(f.fake->executed[0]).draws[0].indirect_first_instance);
}

TEST(RenderPasses, ViewportsAndScissorsHaveLimits) {
  RenderFixture f;
  const auto attempt = [&](const auto& set) {
    const auto pass = f.encoder->BeginRenderPass(f.DescribePass());
    set(*pass);
    pass->End();
    return f.Finish();
  };
  EXPECT_EQ(attempt([](RenderPass& pass) { pass.SetViewport({-16384, 0, 8192, 0, 0.25, 0.25}); }), "");
  EXPECT_EQ(attempt([](RenderPass& pass) {
              pass.SetViewport({0, 0, 8193, 1, 0, 1});
            }),
            "setViewport in render pass 'r': 8193 x 1 pixels at (0, 0) are no viewport: lengths are at most "
            "8192, and it must lie within -16384 and 16383");
  EXPECT_THAT(attempt([](RenderPass& pass) {
                pass.SetViewport({0, 16000, 1, 384, 0, 1});
              }),
              HasSubstr("1 x 384 pixels at (0, 16000)"));
  EXPECT_EQ(attempt([](RenderPass& pass) {
              pass.SetViewport({0, 0, 1, 1, 0.5, 0.25});
            }),
            "setViewport in render pass 'r': depths from 0.5 to 0.25 are no range within 0 and 1");
  EXPECT_EQ(attempt([](RenderPass& pass) {
              pass.SetScissorRect({60, 0, 5, 32});
            }),
            "setScissorRect in render pass 'r': 5 x 32 pixels at (60, 0) do not fit attachments of 64 x 32");
  EXPECT_EQ(attempt([](RenderPass& pass) { pass.SetScissorRect({64, 32, 0, 0}); }), "");
}

TEST(RenderPasses, CountOcclusion) {
  DrawFixture f;
  RenderPassDescriptor d = f.DescribePass();
  d.occlusion_query_set = f.device->CreateQuerySet({"q", QueryType::kOcclusion, 4});
  const auto attempt = [&](const auto& commands) {
    const auto pass = f.encoder->BeginRenderPass(d);
    f.Set(*pass);
    commands(*pass);
    return f.EndOf(pass);
  };
  ASSERT_EQ(attempt([](RenderPass& pass) {
              pass.BeginOcclusionQuery(3);
              pass.Draw(3);
              pass.EndOcclusionQuery();
              pass.Draw(3);
              pass.BeginOcclusionQuery(1);
              pass.EndOcclusionQuery();
            }),
            "");
  ASSERT_EQ(f.Submit(), "");
  const auto& made = std::get<hal::RenderPass>(f.fake->executed[0]);
  EXPECT_EQ(made.occlusion_queries, d.occlusion_query_set->memory().get());
  EXPECT_EQ(made.begun_queries, (std::vector<uint32_t>{3, 1}));
  EXPECT_EQ(made.draws[0].occlusion_query, 3u);
  EXPECT_FALSE(made.draws[1].occlusion_query);
  EXPECT_EQ(attempt([](RenderPass& pass) { pass.BeginOcclusionQuery(4); }),
            "beginOcclusionQuery in render pass 'r': query 4 of query set 'q', which has 4");
  EXPECT_EQ(attempt([](RenderPass& pass) {
              pass.BeginOcclusionQuery(0);
              pass.BeginOcclusionQuery(1);
            }),
            "beginOcclusionQuery in render pass 'r': query 0 is not ended");
  EXPECT_EQ(attempt([](RenderPass& pass) {
              pass.BeginOcclusionQuery(0);
              pass.EndOcclusionQuery();
              pass.BeginOcclusionQuery(0);
            }),
            "beginOcclusionQuery in render pass 'r': query 0 was written in this pass already");
  EXPECT_EQ(attempt([](RenderPass& pass) { pass.BeginOcclusionQuery(0); }),
            "end in render pass 'r': occlusion query 0 is not ended");
  EXPECT_EQ(attempt([](RenderPass& pass) { pass.EndOcclusionQuery(); }),
            "endOcclusionQuery in render pass 'r': no occlusion query is open");
  d.occlusion_query_set.reset();
  EXPECT_EQ(attempt([](RenderPass& pass) { pass.BeginOcclusionQuery(0); }),
            "beginOcclusionQuery in render pass 'r': the pass has no occlusionQuerySet");
}

TEST(RenderPasses, WriteTimestamps) {
  RenderFixture f({"timestamp-query"});
  RenderPassDescriptor d = f.DescribePass();
  const auto queries = f.device->CreateQuerySet({"q", QueryType::kTimestamp, 2});
  d.timestamp_writes = TimestampWrites{queries, 0, 1};
  ASSERT_EQ(f.TryPass(d), "");
  ASSERT_EQ(f.Submit(), "");
  ASSERT_THAT(f.fake->executed, SizeIs(3));
  EXPECT_TRUE(std::holds_alternative<hal::WriteTimestamp>(f.fake->executed[0]));
  EXPECT_TRUE(std::holds_alternative<hal::RenderPass>(f.fake->executed[1]));
  EXPECT_EQ(std::get<hal::WriteTimestamp>(f.fake->executed[2]).index, 1u);
  d.timestamp_writes.reset();
  d.occlusion_query_set = queries;
  EXPECT_EQ(f.TryPass(d),
            "beginRenderPass in render pass 'r': occlusion is written to query set 'q', which is for "
            "timestamps");
}

TEST(RenderPasses, EndInGoodOrder) {
  DrawFixture f;
  RenderPassDescriptor d = f.DescribePass();
  d.max_draw_count = 1;
  const auto busy = f.encoder->BeginRenderPass(d);
  f.Set(*busy);
  busy->Draw(3);
  busy->Draw(3);
  EXPECT_EQ(f.EndOf(busy), "end in render pass 'r': 2 draws exceed the maxDrawCount of 1");
  const auto grouped = f.Begin();
  grouped->PushDebugGroup("shadows");
  EXPECT_EQ(f.EndOf(grouped),
            "end in render pass 'r': the debug group 'shadows' is not popped (in the debug group 'shadows')");
  const auto ended = f.Begin();
  ended->End();
  ended->Draw(3);
  EXPECT_EQ(f.TakeError(), "draw in render pass 'r': the pass has ended");
}

TEST(RenderPasses, HoldWhatTheyUse) {
  DrawFixture f;
  const auto pass = f.Begin();
  ASSERT_EQ(f.EndOf(pass), "");
  f.corners->Destroy();
  EXPECT_EQ(f.Submit(), "buffer 'corners' is destroyed and used by a submit") << "without any draw";
}

// --- the scope ---

TEST(RenderPassScopes, BuffersAreReadOrWritten) {
  RenderFixture f;
  const auto both = f.MakeBuffer("both", 64, kStorage | kVertex | kIndex);
  BindGroupLayoutEntry entry;
  entry.binding = 3;
  entry.visibility = shader_stage::kFragment;
  entry.buffer.emplace().type = BufferBindingType::kStorage;
  const auto layout = f.device->CreateBindGroupLayout({"l", {entry}});
  const auto group = f.device->CreateBindGroup({"g", layout, {{3, BufferBinding{both, 0, {}}}}});
  const auto pass = f.encoder->BeginRenderPass(f.DescribePass());
  pass->SetVertexBuffer(2, both);
  pass->SetBindGroup(1, group);
  pass->SetBindGroup(1, nullptr);
  pass->End();
  EXPECT_EQ(f.Finish(),
            "end in render pass 'r': buffer 'both' is writable as binding 3 of group 1 and read as vertex "
            "buffer 2")
      << "whatever was set counts";
  const auto twice = f.encoder->BeginRenderPass(f.DescribePass());
  twice->SetBindGroup(0, group);
  twice->SetBindGroup(1, group);
  twice->End();
  EXPECT_EQ(f.Finish(), "") << "what is written may be written by several draws";
}

TEST(RenderPassScopes, AttachmentsAreNotRead) {
  RenderFixture f;
  BindGroupLayoutEntry entry;
  entry.visibility = shader_stage::kFragment;
  entry.texture.emplace();
  entry.texture->sample_type = TextureSampleType::kUnfilterableFloat;
  const auto layout = f.device->CreateBindGroupLayout({"l", {entry}});
  const auto attempt = [&](const RenderPassDescriptor& d, const std::shared_ptr<TextureView>& read) {
    const auto group = f.device->CreateBindGroup({"g", layout, {{0, read}}});
    EXPECT_EQ(f.TakeError(), "");
    const auto pass = f.encoder->BeginRenderPass(d);
    pass->SetBindGroup(0, group);
    pass->End();
    return f.Finish();
  };
  const auto texture = f.MakeTexture("t", TextureFormat::kRgba8Unorm, 1, 2);
  const auto layer = [&](uint32_t index) {
    TextureViewDescriptor d;
    d.dimension = TextureViewDimension::k2d;
    d.base_array_layer = index;
    d.array_layer_count = 1;
    return texture->CreateView(d);
  };
  RenderPassDescriptor d = f.DescribePass();
  d.color_attachments[0]->view = layer(0);
  EXPECT_EQ(attempt(d, layer(1)), "");
  EXPECT_EQ(attempt(d, layer(0)),
            "end in render pass 'r': texture 't' is written as color attachment 0 and read as binding 0 of "
            "group 0");

  const auto depth = f.MakeTexture("d", TextureFormat::kDepth24PlusStencil8);
  TextureViewDescriptor depth_only;
  depth_only.aspect = TextureAspect::kDepthOnly;
  d = f.DescribePass();
  d.depth_stencil_attachment.emplace();
  d.depth_stencil_attachment->view = depth;
  d.depth_stencil_attachment->stencil_load_op = LoadOp::kLoad;
  d.depth_stencil_attachment->stencil_store_op = StoreOp::kStore;
  d.depth_stencil_attachment->depth_read_only = true;
  EXPECT_EQ(attempt(d, depth->CreateView(depth_only)), "") << "depth is read twice, and stencil written";
  d.depth_stencil_attachment->depth_read_only = false;
  d.depth_stencil_attachment->depth_load_op = LoadOp::kLoad;
  d.depth_stencil_attachment->depth_store_op = StoreOp::kStore;
  EXPECT_EQ(
      attempt(d, depth->CreateView(depth_only)),
      "end in render pass 'r': texture 'd' is written as depth-stencil attachment and read as binding 0 "
      "of group 0");
}

}  // namespace
}  // namespace lockstep::gpu::core
