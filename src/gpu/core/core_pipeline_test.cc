// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Pipeline creation, encoders, passes and submits.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu/core/core_test_util.h"

namespace lockstep::gpu::core {
namespace {

using ::testing::HasSubstr;
using namespace buffer_usage;  // NOLINT: flags, as short as WebGPU's

constexpr const char* kAdd = R"(
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(2) var<storage, read_write> b: array<u32, 4>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) { b[id.x] += a[id.x]; }
)";

std::string Compute(const std::string& globals, const std::string& size, const std::string& body) {
  return globals + "\n@compute @workgroup_size(" + size + ") fn main() {" + body + "}";
}

struct BadPipeline {
  std::string code;
  const char* message;
};

TEST(Pipelines, LimitsComeWithBothNumbers) {
  const BadPipeline cases[] = {
      {Compute("var<workgroup> t: array<u32, 8192>;", "1", "t[0] = 1;"),
       "workgroup memory of 32768 bytes exceeds the limit of 16384"},
      {Compute("var<workgroup> t: array<u32, 4096>; var<workgroup> u: u32;", "1", "t[0] = u;"),
       "workgroup memory of 16400 bytes exceeds the limit of 16384"},
      {Compute("override n = 4097; var<workgroup> t: array<u32, n>;", "1", "t[0] = 1;"),
       "workgroup memory of 16400 bytes exceeds the limit of 16384"},
      {Compute("", "257", ""), "workgroup size 257 in x exceeds the limit of 256"},
      {Compute("", "1, 1, 65", ""), "workgroup size 65 in z exceeds the limit of 64"},
      {Compute("", "16, 17", ""),
       "workgroup size 16 x 17 x 1 makes 272 invocations, which exceeds the limit of 256"},
      {Compute("override n: u32; ", "n", ""), "n"},
      {Compute("@group(4) @binding(0) var<uniform> x: u32;", "1", "_ = x;"),
       "group 4 of 'x' exceeds the limit: maxBindGroups is 4, so groups are 0 to 3"},
      {Compute("@group(0) @binding(1000) var<uniform> x: u32;", "1", "_ = x;"),
       "maxBindingsPerBindGroup is 1000"}};
  for (const BadPipeline& c : cases) {
    Fixture f;
    const auto pipeline = f.MakePipeline(c.code);
    EXPECT_FALSE(pipeline->valid()) << c.code;
    EXPECT_TRUE(pipeline->messages().has_errors()) << c.code;
    EXPECT_THAT(f.TakeError(), HasSubstr(c.message));
  }
}

TEST(Pipelines, AtTheLimitIsFine) {
  Fixture f;
  EXPECT_TRUE(f.MakePipeline(Compute("var<workgroup> t: array<u32, 4096>;", "16, 16", "t[0] = 1;"))->valid())
      << f.TakeError();
  const auto unused = f.MakePipeline(Compute("var<workgroup> t: array<u32, 8192>;", "1", ""));
  EXPECT_TRUE(unused->valid()) << "memory that no one uses does not count";
}

TEST(Pipelines, OverridesByNameAndById) {
  Fixture f;
  const std::string code = Compute("override n: u32 = 1; @id(7) override m: u32 = 1;", "n, m", "");
  const auto pipeline = f.MakePipeline(code, {{"n", 8}, {"7", 4}});
  ASSERT_TRUE(pipeline->valid()) << f.TakeError();
  EXPECT_EQ(pipeline->stage().workgroup_size, (std::array<uint32_t, 3>{8, 4, 1}));
  f.MakePipeline(code, {{"k", 1}});
  EXPECT_THAT(f.TakeError(), HasSubstr("no override is named 'k'"));
  f.MakePipeline(code, {{"m", 1}});
  EXPECT_THAT(f.TakeError(), HasSubstr("override 'm' is set by its @id 7, not by its name"));
  f.MakePipeline(code, {{"n", 1000}});
  EXPECT_THAT(f.TakeError(), HasSubstr("exceeds the limit of 256"));
}

