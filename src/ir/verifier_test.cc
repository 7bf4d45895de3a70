// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/verifier.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/printer.h"

namespace lockstep::ir {
namespace {

std::string VerifyText(std::string_view text) {
  Result<Module> m = Parse(text);
  EXPECT_TRUE(m.ok()) << m.failure().message;
  return m.ok() ? Verify(*m) : m.failure().message;
}

// The body of an entry point with a buffer `$b` of u32.
std::string VerifyBody(std::string_view body) {
  return VerifyText(
      fmt::format("var $b : storage read_write array<u32> group 0 binding 0\n"
                  "var $ro : storage read array<u32> group 0 binding 1\n"
                  "fn @f(%x : u32) : u32 {{\n return %x\n}}\n"
                  "fn @main() workgroup_size(1, 1, 1) {{\n{}\n}}\n",
                  body));
}

TEST(Verifier, AcceptsStructuredControlFlow) {
  EXPECT_EQ(VerifyBody(R"(
    %c = lt 1u, 2u : bool
    %r = loop @loop (%i = 0u) : u32 {
      if %c { exit @loop %i } else { exit }
      switch %i { case 1u { continue %i }  case default { exit } }
      continue 5u
    } continuing (%a : u32) {
      %n = add %i, %a : u32
      next %n
    }
    %v = call @f %r : u32
    return)"),
            "");
}

struct Case {
  const char* body;
  const char* report;
};

TEST(Verifier, HoldsStagesToWhatTheyHave) {
  const auto stage = [](std::string_view header, std::string_view body) {
    return VerifyText(fmt::format("fn @f() {} {{\n  {}\n  return\n}}\n", header, body));
  };
  EXPECT_EQ(stage("vertex", "%v = builtin vertex_index : u32"), "");
  EXPECT_THAT(stage("fragment", "%v = builtin vertex_index : u32"),
              testing::HasSubstr("a builtin of another stage"));
  EXPECT_THAT(stage("workgroup_size(1, 1, 1)", "%v = builtin position : vec4<f32>"),
              testing::HasSubstr("a builtin of another stage"));
  EXPECT_THAT(stage("fragment", "%v = builtin position : vec3<f32>"),
              testing::HasSubstr("wrong type for this builtin"));
  EXPECT_THAT(stage("workgroup_size(1, 1, 1)", "%v = input 0 flat first : u32"),
              testing::HasSubstr("in a compute shader"));
  EXPECT_THAT(stage("vertex", "%v = input 0 flat first : bool"),
              testing::HasSubstr("the result is neither number nor vector of them"));
  EXPECT_THAT(stage("fragment", "output position vec4<f32>()"),
              testing::HasSubstr("wrong type or stage for this output"));
  EXPECT_THAT(stage("fragment", "output frag_depth 1u"),
              testing::HasSubstr("wrong type or stage for this output"));
  EXPECT_THAT(stage("workgroup_size(1, 1, 1)", "demote"), testing::HasSubstr("in a compute shader"));
  EXPECT_THAT(stage("vertex", "%d = dpdx 1f : f32"), testing::HasSubstr("not defined for this type"));
  EXPECT_THAT(stage("fragment", "%d = dpdx 1h : f16"), testing::HasSubstr("not defined for this type"));
  EXPECT_THAT(VerifyText("fn @g() {\n  output 0 1f\n  return\n}\nfn @f() fragment {\n  return\n}\n"),
              testing::HasSubstr("outside of the entry point"));
}

TEST(Verifier, TexturesAreHandles) {
  const auto verify = [](std::string_view body, std::string_view more = {}) {
    return VerifyText(
        fmt::format("var $t : handle read texture_2d<u32> group 0 binding 0\n"
                    "var $w : handle write texture_storage_2d group 0 binding 1\n"
                    "var $b : storage read_write array<u32> group 0 binding 2\n{}\n"
                    "fn @main() workgroup_size(1, 1, 1) {{\n{}\n  return\n}}\n",
                    more, body));
  };
  EXPECT_EQ(verify("%v = texture_load $t, vec2<u32>(), 0u, 0u : vec4<u32>"), "");
  EXPECT_EQ(verify("%v = texture_load $t, vec2<u32>(), 0u, 0u, true : vec4<u32>"), "");
  EXPECT_EQ(verify("%v = texture_number width $w : u32"), "");
  const Case cases[] = {
      {"%v = texture_load $t, 1u, 0u, 0u : vec4<u32>", "the coordinates do not fit the texture"},
      {"%v = texture_load $t, vec2<i32>(), 0u, 0u : vec4<u32>", "the coordinates do not fit the texture"},
      {"%v = texture_load $t, vec2<u32>(), 0i, 0u : vec4<u32>", "a layer or level that is no u32"},
      {"%v = texture_load $t, vec2<u32>(), 0u, 0u : vec4<f32>", "the result is no texel"},
      {"%v = texture_load $t, vec2<u32>(), 0u : vec4<u32>", "wrong number of operands"},
      {"%v = texture_load $w, vec2<u32>(), 0u, 0u : vec4<f32>", "of what has no texels to load"},
      {"%v = texture_load $b, vec2<u32>(), 0u, 0u : vec4<u32>", "of what has no texels to load"},
      {"%v = texture_number width $b : u32", "wrong types"},
      {"%v = texture_number width $t : i32", "wrong types"},
      {"%v = select true, $t, $t : texture_2d<u32>", "a texture as a value"},
      {"%v = load $t : u32", "a texture as a value"},
  };
  for (const Case& c : cases) EXPECT_THAT(verify(c.body), testing::HasSubstr(c.report)) << c.body;
  EXPECT_THAT(verify("", "struct S size 8 align 4 {\n  t : texture_1d<f32> at 0\n}\n"),
              testing::HasSubstr("a texture within S"));
  EXPECT_THAT(verify("", "var $x : private read_write texture_1d<f32>"),
              testing::HasSubstr("a texture is a handle, unlike x"));
  EXPECT_THAT(verify("", "var $x : handle read u32"), testing::HasSubstr("a texture is a handle, unlike x"));
}

class VerifierRejects : public testing::TestWithParam<Case> {};

TEST_P(VerifierRejects, WithAReason) {
  EXPECT_THAT(VerifyBody(GetParam().body), testing::HasSubstr(GetParam().report));
}

INSTANTIATE_TEST_SUITE_P(
    All, VerifierRejects,
    testing::Values(
        Case{"%a = add 1u, 2i : u32\nreturn", "operands of different types"},
        Case{"%a = lt 1u, 2u : u32\nreturn", "does not follow"},
        Case{"%a = neg 1u : u32\nreturn", "not defined for this type"},
        Case{"%a = and 1f, 1f : f32\nreturn", "not defined for this type"},
        Case{"%a = shl 1i, 1i : i32\nreturn", "shift count"},
        Case{"%a = add 1u, 2u : u32", "without a jump at its end"},
        Case{"return\nreturn", "before the end of its block"}, Case{"return 1u", "return of another type"},
        Case{"if true { %a = add 1u, 1u : u32\n exit } else { exit }\n%b = add %a, 1u : u32\nreturn",
             "%a is not defined here"},
        Case{"loop { %a = add 1u, 1u : u32\n continue } continuing { %b = add %a, 1u : u32\n next }\nreturn",
             "%a is not defined here"},
        Case{"loop { continue 1u } continuing { next }\nreturn", "passes 1 values to 0"},
        Case{"loop (%i = 0u) { continue } continuing { next 1f }\nreturn", "another type"},
        Case{"loop { continue } continuing { continue }\nreturn", "continue in the loop's continuing block"},
        Case{"loop { next } continuing { next }\nreturn", "next inside of the continuing block"},
        Case{"if 1u { exit } else { exit }\nreturn", "malformed if"},
        Case{"%r = if true : u32 { exit 1u } else { exit }\nreturn", "passes 0 values to 1"},
        Case{"switch 1u { case 1u { exit } }\nreturn", "exactly one default"},
        Case{"switch 1u { case 1u, 1u, default { exit } }\nreturn", "a selector twice"},
        Case{"%p = access $ro, 0u : ptr<storage, read, u32>\nstore %p, 1u\nreturn", "read-only"},
        Case{"%p = access $b, 0u : ptr<storage, read_write, f32>\nreturn", "the result has another type"},
        Case{"%p = access $b, 0u, 0u : ptr<storage, read_write, u32>\nreturn", "what has no parts"},
        Case{"%p = access $b, 0u : ptr<storage, read_write, u32>\nstore %p, 1u, 2u\nreturn",
             "not what it stores"},
        Case{"%p = access $b, 0u : ptr<storage, read_write, u32>\n%a = atomic_load %p : u32\nreturn",
             "not of an atomic"},
        Case{"%v = load $b : array<u32>\nreturn", "not what it loads"},
        Case{"%a = call @f 1f : u32\nreturn", "an argument of another type"},
        Case{"%a = call @f : u32\nreturn", "wrong number of arguments"},
        Case{"%a = extract 3 vec3<f32>(1f, 2f, 3f) : f32\nreturn", "has not"},
        Case{"%a = construct 1f, 2f : vec3<f32>\nreturn", "wrong number of parts"},
        Case{"%a = swizzle xz vec2<f32>(1f, 2f) : vec2<f32>\nreturn", "has not"},
        Case{"%a = var : ptr<private, read_write, u32>\nreturn", "no function variable"},
        Case{"%a = bitcast 1u : vec2<u32>\nreturn", "between sizes"},
        Case{"barrier\nreturn", "malformed barrier"}));

TEST(Verifier, ChecksTheModule) {
  EXPECT_THAT(VerifyText("fn @f() {\n return\n}"), testing::HasSubstr("no entry point"));
  EXPECT_THAT(VerifyText("fn @f() workgroup_size(0, 1, 1) {\n return\n}"),
              testing::HasSubstr("empty workgroup"));
  EXPECT_THAT(VerifyText("struct S size 4 align 4 {\n a : u32 at 0\n b : u32 at 2\n}\n"
                         "fn @f() workgroup_size(1, 1, 1) {\n return\n}"),
              testing::HasSubstr("member b of S"));
  EXPECT_THAT(
      VerifyText("var $w : workgroup read_write array<u32>\nfn @f() workgroup_size(1, 1, 1) {\n return\n}"),
      testing::HasSubstr("runtime array outside of storage"));
  EXPECT_THAT(VerifyText("fn @f() {\n call @g\n return\n}\nfn @g() {\n call @f\n return\n}\n"
                         "fn @main() workgroup_size(1, 1, 1) {\n return\n}"),
              testing::HasSubstr("calls itself"));
  EXPECT_THAT(VerifyText("fn @f() {\n %l = builtin local_invocation_index : u32\n return\n}\n"
                         "fn @main() workgroup_size(1, 1, 1) {\n return\n}"),
              testing::HasSubstr("outside of the entry point"));
}

}  // namespace
}  // namespace lockstep::ir
