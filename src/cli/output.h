// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Standard output, for results, in large writes whose failure is noticed: a full disk or a closed pipe must
// not look like success.
#pragma once

#include <string>
#include <string_view>

namespace lockstep::cli {

class Output {
 public:
  Output() = default;
  ~Output() { Flush(); }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void Write(std::string_view text);
  void Line(std::string_view text) {
    Write(text);
    Write("\n");
  }
  void Flush();
  bool failed() const { return error_ != 0; }
  int error() const { return error_; }  // errno

 private:
  std::string pending_;
  int error_ = 0;
};

// One line on standard error.
void Complain(std::string_view line);

}  // namespace lockstep::cli
