// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Builtins on textures, from WGSL to values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "lower/lower_test_util.h"
#include "support/fake_texture.h"

namespace lockstep::lower {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using tests::FakeTexture;

// What `body` writes to `out`, as lowered and after the passes, with those textures as declared.
Words Read(const std::string& textures, const std::vector<FakeTexture>& bound, const std::string& body,
           size_t words) {
  const tests::BuiltModule built =
      tests::BuildModule("@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n" + textures +
                         "\n@compute @workgroup_size(1) fn main() {\n" + body + "\n}\n");
  EXPECT_EQ(built.error, "");
  if (!built.error.empty()) return {};
  std::vector<const abi::TextureView*> views;
  for (const FakeTexture& texture : bound) views.push_back(&texture);
  interp::Options options;
  options.textures = views;
  std::map<tests::Slot, Words> lowered = {{{0, 0}, Words(words, 0)}}, processed = lowered;
  EXPECT_EQ(tests::RunModule(*built.lowered, &lowered, {1, 1, 1}, options), "");
  options.expect_robust = true;
  EXPECT_EQ(tests::RunModule(*built.processed, &processed, {1, 1, 1}, options), "");
  EXPECT_EQ((lowered[{0, 0}]), (processed[{0, 0}]));
  return lowered[{0, 0}];
}

TEST(Textures, NumbersOfAllKinds) {
  const auto texture = [](const std::string& type) { return "@group(0) @binding(1) var t: " + type + ";"; };
  const FakeTexture flat({20, 12, 1, 1, 4, 1}), deep({20, 12, 6, 1, 4, 1}), layers({20, 12, 1, 5, 3, 1});
  EXPECT_THAT(Read(texture("texture_1d<i32>"), {flat}, "out[0] = textureDimensions(t);", 1), ElementsAre(20));
  const std::string two = "let d = textureDimensions(t); out[0] = d.x; out[1] = d.y;";
  for (const char* type : {"texture_2d<f32>", "texture_cube<f32>", "texture_depth_2d", "texture_depth_cube",
                           "texture_multisampled_2d<u32>", "texture_depth_multisampled_2d",
                           "texture_external", "texture_storage_2d<rgba8unorm, write>"})
    EXPECT_THAT(Read(texture(type), {flat}, two, 2), ElementsAre(20, 12)) << type;
  EXPECT_THAT(Read(texture("texture_3d<f32>"), {deep},
                   "let d = textureDimensions(t); out[0] = d.x; out[1] = d.y; out[2] = d.z;", 3),
              ElementsAre(20, 12, 6));
  for (const char* type : {"texture_2d_array<f32>", "texture_cube_array<u32>", "texture_depth_2d_array",
                           "texture_depth_cube_array", "texture_storage_2d_array<r32uint, write>"})
    EXPECT_THAT(Read(texture(type), {layers}, two + "out[2] = textureNumLayers(t);", 3),
                ElementsAre(20, 12, 5))
        << type;
  EXPECT_THAT(Read(texture("texture_2d<f32>"), {flat}, "out[0] = textureNumLevels(t);", 1), ElementsAre(4));
  EXPECT_THAT(Read(texture("texture_multisampled_2d<f32>"), {FakeTexture({4, 4, 1, 1, 1, 4})},
                   "out[0] = textureNumSamples(t);", 1),
              ElementsAre(4));
}

// Halved as often as the level says, at least 1; a level that is not there is the last one.
TEST(Textures, DimensionsOfLevels) {
  const std::string body =
      "for (var l = -1; l < 6; l++) {\n"
      "  let d = textureDimensions(t, l); let i = u32(l + 1) * 3; out[i] = d.x; out[i + 1] = d.y; out[i + 2] "
      "= "
      "d.z;\n}";
  EXPECT_THAT(
      Read("@group(0) @binding(1) var t: texture_3d<f32>;", {FakeTexture({20, 4, 2, 1, 4, 1})}, body, 21),
      ElementsAre(2, 1, 1, 20, 4, 2, 10, 2, 1, 5, 1, 1, 2, 1, 1, 2, 1, 1, 2, 1, 1));
}

TEST(Textures, LoadsOfAllKinds) {
  const FakeTexture t({20, 12, 6, 1, 4, 1}), layers({20, 12, 1, 5, 3, 1}), samples({20, 12, 1, 1, 1, 4});
  const auto all = [](uint32_t x, uint32_t y, uint32_t z, uint32_t layer, uint32_t level) {
    const auto c = [&](uint32_t i) { return FakeTexture::TexelAt(x, y, z, layer, level, i); };
    return ElementsAre(c(0), c(1), c(2), c(3));
  };
  const auto four = [](const std::string& load) {
    return "let v = bitcast<vec4u>(" + load + "); for (var i = 0u; i < 4; i++) { out[i] = v[i]; }";
  };
  const auto texture = [](const std::string& type) { return "@group(0) @binding(1) var t: " + type + ";"; };
  EXPECT_THAT(Read(texture("texture_1d<f32>"), {t}, four("textureLoad(t, 3, 1u)"), 4), all(3, 0, 0, 0, 1));
  EXPECT_THAT(Read(texture("texture_2d<u32>"), {t}, four("textureLoad(t, vec2(3, 2), 1)"), 4),
              all(3, 2, 0, 0, 1));
  EXPECT_THAT(Read(texture("texture_2d_array<i32>"), {layers}, four("textureLoad(t, vec2u(3, 2), 4i, 1)"), 4),
              all(3, 2, 0, 4, 1));
  EXPECT_THAT(Read(texture("texture_3d<f32>"), {t}, four("textureLoad(t, vec3(3, 2, 1), 0)"), 4),
              all(3, 2, 1, 0, 0));
  EXPECT_THAT(
      Read(texture("texture_multisampled_2d<f32>"), {samples}, four("textureLoad(t, vec2(3, 2), 3)"), 4),
      all(3, 2, 0, 0, 3));
  EXPECT_THAT(Read(texture("texture_external"), {t}, four("textureLoad(t, vec2(3, 2))"), 4),
              all(3, 2, 0, 0, 0));
  // One channel of depth.
  EXPECT_THAT(
      Read(texture("texture_depth_2d"), {t}, "out[0] = bitcast<u32>(textureLoad(t, vec2(3, 2), 1));", 1),
      ElementsAre(FakeTexture::TexelAt(3, 2, 0, 0, 1, 0)));
  EXPECT_THAT(Read(texture("texture_depth_2d_array"), {layers},
                   "out[0] = bitcast<u32>(textureLoad(t, vec2(3, 2), 4, 1));", 1),
              ElementsAre(FakeTexture::TexelAt(3, 2, 0, 4, 1, 0)));
  EXPECT_THAT(Read(texture("texture_depth_multisampled_2d"), {samples},
                   "out[0] = bitcast<u32>(textureLoad(t, vec2(3, 2), 2));", 1),
              ElementsAre(FakeTexture::TexelAt(3, 2, 0, 0, 2, 0)));
  // A negative coordinate is as far out of range as a large one.
  EXPECT_THAT(Read(texture("texture_2d<u32>"), {t}, four("textureLoad(t, vec2(-1, 50), -7)"), 4),
              all(1, 0, 0, 0, 3));
}

// Textures go through functions, samplers beside them too, and each call has its own.
TEST(Textures, AreParametersOfFunctions) {
  const std::string text =
      "@group(0) @binding(1) var a: texture_2d<u32>;\n"
      "@group(0) @binding(2) var s: sampler;\n"
      "@group(0) @binding(3) var b: texture_2d<u32>;\n"
      "fn width(t: texture_2d<u32>) -> u32 { return textureDimensions(t).x; }\n"
      "fn both(first: texture_2d<u32>, s: sampler, second: texture_2d<u32>) -> vec2u {\n"
      "  return vec2u(width(first), textureLoad((second), vec2(1, 0), 0).y);\n"
      "}";
  const std::string body =
      "let x = both(a, s, b); let y = both(b, s, a); out[0] = x.x; out[1] = x.y; out[2] = y.x; out[3] = y.y;";
  const FakeTexture a({2, 1, 1, 1, 1, 1}), b({1, 1, 1, 1, 1, 1});
  EXPECT_THAT(Read(text, {a, b}, body, 4), ElementsAre(2, FakeTexture::TexelAt(0, 0, 0, 0, 0, 1), 1,
                                                       FakeTexture::TexelAt(1, 0, 0, 0, 0, 1)));
}

TEST(Textures, OnesThatAreOnlyNamedAreVariablesToo) {
  const tests::BuiltModule built = tests::BuildModule(
      "@group(1) @binding(2) var t: texture_depth_2d_array;\n"
      "@group(1) @binding(3) var s: sampler_comparison;\n"
      "@compute @workgroup_size(1) fn main() { _ = t; _ = s; }\n");
  ASSERT_EQ(built.error, "");
  EXPECT_THAT(ir::Print(*built.lowered),
              HasSubstr("var $t : handle read texture_depth_2d_array group 1 binding 2\n"));
}

}  // namespace
}  // namespace lockstep::lower
