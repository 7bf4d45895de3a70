// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "runner/collect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::runner {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kShader = R"(
override tile: u32 = 4;
const kSize = 3;
struct Lamp { colour: vec3f, power: f32, kinds: array<u32, kSize> }
struct Log { count: atomic<u32>, lines: array<vec2u> }
alias Lamps = array<Lamp, 2>;
@group(0) @binding(0) var<storage, read> prices: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<atomic<u32>, 6>;
@group(0) @binding(2) var<uniform> lamp: Lamp;
@group(1) @binding(0) var<storage, read_write> log: Log;
var<workgroup> scratch: array<u32, 4>;
fn helper() -> u32 { return tile; }
@compute @workgroup_size(1) fn main() {
  scratch[0] = helper();
  atomicAdd(&out[0], u32(prices[0] + lamp.power) + scratch[0]);
  atomicAdd(&log.count, 1u);
}
@compute @workgroup_size(1) fn other() {}
)";

struct Collected {
  explicit Collected(const std::string& comments, const DescriptionFlags& flags = {},
                     const char* shader = kShader)
      : file("dir/a.wgsl", comments + shader) {
    diag::Sink sink;
    program = wgsl::Compile(file, {}, sink);
    EXPECT_TRUE(program.has_value()) << RenderText(sink, file);
    if (!program) return;
    names.emplace(&*program);
    result = CollectDescription(file, *names, flags, description);
  }
  std::string Error() const { return result.ok() ? "" : result.failure().message; }
  std::string Warning() const { return description.warnings.empty() ? "" : description.warnings[0].message; }

  SourceFile file;
  std::optional<wgsl::Program> program;
  std::optional<ShaderNames> names;
  RunDescription description;
  Result<> result = Ok();
};

TEST(LineComments, OnlyThoseFirstOnTheirLine) {
  const std::string text = "// a\n  \t// b\nx // c\n/* // d\n// e /* // f */ */ // g\n/// h\n// i";
  std::vector<std::string> found;
  for (const Span span : LineComments(text)) found.push_back(text.substr(span.begin, span.end - span.begin));
  EXPECT_EQ(found, (std::vector<std::string>{" a", " b", "/ h", " i"}));
  EXPECT_EQ(LineComments("// a\xe2\x80\xa8// b").size(), 2u);  // a line separator ends a line
  EXPECT_TRUE(LineComments("/* never closed // x\n// y").empty());
}

TEST(Collect, AWholeRun) {
  const Collected c(
      "// out: 6 x u32, dispatch 16 // remark\n// expect out: 1, ...\n// entry main\n// override tile = 8\n");
  ASSERT_TRUE(c.result.ok()) << c.Error();
  EXPECT_TRUE(c.description.warnings.empty()) << c.Warning();
  ASSERT_EQ(c.description.buffers.size(), 1u);
  EXPECT_EQ(c.description.buffers[0].type.layout.size, 24u);
  EXPECT_EQ(c.description.buffers[0].origin.place, "dir/a.wgsl:1:4");
  EXPECT_EQ(c.description.buffers[0].origin.folder, "dir");
  EXPECT_EQ(c.description.dispatches.at(0).item.size[0], 16u);
  EXPECT_EQ(c.description.dispatches.at(0).origin.place, "dir/a.wgsl:1:18");
  EXPECT_EQ(c.description.entry->item.name, "main");
  EXPECT_EQ(c.description.overrides.at(0).item.value, "8");
  EXPECT_EQ(c.description.expects.size(), 1u);
}

TEST(Collect, ProseStaysProse) {
  const char* lines[] = {"// entry point",
                         "// dispatch the rest",
                         "// TODO: fix this",
                         "// note: 6 x u32",
                         "// dispatch",
                         "// the out: 6 x u32",
                         "// expect nothing",
                         "// override the default",
                         "// expect the sum to be right",
                         "//! dispatch 16!",
                         "/* out: 6 x u32 */",
                         "let_ // dispatch 4",
                         "// tile: f32",
                         "// scratch: 4 x u32",
                         "// 3.4: u32",
                         "// don't",
                         "//",
                         "// https://example.org/a,b"};
  for (const char* line : lines) {
    if (std::string_view(line).substr(0, 4) == "let_") continue;
    const Collected c(std::string(line) + "\n");
    ASSERT_TRUE(c.result.ok()) << line << ": " << c.Error();
    EXPECT_TRUE(c.description.warnings.empty()) << line << ": " << c.Warning();
    EXPECT_TRUE(c.description.buffers.empty() && c.description.dispatches.empty() && !c.description.entry)
        << line;
  }
}

