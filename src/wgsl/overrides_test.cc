// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "wgsl/program.h"

namespace lockstep::wgsl {
namespace {

using Given = std::map<std::string, double>;
using testing::HasSubstr;

// A compiled shader whose entry point is `main`, with overrides evaluated: values by name, errors as text.
struct Evaluated {
  explicit Evaluated(std::string text, const Given& given = {}) : file("a.wgsl", std::move(text)) {
    program = Compile(file, {}, sink);
    EXPECT_TRUE(program.has_value()) << diag::RenderText(sink, file);
    if (!program) return;
    values = EvaluateOverrides(*program, program->FindEntryPoint("main"), given, sink);
    for (const diag::Diagnostic& d : sink.diagnostics()) {
      if (d.severity != diag::Severity::kError) continue;
      const Position at = file.PositionOf(d.span.begin);
      errors += fmt::format("{}:{}: {}\n", at.line, at.column, d.message);
      for (const diag::Note& note : d.notes) errors += fmt::format("  {}\n", note.message);
    }
  }
  std::string Value(std::string_view name) const {
    if (!values) return errors;
    for (const VariableId id : program->overrides) {
      if (program->variables[id].name != name) continue;
      const ConstantId value = values->Value(id);
      return value.has_value() ? ToString(program->types, program->constants, value) : "none";
    }
    return "no such override";
  }

