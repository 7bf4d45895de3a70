// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "wgsl/parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace lockstep::wgsl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// "line:column message" of each diagnostic.
std::vector<std::string> Errors(const std::string& text) {
  const SourceFile file("t.wgsl", text);
  diag::Sink sink;
  Parse(file, sink);
  std::vector<std::string> out;
  for (const diag::Diagnostic& d : sink.diagnostics()) {
    const Position at = file.PositionOf(d.span.begin);
    out.push_back(fmt::format("{}:{} {}", at.line, at.column, d.message));
  }
  return out;
}

std::string DumpOf(const std::string& text) {
  const SourceFile file("t.wgsl", text);
  diag::Sink sink;
  const ast::Module module = Parse(file, sink);
  EXPECT_EQ(diag::RenderText(sink, file), "") << text;
  return ast::Dump(module);
}

// How an expression is read.
std::string Expr(const std::string& text) {
  const std::string dump = DumpOf("const_assert " + text + ";");
  const std::string prefix = "const_assert ";
  return dump.size() > prefix.size() ? dump.substr(prefix.size(), dump.size() - prefix.size() - 1) : dump;
}

std::vector<std::string> ExprErrors(const std::string& text) { return Errors("const_assert " + text + ";"); }

// The statements of a function's body.
std::string Body(const std::string& text) {
  const std::string dump = DumpOf("fn f() {" + text + "}");
  return dump.substr(dump.find('\n') + 1);
}

std::vector<std::string> BodyErrors(const std::string& text) { return Errors("fn f() {" + text + "}"); }

TEST(Parser, ReadsOperatorsByTheirStrength) {
  EXPECT_EQ(Expr("a + b * c - d"), "(- (+ a (* b c)) d)");
  EXPECT_EQ(Expr("-a.b[1] * !c"), "(* (- (index (. a b) 1)) (! c))");
  EXPECT_EQ(Expr("a << b < c << d"), "(< (<< a b) (<< c d))");
  EXPECT_EQ(Expr("a == b && c < d && e"), "(&& (&& (== a b) (< c d)) e)");
  EXPECT_EQ(Expr("a | b | -c"), "(| (| a b) (- c))");
  EXPECT_EQ(Expr("*&a"), "(* (& a))");
}

TEST(Parser, TakesTheLongestTokenThatFitsTheGrammar) {
  EXPECT_EQ(Expr("--a"), "(- (- a))");
  EXPECT_EQ(Expr("a--b"), "(- a (- b))");
  EXPECT_EQ(Expr("a - --b"), "(- a (- (- b)))");
  EXPECT_EQ(Expr("&&a"), "(& (& a))");
  EXPECT_EQ(Expr("a && &b"), "(&& a (& b))");
  EXPECT_EQ(Body("a--; b++;"), "  a--\n  b++\n");
}

TEST(Parser, AsksForParenthesesWhereOperatorsMix) {
  EXPECT_THAT(ExprErrors("x & y ^ z | w"), ElementsAre("1:20 mixing '&' and '^' requires parentheses",
                                                       "1:24 mixing '^' and '|' requires parentheses"));
  EXPECT_THAT(ExprErrors("a && b || c"), ElementsAre("1:21 mixing '&&' and '||' requires parentheses"));
  EXPECT_THAT(ExprErrors("a || b && c"), ElementsAre("1:21 mixing '||' and '&&' requires parentheses"));
  EXPECT_THAT(ExprErrors("a < b == c"), ElementsAre("1:20 mixing '<' and '==' requires parentheses"));
  EXPECT_THAT(ExprErrors("x + y << 1"), ElementsAre("1:20 mixing '+' and '<<' requires parentheses"));
  EXPECT_THAT(ExprErrors("1 << x * y"), ElementsAre("1:21 mixing '<<' and '*' requires parentheses"));
  EXPECT_THAT(ExprErrors("a << b << c"),
              ElementsAre("1:21 a second '<<' requires parentheses around the first or the second"));
  EXPECT_THAT(ExprErrors("a & b + c"), ElementsAre("1:20 mixing '&' and '+' requires parentheses"));
  EXPECT_THAT(ExprErrors("a == b | c"), ElementsAre("1:21 mixing '==' and '|' requires parentheses"));
  EXPECT_EQ(Expr("x & (y ^ (z | w))"), "(& x (paren (^ y (paren (| z w)))))");
}

