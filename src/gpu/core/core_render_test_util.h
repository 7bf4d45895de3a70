// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// A device that draws a triangle, for tests that spoil one thing of it.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpu/core/core_test_util.h"

namespace lockstep::gpu::core {

inline constexpr const char* kTriangle = R"(
@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f { return vec4f(f32(i)); }
@fragment fn fs() -> @location(0) vec4f { return vec4f(1); }
)";

struct RenderFixture : EncodingFixture {
  using EncodingFixture::EncodingFixture;

  // Another device, of an adapter that can do more.
  template <typename Change>
  void MakeDevice(const Change& change, const RequiredLimits& required,
                  const std::vector<std::string>& features = {}) {
    change(fake->info().limits);
    adapter = std::make_shared<Adapter>(fake);
    encoder.reset();
    device = adapter->RequestDevice({"", features, required}).device;
    device->set_uncaptured_error([this](const Error& error) { last_error = error; });
    encoder = device->CreateCommandEncoder("e");
  }
  // One color target of rgba8unorm.
  RenderPipelineDescriptor Describe(const std::string& code = kTriangle) {
    RenderPipelineDescriptor d;
    d.label = "p";
    d.vertex.module = device->CreateShaderModule({"m", "", code});
    d.fragment.emplace();
    d.fragment->module = d.vertex.module;
    d.fragment->targets.emplace_back(ColorTarget{TextureFormat::kRgba8Unorm, {}});
    return d;
  }
  std::shared_ptr<RenderPipeline> Make(const RenderPipelineDescriptor& descriptor) {
    const std::shared_ptr<RenderPipeline> pipeline = device->CreateRenderPipeline(descriptor);
    pipeline->Wait();
    return pipeline;
  }
  // What is wrong with a pipeline; empty where it is valid.
  std::string Try(const RenderPipelineDescriptor& descriptor) {
    const bool valid = Make(descriptor)->valid();
    const std::string error = TakeError();
    EXPECT_EQ(valid, error.empty()) << error;
    return error;
  }

  std::shared_ptr<Texture> MakeTexture(const std::string& label, TextureFormat format,
                                       uint32_t sample_count = 1, uint32_t layers = 1) {
    TextureDescriptor d;
    d.label = label;
    d.size = {64, 32, layers};
    d.format = format;
    d.sample_count = sample_count;
    d.usage = texture_usage::kRenderAttachment | texture_usage::kTextureBinding;
    return device->CreateTexture(d);
  }
  static RenderPassColorAttachment Cleared(AttachmentView view) {
    RenderPassColorAttachment attachment;
    attachment.view = std::move(view);
    attachment.load_op = LoadOp::kClear;
    return attachment;
  }
  // One color attachment of rgba8unorm.
  RenderPassDescriptor DescribePass() {
    RenderPassDescriptor d;
    d.label = "r";
    d.color_attachments.emplace_back(Cleared(MakeTexture("t", TextureFormat::kRgba8Unorm)));
    return d;
  }
  std::string TryPass(const RenderPassDescriptor& descriptor) {
    encoder->BeginRenderPass(descriptor)->End();
    return Finish();
  }
};

inline constexpr const char* kQuads = R"(
@group(0) @binding(0) var<storage, read> quads: array<vec4f, 2>;
@group(0) @binding(1) var<uniform> color: vec4f;
@vertex fn vs(@location(0) corner: vec2f, @location(1) place: vec2f,
              @builtin(instance_index) i: u32) -> @builtin(position) vec4f {
  return quads[i] + vec4f(corner + place, 0, 1);
}
@fragment fn fs() -> @location(0) vec4f { return color; }
)";

struct DrawFixture : RenderFixture {
  explicit DrawFixture(const std::vector<std::string>& features = {}) : RenderFixture(features) {
    RenderPipelineDescriptor d = Describe(kQuads);
    d.vertex.buffers = {
        abi::VertexBufferLayout{8, VertexStepMode::kVertex, {{VertexFormat::kFloat32x2, 0, 0}}},
        abi::VertexBufferLayout{16, VertexStepMode::kInstance, {{VertexFormat::kFloat32x2, 4, 1}}}};
    pipeline = Make(d);
    EXPECT_EQ(TakeError(), "");
    group = MakeGroup(*pipeline);
  }
  std::shared_ptr<BindGroup> MakeGroup(RenderPipeline& of) {
    return device->CreateBindGroup({"g",
                                    of.GetBindGroupLayout(0),
                                    {{0, BufferBinding{quads, 0, {}}}, {1, BufferBinding{color, 0, {}}}}});
  }
  // With everything that a draw needs.
  std::shared_ptr<RenderPass> Begin() {
    const auto pass = encoder->BeginRenderPass(DescribePass());
    Set(*pass);
    return pass;
  }
  void Set(RenderCommands& commands) {
    commands.SetPipeline(pipeline);
    commands.SetBindGroup(0, group);
    commands.SetVertexBuffer(0, corners);
    commands.SetVertexBuffer(1, places, 16);
    commands.SetIndexBuffer(indices, IndexFormat::kUint16, 2, 12);
  }
  std::string EndOf(const std::shared_ptr<RenderPass>& pass) {
    pass->End();
    return Finish();
  }

  std::shared_ptr<Buffer> quads = MakeBuffer("quads", 64, buffer_usage::kStorage);
  std::shared_ptr<Buffer> color =
      MakeBuffer("color", 16, buffer_usage::kUniform | buffer_usage::kVertex | buffer_usage::kIndirect);
  std::shared_ptr<Buffer> corners = MakeBuffer("corners", 32, buffer_usage::kVertex);
  std::shared_ptr<Buffer> places = MakeBuffer("places", 64, buffer_usage::kVertex);
  std::shared_ptr<Buffer> indices = MakeBuffer("indices", 16, buffer_usage::kIndex | buffer_usage::kIndirect);
  std::shared_ptr<RenderPipeline> pipeline;
  std::shared_ptr<BindGroup> group;
};

}  // namespace lockstep::gpu::core