TEST(Collect, WarnsOfWhatBeginsLikeADirective) {
  const std::pair<const char*, const char*> lines[] = {
      {"// out: the result", "'the' is not a type"},
      {"// out: result", "'result' is not a type"},
      {"// 0.1: results", "'results' is not a type"},
      {"// out: 6 y u32", "expected 'x' and a type"},
      {"// out: 6 x u33, dispatch 16", "'u33' is not a type"},
      {"// dispatch 16 workgroups", "expected 'entry NAME'"},
      {"// entry main is the one", "expected nothing"},
      {"// expect out to be right", "expected ':'"},
      {"// override tile is free", "expected '='"},
      {"// dispatch indirect log later", "expected 'entry NAME'"},
      {"// out: bool", "not host-shareable"}};
  for (const auto& [line, message] : lines) {
    const Collected c(std::string(line) + "\n");
    ASSERT_TRUE(c.result.ok()) << line << ": " << c.Error();
    ASSERT_EQ(c.description.warnings.size(), 1u) << line;
    EXPECT_THAT(c.Warning(), HasSubstr(message)) << line;
    EXPECT_TRUE(c.description.dispatches.empty()) << line;
  }
}

TEST(Collect, MistakesInDirectivesNameTheirPlaceAndTheWayOut) {
  const std::pair<const char*, const char*> lines[] = {
      {"// dispatch 16, outt: 6 x u32", "dir/a.wgsl:1:17: there is no resource 'outt': did you mean 'out'?"},
      {"// dispatch 1, scratch: 4 x u32", "'scratch' is not a resource"},
      {"// dispatch 1 entry mian", "there is no compute entry point 'mian': did you mean 'main'?"},
      {"// entry helper", "there is no compute entry point 'helper'"},
      {"// override tiel = 4", "there is no override 'tiel': did you mean 'tile'?"},
      {"// expect oout: 1, 2", "there is no resource 'oout': did you mean 'out'?"},
      {"// expect 7.7: 1, 2", "there is no resource '7.7': the shader has prices, out, lamp, log"},
      {"// out: 6 x u32\n// out: 6 x u32",
       "dir/a.wgsl:2:4: 'out' is described twice: the first time by dir/a.wgsl:1:4"},
      {"// out: 6 x u32, 0.1: 6 x u32", "'0.1' is described twice"},
      {"// entry main\n// entry other", "the entry point is given twice"},
      {"// override tile = 1, override tile = 2", "the override 'tile' is given twice"},
      {"// dispatch 1 override tile = 1 override tile = 2", "the override 'tile' is given twice"},
      {"// dispatch 1, dispatch indirect lgo", "there is no resource 'lgo': did you mean 'log'?"}};
  for (const auto& [line, message] : lines) {
    const Collected c(std::string(line) + "\n");
    ASSERT_FALSE(c.result.ok()) << line;
    EXPECT_EQ(c.result.failure().kind, FailureKind::kUsage);
    EXPECT_THAT(c.Error(), HasSubstr(message)) << line;
    EXPECT_THAT(c.Error(), StartsWith("dir/a.wgsl:")) << line;
  }
}

TEST(Collect, FlagsWin) {
  DescriptionFlags flags;
  flags.buffers = {"out: 7 x u32"};
  flags.dispatches = {"2", "dispatch 3 entry other"};
  flags.expects = {"out: 5, ..."};
  flags.overrides = {"tile=9"};
  flags.entry = "other";
  const Collected c(
      "// out: 6 x u32 = 1, prices: 4 x f32, dispatch 16, entry main, override tile = 1\n// expect out: 1, "
      "...\n// expect log: 1, ...\n",
      flags);
  ASSERT_TRUE(c.result.ok()) << c.Error();
  ASSERT_EQ(c.description.buffers.size(), 2u);
  EXPECT_EQ(c.description.buffers[0].type.count, 7u);
  EXPECT_EQ(c.description.buffers[0].item.init.form, Initializer::Form::kZero);
  EXPECT_EQ(c.description.buffers[0].origin.folder, "");
  ASSERT_EQ(c.description.dispatches.size(), 2u);
  EXPECT_EQ(c.description.dispatches[1].item.entry, "other");
  ASSERT_EQ(c.description.expects.size(), 2u);
  EXPECT_EQ(c.description.expects[0].item.name.identifier, "log");
  EXPECT_EQ(c.description.overrides.at(0).item.value, "9");
  EXPECT_EQ(c.description.entry->item.name, "other");
}

TEST(Collect, MistakesInFlagsNameTheFlag) {
  DescriptionFlags flags;
  flags.buffers = {"nope: 4 x u32"};
  EXPECT_THAT(Collected("", flags).Error(),
              StartsWith("--buffer 'nope: 4 x u32': there is no resource 'nope'"));
  flags = {};
  flags.entry = "mian";
  EXPECT_THAT(Collected("", flags).Error(), StartsWith("--entry: there is no compute entry point 'mian'"));
  flags = {};
  flags.dispatches = {"many"};
  EXPECT_THAT(CheckFlags(flags).failure().message,
              StartsWith("--dispatch 'many': expected a number of workgroups"));
  flags = {};
  flags.overrides = {"tile"};
  EXPECT_THAT(CheckFlags(flags).failure().message, StartsWith("--override 'tile': expected '='"));
}