// The cases of WGSL #template-lists-sec.
TEST(Parser, TellsTemplateListsFromComparisons) {
  EXPECT_EQ(Expr("A ( B < C, D > ( E ) )"), "(call A (call B<C, D> E))");
  EXPECT_EQ(Expr("a<b || c>d"), "(|| (< a b) (> c d))");
  EXPECT_EQ(Expr("array<i32,select(2,3,a>b)>()"), "(call array<i32, (call select 2 3 (> a b))>)");
  EXPECT_EQ(Expr("A<B<<C>()"), "(call A<(<< B C)>)");
  EXPECT_EQ(Expr("A<B<=C>()"), "(call A<(<= B C)>)");
  EXPECT_EQ(Expr("A<(B>=C)>()"), "(call A<(paren (>= B C))>)");
  EXPECT_EQ(Expr("A<(B!=C)>()"), "(call A<(paren (!= B C))>)");
  EXPECT_EQ(Expr("A<(B==C)>()"), "(call A<(paren (== B C))>)");
  EXPECT_EQ(Expr("array<array<vec2<f32>,2>,3>()"), "(call array<array<vec2<f32>, 2>, 3>)");
  EXPECT_EQ(Expr("vec2<f32>(1)==b"), "(== (call vec2<f32> 1) b)");
  EXPECT_EQ(Expr("a[b<c] && e[f>(g)]"), "(&& (index a (< b c)) (index e (> f (paren g))))");
  EXPECT_EQ(Expr("f(a < b, c)"), "(call f (< a b) c)");
  EXPECT_EQ(Expr("bitcast<vec2<u32>>(a)>>b"), "(>> (call bitcast<vec2<u32>> a) b)");
  EXPECT_EQ(Expr("a<b/* > */&&c"), "(&& (< a b) c)");
  EXPECT_EQ(Expr("a<1.5f"), "(< a 1.5f)");
  EXPECT_EQ(DumpOf("var<private>x:array<vec2<f32>,2>=array<vec2<f32>,2>();"),
            "var<private> x: array<vec2<f32>, 2> = (call array<vec2<f32>, 2>)\n");
  EXPECT_EQ(Body("x>>=y<<2; if a<b { } if c>d { } x<<=1u;"),
            "  x >>= (<< y 2)\n  if (< a b)\n  if (> c d)\n  x <<= 1u\n");
  EXPECT_THAT(ExprErrors("array<>()"), ElementsAre("1:20 a template list must have at least one argument"));
}

TEST(Parser, ReadsEveryDeclaration) {
  EXPECT_EQ(DumpOf("enable f16, subgroups,; requires packed_4x8_integer_dot_product;\n"
                   "diagnostic(off, a.b,); ;\n"
                   "@group(0) @binding(1,) var<storage, read_write,> x: array<u32>;\n"
                   "@id(3) override o: u32 = 4; override p: f32; const c = 1; alias T = vec2<f32>;\n"
                   "struct S { @align(16) a: i32, @size(8) b: T, } struct R { a: i32 };\n"
                   "const_assert c < 3;\n"
                   "@must_use fn g(a: ptr<function, i32>, @builtin(position) b: vec4f,) -> @location(0) f32 "
                   "{ return 1; }"),
            "enable f16 subgroups\nrequires packed_4x8_integer_dot_product\ndiagnostic off a.b\n"
            "@group(0) @binding(1) var<storage, read_write> x: array<u32>\n"
            "@id(3) override o: u32 = 4\noverride p: f32\nconst c = 1\nalias T = vec2<f32>\n"
            "struct S\n  @align(16) a: i32\n  @size(8) b: T\nstruct R\n  a: i32\n"
            "const_assert (< c 3)\n"
            "@must_use fn g -> @location(0) f32\n  param a: ptr<function, i32>\n"
            "  @builtin(position) param b: vec4f\n  return 1\n");
}

