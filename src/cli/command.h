// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// A subcommand adds itself to the parser and, where it is the one that was called, leaves what to do. One
// file each.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "cli/output.h"

namespace lockstep::cli {

struct Program {
  std::function<int(Output&)> action;  // returns the exit status
  bool json = false;
};

void AddRun(CLI::App& app, Program& program);
void AddRace(CLI::App& app, Program& program);
void AddCheck(CLI::App& app, Program& program);
void AddShow(CLI::App& app, Program& program);
void AddDevices(CLI::App& app, Program& program);
// bench and page: known by name, and not there yet.
void AddLater(CLI::App& app, Program& program);

// A flag that is given once or more, each time with one value.
template <typename T>
CLI::Option* AddRepeatable(CLI::App& app, const std::string& name, std::vector<T>& values,
                           const std::string& help) {
  return app.add_option(name, values, help)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

// "a,b,c"; empty parts are dropped.
std::vector<std::string> SplitList(const std::string& text);

}  // namespace lockstep::cli
