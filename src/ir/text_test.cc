// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "ir/builder.h"
#include "ir/printer.h"
#include "ir/verifier.h"

namespace lockstep::ir {
namespace {

// Every form of the text, in the printer's own spelling.
constexpr std::string_view kEverything = R"(struct Params size 32 align 16 {
  count : u32 at 0
  scale : vec3<f32> at 16
}

struct Items size 8 align 4 {
  n : atomic<u32> at 0
  data : array<f32> at 4
}

var $params : uniform read Params group 0 binding 1
var $items : storage read_write Items group 1 binding 2
var $tile : workgroup read_write array<mat2x3<f32>, 4>
var $image : handle read texture_2d_array<f32> group 2 binding 0
var $shadow : handle read texture_depth_multisampled_2d group 2 binding 1
var $target : handle write texture_storage_3d group 2 binding 2
var $state : private read_write vec2<i32> = vec2<i32>(1i, -2147483648i)

fn @scale(%x : f32, %by : f32) : f32 {
  %0 = mul %x, %by : f32
  return %0
}

fn @texel(%t : texture_2d_array<f32>, %at : vec2<u32>) : vec4<f32> {
  %0 = texture_number layers %t : u32
  %1 = texture_load %t, %at, %0, 1u : vec4<f32>
  %2 = texture_load $shadow, %at, 0u, 3u, false : vec4<f32>
  %3 = add %1, %2 : vec4<f32>
  return %3
}

fn @main() workgroup_size(8, 4, 2) {
  %l = builtin local_invocation_index : u32
  %buffer = var : ptr<function, read_write, array<u32, 4>>
  %p = access %buffer, %l : ptr<function, read_write, u32>
  store %p, 7u, true
  zero_fill %buffer
  %0 = access $items, 1u : ptr<storage, read_write, array<f32>>
  %1 = array_length %0 : u32
  %c = lt %l, %1 : bool
  %r, %s = if @if %c : u32, f32 {
    loop (%k = 0u, %k.1 = f32(0x7f800000)) {
      %done = ge %k, 16u : bool
      if %done {
        exit @if %k, %k.1
      } else {
        exit
      }
      switch %k {
        case 1u, 2u {
          continue %k
        }
        case 3u, default {
          exit
        }
      }
      continue 1u
    } continuing (%a : u32) {
      %k.2 = add %a, 1u : u32
      next %k.2, -1.5f
    }
    unreachable
  } else {
    exit 0u, 0.1f
  }
  %2 = access $items, 0u : ptr<storage, read_write, atomic<u32>>
  %3 = atomic_rmw max %2, %r : u32
  %old, %swapped = atomic_cmpxchg %2, %3, 1u, true : u32, bool
  %4 = call @scale %s, 2f : f32
  %v = construct %4, 1f, -0f : vec3<f32>
  %5 = extract 2 %v : f32
  %6 = insert 0 %v, %5 : vec3<f32>
  %7 = swizzle zyxx %6 : vec4<f32>
  %8 = add %7, vec4<f32>(1f, 2f, 3f, 4f) : vec4<f32>
  %9 = mul %8, vec4<f32>() : vec4<f32>
  barrier workgroup storage
  %10 = convert 0.5h : f32
  %11 = texture_number depth $target : u32
  %12 = call @texel $image, vec2<u32>(1u, 2u) : vec4<f32>
  return
}
)";

TEST(Text, ParsingWhatWasPrintedPrintsTheSame) {
  Result<Module> m = Parse(kEverything);
  ASSERT_TRUE(m.ok()) << m.failure().message;
  EXPECT_EQ(Print(*m), kEverything);
}

TEST(Text, FloatsKeepTheirBits) {
  for (const uint32_t bits :
       {0u, 0x80000000u, 1u, 0x00800000u, 0x3dcccccdu, 0x7f7fffffu, 0x7fc12345u, 0xff800000u}) {
    Module m;
    Function f;
    f.name = "main";
    f.result = m.types.F32();
    f.body = m.AddBlock();
    m.entry = m.functions.Add(f);
    Builder(&m, m.functions[m.entry].body).Return(m.ConstantBits(m.types.F32(), bits));
    const std::string text = Print(m);
    Result<Module> again = Parse(text);
    ASSERT_TRUE(again.ok()) << text;
    const ValueId v = again->operands(again->terminator(again->functions[again->entry].body))[0];
    EXPECT_EQ(again->constant(v).bits, bits) << text;
  }
}

TEST(Text, StructsMayShadowTheNamesOfTypes) {
  Module m;
  const TypeId s = m.types.Struct("vec4", {{"x", m.types.U32(), 0}}, 4, 4);
  Variable v;
  v.name = "a b";
  v.type = s;
  m.AddVariable(v);
  const std::string text = Print(m);
  Result<Module> again = Parse(text);
  ASSERT_TRUE(again.ok()) << again.failure().message << text;
  EXPECT_EQ(Print(*again), text);
}

