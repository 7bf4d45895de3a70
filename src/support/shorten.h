// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lockstep {

// What somebody wrote, for a message about it: of a number with a million digits the first forty and "...".
inline std::string Shortened(std::string_view text) {
  constexpr size_t kMaxShown = 40;
  return text.size() <= kMaxShown ? std::string(text) : std::string(text.substr(0, kMaxShown)) + "...";
}

}  // namespace lockstep
