// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// WGSL to pixels: render passes of the CPU device with compiled stages. What rasteriser and stages do by
// themselves, their own tests say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <random>

#include "diag/diagnostic.h"
#include "gpu/cpu/cpu_device.h"
#include "gpu/cpu/texture.h"
#include "lower/lower.h"
#include "wgsl/program.h"

namespace lockstep::gpu::cpu {
namespace {

using ::testing::ElementsAre;

ir::Module Lowered(const char* text, const char* entry) {
  const SourceFile file("shader.wgsl", text);
  diag::Sink sink;
  std::optional<wgsl::Program> program = wgsl::Compile(file, {}, sink);
  CHECK(program.has_value());
  const wgsl::FunctionId id = program->FindEntryPoint(entry);
  const auto overrides = wgsl::EvaluateOverrides(*program, id, {}, sink);
  CHECK(overrides.has_value());
  return lower::Lower(*program, id, *overrides);
}

class Rendering : public ::testing::Test {
 protected:
  static constexpr uint32_t kSize = 64;

  Rendering() {
    Options options;
    options.library_folders = {std::filesystem::read_symlink("/proc/self/exe").parent_path() / "lib"};
    device_ = MakeCpuDevice(options);
    hal::TextureDescriptor texture;
    texture.size = {kSize, kSize, 1};
    target_ = std::move(*device_->CreateTexture(texture));
    pass_.width = pass_.height = kSize;
    hal::RenderColorAttachment color;
    color.target.texture = target_.get();
    color.load_op = abi::LoadOp::kClear;
    color.clear_value = {0, 0, 0, 1};
    pass_.colors = {color};
  }

  // Entry points vs and fs.
  std::unique_ptr<hal::RenderPipeline> Pipeline(const char* text, abi::PrimitiveTopology topology) {
    const ir::Module vertex = Lowered(text, "vs"), fragment = Lowered(text, "fs");
    hal::RenderPipelineDescriptor descriptor;
    descriptor.vertex = &vertex;
    descriptor.fragment = &fragment;
    descriptor.primitive.topology = topology;
    descriptor.targets = {hal::ColorTarget{}};
    Result<std::unique_ptr<hal::RenderPipeline>> made = device_->CreateRenderPipeline(descriptor, {});
    EXPECT_TRUE(made.ok()) << made.failure().message;
    return std::move(*made);
  }
  std::unique_ptr<hal::Buffer> Buffer(const std::vector<float>& contents) {
    auto buffer = std::move(*device_->CreateBuffer(contents.size() * sizeof(float)));
    std::memcpy(buffer->bytes().data(), contents.data(), contents.size() * sizeof(float));
    return buffer;
  }
  hal::RenderDraw DrawOf(const hal::RenderPipeline& pipeline, uint32_t count, uint32_t instances = 1) {
    hal::RenderDraw draw;
    draw.pipeline = &pipeline;
    draw.viewport = {0, 0, kSize, kSize, 0, 1};
    draw.scissor = {0, 0, kSize, kSize};
    draw.count = count;
    draw.instance_count = instances;
    return draw;
  }
  void Run(uint32_t threads = 0) {
    const hal::Command commands[] = {pass_};
    hal::ExecuteOptions options;
    options.threads = threads;
    const Result<hal::ExecuteResult> done = device_->Execute(commands, options);
    ASSERT_TRUE(done.ok()) << done.failure().message;
  }
  std::array<int, 4> At(uint32_t x, uint32_t y) {
    auto& texture = static_cast<LinearTexture&>(*target_);
    std::array<int, 4> texel;
    for (size_t c = 0; c < 4; ++c) texel[c] = std::to_integer<int>(texture.memory()[(y * kSize + x) * 4 + c]);
    return texel;
  }