TEST(Pipelines, TheEntryPointMustBeClear) {
  Fixture f;
  const std::string two = "@compute @workgroup_size(1) fn a() {} @compute @workgroup_size(1) fn b() {}";
  f.MakePipeline(two);
  EXPECT_THAT(f.TakeError(), HasSubstr("several compute entry points ('a', 'b')"));
  f.MakePipeline("fn a() {}");
  EXPECT_THAT(f.TakeError(), HasSubstr("no compute entry point"));
  f.MakePipeline("fn a( {}");
  EXPECT_EQ(f.TakeError(),
            "compute pipeline 'test': shader module 'test.wgsl' is invalid, since it does not compile");
}

TEST(Pipelines, DefaultLayoutsHoldWhatIsUsed) {
  Fixture f;
  const auto pipeline = f.MakePipeline(kAdd);
  ASSERT_TRUE(pipeline->valid()) << f.TakeError();
  const auto layout = pipeline->GetBindGroupLayout(0);
  ASSERT_EQ(layout->entries().size(), 2u);
  EXPECT_EQ(layout->entries()[1].binding, 2u);
  const BufferBindingLayout& first = *layout->entries()[0].buffer;
  const BufferBindingLayout& second = *layout->entries()[1].buffer;
  EXPECT_EQ(first.type, BufferBindingType::kReadOnlyStorage);
  EXPECT_EQ(first.min_binding_size, 4u);
  EXPECT_EQ(second.type, BufferBindingType::kStorage);
  EXPECT_EQ(second.min_binding_size, 16u);
  pipeline->GetBindGroupLayout(4);
  EXPECT_THAT(f.TakeError(), HasSubstr("maxBindGroups of 4"));
  // Layouts of two pipelines are never equivalent, even where they look the same.
  EXPECT_FALSE(f.MakePipeline(kAdd)->GetBindGroupLayout(0)->GroupEquivalent(*layout));
}

TEST(Pipelines, ExplicitLayoutsMustFitTheShader) {
  const auto create = [](std::vector<BindGroupLayoutEntry> entries) {
    Fixture f;
    ComputePipelineDescriptor descriptor;
    descriptor.label = "p";
    descriptor.compute.module = f.device->CreateShaderModule({"m", "", kAdd});
    descriptor.layout =
        f.device->CreatePipelineLayout({"l", {f.device->CreateBindGroupLayout({"g", std::move(entries)})}});
    f.device->CreateComputePipeline(descriptor);
    return f.TakeError();
  };
  const auto slot = [](uint32_t binding, BufferBindingType type, uint64_t min = 0,
                       uint32_t visible = shader_stage::kCompute) {
    return BindGroupLayoutEntry{binding, visible, BufferBindingLayout{type, false, min}};
  };
  const auto good = slot(0, BufferBindingType::kReadOnlyStorage);
  EXPECT_EQ(create({good, slot(2, BufferBindingType::kStorage)}), "");
  EXPECT_THAT(create({good}), HasSubstr("'b' (group 0, binding 2) is not in pipeline layout 'l'"));
  EXPECT_THAT(create({good, slot(2, BufferBindingType::kReadOnlyStorage)}),
              HasSubstr("'b' (group 0, binding 2) is a storage buffer in the shader and read-only-storage"));
  EXPECT_THAT(create({good, slot(2, BufferBindingType::kStorage, 12)}),
              HasSubstr("is 16 bytes long in the shader and promised 12 by pipeline layout 'l'"));
  EXPECT_THAT(create({good, slot(2, BufferBindingType::kStorage, 0, shader_stage::kFragment)}),
              HasSubstr("is not visible to compute shaders"));
}

TEST(Pipelines, GroupsWithoutEntriesNeedNoBindGroup) {
  Fixture f;
  const auto pipeline = f.MakePipeline(
      "@group(2) @binding(0) var<storage, read_write> b: u32; @compute @workgroup_size(1) fn main() { b = 1; "
      "}");
  ASSERT_TRUE(pipeline->valid()) << f.TakeError();
  EXPECT_TRUE(pipeline->GetBindGroupLayout(0)->entries().empty());
  const auto encoder = f.device->CreateCommandEncoder();
  const auto pass = encoder->BeginComputePass();
  pass->SetPipeline(pipeline);
  pass->SetBindGroup(
      2, f.device->CreateBindGroup({"g",
                                    pipeline->GetBindGroupLayout(2),
                                    {{0, BufferBinding{f.MakeBuffer("b", 4, kStorage), 0, {}}}}}));
  pass->DispatchWorkgroups(1);
  pass->End();
  encoder->Finish();
  EXPECT_EQ(f.TakeError(), "");
  f.device->CreatePipelineLayout({"l", {pipeline->GetBindGroupLayout(2)}});
  EXPECT_THAT(f.TakeError(), HasSubstr("belongs to a pipeline's default layout"));
}

