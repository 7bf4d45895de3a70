// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "wgsl/program.h"

namespace lockstep::wgsl {
namespace {

using testing::HasSubstr;

std::string Report(const std::string& text) {
  const SourceFile file("t.wgsl", text);
  diag::Sink sink;
  Compile(file, {}, sink);
  return diag::RenderText(sink, file);
}

struct Use {
  const char* text;  // {} is the place
  bool reads, writes;
};

constexpr Use kUses[] = {
    {"{{ let q = &*&{0}; }}", false, false},
    {"{0} = 1;", false, true},
    {"{0} += 1;", true, true},
    {"{0}++;", true, true},
    {"_ = {0} + 1;", true, false},
    {"_ = abs(-{0});", true, false},
    {"_ = array(1, 2)[{0}];", true, false},
    {"var t = {0}; t += 1;", true, false},
    {"switch {0} {{ default {{ }} }}", true, false},
    {"if 1 > {0} && {0} > 2 {{ }}", true, false},
    {"for (; {0} > 3; ) {{ }}", true, false},
    {"_ = vec2i({0}, 1).y;", true, false},
};

bool Conflict(const Use& a, const Use& b) {
  return (a.writes && (b.reads || b.writes)) || (b.writes && a.reads);
}

TEST(Aliasing, JudgesTwoPointersByTheirUse) {
  for (const char* space : {"private", "workgroup"}) {
    for (const Use& a : kUses) {
      for (const Use& b : kUses) {
        const std::string callee =
            fmt::format("fn f(p: ptr<{0}, i32>, q: ptr<{0}, i32>) {{ {{ {1} }} {{ {2} }} }}\n", space,
                        fmt::format(fmt::runtime(a.text), "*p"), fmt::format(fmt::runtime(b.text), "*q"));
        const std::string globals =
            fmt::format("var<{0}> x: i32; var<{0}> y: i32; var<{0}> z: array<i32, 2>;\n", space);
        EXPECT_EQ(Report(globals + callee + "fn main() { f(&x, &y); f(&z[0], &x); }"), "");
        const std::string same = Report(globals + callee + "fn main() { f(&x, &x); }");
        const std::string parts = Report(globals + callee + "fn main() { f(&z[0], &z[1]); }");
        const std::string by_name = Report(globals +
                                           fmt::format("fn g(p: ptr<{}, i32>) {{ {{ {} }} {{ {} }} }}\n",
                                                       space, fmt::format(fmt::runtime(a.text), "*p"),
                                                       fmt::format(fmt::runtime(b.text), "x")) +
                                           "fn main() { g(&x); }");
        EXPECT_EQ(!same.empty(), Conflict(a, b)) << callee << same;
        EXPECT_EQ(!parts.empty(), Conflict(a, b)) << callee << parts;
        EXPECT_EQ(!by_name.empty(), Conflict(a, b)) << callee << by_name;
      }
    }
  }
}

TEST(Aliasing, NamesTheOtherArgumentAndTheWrite) {
  EXPECT_EQ(Report("fn f(p: ptr<function, i32>, q: ptr<function, i32>) {\n  *p = *q;\n}\n"
                   "fn main() {\n  var a = array(1, 2);\n  f(&a[0], &a[1]);\n}\n"),
            "t.wgsl:6:12: error: this pointer and another argument are both to 'a', and 'f' writes through "
            "one of them\n"
            "    f(&a[0], &a[1]);\n             ^~~~~\n"
            "t.wgsl:6:5: note: the other argument\n    f(&a[0], &a[1]);\n      ^~~~~\n"
            "t.wgsl:2:3: note: written here\n    *p = *q;\n    ^~\n");
  EXPECT_EQ(Report("var<private> x: i32;\nfn g() { x = 1; }\nfn f(p: ptr<private, i32>) -> i32 {\n  g();\n  "
                   "return *p;\n}\n"
                   "fn main() {\n  _ = f(&x);\n}\n"),
            "t.wgsl:8:9: error: this is a pointer to 'x', which 'f' writes by its name too, and reads "
            "through the pointer\n"
            "    _ = f(&x);\n          ^~\n"
            "t.wgsl:2:10: note: written by name here\n  fn g() { x = 1; }\n           ^\n"
            "t.wgsl:5:10: note: accessed through the pointer here\n    return *p;\n           ^~\n");
}

TEST(Aliasing, FollowsPointersThroughCallsAndLets) {
  const char functions[] =
      "fn fill(p: ptr<function, i32>) { *p = 1; }\n"
      "fn none(p: ptr<function, i32>) { let q = &*p; }\n"
      "fn both(p: ptr<function, i32>, q: ptr<function, i32>) -> i32 { let r = &*p; fill(r); return *q; }\n"
      "fn one(p: ptr<function, i32>, q: ptr<function, i32>) { fill(p); none(q); }\n";
  const auto main = [&](const std::string& body) {
    return Report(functions + ("fn main() { var a: i32; var b: i32; " + body + " }"));
  };
  EXPECT_EQ(main("_ = both(&a, &b); one(&a, &a); let p = &a; let q = &b; _ = both(p, q);"), "");
  EXPECT_THAT(main("_ = both(&a, &a);"), HasSubstr("both to 'a'"));
  EXPECT_THAT(main("let p = &a; let q = &*p; _ = both(p, q);"), HasSubstr("both to 'a'"));
  EXPECT_THAT(Report(std::string(functions) + "fn outer(p: ptr<function, i32>) { _ = both(p, p); }"),
              HasSubstr("both to 'p'"));
  // Several pointers to one variable in one function are fine.
  EXPECT_EQ(Report("fn f() { var v: i32; let p = &v; let q = &v; *p = *q; *q = 2; }"), "");
}

TEST(Aliasing, KnowsWhatBuiltinsAccess) {
  const char globals[] =
      "var<workgroup> x: atomic<u32>; var<workgroup> w: u32;\n"
      "@group(0) @binding(0) var<storage, read_write> b: array<u32>;\n";
  const auto call = [&](const std::string& a, const std::string& b) {
    return Report(
        globals +
        fmt::format("fn f(p: ptr<workgroup, atomic<u32>>) {{ {}; {}; }} fn main() {{ f(&x); }}", a, b));
  };
  EXPECT_EQ(call("_ = atomicLoad(p)", "_ = atomicLoad(&x)"), "");
  EXPECT_THAT(call("_ = atomicLoad(p)", "atomicStore(&x, 1)"), HasSubstr("writes by its name"));
  EXPECT_THAT(call("atomicAdd(p, 1)", "_ = atomicLoad(&x)"), HasSubstr("reads by its name"));
  EXPECT_THAT(
      Report(std::string(globals) +
             "fn f(p: ptr<workgroup, u32>) { w = 1; _ = workgroupUniformLoad(p); } fn main() { f(&w); }"),
      HasSubstr("pointer to 'w'"));
  EXPECT_EQ(
      Report(std::string(globals) +
             "fn f(p: ptr<storage, array<u32>, read_write>) { b[0] = arrayLength(p); } fn main() { f(&b); }"),
      "");
  EXPECT_THAT(Report("var<private> v: vec4i; fn f(p: ptr<private, vec4i>) { v = vec4i(); let q = p.wzyx; } "
                     "fn main() { f(&v); }"),
              HasSubstr("pointer to 'v'"));
}

TEST(Aliasing, TakesManyVariablesAndLongChains) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += fmt::format("var<private> v{}: i32;\n", i);
  text += "fn f0(p: ptr<private, i32>) { *p = 1; }\n";
  for (int i = 1; i < 300; ++i)
    text += fmt::format("fn f{0}(p: ptr<private, i32>) {{ f{1}(p); v{0} = 2; }}\n", i, i - 1);
  std::string fine = text + "fn main() { f299(&v0); ";
  for (int i = 0; i < 299; ++i) fine += fmt::format("f{}(&v{}); ", i, i + 1);
  EXPECT_EQ(Report(fine + "}"), "");
  EXPECT_THAT(Report(text + "fn main() { f299(&v150); }"), HasSubstr("pointer to 'v150'"));
}

}  // namespace
}  // namespace lockstep::wgsl
