// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/error.h"

#include <fmt/format.h>

#include <utility>

namespace lockstep::gpu::core {

Error ValidationError(std::string message) {
  return {ErrorKind::kValidation, std::move(message), FailureKind::kProgram};
}

Error OutOfMemoryError(const std::string& name, const Failure& failure) {
  return {ErrorKind::kOutOfMemory, fmt::format("{}: {}", name, failure.message), FailureKind::kEnvironment};
}

Error FromFailure(const Failure& failure) {
  // A device's own compile limits are WebGPU's "uncategorized errors"; what else a device reports is its
  // surroundings'.
  return {ErrorKind::kInternal, failure.message, failure.kind};
}

class ErrorScopes::Expected {
 public:
  explicit Expected(Scopes scopes) : scopes_(std::move(scopes)) {}

 private:
  friend class ErrorScopes;
  Scopes scopes_;
};

void ErrorScopes::Push(ErrorKind filter) {
  scopes_.push_back(std::make_shared<Scope>(Scope{filter, std::nullopt, 0, nullptr}));
}

bool ErrorScopes::Pop(Popped popped) {
  if (scopes_.empty()) return false;
  const std::shared_ptr<Scope> scope = scopes_.back();
  scopes_.pop_back();
  if (scope->expected == 0)
    popped(scope->first);
  else
    scope->popped = std::move(popped);
  return true;
}

void ErrorScopes::Report(const Error& error) { ReportTo(scopes_, error); }

void ErrorScopes::ReportTo(const Scopes& scopes, const Error& error) {
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
    if ((*scope)->filter != error.kind) continue;
    if (!(*scope)->first) (*scope)->first = error;
    return;
  }
  const Sink uncaptured = uncaptured_;  // it may set another, or push and pop scopes
  if (uncaptured) uncaptured(error);
}

std::shared_ptr<ErrorScopes::Expected> ErrorScopes::Expect() const {
  for (const std::shared_ptr<Scope>& scope : scopes_) ++scope->expected;
  return std::make_shared<Expected>(scopes_);
}

void ErrorScopes::Resolve(const std::shared_ptr<Expected>& expected, const std::optional<Error>& error) {
  if (error) ReportTo(expected->scopes_, *error);
  for (const std::shared_ptr<Scope>& scope : expected->scopes_) {
    if (--scope->expected == 0 && scope->popped) std::exchange(scope->popped, nullptr)(scope->first);
  }
}

}  // namespace lockstep::gpu::core