// A pass over kAdd, with pieces to leave out or replace.
struct PassFixture : Fixture {
  PassFixture() {
    pipeline = MakePipeline(kAdd);
    a = MakeBuffer("a", 64, kStorage | kCopySrc);
    b = MakeBuffer("b", 64, kStorage | kCopyDst | kIndirect);
    encoder = device->CreateCommandEncoder("e");
  }
  std::shared_ptr<BindGroup> Group(const BufferBinding& first, const BufferBinding& second) {
    return device->CreateBindGroup({"g", pipeline->GetBindGroupLayout(0), {{0, first}, {2, second}}});
  }
  std::string Finish() {
    commands = encoder->Finish("c");
    return TakeError();
  }
  std::shared_ptr<ComputePipeline> pipeline;
  std::shared_ptr<Buffer> a, b;
  std::shared_ptr<CommandEncoder> encoder;
  std::shared_ptr<CommandBuffer> commands;
};

TEST(Passes, ADispatchReachesTheDevice) {
  PassFixture f;
  const auto pass = f.encoder->BeginComputePass();
  pass->SetPipeline(f.pipeline);
  pass->SetBindGroup(0, f.Group({f.a, 0, 32}, {f.b, 0, {}}));
  pass->DispatchWorkgroups(3, 2);
  pass->End();
  ASSERT_EQ(f.Finish(), "");
  const std::shared_ptr<CommandBuffer> list[] = {f.commands};
  ASSERT_TRUE(f.device->queue()->Submit(list)->Wait().ran) << f.TakeError();
  ASSERT_EQ(f.fake->executed.size(), 1u);
  const auto& dispatch = std::get<hal::Dispatch>(f.fake->executed[0]);
  EXPECT_EQ(dispatch.workgroups, (std::array<uint32_t, 3>{3, 2, 1}));
  ASSERT_EQ(dispatch.buffers.size(), 2u);
  EXPECT_EQ(dispatch.buffers[0].size, 32u);
  EXPECT_EQ(dispatch.buffers[1].size, 64u);
  EXPECT_FALSE(f.device->queue()->Submit(list)->Wait().ran) << "a command buffer is spent";
  EXPECT_EQ(f.TakeError(),
            "entry 0 of submit: command buffer 'c' is invalid, since it was submitted already");
}

TEST(Passes, DispatchesAreValidated) {
  const auto dispatch = [](auto set_up) {
    PassFixture f;
    const auto pass = f.encoder->BeginComputePass({"p", {}});
    set_up(f, *pass);
    pass->End();
    return f.Finish();
  };
  EXPECT_EQ(dispatch([](PassFixture&, ComputePass& p) { p.DispatchWorkgroups(1); }),
            "dispatchWorkgroups in compute pass 'p': no pipeline is set");
  EXPECT_THAT(dispatch([](PassFixture& f, ComputePass& p) {
                p.SetPipeline(f.pipeline);
                p.DispatchWorkgroups(1);
              }),
              HasSubstr("compute pipeline 'test' needs bind group 0, which is not set"));
  EXPECT_THAT(dispatch([](PassFixture& f, ComputePass& p) {
                p.SetPipeline(f.pipeline);
                p.SetBindGroup(0, f.Group({f.a, 0, {}}, {f.b, 0, {}}));
                p.DispatchWorkgroups(1, 65536);
              }),
              HasSubstr("65536 workgroups in y exceed the limit of 65535"));
  EXPECT_THAT(dispatch([](PassFixture& f, ComputePass& p) {
                p.SetPipeline(f.pipeline);
                p.SetBindGroup(0, f.Group({f.b, 0, 16}, {f.b, 0, {}}));
                p.DispatchWorkgroups(1);
              }),
              HasSubstr("buffer 'b' is writable as binding 2 of group 0 and read as binding 0 of group 0"));
  EXPECT_THAT(dispatch([](PassFixture& f, ComputePass& p) {
                p.SetPipeline(f.pipeline);
                p.SetBindGroup(0, f.Group({f.a, 0, {}}, {f.b, 0, {}}));
                p.DispatchWorkgroupsIndirect(f.b, 0);
              }),
              HasSubstr("buffer 'b' is both writable (binding 2) and the indirect arguments"));
  EXPECT_THAT(dispatch([](PassFixture& f, ComputePass& p) { p.DispatchWorkgroupsIndirect(f.a, 0); }),
              HasSubstr("buffer 'a' lacks the usage INDIRECT"));
  EXPECT_THAT(dispatch([](PassFixture& f, ComputePass& p) { p.DispatchWorkgroupsIndirect(f.b, 56); }),
              HasSubstr("12 bytes at 56 do not fit"));
  EXPECT_THAT(dispatch([](PassFixture& f, ComputePass& p) { p.DispatchWorkgroupsIndirect(f.b, 2); }),
              HasSubstr("not a multiple of 4"));
  EXPECT_THAT(dispatch([](PassFixture& f, ComputePass& p) {
                const auto other = f.MakePipeline(kAdd);
                p.SetPipeline(other);
                p.SetBindGroup(0, f.Group({f.a, 0, {}}, {f.b, 0, {}}));
                p.DispatchWorkgroups(1);
              }),
              HasSubstr("does not have the layout"));
  EXPECT_THAT(dispatch([](PassFixture&, ComputePass& p) { p.SetBindGroup(4, nullptr); }),
              HasSubstr("maxBindGroups of 4"));
  EXPECT_EQ(dispatch([](PassFixture& f, ComputePass& p) {
              p.SetPipeline(f.pipeline);
              p.SetBindGroup(0, f.Group({f.a, 0, {}}, {f.b, 0, {}}));
              p.DispatchWorkgroups(0, 65535, 65535);
            }),
            "");
}

