// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// lockstep check, show, devices and the program's own manners.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace lockstep::cli_test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class CheckCommand : public CliTest {};

constexpr const char* kGood = "@compute @workgroup_size(1) fn main() {}\n";
constexpr const char* kBad = "@compute @workgroup_size(1) fn main() {\n  let x = nope;\n}\n";
constexpr const char* kBadPipeline = "override n: u32 = 1000;\n@compute @workgroup_size(n) fn main() {}\n";

TEST_F(CheckCommand, AGoodShaderIsSilent) {
  Write("good.wgsl", kGood);
  const Outcome check = Run({"check", "good.wgsl"});
  EXPECT_EQ(check.status, 0);
  EXPECT_EQ(check.out, "");
  EXPECT_EQ(check.err, "");
}

TEST_F(CheckCommand, ErrorsPointAtTheSource) {
  Write("bad.wgsl", kBad);
  const Outcome check = Run({"check", "bad.wgsl"});
  EXPECT_EQ(check.status, 1);
  EXPECT_THAT(check.out, StartsWith("bad.wgsl:2:11: error: "));
  EXPECT_THAT(check.out, HasSubstr("\n    let x = nope;\n            ^~~~\n"));
}

TEST_F(CheckCommand, JsonIsALineAFile) {
  Write("good.wgsl", kGood);
  Write("bad.wgsl", kBad);
  const Outcome check = Run({"check", "good.wgsl", "missing.wgsl", "bad.wgsl", "--json"});
  EXPECT_EQ(check.status, 2);
  std::vector<json> lines;
  std::istringstream stream(check.out);
  for (std::string line; std::getline(stream, line);) lines.push_back(json::parse(line, nullptr, false));
  ASSERT_EQ(lines.size(), 3u) << check.out;
  EXPECT_EQ(lines[0], json({{"file", "good.wgsl"}, {"ok", true}, {"diagnostics", json::array()}}));
  EXPECT_EQ(lines[1]["file"], "missing.wgsl");
  EXPECT_EQ(lines[1]["error"]["status"], 2);
  EXPECT_EQ(lines[2]["ok"], false);
  const json& diagnostic = lines[2]["diagnostics"].at(0);
  EXPECT_EQ(diagnostic["severity"], "error");
  EXPECT_EQ(diagnostic["line"], 2);
  EXPECT_EQ(diagnostic["column"], 11);
  EXPECT_EQ(diagnostic["end_line"], 2);
  EXPECT_EQ(diagnostic["end_column"], 15);
  EXPECT_EQ(diagnostic["stage"], "module");
  EXPECT_TRUE(diagnostic["rule"].is_null());
}

TEST_F(CheckCommand, ColumnsCountUtf16Units) {
  Write("emoji.wgsl", "@compute @workgroup_size(1) fn main() { /* \xf0\x9f\x98\x80 */ let x = nope; }\n");
  const Outcome check = Run({"check", "emoji.wgsl", "--json"});
  EXPECT_EQ(json::parse(check.out)["diagnostics"][0]["column"], 58);
}

TEST_F(CheckCommand, PipelinesAreMadeWithDefaultOverrides) {
  Write("p.wgsl", kBadPipeline);
  const Outcome check = Run({"check", "p.wgsl", "--json"});
  EXPECT_EQ(check.status, 1);
  const json document = json::parse(check.out);
  EXPECT_EQ(document["diagnostics"][0]["stage"], "pipeline");
  EXPECT_EQ(document["diagnostics"][0]["line"], 2);
  EXPECT_EQ(Run({"check", "p.wgsl", "--module-only"}).status, 0);
  EXPECT_EQ(Run({"check", "p.wgsl", "--overrides", "n=64"}).status, 0);
  EXPECT_EQ(Run({"check", "p.wgsl", "--overrides", "n"}).status, 2);
}

TEST_F(CheckCommand, NamesFromAFile) {
  Write("good.wgsl", kGood);
  Write("bad.wgsl", kBad);
  Write("list", "good.wgsl\n\nbad.wgsl\r\n");
  EXPECT_EQ(Run({"check", "--files-from", "list"}).status, 1);
  EXPECT_EQ(Run({"check", "--files-from", "none"}).status, 2);
  EXPECT_EQ(Run({"check"}).status, 2);
}

TEST_F(CheckCommand, UniformityCarriesItsRule) {
  Write("u.wgsl", R"(
@group(0) @binding(0) var<storage, read_write> a: array<u32>;
@compute @workgroup_size(4) fn main() { if (a[0] == 1) { workgroupBarrier(); } }
)");
  const Outcome check = Run({"check", "u.wgsl", "--json"});
  EXPECT_EQ(check.status, 1) << check.out;
}

TEST_F(CheckCommand, LongSourcesAreQuick) {
  std::string source = kGood;
  for (int i = 0; i < 5000; ++i)
    source += "fn f" + std::to_string(i) + "(a: u32) -> u32 {\n  return a * " + std::to_string(i) + "u;\n}\n";
  Write("long.wgsl", source);
  EXPECT_EQ(Run({"check", "long.wgsl"}).status, 0);
}

class ShowCommand : public CliTest {};

