// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// What `run` and `race` have in common: the flags that describe a run, and how a run that did not happen is
// told.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/output.h"
#include "runner/run.h"

namespace lockstep::cli {

struct RunFlags {
  runner::RunRequest request;
  std::string features;
  std::string limits = "default";
  bool all = false;
  bool json = false;
  bool no_cache = false;
  bool interpret = false;
};

void AddRunOptions(CLI::App& command, RunFlags& flags);
runner::RunReport Execute(RunFlags& flags);
// The exit status of a report with a failure.
int WriteFailure(const runner::RunReport& report, bool json, Output& output);
// Warnings about the shader and the run, to standard error.
void WriteWarnings(const runner::RunReport& report);

// A line for each expectation that fails.
void WriteExpectations(const runner::RunReport& report, Output& output);
std::string ExpectJson(const runner::ExpectResult& result);

std::string Trimmed(std::string text);  // without line breaks at the end

}  // namespace lockstep::cli
