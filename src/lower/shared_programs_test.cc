// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Whole programs from users: ../shared/cases (case.json beside shader.wgsl says buffers, steps and what is
// expected) and ../shared/seeds, where they are there.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>

#include "lower/lower_test_util.h"

namespace lockstep::lower {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using tests::Slot;

fs::path Shared() { return fs::path(LOCKSTEP_SOURCE_DIR) / ".." / "shared"; }

std::string ReadFile(const fs::path& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

uint32_t WordOf(const Json& value, const std::string& elem) {
  if (elem == "f32") return Bits(value.get<float>());
  return static_cast<uint32_t>(value.get<int64_t>());
}

bool Matches(uint32_t got, const Json& want, const std::string& elem) {
  if (want.is_object()) {
    return std::any_of(want["any"].begin(), want["any"].end(),
                       [&](const Json& v) { return Matches(got, v, elem); });
  }
  if (elem != "f32") return got == WordOf(want, elem);
  const float expected = want.get<float>();
  return std::fabs(AsFloat(got) - expected) <= 1e-6f * std::max(1.0f, std::fabs(expected));
}

std::map<std::string, double> OverridesOf(const Json& node) {
  std::map<std::string, double> overrides;
  for (const auto& [name, value] : node.items()) {
    overrides[name] = value.is_boolean() ? (value.get<bool>() ? 1 : 0) : value.get<double>();
  }
  return overrides;
}

class Case {
 public:
  explicit Case(const fs::path& folder)
      : json_(Json::parse(ReadFile(folder / "case.json"))), text_(ReadFile(folder / "shader.wgsl")) {}

  bool Wanted() const {
    if (json_["kind"] == "reject" || !json_.contains("steps")) return false;
    if (!json_.contains("requires")) return true;
    for (const Json& need : json_["requires"]) {
      if (need.get<std::string>().rfind("feature:", 0) == 0) return false;
    }
    return true;
  }

  // Runs all steps and compares; `processed`: after the CPU pipeline.
  void Run(bool processed) {
    std::map<Slot, Words> buffers;
    std::map<std::string, const Json*> bindings;
    for (const Json& binding : json_["bindings"]) {
      bindings[binding["name"].get<std::string>()] = &binding;
      Words& words = buffers[{binding["group"], binding["binding"]}];
      for (const Json& value : binding["values"]) words.push_back(WordOf(value, binding["elem"]));
    }
    Words indirect;
    for (const Json& step : json_["steps"]) {
      if (step.contains("copyToIndirect")) {
        const Json& from = *bindings[step["copyToIndirect"].get<std::string>()];
        indirect = buffers[{from["group"], from["binding"]}];
        continue;
      }
      RunStep(step, indirect, processed, &buffers);
    }
    if (!json_.contains("expected")) return;
    for (const auto& [name, values] : json_["expected"].items()) {
      const Json& binding = *bindings[name];
      const Words& words = buffers[{binding["group"], binding["binding"]}];
      ASSERT_EQ(words.size(), values.size());
      for (size_t i = 0; i < words.size(); ++i) {
        EXPECT_TRUE(Matches(words[i], values[i], binding["elem"]))
            << name << "[" << i << "] is " << words[i] << " (" << AsFloat(words[i]) << "), not " << values[i];
      }
    }
  }

 private:
  void RunStep(const Json& step, const Words& indirect, bool processed, std::map<Slot, Words>* buffers) {
    const std::string entry = step.contains("entry") ? step["entry"] : json_["entry"];
    const Json& overrides = step.contains("overrides")    ? step["overrides"]
                            : json_.contains("overrides") ? json_["overrides"]
                                                          : Json::object();
    std::array<uint32_t, 3> size = {1, 1, 1};
    for (size_t i = 0; i < 3; ++i) {
      if (step.contains("indirectOffset"))
        size[i] = indirect[step["indirectOffset"].get<size_t>() / 4 + i];
      else if (i < step["dispatch"].size())
        size[i] = step["dispatch"][i];
    }
    if (*std::max_element(size.begin(), size.end()) > 65535) return;  // WebGPU: nothing happens
    const tests::BuiltModule built = tests::BuildModule(text_, entry, OverridesOf(overrides));
    ASSERT_EQ(built.error, "");
    interp::Options options;
    options.max_steps = 50'000'000;
    options.expect_robust = processed;
    EXPECT_EQ(tests::RunModule(processed ? *built.processed : *built.lowered, buffers, size, options), "");
  }

  Json json_;
  std::string text_;
};

TEST(SharedPrograms, CasesGiveTheirOutputs) {
  const fs::path folder = Shared() / "cases";
  if (!fs::exists(folder)) GTEST_SKIP() << "no " << folder;
  std::vector<fs::path> cases;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.is_directory()) cases.push_back(entry.path());
  }
  std::sort(cases.begin(), cases.end());
  int run = 0;
  for (const fs::path& path : cases) {
    SCOPED_TRACE(path.filename().string());
    Case program(path);
    if (!program.Wanted()) continue;
    ++run;
    program.Run(false);
    program.Run(true);
  }
  EXPECT_GE(run, 20);
}

TEST(SharedPrograms, RatingHistogram) {
  const fs::path file = Shared() / "seeds" / "rating_histogram.wgsl";
  if (!fs::exists(file)) GTEST_SKIP() << "no " << file;
  const tests::BuiltModule built = tests::BuildModule(ReadFile(file));
  ASSERT_EQ(built.error, "");
  for (const ir::Module* module : {&*built.lowered, &*built.processed}) {
    std::map<Slot, Words> buffers = {{{0, 0}, Words(6, 0)}};
    EXPECT_EQ(tests::RunModule(*module, &buffers, {16, 1, 1}, {}), "");
    EXPECT_EQ((buffers[{0, 0}]), (Words{10969, 10861, 11059, 10952, 21695, 1421}));
  }
}

TEST(SharedPrograms, PriceRankIsAStableSort) {
  const fs::path file = Shared() / "seeds" / "price_rank_tiled.wgsl";
  if (!fs::exists(file)) GTEST_SKIP() << "no " << file;
  const tests::BuiltModule built = tests::BuildModule(ReadFile(file));
  ASSERT_EQ(built.error, "");
  constexpr uint32_t kCount = 512;
  Words prices(kCount);
  uint32_t state = 7;
  for (uint32_t& price : prices) {
    state = state * 1664525 + 1013904223;
    price = Bits(static_cast<float>(5 + (state >> 24)));  // with equal ones
  }
  std::vector<uint32_t> order(kCount);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return AsFloat(prices[a]) < AsFloat(prices[b]); });
  Words ranks(kCount);
  for (uint32_t r = 0; r < kCount; ++r) ranks[order[r]] = r;
  for (const ir::Module* module : {&*built.lowered, &*built.processed}) {
    std::map<Slot, Words> buffers = {{{0, 0}, prices}, {{0, 1}, Words(kCount, 0)}};
    EXPECT_EQ(tests::RunModule(*module, &buffers, {kCount / 256, 1, 1}, {}), "");
    EXPECT_EQ((buffers[{0, 1}]), ranks);
  }
}

}  // namespace
}  // namespace lockstep::lower
