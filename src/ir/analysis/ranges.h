// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Intervals that 32-bit integer scalars lie in, for leaving out needless bounds checks and signed compares.
//
// One walk in the order of the text; conditions that hold at a place narrow the values that they compare
// while the walk is there, so the interval of an operand is a fact of its use, not only of its value:
//
//   loop (%k = 0u) {                         %k in [0, 256]: 0 at first, then what is below 256, plus 1
//     if (ge %k, 256u) { exit @loop } ...    after it %k in [0, 255]
//     access $tile, %k                       in range: no clamp
//
// Loop parameters get an interval where one operation on the parameter makes its next value and a test at the
// top of the body bounds it: counters up, down, doubling and halving. Beside intervals it remembers `i <
// arrayLength(&a)`.
#pragma once

#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

#include "ir/analysis/divergence.h"
#include "ir/module.h"

namespace lockstep::ir {

// All bit patterns that a value may have, seen as u32 and as i32; both hold.
struct Range {
  uint32_t umin = 0, umax = std::numeric_limits<uint32_t>::max();
  int32_t smin = std::numeric_limits<int32_t>::min(), smax = std::numeric_limits<int32_t>::max();

  static Range Exactly(uint32_t bits);
  static Range Unsigned(uint32_t lo, uint32_t hi);
  static Range Signed(int32_t lo, int32_t hi);
  bool empty() const { return umin > umax || smin > smax; }
  friend bool operator==(const Range&, const Range&) = default;
};

class RangeInfo {
 public:
  // What holds wherever the value is used. Everything for what is no 32-bit integer scalar.
  Range Of(ValueId value) const { return value.index < ranges_.size() ? ranges_[value.index] : Range(); }
  // What holds of an operand of an `access` there.
  Range OfIndex(InstId access, uint32_t operand) const;
  // Operand `operand` of the access is known to be below the length of the runtime array that it indexes.
  bool BelowArrayLength(InstId access, uint32_t operand) const {
    return below_length_.count(Key(access, operand)) != 0;
  }

 private:
  friend class RangeAnalysis;
  static uint64_t Key(InstId inst, uint32_t operand) { return uint64_t{inst.index} << 32 | operand; }

  std::vector<Range> ranges_;
  std::unordered_map<uint64_t, Range> indices_;
  std::unordered_map<uint64_t, bool> below_length_;
};

// Facts about the module as it stands; a later change of the module invalidates them.
RangeInfo AnalyzeRanges(const Module& module);
// Facts that hold as well in lanes of a group that are not active, whose values are left over from elsewhere:
// only uniform conditions narrow, and what lanes bring together from different places is unknown. Loads run
// in such lanes too.
RangeInfo AnalyzeRangesInEveryLane(const Module& module, const DivergenceInfo& divergence);

// The variable that a pointer leads to through constant accesses and others, None for a parameter or a `var`.
VariableId RootVariable(const Module& module, ValueId pointer);

}  // namespace lockstep::ir