  std::shared_ptr<hal::Device> device_;
  std::unique_ptr<hal::Texture> target_;
  hal::RenderPass pass_;
};

TEST_F(Rendering, ATriangleWithInterpolatedColors) {
  const auto pipeline = Pipeline(R"(
struct Out { @builtin(position) position: vec4f, @location(0) color: vec3f }
@vertex fn vs(@builtin(vertex_index) i: u32) -> Out {
  let corner = vec2f(f32(i & 1), f32(i >> 1));
  return Out(vec4f(corner * 4 - 1, 0, 1), vec3f(corner, 0.5));
}
@fragment fn fs(in: Out) -> @location(0) vec4f { return vec4f(in.color * 2, 1); }
)",
                                 abi::PrimitiveTopology::kTriangleList);
  pass_.draws = {DrawOf(*pipeline, 3)};
  Run();
  EXPECT_THAT(At(0, 63), ElementsAre(2, 2, 255, 255));
  EXPECT_THAT(At(63, 63), ElementsAre(253, 2, 255, 255));
  EXPECT_THAT(At(0, 0), ElementsAre(2, 253, 255, 255));
}

// As the pages of the seeds draw: a quad an instance, its place from a storage buffer.
TEST_F(Rendering, InstancesReadStorage) {
  const auto pipeline = Pipeline(R"(
@group(0) @binding(0) var<storage> heights: array<f32>;
struct Out { @builtin(position) position: vec4f, @location(0) @interpolate(flat) bar: u32 }
@vertex fn vs(@builtin(vertex_index) v: u32, @builtin(instance_index) i: u32) -> Out {
  let corner = vec2f(f32(v & 1), f32(v >> 1));
  let place = vec2f((f32(i) + corner.x) / 8, corner.y * heights[i]) * 2 - 1;
  return Out(vec4f(place, 0, 1), i);
}
@fragment fn fs(in: Out) -> @location(0) vec4f { return vec4f(f32(in.bar + 1) / 255, 1, 0, 1); }
)",
                                 abi::PrimitiveTopology::kTriangleStrip);
  const auto heights = Buffer({0.125f, 0.25f, 0.375f, 0.5f, 0.625f, 0.75f, 0.875f, 1});
  hal::RenderDraw draw = DrawOf(*pipeline, 4, 8);
  draw.vertex_resources = {{heights.get(), 0, heights->size()}};
  pass_.draws = {draw};
  Run();
  for (uint32_t y = 0; y < kSize; ++y) {
    for (uint32_t x = 0; x < kSize; ++x) {
      const uint32_t bar = x / 8;
      const bool inside = kSize - 1 - y < (bar + 1) * 8;
      ASSERT_EQ(At(x, y)[0], inside ? static_cast<int>(bar + 1) : 0) << x << " " << y;
    }
  }
}

TEST_F(Rendering, DiscardStorageWritesAndHelpers) {
  const auto pipeline = Pipeline(R"(
@group(0) @binding(0) var<storage, read_write> count: atomic<u32>;
@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  let corner = vec2f(f32(i & 1), f32(i >> 1));
  return vec4f(corner * 4 - 1, 0, 1);
}
@fragment fn fs(@builtin(position) at: vec4f) -> @location(0) vec4f {
  let slope = dpdx(at.x * at.y);
  if u32(at.x) % 3 == 1 { discard; }
  atomicAdd(&count, 1u);
  return vec4f(slope / 64, 0, 0, 1);
}
)",
                                 abi::PrimitiveTopology::kTriangleList);
  const auto count = Buffer({0});
  hal::RenderDraw draw = DrawOf(*pipeline, 3);
  draw.scissor = {1, 1, 61, 63};
  draw.fragment_resources = {{count.get(), 0, 4}};
  pass_.draws = {draw};
  Run();
  uint32_t counted = 0;
  std::memcpy(&counted, count->bytes().data(), sizeof(counted));
  EXPECT_EQ(counted, (61u - 21) * 63) << "x from 1 to 61 without 1, 4, .. 61; no helper counts";
  EXPECT_THAT(At(2, 40), ElementsAre(161, 0, 0, 255)) << "40.5 / 64";
  EXPECT_THAT(At(4, 40), ElementsAre(0, 0, 0, 255));
  EXPECT_THAT(At(0, 40), ElementsAre(0, 0, 0, 255));
}

// Triangles over each other, blended, in any split among threads.
TEST_F(Rendering, PicturesDoNotDependOnThreads) {
  const char* const text = R"(
@group(0) @binding(0) var<storage> places: array<vec2f>;
struct Out { @builtin(position) position: vec4f, @location(0) color: vec3f }
@vertex fn vs(@builtin(vertex_index) i: u32) -> Out {
  return Out(vec4f(places[i], 0, 1), fract(vec3f(places[i], f32(i) * 0.37)));
}
@fragment fn fs(in: Out) -> @location(0) vec4f { return vec4f(in.color, 0.5); }
)";
  const ir::Module vertex = Lowered(text, "vs"), fragment = Lowered(text, "fs");
  hal::RenderPipelineDescriptor descriptor;
  descriptor.vertex = &vertex;
  descriptor.fragment = &fragment;
  descriptor.targets = {hal::ColorTarget{}};
  descriptor.targets[0]->state.blend = abi::BlendState{
      {abi::BlendOperation::kAdd, abi::BlendFactor::kSrcAlpha, abi::BlendFactor::kOneMinusSrcAlpha}, {}};
  const auto pipeline = std::move(*device_->CreateRenderPipeline(descriptor, {}));
  std::mt19937 random(1);
  std::uniform_real_distribution<float> place(-1.5f, 1.5f);
  std::vector<float> places(2 * 3 * 2000);
  for (float& v : places) v = place(random);
  const auto buffer = Buffer(places);
  hal::RenderDraw draw = DrawOf(*pipeline, 6000);
  draw.vertex_resources = {{buffer.get(), 0, buffer->size()}};
  pass_.draws = {draw, draw};
  std::vector<std::array<int, 4>> first;
  for (const uint32_t threads : {1u, 2u, 3u, 7u}) {
    Run(threads);
    std::vector<std::array<int, 4>> pixels;
    for (uint32_t i = 0; i < kSize * kSize; ++i) pixels.push_back(At(i % kSize, i / kSize));
    if (first.empty()) first = pixels;
    EXPECT_EQ(pixels, first) << threads << " threads";
  }
}

}  // namespace
}  // namespace lockstep::gpu::cpu
