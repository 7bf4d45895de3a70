// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Shaders of all stages that read texels, as an application has them on the CPU device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "gpu/core/bind_group.h"
#include "gpu/core/compute_pass.h"
#include "gpu/core/render_pass.h"
#include "gpu/core/render_pipeline.h"
#include "gpu/core/shader_module.h"
#include "gpu/core/texture.h"
#include "gpu/devices/application_test_util.h"

namespace lockstep::gpu {
namespace {

using ::testing::Each;
using ::testing::IsEmpty;
using namespace core::texture_usage;  // NOLINT: flags, as short as WebGPU's
using core::TextureFormat;

struct Application : TestDevice {
  using TestDevice::TestDevice;

  std::shared_ptr<core::Texture> Texture(TextureFormat format, core::Extent3D size, uint32_t samples = 1) {
    core::TextureDescriptor d;
    d.size = size;
    d.format = format;
    d.sample_count = samples;
    d.usage = kTextureBinding | kRenderAttachment | kCopyDst;
    return device->CreateTexture(d);
  }
  // What the compute shader `body` writes to `out`, with one texture `t`.
  std::vector<uint32_t> Compute(const std::string& type, const std::shared_ptr<core::TextureView>& view,
                                const std::string& body, size_t words) {
    core::ComputePipelineDescriptor descriptor;
    descriptor.compute.module = device->CreateShaderModule(
        {"read.wgsl", "",
         "@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n"
         "@group(0) @binding(1) var t: " +
             type +
             ";\n"
             "@compute @workgroup_size(16) fn main(@builtin(local_invocation_index) i: u32) {\n" +
             body + "\n}\n"});
    const auto pipeline = device->CreateComputePipeline(descriptor);
    const auto encoder = device->CreateCommandEncoder();
    const auto pass = encoder->BeginComputePass();
    pass->SetPipeline(pipeline);
    pass->SetBindGroup(
        0, device->CreateBindGroup(
               {"", pipeline->GetBindGroupLayout(0), {{0, core::BufferBinding{out, 0, {}}}, {1, view}}}));
    pass->DispatchWorkgroups(1);
    pass->End();
    EXPECT_TRUE(Submit(*encoder).ran);
    std::vector<uint32_t> values(words);
    std::memcpy(values.data(), device->queue()->ReadBuffer(*out).data(), words * 4);
    return values;
  }