TEST(Passes, TwoWritableBindingsMustNotOverlap) {
  Fixture f;
  const auto pipeline = f.MakePipeline(R"(
@group(0) @binding(0) var<storage, read_write> a: array<u32>;
@group(1) @binding(0) var<storage, read_write> b: array<u32>;
@compute @workgroup_size(1) fn main() { a[0] = b[0]; })");
  ASSERT_TRUE(pipeline->valid()) << f.TakeError();
  const auto buffer = f.MakeBuffer("both", 1024, kStorage);
  const auto run = [&](uint64_t offset) {
    const auto encoder = f.device->CreateCommandEncoder();
    const auto pass = encoder->BeginComputePass();
    pass->SetPipeline(pipeline);
    pass->SetBindGroup(0, f.device->CreateBindGroup(
                              {"x", pipeline->GetBindGroupLayout(0), {{0, BufferBinding{buffer, 0, 512}}}}));
    pass->SetBindGroup(
        1, f.device->CreateBindGroup(
               {"y", pipeline->GetBindGroupLayout(1), {{0, BufferBinding{buffer, offset, 256}}}}));
    pass->DispatchWorkgroups(1);
    pass->End();
    encoder->Finish();
    return f.TakeError();
  };
  EXPECT_THAT(run(256), HasSubstr("binding 0 of group 0 and binding 0 of group 1 overlap in buffer 'both'"));
  EXPECT_EQ(run(512), "");
}

// WebGPU: #abstract-opdef-encoder-bind-groups-alias-a-writable-resource looks at one stage at a time.
TEST(Passes, BindingsOfDifferentStagesMayOverlap) {
  Fixture f;
  const auto run = [&](uint32_t other_stage) {
    const BufferBindingLayout storage{BufferBindingType::kStorage, false, 0};
    const auto layout = f.device->CreateBindGroupLayout(
        {"l", {{0, shader_stage::kCompute, storage}, {1, other_stage, storage}}});
    ComputePipelineDescriptor descriptor;
    descriptor.compute.module =
        f.device->CreateShaderModule({"m", "", "@compute @workgroup_size(1) fn main() {}"});
    descriptor.layout = f.device->CreatePipelineLayout({"l", {layout}});
    const auto buffer = f.MakeBuffer("both", 1024, kStorage);
    const auto encoder = f.device->CreateCommandEncoder();
    const auto pass = encoder->BeginComputePass();
    pass->SetPipeline(f.device->CreateComputePipeline(descriptor));
    pass->SetBindGroup(
        0, f.device->CreateBindGroup(
               {"x", layout, {{0, BufferBinding{buffer, 0, 512}}, {1, BufferBinding{buffer, 256, 512}}}}));
    pass->DispatchWorkgroups(1);
    pass->End();
    encoder->Finish();
    return f.TakeError();
  };
  EXPECT_THAT(run(shader_stage::kCompute | shader_stage::kFragment), HasSubstr("overlap in buffer 'both'"));
  EXPECT_EQ(run(shader_stage::kFragment), "");
}

