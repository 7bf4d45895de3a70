// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// What a buffer should hold in the end, and where it first does not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runner/description.h"
#include "runner/layout.h"
#include "support/result.h"

namespace lockstep::runner {

struct Expectation {
  bool unordered = false;
  bool rest_unchecked = false;
  std::optional<double> tolerance;  // absolute, or a fraction of the wanted value
  bool relative = false;
  std::vector<double> want;  // every scalar of WGSL is exact as a double
};

struct Difference {
  uint64_t index = 0;  // of the scalar; in the order of size where the order is free
  std::string got;     // empty: no value is left for the wanted one
  std::string want;
  std::string got_json, want_json;
  uint64_t count = 1;  // how many differ
};

// The layout is that of the buffer; failures: the list does not fit it.
Result<Expectation> MakeExpectation(const ExpectItem& item, const Layout& layout, const std::string& folder);
std::optional<Difference> Compare(const Expectation& expectation, const Layout& layout,
                                  std::span<const std::byte> memory);

}  // namespace lockstep::runner