  std::shared_ptr<core::Buffer> out = device->CreateBuffer({"out", 256, core::buffer_usage::kStorage, false});
};

// Texels (x, y): 16 * y + x.
std::shared_ptr<core::Texture> Ramp(Application& app) {
  auto texture = app.Texture(TextureFormat::kR8Uint, {8, 4, 1});
  std::vector<std::byte> texels;
  for (int i = 0; i < 32; ++i) texels.push_back(std::byte(i / 8 * 16 + i % 8));
  app.device->queue()->WriteTexture({texture}, texels, {0, 8, 4}, {8, 4, 1});
  return texture;
}

constexpr const char* kReadRamp =
    "let size = textureDimensions(t);\n"
    "if i % 3 != 1 { out[i] = textureLoad(t, vec2(i, i / 4), 0).x + 1000 * size.x; }\n"
    "else { out[i] = textureLoad(t, vec2(-1, i32(i)), 0).x; }";

std::vector<uint32_t> ExpectedRamp() {
  std::vector<uint32_t> expected;
  for (uint32_t i = 0; i < 16; ++i) {
    const uint32_t x = std::min(i, 7u), y = i / 4;
    expected.push_back(i % 3 != 1 ? 16 * y + x + 8000 : 16 * std::min(i, 3u) + 7);
  }
  return expected;
}

TEST(TextureReads, OfComputeShadersOnEveryEngine) {
  for (const cpu::Engine engine : {cpu::Engine::kCompiler, cpu::Engine::kInterpreter}) {
    Application app({}, {}, engine);
    EXPECT_EQ(app.Compute("texture_2d<u32>", Ramp(app)->CreateView(), kReadRamp, 16), ExpectedRamp());
  }
}

// Textures that are only read race with nothing.
TEST(TextureReads, OfShadersThatAreWatched) {
  for (const cpu::Engine engine : {cpu::Engine::kCompiler, cpu::Engine::kInterpreter}) {
    Application app(Watching(), {}, engine);
    EXPECT_EQ(app.Compute("texture_2d<u32>", Ramp(app)->CreateView(), kReadRamp, 16), ExpectedRamp());
    EXPECT_THAT(app.findings, IsEmpty());
  }
}

// A pass that draws a triangle over all, with depth, stencil and as many samples as the targets have.
struct Drawing {
  std::shared_ptr<core::Texture> color, depth;
  std::string fragment = "@fragment fn fs() -> @location(0) vec4f { return vec4f(0.25, 0.5, 0.75, 1); }";
  std::shared_ptr<core::TextureView> view;  // binding 0
  uint32_t stencil = 0;
};

void Draw(Application& app, const Drawing& drawing) {
  core::RenderPipelineDescriptor d;
  d.vertex.module = app.device->CreateShaderModule(
      {"draw.wgsl", "",
       "@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {\n"
       "  return vec4f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1, 0.625, 1);\n}\n" +
           drawing.fragment});
  d.fragment.emplace();
  d.fragment->module = d.vertex.module;
  d.fragment->targets.emplace_back(core::ColorTarget{drawing.color->format(), {}});
  d.multisample.count = drawing.color->descriptor().sample_count;
  core::RenderPassDescriptor pass_descriptor;
  core::RenderPassColorAttachment attachment;
  attachment.view = drawing.color->CreateView();
  attachment.load_op = core::LoadOp::kClear;
  pass_descriptor.color_attachments.emplace_back(attachment);
  if (drawing.depth) {
    core::DepthStencilState& state = d.depth_stencil.emplace();
    state.format = drawing.depth->format();
    state.depth_write_enabled = true;
    state.depth_compare = core::CompareFunction::kAlways;
    core::RenderPassDepthStencilAttachment& both = pass_descriptor.depth_stencil_attachment.emplace();
    both.view = drawing.depth->CreateView();
    both.depth_load_op = core::LoadOp::kClear;
    both.depth_store_op = core::StoreOp::kStore;
    both.depth_clear_value = 1;
    if (drawing.depth->format_info().Has(hal::Aspect::kStencil)) {
      state.stencil_front.pass_op = state.stencil_back.pass_op = core::StencilOperation::kReplace;
      both.stencil_load_op = core::LoadOp::kClear;
      both.stencil_store_op = core::StoreOp::kStore;
    }
  }
  const auto pipeline = app.device->CreateRenderPipeline(d);
  const auto encoder = app.device->CreateCommandEncoder();
  const auto pass = encoder->BeginRenderPass(pass_descriptor);
  pass->SetPipeline(pipeline);
  if (drawing.view) {
    pass->SetBindGroup(
        0, app.device->CreateBindGroup({"", pipeline->GetBindGroupLayout(0), {{0, drawing.view}}}));
  }
  pass->SetStencilReference(drawing.stencil);
  pass->Draw(3);
  pass->End();
  EXPECT_TRUE(app.Submit(*encoder).ran);
}

TEST(TextureReads, OfWhatWasRendered) {
  Application app;
  Drawing drawing;
  drawing.color = app.Texture(TextureFormat::kRgba16Float, {16, 4, 1});
  drawing.depth = app.Texture(TextureFormat::kDepth24PlusStencil8, {16, 4, 1});
  drawing.stencil = 77;
  Draw(app, drawing);
  EXPECT_THAT(app.Compute("texture_2d<f32>", drawing.color->CreateView(),
                          "out[i] = u32(dot(textureLoad(t, vec2(i, 3), 0), vec4f(4, 40, 400, 4000)));", 16),
              Each(1 + 20 + 300 + 4000u));
  core::TextureViewDescriptor aspect;
  aspect.aspect = core::TextureAspect::kDepthOnly;
  EXPECT_THAT(app.Compute("texture_depth_2d", drawing.depth->CreateView(aspect),
                          "out[i] = u32(textureLoad(t, vec2(i, 1u), 0) * 1000);", 16),
              Each(625u));
  aspect.aspect = core::TextureAspect::kStencilOnly;
  EXPECT_THAT(app.Compute("texture_2d<u32>", drawing.depth->CreateView(aspect),
                          "out[i] = textureLoad(t, vec2(i, 1u), 0).x;", 16),
              Each(77u));
}

TEST(TextureReads, OfSamples) {
  Application app;
  Drawing drawing;
  drawing.color = app.Texture(TextureFormat::kRgba8Unorm, {16, 1, 1}, 4);
  drawing.depth = app.Texture(TextureFormat::kDepth16Unorm, {16, 1, 1}, 4);
  drawing.fragment =
      "@fragment fn fs(@builtin(sample_index) s: u32, @builtin(position) p: vec4f) -> @location(0) vec4f {\n"
      "  return vec4f(f32(s + 1), floor(p.x), 0, 255) / 255;\n}";
  Draw(app, drawing);
  const std::vector<uint32_t> read = app.Compute("texture_multisampled_2d<f32>", drawing.color->CreateView(),
                                                 "let v = textureLoad(t, vec2(i, 0), i % 5) * 255; out[i] = "
                                                 "u32(v.x + 0.5) + 10 * u32(v.y + 0.5) + 1000 * "
                                                 "textureNumSamples(t);",
                                                 16);
  for (uint32_t i = 0; i < 16; ++i) EXPECT_EQ(read[i], 4000 + 10 * i + std::min(i % 5, 3u) + 1) << i;
  EXPECT_THAT(app.Compute("texture_depth_multisampled_2d", drawing.depth->CreateView(),
                          "out[i] = u32(textureLoad(t, vec2(i, 0), i % 4) * 1000 + 0.5);", 16),
              Each(625u));
}

void ReadInFragments(const core::DeviceOptions& options) {
  Application app(options);
  Drawing drawing;
  drawing.color = app.Texture(TextureFormat::kR32Uint, {8, 4, 1});
  drawing.view = Ramp(app)->CreateView();
  drawing.fragment =
      "@group(0) @binding(0) var t: texture_2d<u32>;\n"
      "fn at(tex: texture_2d<u32>, p: vec2u) -> u32 { return textureLoad(tex, p, 0).x; }\n"
      "@fragment fn fs(@builtin(position) p: vec4f) -> @location(0) u32 {\n"
      "  let v = at(t, vec2u(p.xy)); return v + 100 * u32(dpdx(f32(v))) + 1000 * u32(dpdy(f32(v)));\n}";
  Draw(app, drawing);
  const std::vector<uint32_t> read = app.Compute("texture_2d<u32>", drawing.color->CreateView(),
                                                 "out[i] = textureLoad(t, vec2(i % 8, i / 8 + 2), 0).x;", 16);
  for (uint32_t i = 0; i < 16; ++i) EXPECT_EQ(read[i], 16100 + 16 * (i / 8 + 2) + i % 8) << i;
  EXPECT_THAT(app.findings, IsEmpty());
}

TEST(TextureReads, OfFragments) { ReadInFragments({}); }
TEST(TextureReads, OfFragmentsThatAreWatched) { ReadInFragments(Watching()); }

}  // namespace
}  // namespace lockstep::gpu
