// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Errors of WebGPU (#errors-and-debugging) are values. Who makes an invalid object or command reports the
// error to its device, and gets an invalid object that poisons what uses it; the innermost error scope that
// filters the error's kind keeps it, else the sink for uncaptured errors gets it.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "support/result.h"

namespace lockstep::gpu::core {

enum class ErrorKind : uint8_t { kValidation, kOutOfMemory, kInternal };  // GPUErrorFilter

struct Error {
  ErrorKind kind = ErrorKind::kValidation;
  std::string message;
  FailureKind fault = FailureKind::kProgram;  // whose fault it is, for the command line's exit status
};

// Validation and out-of-memory errors are made so often that they have names.
Error ValidationError(std::string message);
Error FromFailure(const Failure& failure);

class ErrorScopes {
 public:
  using Sink = std::function<void(const Error&)>;

  void Push(ErrorKind filter);
  // The first error that the innermost scope caught. False: there is no scope.
  bool Pop(std::optional<Error>& caught);
  void Report(const Error& error);
  void set_uncaptured(Sink sink);

 private:
  struct Scope {
    ErrorKind filter;
    std::optional<Error> first;
  };
  std::mutex mutex_;
  std::vector<Scope> scopes_;
  Sink uncaptured_;
};

}  // namespace lockstep::gpu::core