// A group that another pipeline has left behind is not used by a dispatch.
TEST(Passes, GroupsThatThePipelineDoesNotUseMayHoldWhatItWrites) {
  Fixture f;
  const auto writes = f.MakePipeline(
      "@group(0) @binding(0) var<storage, read_write> a: array<u32>;"
      "@compute @workgroup_size(1) fn main() { a[0] = 1; }");
  const auto reads = f.MakePipeline(
      "@group(1) @binding(0) var<storage> a: array<u32>;"
      "@compute @workgroup_size(1) fn main() { _ = a[0]; }");
  const auto buffer = f.MakeBuffer("a", 256, kStorage | kIndirect);
  const auto group = [&](const std::shared_ptr<ComputePipeline>& pipeline, uint32_t index) {
    return f.device->CreateBindGroup(
        {"g", pipeline->GetBindGroupLayout(index), {{0, BufferBinding{buffer, 0, {}}}}});
  };
  const auto encoder = f.device->CreateCommandEncoder();
  const auto pass = encoder->BeginComputePass();
  pass->SetBindGroup(0, group(writes, 0));
  pass->SetBindGroup(1, group(reads, 1));
  pass->SetPipeline(writes);
  pass->DispatchWorkgroups(1);
  pass->SetPipeline(reads);
  pass->DispatchWorkgroupsIndirect(buffer, 0);
  pass->End();
  EXPECT_TRUE(encoder->Finish()->valid()) << f.TakeError();
}

TEST(Passes, ImmediatesMustFit) {
  const std::vector<std::byte> data(64);
  const auto set = [&](uint32_t offset, size_t size) {
    Fixture f;
    const auto encoder = f.device->CreateCommandEncoder();
    const auto pass = encoder->BeginComputePass({"p", {}});
    pass->SetImmediates(offset, std::span(data).first(size));
    pass->End();
    encoder->Finish();
    return f.TakeError();
  };
  EXPECT_EQ(set(0, 64), "");
  EXPECT_EQ(set(64, 0), "");
  EXPECT_EQ(set(60, 8),
            "setImmediates in compute pass 'p': 8 bytes at 60 exceed the limit maxImmediateSize of 64");
  EXPECT_THAT(set(68, 0), HasSubstr("exceed the limit maxImmediateSize of 64"));
  EXPECT_EQ(set(2, 4), "setImmediates in compute pass 'p': 4 bytes at 2 are not at multiples of 4");
  EXPECT_THAT(set(4, 3), HasSubstr("not at multiples of 4"));
  Fixture f;
  f.device->CreatePipelineLayout({"l", {}, 64});
  EXPECT_EQ(f.TakeError(), "");
  f.device->CreatePipelineLayout({"l", {}, 68});
  EXPECT_THAT(f.TakeError(),
              HasSubstr("68 bytes of immediate data, which exceeds the limit maxImmediateSize of 64"));
  f.device->CreatePipelineLayout({"l", {}, 2});
  EXPECT_THAT(f.TakeError(), HasSubstr("2 bytes of immediate data, which is not a multiple of 4"));
}

