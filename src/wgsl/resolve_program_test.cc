// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// What a resolved program tells about its nodes: what lower/ relies on.
#include <algorithm>

#include "wgsl/resolve_test_util.h"

namespace lockstep::wgsl {
namespace {

using ::testing::ElementsAre;

TEST(ResolvedProgram, InfersTypesOfValues) {
  const Resolved r(
      "const a = 1; const b = 1.5; const c = vec3(1, 2.5, 3); const d = array(1u, 2);\n"
      "fn f(v: vec4f) {\n"
      "  let e = a; let g = b; let h = c; let i = d; let j = v.xy; let k = v * 2; let l = a << 3u; let m = v "
      "< v;\n"
      "  var n = vec2(a, b); let o = &n; let p = transpose(mat2x3f()); let q = frexp(1.5); let s = "
      "frexp(v);\n"
      "}");
  EXPECT_EQ(r.type("a"), "abstract-int");
  EXPECT_EQ(r.type("b"), "abstract-float");
  EXPECT_EQ(r.type("c"), "vec3<abstract-float>");
  EXPECT_EQ(r.type("d"), "array<u32, 2>");
  EXPECT_EQ(r.type("e"), "i32");
  EXPECT_EQ(r.type("g"), "f32");
  EXPECT_EQ(r.type("h"), "vec3<f32>");
  EXPECT_EQ(r.type("j"), "vec2<f32>");
  EXPECT_EQ(r.type("k"), "vec4<f32>");
  EXPECT_EQ(r.type("l"), "i32");
  EXPECT_EQ(r.type("m"), "vec4<bool>");
  EXPECT_EQ(r.type("n"), "vec2<f32>");
  EXPECT_EQ(r.type("o"), "ptr<function, vec2<f32>>");
  EXPECT_EQ(r.type("p"), "mat3x2<f32>");
  EXPECT_EQ(r.type("q"), "__frexp_result_f32");
  EXPECT_EQ(r.type("s"), "__frexp_result_vec4_f32");
}

TEST(ResolvedProgram, EvaluatesConstants) {
  const Resolved r(
      "const floor_value = i32(-2147483648);\n"
      "const mirrored = -1 * floor_value;\n"
      "struct S { a: i32, b: vec2f }\n"
      "const s = S(1, vec2(2, 3));\n"
      "const from_member = s.b.yx;\n"
      "const element = array(4, 5, 6)[1];\n"
      "const logic = false && 1 / 0 == 0;\n"
      "const picked = select(vec2(1), vec2(2), vec2(true, false));\n"
      "const product = mat2x2(1, 2, 3, 4) * vec2(1, 1);\n"
      "const clamped: f32 = clamp(5, 0, 3);\n"
      "const whole = modf(2.5).whole;\n"
      "const bits = bitcast<u32>(1f);\n"
      "const zero = array<vec2u, 2>();\n");
  EXPECT_EQ(r.value("mirrored"), "-2147483648i");
  EXPECT_EQ(r.value("from_member"), "vec2<f32>(3f, 2f)");
  EXPECT_EQ(r.value("element"), "5");
  EXPECT_EQ(r.value("logic"), "false");
  EXPECT_EQ(r.value("picked"), "vec2<abstract-int>(2, 1)");
  EXPECT_EQ(r.value("product"), "vec2<abstract-float>(4.0, 6.0)");
  EXPECT_EQ(r.value("clamped"), "3f");
  EXPECT_EQ(r.value("whole"), "2.0");
  EXPECT_EQ(r.value("bits"), "1065353216u");
  EXPECT_NE(r.value("zero"), "none");
}

TEST(ResolvedProgram, ConvertsOperandsToWhatTheirContextAsksFor) {
  const Resolved r("fn f(t: u32, g: f32) -> f32 { let s = 1 << t; return g + (2); }");
  const Program& p = *r.program;
  size_t shifts = 0, twos = 0;
  for (uint32_t i = 0; i < p.ast.exprs.size(); ++i) {
    const ast::ExprId id(i);
    const ast::Expr& e = p.ast.exprs[id];
    if (e.kind == ast::ExprKind::kBinary && e.binary == ast::BinaryOp::kShl) {
      EXPECT_EQ(p.info(e.a).converted, p.types.I32());
      EXPECT_EQ(p.info(e.a).type, p.types.AbstractInt());
      ++shifts;
    }
    if (e.kind == ast::ExprKind::kInt && e.int_value == 2) {  // inside the parentheses too
      EXPECT_EQ(p.info(id).converted, p.types.F32());
      EXPECT_EQ(p.constants[p.info(id).value].f, 2.0);
      ++twos;
    }
    // No abstract value is left to be made at run time.
    const ExprInfo& info = p.info(id);
    if (info.converted.has_value() && p.types.IsAbstract(info.converted)) {
      EXPECT_EQ(info.stage, Stage::kConst);
    }
  }
  EXPECT_EQ(shifts, 1u);
  EXPECT_EQ(twos, 1u);
}

TEST(ResolvedProgram, LaysOutStructures) {
  const Resolved r(
      "struct Inner { a: f32, b: vec3f }\n"
      "struct Outer { n: u32, @align(32) i: Inner, @size(20) s: f32, m: mat3x3f, t: array<vec2u> }\n"
      "@group(0) @binding(1) var<storage> buffer: Outer;");
  const Struct& outer = r.program->types.struct_of(r.variable("buffer").type);
  std::vector<uint32_t> offsets, sizes;
  for (const StructMember& member : outer.members) {
    offsets.push_back(member.offset);
    sizes.push_back(member.size);
  }
  EXPECT_THAT(offsets, ElementsAre(0, 32, 64, 96, 144));
  EXPECT_THAT(sizes, ElementsAre(4, 32, 20, 48, 8));
  EXPECT_EQ(outer.align, 32u);
  EXPECT_EQ(outer.size, 160u);
  EXPECT_EQ(r.variable("buffer").group, 0u);
  EXPECT_EQ(r.variable("buffer").binding, 1u);
}

// What a declaration uses through others is walked, not copied: a chain of 20,000 took 800 MB.
TEST(ResolvedProgram, AChainOfOverridesKeepsALinkEach) {
  constexpr size_t kLinks = 1000;
  std::string source = "override o0 = 1u;\n";
  for (size_t i = 1; i < kLinks; ++i) source += fmt::format("override o{} = o{} + 1;\n", i, i - 1);
  source += fmt::format("@compute @workgroup_size(o{}) fn main() {{}}", kLinks - 1);
  const Resolved r(source);
  size_t mentions = 0;
  for (const auto& list : r.program->mentions) mentions += list.size();
  EXPECT_EQ(mentions, kLinks);
  EXPECT_EQ(r.program->GlobalsOf(r.function("main").decl).size(), kLinks);
}

TEST(ResolvedProgram, ListsWhatFunctionsUse) {
  const Resolved r(
      "override size = base * 2; override base = 4u; override unused = 1;\n"
      "var<workgroup> tile: array<f32, size>;\n"
      "var<private> p: i32; var<private> q: i32;\n"
      "fn leaf() { p = 1; }\n"
      "fn other() { q = 2; }\n"
      "fn middle() { leaf(); leaf(); }\n"
      "@compute @workgroup_size(base) fn main() { middle(); tile[0] = 1; }");
  const auto names = [&](const Function& f) {
    std::vector<std::string> out;
    for (const VariableId id : r.program->GlobalsOf(f.decl)) out.push_back(r.program->variables[id].name);
    std::sort(out.begin(), out.end());
    return out;
  };
  EXPECT_THAT(names(r.function("leaf")), ElementsAre("p"));
  EXPECT_THAT(names(r.function("middle")), ElementsAre("p"));
  EXPECT_THAT(names(r.function("main")), ElementsAre("base", "p", "size", "tile"));
  EXPECT_EQ(r.function("middle").callees.size(), 1u);
  EXPECT_TRUE(r.program->FindEntryPoint("main").has_value());
  EXPECT_FALSE(r.program->FindEntryPoint("leaf").has_value());
  EXPECT_TRUE(r.function("main").workgroup_size[0].has_value());
  EXPECT_FALSE(r.function("main").workgroup_size[1].has_value());
  std::vector<std::string> overrides;
  for (const VariableId id : r.program->overrides) overrides.push_back(r.program->variables[id].name);
  EXPECT_THAT(overrides, ElementsAre("size", "base", "unused"));
}

TEST(ResolvedProgram, PutsCalleesBeforeCallers) {
  const Resolved r("fn a() { b(); c(); } fn b() { c(); } fn c() { }");
  std::vector<std::string> order;
  for (const Function& f : r.program->functions) order.push_back(f.name);
  EXPECT_THAT(order, ElementsAre("c", "b", "a"));
}

TEST(ResolvedProgram, SelectorsAreOfTheSwitchesType) {
  const Resolved r("const two = 2; fn f(u: u32) { switch u { case 1, two { } default { } case 3u, { } } }");
  for (uint32_t i = 0; i < r.program->ast.stmts.size(); ++i) {
    const ast::StmtId id(i);
    if (r.program->ast.stmts[id].kind != ast::StmtKind::kSwitch) continue;
    const StmtInfo& info = r.program->info(id);
    EXPECT_EQ(info.selector_type, r.program->types.U32());
    ASSERT_EQ(info.selectors.size(), 3u);
    ASSERT_EQ(info.selectors[0].size(), 2u);
    EXPECT_EQ(r.program->constants[info.selectors[0][1]].i, 2);
    EXPECT_EQ(r.program->constants[info.selectors[0][1]].type, r.program->types.U32());
    EXPECT_FALSE(info.selectors[1][0].has_value());
  }
}

TEST(ResolvedProgram, KnowsHowStatementsEnd) {
  const Resolved r("fn f(b: bool) -> i32 { loop { if b { break; } continuing { break if b; } } return 1; }");
  const Program& p = *r.program;
  for (uint32_t i = 0; i < p.ast.stmts.size(); ++i) {
    const ast::StmtId id(i);
    const StmtInfo& info = p.info(id);
    if (p.ast.stmts[id].kind == ast::StmtKind::kLoop) {
      EXPECT_TRUE(info.can_next);
      EXPECT_FALSE(info.can_break);
    }
    if (p.ast.stmts[id].kind == ast::StmtKind::kIf) {
      EXPECT_TRUE(info.can_break && info.can_next);
    }
    if (p.ast.stmts[id].kind == ast::StmtKind::kReturn) {
      EXPECT_TRUE(info.can_return && !info.can_next);
    }
  }
}

TEST(ResolvedProgram, ViewsOfSwizzlesBecomePlainTargets) {
  const Resolved r(
      "fn f(i: u32) { var v = vec4u(); v.xxyy.zxy.xy = vec2u(1, 2); v.zy[1] = 3; v.wz[i] = 4; }");
  const Program& p = *r.program;
  std::vector<std::string> targets;
  for (uint32_t k = 0; k < p.ast.stmts.size(); ++k) {
    const ast::Stmt& s = p.ast.stmts[ast::StmtId(k)];
    if (s.kind != ast::StmtKind::kAssign) continue;
    const ExprInfo& target = p.info(s.a);
    EXPECT_EQ(p.ast.exprs[p.ast.exprs[s.a].a].kind, ast::ExprKind::kIdentifier);  // v itself
    if (target.use == ExprUse::kSwizzle)
      targets.push_back("swizzle " + std::to_string(target.swizzle[0]) + std::to_string(target.swizzle[1]));
    if (target.use == ExprUse::kComponent) targets.push_back("component " + std::to_string(target.part));
    if (p.ast.exprs[s.a].kind == ast::ExprKind::kIndex) {
      const ast::Expr& index = p.ast.exprs[p.ast.exprs[s.a].b];
      targets.push_back("index " + ToString(p.types, p.constants, p.info(index.a).value));
    }
  }
  EXPECT_THAT(targets, ElementsAre("swizzle 10", "component 1", "index vec2<u32>(3u, 2u)"));
}

TEST(ResolvedProgram, ArraysOfOneOverrideAreOfOneType) {
  const Resolved r(
      "override n = 4; override m = 4;\n"
      "var<workgroup> a: array<u32, n>; var<workgroup> b: array<u32, n>; var<workgroup> c: array<u32, m>;\n"
      "var<workgroup> d: array<u32, 4i>; var<workgroup> e: array<u32, 4u>;");
  EXPECT_EQ(r.variable("a").type, r.variable("b").type);
  EXPECT_NE(r.variable("a").type, r.variable("c").type);
  EXPECT_EQ(r.variable("d").type, r.variable("e").type);
  EXPECT_EQ(r.type("c"), "array<u32, m>");
}

// The specification's chains and cycles are short; generated shaders' are not.
TEST(ResolvedProgram, StandsLongChainsOfDeclarations) {
  std::string constants = "const c0 = 1;\n", functions = "fn f0() { }\n", cycle;
  for (int i = 1; i < 20000; ++i) {
    const std::string n = std::to_string(i), before = std::to_string(i - 1);
    constants.insert(0, "const c" + n + " = c" + before + " + 1;\n");
    functions += "fn f" + n + "() { f" + before + "(); f" + before + "(); }\n";
    cycle += "const d" + n + " = d" + std::to_string(i % 19999 + 1) + ";\n";
  }
  EXPECT_EQ(ErrorsOf(constants), "");
  EXPECT_EQ(ErrorsOf(functions), "");
  EXPECT_THAT(ErrorsOf(cycle), ::testing::HasSubstr("must not depend on each other in a circle"));
}

TEST(ResolvedProgram, WideNestedStructuresCostNothing) {
  std::string source = "struct S0 { a: u32 }\n";
  for (int i = 1; i < 5; ++i) {
    source += "struct S" + std::to_string(i) + " {";
    for (int m = 0; m < 100; ++m) source += "m" + std::to_string(m) + ": S" + std::to_string(i - 1) + ", ";
    source += "}\n";
  }
  source +=
      "struct Q1 { a: S4 } struct Q2 { a: Q1 } struct Q3 { a: Q2 } @group(0) @binding(0) var<storage> b: "
      "Q3;\n";
  EXPECT_EQ(ErrorsOf(source), "");
}

}  // namespace
}  // namespace lockstep::wgsl