TEST(Parser, ReadsEveryStatement) {
  EXPECT_EQ(Body("var<function> a: i32 = 1; var b: u32; let c: i32 = 2; const d = 3; const_assert d > 1; ;"),
            "  var<function> a: i32 = 1\n  var b: u32\n  let c: i32 = 2\n  const d = 3\n  const_assert (> d "
            "1)\n  ;\n");
  EXPECT_EQ(Body("a = 1; *p.x[2] += 3; (a) -= 1; _ = f(); a.b *= 2; &*p = q; f(1, 2,); a ^= b; a %= b; a &= "
                 "b; a |= b;"),
            "  a = 1\n  (* (index (. p x) 2)) += 3\n  (paren a) -= 1\n  _ = (call f)\n  (. a b) *= 2\n  (& "
            "(* p)) = q\n"
            "  (call f 1 2)\n  a ^= b\n  a %= b\n  a &= b\n  a |= b\n");
  EXPECT_EQ(Body("if a { b(); } else if (c) { } else { return; } { discard; }"),
            "  if a\n    (call b)\n  else if (paren c)\n  else\n    return\n  block\n    discard\n");
  EXPECT_EQ(Body("switch x { case 1, 2u,: { break; } case default, 5 { } }  switch y { default: { } }"),
            "  switch x\n    case 1, 2u\n      break\n    case default, 5\n  switch y\n    case default\n");
  EXPECT_EQ(Body("loop { a++; continue; continuing { b--; break if c; } } while d { } for (;;) { break; }"),
            "  loop\n    a++\n    continue\n  continuing\n    b--\n    break if c\n  while d\n  for true\n   "
            " break\n");
  EXPECT_EQ(Body("for (i = 0; i < 4; g(i)) { }"),
            "  for (< i 4)\n    init\n      i = 0\n    update\n      (call g i)\n");
}

TEST(Parser, ReadsAttributesOnBlocks) {
  EXPECT_EQ(Body("@diagnostic(off, a.b) if x { } @diagnostic(info, c) { } switch y @diagnostic(warning, d) { "
                 "default "
                 "@diagnostic(error, e) { } } loop @diagnostic(off, f) { break; }"),
            "  @diagnostic(off, (. a b)) if x\n  @diagnostic(info, c) block\n  switch y\n"
            "    @diagnostic(warning, d) body\n    case default\n    @diagnostic(error, e) \n  loop\n"
            "  @diagnostic(off, f) \n    break\n");
  EXPECT_THAT(BodyErrors("@diagnostic(off, a) x = 1;"),
              ElementsAre("1:9 attributes are not allowed on this statement"));
  EXPECT_THAT(Errors("@id(1) const a = 1; @align(4) struct S { a: i32 }"),
              ElementsAre("1:1 attributes are not allowed on 'const' declarations",
                          "1:21 attributes are not allowed on structures"));
  EXPECT_THAT(
      Errors("@compute() fn f() {}"),
      ElementsAre("1:10 expected an argument: leave out the parentheses where an attribute has none"));
}

TEST(Parser, NamesWhatIsMissing) {
  EXPECT_THAT(BodyErrors("\n  var a = 1\n  let b = 2\n"),
              ElementsAre("2:12 expected ';' after variable declaration",
                          "3:12 expected ';' after 'let' declaration"));
  EXPECT_THAT(BodyErrors("f() a = 1; b = 2"),
              ElementsAre("1:13 expected ';' after function call", "1:25 expected ';' after assignment"));
  EXPECT_THAT(BodyErrors("let a;"),
              ElementsAre("1:14 expected '=' and a value: a 'let' must be initialized"));
  EXPECT_THAT(BodyErrors("a = ;"), ElementsAre("1:13 expected an expression after the assignment operator"));
  EXPECT_THAT(BodyErrors("a[1 = 2;"), ElementsAre("1:13 expected ']' to close the index"));
  EXPECT_THAT(Errors("fn f( { }\nfn g() -> { }\nstruct S { a i32 }"),
              ElementsAre("1:7 expected a name for a parameter", "2:11 expected a type after '->'",
                          "3:14 expected ':' after the member's name"));
  EXPECT_THAT(Errors("struct S {\n  a: i32\n  b: i32;\n  c: i32\n}"),
              ElementsAre("2:9 expected ',' after a structure's member",
                          "3:9 expected ',' after a structure's member"));
  EXPECT_THAT(BodyErrors("if a b = 1;"), ElementsAre("1:14 expected '{' to begin the body of 'if'"));
  EXPECT_THAT(BodyErrors("switch a { }"), ElementsAre("1:9 a switch must have at least one clause"));
  EXPECT_THAT(BodyErrors("switch a { x = 1; default { } }"),
              ElementsAre("1:20 expected 'case' or 'default' in a switch body, found 'x'"));
  EXPECT_THAT(Errors("struct S { }"), ElementsAre("1:8 a structure must have at least one member"));
}

