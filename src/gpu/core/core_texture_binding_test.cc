// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Samplers and textures in bind group layouts, bind groups and the usage scopes of compute passes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu/core/core_test_util.h"

namespace lockstep::gpu::core {
namespace {

using ::testing::HasSubstr;
using namespace texture_usage;  // NOLINT: flags, as short as WebGPU's
using Access = StorageTextureAccess;
using Format = TextureFormat;
using Sample = TextureSampleType;
using View = TextureViewDimension;

BindGroupLayoutEntry Entry(uint32_t binding, uint32_t visibility = shader_stage::kCompute) {
  BindGroupLayoutEntry entry;
  entry.binding = binding;
  entry.visibility = visibility;
  return entry;
}
BindGroupLayoutEntry SamplerEntry(SamplerBindingType type) {
  BindGroupLayoutEntry entry = Entry(0);
  entry.sampler = {type};
  return entry;
}
BindGroupLayoutEntry TextureEntry(const TextureBindingLayout& texture, uint32_t binding = 0) {
  BindGroupLayoutEntry entry = Entry(binding);
  entry.texture = texture;
  return entry;
}
BindGroupLayoutEntry StorageEntry(const StorageTextureBindingLayout& texture, uint32_t binding = 0) {
  BindGroupLayoutEntry entry = Entry(binding);
  entry.storage_texture = texture;
  return entry;
}
BindGroupLayoutEntry ExternalEntry(uint32_t binding = 0) {
  BindGroupLayoutEntry entry = Entry(binding);
  entry.external_texture.emplace();
  return entry;
}

struct BindingFixture : Fixture {
  using Fixture::Fixture;
  std::shared_ptr<BindGroupLayout> Layout(std::vector<BindGroupLayoutEntry> entries) {
    return device->CreateBindGroupLayout({"l", std::move(entries)});
  }
  // The error of a layout with the entry, without what names it.
  std::string LayoutError(const BindGroupLayoutEntry& entry) {
    const auto layout = Layout({entry});
    std::string error = TakeError();
    EXPECT_EQ(layout->valid(), error.empty());
    const std::string prefix = fmt::format("binding {} of bind group layout 'l' ", entry.binding);
    if (error.starts_with(prefix)) error.erase(0, prefix.size());
    return error;
  }
  std::string GroupError(const BindGroupLayoutEntry& entry, BindingResource resource) {
    const auto layout = Layout({entry});
    EXPECT_EQ(TakeError(), "");
    const auto group = device->CreateBindGroup({"g", layout, {{entry.binding, std::move(resource)}}});
    std::string error = TakeError();
    EXPECT_EQ(group->valid(), error.empty());
    const std::string prefix = fmt::format("binding {} of bind group 'g' ", entry.binding);
    if (error.starts_with(prefix)) error.erase(0, prefix.size());
    return error;
  }
  std::shared_ptr<Texture> MakeTexture(const std::function<void(TextureDescriptor&)>& change = {}) {
    TextureDescriptor d;
    d.label = "t";
    d.size = {8, 8, 1};
    d.usage = kTextureBinding | kStorageBinding;
    if (change) change(d);
    const auto texture = device->CreateTexture(d);
    EXPECT_EQ(TakeError(), "");
    return texture;
  }
  std::shared_ptr<Sampler> MakeSampler(const std::function<void(SamplerDescriptor&)>& change = {}) {
    SamplerDescriptor d;
    d.label = "s";
    if (change) change(d);
    return device->CreateSampler(d);
  }
};

TEST(BindGroupLayouts, EntriesAreOfOneKind) {
  BindingFixture f;
  EXPECT_EQ(f.LayoutError(Entry(0)),
            "must be one of buffer, sampler, texture, storageTexture and externalTexture, and is none");
  BindGroupLayoutEntry several = TextureEntry({}, 3);
  several.sampler.emplace();
  EXPECT_EQ(f.LayoutError(several),
            "must be one of buffer, sampler, texture, storageTexture and externalTexture, and is sampler, "
            "texture");
  BindGroupLayoutEntry visible = TextureEntry({});
  visible.visibility = 8;
  EXPECT_EQ(f.LayoutError(visible), "has visibility bits that WebGPU does not have");
}

TEST(BindGroupLayouts, TexturesAreValidated) {
  BindingFixture f;
  EXPECT_EQ(f.LayoutError(TextureEntry({Sample::kDepth, View::kCubeArray, false})), "");
  EXPECT_EQ(f.LayoutError(TextureEntry({Sample::kUnfilterableFloat, View::k2d, true})), "");
  EXPECT_EQ(f.LayoutError(TextureEntry({Sample::kUint, View::k2dArray, true})),
            "is multisampled and 2d-array: it must be 2d");
  EXPECT_EQ(f.LayoutError(TextureEntry({Sample::kFloat, View::k2d, true})),
            "is multisampled and of sample type float, which multisampled textures do not have");
  EXPECT_EQ(f.LayoutError(StorageEntry({Access::kReadWrite, Format::kR32Uint, View::k3d})), "");
  EXPECT_EQ(f.LayoutError(StorageEntry({Access::kReadWrite, Format::kRgba8Unorm, View::k2d})),
            "is a read-write storage texture of the format rgba8unorm, which does not allow that without the "
            "feature texture-formats-tier2");
  EXPECT_EQ(f.LayoutError(StorageEntry({Access::kReadOnly, Format::kRgba8UnormSrgb, View::k2d})),
            "is a read-only storage texture of the format rgba8unorm-srgb, which does not allow that");
  EXPECT_EQ(
      f.LayoutError(StorageEntry({Access::kReadOnly, Format::kR16Unorm, View::k2d})),
      "has a format that is not there: r16unorm needs the feature texture-formats-tier1, which the device "
      "does not have");
  EXPECT_EQ(f.LayoutError(StorageEntry({Access::kWriteOnly, Format::kRgba8Unorm, View::kCube})),
            "is a storage texture and cube, which it cannot be");
  BindGroupLayoutEntry vertex = StorageEntry({});
  vertex.visibility = shader_stage::kVertex;
  EXPECT_EQ(f.LayoutError(vertex), "is a writable storage texture and visible to vertex shaders");
  vertex.storage_texture->access = Access::kReadOnly;
  EXPECT_EQ(f.LayoutError(vertex), "");
  BindingFixture tier1({"texture-formats-tier1"});
  EXPECT_EQ(tier1.LayoutError(StorageEntry({Access::kReadOnly, Format::kR16Unorm, View::k2d})), "");
}

TEST(BindGroupLayouts, SlotsAreCountedByStage) {
  BindingFixture f;
  const auto error = [&](uint32_t count, auto make) {
    std::vector<BindGroupLayoutEntry> entries;
    for (uint32_t i = 0; i < count; ++i) entries.push_back(make(i));
    f.Layout(std::move(entries));
    return f.TakeError();
  };
  const auto sampler = [](uint32_t i) {
    BindGroupLayoutEntry entry = Entry(i, i % 2 == 0 ? shader_stage::kCompute : shader_stage::kFragment);
    entry.sampler.emplace();
    return entry;
  };
  EXPECT_EQ(error(32, sampler), "");
  EXPECT_EQ(error(33, sampler),
            "bind group layout 'l' uses 17 samplers in one stage, which exceeds the limit "
            "maxSamplersPerShaderStage of 16");
  EXPECT_EQ(error(17, [](uint32_t i) { return TextureEntry({}, i); }),
            "bind group layout 'l' uses 17 sampled textures in one stage, which exceeds the limit "
            "maxSampledTexturesPerShaderStage of 16");
  EXPECT_EQ(error(5, [](uint32_t i) { return StorageEntry({}, i); }),
            "bind group layout 'l' uses 5 storage textures in one stage, which exceeds the limit "
            "maxStorageTexturesPerShaderStage of 4");
  EXPECT_EQ(error(5,
                  [](uint32_t i) {
                    auto entry = StorageEntry({Access::kReadOnly, Format::kRgba8Unorm, View::k2d}, i);
                    entry.visibility = shader_stage::kVertex;
                    return entry;
                  }),
            "bind group layout 'l' uses 5 storage textures in the vertex stage, which exceeds the limit "
            "maxStorageTexturesInVertexStage of 4");
  EXPECT_EQ(error(4, [](uint32_t i) { return ExternalEntry(i); }), "");
  EXPECT_EQ(error(5, [](uint32_t i) { return ExternalEntry(i); }),
            "bind group layout 'l' uses 20 sampled textures in one stage, which exceeds the limit "
            "maxSampledTexturesPerShaderStage of 16");
}

TEST(BindGroups, ResourcesAreOfTheSlotsKind) {
  BindingFixture f;
  const auto buffer = f.MakeBuffer("b", 16, buffer_usage::kStorage);
  BindGroupLayoutEntry buffer_entry = Entry(0);
  buffer_entry.buffer = {BufferBindingType::kStorage};
  EXPECT_EQ(f.GroupError(buffer_entry, f.MakeSampler()), "is a buffer and is given a sampler");
  EXPECT_EQ(f.GroupError(buffer_entry, f.MakeTexture()), "is a buffer and is given a texture");
  EXPECT_EQ(f.GroupError(TextureEntry({}), BufferBinding{buffer, 0, {}}),
            "is a texture and is given a buffer");
  EXPECT_EQ(f.GroupError(SamplerEntry(SamplerBindingType::kFiltering), f.MakeTexture()->CreateView()),
            "is a sampler and is given a texture");
  EXPECT_EQ(f.GroupError(TextureEntry({}), std::shared_ptr<TextureView>()),
            "binding 0 of bind group 'g': no view is given");
  const auto invalid = f.device->CreateTexture({});
  f.TakeError();
  EXPECT_EQ(f.GroupError(TextureEntry({}), invalid),
            "binding 0 of bind group 'g': a texture without a label is invalid, since its creation failed");
  BindingFixture other;
  EXPECT_EQ(f.GroupError(SamplerEntry(SamplerBindingType::kFiltering), other.MakeSampler()),
            "binding 0 of bind group 'g': sampler 's' is of another device");
}

TEST(BindGroups, SamplersFitTheirSlots) {
  BindingFixture f;
  const auto plain = f.MakeSampler();
  const auto linear = f.MakeSampler([](auto& d) { d.min_filter = FilterMode::kLinear; });
  const auto compare = f.MakeSampler([](auto& d) { d.compare = CompareFunction::kLess; });
  const auto error = [&](SamplerBindingType type, const std::shared_ptr<Sampler>& sampler) {
    return f.GroupError(SamplerEntry(type), sampler);
  };
  EXPECT_EQ(error(SamplerBindingType::kFiltering, plain), "");
  EXPECT_EQ(error(SamplerBindingType::kFiltering, linear), "");
  EXPECT_EQ(error(SamplerBindingType::kNonFiltering, plain), "");
  EXPECT_EQ(error(SamplerBindingType::kComparison, compare), "");
  EXPECT_EQ(error(SamplerBindingType::kNonFiltering, linear),
            "is a non-filtering sampler, and sampler 's' filters");
  EXPECT_EQ(error(SamplerBindingType::kComparison, plain),
            "is a comparison sampler, and sampler 's' has no compare");
  EXPECT_EQ(error(SamplerBindingType::kFiltering, compare),
            "is a filtering sampler, and sampler 's' is a comparison sampler");
}

TEST(BindGroups, TexturesFitTheirSlots) {
  BindingFixture f;
  const auto texture = f.MakeTexture();
  EXPECT_EQ(f.GroupError(TextureEntry({}), texture), "");
  EXPECT_EQ(f.GroupError(TextureEntry({}), texture->CreateView()), "");
  EXPECT_EQ(f.GroupError(TextureEntry({Sample::kFloat, View::k2dArray, false}), texture),
            "is 2d-array, and texture 't' is 2d");
  EXPECT_EQ(f.GroupError(TextureEntry({Sample::kUnfilterableFloat, View::k2d, true}), texture),
            "is multisampled, and texture 't' is not");
  const auto samples = f.MakeTexture([](auto& d) {
    d.sample_count = 4;
    d.usage = kTextureBinding | kRenderAttachment;
  });
  EXPECT_EQ(f.GroupError(TextureEntry({}), samples), "is not multisampled, and texture 't' is multisampled");
  EXPECT_EQ(f.GroupError(TextureEntry({Sample::kUnfilterableFloat, View::k2d, true}), samples), "");
  TextureViewDescriptor d;
  d.label = "v";
  d.usage = kStorageBinding;
  EXPECT_EQ(f.GroupError(TextureEntry({}), texture->CreateView(d)),
            "needs the usage TEXTURE_BINDING, which view 'v' of texture 't' lacks (it has STORAGE_BINDING)");
}

TEST(BindGroups, SampleTypesFitFormats) {
  const auto error = [](Sample type, Format format, TextureAspect aspect = TextureAspect::kAll,
                        const std::vector<std::string>& features = {}) {
    BindingFixture f(features);
    TextureViewDescriptor d;
    d.aspect = aspect;
    const auto texture = f.MakeTexture([&](auto& t) {
      t.format = format;
      t.usage = kTextureBinding;
    });
    return f.GroupError(TextureEntry({type, View::k2d, false}), texture->CreateView(d));
  };
  EXPECT_EQ(error(Sample::kUnfilterableFloat, Format::kRgba8Unorm), "");
  EXPECT_EQ(error(Sample::kUint, Format::kR8Uint), "");
  EXPECT_EQ(error(Sample::kSint, Format::kR8Uint),
            "has sample type sint, which the format r8uint of texture 't' does not have");
  EXPECT_EQ(error(Sample::kFloat, Format::kR32Float),
            "has sample type float, which the format r32float of texture 't' does not have");
  EXPECT_EQ(error(Sample::kFloat, Format::kR32Float, TextureAspect::kAll, {"float32-filterable"}), "");
  EXPECT_EQ(error(Sample::kUnfilterableFloat, Format::kR32Float), "");
  EXPECT_EQ(error(Sample::kDepth, Format::kDepth16Unorm), "");
  EXPECT_EQ(error(Sample::kUnfilterableFloat, Format::kDepth24PlusStencil8, TextureAspect::kDepthOnly), "");
  EXPECT_EQ(error(Sample::kUint, Format::kDepth24PlusStencil8, TextureAspect::kStencilOnly), "");
  EXPECT_EQ(error(Sample::kFloat, Format::kDepth16Unorm),
            "has sample type float, which the format depth16unorm of texture 't' does not have");
  EXPECT_EQ(error(Sample::kDepth, Format::kDepth24PlusStencil8),
            "is given both aspects of texture 't': the view must choose one");
}

TEST(BindGroups, StorageTexturesFitTheirSlots) {
  BindingFixture f({"texture-component-swizzle"});
  const StorageTextureBindingLayout slot{Access::kWriteOnly, Format::kRgba8Unorm, View::k2d};
  EXPECT_EQ(f.GroupError(StorageEntry(slot), f.MakeTexture()), "");
  EXPECT_EQ(f.GroupError(StorageEntry(slot), f.MakeTexture([](auto& d) { d.format = Format::kRgba8Uint; })),
            "has the format rgba8unorm, and texture 't' has rgba8uint");
  EXPECT_EQ(f.GroupError(StorageEntry(slot), f.MakeTexture([](auto& d) { d.mip_level_count = 2; })),
            "is a storage texture, and texture 't' has 2 mip levels: it must have 1");
  EXPECT_EQ(f.GroupError(StorageEntry(slot), f.MakeTexture([](auto& d) { d.usage = kTextureBinding; })),
            "needs the usage STORAGE_BINDING, which texture 't' lacks (it has TEXTURE_BINDING)");
  EXPECT_EQ(
      f.GroupError(StorageEntry(slot), f.MakeTexture([](auto& d) { d.size.depth_or_array_layers = 2; })),
      "is 2d, and texture 't' is 2d-array");
  TextureViewDescriptor d;
  d.swizzle = "bgra";
  EXPECT_EQ(f.GroupError(StorageEntry(slot), f.MakeTexture()->CreateView(d)),
            "is a storage texture, and texture 't' has the swizzle bgra: it must be rgba");
}

TEST(BindGroups, TexturesStandForExternalOnes) {
  BindingFixture f;
  EXPECT_EQ(f.GroupError(ExternalEntry(), f.MakeTexture()), "");
  EXPECT_EQ(f.GroupError(ExternalEntry(), f.MakeTexture([](auto& d) { d.format = Format::kRgba8Uint; })),
            "is an external texture, and texture 't' has the format rgba8uint: it must be rgba8unorm, "
            "bgra8unorm or rgba16float");
  EXPECT_EQ(f.GroupError(ExternalEntry(), f.MakeTexture([](auto& d) { d.mip_level_count = 2; })),
            "is an external texture, and texture 't' has 2 mip levels and 1 samples: it must have 1 and 1");
  EXPECT_EQ(f.GroupError(ExternalEntry(), f.MakeTexture([](auto& d) { d.usage = kStorageBinding; })),
            "needs the usage TEXTURE_BINDING, which texture 't' lacks (it has STORAGE_BINDING)");
}

TEST(Pipelines, ATextureIsNoBuffer) {
  BindingFixture f;
  ComputePipelineDescriptor descriptor;
  descriptor.label = "p";
  descriptor.layout = f.device->CreatePipelineLayout({"pl", {f.Layout({TextureEntry({})})}});
  descriptor.compute.module =
      f.device->CreateShaderModule({"s", "",
                                    "@group(0) @binding(0) var<storage> a: array<u32>;\n"
                                    "@compute @workgroup_size(1) fn main() { _ = a[0]; }"});
  EXPECT_FALSE(f.device->CreateComputePipeline(descriptor)->valid());
  EXPECT_EQ(f.TakeError(),
            "'a' (group 0, binding 0) is a buffer in the shader and a texture in pipeline layout 'pl'");
}

// One resource of a shader against one entry of a layout; the error, empty where they fit.
std::string Against(BindingFixture& f, const std::string& type, const BindGroupLayoutEntry& entry) {
  ComputePipelineDescriptor descriptor;
  descriptor.label = "p";
  descriptor.layout = f.device->CreatePipelineLayout({"pl", {f.Layout({entry})}});
  EXPECT_EQ(f.TakeError(), "");
  const std::string code =
      "@group(0) @binding(0) var r: " + type + ";\n@compute @workgroup_size(1) fn main() { _ = r; }";
  descriptor.compute.module = f.device->CreateShaderModule({"s", "", code});
  const auto pipeline = f.device->CreateComputePipeline(descriptor);
  EXPECT_EQ(pipeline->valid(), !f.last_error);
  return f.TakeError();
}

TEST(Pipelines, TexturesAndSamplersFitTheirSlots) {
  BindingFixture f;
  const auto texture = [](TextureSampleType type, TextureViewDimension dimension, bool multisampled) {
    return TextureEntry({type, dimension, multisampled});
  };
  using enum TextureSampleType;
  using enum TextureViewDimension;
  EXPECT_EQ(Against(f, "texture_2d<f32>", texture(kFloat, k2d, false)), "");
  EXPECT_EQ(Against(f, "texture_2d<f32>", texture(kUnfilterableFloat, k2d, false)), "");
  EXPECT_EQ(Against(f, "texture_2d<f32>", texture(kDepth, k2d, false)), "");
  EXPECT_EQ(Against(f, "texture_depth_cube_array", texture(kDepth, kCubeArray, false)), "");
  EXPECT_EQ(Against(f, "texture_multisampled_2d<u32>", texture(kUint, k2d, true)), "");
  EXPECT_THAT(Against(f, "texture_2d<i32>", texture(kUint, k2d, false)),
              HasSubstr("a texture of sample type sint in the shader and uint in pipeline layout 'pl'"));
  EXPECT_THAT(Against(f, "texture_2d<f32>", texture(kFloat, k2dArray, false)),
              HasSubstr("2d in the shader and 2d-array in"));
  EXPECT_THAT(Against(f, "texture_2d<u32>", texture(kUint, k2d, true)),
              HasSubstr("not multisampled in the shader and multisampled in"));
  BindGroupLayoutEntry sampler;
  sampler.visibility = shader_stage::kCompute;
  sampler.sampler.emplace();
  EXPECT_EQ(Against(f, "sampler", sampler), "");
  EXPECT_THAT(Against(f, "sampler_comparison", sampler),
              HasSubstr("a comparison sampler in the shader and none in"));
  EXPECT_THAT(Against(f, "texture_3d<f32>", sampler), HasSubstr("a texture in the shader and a sampler in"));
}

TEST(Pipelines, StorageTexturesFitTheirSlots) {
  BindingFixture f;
  BindGroupLayoutEntry entry;
  entry.visibility = shader_stage::kCompute;
  entry.storage_texture = StorageTextureBindingLayout{StorageTextureAccess::kReadWrite,
                                                      TextureFormat::kR32Float, TextureViewDimension::k2d};
  EXPECT_EQ(Against(f, "texture_storage_2d<r32float, read_write>", entry), "");
  EXPECT_EQ(Against(f, "texture_storage_2d<r32float, write>", entry), "");
  EXPECT_THAT(Against(f, "texture_storage_2d<r32float, read>", entry),
              HasSubstr("read-only in the shader and read-write in"));
  EXPECT_THAT(Against(f, "texture_storage_2d<r32uint, write>", entry),
              HasSubstr("r32uint in the shader and r32float"));
  EXPECT_THAT(Against(f, "texture_storage_1d<r32float, write>", entry),
              HasSubstr("1d in the shader and 2d in"));
}

TEST(Pipelines, DefaultLayoutsHaveTexturesAndSamplers) {
  BindingFixture f;
  const auto pipeline = f.MakePipeline(
      "@group(0) @binding(0) var t: texture_depth_multisampled_2d;\n"
      "@group(0) @binding(1) var s: sampler_comparison;\n"
      "@group(0) @binding(2) var w: texture_storage_3d<rgba8unorm, write>;\n"
      "@compute @workgroup_size(1) fn main() { _ = t; _ = s; _ = w; }");
  ASSERT_EQ(f.TakeError(), "");
  const auto layout = pipeline->GetBindGroupLayout(0);
  EXPECT_EQ(layout->Find(0)->texture,
            (TextureBindingLayout{TextureSampleType::kDepth, TextureViewDimension::k2d, true}));
  EXPECT_EQ(layout->Find(1)->sampler, SamplerBindingLayout{SamplerBindingType::kComparison});
  EXPECT_EQ(layout->Find(2)->storage_texture,
            (StorageTextureBindingLayout{StorageTextureAccess::kWriteOnly, TextureFormat::kRgba8Unorm,
                                         TextureViewDimension::k3d}));
  f.MakePipeline(
      "@group(0) @binding(2) var w: texture_storage_3d<rgba8unorm, read_write>;\n"
      "@compute @workgroup_size(1) fn main() { _ = w; }");
  EXPECT_THAT(f.TakeError(),
              HasSubstr("read-write storage texture of the format rgba8unorm, which does not allow that"));
}

// Passes whose pipeline's layout is that of what is bound.
struct ScopeFixture : BindingFixture {
  ScopeFixture() {
    texture = MakeTexture([](auto& d) {
      d.size.depth_or_array_layers = 4;
      d.mip_level_count = 2;
    });
  }
  std::shared_ptr<TextureView> Layer(uint32_t level, uint32_t layer) {
    TextureViewDescriptor d;
    d.dimension = View::k2d;
    d.base_mip_level = level;
    d.mip_level_count = 1;
    d.base_array_layer = layer;
    return texture->CreateView(d);
  }
  // The error of a dispatch with entries and views as one bind group.
  std::string Dispatch(const std::vector<BindGroupLayoutEntry>& entries,
                       const std::vector<std::shared_ptr<TextureView>>& views) {
    const auto layout = Layout(entries);
    BindGroupDescriptor group{"g", layout, {}};
    for (size_t i = 0; i < views.size(); ++i) group.entries.push_back({entries[i].binding, views[i]});
    ComputePipelineDescriptor descriptor;
    descriptor.layout = device->CreatePipelineLayout({"", {layout}});
    descriptor.compute.module =
        device->CreateShaderModule({"s", "", "@compute @workgroup_size(1) fn main() {}"});
    const auto pipeline = device->CreateComputePipeline(descriptor);
    const auto encoder = device->CreateCommandEncoder();
    const auto pass = encoder->BeginComputePass();
    pass->SetPipeline(pipeline);
    pass->SetBindGroup(0, device->CreateBindGroup(group));
    pass->DispatchWorkgroups(1);
    pass->End();
    commands = encoder->Finish();
    pipeline->Wait();
    return TakeError();
  }
  std::shared_ptr<Texture> texture;
  std::shared_ptr<CommandBuffer> commands;
};

TEST(UsageScopes, SubresourcesAreReadOrWritten) {
  ScopeFixture f;
  const auto read = TextureEntry({}, 0);
  const auto read_storage = StorageEntry({Access::kReadOnly, Format::kRgba8Unorm, View::k2d}, 0);
  const auto write = StorageEntry({}, 1);
  EXPECT_EQ(f.Dispatch({read, write}, {f.Layer(0, 1), f.Layer(0, 2)}), "");
  EXPECT_EQ(f.Dispatch({read, write}, {f.Layer(0, 1), f.Layer(1, 1)}), "");
  EXPECT_EQ(f.Dispatch({read, write}, {f.Layer(0, 1), f.Layer(0, 1)}),
            "dispatchWorkgroups in a compute pass without a label: texture 't' is writable as binding 1 of "
            "group 0 and read as binding 0 of group 0");
  EXPECT_THAT(f.Dispatch({read_storage, write}, {f.Layer(0, 1), f.Layer(0, 1)}),
              HasSubstr("texture 't' is writable as binding 1 of group 0 and read"));
  EXPECT_EQ(f.Dispatch({read, TextureEntry({}, 1)}, {f.Layer(0, 1), f.Layer(0, 1)}), "");
}

TEST(UsageScopes, WritableTexturesDoNotOverlapWithinAStage) {
  ScopeFixture f;
  const auto first = StorageEntry({}, 0), second = StorageEntry({}, 1);
  EXPECT_EQ(f.Dispatch({first, second}, {f.Layer(0, 0), f.Layer(0, 1)}), "");
  EXPECT_EQ(f.Dispatch({first, second}, {f.Layer(0, 0), f.Layer(0, 0)}),
            "dispatchWorkgroups in a compute pass without a label: binding 0 of group 0 and binding 1 of "
            "group 0 overlap in texture 't' and are writable");
  auto elsewhere = second;
  elsewhere.visibility = shader_stage::kFragment;
  EXPECT_EQ(f.Dispatch({first, elsewhere}, {f.Layer(0, 0), f.Layer(0, 0)}), "");
}

TEST(Textures, ViewsReachTheShadersThatNameThem) {
  ScopeFixture f;
  const auto pipeline = f.MakePipeline(
      "@group(0) @binding(4) var first: texture_2d<f32>;\n"
      "@group(0) @binding(1) var<storage, read_write> out: array<u32>;\n"
      "@group(0) @binding(2) var second: texture_2d_array<f32>;\n"
      "fn width(t: texture_2d_array<f32>) -> u32 { return textureDimensions(t).x; }\n"
      "@compute @workgroup_size(1) fn main() {\n"
      "  out[0] = width(second) + u32(textureLoad(first, vec2(0, 0), 0).x);\n}");
  ASSERT_EQ(f.TakeError(), "");
  EXPECT_EQ(
      pipeline->GetBindGroupLayout(0)->Find(2)->texture,
      (TextureBindingLayout{TextureSampleType::kUnfilterableFloat, TextureViewDimension::k2dArray, false}));
  TextureViewDescriptor d;
  d.base_mip_level = 1;
  d.base_array_layer = 1;
  const auto out = f.MakeBuffer("out", 16, buffer_usage::kStorage);
  const auto group = f.device->CreateBindGroup(
      {"g",
       pipeline->GetBindGroupLayout(0),
       {{1, BufferBinding{out, 0, {}}}, {4, f.Layer(1, 2)}, {2, f.texture->CreateView(d)}}});
  const auto encoder = f.device->CreateCommandEncoder();
  const auto pass = encoder->BeginComputePass();
  pass->SetPipeline(pipeline);
  pass->SetBindGroup(0, group);
  pass->DispatchWorkgroups(1);
  pass->End();
  const std::shared_ptr<CommandBuffer> list[] = {encoder->Finish()};
  EXPECT_TRUE(f.device->queue()->Submit(list)->Wait().ran);
  EXPECT_EQ(f.TakeError(), "");
  const auto& dispatch = std::get<hal::Dispatch>(f.fake->executed.at(0));
  ASSERT_EQ(dispatch.textures.size(), 2u);
  const hal::BoundTexture &first = dispatch.textures[0], &second = dispatch.textures[1];
  EXPECT_EQ(first.texture, f.texture->memory().get());
  EXPECT_EQ(first.dimension, View::k2d);
  EXPECT_EQ(first.aspect, hal::Aspect::kColor);
  EXPECT_EQ(first.base_mip_level, 1u);
  EXPECT_EQ(first.mip_level_count, 1u);
  EXPECT_EQ(first.base_array_layer, 2u);
  EXPECT_EQ(first.array_layer_count, 1u);
  EXPECT_EQ(first.swizzle, abi::kNoSwizzle);
  EXPECT_EQ(second.dimension, View::k2dArray);
  EXPECT_EQ(second.base_array_layer, 1u);
  EXPECT_EQ(second.array_layer_count, 3u);
}

TEST(Textures, ViewsSayWhatShadersSee) {
  BindingFixture f({"texture-component-swizzle"});
  const auto both = f.MakeTexture([](auto& d) {
    d.format = Format::kDepth24PlusStencil8;
    d.usage = kTextureBinding;
  });
  TextureViewDescriptor d;
  d.aspect = TextureAspect::kStencilOnly;
  d.swizzle = "a10b";
  const auto stencil = both->CreateView(d);
  ASSERT_EQ(f.TakeError(), "");
  EXPECT_EQ(stencil->SeenAspect(), hal::Aspect::kStencil);
  using abi::Channel;
  EXPECT_EQ(stencil->Swizzle(),
            (abi::Swizzle{Channel::kAlpha, Channel::kOne, Channel::kZero, Channel::kBlue}));
  d.aspect = TextureAspect::kDepthOnly;
  EXPECT_EQ(both->CreateView(d)->SeenAspect(), hal::Aspect::kDepth);
}

TEST(UsageScopes, BoundTexturesMustNotBeDestroyedAtTheSubmit) {
  ScopeFixture f;
  ASSERT_EQ(f.Dispatch({TextureEntry({}, 0)}, {f.Layer(0, 0)}), "");
  f.texture->Destroy();
  const std::shared_ptr<CommandBuffer> list[] = {f.commands};
  EXPECT_FALSE(f.device->queue()->Submit(list)->Wait().ran);
  EXPECT_EQ(f.TakeError(), "texture 't' is destroyed and used by a submit");
}

}  // namespace
}  // namespace lockstep::gpu::core
