// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Subcommands that the contract names and this version does not have: they say so instead of being unknown
// words.
#include <fmt/format.h>

#include <cstring>

#include "cli/command.h"
#include "cli/json.h"

namespace lockstep::cli {
namespace {

void AddOne(CLI::App& app, Program& program, const std::string& name, const std::string& help) {
  CLI::App* command = app.add_subcommand(name, help + " (not in this version)");
  command->allow_extras();
  command->footer(fmt::format("Examples:\n  'lockstep {}' is not in this version of lockstep.", name));
  command->callback([name, command, &program] {
    const std::vector<std::string> rest = command->remaining();
    program.json = std::find(rest.begin(), rest.end(), "--json") != rest.end();
    program.action = [name, json = program.json](Output& output) {
      const std::string message =
          fmt::format("'lockstep {}' is not in this version of lockstep (" LOCKSTEP_VERSION ")", name);
      if (json) output.Line(ErrorJson(2, message));
      Complain("error: " + message);
      return 2;
    };
  });
}

}  // namespace

void AddLater(CLI::App& app, Program& program) {
  AddOne(app, program, "bench", "Time one shader, or compare two");
}

}  // namespace lockstep::cli
