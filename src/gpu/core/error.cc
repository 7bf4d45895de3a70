// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/error.h"

#include <utility>

namespace lockstep::gpu::core {

Error ValidationError(std::string message) {
  return {ErrorKind::kValidation, std::move(message), FailureKind::kProgram};
}

Error FromFailure(const Failure& failure) {
  // A device's own compile limits are WebGPU's "uncategorized errors"; what else a device reports is its
  // surroundings'.
  return {ErrorKind::kInternal, failure.message, failure.kind};
}

void ErrorScopes::Push(ErrorKind filter) {
  const std::lock_guard lock(mutex_);
  scopes_.push_back({filter, std::nullopt});
}

bool ErrorScopes::Pop(std::optional<Error>& caught) {
  const std::lock_guard lock(mutex_);
  if (scopes_.empty()) return false;
  caught = std::move(scopes_.back().first);
  scopes_.pop_back();
  return true;
}

void ErrorScopes::Report(const Error& error) {
  Sink uncaptured;
  {
    const std::lock_guard lock(mutex_);
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      if (scope->filter != error.kind) continue;
      if (!scope->first) scope->first = error;
      return;
    }
    uncaptured = uncaptured_;  // called without the lock: it may push and pop scopes itself
  }
  if (uncaptured) uncaptured(error);
}

void ErrorScopes::set_uncaptured(Sink sink) {
  const std::lock_guard lock(mutex_);
  uncaptured_ = std::move(sink);
}

}  // namespace lockstep::gpu::core
