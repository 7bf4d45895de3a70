// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Creation of render pipelines.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu/core/core_render_test_util.h"

namespace lockstep::gpu::core {
namespace {

using ::testing::HasSubstr;
using Buffers = std::vector<std::optional<abi::VertexBufferLayout>>;

std::string Fragment(const std::string& outputs) {
  return "@vertex fn vs() -> @builtin(position) vec4f { return vec4f(); } @fragment fn fs() -> " + outputs;
}

TEST(RenderPipelines, GoToTheDeviceAsDescribed) {
  RenderFixture f;
  RenderPipelineDescriptor d = f.Describe();
  d.primitive.topology = PrimitiveTopology::kTriangleStrip;
  d.primitive.strip_index_format = IndexFormat::kUint32;
  d.multisample.count = 4;
  d.depth_stencil.emplace();
  d.depth_stencil->depth_write_enabled = true;
  d.depth_stencil->depth_compare = CompareFunction::kLess;
  d.fragment->targets.insert(d.fragment->targets.begin(), std::nullopt);
  EXPECT_EQ(f.Try(d), "render pipeline 'p': color target 1 is written, and 'fs' has no output at location 1");
  d.fragment->targets[1]->state.write_mask = 0;
  const auto pipeline = f.Make(d);
  ASSERT_TRUE(pipeline->valid()) << f.TakeError();
  const hal::RenderPipelineDescriptor& made = f.fake->render_pipeline;
  EXPECT_EQ(made.primitive.topology, PrimitiveTopology::kTriangleStrip);
  EXPECT_EQ(made.depth_stencil_format, TextureFormat::kDepth24Plus);
  EXPECT_EQ(made.depth_stencil.depth_compare, CompareFunction::kLess);
  ASSERT_EQ(made.targets.size(), 2u);
  EXPECT_FALSE(made.targets[0]);
  EXPECT_EQ(made.targets[1]->format, TextureFormat::kRgba8Unorm);
  EXPECT_EQ(pipeline->target_layout().Text(), "none, rgba8unorm; depth24plus; 4 samples");
  EXPECT_TRUE(pipeline->writes_depth());
  EXPECT_FALSE(pipeline->writes_stencil());
}

TEST(RenderPipelines, TellWhatTheCompilerRefuses) {
  RenderFixture f;
  f.fake->compile_failure = Failure{FailureKind::kEnvironment, "no registers left"};
  EXPECT_EQ(f.Try(f.Describe()), "no registers left");
  std::optional<Error> told;
  f.device->CreateRenderPipelineAsync(f.Describe(),
                                      [&](const auto&, const std::optional<Error>& error) { told = error; });
  f.device->events().ProcessUntil([&] { return told.has_value(); });
  EXPECT_EQ(told->message, "no registers left");
  told.reset();
  RenderPipelineDescriptor d = f.Describe();
  d.multisample.count = 2;
  f.device->CreateRenderPipelineAsync(d,
                                      [&](const auto&, const std::optional<Error>& error) { told = error; });
  f.device->events().ProcessUntil([&] { return told.has_value(); });
  EXPECT_EQ(told->message, "render pipeline 'p': it has 2 samples: it may have 1 or 4");
  EXPECT_EQ(f.TakeError(), "") << "the callback was told";
}

TEST(RenderPipelines, EntryPointsAreOfTheirStage) {
  RenderFixture f;
  RenderPipelineDescriptor d = f.Describe();
  d.vertex.entry_point = "fs";
  EXPECT_EQ(f.Try(d), "render pipeline 'p': the entry point 'fs' is not a vertex shader");
  d.vertex.entry_point = "vs";
  d.fragment->entry_point = "nope";
  EXPECT_EQ(f.Try(d), "render pipeline 'p': the shader has no fragment entry point 'nope' (it has 'fs')");
  EXPECT_EQ(f.Try(f.Describe("@compute @workgroup_size(1) fn c() {}")),
            "render pipeline 'p': the shader has no vertex entry point");
  d.fragment.reset();
  EXPECT_EQ(f.Try(d), "render pipeline 'p': it has neither a color target nor depthStencil");
}

constexpr const char* kBothStages = R"(
struct A { n: u32 }
struct B { n: u32, m: vec4u }
@group(0) @binding(1) var<storage, read> quads: array<vec4f>;
@group(0) @binding(0) var<uniform> a: A;
@group(0) @binding(0) var<uniform> b: B;
@group(1) @binding(0) var<storage, read_write> counts: array<u32>;
@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f { return quads[i + a.n]; }
@fragment fn fs() -> @location(0) vec4f { counts[0] = b.m.x; return vec4f(1); }
)";

TEST(RenderPipelines, DefaultLayoutsHoldBothStages) {
  RenderFixture f;
  const auto pipeline = f.Make(f.Describe(kBothStages));
  ASSERT_TRUE(pipeline->valid()) << f.TakeError();
  const std::vector<BindGroupLayoutEntry> first = pipeline->GetBindGroupLayout(0)->entries();
  ASSERT_EQ(first.size(), 2u);
  EXPECT_EQ(first[0].visibility, shader_stage::kVertex | shader_stage::kFragment);
  EXPECT_EQ(first[0].buffer->min_binding_size, 32u) << "the larger of both";
  EXPECT_EQ(first[1].visibility, shader_stage::kVertex);
  EXPECT_EQ(pipeline->GetBindGroupLayout(1)->entries()[0].visibility, shader_stage::kFragment);
  EXPECT_EQ(pipeline->vertex().slots.buffers.size(), 2u);
  EXPECT_EQ(pipeline->fragment()->slots.buffers.size(), 2u);
}

TEST(RenderPipelines, StagesMustAgreeOnBindings) {
  RenderFixture f;
  EXPECT_EQ(f.Try(f.Describe(R"(
@group(0) @binding(0) var<uniform> a: vec4f;
@group(0) @binding(0) var<storage, read> b: vec4f;
@vertex fn vs() -> @builtin(position) vec4f { return a; }
@fragment fn fs() -> @location(0) vec4f { return b; }
)")),
            "render pipeline 'p': 'b' (group 0, binding 0) is another kind of resource in the other stage: "
            "\"auto\" gives no layout");
}

TEST(RenderPipelines, VertexShadersWriteToNoStorage) {
  RenderFixture f;
  EXPECT_EQ(f.Try(f.Describe(R"(
@group(0) @binding(0) var<storage, read_write> a: vec4f;
@vertex fn vs() -> @builtin(position) vec4f { a.x = 1; return a; }
@fragment fn fs() -> @location(0) vec4f { return vec4f(); }
)")),
            "'a' (group 0, binding 0) is a writable storage buffer and visible to vertex shaders");
}

TEST(RenderPipelines, StagesHaveLimitsOfTheirOwn) {
  RenderFixture f;
  std::string buffers, sum = "0";
  for (int i = 0; i < 9; ++i) {
    buffers += fmt::format("@group(0) @binding({0}) var<storage, read> b{0}: f32;\n", i);
    sum += fmt::format(" + b{}", i);
  }
  EXPECT_THAT(
      f.Try(f.Describe(buffers + "@vertex fn vs() -> @builtin(position) vec4f { return vec4f(" + sum +
                       "); } @fragment fn fs() -> @location(0) vec4f { return vec4f(); }")),
      HasSubstr("entry point 'vs' uses 9 storage buffers in the vertex stage, which exceeds the limit "
                "maxStorageBuffersInVertexStage of 8"));
  EXPECT_THAT(f.Try(f.Describe(buffers + Fragment("@location(0) vec4f { return vec4f(" + sum + "); }"))),
              HasSubstr("entry point 'fs' uses 9 storage buffers in the fragment stage, which exceeds the "
                        "limit maxStorageBuffersInFragmentStage of 8"));
}

TEST(RenderPipelines, ExplicitLayoutsMustBeVisibleToEachStage) {
  RenderFixture f;
  RenderPipelineDescriptor d = f.Describe(R"(
@group(0) @binding(0) var<uniform> a: vec4f;
@vertex fn vs() -> @builtin(position) vec4f { return a; }
@fragment fn fs() -> @location(0) vec4f { return a; }
)");
  BindGroupLayoutEntry entry;
  entry.visibility = shader_stage::kVertex;
  entry.buffer.emplace();
  d.layout = f.device->CreatePipelineLayout({"l", {f.device->CreateBindGroupLayout({"g", {entry}})}});
  EXPECT_EQ(f.Try(d), "'a' (group 0, binding 0) is not visible to fragment shaders in pipeline layout 'l'");
  entry.visibility = shader_stage::kVertex | shader_stage::kFragment;
  d.layout = f.device->CreatePipelineLayout({"l", {f.device->CreateBindGroupLayout({"g", {entry}})}});
  EXPECT_EQ(f.Try(d), "");
}

// --- vertex buffers ---

abi::VertexBufferLayout Buffer(uint64_t stride, std::vector<abi::VertexAttribute> attributes) {
  return {stride, VertexStepMode::kVertex, std::move(attributes)};
}

TEST(VertexStates, LayoutsAreWithinLimits) {
  using enum VertexFormat;
  struct Case {
    Buffers buffers;
    const char* message;
  };
  const Case cases[] = {
      {{Buffer(2052, {})},
       "vertex buffer 0 has the arrayStride 2052, which exceeds the limit maxVertexBufferArrayStride of "
       "2048"},
      {{std::nullopt, Buffer(6, {})}, "vertex buffer 1 has the arrayStride 6, which is not a multiple of 4"},
      {{Buffer(8, {{kFloat32x3, 0, 0}})},
       "attribute 0 of vertex buffer 0 is a float32x3 at 0 and ends past the arrayStride of 8"},
      {{Buffer(0, {{kFloat32x4, 2036, 0}})},
       "attribute 0 of vertex buffer 0 is a float32x4 at 2036 and ends past the limit "
       "maxVertexBufferArrayStride of 2048"},
      {{Buffer(16, {{kFloat32, 0, 0}, {kFloat32, 2, 1}})},
       "attribute 1 of vertex buffer 0 is a float32 at 2, which is not a multiple of 4"},
      {{Buffer(16, {{kUint8x2, 1, 0}})},
       "attribute 0 of vertex buffer 0 is a uint8x2 at 1, which is not a multiple of 2"},
      {{Buffer(16, {{kFloat32, 0, 16}})},
       "attribute 0 of vertex buffer 0 has the location 16, which exceeds the limit: maxVertexAttributes is "
       "16"},
      {{Buffer(16, {{kFloat32, 0, 3}}), Buffer(16, {{kUint32, 0, 3}})},
       "attribute 0 of vertex buffer 0 and attribute 0 of vertex buffer 1 both have the location 3"},
      {Buffers(9), "it has 9 vertex buffers, which exceeds the limit maxVertexBuffers of 8"},
  };
  RenderFixture f;
  for (const Case& c : cases) {
    RenderPipelineDescriptor d = f.Describe();
    d.vertex.buffers = c.buffers;
    EXPECT_EQ(f.Try(d), std::string("render pipeline 'p': ") + c.message);
  }
  RenderPipelineDescriptor d = f.Describe();
  d.vertex.buffers = {Buffer(2048, {{kUint8, 3, 15}}), std::nullopt, Buffer(0, {{kFloat32x4, 2032, 0}})};
  EXPECT_EQ(f.Try(d), "");
}

TEST(VertexStates, InputsHaveAttributesOfTheirType) {
  using enum VertexFormat;
  RenderFixture f;
  const auto attempt = [&](const std::string& type, std::vector<abi::VertexAttribute> attributes) {
    RenderPipelineDescriptor d = f.Describe("@vertex fn vs(@location(2) a: " + type +
                                            ") -> @builtin(position) vec4f { return vec4f(f32(a.x)); }"
                                            "@fragment fn fs() -> @location(0) vec4f { return vec4f(); }");
    d.vertex.buffers = {Buffer(16, std::move(attributes))};
    return f.Try(d);
  };
  EXPECT_EQ(attempt("vec2f", {{kFloat32x2, 0, 1}}),
            "render pipeline 'p': input 'a' (location 2) of 'vs' has no attribute in the vertex buffers");
  EXPECT_EQ(attempt("vec2f", {{kUint8x4, 0, 2}}),
            "render pipeline 'p': input 'a' (location 2) of 'vs' is vec2<f32>, and attribute 0 of vertex "
            "buffer 0 is uint8x4, which gives u32");
  EXPECT_THAT(attempt("vec4i", {{kSnorm8x4, 0, 2}}), HasSubstr("is snorm8x4, which gives f32"));
  EXPECT_EQ(attempt("vec4i", {{kSint16x2, 0, 2}}), "") << "components may be missing";
  EXPECT_EQ(attempt("vec2f", {{kUnorm1010102, 0, 2}}), "") << "or be left over";
  EXPECT_EQ(attempt("vec4u", {{kUint32x3, 0, 2}}), "");
}

TEST(VertexStates, GroupsAndVertexBuffersShareALimit) {
  RenderFixture f;
  f.MakeDevice([](hal::Limits& limits) { limits.max_vertex_buffers = 30; }, {{"maxVertexBuffers", 30}});
  RenderPipelineDescriptor d = f.Describe();
  d.vertex.buffers = Buffers(30);
  EXPECT_EQ(f.Try(d), "") << "those that are null at the end do not count";
  d.vertex.buffers[24] = Buffer(4, {});
  EXPECT_EQ(f.Try(d),
            "render pipeline 'p': it has 0 bind groups and 25 vertex buffers, which exceeds the limit "
            "maxBindGroupsPlusVertexBuffers of 24");
}

// --- color targets ---

TEST(ColorTargets, FitFormatsAndOutputs) {
  using enum TextureFormat;
  struct Case {
    const char* output;
    TextureFormat format;
    const char* message;
  };
  const Case cases[] = {
      {"@location(0) vec4f { return vec4f(); }", kRgba8Unorm, ""},
      {"@location(0) vec4f { return vec4f(); }", kRg16Float, ""},
      {"@location(0) vec2f { return vec2f(); }", kRg16Float, ""},
      {"@location(0) vec3f { return vec3f(); }", kRgba8Unorm,
       "color target 0 has the format rgba8unorm, and 'fs' gives it vec3<f32>: it must have 4 components"},
      {"@location(0) f32 { return 0; }", kRg8Unorm,
       "color target 0 has the format rg8unorm, and 'fs' gives it f32: it must have 2 components"},
      {"@location(0) vec4f { return vec4f(); }", kRgba8Uint,
       "color target 0 has the format rgba8uint, and 'fs' gives it vec4<f32>: it must be of u32"},
      {"@location(0) vec4u { return vec4u(); }", kR32Sint,
       "color target 0 has the format r32sint, and 'fs' gives it vec4<u32>: it must be of i32"},
      {"@location(0) vec4i { return vec4i(); }", kBgra8Unorm,
       "color target 0 has the format bgra8unorm, and 'fs' gives it vec4<i32>: it must be of f32"},
      {"@location(0) vec4f { return vec4f(); }", kDepth16Unorm,
       "color target 0 has the format depth16unorm, which no color target can have"},
      {"@location(0) vec4f { return vec4f(); }", kRgb9e5Ufloat,
       "color target 0 has the format rgb9e5ufloat, which no color target can have"},
      {"@location(0) vec4f { return vec4f(); }", kR8Snorm,
       "color target 0 has the format r8snorm, which no color target can have"},
      {"@location(1) vec4f { return vec4f(); }", kRgba8Unorm,
       "color target 0 is written, and 'fs' has no output at location 0"},
      {"@location(8) vec4f { return vec4f(); }", kRgba8Unorm,
       "'fs' has an output at location 8, which exceeds the limit: maxColorAttachments is 8"},
  };
  RenderFixture f;
  for (const Case& c : cases) {
    RenderPipelineDescriptor d = f.Describe(Fragment(c.output));
    d.fragment->targets[0]->format = c.format;
    const std::string message = *c.message == 0 ? "" : std::string("render pipeline 'p': ") + c.message;
    EXPECT_EQ(f.Try(d), message) << EnumName(c.format);
  }
  RenderFixture tier1({"texture-formats-tier1"});
  RenderPipelineDescriptor d = tier1.Describe();
  d.fragment->targets[0]->format = kRg11b10Ufloat;
  EXPECT_EQ(tier1.Try(d), "") << "implied: rg11b10ufloat-renderable";
}

TEST(ColorTargets, BlendWhatCanBeBlended) {
  using enum BlendFactor;
  RenderFixture f;
  const auto attempt = [&](TextureFormat format, const abi::BlendComponent& color,
                           const abi::BlendComponent& alpha = {}, const char* output = "vec4f") {
    RenderPipelineDescriptor d =
        f.Describe(Fragment(fmt::format("@location(0) {} {{ return {}(); }}", output, output)));
    d.fragment->targets[0]->format = format;
    d.fragment->targets[0]->state.blend = abi::BlendState{color, alpha};
    return f.Try(d);
  };
  EXPECT_EQ(attempt(TextureFormat::kRgba8Unorm, {BlendOperation::kAdd, kSrcAlpha, kOneMinusSrcAlpha}), "");
  EXPECT_EQ(attempt(TextureFormat::kRgba32Float, {}),
            "render pipeline 'p': color target 0 blends, and its format rgba32float does not allow that");
  EXPECT_EQ(attempt(TextureFormat::kRgba8Unorm, {BlendOperation::kMin, kOne, kZero}),
            "render pipeline 'p': color target 0 blends color by min with the factor zero: it must be one");
  EXPECT_EQ(attempt(TextureFormat::kRgba8Unorm, {}, {BlendOperation::kMax, kOne, kOne}), "");
  EXPECT_EQ(attempt(TextureFormat::kRgba8Unorm, {}, {BlendOperation::kAdd, kSrc1, kOne}),
            "render pipeline 'p': color target 0 blends alpha with src1, which needs the feature "
            "dual-source-blending");
  EXPECT_EQ(attempt(TextureFormat::kRg8Unorm, {BlendOperation::kAdd, kOne, kOneMinusSrcAlpha}, {}, "vec2f"),
            "render pipeline 'p': color target 0 blends color with one-minus-src-alpha, and 'fs' gives it "
            "vec2<f32>, which has no alpha");
}

TEST(ColorTargets, MayDoMoreWithFeatures) {
  const std::vector<std::string> features = {"dual-source-blending", "float32-blendable"};
  RenderFixture f;
  f.fake->info().features.insert(f.fake->info().features.end(), features.begin(), features.end());
  f.MakeDevice([](hal::Limits&) {}, {}, features);
  RenderPipelineDescriptor d = f.Describe();
  d.fragment->targets[0]->format = TextureFormat::kRgba32Float;
  d.fragment->targets[0]->state.blend.emplace();
  EXPECT_EQ(f.Try(d), "");
  d = f.Describe();
  d.fragment->targets[0]->state.blend.emplace().color.dst_factor = BlendFactor::kOneMinusSrc1;
  EXPECT_EQ(f.Try(d),
            "render pipeline 'p': color target 0 blends with a second source, and 'fs' has outputs without "
            "@blend_src");
  d = f.Describe(
      "enable dual_source_blending;"
      "struct O { @location(0) @blend_src(0) a: vec4f, @location(0) @blend_src(1) b: vec4f }" +
      Fragment("O { return O(); }"));
  d.fragment->targets[0]->state.blend.emplace().color.dst_factor = BlendFactor::kOneMinusSrc1;
  EXPECT_EQ(f.Try(d), "");
  d.fragment->targets.emplace_back(ColorTarget{TextureFormat::kRgba8Unorm, {{}, 0}});
  EXPECT_EQ(f.Try(d),
            "render pipeline 'p': a color target blends with a second source: it must be the only one of 2");
}

TEST(ColorTargets, AreWithinLimits) {
  RenderFixture f;
  RenderPipelineDescriptor d = f.Describe();
  d.fragment->targets.resize(9);
  EXPECT_EQ(f.Try(d),
            "render pipeline 'p': it has 9 color targets, which exceeds the limit maxColorAttachments of 8");
  d = f.Describe();
  d.fragment->targets[0]->state.write_mask = 16;
  EXPECT_EQ(f.Try(d), "render pipeline 'p': color target 0 has the writeMask 16: it must be less than 16");
  // 1 byte, then 16 at a multiple of 4, and 16.
  d.fragment->targets = {ColorTarget{TextureFormat::kR8Unorm}, ColorTarget{TextureFormat::kRgba32Float},
                         ColorTarget{TextureFormat::kRgba32Float}};
  for (auto& target : d.fragment->targets) target->state.write_mask = 0;
  EXPECT_EQ(f.Try(d),
            "render pipeline 'p': its color attachments take 36 bytes a sample, which exceeds the limit "
            "maxColorAttachmentBytesPerSample of 32");
}

// --- between the stages ---

std::string Stages(const std::string& outputs, const std::string& inputs) {
  return "struct V { @builtin(position) p: vec4f, " + outputs + " } @vertex fn vs() -> V { return V(); }" +
         "@fragment fn fs(" + inputs + ") -> @location(0) vec4f { return vec4f(); }";
}

TEST(StageInterfaces, InputsAreOutputs) {
  struct Case {
    const char *outputs, *inputs, *message;
  };
  const Case cases[] = {
      {"@location(3) a: vec2f", "@location(3) b: vec2f", ""},
      {"@location(3) a: vec2f, @location(4) c: f32", "@location(3) b: vec2f", ""},
      {"@location(3) a: vec2f", "@location(2) b: vec2f",
       "input 'b' (location 2) of 'fs' is no output of 'vs'"},
      {"@location(3) a: vec3f", "@location(3) b: vec2f",
       "input 'b' (location 3) of 'fs' is vec2<f32>, and 'vs' gives vec3<f32>"},
      {"@location(3) @interpolate(linear) a: f32", "@location(3) b: f32",
       "input 'b' (location 3) of 'fs' is @interpolate(perspective, center), and in 'vs' "
       "@interpolate(linear, center)"},
      {"@location(3) a: f32", "@location(3) @interpolate(perspective, center) b: f32", ""},
      {"@location(3) @interpolate(flat) a: u32", "@location(3) @interpolate(flat, either) b: u32",
       "input 'b' (location 3) of 'fs' is @interpolate(flat, either), and in 'vs' @interpolate(flat, first)"},
      {"@location(16) a: f32", "",
       "'vs' has an output at location 16, which exceeds the limit: maxInterStageShaderVariables is 16"},
  };
  RenderFixture f;
  for (const Case& c : cases) {
    const std::string message = *c.message == 0 ? "" : std::string("render pipeline 'p': ") + c.message;
    EXPECT_EQ(f.Try(f.Describe(Stages(c.outputs, c.inputs))), message) << c.outputs << " " << c.inputs;
  }
}

TEST(StageInterfaces, PointsAndBuiltinsTakeFromTheLimit) {
  RenderFixture f;
  std::string outputs, inputs;
  for (int i = 0; i < 16; ++i) {
    outputs += fmt::format("@location({0}) o{0}: vec4f, ", i);
    inputs += fmt::format("@location({0}) i{0}: vec4f, ", i);
  }
  EXPECT_EQ(f.Try(f.Describe(Stages(outputs, inputs))), "");
  RenderPipelineDescriptor d = f.Describe(Stages(outputs, ""));
  d.primitive.topology = PrimitiveTopology::kPointList;
  EXPECT_EQ(f.Try(d),
            "render pipeline 'p': 'vs' has 16 outputs, which exceeds the limit maxInterStageShaderVariables "
            "of 16, of which points and clip distances take 1");
  EXPECT_EQ(f.Try(f.Describe(Stages(outputs, inputs + "@builtin(front_facing) front: bool"))),
            "render pipeline 'p': 'fs' has 17 inputs (with front_facing), which exceeds the limit "
            "maxInterStageShaderVariables of 16");
}

// --- the other states ---

TEST(RenderPipelines, StripsAloneHaveAnIndexFormat) {
  RenderFixture f;
  RenderPipelineDescriptor d = f.Describe();
  d.primitive.strip_index_format = IndexFormat::kUint16;
  EXPECT_EQ(f.Try(d),
            "render pipeline 'p': stripIndexFormat is set, and the topology is triangle-list: only strips "
            "have one");
  d = f.Describe();
  d.primitive.unclipped_depth = true;
  EXPECT_EQ(f.Try(d),
            "render pipeline 'p': unclippedDepth is set, and the device has no feature 'depth-clip-control'");
  f.fake->info().features.emplace_back("depth-clip-control");
  f.MakeDevice([](hal::Limits&) {}, {}, {"depth-clip-control"});
  d = f.Describe();
  d.primitive.unclipped_depth = true;
  EXPECT_EQ(f.Try(d), "");
}

TEST(RenderPipelines, CoverageNeedsSamplesAndAlpha) {
  RenderFixture f;
  RenderPipelineDescriptor d = f.Describe();
  d.multisample.alpha_to_coverage_enabled = true;
  EXPECT_EQ(f.Try(d), "render pipeline 'p': alphaToCoverageEnabled is set, and it has 1 sample");
  d.multisample.count = 4;
  EXPECT_EQ(f.Try(d), "");
  d.fragment->targets[0]->format = TextureFormat::kRg8Unorm;
  EXPECT_EQ(
      f.Try(d),
      "render pipeline 'p': alphaToCoverageEnabled is set, and color target 0 is rg8unorm, which has no "
      "alpha");
  d.fragment->targets = {std::nullopt};
  EXPECT_EQ(f.Try(d), "render pipeline 'p': alphaToCoverageEnabled is set, and there is no color target 0");
  const std::string mask =
      "struct O { @location(0) c: vec4f, @builtin(sample_mask) m: u32 }" + Fragment("O { return O(); }");
  d = f.Describe(mask);
  EXPECT_EQ(f.Try(d), "");
  d.multisample.count = 4;
  d.multisample.alpha_to_coverage_enabled = true;
  EXPECT_EQ(f.Try(d),
            "render pipeline 'p': alphaToCoverageEnabled is set, and 'fs' has the output sample_mask");
}

TEST(RenderPipelines, DepthAndStencilFitTheFormat) {
  RenderFixture f;
  const auto attempt = [&](const auto& spoil) {
    RenderPipelineDescriptor d = f.Describe();
    d.depth_stencil.emplace();
    d.depth_stencil->depth_write_enabled = false;
    spoil(d);
    return f.Try(d);
  };
  EXPECT_EQ(attempt([](auto&) {}), "");
  EXPECT_EQ(attempt([](auto& d) { d.depth_stencil->format = TextureFormat::kR8Unorm; }),
            "render pipeline 'p': its depth-stencil format is r8unorm, which has neither depth nor stencil");
  EXPECT_EQ(attempt([](auto& d) { d.depth_stencil->depth_write_enabled.reset(); }),
            "render pipeline 'p': depthWriteEnabled is not given, which the format depth24plus needs");
  EXPECT_EQ(attempt([](auto& d) { d.depth_stencil->depth_write_enabled = true; }),
            "render pipeline 'p': depthCompare is not given, which depthWriteEnabled and depthFailOp need");
  EXPECT_EQ(attempt([](auto& d) { d.depth_stencil->stencil_front.pass_op = StencilOperation::kInvert; }),
            "render pipeline 'p': stencilFront or stencilBack is set, and the format depth24plus has no "
            "stencil");
  EXPECT_EQ(attempt([](auto& d) {
              d.depth_stencil->format = TextureFormat::kStencil8;
              d.depth_stencil->depth_compare = CompareFunction::kLess;
            }),
            "render pipeline 'p': depthCompare is less, and the format stencil8 has no depth");
  EXPECT_EQ(attempt([](auto& d) {
              d.depth_stencil->depth_bias = 1;
              d.primitive.topology = PrimitiveTopology::kLineList;
            }),
            "render pipeline 'p': its depth is biased, and the topology is line-list: only triangles have "
            "that");
  const std::string depth =
      "struct O { @location(0) c: vec4f, @builtin(frag_depth) d: f32 }" + Fragment("O { return O(); }");
  EXPECT_EQ(f.Try(f.Describe(depth)),
            "render pipeline 'p': 'fs' has the output frag_depth, and there is no depth to write to");
}

TEST(RenderPipelines, CulledFacesWriteNoStencil) {
  RenderFixture f;
  RenderPipelineDescriptor d = f.Describe();
  d.depth_stencil.emplace();
  d.depth_stencil->format = TextureFormat::kStencil8;
  d.depth_stencil->stencil_back.fail_op = StencilOperation::kZero;
  EXPECT_TRUE(f.Make(d)->writes_stencil()) << f.TakeError();
  d.primitive.cull_mode = CullMode::kBack;
  EXPECT_FALSE(f.Make(d)->writes_stencil());
  d.primitive.cull_mode = CullMode::kFront;
  EXPECT_TRUE(f.Make(d)->writes_stencil());
  d.depth_stencil->stencil_write_mask = 0;
  EXPECT_FALSE(f.Make(d)->writes_stencil());
}

}  // namespace
}  // namespace lockstep::gpu::core