// A bound runtime-sized array has one element at least, however it was bound: kernels rely on it.
TEST(Passes, EveryRuntimeArrayHasAnElement) {
  Fixture f;
  struct Case {
    const char* declarations;
    uint64_t minimum;
  };
  for (const Case& c :
       {Case{"var<storage, read_write> a: array<u32>;", 4},
        Case{"var<storage, read_write> a: array<vec3f>;", 16},
        Case{"var<storage, read_write> a: array<mat3x3f>;", 48},
        Case{"var<storage, read_write> a: S; struct S { n: u32, a: array<vec3f> }", 32},
        Case{"var<storage, read_write> a: S; struct S { n: u32, @align(64) a: array<u32> }", 128},
        Case{"var<storage, read_write> a: array<S>; struct S { @size(100) n: u32 }", 100}}) {
    SCOPED_TRACE(c.declarations);
    const std::string text = std::string("@group(0) @binding(0) ") + c.declarations +
                             "@compute @workgroup_size(1) fn main() { _ = &a; }";
    const auto pipeline = f.MakePipeline(text);
    ASSERT_TRUE(pipeline->valid()) << f.TakeError();
    const auto buffer = f.MakeBuffer("b", 4096, kStorage);
    const auto own = pipeline->GetBindGroupLayout(0);
    EXPECT_EQ(own->entries()[0].buffer->min_binding_size, c.minimum);
    f.device->CreateBindGroup({"x", own, {{0, BufferBinding{buffer, 0, c.minimum - 4}}}});
    EXPECT_NE(f.TakeError(), "");
    f.device->CreateBindGroup({"x", own, {{0, BufferBinding{buffer, 0, c.minimum}}}});
    EXPECT_EQ(f.TakeError(), "");
  }
}

// Where the layout promises no size the dispatch looks at what is bound, dynamic offsets included.
TEST(Passes, DynamicOffsetsLeaveAnElementAndStayInsideTheBuffer) {
  Fixture f;
  const auto run = [&](uint64_t min_size, std::optional<uint64_t> size, uint32_t offset) {
    const auto layout = f.device->CreateBindGroupLayout(
        {"g",
         {{0, shader_stage::kCompute, BufferBindingLayout{BufferBindingType::kStorage, true, min_size}}}});
    ComputePipelineDescriptor descriptor;
    descriptor.compute.module =
        f.device->CreateShaderModule({"m", "",
                                      "@group(0) @binding(0) var<storage, read_write> a: array<vec4f>;"
                                      "@compute @workgroup_size(1) fn main() { a[0] = vec4f(); }"});
    descriptor.layout = f.device->CreatePipelineLayout({"l", {layout}});
    const auto pipeline = f.device->CreateComputePipeline(descriptor);
    EXPECT_TRUE(pipeline->valid()) << f.TakeError();
    const auto buffer = f.MakeBuffer("b", 1032, kStorage);
    const auto group = f.device->CreateBindGroup({"x", layout, {{0, BufferBinding{buffer, 0, size}}}});
    const auto encoder = f.device->CreateCommandEncoder();
    const auto pass = encoder->BeginComputePass();
    pass->SetPipeline(pipeline);
    pass->SetBindGroup(0, group, std::vector<uint32_t>{offset});
    pass->DispatchWorkgroups(1);
    pass->End();
    const std::shared_ptr<CommandBuffer> list[] = {encoder->Finish()};
    const std::string error = f.TakeError();
    if (!error.empty()) return error;
    EXPECT_TRUE(f.device->queue()->Submit(list)->Wait().ran);
    const hal::BoundBuffer& bound = std::get<hal::Dispatch>(f.fake->executed.at(0)).buffers.at(0);
    EXPECT_LE(bound.offset + bound.size, bound.buffer->size());
    EXPECT_EQ(bound.size % 4, 0u);
    return std::to_string(bound.size);
  };
  EXPECT_EQ(run(16, 512, 256), "512");
  EXPECT_EQ(run(16, 512, 768), "264");
  EXPECT_EQ(run(0, 512, 768), "264");
  EXPECT_EQ(run(0, std::nullopt, 768), "264");
  EXPECT_EQ(run(0, std::nullopt, 0), "1032");
  EXPECT_THAT(run(0, std::nullopt, 1024), HasSubstr("'a' needs 16 bytes and is given 8 of buffer 'b'"));
  EXPECT_THAT(run(0, 512, 1024), HasSubstr("'a' needs 16 bytes and is given 8 of buffer 'b'"));
  EXPECT_THAT(run(16, 512, 1024), HasSubstr("the dynamic offset 1024 of binding 0 goes past the end"));
  EXPECT_THAT(run(0, 512, 1280), HasSubstr("the dynamic offset 1280 of binding 0 goes past the end"));
}

