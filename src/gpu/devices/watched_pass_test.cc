// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Render passes on a device that watches: which accesses of vertices and fragments are findings.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>
#include <tuple>

#include "gpu/core/bind_group.h"
#include "gpu/core/render_pass.h"
#include "gpu/core/render_pipeline.h"
#include "gpu/core/shader_module.h"
#include "gpu/core/texture.h"
#include "gpu/devices/application_test_util.h"

namespace lockstep::gpu {
namespace {

using core::BufferBinding;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
namespace buffer_usage = core::buffer_usage;
namespace texture_usage = core::texture_usage;

constexpr uint32_t kSide = 8;  // pixels of the target

// A triangle that covers all of the target.
constexpr const char* kVertex =
    "@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {\n"
    "  return vec4f(f32(i % 2) * 4 - 1, f32(i / 2) * 4 - 1, 0, 1);\n"
    "}\n";

std::string Fragment(const std::string& body) {
  return "@group(0) @binding(0) var<storage, read_write> data: array<u32>;\n"
         "@fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {\n"
         "  let x = u32(p.x); let y = u32(p.y);\n  " +
         body + "\n  return vec4f(0.25);\n}\n";
}

struct Scene : TestDevice {
  explicit Scene(const core::DeviceOptions& options = Watching()) : TestDevice(options) {
    core::TextureDescriptor d;
    d.size = {kSide, kSide, 1};
    d.usage = texture_usage::kRenderAttachment | texture_usage::kCopySrc;
    target = device->CreateTexture(d);
    buffer = device->CreateBuffer({"data", 1024, buffer_usage::kStorage | buffer_usage::kCopyDst, false});
  }

  std::shared_ptr<core::RenderPipeline> Pipeline(const std::string& label, const std::string& fragment,
                                                 const std::string& vertex = kVertex, bool blend = false) {
    core::RenderPipelineDescriptor d;
    d.label = label;
    d.vertex.module = device->CreateShaderModule({label + ".vs.wgsl", "", vertex});
    d.fragment.emplace();
    d.fragment->module = device->CreateShaderModule({label + ".wgsl", "", fragment});
    core::ColorTarget color{core::TextureFormat::kRgba8Unorm, {}};
    if (blend)
      color.state.blend = {{abi::BlendOperation::kAdd, abi::BlendFactor::kOne, abi::BlendFactor::kOne},
                           {abi::BlendOperation::kAdd, abi::BlendFactor::kOne, abi::BlendFactor::kOne}};
    d.fragment->targets.emplace_back(color);
    return device->CreateRenderPipeline(d);
  }

  std::shared_ptr<core::RenderPass> Begin(core::CommandEncoder& encoder,
                                          core::LoadOp load = core::LoadOp::kClear) const {
    core::RenderPassDescriptor d;
    core::RenderPassColorAttachment color;
    color.view = target;
    color.load_op = load;
    d.color_attachments.emplace_back(color);
    return encoder.BeginRenderPass(d);
  }

  void Draw(core::RenderPass& pass, const std::shared_ptr<core::RenderPipeline>& pipeline,
            const BufferBinding& bound, uint32_t instances = 1, uint32_t vertices = 3) const {
    pass.SetPipeline(pipeline);
    pass.SetBindGroup(0, device->CreateBindGroup({"", pipeline->GetBindGroupLayout(0), {{0, {bound}}}}));
    pass.Draw(vertices, instances, 0, 0);
  }

  // One draw, which is all there is.
  void Run(const std::shared_ptr<core::RenderPipeline>& pipeline, uint32_t width = kSide,
           uint32_t height = kSide, uint32_t instances = 1) {
    const auto encoder = device->CreateCommandEncoder();
    const auto pass = Begin(*encoder);
    pass->SetScissorRect({0, 0, width, height});
    Draw(*pass, pipeline, {buffer, 0, {}}, instances);
    pass->End();
    ASSERT_TRUE(Submit(*encoder).ran);
  }

  std::vector<uint32_t> Data() const {
    std::vector<uint32_t> words(buffer->size() / 4);
    std::memcpy(words.data(), device->queue()->ReadBuffer(*buffer).data(), buffer->size());
    return words;
  }

