// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Textures as parameters and the builtin functions that read them (WGSL: #texture-builtin-functions).
#include "wgsl/resolve_test_util.h"

namespace lockstep::wgsl {
namespace {

constexpr const char* kTextures =
    "@group(0) @binding(0) var t1: texture_1d<i32>; "
    "@group(0) @binding(1) var t2: texture_2d<f32>; "
    "@group(0) @binding(2) var ta: texture_2d_array<u32>; "
    "@group(0) @binding(3) var t3: texture_3d<f32>; "
    "@group(0) @binding(4) var tc: texture_cube<f32>; "
    "@group(0) @binding(5) var tca: texture_cube_array<i32>; "
    "@group(0) @binding(6) var tm: texture_multisampled_2d<u32>; "
    "@group(0) @binding(7) var td: texture_depth_2d; "
    "@group(0) @binding(8) var tda: texture_depth_2d_array; "
    "@group(0) @binding(9) var tdm: texture_depth_multisampled_2d; "
    "@group(0) @binding(10) var te: texture_external; "
    "@group(0) @binding(11) var ts: texture_storage_2d_array<rgba8unorm, write>; "
    "@group(0) @binding(12) var ts1: texture_storage_1d<r32float, write>; "
    "@group(0) @binding(13) var s: sampler; "
    "fn body(i: i32, u: u32, f: f32) {\n";

std::string TypeOfCall(const std::string& call) {
  return Resolved(kTextures + ("let result = " + call + ";\n}")).type("result");
}

TEST(TextureCalls, Types) {
  for (const auto& [call, type] : std::initializer_list<std::pair<const char*, const char*>>{
           {"textureLoad(t1, 1, 0)", "vec4<i32>"},
           {"textureLoad(t1, u, i)", "vec4<i32>"},
           {"textureLoad(t2, vec2(1, 2), u)", "vec4<f32>"},
           {"textureLoad(t2, vec2u(1, 2), i)", "vec4<f32>"},
           {"textureLoad(ta, vec2i(), u, i)", "vec4<u32>"},
           {"textureLoad(ta, vec2u(), i, u)", "vec4<u32>"},
           {"textureLoad(t3, vec3(i), 0)", "vec4<f32>"},
           {"textureLoad(tm, vec2(i), 3)", "vec4<u32>"},
           {"textureLoad(td, vec2(i), 0u)", "f32"},
           {"textureLoad(tda, vec2(i), u, 1)", "f32"},
           {"textureLoad(tdm, vec2(u), i)", "f32"},
           {"textureLoad(te, vec2(u))", "vec4<f32>"},
           {"textureDimensions(t1)", "u32"},
           {"textureDimensions(t1, i)", "u32"},
           {"textureDimensions(tc, 1u)", "vec2<u32>"},
           {"textureDimensions(tdm)", "vec2<u32>"},
           {"textureDimensions(te)", "vec2<u32>"},
           {"textureDimensions(t3, 2)", "vec3<u32>"},
           {"textureDimensions(ts)", "vec2<u32>"},
           {"textureDimensions(ts1)", "u32"},
           {"textureNumLayers(ta)", "u32"},
           {"textureNumLayers(tca)", "u32"},
           {"textureNumLayers(tda)", "u32"},
           {"textureNumLayers(ts)", "u32"},
           {"textureNumLevels(t1)", "u32"},
           {"textureNumLevels(tca)", "u32"},
           {"textureNumLevels(td)", "u32"},
           {"textureNumSamples(tm)", "u32"},
           {"textureNumSamples(tdm)", "u32"},
       })
    EXPECT_EQ(TypeOfCall(call), type) << call;
}

TEST(TextureCalls, WhatDoesNotFit) {
  for (const char* call : {"textureLoad(t1, 1)",
                           "textureLoad(t1, vec2(1, 2), 0)",
                           "textureLoad(t2, 1, 0)",
                           "textureLoad(t2, vec2(1.5, 2), 0)",
                           "textureLoad(t2, vec2f(), 0)",
                           "textureLoad(t2, vec3(1, 2, 3), 0)",
                           "textureLoad(t2, vec2(1, 2), 0.5)",
                           "textureLoad(t2, vec2(1, 2), true)",
                           "textureLoad(t2, vec2(1, 2), 1, 1)",
                           "textureLoad(ta, vec2(1, 2), 0)",
                           "textureLoad(tc, vec2(1, 2), 0)",
                           "textureLoad(tm, vec2(1, 2))",
                           "textureLoad(te, vec2(1, 2), 0)",
                           "textureLoad(ts, vec2(1, 2), 0)",
                           "textureLoad(s, vec2(1, 2), 0)",
                           "textureLoad(&t2, vec2(1, 2), 0)",
                           "textureLoad(1, vec2(1, 2), 0)",
                           "textureDimensions(s)",
                           "textureDimensions()",
                           "textureDimensions(t2, f)",
                           "textureDimensions(tm, 0)",
                           "textureDimensions(ts, 0)",
                           "textureDimensions(te, 0)",
                           "textureNumLayers(t2)",
                           "textureNumLayers(t3)",
                           "textureNumLayers(tc)",
                           "textureNumLevels(tm)",
                           "textureNumLevels(ts)",
                           "textureNumLevels(te)",
                           "textureNumSamples(t2)"})
    EXPECT_NE(ErrorsOf(kTextures + (std::string("_ = ") + call + ";\n}")), "") << call;
  EXPECT_EQ(ErrorsOf(kTextures + std::string("textureLoad(t2, vec2(1, 2), 0);\n}")),
            "2:1: the result of 'textureLoad' must be used: assign it to '_' to ignore it");
  EXPECT_EQ(ErrorsOf(kTextures + std::string("_ = textureLoad<f32>(t2, vec2(1, 2), 0);\n}")),
            "2:5: builtin function 'textureLoad' takes no template arguments");
}

TEST(TextureParameters, OfFunctionsAlone) {
  ExpectAccepted({
      "fn f(t: texture_2d<f32>, s: sampler) -> vec4f { return textureLoad(t, vec2(0, 0), 0); }\n"
      "@group(0) @binding(0) var a: texture_2d<f32>; @group(0) @binding(1) var b: sampler;\n"
      "fn g(t: texture_2d<f32>) -> vec4f { return f(t, b) + f((a), b); }",
      "fn f(t: texture_storage_2d<r32float, write>, d: texture_depth_cube, c: sampler_comparison) { _ = t; }",
  });
  ExpectRejected({
      {"fn f(t: texture_2d<f32>) { }\n@group(0) @binding(0) var a: texture_2d<u32>;\nfn g() { f(a); }",
       "3:12: argument 1 of 'f' must be of type 'texture_2d<f32>', not 'texture_2d<u32>'"},
      {"fn f(t: texture_2d<f32>) { }\n@group(0) @binding(0) var a: texture_2d<f32>;\nfn g() { f(&a); }",
       "3:12: '&' cannot be applied to a texture or sampler, which functions get as it is"},
      {"fn f(t: texture_2d<f32>) { let u = t; }",
       "1:32: 'let' cannot hold a value of type 'texture_2d<f32>'"},
      {"fn f(t: sampler) -> sampler { return t; }",
       "1:21: a function cannot return a value of type 'sampler'"},
      {"@fragment fn f(@location(0) t: texture_2d<f32>) { }",
       "1:16: @location is for numbers and vectors of them, not for 'texture_2d<f32>'"},
      {"@compute @workgroup_size(1) fn f(t: texture_2d<f32>) { }",
       "1:34: entry point input 't' needs @builtin"},
  });
}

}  // namespace
}  // namespace lockstep::wgsl
