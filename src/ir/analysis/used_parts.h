// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Which components of a vector anything looks at, also through structs that are only taken apart again. Where
// that takes long to say: all of them.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/module.h"

namespace lockstep::ir {

class UsedParts {
 public:
  explicit UsedParts(const Module& module);

  // Of a vector: bit i is component i. Of a scalar: 1, or 0 where nothing uses it.
  uint32_t Of(ValueId value);

 private:
  uint32_t Parts(ValueId value, uint32_t all);
  uint32_t PartsOfMember(ValueId composite, uint32_t member, uint32_t all);

  const Module& module_;
  std::vector<std::vector<InstId>> users_;  // by value
  uint32_t steps_ = 0;                      // that the question took so far
};

}  // namespace lockstep::ir
