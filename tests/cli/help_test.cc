// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// help/COMMAND.expected is what `lockstep COMMAND --help` prints, help/lockstep.expected what `lockstep
// --help` does. LOCKSTEP_UPDATE_GOLDENS=1 (make golden) rewrites them.
#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include "cli/program.h"

namespace lockstep::cli_test {
namespace {

using ::testing::HasSubstr;

class golden : public CliTest, public testing::WithParamInterface<std::string> {};

TEST_P(golden, Help) {
  const std::string command = GetParam();
  const Outcome help = command == "lockstep" ? Run({"--help"}) : Run({command, "--help"});
  EXPECT_EQ(help.status, 0);
  EXPECT_EQ(help.err, "");
  EXPECT_THAT(help.out, HasSubstr("Examples:\n  "));
  const std::string path = LOCKSTEP_SOURCE_DIR "/tests/cli/help/" + command + ".expected";
  if (std::getenv("LOCKSTEP_UPDATE_GOLDENS") != nullptr) {
    std::ofstream(path, std::ios::binary) << help.out;
    return;
  }
  std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file.good()) << "no expectation; run make golden";
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), help.out);
}

const std::string kCommands[] = {"run", "check", "show", "devices", "race", "bench", "page"};

INSTANTIATE_TEST_SUITE_P(Program, golden, testing::Values("lockstep"),
                         [](const testing::TestParamInfo<std::string>& test) { return test.param; });
INSTANTIATE_TEST_SUITE_P(Commands, golden, testing::ValuesIn(kCommands),
                         [](const testing::TestParamInfo<std::string>& test) { return test.param; });

class Help : public CliTest {};

// A command that is added is added here, too.
TEST_F(Help, NamesEveryCommand) {
  std::istringstream lines(Run({"--help"}).out);
  std::vector<std::string> commands;
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line == "Subcommands:")
      inside = true;
    else if (line.empty())
      inside = false;
    else if (inside)
      commands.push_back(line.substr(2, line.find(' ', 2) - 2));
  }
  EXPECT_THAT(commands, testing::UnorderedElementsAreArray(kCommands));
}

}  // namespace
}  // namespace lockstep::cli_test
