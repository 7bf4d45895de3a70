// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "support/check.h"

#include <cstdio>
#include <cstdlib>

namespace lockstep {

void InternalError(const char* file, int line, std::string_view text) {
  std::fprintf(stderr, "internal error: %s:%d: %.*s\n", file, line, static_cast<int>(text.size()),
               text.data());
  std::fflush(stderr);
  std::abort();
}

}  // namespace lockstep