  SourceFile file;
  diag::Sink sink;
  std::optional<Program> program;
  std::optional<OverrideValues> values;
  std::string errors;
};

// An entry point with `body`, after `globals`.
std::string Shader(std::string globals, std::string body, std::string size = "1") {
  return globals + "\n@compute @workgroup_size(" + size + ") fn main() {\n" + body + "\n}\n";
}

TEST(Overrides, InitializersAndGivenValues) {
  const std::string text = Shader("override a: i32 = 3;\noverride b = a * 2;\n@id(7) override c: f32 = 1.5;",
                                  "let x = f32(b) + c;");
  EXPECT_EQ(Evaluated(text).Value("b"), "6i");
  EXPECT_EQ(Evaluated(text, {{"a", 5}}).Value("b"), "10i");
  EXPECT_EQ(Evaluated(text, {{"b", 1}}).Value("b"), "1i");
  EXPECT_EQ(Evaluated(text, {{"7", 0.1}}).Value("c"), "0.1f");
}

TEST(Overrides, NumbersConvertAsInWebGpu) {
  const std::string text =
      Shader("override b: bool = false;\noverride i: i32 = 0;\noverride u: u32 = 0;\noverride f: f32 = 0;",
             "let x = select(f32(i), f32(u), b) + f;");
  EXPECT_EQ(Evaluated(text, {{"b", 0.5}}).Value("b"), "true");
  EXPECT_EQ(Evaluated(text, {{"b", std::nan("")}}).Value("b"), "false");
  EXPECT_EQ(Evaluated(text, {{"i", -1.9}}).Value("i"), "-1i");
  EXPECT_EQ(Evaluated(text, {{"u", 4294967295.0}}).Value("u"), "4294967295u");
  EXPECT_THAT(Evaluated(text, {{"u", -1}}).errors,
              HasSubstr("value -1 given for override 'u' cannot be represented as 'u32'"));
  EXPECT_THAT(Evaluated(text, {{"i", 2147483648.0}}).errors, HasSubstr("cannot be represented as 'i32'"));
  EXPECT_THAT(Evaluated(text, {{"i", std::nan("")}}).errors, HasSubstr("value nan given for override 'i'"));
  EXPECT_THAT(Evaluated(text, {{"f", 1e39}}).errors, HasSubstr("value 1e+39 given for override 'f'"));
  EXPECT_THAT(Evaluated(text, {{"f", std::numeric_limits<double>::infinity()}}).errors,
              HasSubstr("override 'f'"));
}

TEST(Overrides, UnknownAndMissing) {
  const std::string text =
      Shader("@id(7) override c: f32 = 1.5;\noverride needed: u32;\noverride unused: u32;",
             "let x = c + f32(needed);");
  EXPECT_EQ(Evaluated(text).errors,
            "2:10: override 'needed' has no initializer and no value was given for it\n");
  EXPECT_EQ(Evaluated(text, {{"needed", 1}}).Value("needed"), "1u");
  EXPECT_THAT(Evaluated(text, {{"needed", 1}, {"other", 1}}).errors,
              HasSubstr("no override is named 'other'"));
  EXPECT_THAT(Evaluated(text, {{"needed", 1}, {"c", 1}}).errors,
              HasSubstr("override 'c' is set by its @id 7"));
}

TEST(Overrides, DivisionByAnOverrideThatIsZero) {
  const std::string text = Shader("override n: u32 = 4;\nvar<private> p: u32;", "p = 12 / n;\np %= n;");
  EXPECT_EQ(Evaluated(text).errors, "");
  EXPECT_EQ(Evaluated(text, {{"n", 0}}).errors,
            "4:5: division by zero\n  override 'n' is 0u here\n"
            "5:6: remainder of a division by zero\n  override 'n' is 0u here\n");
  const std::string runtime = Shader("override n: u32 = 4;\nvar<private> p: u32;", "p = p / n;");
  EXPECT_EQ(Evaluated(runtime, {{"n", 0}}).errors, "4:9: division by zero\n  override 'n' is 0u here\n");
}

TEST(Overrides, OverflowAndDomain) {
  EXPECT_THAT(
      Evaluated(Shader("override x: f32 = 1;\noverride y = x * 1e30;", "let z = y;"), {{"x", 1e30}}).errors,
      HasSubstr("2:14: '1e+30f * 1e+30f' cannot be represented as 'f32'\n  override 'x' is 1e+30f here"));
  EXPECT_THAT(Evaluated(Shader("override x: f32 = 1;", "let z = sqrt(x);"), {{"x", -1}}).errors,
              HasSubstr("'sqrt' needs a value of at least 0, not -1f"));
  EXPECT_THAT(
      Evaluated(Shader("override x: f32 = 1;\nvar<private> p: f32;", "p = clamp(p, x, 2);"), {{"x", 3}})
          .errors,
      HasSubstr("'clamp' needs low <= high, but low is 3f and high is 2f"));
  EXPECT_THAT(
      Evaluated(Shader("override s: u32 = 1;\nvar<private> p: u32;", "p = p << s;"), {{"s", 32}}).errors,
      HasSubstr("shift by 32 is too far: 'u32' has 32 bits"));
}

TEST(Overrides, ShortCircuitsAreNotEvaluated) {
  const std::string text = Shader("override n: u32 = 0;\noverride ok = n != 0 && 8 / n > 1;",
                                  "if ok || n == 0 || 1 / n == 2 { return; }");
  EXPECT_EQ(Evaluated(text).Value("ok"), "false");
  EXPECT_EQ(Evaluated(text, {{"n", 2}}).Value("ok"), "true");
  const std::string runtime =
      Shader("override n: u32 = 0;\nvar<private> p: u32;", "if n != 0 && p / n == 1 { return; }");
  EXPECT_EQ(Evaluated(runtime).errors, "");
}

TEST(Overrides, Indices) {
  const std::string text =
      Shader("override i: u32 = 1;\nvar<private> a: array<u32, 4>;", "let x = a[i];\na[i + 1] = 2;");
  EXPECT_EQ(Evaluated(text).errors, "");
  EXPECT_EQ(
      Evaluated(text, {{"i", 3}}).errors,
      "5:3: index 4 is out of range for 'array<u32, 4>', which has 4 elements\n  override 'i' is 3u here\n");
  const std::string value = Shader("override i: i32 = 1;", "let x = vec3(1, 2, 3)[i];");
  EXPECT_THAT(Evaluated(value, {{"i", -1}}).errors, HasSubstr("index -1 is out of range for 'vec3<i32>'"));
}

TEST(Overrides, ArraySizes) {
  const std::string text =
      Shader("override n: u32 = 4;\nvar<workgroup> t: array<f32, n * 2>;", "t[7] = 1;\nlet p = &t[n];");
  EXPECT_EQ(Evaluated(text).errors, "");
  EXPECT_THAT(Evaluated(text, {{"n", 2}}).errors, HasSubstr("index 7 is out of range for"));
  EXPECT_EQ(Evaluated(text, {{"n", 0}}).errors,
            "2:30: the element count of an array must be at least 1, not 0\n  override 'n' is 0u here\n");
  const Evaluated run(text, {{"n", 16}});
  ASSERT_TRUE(run.values.has_value());
  for (const VariableId id : run.program->global_vars) {
    const ConstantId count =
        run.values->Value(run.program->types[run.program->variables[id].type].override_count);
    EXPECT_EQ(ToString(run.program->types, run.program->constants, count), "32u");
  }
}

TEST(Overrides, WorkgroupSizes) {
  const std::string text = Shader("override x: u32 = 8;", "", "x, x - 4");
  EXPECT_EQ(Evaluated(text).errors, "");
  EXPECT_EQ(Evaluated(text, {{"x", 4}}).errors,
            "2:29: a workgroup size must be at least 1, not 0\n  override 'x' is 4u here\n");
}

TEST(Overrides, OnlyWhatTheEntryPointReachesCounts) {
  const std::string text =
      "override n: u32 = 0;\nvar<private> p: u32;\nfn bad() { p = p / n; }\nfn good() { p = p + n; }\n"
      "@compute @workgroup_size(1) fn main() { good(); }\n@compute @workgroup_size(1) fn other() { bad(); "
      "}\n";
  EXPECT_EQ(Evaluated(text).errors, "");
  Evaluated run(text);
  diag::Sink sink;
  EXPECT_FALSE(EvaluateOverrides(*run.program, run.program->FindEntryPoint("other"), {}, sink).has_value());
  EXPECT_EQ(sink.diagnostics()[0].message, "division by zero");
}

TEST(Overrides, LongChainsDoNotRecurse) {
  std::string text = "override o0: u32 = 1;\n";
  for (int i = 1; i < 3000; ++i) text += fmt::format("override o{} = o{} + 1;\n", i, i - 1);
  EXPECT_EQ(Evaluated(Shader(text, "let x = o2999;")).Value("o2999"), "3000u");
}

TEST(Overrides, LongElseChainsAreWalked) {
  std::string body = "if n == 0 { }";
  for (int i = 1; i < 600; ++i) body += fmt::format("\nelse if n == {} {{ }}", i);
  EXPECT_EQ(Evaluated(Shader("override n: u32 = 1;", body)).errors, "");
}

}  // namespace
}  // namespace lockstep::wgsl
