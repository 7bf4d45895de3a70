// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Errors of WebGPU (#errors-and-debugging) are values. Who makes an invalid object or command reports the
// error to its device, and gets an invalid object that poisons what uses it; the innermost error scope that
// filters the error's kind keeps it, else the sink for uncaptured errors gets it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpu/core/enums.h"
#include "support/result.h"

namespace lockstep::gpu::core {

using ErrorKind = ErrorFilter;

struct Error {
  ErrorKind kind = ErrorKind::kValidation;
  std::string message;
  FailureKind fault = FailureKind::kProgram;  // whose fault it is, for the command line's exit status
};

// Validation and out-of-memory errors are made so often that they have names.
Error ValidationError(std::string message);
Error OutOfMemoryError(const std::string& name, const Failure& failure);
Error FromFailure(const Failure& failure);

// What is wrong with something, as a part of a message; nothing where nothing is.
using Complaint = std::optional<std::string>;

// Errors that come later (a pipeline that compiles meanwhile) are expected: the scope that would catch them
// is found when they are expected, and tells its error only when nothing more is.
class ErrorScopes {
 public:
  using Sink = std::function<void(const Error&)>;
  using Popped = std::function<void(const std::optional<Error>&)>;

  void Push(ErrorKind filter);
  // Gives the first error that the innermost scope caught, at once or when the last error that it expects has
  // come or will not. False: there is no scope.
  bool Pop(Popped popped);
  void Report(const Error& error);
  void set_uncaptured(Sink sink) { uncaptured_ = std::move(sink); }

  class Expected;
  // For one error, of whichever kind; to be given to Resolve once.
  std::shared_ptr<Expected> Expect() const;
  void Resolve(const std::shared_ptr<Expected>& expected, const std::optional<Error>& error);

 private:
  struct Scope {
    ErrorKind filter;
    std::optional<Error> first;
    uint32_t expected = 0;
    Popped popped;
  };
  using Scopes = std::vector<std::shared_ptr<Scope>>;
  void ReportTo(const Scopes& scopes, const Error& error);

  Scopes scopes_;
  Sink uncaptured_;
};

}  // namespace lockstep::gpu::core