TEST(Parser, SaysWhereABraceIsMissing) {
  const SourceFile file("t.wgsl", "fn f() {\n  if a {\n    b();\n}\nfn g() { }\n");
  diag::Sink sink;
  Parse(file, sink);
  EXPECT_EQ(diag::RenderText(sink, file),
            "t.wgsl:5:1: error: expected '}' to close the body of the function\n  fn g() { }\n  ^~\n"
            "t.wgsl:1:8: note: opened here\n  fn f() {\n         ^\n");
  EXPECT_THAT(Errors("fn f() { { {"), ElementsAre("1:13 expected '}' to close the block"));
  EXPECT_THAT(Errors("fn f() { } }\nconst a = 1 2;"),
              ElementsAre("1:12 this '}' closes nothing", "2:13 expected ';' after 'const' declaration"));
}

TEST(Parser, GoesOnAfterAnError) {
  EXPECT_THAT(Errors("fn f() {\n  let a = ;\n  for (var i = 0; i < ; i++) {\n    x = );\n  }\n  if ) { y = "
                     "]; }\n  z = 1 +;\n}\n"
                     "const = 3;\nfn g() { let b = ; }"),
              ElementsAre("2:11 expected an expression after '='",
                          "3:23 expected an expression on the right side of the operator",
                          "4:9 expected an expression after the assignment operator",
                          "6:6 expected an expression after 'if'",
                          "6:14 expected an expression after the assignment operator",
                          "7:10 expected an expression on the right side of the operator",
                          "9:7 expected a name after 'const'", "10:18 expected an expression after '='"));
}

TEST(Parser, KnowsWhatAuthorsOfOtherLanguagesMean) {
  EXPECT_THAT(BodyErrors("a = i++;"),
              ElementsAre("1:14 '++' makes a statement of its own and cannot be part of an expression"));
  EXPECT_THAT(BodyErrors("a = i--;"),
              ElementsAre("1:14 '--' makes a statement of its own and cannot be part of an expression"));
  EXPECT_THAT(BodyErrors("if (a = b) { }"),
              ElementsAre("1:15 '=' makes a statement of its own and cannot be part of an expression"));
  EXPECT_THAT(BodyErrors("++i;"), ElementsAre("1:9 write '++' after the variable"));
  EXPECT_THAT(BodyErrors("a = +1;"), ElementsAre("1:13 there is no unary '+'"));
  EXPECT_THAT(BodyErrors("float a = 1;"),
              ElementsAre(HasSubstr("declarations begin with 'let', 'var' or 'const'")));
  EXPECT_THAT(Errors("let a = 1;"), ElementsAre(HasSubstr("use 'const' or 'override' at module scope")));
  EXPECT_THAT(BodyErrors("a = b ? c : d; e = 1"),
              ElementsAre("1:15 '?' has no meaning in WGSL", "1:29 expected ';' after assignment"));
  EXPECT_THAT(BodyErrors("a + b;"), ElementsAre(HasSubstr("use '_ = ' to evaluate it only")));
  EXPECT_THAT(
      BodyErrors("1 = a; -b = c; vec2<f32> = 1;"),
      ElementsAre(HasSubstr("expected a statement, found '1'"), HasSubstr("expected a statement, found '-'"),
                  HasSubstr("cannot assign to this expression")));
  EXPECT_THAT(BodyErrors("fn g() { }"), testing::Not(ElementsAre()));
  EXPECT_THAT(BodyErrors("struct S { a: i32 } x = ;"),
              ElementsAre("1:9 'struct' can only be declared at module scope",
                          "1:33 expected an expression after the assignment operator"));
}