std::string FailureOf(std::string_view text) {
  Result<Module> m = Parse(text);
  return m.ok() ? "parsed" : m.failure().message;
}

TEST(Text, FailuresNameTheLine) {
  EXPECT_EQ(FailureOf("fn @main() {\n  %a = add %b, 1u : u32\n}"), "line 2: unknown value '%b'");
  EXPECT_EQ(FailureOf("fn @main() {\n  frob\n}"), "line 2: unknown operation 'frob'");
  EXPECT_EQ(FailureOf("fn @main() {\n  exit\n}"), "line 2: no construct around 'exit' to go to");
  EXPECT_EQ(FailureOf("fn @main() {\n  %a, %b = add 1u, 1u : u32\n}"),
            "line 2: 2 results and 1 types of results");
  EXPECT_EQ(FailureOf("fn @a() {\n}\nfn @a() {\n}"), "line 3: a second function '@a'");
  EXPECT_EQ(FailureOf("\n\nvar $a : storage read array<foo>"), "line 3: unknown type 'foo'");
  EXPECT_EQ(FailureOf("var $a : private read vec2<f32> = vec2<f32>(1f)"),
            "line 1: too few parts for vec2<f32>");
  EXPECT_EQ(FailureOf("fn @main() {"), "line 1: unknown operation ''");
}

std::string Repeat(std::string_view text, size_t count) {
  std::string all;
  for (size_t i = 0; i < count; ++i) all += text;
  return all;
}

TEST(Text, DeepNestingFailsCleanly) {
  EXPECT_NE(FailureOf("fn @main() {" + Repeat("loop {", 100000)), "parsed");
  EXPECT_NE(FailureOf("var $a : private read " + Repeat("array<", 100000)), "parsed");
  EXPECT_NE(FailureOf("var $a : private read u32 = " + Repeat("vec2<u32>(", 100000)), "parsed");
  std::string structs = "struct S0 size 4 align 4 {\n x : u32 at 0\n}\n";
  for (int i = 1; i < 1000; ++i) {
    structs += fmt::format("struct S{} size 4 align 4 {{ x : S{} at 0 }}\n", i, i - 1);
  }
  EXPECT_EQ(FailureOf(structs), "line 67: types nest deeper than 64");
}

TEST(Text, VerticesAndFragments) {
  for (const std::string text : {"fn @vs() vertex {\n"
                                 "  %v = builtin vertex_index : u32\n"
                                 "  %n = input 2 flat either : vec3<i32>\n"
                                 "  output 1 %n\n"
                                 "  output position vec4<f32>()\n"
                                 "  output clip_distances array<f32, 2>(1f, 2f)\n"
                                 "  return\n"
                                 "}\n",
                                 "fn @fs() fragment {\n"
                                 "  %p = builtin position : vec4<f32>\n"
                                 "  %uv = input 0 linear sample : vec2<f32>\n"
                                 "  %dx = dpdx %uv : vec2<f32>\n"
                                 "  demote\n"
                                 "  output 0 %p\n"
                                 "  output 0 blend_src 1 %p\n"
                                 "  output frag_depth 0.5f\n"
                                 "  output sample_mask 3u\n"
                                 "  return\n"
                                 "}\n",
                                 "fn @fs() fragment workgroup_size(256, 1, 1) {\n"
                                 "  return\n"
                                 "}\n"}) {
    const Result<Module> m = Parse(text);
    ASSERT_TRUE(m.ok()) << m.failure().message;
    EXPECT_EQ(Verify(*m), "");
    EXPECT_EQ(Print(*m), text);
  }
  EXPECT_EQ(FailureOf("fn @fs() fragment {\n  %a = input 0 flat : u32\n}"),
            "line 2: expected how the input is interpolated and sampled");
  EXPECT_EQ(FailureOf("fn @fs() fragment {\n  %a = input 65536 flat first : u32\n}"),
            "line 2: a location of at least 65536");
  EXPECT_EQ(FailureOf("fn @fs() fragment {\n  output 0 blend_src 2 1f\n}"),
            "line 2: a blend_src other than 0 and 1");
}

// Every prefix, and every text with one byte changed, fails or parses; what parses prints.
TEST(Text, MangledTextNeverCrashes) {
  for (size_t i = 0; i < kEverything.size(); ++i) {
    (void)Parse(kEverything.substr(0, i));
    for (const char c : {'%', '}', '9', 'x', ' '}) {
      std::string text(kEverything);
      text[i] = c;
      Result<Module> m = Parse(text);
      if (m.ok()) {
        const std::string printed = Print(*m);
        EXPECT_FALSE(printed.empty());
      }
    }
  }
}

}  // namespace
}  // namespace lockstep::ir
