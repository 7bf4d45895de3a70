// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// transform/testdata/PASS/*.ir: IR text, a line `// ==== after PASS`, and what the pass makes of it. Both are
// verified. LOCKSTEP_UPDATE_GOLDENS=1 (make golden) rewrites what stands below the line.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>

#include "ir/printer.h"
#include "ir/transform/all_passes.h"
#include "ir/transform/instrument_races.h"
#include "ir/verifier.h"

namespace lockstep::ir {
namespace {

namespace fs = std::filesystem;

const fs::path kData = fs::path(LOCKSTEP_SOURCE_DIR) / "src/ir/transform/testdata";

std::map<std::string, std::function<void(Module&)>> Passes() {
  return {
      {"instrument_races", [](Module& m) { InstrumentRaces(m, {}); }},
      {"instrument_races_details", [](Module& m) { InstrumentRaces(m, {.details = true}); }},
#define PASS(name, Function, help) {#name, [](Module& m) { Function(m); }},
#include "ir/transform/passes.def"
  };
}

std::string ReadFile(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::string> GoldenFiles() {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(kData)) {
    if (entry.path().extension() == ".ir") files.push_back(fs::relative(entry.path(), kData).string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

class golden : public testing::TestWithParam<std::string> {};

TEST_P(golden, Pass) {
  const fs::path path = kData / GetParam();
  const std::string pass = path.parent_path().filename().string();
  const auto passes = Passes();
  ASSERT_TRUE(passes.count(pass)) << "no pass " << pass;
  const std::string text = ReadFile(path);
  const std::string line = fmt::format("// ==== after {}\n", pass);
  const size_t split = text.find(line);
  const std::string input = text.substr(0, split);
  Result<Module> module = Parse(input);
  ASSERT_TRUE(module.ok()) << module.failure().message;
  ASSERT_EQ(Verify(*module), "");
  passes.at(pass)(*module);
  const std::string after = Print(*module);
  EXPECT_EQ(Verify(*module), "") << after;
  if (std::getenv("LOCKSTEP_UPDATE_GOLDENS") != nullptr) {
    std::ofstream(path, std::ios::binary) << input << line << after;
    return;
  }
  ASSERT_NE(split, std::string::npos) << "no expectation; run make golden";
  EXPECT_EQ(text.substr(split + line.size()), after);
}

std::string Name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param.substr(0, info.param.rfind('.'));
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '/' || c == '-'; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Passes, golden, testing::ValuesIn(GoldenFiles()), Name);

// A pass without a golden file has no test.
TEST(Goldens, CoverEveryPass) {
  for (const auto& [name, run] : Passes()) {
    if (name == "expand_math") continue;  // tested by values in expand_math_test.cc
    EXPECT_TRUE(fs::exists(kData / name)) << name;
  }
}

}  // namespace
}  // namespace lockstep::ir
