// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// A subcommand adds itself to the parser and, where it is the one that was called, leaves what to do. One
// file each.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

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
void AddPage(CLI::App& app, Program& program);
// bench: known by name, and not there yet.
void AddLater(CLI::App& app, Program& program);

// A flag that is given once or more, each time with one value.
template <typename T>
CLI::Option* AddRepeatable(CLI::App& app, const std::string& name, std::vector<T>& values,
                           const std::string& help) {
  return app.add_option(name, values, help)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

// Gives the option the values that it may have; `values` are listed where it has another.
CLI::Option* OneOf(CLI::Option* option, std::vector<std::string> values);
// Likewise: a whole number, or one with a fraction.
CLI::Option* WholeNumber(CLI::Option* option, uint64_t low, uint64_t high);
CLI::Option* Number(CLI::Option* option, double low, double high);

CLI::Option* AddLanes(CLI::App& app, uint32_t& lanes);

// "a,b,c"; empty parts are dropped.
std::vector<std::string> SplitList(const std::string& text);

}  // namespace lockstep::cli