TEST(Parser, PlacesDirectivesFirst) {
  EXPECT_THAT(Errors("const a = 1;\nenable f16;"),
              ElementsAre("2:1 'enable' must come before all declarations"));
  EXPECT_THAT(Errors(";requires a;"), ElementsAre("1:2 'requires' must come before all declarations"));
  EXPECT_THAT(Errors("enable ;"), ElementsAre("1:8 expected a name of an extension"));
  EXPECT_THAT(Errors("diagnostic(off);"), ElementsAre("1:15 expected ',' after the severity"));
}

TEST(Parser, PlacesContinuingAndBreakIf) {
  EXPECT_THAT(BodyErrors("loop { continuing { } a = 1; }"),
              ElementsAre("1:16 'continuing' must be the last statement of a 'loop' body"));
  EXPECT_THAT(BodyErrors("while a { continuing { } }"),
              ElementsAre(HasSubstr("last statement of a 'loop' body")));
  EXPECT_THAT(BodyErrors("loop { break if a; }"),
              ElementsAre(HasSubstr("last statement of a 'continuing' block")));
  EXPECT_THAT(BodyErrors("loop { continuing { break if a; b(); } }"),
              ElementsAre("1:29 'break if' must be the last statement of a 'continuing' block"));
  EXPECT_THAT(BodyErrors("else { }"), ElementsAre("1:9 'else' without an 'if' before it"));
}

TEST(Parser, RejectsKeywordsAndReservedWordsAsNames) {
  EXPECT_THAT(BodyErrors("let loop = 1; let new = 2; let other = new; let _ = 3;"),
              ElementsAre("1:13 'loop' is a keyword, so it cannot be used as a name",
                          "1:27 'new' is a reserved word, so it cannot be used as a name",
                          "1:57 '_' cannot be used as a name here"));
  EXPECT_EQ(Body("let array = 1; let f32 = _a + b_;"), "  let array = 1\n  let f32 = (+ _a b_)\n");
}

TEST(Parser, BoundsDepth) {
  const auto repeat = [](const std::string& text, int n) {
    std::string out;
    for (int i = 0; i < n; ++i) out += text;
    return out;
  };
  for (const std::string& text :
       {repeat("(", 10000) + "1" + repeat(")", 10000), repeat("-", 10000) + "1", repeat("a+", 10000) + "1",
        "a" + repeat("[0]", 10000), repeat("f(", 10000) + repeat(")", 10000), "a" + repeat(".b", 10000),
        repeat("array<", 10000) + "i32" + repeat(">", 10000) + "()"}) {
    EXPECT_THAT(ExprErrors(text), ElementsAre(HasSubstr("this expression nests more than 512 levels deep")));
  }
  EXPECT_THAT(ExprErrors(repeat("(", 500) + "1" + repeat(")", 500)), ElementsAre());
  EXPECT_THAT(BodyErrors(repeat("{", 127) + repeat("}", 127)), ElementsAre());
  EXPECT_THAT(BodyErrors(repeat("{", 128) + repeat("}", 128) + "a = ;"),
              ElementsAre("1:136 these braces nest more than 127 levels deep",
                          HasSubstr("expected an expression after the assignment operator")));
  EXPECT_THAT(BodyErrors("if a { }" + repeat(" else if b { }", 500)), ElementsAre());
  EXPECT_THAT(BodyErrors("if a { }" + repeat(" else if b { }", 10000) + " x = ;"),
              ElementsAre(HasSubstr("nest more than 640 levels deep"), HasSubstr("expected an expression")));
}

TEST(Parser, StopsAfterManyErrors) {
  std::string text = "fn f() {";
  for (int i = 0; i < 100000; ++i) text += " let ;";
  EXPECT_EQ(Errors(text).size(), diag::Sink::kMaxErrors);
}

TEST(Parser, ReadsTheSeedPrograms) {
  const std::filesystem::path folder = std::filesystem::path(LOCKSTEP_SOURCE_DIR) / "../shared/seeds";
  for (const char* name : {"price_rank_tiled.wgsl", "rating_histogram.wgsl"}) {
    std::ifstream in(folder / name);
    if (!in) GTEST_SKIP() << "no seed programs beside this checkout";
    std::stringstream text;
    text << in.rdbuf();
    EXPECT_THAT(DumpOf(text.str()), HasSubstr("@compute @workgroup_size(256) fn main\n"));
  }
}

}  // namespace
}  // namespace lockstep::wgsl
