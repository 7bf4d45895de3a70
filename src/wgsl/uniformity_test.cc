// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Programs are judged whole, through Compile. Most are built from a frame: `same` may be read alike by all
// invocations, `mine` differs between them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "wgsl/parser.h"
#include "wgsl/program.h"
#include "wgsl/uniformity_filter.h"

namespace lockstep::wgsl {
namespace {

using testing::HasSubstr;

std::string Report(const std::string& text) {
  const SourceFile file("t.wgsl", text);
  diag::Sink sink;
  Compile(file, {}, sink);
  return diag::RenderText(sink, file);
}

const char kFrame[] = R"(
@group(0) @binding(0) var<storage, read> fixed: array<u32, 4>;
@group(0) @binding(1) var<storage, read_write> buffer: array<u32>;
@group(0) @binding(2) var<storage, read_write> counter: atomic<u32>;
@group(0) @binding(3) var image: texture_2d<u32>;
struct Pair { a: u32, b: u32 }
struct Deep { rows: array<array<u32, 4>, 4> }
var<workgroup> tile: array<u32, 64>;
var<workgroup> flag: atomic<u32>;
var<private> own: u32;
override size: u32 = 4;
fn same_of(x: u32) -> u32 { return x * 2; }
fn read_buffer() -> u32 { return buffer[0]; }
fn read_fixed(i: u32) -> u32 { return fixed[i]; }
fn set_to(p: ptr<function, u32>, v: u32) { *p = v; }
fn set_own(p: ptr<function, u32>) { *p = own; }
fn set_seven(p: ptr<function, u32>) { *p = 7; }
fn fetch(p: ptr<function, u32>) -> u32 { return *p; }
fn copy(to: ptr<function, u32>, source: ptr<function, u32>) { *to = *source; }
fn put(a: ptr<function, array<u32, 4>>, i: u32) { (*a)[i] = 1; }
fn sync_if(x: u32) { if x > 3 { workgroupBarrier(); } }
fn sync_if_behind(p: ptr<function, u32>) { if *p > 3 { workgroupBarrier(); } }
fn sync() { storageBarrier(); }
fn texel(t: texture_2d<u32>, x: u32) -> u32 { return textureLoad(t, vec2(x, 0), 0).x; }
fn load_tile(p: ptr<workgroup, u32>) -> u32 { return workgroupUniformLoad(p); }
)";

// Compiles a body of an entry point; "" where it is accepted.
std::string Body(const std::string& body) {
  return Report(
      std::string(kFrame) +
      "@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) mine: u32, "
      "@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u) {\n"
      "let same = fixed[1];\nvar x: u32; var y: u32; var a: array<u32, 4>; var s: Pair; var d: Deep;\n" +
      body + "\n}\n");
}

void ExpectUniform(std::initializer_list<const char*> bodies) {
  for (const char* body : bodies) EXPECT_EQ(Body(body), "") << body;
}

void ExpectNonUniform(std::initializer_list<const char*> bodies) {
  for (const char* body : bodies) {
    const std::string report = Body(body);
    EXPECT_TRUE(report.find("must only be called from uniform control flow") != std::string::npos ||
                report.find("requires a uniform pointer") != std::string::npos)
        << body << "\n"
        << report;
  }
}

// Whether a value may stand before a barrier.
void ExpectUniformValues(std::initializer_list<const char*> values) {
  for (const char* value : values)
    EXPECT_EQ(Body(fmt::format("if ({}) > 2 {{ workgroupBarrier(); }}", value)), "") << value;
}
void ExpectNonUniformValues(std::initializer_list<const char*> values) {
  for (const char* value : values) {
    EXPECT_THAT(Body(fmt::format("if ({}) > 2 {{ workgroupBarrier(); }}", value)),
                HasSubstr("uniform control flow"))
        << value;
  }
}

TEST(Uniformity, JudgesValues) {
  ExpectUniformValues({"1u",
                       "size",
                       "same",
                       "group.x",
                       "groups.y",
                       "fixed[group.y]",
                       "x",
                       "a[same]",
                       "s.b",
                       "d.rows[1][x]",
                       "same_of(same)",
                       "read_fixed(3)",
                       "min(same, group.x)",
                       "arrayLength(&buffer)",
                       "vec2(same, 1).y",
                       "u32(same == 1)",
                       "workgroupUniformLoad(&tile[same])",
                       "workgroupUniformLoad(&flag)",
                       "select(1u, same, group.x > 1)",
                       "fetch(&x)",
                       "array(same, 1)[x]",
                       "-i32(same)",
                       "(&a)[1]"});
  ExpectNonUniformValues({"mine",
                          "own",
                          "buffer[0]",
                          "tile[1]",
                          "fixed[mine]",
                          "a[mine]",
                          "same_of(mine)",
                          "read_buffer()",
                          "read_fixed(own)",
                          "max(same, mine)",
                          "vec2(same, mine).x",
                          "atomicLoad(&flag)",
                          "atomicAdd(&counter, 0)",
                          "u32(mine == 1)",
                          "same + mine",
                          "mine * 0",
                          "array(same, 1)[mine]",
                          "-i32(mine)",
                          "(&a)[own]",
                          "fetch(&d.rows[mine][0])",
                          "select(1u, 2, mine > 1)"});
}

TEST(Uniformity, JudgesConditions) {
  ExpectUniform({"if same > 1 && group.x > 2 { workgroupBarrier(); }",
                 "_ = mine > 1 || same > 2; workgroupBarrier();",
                 "switch same { case 1: { storageBarrier(); } default: { } }",
                 "if mine > 1 { x = 1; } workgroupBarrier();",
                 "switch mine { case 1: { } default: { x = 2; } } storageBarrier();"});
  ExpectNonUniform(
      {"if mine > 1 { workgroupBarrier(); }", "if same > 1 { } else if mine > 1 { storageBarrier(); }",
       "if mine > 1 { } else { storageBarrier(); }", "if mine > 1 { _ = workgroupUniformLoad(&tile[0]); }",
       "if same > 1 && mine > 1 { workgroupBarrier(); }", "if mine > 1 || same > 1 { workgroupBarrier(); }",
       "_ = mine > 1 && workgroupUniformLoad(&tile[0]) > 1;",
       "switch mine { case 1: { workgroupBarrier(); } default: { } }",
       "if mine > 1 { if same > 1 { workgroupBarrier(); } }", "if mine > 1 { return; } workgroupBarrier();",
       "if same > 1 { if mine > 1 { return; } } workgroupBarrier();",
       "switch mine { case 1: { return; } default: { } } workgroupBarrier();"});
}

TEST(Uniformity, JudgesLoops) {
  ExpectUniform({"for (var i = 0u; i < same; i++) { workgroupBarrier(); }",
                 "while x < same { x++; workgroupBarrier(); }",
                 "loop { workgroupBarrier(); if x > same { break; } x++; }",
                 "loop { if mine > 1 { break; } } workgroupBarrier();",
                 "for (var i = 0u; i < mine; i++) { } workgroupBarrier();",
                 "loop { workgroupBarrier(); continuing { x++; break if x > same; } }",
                 "loop { workgroupBarrier(); break; }",
                 "loop { if mine > 1 { return; } else { return; } workgroupBarrier(); }",
                 "for (var i = 0u; i < 4; i++) { if mine > i { continue; } x = 1; } workgroupBarrier();",
                 "for (var i = 0u; i < 4; i++) { switch mine { case 1: { break; } default: { } } "
                 "workgroupBarrier(); }"});
  ExpectNonUniform({"for (var i = 0u; i < mine; i++) { workgroupBarrier(); }",
                    "while x < mine { x++; workgroupBarrier(); }",
                    "loop { workgroupBarrier(); if mine > 1 { break; } }",
                    "loop { if mine > 1 { continue; } workgroupBarrier(); if x > 1 { break; } }",
                    "loop { workgroupBarrier(); if mine > 1 { continue; } if same > 1 { break; } }",
                    "loop { workgroupBarrier(); continuing { x++; break if x > mine; } }",
                    "loop { if mine > 1 { break; } continuing { workgroupBarrier(); } }",
                    "for (var i = 0u; i < 4; i++) { if mine > i { return; } } workgroupBarrier();",
                    "for (var i = mine; i < 4; i++) { workgroupBarrier(); }",
                    "for (var i = 0u; i < 4; i += mine) { workgroupBarrier(); }",
                    "while mine > 1 { return; } workgroupBarrier();",
                    "for (var i = 0u; i < 4; i++) { if x > 1 { workgroupBarrier(); } x += mine; }"});
}

TEST(Uniformity, FollowsLocalVariables) {
  const auto then_sync = [](const std::string& text) {
    return Body(text + " if x > 1 { workgroupBarrier(); }");
  };
  for (const char* text :
       {"x = same;", "x = mine; x = same;", "if same > 1 { x = same; } else { x = 2; }",
        "if same > 1 { x = mine; return; }", "if same > 1 { x = mine; } else { x = mine; } x = 1;",
        "loop { x = mine; if same > 1 { x = 1; break; } }",
        "loop { x = mine; if same > 1 { break; } x = 3; } x = same;",
        "switch same { case 1: { x = 2; } default: { x = same; } }", "loop { break; x = mine; }",
        "let p = &x; *p = mine; x = same;", "a[mine] = 1; x = same;", "y = mine; x = same; y = x;",
        "x = mine; set_to(&x, same);", "x = mine; set_seven(&x);", "y = same; x = mine; copy(&x, &y);",
        "if mine > 1 { _ = fetch(&x); }", "if mine > 1 { var x = mine; x = 2; }",
        "s = Pair(same, 2); x = s.b;"}) {
    EXPECT_EQ(then_sync(text), "") << text;
  }
  for (const char* text : {"x = mine;",
                           "x += mine;",
                           "if mine > 1 { x = 1; }",
                           "if same > 1 { x = mine; }",
                           "if same > 1 { } else { x = own; }",
                           "if mine > 1 { x = 1; } else { x = 2; }",
                           "loop { if mine > 1 { x = 1; break; } }",
                           "loop { x = mine; if same > 1 { break; } x = 3; }",
                           "loop { x = same; continuing { break if mine > 1; } }",
                           "for (var i = 0u; i < 4; i++) { if mine > 1 { continue; } x = i; }",
                           "switch same { case 1: { x = mine; } default: { x = 2; } }",
                           "switch same { default: { if y > 1 { x = mine; break; } x = 1; } }",
                           "let p = &x; *p = mine;",
                           "let p = &x; let q = &*p; *q = own;",
                           "s.a = mine; x = s.b;",
                           "s = Pair(same, 2); s.b = mine; s.a = 1; x = s.a;",
                           "a[mine] = 1; x = a[0];",
                           "d.rows[same][mine] = 1; x = d.rows[0][0];",
                           "y = mine; x = y;",
                           "set_to(&x, mine);",
                           "set_own(&x);",
                           "y = mine; copy(&x, &y);",
                           "if mine > 1 { set_seven(&x); }",
                           "put(&a, mine); x = a[0];",
                           "set_seven(&a[mine]); x = a[0];",
                           "a[0] = mine; set_seven(&a[1]); x = a[0];",
                           "let p = &a[mine]; x = *p;",
                           "let p = &d.rows[mine]; x = (*p)[0];",
                           "x = mine; if same > 1 { x = 1; }",
                           "while x < same { x = mine; }",
                           "x++; x = own; x--;",
                           "if mine > 1 && fetch(&x) > 1 { x = 2; }"}) {
    EXPECT_THAT(then_sync(text), HasSubstr("uniform control flow")) << text;
  }
  // An index keeps the value that it had where the pointer was made.
  ExpectUniform({"y = 1; let p = &a[y]; y = mine; if *p > 1 { workgroupBarrier(); }"});
  ExpectNonUniform({"y = mine; let p = &a[y]; y = 1; if *p > 1 { workgroupBarrier(); }"});
}

TEST(Uniformity, FollowsCalls) {
  ExpectUniform({"sync_if(same);", "sync();", "x = same; sync_if_behind(&x);", "_ = load_tile(&tile[same]);",
                 "x = mine; set_seven(&x); sync_if_behind(&x);"});
  ExpectNonUniform({"sync_if(mine);", "if mine > 1 { sync(); }", "x = mine; sync_if_behind(&x);",
                    "_ = load_tile(&tile[mine]);", "_ = workgroupUniformLoad(&tile[mine]);",
                    "let p = &tile[mine]; _ = workgroupUniformLoad(p);", "if mine > 1 { sync_if(same); }",
                    "sync_if_behind(&a[mine]);", "a[2] = own; sync_if_behind(&a[1]);"});
}

// Nothing writes to textures that are read: a texel is as uniform as its place.
TEST(Uniformity, JudgesTextures) {
  ExpectUniform({"if textureLoad(image, vec2(same, 1), 0).x > 1 { workgroupBarrier(); }",
                 "if texel(image, same) > textureDimensions(image).x { workgroupBarrier(); }"});
  ExpectNonUniform({"if textureLoad(image, vec2(same, mine), 0).x > 1 { workgroupBarrier(); }",
                    "if textureDimensions(image, mine).x > 1 { workgroupBarrier(); }",
                    "if texel(image, mine) > 1 { workgroupBarrier(); }"});
}

TEST(Uniformity, JudgesInputsOfEntryPoints) {
  const auto with = [](const char* builtin, const char* type, const char* value) {
    return Report(fmt::format(
        "@compute @workgroup_size(8) fn main(@builtin({}) v: {}) {{ if {} > 1 {{ workgroupBarrier(); }} }}",
        builtin, type, value));
  };
  EXPECT_EQ(with("workgroup_id", "vec3u", "v.x"), "");
  EXPECT_EQ(with("num_workgroups", "vec3u", "v.x"), "");
  EXPECT_EQ(with("workgroup_index", "u32", "v"), "");
  EXPECT_THAT(with("local_invocation_id", "vec3u", "v.x"),
              HasSubstr("builtin 'local_invocation_id' of 'main' may be non-uniform"));
  EXPECT_THAT(with("local_invocation_index", "u32", "v"), HasSubstr("non-uniform"));
  EXPECT_THAT(with("global_invocation_id", "vec3u", "v.x"), HasSubstr("non-uniform"));
  EXPECT_THAT(with("global_invocation_index", "u32", "v"), HasSubstr("non-uniform"));
  // A structure is as uniform as the least of its members.
  static constexpr char text[] =
      "struct In {{ @builtin(workgroup_id) w: vec3u, @builtin({}) n: {} }}\n"
      "@compute @workgroup_size(8) fn main(in: In) {{ if in.w.x > 1 {{ workgroupBarrier(); }} }}";
  EXPECT_EQ(Report(fmt::format(text, "num_workgroups", "vec3u")), "");
  EXPECT_THAT(Report(fmt::format(text, "local_invocation_index", "u32")),
              HasSubstr("parameter 'in' of 'main' may be non-uniform"));
}

TEST(Uniformity, LeadsFromTheBarrierToTheSource) {
  EXPECT_EQ(
      Report("fn sync() {\n  workgroupBarrier();\n}\n"
             "fn maybe(n: u32) {\n  if n > 2 {\n    sync();\n  }\n}\n"
             "@group(0) @binding(0) var<storage, read_write> b: u32;\n"
             "fn read() -> u32 { return b; }\n"
             "@compute @workgroup_size(8) fn main() {\n  let r = read();\n  maybe(r);\n}\n"),
      "t.wgsl:2:3: error: 'workgroupBarrier' must only be called from uniform control flow\n"
      "    workgroupBarrier();\n    ^~~~~~~~~~~~~~~~~~\n"
      "t.wgsl:6:5: note: 'sync' is called from 'maybe' here\n      sync();\n      ^~~~~~\n"
      "t.wgsl:5:6: note: control flow depends on possibly non-uniform value\n    if n > 2 {\n       ^~~~~\n"
      "t.wgsl:4:10: note: parameter 'n' of 'maybe' may be non-uniform\n  fn maybe(n: u32) {\n           ^\n"
      "t.wgsl:13:9: note: possibly non-uniform value passed to 'maybe' here\n    maybe(r);\n          ^\n"
      "t.wgsl:12:11: note: return value of 'read' may be non-uniform\n    let r = read();\n            "
      "^~~~~~\n"
      "t.wgsl:10:27: note: reading from read_write storage buffer 'b' may result in a non-uniform value\n"
      "  fn read() -> u32 { return b; }\n                            ^\n");
  EXPECT_THAT(Body("x = mine; set_own(&x); if x > 1 { workgroupBarrier(); }"),
              testing::AllOf(HasSubstr("'set_own' may write a non-uniform value through this pointer"),
                             HasSubstr("reading from private variable 'own'")));
  EXPECT_THAT(
      Body("_ = workgroupUniformLoad(&tile[mine]);"),
      HasSubstr(
          "'workgroupUniformLoad' requires a uniform pointer: all invocations must read the same place"));
}

TEST(Uniformity, ReportsEachBarrierOnce) {
  const std::string report = Report(
      "fn sync() { workgroupBarrier(); }\n"
      "@compute @workgroup_size(8) fn a(@builtin(local_invocation_index) i: u32) { if i > 1 { sync(); "
      "sync(); } }\n"
      "@compute @workgroup_size(8) fn b(@builtin(local_invocation_index) i: u32) { if i > 1 { sync(); "
      "workgroupBarrier(); } }\n");
  size_t count = 0;
  for (size_t at = report.find("error:"); at != std::string::npos; at = report.find("error:", at + 1))
    ++count;
  EXPECT_EQ(count, 2u) << report;
}

TEST(Uniformity, ChecksFunctionsThatNobodyCalls) {
  EXPECT_THAT(Report("var<private> v: u32; fn unused() { if v > 1 { workgroupBarrier(); } }"),
              HasSubstr("uniform control flow"));
  EXPECT_EQ(Report("fn unused(v: u32) { if v > 1 { workgroupBarrier(); } }"), "");
}

TEST(Uniformity, TakesLongFunctionsAndChains) {
  std::string text = "var<private> v: u32;\nfn f0(p: ptr<function, u32>) { *p += 1; workgroupBarrier(); }\n";
  for (int i = 1; i < 3000; ++i) {
    text += fmt::format("fn f{}(p: ptr<function, u32>) {{ f{}(p); f{}(p); }}\n", i, i - 1, i - 1);
  }
  text += "@compute @workgroup_size(8) fn main() { var x = 0u; f2999(&x); ";
  for (int i = 0; i < 20000; ++i) text += fmt::format("let a{0} = x; if a{0} > 1 {{ x = a{0}; }} ", i);
  text += "for (;;) { ";
  for (int i = 0; i < 5000; ++i) text += fmt::format("let b{0} = x; if b{0} > 2 {{ x = b{0}; break; }} ", i);
  text += "} if x > 1 { workgroupBarrier(); } }";
  EXPECT_EQ(Report(text), "");
  // The notes of a long chain are cut in their middle.
  text += "@compute @workgroup_size(8) fn bad() { var x = v; if x > 1 { f2999(&x); } }";
  const std::string report = Report(text);
  EXPECT_THAT(report, HasSubstr("'f0' is called from 'f1' here"));
  EXPECT_THAT(report, HasSubstr("'f2999' is called from 'bad' here"));
  EXPECT_LT(std::count(report.begin(), report.end(), '\n'), 60);
}

TEST(DiagnosticFilters, TakesTheNearest) {
  const SourceFile file("t.wgsl",
                        "diagnostic(warning, derivative_uniformity); diagnostic(info, a.b);\n"
                        "@diagnostic(off, derivative_uniformity) fn f() @diagnostic(error, a.b) { }");
  diag::Sink sink;
  const ast::Module module = Parse(file, sink);
  ASSERT_FALSE(sink.has_errors());
  uniformity::DiagnosticFilters filters(module);
  EXPECT_EQ(filters.SeverityOf("derivative_uniformity"), diag::Severity::kWarning);
  EXPECT_EQ(filters.SeverityOf("subgroup_uniformity"), diag::Severity::kError);
  EXPECT_EQ(filters.SeverityOf("a.b"), diag::Severity::kInfo);
  const auto mark = filters.Now();
  filters.Push(module.decls[module.globals[0]].attributes);
  EXPECT_EQ(filters.SeverityOf("derivative_uniformity"), std::nullopt);
  filters.Push(module.stmts[module.decls[module.globals[0]].body].attributes);
  EXPECT_EQ(filters.SeverityOf("a.b"), diag::Severity::kError);
  filters.BackTo(mark);
  EXPECT_EQ(filters.SeverityOf("derivative_uniformity"), diag::Severity::kWarning);
}

}  // namespace
}  // namespace lockstep::wgsl
