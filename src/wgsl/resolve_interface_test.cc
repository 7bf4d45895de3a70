// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "wgsl/resolve_test_util.h"

namespace lockstep::wgsl {
namespace {

// Structures that a vertex entry point gives and a fragment entry point gets.
const std::string kOut = "struct Out { @builtin(position) p: vec4f, ";

std::string Vertex(const std::string& members) {
  return kOut + members + " } @vertex fn f() -> Out { return Out(); }";
}
std::string Fragment(const std::string& params) { return "@fragment fn f(" + params + ") { }"; }

CompileOptions AllFeatures() {
  return {{"shader-f16", "clip-distances", "dual-source-blending", "primitive-index"}};
}

TEST(Interface, BuiltinValuesByStage) {
  ExpectAccepted({
      "@vertex fn f(@builtin(vertex_index) a: u32, @builtin(instance_index) b: u32) -> @builtin(position) "
      "vec4f { "
      "return vec4f(); }",
      "@vertex fn f() -> @invariant @builtin(position) vec4f { return vec4f(); }",
      "@fragment fn f() { }",
      "@fragment fn f(@builtin(position) @invariant a: vec4f, @builtin(front_facing) b: bool, "
      "@builtin(sample_index) c: u32, @builtin(sample_mask) d: u32) -> @builtin(frag_depth) f32 { return 1; "
      "}",
      "struct O { @builtin(frag_depth) d: f32, @builtin(sample_mask) m: u32, @location(0) c: vec4f } "
      "@fragment fn f(@builtin(sample_mask) m: u32) -> O { return O(); }",
      "struct S { @builtin(position) p: vec3f, @builtin(vertex_index) v: f32 } fn f(s: S) { }",
  });
  EXPECT_EQ(ErrorsOf("enable clip_distances; struct O { @builtin(position) p: vec4f, "
                     "@builtin(clip_distances) d: array<f32, 8> } @vertex fn f() -> O { return O(); }",
                     AllFeatures()),
            "");
  EXPECT_EQ(
      ErrorsOf("enable primitive_index; @fragment fn f(@builtin(primitive_index) i: u32) { }", AllFeatures()),
      "");
  ExpectRejected({
      {"@vertex fn f() { }", "1:12: vertex entry point 'f' must return @builtin(position)"},
      {"@vertex fn f() -> vec4f { return vec4f(); }",
       "1:19: the result of entry point 'f' needs @builtin or @location; 1:12: vertex entry point 'f' must "
       "return "
       "@builtin(position)"},
      {"@vertex fn f() -> @location(0) vec4f { return vec4f(); }",
       "1:12: vertex entry point 'f' must return @builtin(position)"},
      {"@vertex fn f(@builtin(position) a: vec4f) -> @builtin(position) vec4f { return vec4f(); }",
       "1:33: @builtin(position) is not an input of a vertex entry point"},
      {"@fragment fn f(@builtin(vertex_index) a: u32) { }",
       "1:39: @builtin(vertex_index) is not an input of a fragment entry point"},
      {"@fragment fn f(@builtin(frag_depth) a: f32) { }",
       "1:37: @builtin(frag_depth) is not an input of a fragment entry point"},
      {"@fragment fn f() -> @builtin(position) vec4f { return vec4f(); }",
       "1:40: @builtin(position) is not an output of a fragment entry point"},
      {"@fragment fn f() -> @builtin(frag_depth) u32 { return 1; }",
       "1:42: @builtin(frag_depth) must be of type 'f32', not 'u32'"},
      {"@fragment fn f(@builtin(front_facing) a: u32) { }",
       "1:39: @builtin(front_facing) must be of type 'bool', not 'u32'"},
      {"@fragment fn f(@builtin(sample_mask) a: u32, @builtin(sample_mask) b: u32) { }",
       "1:68: @builtin(sample_mask) is an input twice"},
      {"struct O { @builtin(frag_depth) a: f32, @builtin(frag_depth) b: f32 } @fragment fn f() -> O { return "
       "O(); }",
       "1:62: @builtin(frag_depth) is an output twice"},
      {"@fragment fn f(@builtin(front_facing) @invariant a: bool) { }",
       "1:39: @invariant is only for @builtin(position)"},
  });
}

TEST(Interface, ClipDistancesAreUpToEightFloats) {
  const auto with = [](const std::string& type) {
    return ErrorsOf(
        "enable clip_distances; struct O { @builtin(position) p: vec4f, @builtin(clip_distances) d: " + type +
            " } @vertex fn f() -> O { return O(); }",
        AllFeatures());
  };
  EXPECT_EQ(with("array<f32, 1>"), "");
  EXPECT_EQ(with("array<f32, 9>"),
            "1:89: @builtin(clip_distances) must be an array of at most 8 'f32', not 'array<f32, 9>'");
  EXPECT_EQ(with("array<u32, 4>"),
            "1:89: @builtin(clip_distances) must be an array of at most 8 'f32', not 'array<u32, 4>'");
  EXPECT_EQ(with("vec4f"),
            "1:89: @builtin(clip_distances) must be an array of at most 8 'f32', not 'vec4<f32>'");
}

TEST(Interface, LocationsHoldNumbersAndVectors) {
  for (const char* type : {"f32", "i32", "u32", "vec2i", "vec3u", "vec4f"}) {
    EXPECT_EQ(ErrorsOf(Fragment("@location(0) @interpolate(flat) a: " + std::string(type))), "") << type;
  }
  EXPECT_EQ(
      ErrorsOf("enable f16; @fragment fn f(@location(0) a: vec2h, @location(1) b: f16) { }", AllFeatures()),
      "");
  for (const auto& [type, text] : {std::pair("bool", "bool"),
                                   {"vec2<bool>", "vec2<bool>"},
                                   {"mat2x2f", "mat2x2<f32>"},
                                   {"array<f32, 4>", "array<f32, 4>"},
                                   {"Inner", "Inner"}}) {
    const std::string source = "struct Inner { @location(3) x: f32 } @fragment fn f(@location(0) a: ";
    EXPECT_EQ(ErrorsOf(source + type + ") { }"),
              "1:53: @location is for numbers and vectors of them, not for '" + std::string(text) + "'");
  }
  ExpectAccepted({
      "@fragment fn f(@location(2147483647) a: f32) { }",
      "const a = 1; @fragment fn f(@location(a + 1u) a: f32) -> @location(2) vec4f { return vec4f(); }",
      "@vertex fn f(@location(0) a: u32, @location(1) b: vec3i) -> @builtin(position) vec4f { return "
      "vec4f(); }",
      "@fragment fn f() -> @location(0) vec4u { return vec4u(); }",
      "struct Inner { @location(0) x: f32 } struct Outer { inner: Inner } fn f(o: Outer) { }",
  });
  ExpectRejected({
      {"struct S { @location(0) a: mat2x2f }",
       "1:12: @location is for numbers and vectors of them, not for 'mat2x2<f32>'"},
      {"@fragment fn f(a: f32) { }", "1:16: entry point input 'a' needs @builtin or @location"},
      {"@fragment fn f() -> vec4f { return vec4f(); }",
       "1:21: the result of entry point 'f' needs @builtin or @location"},
      {"struct O { @location(0) a: f32, b: f32 } @fragment fn f() -> O { return O(); }",
       "1:33: entry point output 'b' needs @builtin or @location"},
      {"struct I { @location(0) x: f32 } struct O { i: I } @fragment fn f(o: O) { }",
       "1:45: entry point input 'i' needs @builtin or @location"},
      {"@fragment fn f(@location(-1) a: f32) { }", "1:26: @location must not be negative, but is -1"},
      {"@fragment fn f(@location(1.0) a: f32) { }",
       "1:26: the argument of '@location' must be an 'i32' or 'u32', not 'abstract-float'"},
      {"@fragment fn f(@location(0) a: f32, @location(0) b: f32) { }",
       "1:50: @location(0) is an input twice"},
      {"struct I { @location(4) x: f32 } @fragment fn f(i: I, @location(4) b: f32) { }",
       "1:68: @location(4) is an input twice"},
      {"struct S { @location(1) x: f32, @location(1) y: f32 }",
       "1:46: two members of structure 'S' have @location(1)"},
      {"struct S { @location(1) x: f32, @location(1) y: f32 } @fragment fn f(s: S) { }",
       "1:46: two members of structure 'S' have @location(1)"},
      {"@fragment fn f(@location(0) @builtin(position) a: vec4f) { }",
       "1:16: a built-in value has no @location"},
      {"struct I { @location(0) a: f32 } @compute @workgroup_size(1) fn f(i: I) { }",
       "1:25: @location is not for the inputs of a compute entry point"},
  });
}

TEST(Interface, Interpolation) {
  for (const char* arguments :
       {"perspective", "perspective, center", "perspective, centroid", "perspective, sample", "linear",
        "linear, center", "linear, centroid", "linear, sample", "flat", "flat, first", "flat, either"}) {
    const std::string attributes = "@location(0) @interpolate(" + std::string(arguments) + ") ";
    EXPECT_EQ(ErrorsOf(Fragment(attributes + "a: f32")), "") << arguments;
    EXPECT_EQ(ErrorsOf(Vertex(attributes + "a: f32")), "") << arguments;
    const bool is_flat = std::string_view(arguments).starts_with("flat");
    EXPECT_EQ(ErrorsOf(Fragment(attributes + "a: vec2u")) == "", is_flat) << arguments;
    EXPECT_EQ(ErrorsOf(Vertex(attributes + "a: i32")) == "", is_flat) << arguments;
  }
  ExpectAccepted(
      {"@vertex fn f(@location(0) @interpolate(linear) a: u32) -> @builtin(position) vec4f { return vec4f(); "
       "}"});
  ExpectRejected({
      {"@fragment fn f(@location(0) a: u32) { }",
       "1:29: entry point input 'a' is of type 'u32', which is not interpolated: it needs "
       "@interpolate(flat)"},
      {"struct O { @builtin(position) p: vec4f, @location(0) a: vec2i } @vertex fn f() -> O { return O(); }",
       "1:54: entry point output 'a' is of type 'vec2<i32>', which is not interpolated: it needs "
       "@interpolate(flat)"},
      {"@fragment fn f(@location(0) @interpolate(center) a: f32) { }",
       "1:42: 'center' is no type of interpolation: use 'perspective', 'linear' or 'flat'"},
      {"@fragment fn f(@location(0) @interpolate(flat, center) a: f32) { }",
       "1:48: 'center' is no sampling for 'flat': use 'first' or 'either'"},
      {"@fragment fn f(@location(0) @interpolate(linear, either) a: f32) { }",
       "1:50: 'either' is no sampling for 'linear': use 'center', 'centroid' or 'sample'"},
      {"@fragment fn f(@location(0) @interpolate(perspective, flat) a: f32) { }",
       "1:55: 'flat' is no sampling for 'perspective': use 'center', 'centroid' or 'sample'"},
      {"@fragment fn f() -> @location(0) @interpolate(flat, sample) f32 { return 1; }",
       "1:53: 'sample' is no sampling for 'flat': use 'first' or 'either'"},
      {"@fragment fn f(@interpolate(flat) @builtin(position) a: vec4f) { }",
       "1:16: @interpolate needs a @location at the same place"},
  });
}

TEST(Interface, BlendSources) {
  const auto errors = [](const std::string& members, const std::string& rest = "") {
    return ErrorsOf("enable dual_source_blending; struct S { " + members + " } " + rest, AllFeatures());
  };
  const std::string both = "@location(0) @blend_src(0) a: vec4f, @location(0) @blend_src(1) b: vec4f";
  const std::string needed =
      "structure 'S' must have two members with a location where one has @blend_src: @location(0) "
      "@blend_src(0) and "
      "@location(0) @blend_src(1)";
  EXPECT_EQ(errors(both, "@fragment fn f() -> S { return S(); }"), "");
  EXPECT_EQ(errors(both + ", @builtin(frag_depth) d: f32", "@fragment fn f() -> S { return S(); }"), "");
  EXPECT_EQ(errors("@location(0) @blend_src(0) a: vec4f"), "1:37: " + needed);
  EXPECT_EQ(errors("@location(0) @blend_src(0) a: vec4f, @location(0) b: vec4f"), "1:37: " + needed);
  EXPECT_EQ(errors("@location(0) @blend_src(1) a: vec4f, @location(0) @blend_src(1) b: vec4f"),
            "1:37: " + needed);
  EXPECT_EQ(errors("@location(1) @blend_src(0) a: vec4f, @location(1) @blend_src(1) b: vec4f"),
            "1:37: " + needed);
  EXPECT_EQ(errors(both + ", @location(1) c: vec4f"), "1:37: " + needed);
  EXPECT_EQ(errors("@location(0) @blend_src(0) a: vec4f, @location(0) @blend_src(1) b: vec3f"),
            "1:105: 'a' and 'b' must be of one type to be blended, not 'vec4<f32>' and 'vec3<f32>'");
  EXPECT_EQ(errors("@location(0) @blend_src(2) a: vec4f, @location(0) @blend_src(1) b: vec4f"),
            "1:65: @blend_src must be 0 or 1, not 2");
  EXPECT_EQ(errors("@blend_src(0) a: vec4f"), "1:41: @blend_src needs a @location at the same place");
  EXPECT_EQ(
      errors(both, "@fragment fn f(s: S) { }"),
      "1:68: @blend_src is only for the outputs of fragment entry points; 1:105: @blend_src is only for the "
      "outputs of fragment entry points");
  EXPECT_EQ(
      errors(both + ", @builtin(position) p: vec4f", "@vertex fn f() -> S { return S(); }"),
      "1:68: @blend_src is only for the outputs of fragment entry points; 1:105: @blend_src is only for the "
      "outputs of fragment entry points");
  EXPECT_EQ(ErrorsOf("struct S { @location(0) @blend_src(0) a: vec4f }"),
            "1:25: attribute '@blend_src' needs 'enable dual_source_blending;'");
  EXPECT_EQ(ErrorsOf("@fragment fn f() -> @location(0) @blend_src(0) vec4f { return vec4f(); }"),
            "1:34: @blend_src is not valid on a return type");
}

TEST(Interface, WhatOnlyOneStageMayDo) {
  ExpectAccepted({
      "fn g() { discard; } @fragment fn f() { g(); }",
      "fn g(x: f32) -> f32 { return dpdx(x) + fwidthFine(x); } @fragment fn f(@location(0) x: f32) { _ = "
      "g(x); }",
      "@fragment fn f(@location(0) x: vec3f) { _ = dpdyCoarse(x).xy + dpdxFine(x.zz); }",
      "fn g() { discard; } fn h() { workgroupBarrier(); }",
  });
  ExpectRejected({
      {"fn g() { discard; } @vertex fn f() -> @builtin(position) vec4f { g(); return vec4f(); }",
       "1:10: 'discard' is only for fragment shaders"},
      {"fn g(x: f32) -> f32 { return dpdx(x); } fn h() { _ = g(1); } @compute @workgroup_size(1) fn f() { "
       "h(); }",
       "1:30: 'dpdx' is only for fragment shaders"},
      {"fn g() { workgroupBarrier(); storageBarrier(); } @fragment fn f() { g(); }",
       "1:10: 'workgroupBarrier' is only for compute shaders"},
      {"var<workgroup> w: u32; @fragment fn f() { _ = workgroupUniformLoad(&w); }",
       "1:16: variable 'w' of address space 'workgroup' is only for compute shaders; 1:47: "
       "'workgroupUniformLoad' is "
       "only for compute shaders"},
      {"var<workgroup> w: u32; fn g() { w = 1; } @vertex fn f() -> @builtin(position) vec4f { g(); return "
       "vec4f(); }",
       "1:16: variable 'w' of address space 'workgroup' is only for compute shaders"},
      {"@fragment fn f(@location(0) x: f32) { dpdx(x); }",
       "1:39: the result of 'dpdx' must be used: assign it to '_' to ignore it"},
  });
  EXPECT_EQ(ErrorsOf("@fragment fn f() { _ = dpdx(1u); }").substr(0, 37),
            "1:24: no matching call to 'dpdx(u32)'");
}

TEST(Interface, EntryPointsKnowTheirInputsAndOutputs) {
  const Resolved r(
      "struct In { @builtin(front_facing) front: bool, @location(3) @interpolate(flat, either) id: u32 } "
      "@fragment fn f(i: In, @location(1) @interpolate(linear, sample) uv: vec2f) -> @location(2) vec4f { "
      "return "
      "vec4f(); }");
  const Function& f = r.function("f");
  EXPECT_EQ(f.stage, "fragment");
  ASSERT_EQ(f.inputs.size(), 3u);
  EXPECT_EQ(f.inputs[0].name, "front");
  EXPECT_EQ(f.inputs[0].io.builtin, "front_facing");
  EXPECT_EQ(f.inputs[0].io.location, std::nullopt);
  EXPECT_EQ(f.inputs[1].io.location, 3u);
  EXPECT_EQ(f.inputs[1].io.interpolation, InterpolationType::kFlat);
  EXPECT_EQ(f.inputs[1].io.sampling, InterpolationSampling::kEither);
  EXPECT_EQ(f.inputs[2].name, "uv");
  EXPECT_EQ(f.inputs[2].io.interpolation, InterpolationType::kLinear);
  EXPECT_EQ(f.inputs[2].io.sampling, InterpolationSampling::kSample);
  EXPECT_EQ(r.program->types.ToString(f.inputs[2].type), "vec2<f32>");
  ASSERT_EQ(f.outputs.size(), 1u);
  EXPECT_EQ(f.outputs[0].name, "");
  EXPECT_EQ(f.outputs[0].io.location, 2u);
  EXPECT_EQ(f.outputs[0].io.interpolation, InterpolationType::kPerspective);
  EXPECT_EQ(f.outputs[0].io.sampling, InterpolationSampling::kCenter);
}

}  // namespace
}  // namespace lockstep::wgsl
