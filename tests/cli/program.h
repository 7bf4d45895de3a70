// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs the built program as a user does: arguments in; exit status, standard output and standard error out.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace lockstep::cli_test {

struct Outcome {
  int status = -1;  // -1: ended by a signal
  std::string out, err;
};

// `after_start` is called with the process's id once it runs.
Outcome RunProgram(const std::string& folder, const std::vector<std::string>& arguments,
                   const std::function<void(int pid)>& after_start = {});

// A test with a folder of its own, which is the program's working directory; its cache lies there too.
class CliTest : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  void Write(const std::string& name, const std::string& content) const;
  std::string Read(const std::string& name) const;
  bool Exists(const std::string& name) const;
  std::vector<std::string> FilesIn(const std::string& folder) const;
  Outcome Run(const std::vector<std::string>& arguments) const { return RunProgram(folder_, arguments); }
  // Writes `shader` to a.wgsl and runs it with `flags`.
  Outcome RunShader(const std::string& shader, std::vector<std::string> flags = {}) const;

  std::string folder_;
};

}  // namespace lockstep::cli_test
