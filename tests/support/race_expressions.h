// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Expressions of random_race.h: the same in every schedule, made of what an invocation knows for itself.
#pragma once

#include <cstdint>
#include <string>

#include "support/race_types.h"

namespace lockstep::tests {

class RaceExpressions {
 protected:
  using Kind = RaceType::Kind;
  using Type = RaceType;

  explicit RaceExpressions(uint64_t seed) : random_(seed) {}
  uint32_t Below(uint32_t n) { return random_.Below(n); }
  bool OneIn(uint32_t n) { return random_.OneIn(n); }

  std::string Atom();
  std::string Number();
  std::string Condition();
  // Uniform over the workgroup.
  std::string UniformCondition();
  std::string Rounds();
  // Below `count`, or not.
  std::string Index(uint32_t count);
  std::string Value(const Type& type);
  // Some of a value as a number.
  std::string AsNumber(const std::string& value, const Type& type);

  RaceRandom random_;
  uint32_t invocations_ = 1;  // of a workgroup
  std::string k_ = "k";       // the round of the loop around
};

}  // namespace lockstep::tests