  std::shared_ptr<core::Texture> target;
  std::shared_ptr<core::Buffer> buffer;
};

TEST(WatchedPass, FragmentsThatWriteTheSameWordRace) {
  Scene scene;
  scene.Run(scene.Pipeline("racy", Fragment("data[x / 2] = y;")));
  ASSERT_THAT(scene.findings, SizeIs(1));
  EXPECT_EQ(scene.findings[0].pipeline, "racy");
  EXPECT_EQ(scene.findings[0].kind, "render pipeline");
  EXPECT_THAT(scene.findings[0].text,
              HasSubstr("racy.wgsl:4:3: error: data race on 'data[0]' and 3 more elements: this write by the "
                        "fragment at pixel (0, 0) of primitive 0 of draw 1 and the write by the fragment at "
                        "pixel (1, 0) of primitive 0 of draw 1 have nothing that orders them; they write "
                        "different values"));
  EXPECT_THAT(scene.findings[0].text, HasSubstr("use atomics for all accesses, or a second pass"));
  const auto& race = std::get<observe::Race>(scene.findings[0].what);
  EXPECT_EQ(race.scope, observe::Scope::kRenderPass);
  EXPECT_EQ(race.count, 4u);
}

TEST(WatchedPass, ThoseThatKeepToThemselvesOrUseAtomicsDoNot) {
  Scene scene;
  scene.Run(scene.Pipeline("own", Fragment("data[y * 8 + x] += 1;")));
  scene.Run(
      scene.Pipeline("atomic",
                     "@group(0) @binding(0) var<storage, read_write> data: array<atomic<u32>>;\n"
                     "@fragment fn fs() -> @location(0) vec4f { atomicAdd(&data[0], 1); return vec4f(); "
                     "}"));
  EXPECT_THAT(scene.findings, IsEmpty());
  EXPECT_EQ(scene.Data()[0], 65u);
}

// The scissor leaves one pixel: the three others of its quad run for derivatives alone.
TEST(WatchedPass, HelpersTellNothing) {
  Scene scene;
  scene.Run(scene.Pipeline("one", Fragment("data[0] = x + u32(dpdx(p.x));")), 1, 1);
  scene.Run(scene.Pipeline("reads", Fragment("data[1] = data[x * 300];")), 1, 1);
  scene.Run(scene.Pipeline("called", "fn write(i: u32) { data[0] = i; if i > 0 { data[300] = 1; } }\n" +
                                         Fragment("write(x);")),
            1, 1);
  scene.Run(scene.Pipeline("discards", Fragment("if x > 0 { discard; } data[0] = x; data[x * 300] = y;")), 8,
            1);
  EXPECT_THAT(scene.findings, IsEmpty());
}

TEST(WatchedPass, WhatIsDiscardedLaterHasRaced) {
  Scene scene;
  scene.Run(scene.Pipeline("late", Fragment("data[0] = x; if x > 0 { discard; }")), 8, 1);
  EXPECT_THAT(scene.findings, SizeIs(1));
}

TEST(WatchedPass, AccessesOutOfBoundsAreFindings) {
  Scene scene;
  scene.Run(scene.Pipeline("far", Fragment("data[y * 8 + x + 200] = 1;")));
  ASSERT_THAT(scene.findings, SizeIs(1));
  EXPECT_THAT(
      scene.findings[0].text,
      HasSubstr("far.wgsl:4:3: error: write of 'data' out of bounds: indices 256, 257, 258, 259, 260, "
                "261, 262, 263 for a length of 256, first by the fragment at pixel (0, 7) of primitive "
                "0 of draw 1"));
}

TEST(WatchedPass, VerticesTooAndTheirShaderIsNamed) {
  Scene scene;
  const auto pipeline =
      scene.Pipeline("corners", "@fragment fn fs() -> @location(0) vec4f { return vec4f(); }",
                     "@group(0) @binding(0) var<storage> corners: array<vec2f, 2>;\n"
                     "@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {\n"
                     "  return vec4f(corners[i], 0, 1);\n}\n");
  scene.Run(pipeline, kSide, kSide, 2);
  ASSERT_THAT(scene.findings, SizeIs(1));
  EXPECT_THAT(
      scene.findings[0].text,
      HasSubstr("corners.vs.wgsl:3:16: error: read of 'corners' out of bounds: index 2 for a length of "
                "2, first by vertex 2 of draw 1"));
}

// Two draws with the same buffer, from another offset on: the second knows the word by another name.
TEST(WatchedPass, DrawsOfAPassRaceAndThoseOfTwoPassesDoNot) {
  Scene scene;
  const auto writes = scene.Pipeline("writes", Fragment("data[64 + y * 8 + x] = 1;"));
  const auto reads = scene.Pipeline("reads",
                                    "@group(0) @binding(0) var<storage, read_write> other: array<u32>;\n"
                                    "@fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {\n"
                                    "  return vec4f(f32(other[u32(p.x)]));\n}\n");
  for (const bool apart : {true, false}) {
    const auto encoder = scene.device->CreateCommandEncoder();
    auto pass = scene.Begin(*encoder);
    scene.Draw(*pass, writes, {scene.buffer, 0, {}});
    if (apart) {
      pass->End();
      pass = scene.Begin(*encoder);
    }
    scene.Draw(*pass, reads, {scene.buffer, 256, {}});
    pass->End();
    ASSERT_TRUE(scene.Submit(*encoder).ran);
    EXPECT_THAT(scene.findings, SizeIs(apart ? 0 : 1));
  }
  ASSERT_FALSE(scene.findings.empty());
  EXPECT_EQ(scene.findings[0].pipeline, "writes");
  EXPECT_THAT(
      scene.findings[0].text,
      HasSubstr("data race on 'data[64]' and 7 more elements: this write by the fragment at pixel (0, "
                "0) of primitive 0 of draw 1 and a read by the fragment at pixel (0, 0) of primitive 0 "
                "of draw 2, as 'other[0]', have nothing that orders them; the read is at "
                "reads.wgsl:3:20"));
}

TEST(WatchedPass, PrimitivesAndInstancesThatCoverAPixelRace) {
  Scene scene;
  const auto pipeline = scene.Pipeline("overlap", Fragment("data[y * 8 + x] = 1;"));
  scene.Run(pipeline, kSide, kSide, 3);
  ASSERT_THAT(scene.findings, SizeIs(1));
  EXPECT_THAT(scene.findings[0].text, HasSubstr("of primitive 0 of instance 1 of draw 1"));
  EXPECT_THAT(scene.findings[0].text, HasSubstr("both write the same value"));
}

// A second look runs the pass once more: neither memory nor picture show it.
TEST(WatchedPass, LeavesWhatOneRunLeaves) {
  for (const bool watch : {false, true}) {
    core::DeviceOptions options;
    options.watch = watch;
    Scene scene(options);
    const auto pipeline =
        scene.Pipeline("adds", Fragment("data[x] += 1; data[0] = data[0] + 1;"), kVertex, true);
    const auto read = scene.device->CreateBuffer(
        {"read", 256 * kSide, buffer_usage::kCopyDst | buffer_usage::kCopySrc, false});
    const auto encoder = scene.device->CreateCommandEncoder();
    for (int i = 0; i < 2; ++i) {
      const auto pass = scene.Begin(*encoder, core::LoadOp::kLoad);
      scene.Draw(*pass, pipeline, {scene.buffer, 0, {}});
      pass->End();
    }
    core::TexelCopyTextureInfo from;
    from.texture = scene.target;
    core::TexelCopyBufferInfo to;
    to.buffer = read;
    to.bytes_per_row = 256;
    encoder->CopyTextureToBuffer(from, to, {kSide, kSide, 1});
    ASSERT_TRUE(scene.Submit(*encoder).ran);
    EXPECT_EQ(scene.findings.empty(), !watch);
    const auto bytes = scene.device->queue()->ReadBuffer(*read);
    EXPECT_EQ(static_cast<int>(bytes[0]), 128) << "a quarter, twice";
    if (!watch) continue;
    // Lane groups of 8 x 2 pixels: of two that add to a word at once one is lost.
    EXPECT_EQ(scene.Data()[1], 2 * kSide / 2);
  }
}

// Against all pairs of accesses: random draws whose fragments access elements that their pixels name.
struct Statement {
  bool writes = false;
  uint32_t x = 0, y = 0, constant = 0, modulus = 1;
  uint32_t At(uint32_t px, uint32_t py) const { return (px * x + py * y + constant) % modulus; }
};

using Pair = std::tuple<uint32_t, bool, uint32_t, bool>;  // lines of the places, and whether they write

std::string Code(const std::vector<Statement>& statements, uint32_t lines_before) {
  std::string body = "var sum = 0u;" + std::string(lines_before, '\n');
  for (const Statement& s : statements) {
    const std::string element =
        fmt::format("data[(x * {}u + y * {}u + {}u) % {}u]", s.x, s.y, s.constant, s.modulus);
    body += s.writes ? fmt::format("\n{} = x;", element) : fmt::format("\nsum += {};", element);
  }
  return Fragment(body);
}

class WatchedPassProperty : public testing::TestWithParam<uint32_t> {};

TEST_P(WatchedPassProperty, FindsWhatAllPairsOfAccessesSay) {
  std::mt19937 random(GetParam());
  const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  struct Access {
    uint32_t invocation, line;
    bool writes;
  };
  std::map<uint32_t, std::vector<Access>> accesses;  // by element
  Scene scene;
  const auto encoder = scene.device->CreateCommandEncoder();
  const auto pass = scene.Begin(*encoder);
  const uint32_t draws = 1 + below(3);
  uint32_t invocation = 0;
  std::vector<SourceFile> shaders;  // of the draws
  for (uint32_t d = 0; d < draws; ++d) {
    std::vector<Statement> statements(1 + below(3));
    for (Statement& s : statements)
      s = {below(3) == 0, below(4) * below(4), below(3) * 4, below(8), 1 + below(2) * 255 + below(80)};
    const uint32_t width = 1 + below(kSide), height = 1 + below(kSide), lines = 10 * d;
    pass->SetScissorRect({0, 0, width, height});
    shaders.emplace_back("p.wgsl", Code(statements, lines));
    scene.Draw(*pass, scene.Pipeline("p", std::string(shaders.back().text())), {scene.buffer, 0, {}});
    for (uint32_t y = 0; y < height; ++y) {
      for (uint32_t x = 0; x < width; ++x, ++invocation) {
        for (uint32_t i = 0; i < statements.size(); ++i) {
          const uint32_t element = statements[i].At(x, y);
          if (element < 256) accesses[element].push_back({invocation, 5 + lines + i, statements[i].writes});
        }
      }
    }
  }
  pass->End();
  ASSERT_TRUE(scene.Submit(*encoder).ran);

  std::map<Pair, uint64_t> want;  // elements
  for (const auto& [element, list] : accesses) {
    std::map<Pair, bool> here;
    for (const Access& a : list) {
      for (const Access& b : list) {
        if (a.invocation == b.invocation || (!a.writes && !b.writes)) continue;
        if (std::tuple(a.line, a.writes) <= std::tuple(b.line, b.writes))
          here[{a.line, a.writes, b.line, b.writes}] = true;
      }
    }
    for (const auto& [pair, yes] : here) ++want[pair];
  }
  std::map<Pair, uint64_t> got;
  for (const core::Finding& finding : scene.findings) {
    const auto* race = std::get_if<observe::Race>(&finding.what);
    if (race == nullptr) continue;  // an element that is not there
    const auto line_of = [&](const observe::Access& access) {
      const SourceFile& file = shaders[std::get<observe::ShadedFragment>(access.by).draw];
      return file.PositionOf(access.span.begin).line;
    };
    got[{line_of(race->first), abi::Writes(race->first.kind), line_of(race->second),
         abi::Writes(race->second.kind)}] += race->count;
  }
  EXPECT_EQ(got, want);
}

INSTANTIATE_TEST_SUITE_P(Seeds, WatchedPassProperty, testing::Range(0u, 40u));

}  // namespace
}  // namespace lockstep::gpu