TEST(Collect, FlagsWinOverADispatchsOwnValues) {
  DescriptionFlags flags;
  flags.entry = "other";
  flags.overrides = {"tile = 2"};
  Collected same("// dispatch 16 entry main override tile = 1, dispatch 2 entry main", flags);
  ASSERT_TRUE(same.result.ok()) << same.Error();
  EXPECT_TRUE(same.description.dispatches[0].item.overrides.empty());
  EXPECT_EQ(same.description.dispatches[0].item.entry, "");
  EXPECT_EQ(same.description.dispatches[1].item.entry, "");
  Collected some("// dispatch 16 entry main, dispatch 2", flags);
  EXPECT_EQ(some.description.dispatches[0].item.entry, "main");
  EXPECT_EQ(some.description.dispatches[1].item.entry, "");
  EXPECT_EQ(Collected("// dispatch 16 entry main, dispatch 2 entry other", flags).Error(),
            "--entry: the dispatches of the file have entry points of their own (main, other): say with "
            "--dispatch what is to run");
  flags.dispatches = {"1 entry main override tile = 3"};
  Collected by_flag("// dispatch 16 entry main override tile = 1", flags);
  EXPECT_EQ(by_flag.description.dispatches[0].item.entry, "main");
  EXPECT_EQ(by_flag.description.dispatches[0].item.overrides.size(), 1u);
}

struct TypeCase {
  const char* text;
  std::optional<uint64_t> count;
  const char* type;
  uint64_t shown_count, size, scalars;
};

TEST(Describe, Types) {
  Collected c("");
  const TypeCase cases[] = {
      {"u32", 6, "u32", 6, 24, 6},
      {"atomic<u32>", 6, "u32", 6, 24, 6},
      {"vec3f", 2, "vec3<f32>", 2, 32, 6},
      {"vec3<f32>", std::nullopt, "vec3<f32>", 1, 12, 3},
      {"mat3x3f", 1, "mat3x3<f32>", 1, 48, 9},
      {"mat2x4<f32>", std::nullopt, "mat2x4<f32>", 1, 32, 8},
      {"array<vec2i, 3>", std::nullopt, "vec2<i32>", 3, 24, 6},
      {"array<u32, kSize>", 2, "array<u32, 3>", 2, 24, 6},
      {"Lamp", 2, "Lamp", 2, 64, 14},
      {"Lamps", std::nullopt, "Lamp", 2, 64, 14},
      {"Log", 3, "Log", 3, 32, 7},
      {"array<f32>", 5, "f32", 5, 20, 5},
      {"f32", 4000000000, "f32", 4000000000, 16000000000, 4000000000},
  };
  for (const TypeCase& t : cases) {
    std::string error;
    const std::optional<TypedLayout> typed = c.names->Describe(t.text, t.count, error);
    ASSERT_TRUE(typed) << t.text << ": " << error;
    EXPECT_EQ(typed->type, t.type) << t.text;
    EXPECT_EQ(typed->count, t.shown_count) << t.text;
    EXPECT_EQ(typed->layout.size, t.size) << t.text;
    EXPECT_EQ(typed->layout.scalars, t.scalars) << t.text;
  }
  const std::pair<const char*, const char*> bad[] = {{"bool", "not host-shareable"},
                                                     {"array<bool, 2>", "not host-shareable"},
                                                     {"vec5f", "'vec5f' is not a type"},
                                                     {"vec3<bool>", "a vector here is of"},
                                                     {"mat2x2<u32>", "a matrix is of f32"},
                                                     {"atomic<f32>", "an atomic is of i32 or u32"},
                                                     {"array<u32, 0>", "length"},
                                                     {"array<u32, tile>", "length"},
                                                     {"array<u32", "expected '>'"},
                                                     {"u32 x", "'x' is not a type"},
                                                     {"array<u32, 4294967296>", "too large"},
                                                     {"vec3", "expected '<'"},
                                                     {"main", "'main' is not a type"},
                                                     {"Log>", "is not a type"}};
  for (const auto& [text, message] : bad) {
    std::string error;
    EXPECT_FALSE(c.names->Describe(text, 2, error)) << text;
    EXPECT_THAT(error, HasSubstr(message)) << text;
  }
  std::string deep, error;
  for (int i = 0; i < 100000; ++i) deep += "array<";
  EXPECT_FALSE(c.names->Describe(deep, 1, error));
}

TEST(ShaderNames, ResourcesAreAsDeclared) {
  Collected c("");
  const Resource* prices = c.names->Find({"prices", {}});
  ASSERT_NE(prices, nullptr);
  EXPECT_TRUE(prices->runtime_sized);
  EXPECT_FALSE(prices->writable);
  EXPECT_EQ(prices->min_size, 4u);
  EXPECT_EQ(c.names->ExampleFor(*prices), "prices: COUNT x f32");
  const Resource* log = c.names->Find({"", {1, 0}});
  ASSERT_NE(log, nullptr);
  EXPECT_EQ(c.names->ExampleFor(*log), "log: COUNT x Log");
  EXPECT_EQ(c.names->OfResource(*c.names->Find({"out", {}})).count, 6u);
  EXPECT_TRUE(c.names->Find({"lamp", {}})->uniform);
}

}  // namespace
}  // namespace lockstep::runner