TEST_F(ShowCommand, EveryForm) {
  Write("a.wgsl",
        "@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n@compute @workgroup_size(8) fn "
        "main(@builtin(local_invocation_index) i: u32) { o[i] = i * 3u; }\n");
  const std::pair<const char*, const char*> forms[] = {{"tokens", "workgroup_size"}, {"ast", "main"},
                                                       {"ir", "fn @main()"},         {"lanes", "main"},
                                                       {"llvm", "define"},           {"asm", ".text"}};
  for (const auto& [form, text] : forms) {
    const Outcome show = Run({"show", "a.wgsl", std::string("--emit=") + form});
    EXPECT_EQ(show.status, 0) << form << show.err;
    EXPECT_THAT(show.out, HasSubstr(text)) << form;
  }
  const Outcome passes = Run({"show", "a.wgsl", "--emit=ir", "--print-after", "all"});
  EXPECT_EQ(passes.status, 0);
  EXPECT_THAT(passes.out, StartsWith("// after "));
  const Outcome none = Run({"show", "a.wgsl", "--print-after", "nothing"});
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("there is no pass 'nothing': expected all, "));
  EXPECT_EQ(Run({"show", "a.wgsl", "--emit=spirv"}).status, 2);
  EXPECT_EQ(Run({"show", "a.wgsl", "--emit=magic"}).status, 2);
  EXPECT_EQ(Run({"show", "a.wgsl", "--entry", "other"}).status, 2);
  EXPECT_EQ(json::parse(Run({"show", "a.wgsl", "--json"}).out)["emit"], "ir");
}

TEST_F(ShowCommand, EntryPointsOfEachStage) {
  Write("draw.wgsl",
        "@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f { return vec4f(f32(i)); }\n"
        "@fragment fn fs(@location(0) v: f32) -> @location(0) vec4f { return vec4f(dpdx(v)); }\n");
  const Outcome both = Run({"show", "draw.wgsl"});
  EXPECT_EQ(both.status, 0) << both.err;
  EXPECT_THAT(both.out, HasSubstr("fn @vs() vertex"));
  EXPECT_THAT(both.out, HasSubstr("fn @fs() fragment"));
  for (const char* form : {"ir", "lanes", "llvm", "asm"}) {
    const Outcome one = Run({"show", "draw.wgsl", "--entry", "fs", std::string("--emit=") + form});
    EXPECT_EQ(one.status, 0) << one.err;
    EXPECT_THAT(one.out, Not(HasSubstr("vertex"))) << form;
  }
  EXPECT_THAT(Run({"show", "draw.wgsl", "--entry", "main"}).err,
              HasSubstr("the shader has no entry point 'main' (it has 'vs', 'fs')"));
}

TEST_F(ShowCommand, BrokenShaders) {
  Write("bad.wgsl", kBad);
  for (const char* form : {"ir", "asm"}) {
    const Outcome show = Run({"show", "bad.wgsl", "--emit", form});
    EXPECT_EQ(show.status, 1);
    EXPECT_THAT(show.out, HasSubstr("bad.wgsl:2:11: error: "));
  }
  EXPECT_EQ(Run({"show", "none.wgsl"}).status, 2);
}

class Manners : public CliTest {};

TEST_F(Manners, VersionAndUnknownWords) {
  EXPECT_THAT(Run({"--version"}).out, StartsWith("lockstep "));
  EXPECT_EQ(Run({"--version"}).status, 0);
  const std::pair<std::vector<std::string>, const char*> cases[] = {
      {{}, "error: expected a command: run, race, check, show, devices, "},
      {{"fly"}, "error: there is no command 'fly': expected run, race, check, show, devices, "},
      {{"--nope"}, "error: 'lockstep' has no flag '--nope' (see lockstep --help)\n"},
      {{"run"}, "error: FILE is required (see lockstep run --help)\n"},
      {{"check", "--frobnicate"},
       "error: 'lockstep check' has no flag '--frobnicate' (see lockstep check --help)\n"},
      {{"devices", "more"}, "error: 'lockstep devices' has no use for 'more'"},
      {{"show", "a.wgsl", "--emit=magic"},
       "error: --emit: expected tokens, ast, ir, lanes, llvm, asm, spirv, not 'magic'"},
      {{"check", "--overrides"}, "error: --overrides needs one value"},
  };
  for (const auto& [arguments, message] : cases) {
    const Outcome run = Run(arguments);
    EXPECT_EQ(run.status, 2) << message;
    EXPECT_EQ(run.out, "");
    EXPECT_THAT(run.err, StartsWith(message));
  }
  const Outcome as_json = Run({"run", "--json"});
  EXPECT_EQ(as_json.status, 2);
  EXPECT_EQ(json::parse(as_json.out)["error"]["status"], 2);
}

TEST_F(Manners, WhatComesLaterSaysSo) {
  for (const char* command : {"bench"}) {
    const Outcome later = Run({command, "a.wgsl", "--schedules", "3"});
    EXPECT_EQ(later.status, 2);
    EXPECT_THAT(later.err, HasSubstr("is not in this version"));
    EXPECT_EQ(json::parse(Run({command, "a.wgsl", "--json"}).out)["error"]["status"], 2);
  }
}

TEST_F(Manners, Devices) {
  const Outcome devices = Run({"devices"});
  EXPECT_EQ(devices.status, 0);
  EXPECT_THAT(devices.out, StartsWith("cpu: "));
  const json document = json::parse(Run({"devices", "--json"}).out);
  EXPECT_EQ(document["devices"][0]["device"], "cpu");
  EXPECT_GE(document["devices"][0]["limits"]["maxBufferSize"], 268435456);
}

}  // namespace
}  // namespace lockstep::cli_test
