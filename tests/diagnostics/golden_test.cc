// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// fail_NAME.wgsl is a shader that is wrong, NAME what is wrong with it. Its first line says how it is
// checked,
//     // lockstep check --overrides count=4
// and fail_NAME.expected beside it is what is printed: place, message, source line, caret, notes.
// LOCKSTEP_UPDATE_GOLDENS=1 (make golden) rewrites those; the diff is the review.
//
// The last test holds the files against the tables of diagnostics: a kind that no file shows has nobody who
// has read it as its reader will.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "runner/check.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(LOCKSTEP_SOURCE_DIR) / "tests/diagnostics";

std::string Read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::string> Cases() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    if (entry.path().extension() == ".wgsl") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// The flags of the first line; only --overrides NAME=VALUE so far.
runner::CheckOptions OptionsOf(const std::string& text) {
  runner::CheckOptions options;
  std::istringstream line(text.substr(0, text.find('\n')));
  std::string word, item;
  while (line >> word) {
    if (word != "--overrides") continue;
    line >> item;
    options.overrides[item.substr(0, item.find('='))] = std::stod(item.substr(item.find('=') + 1));
  }
  return options;
}

struct Shown {
  std::string text;
  std::set<std::string> kinds;
  bool ok = true;
};

Shown Show(const std::string& name) {
  const SourceFile file(name + ".wgsl", Read(kFolder / (name + ".wgsl")));
  const runner::Checked checked = runner::CheckShader(file, OptionsOf(std::string(file.text())));
  Shown shown;
  shown.text = RenderText(checked.module, file);
  for (const diag::Diagnostic& d : checked.module.diagnostics()) shown.kinds.emplace(d.kind->name);
  for (const diag::Diagnostic& d : checked.pipeline) {
    shown.text += RenderText(d, file);
    shown.kinds.emplace(d.kind->name);
  }
  shown.ok = checked.ok();
  return shown;
}

class golden : public testing::TestWithParam<std::string> {};

TEST_P(golden, Diagnostics) {
  const Shown shown = Show(GetParam());
  EXPECT_EQ(shown.ok, GetParam().compare(0, 5, "fail_") != 0) << "the name says what happens";
  const fs::path path = kFolder / (GetParam() + ".expected");
  if (std::getenv("LOCKSTEP_UPDATE_GOLDENS") != nullptr) {
    std::ofstream(path, std::ios::binary) << shown.text;
    return;
  }
  ASSERT_TRUE(fs::exists(path)) << "no expectation; run make golden";
  EXPECT_EQ(Read(path), shown.text);
}

INSTANTIATE_TEST_SUITE_P(Shaders, golden, testing::ValuesIn(Cases()),
                         [](const testing::TestParamInfo<std::string>& test) { return test.param; });

constexpr const char* kKinds[] = {
#define DIAGNOSTIC(Name, severity, rule, format) #Name,
#include "wgsl/defs/diagnostics_syntax.def"
#define DIAGNOSTIC(Name, severity, rule, format) #Name,
#include "wgsl/defs/diagnostics_resolve.def"
#define DIAGNOSTIC(Name, severity, rule, format) #Name,
#include "wgsl/defs/diagnostics_const.def"
#define DIAGNOSTIC(Name, severity, rule, format) #Name,
#include "wgsl/defs/diagnostics_uniformity.def"
#define DIAGNOSTIC(Name, severity, rule, format) #Name,
#include "gpu/core/diagnostics.def"
#define DIAGNOSTIC(Name, severity, rule, format) #Name,
#include "runner/diagnostics.def"
};

// Kinds that no file shows, and why.
const std::map<std::string, std::string> kExempt = {
    {"SourceTooLarge", "needs 16 MiB: wgsl/lexer_test.cc"},
    {"TooManyTokens", "needs two million tokens: wgsl/lexer_test.cc"},
    {"TooManyMembers", "needs 1024 members: wgsl/resolve_module_test.cc"},
    {"TooManySelectors", "needs 1024 cases: wgsl/resolve_module_test.cc"},
    {"TooManyArrayArguments", "needs 2048 arguments: wgsl/resolve_module_test.cc"},
    {"OverrideUnknown", "the command line looks overrides up by name before: wgsl/overrides_test.cc"},
    {"OverrideHasId", "the command line translates names to ids: wgsl/overrides_test.cc"},
    {"SubgroupNotUniform", "there are no subgroups yet"},
    {"SubgroupArgumentNotUniform", "there are no subgroups yet"},
    {"NotADirective", "is a warning of run, not of check: tests/cli/run_test.cc"},
};

TEST(DiagnosticKinds, EachIsInAGoldenFile) {
  std::set<std::string> shown;
  for (const std::string& name : Cases()) shown.merge(Show(name).kinds);
  for (const std::string kind : kKinds) {
    const bool is_exempt = kExempt.count(kind) != 0;
    EXPECT_NE(shown.count(kind) != 0, is_exempt)
        << kind << (is_exempt ? ": is shown, so it needs no exemption" : ": no fail_*.wgsl shows it");
  }
  EXPECT_LE(kExempt.size(), std::size(kKinds));
}

}  // namespace
}  // namespace lockstep
