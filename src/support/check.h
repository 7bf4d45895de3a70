// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// CHECK is for our own bugs only: it stays on in release builds, prints where and what, and aborts.
// A user's fault is a diag::Diagnostic, a fault of the environment a Failure (support/result.h).
#pragma once

#include <string_view>

namespace lockstep {

// Prints "internal error: FILE:LINE: TEXT" to stderr and aborts.
[[noreturn]] void InternalError(const char* file, int line, std::string_view text);

}  // namespace lockstep

#define CHECK(condition)                             \
  (__builtin_expect(static_cast<bool>(condition), 1) \
       ? void()                                      \
       : ::lockstep::InternalError(__FILE__, __LINE__, #condition))
#define UNREACHABLE(text) ::lockstep::InternalError(__FILE__, __LINE__, text)
