// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Programs from users' reports, in ../shared beside a checkout: verdicts of `check` and final buffers of
// `run`. Without that folder there is nothing to test here; the same kinds are covered by tests beside the
// code.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/program.h"

namespace lockstep::cli_test {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

const fs::path kShared = fs::path(LOCKSTEP_SOURCE_DIR).parent_path() / "shared";

class SharedPrograms : public CliTest {};

std::vector<fs::path> Cases() {
  std::vector<fs::path> folders;
  if (fs::exists(kShared / "cases")) {
    for (const auto& entry : fs::directory_iterator(kShared / "cases")) {
      if (fs::exists(entry.path() / "case.json")) folders.push_back(entry.path());
    }
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

json ReadCase(const fs::path& folder) {
  std::ifstream file(folder / "case.json");
  return json::parse(file);
}

std::string BufferFlag(const json& binding) {
  std::string values;
  for (const json& value : binding["values"]) values += (values.empty() ? "" : ", ") + value.dump();
  return std::to_string(binding["group"].get<int>()) + "." + std::to_string(binding["binding"].get<int>()) +
         ": " + std::to_string(binding["values"].size()) + " x " + binding["elem"].get<std::string>() +
         " = [" + values + "]";
}

// The flags of a case's run; empty where the command line cannot describe it (bind offsets).
std::vector<std::string> DescriptionFlags(const json& test) {
  std::vector<std::string> flags;
  for (const json& binding : test["bindings"]) {
    if (binding.contains("bindOffset") || binding.contains("bindSize")) return {};
    flags.insert(flags.end(), {"--buffer", BufferFlag(binding)});
  }
  std::string indirect;
  for (const json& step : test["steps"]) {
    if (step.contains("copyToIndirect")) {
      indirect = step["copyToIndirect"];
      continue;
    }
    std::string dispatch = "indirect " + indirect;
    if (step.contains("dispatch")) {
      const json& counts = step["dispatch"];
      dispatch = counts[0].dump() + " x " + counts[1].dump() + " x " + counts[2].dump();
    } else {
      dispatch += " offset " + step["indirectOffset"].dump();
    }
    dispatch += " entry " + step.value("entry", test["entry"].get<std::string>());
    json overrides = test.value("overrides", json::object());
    if (step.contains("overrides")) overrides.update(step["overrides"]);
    for (const auto& [name, value] : overrides.items())
      dispatch += " override " + name + " = " + value.dump();
    flags.insert(flags.end(), {"--dispatch", dispatch});
  }
  return flags;
}

std::vector<std::string> RunFlags(const json& test) {
  std::vector<std::string> flags = DescriptionFlags(test);
  if (!flags.empty()) flags.insert(flags.end(), {"--json", "--repeat", "2"});
  return flags;
}

bool Accepts(const json& want, const json& got) {
  if (!want.is_object()) return want.get<double>() == got.get<double>();
  for (const json& value : want["any"]) {
    if (value.get<double>() == got.get<double>()) return true;
  }
  return false;
}

void ExpectBuffers(const json& test, const json& document) {
  for (const auto& [name, want] : test["expected"].items()) {
    const auto binding =
        std::find_if(test["bindings"].begin(), test["bindings"].end(),
                     [&, wanted = std::string(name)](const json& b) { return b["name"] == wanted; });
    ASSERT_NE(binding, test["bindings"].end()) << name;
    for (const json& buffer : document["buffers"]) {
      if (buffer["group"] != (*binding)["group"] || buffer["binding"] != (*binding)["binding"]) continue;
      ASSERT_GE(buffer["values"].size(), want.size()) << name;
      for (size_t i = 0; i < want.size(); ++i) {
        EXPECT_TRUE(Accepts(want[i], buffer["values"][i]))
            << name << "[" << i << "]: " << buffer["values"][i] << " for " << want[i];
      }
    }
  }
}

TEST_F(SharedPrograms, RejectedOnesAreRejectedAtTheirLine) {
  for (const fs::path& folder : Cases()) {
    const json test = ReadCase(folder);
    if (test["kind"] != "reject") continue;
    SCOPED_TRACE(folder.filename().string());
    const Outcome check = Run({"check", "--json", (folder / "shader.wgsl").string()});
    EXPECT_EQ(check.status, 1) << check.err;
    const json document = json::parse(check.out);
    EXPECT_FALSE(document["ok"]);
    ASSERT_FALSE(document["diagnostics"].empty());
    EXPECT_THAT(test["expect_error_line_any"].get<std::vector<int>>(),
                testing::Contains(document["diagnostics"][0]["line"].get<int>()));
    if (test.contains("stage")) {
      EXPECT_EQ(document["diagnostics"][0]["stage"], test["stage"]);
    }
  }
}

TEST_F(SharedPrograms, OthersAreAcceptedAndLeaveTheExpectedBuffers) {
  for (const fs::path& folder : Cases()) {
    const json test = ReadCase(folder);
    if (test["kind"] == "reject") continue;
    SCOPED_TRACE(folder.filename().string());
    const Outcome check = Run({"check", (folder / "shader.wgsl").string()});
    EXPECT_EQ(check.status, 0) << check.out << check.err;
    std::vector<std::string> flags = RunFlags(test);
    if (!test.contains("expected") || flags.empty()) continue;
    for (const char* lanes : {"0", "1", "8", "16"}) {
      std::vector<std::string> arguments = {"run", (folder / "shader.wgsl").string()};
      arguments.insert(arguments.end(), flags.begin(), flags.end());
      if (std::string(lanes) != "0") arguments.insert(arguments.end(), {"--lanes", lanes});
      SCOPED_TRACE(std::string("lanes ") + lanes);
      const Outcome run = Run(arguments);
      ASSERT_EQ(run.status, 0) << run.out << run.err;
      ExpectBuffers(test, json::parse(run.out));
    }
  }
}

TEST_F(SharedPrograms, ResultsDoNotDependOnLanesOrThreads) {
  std::string first;
  for (const char* lanes : {"1", "2", "4", "8", "16", "32", "64"}) {
    for (const char* threads : {"1", "2", "5"}) {
      const Outcome run = Run({"run", std::string(LOCKSTEP_SOURCE_DIR) + "/examples/blur_halo.wgsl", "--all",
                               "--repeat", "1", "--lanes", lanes, "--threads", threads});
      ASSERT_EQ(run.status, 0) << run.out << run.err;
      const std::string values = run.out.substr(0, run.out.find('\n'));
      if (first.empty()) first = values;
      EXPECT_EQ(values, first) << lanes << " lanes, " << threads << " threads";
    }
  }
}

std::string Place(const json& access) {
  return access["line"].dump() + " " + access["access"].get<std::string>();
}

std::string WantedPlace(const json& side) {
  return side["line"].dump() + " " + side["op"].get<std::string>();
}

// variable, space, scope and the two places, in one order -> the elements.
using Verdict = std::map<std::vector<std::string>, std::set<std::string>>;

Verdict Found(const json& document) {
  Verdict verdict;
  for (const json& race : document["races"]) {
    std::set<std::string> places = {"1 " + Place(race["first"]), "1 " + Place(race["second"])};
    std::vector<std::string> key = {race["variable"], race["address_space"], race["scope"]};
    key.insert(key.end(), places.begin(), places.end());
    for (const json& element : race["elements"]) verdict[key].insert(element.get<std::string>());
  }
  return verdict;
}

Verdict Wanted(const json& test) {
  Verdict verdict;
  for (const json& conflict : test.value("conflicts", json::array())) {
    std::set<std::string> places = {"1 " + WantedPlace(conflict["a"]), "1 " + WantedPlace(conflict["b"])};
    std::vector<std::string> key = {conflict["variable"], conflict["space"],
                                    conflict["scope"] == "same workgroup" ? "workgroup" : "dispatch"};
    key.insert(key.end(), places.begin(), places.end());
    for (const json& element : conflict["elements"]) verdict[key].insert(element.get<std::string>());
  }
  return verdict;
}

void ExpectBounds(const json& test, const json& document) {
  std::set<std::string> want, got;
  for (const json& v : test.value("violations", json::array())) {
    want.insert(json({v["line"], v["op"], v["variable"], v["length"], v["indices"]}).dump());
  }
  for (const json& v : document["out_of_bounds"]) {
    got.insert(json({v["line"], v["access"], v["variable"], v["length"], v["indices"]}).dump());
  }
  EXPECT_EQ(got, want);
}

TEST_F(SharedPrograms, RacesAndAccessesOutOfRangeGetTheirVerdicts) {
  for (const fs::path& folder : Cases()) {
    const json test = ReadCase(folder);
    const bool judged = test["kind"] == "race" || test["kind"] == "norace" || test["kind"] == "bounds";
    const std::vector<std::string> flags = judged ? DescriptionFlags(test) : std::vector<std::string>();
    if (flags.empty()) continue;
    SCOPED_TRACE(folder.filename().string());
    std::vector<std::string> arguments = {"race", (folder / "shader.wgsl").string(), "--json"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const Outcome race = Run(arguments);
    const json document = json::parse(race.out);
    EXPECT_EQ(race.status, document["races"].empty() && document["out_of_bounds"].empty() ? 0 : 1);
    EXPECT_EQ(Found(document), Wanted(test));
    ExpectBounds(test, document);
  }
}

}  // namespace
}  // namespace lockstep::cli_test