TEST(Passes, LinearIndicesMustFit32Bits) {
  Fixture f;
  const auto pipeline = f.MakePipeline(
      "@compute @workgroup_size(64) fn main(@builtin(global_invocation_index) i: u32) { _ = i; }");
  if (!pipeline->valid()) GTEST_SKIP() << f.TakeError();
  const auto run = [&](uint32_t x, uint32_t y) {
    const auto encoder = f.device->CreateCommandEncoder();
    const auto pass = encoder->BeginComputePass();
    pass->SetPipeline(pipeline);
    pass->DispatchWorkgroups(x, y);
    pass->End();
    encoder->Finish();
    return f.TakeError();
  };
  EXPECT_EQ(run(65535, 1000), "");
  EXPECT_THAT(run(65535, 65535), HasSubstr("global_invocation_index"));
}

TEST(Encoders, StateAndCopiesAreValidated) {
  const auto encode = [](auto commands) {
    PassFixture f;
    commands(f, *f.encoder);
    return f.Finish();
  };
  EXPECT_EQ(encode([](PassFixture& f, CommandEncoder& e) {
              e.CopyBufferToBuffer(f.a, 0, f.b, 4, 16);
              e.ClearBuffer(f.b);
            }),
            "");
  EXPECT_THAT(encode([](PassFixture& f, CommandEncoder& e) { e.CopyBufferToBuffer(f.b, 0, f.a, 0, 4); }),
              HasSubstr("buffer 'b' is copied from and lacks the usage COPY_SRC"));
  EXPECT_THAT(encode([](PassFixture& f, CommandEncoder& e) { e.CopyBufferToBuffer(f.a, 0, f.b, 0, 6); }),
              HasSubstr("not a multiple of 4"));
  EXPECT_THAT(encode([](PassFixture& f, CommandEncoder& e) { e.CopyBufferToBuffer(f.a, 0, f.b, 32, 36); }),
              HasSubstr("does not fit buffer 'b' of 64 bytes"));
  EXPECT_THAT(
      encode([](PassFixture& f, CommandEncoder& e) { e.CopyBufferToBuffer(f.a, UINT64_MAX - 3, f.b, 0, 8); }),
      HasSubstr("does not fit buffer 'a'"));
  EXPECT_THAT(encode([](PassFixture& f, CommandEncoder& e) { e.ClearBuffer(f.a); }),
              HasSubstr("buffer 'a' is cleared and lacks the usage COPY_DST"));
  EXPECT_THAT(encode([](PassFixture&, CommandEncoder& e) { e.BeginComputePass(); }),
              HasSubstr("a pass of command encoder 'e' is not ended"));
  EXPECT_THAT(encode([](PassFixture& f, CommandEncoder& e) {
                const auto pass = e.BeginComputePass();
                e.ClearBuffer(f.b);
                pass->End();
              }),
              HasSubstr("clearBuffer on command encoder 'e' while a pass of it is open"));
  PassFixture f;
  EXPECT_EQ(f.Finish(), "");
  f.encoder->ClearBuffer(f.b);
  EXPECT_THAT(f.TakeError(), HasSubstr("which is finished"));
  EXPECT_THAT(f.Finish(), HasSubstr("is finished already"));
}

TEST(Submits, BuffersMustBeAvailable) {
  PassFixture f;
  f.encoder->ClearBuffer(f.b);
  ASSERT_EQ(f.Finish(), "");
  f.b->Destroy();
  const std::shared_ptr<CommandBuffer> list[] = {f.commands};
  EXPECT_FALSE(f.device->queue()->Submit(list)->Wait().ran);
  EXPECT_THAT(f.TakeError(), HasSubstr("buffer 'b' is destroyed and used by a submit"));
}

TEST(Submits, AnInterruptedRunLosesNothingAndABrokenDeviceIsLost) {
  PassFixture f;
  ASSERT_EQ(f.Finish(), "");
  f.fake->failure = Failure{FailureKind::kInterrupted, "interrupted"};
  const std::shared_ptr<CommandBuffer> list[] = {f.commands};
  EXPECT_TRUE(f.device->queue()->Submit(list)->Wait().failure.has_value());
  EXPECT_FALSE(f.device->lost().has_value());
  f.fake->failure = Failure{FailureKind::kEnvironment, "gone"};
  const std::shared_ptr<CommandBuffer> next[] = {f.device->CreateCommandEncoder()->Finish()};
  EXPECT_TRUE(f.device->queue()->Submit(next)->Wait().failure.has_value());
  EXPECT_EQ(f.device->lost()->message, "gone");
}

}  // namespace
}  // namespace lockstep::gpu::core
