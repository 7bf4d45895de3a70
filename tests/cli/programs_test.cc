// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Whole programs with answers that are computed here by other means.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numeric>

#include "cli/program.h"

namespace lockstep::cli_test {
namespace {

using nlohmann::json;
using ::testing::StartsWith;
namespace fs = std::filesystem;

class Programs : public CliTest {
 protected:
  // The values of buffer `name` after a run with `arguments`.
  std::vector<double> Values(std::vector<std::string> arguments, const std::string& name) const {
    arguments.insert(arguments.begin(), "run");
    arguments.insert(arguments.end(), {"--json", "--repeat", "1"});
    const Outcome run = Run(arguments);
    EXPECT_EQ(run.status, 0) << run.out.substr(0, 1000) << run.err;
    const json document = json::parse(run.out, nullptr, false);
    if (document.is_discarded() || !document.contains("buffers")) return {};
    return document["buffers"][name]["values"].get<std::vector<double>>();
  }
};

const fs::path kExamples = fs::path(LOCKSTEP_SOURCE_DIR) / "examples";
const fs::path kSeeds = fs::path(LOCKSTEP_SOURCE_DIR) / "../shared/seeds";

TEST_F(Programs, EveryExampleChecksItself) {
  size_t count = 0;
  for (const auto& entry : fs::directory_iterator(kExamples)) {
    if (entry.path().extension() != ".wgsl") continue;
    ++count;
    for (const std::vector<std::string>& flags : std::vector<std::vector<std::string>>{
             {}, {"--threads", "1"}, {"--lanes", "1"}, {"--shuffle", "3", "--weak-failures", "4"}}) {
      std::vector<std::string> arguments = {"run", entry.path().string(), "--repeat", "2"};
      arguments.insert(arguments.end(), flags.begin(), flags.end());
      const Outcome run = Run(arguments);
      EXPECT_EQ(run.status, 0) << entry.path() << ::testing::PrintToString(flags) << "\n"
                               << run.out << run.err;
    }
  }
  EXPECT_GE(count, 6u);
}

TEST_F(Programs, TheRatingHistogram) {
  const fs::path seed = kSeeds / "rating_histogram.wgsl";
  if (!fs::exists(seed)) GTEST_SKIP() << "there are no seeds here";
  const Outcome run = Run({"run", seed.string()});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, StartsWith("out: 10969, 10861, 11059, 10952, 21695, 1421\ncpu: "));
}

// Ranks by price, ties by index: where a stable sort puts each.
std::vector<double> Ranks(const std::vector<double>& prices) {
  std::vector<size_t> order(prices.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return prices[a] < prices[b]; });
  std::vector<double> ranks(prices.size());
  for (size_t i = 0; i < order.size(); ++i) ranks[order[i]] = static_cast<double>(i);
  return ranks;
}

TEST_F(Programs, PriceRanksAreAStableSorts) {
  for (const fs::path& shader : {kExamples / "price_rank_tiled.wgsl", kExamples / "price_rank_storage.wgsl",
                                 kSeeds / "price_rank_tiled.wgsl"}) {
    if (!fs::exists(shader)) continue;
    // Other prices than those that the file's own expectation is about.
    std::ifstream stream(shader);
    std::string text((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
    const size_t expectation = text.find("// expect");
    if (expectation != std::string::npos) text.erase(expectation, text.find('\n', expectation) - expectation);
    Write("rank.wgsl", text);
    for (const char* init : {"random 0 .. 100 seed 1", "random 0 .. 100 seed 2", "@ties.json"}) {
      json ties = json::array();
      for (int i = 0; i < 16384; ++i) ties.push_back((i * 7919) % 97);
      Write("ties.json", ties.dump());
      const std::string buffer = std::string("prices: 16384 x f32 = ") + init;
      const std::vector<std::string> call = {"rank.wgsl",         "--buffer",   buffer, "--buffer",
                                             "rank: 16384 x u32", "--dispatch", "64"};
      const std::vector<double> prices = Values(call, "prices");
      ASSERT_EQ(prices.size(), 16384u);
      EXPECT_EQ(Values(call, "rank"), Ranks(prices)) << shader << " " << init;
    }
  }
}

TEST_F(Programs, WorkgroupsOrderIsTheOnlyThingThatAShuffleChanges) {
  Write("order.wgsl", R"(
// turns: 64 x u32, dispatch 64
@group(0) @binding(0) var<storage, read_write> turns: array<u32>;
@group(0) @binding(1) var<storage, read_write> next: atomic<u32>;
@compute @workgroup_size(1) fn main(@builtin(workgroup_id) w: vec3u) { turns[w.x] = atomicAdd(&next, 1u); }
)");
  const std::vector<double> linear = Values({"order.wgsl", "--threads", "1"}, "turns");
  const std::vector<double> shuffled = Values({"order.wgsl", "--threads", "1", "--shuffle", "0"}, "turns");
  EXPECT_TRUE(std::is_sorted(linear.begin(), linear.end()));
  EXPECT_NE(shuffled, linear);
  EXPECT_EQ(Values({"order.wgsl", "--threads", "1", "--shuffle", "0"}, "turns"), shuffled);
  std::vector<double> sorted = shuffled;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted, linear);
}

}  // namespace
}  // namespace lockstep::cli_test
