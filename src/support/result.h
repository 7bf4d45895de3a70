// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Result<T>: a value, or a Failure that says whose fault it is. Nothing in Lockstep throws.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "support/check.h"

namespace lockstep {

// Whose fault a failure is; the command line's exit status follows from it (docs/cli.md).
enum class FailureKind {
  kProgram,      // the program under test: a shader, pipeline or limit error, the time limit
  kUsage,        // the call: a bad flag or directive, a missing or malformed file, a buffer too small
  kEnvironment,  // the machine: no such device, out of memory, device lost
  kInterrupted,  // Ctrl-C
};

struct Failure {
  FailureKind kind = FailureKind::kUsage;
  std::string message;  // one clear sentence that names the place and the way out; lower-case, no full stop
};

struct [[nodiscard]] Ok {};

template <typename T = Ok>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}              // NOLINT(google-explicit-constructor)
  Result(Failure failure) : failure_(std::move(failure)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return value_.has_value(); }
  explicit operator bool() const { return ok(); }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  T& value() {
    CHECK(ok());
    return *value_;
  }
  const T& value() const {
    CHECK(ok());
    return *value_;
  }
  const Failure& failure() const {
    CHECK(!ok());
    return failure_;
  }

 private:
  std::optional<T> value_;
  Failure failure_;
};

}  // namespace lockstep
