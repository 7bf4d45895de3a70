// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Texture loads of varying and uniform places, under masks and through calls, against the interpreter.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "codegen/llvm/engine_fixture.h"
#include "support/fake_texture.h"

namespace lockstep::codegen {
namespace {

using tests::FakeTexture;

constexpr std::string_view kTextures =
    "var $t : handle read texture_2d_array<u32> group 0 binding 2\n"
    "var $d : handle read texture_depth_2d group 0 binding 3\n"
    "var $v : handle read texture_3d<i32> group 0 binding 4\n";

const FakeTexture kArray({20, 12, 1, 5, 3, 1}), kDepth({9, 9, 1, 1, 1, 1}), kVolume({4, 5, 6, 1, 2, 1});

void RunWithTextures(const std::string& text, bool pipeline = true) {
  Program program{text, {Words(400, 7), Words(64, 3)}, {3, 1, 1}};
  program.pipeline = pipeline;
  program.textures = {&kArray, &kDepth, &kVolume};
  RunEverywhere(program);
}

// out[%g] = the sum of the channels of %v.
constexpr std::string_view kStoreSum =
    "  %c0 = extract 0 %v : u32\n  %c1 = extract 1 %v : u32\n  %c2 = extract 2 %v : u32\n"
    "  %c3 = extract 3 %v : u32\n  %a = add %c0, %c1 : u32\n  %b = mul %c2, 3u : u32\n  %e = mul %c3, 5u : "
    "u32\n"
    "  %f = add %a, %b : u32\n  %s = add %f, %e : u32\n"
    "  %q = access $out, %g : ptr<storage, read_write, u32>\n  store %q, %s\n";

TEST(TextureLoad, OfEachLane) {
  const std::string body = fmt::format(
      "  %x = rem %g, 23u : u32\n  %y = div %g, 7u : u32\n  %xy = construct %x, %y : vec2<u32>\n"
      "  %layer = rem %g, 6u : u32\n  %level = rem %g, 4u : u32\n"
      "  %v = texture_load $t, %xy, %layer, %level : vec4<u32>\n{}",
      kStoreSum);
  for (const char* size : {"64, 1, 1", "33, 1, 1", "5, 3, 2"})
    RunWithTextures(KernelText(body, size, kTextures));
}

TEST(TextureLoad, OfOnePlaceForAll) {
  RunWithTextures(
      KernelText(fmt::format("  %v = texture_load $t, vec2<u32>(3u, 4u), 2u, 1u : vec4<u32>\n{}", kStoreSum),
                 "40, 1, 1", kTextures));
}

TEST(TextureLoad, OfThreeCoordinatesAndFloats) {
  RunWithTextures(KernelText(
      "  %x = rem %g, 5u : u32\n  %z = rem %g, 7u : u32\n  %xyz = construct %x, 2u, %z : vec3<u32>\n"
      "  %v = texture_load $v, %xyz, 0u, 1u : vec4<i32>\n  %r = extract 3 %v : i32\n"
      "  %xy = construct %x, %z : vec2<u32>\n  %d = texture_load $d, %xy, 0u, 0u : vec4<f32>\n"
      "  %depth = extract 0 %d : f32\n  %bits = bitcast %depth : u32\n  %u = bitcast %r : u32\n"
      "  %s = add %bits, %u : u32\n"
      "  %q = access $out, %g : ptr<storage, read_write, u32>\n  store %q, %s\n",
      "64, 1, 1", kTextures));
}

// Only lanes that are there read; what they read is used after the branch and around a loop.
TEST(TextureLoad, UnderMasks) {
  RunWithTextures(KernelText(
      "  %odd = and %g, 1u : u32\n  %c = eq %odd, 1u : bool\n"
      "  %r = if %c : u32 {\n"
      "    %xy = construct %g, %odd : vec2<u32>\n"
      "    %v = texture_load $t, %xy, %g, 0u : vec4<u32>\n    %x = extract 0 %v : u32\n    exit %x\n"
      "  } else {\n"
      "    %n = rem %g, 5u : u32\n"
      "    %sum = loop @loop (%k = 0u, %total = 0u) : u32 {\n"
      "      %done = ge %k, %n : bool\n"
      "      if %done {\n        exit @loop %total\n      } else {\n        exit\n      }\n"
      "      %kk = construct %k, %g : vec2<u32>\n"
      "      %w = texture_load $t, %kk, 1u, %k : vec4<u32>\n      %y = extract 2 %w : u32\n"
      "      %more = add %total, %y : u32\n      continue %more\n"
      "    } continuing (%next : u32) {\n"
      "      %k1 = add %k, 1u : u32\n      next %k1, %next\n    }\n"
      "    exit %sum\n  }\n"
      "  %q = access $out, %g : ptr<storage, read_write, u32>\n  store %q, %r\n",
      "64, 1, 1", kTextures));
}

TEST(TextureNumber, OfAllNumbers) {
  std::string body = "  %s0 = add %g, 0u : u32\n";
  uint32_t i = 0;
  for (const char* number : {"width", "height", "depth", "layers", "levels", "samples"}) {
    body += fmt::format(
        "  %n{0} = texture_number {1} $t : u32\n  %m{0} = mul %s{0}, 7u : u32\n  %s{2} = add %m{0}, %n{0} : "
        "u32\n",
        i, number, i + 1);
    ++i;
  }
  body += "  %q = access $out, %g : ptr<storage, read_write, u32>\n  store %q, %s6\n";
  RunWithTextures(KernelText(body, "64, 1, 1", kTextures));
}

// A parameter that is not inlined: one function for several textures, in divergent control flow and at a
// barrier.
TEST(TextureLoad, ThroughCalls) {
  const std::string text =
      "var $out : storage read_write array<u32, 400> group 0 binding 0\n"
      "var $in : storage read array<u32, 64> group 0 binding 1\n"
      "var $a : handle read texture_2d<u32> group 0 binding 2\n"
      "var $b : handle read texture_2d<u32> group 0 binding 3\n"
      "var $c : handle read texture_2d<u32> group 0 binding 4\n"
      "fn @get(%t : texture_2d<u32>, %x : u32) : u32 {\n"
      "  %w = texture_number width %t : u32\n  %xy = construct %x, %w : vec2<u32>\n"
      "  %v = texture_load %t, %xy, 0u, 0u : vec4<u32>\n  %r = extract 1 %v : u32\n"
      "  %s = add %r, %w : u32\n  return %s\n}\n"
      "fn @wait(%t : texture_2d<u32>, %x : u32) : u32 {\n"
      "  %a = call @get %t, %x : u32\n  barrier workgroup\n  %b = call @get %t, 1u : u32\n"
      "  %r = add %a, %b : u32\n  return %r\n}\n"
      "fn @main() workgroup_size(48, 1, 1) {\n"
      "  %g = builtin global_invocation_index : u32\n"
      "  %odd = and %g, 1u : u32\n  %c = eq %odd, 1u : bool\n"
      "  %r = if %c : u32 {\n    %x = call @get $a, %g : u32\n    exit %x\n"
      "  } else {\n    %y = call @get $b, %g : u32\n    exit %y\n  }\n"
      "  %w = call @wait $c, %g : u32\n  %s = add %r, %w : u32\n"
      "  %i = rem %g, 400u : u32\n"
      "  %q = access $out, %i : ptr<storage, read_write, u32>\n  store %q, %s\n  return\n}\n";
  RunWithTextures(text, false);
  RunWithTextures(text);
}

}  // namespace
}  // namespace lockstep::codegen
