// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/analysis/range_arith.h"

#include <algorithm>
#include <bit>

namespace lockstep::ir {
namespace {

constexpr int64_t kUnsignedEnd = int64_t{1} << 32;
constexpr int64_t kSignedMax = std::numeric_limits<int32_t>::max();
constexpr int64_t kSignedMin = std::numeric_limits<int32_t>::min();

// Each view tells about the other where all its values have one sign.
Range Tighten(Range r) {
  for (int i = 0; i < 2; ++i) {
    if (r.empty()) return r;
    if (r.umax <= static_cast<uint32_t>(kSignedMax) || r.umin > static_cast<uint32_t>(kSignedMax)) {
      r.smin = std::max(r.smin, static_cast<int32_t>(r.umin));
      r.smax = std::min(r.smax, static_cast<int32_t>(r.umax));
    }
    if (r.empty()) return r;
    if (r.smin >= 0 || r.smax < 0) {
      r.umin = std::max(r.umin, static_cast<uint32_t>(r.smin));
      r.umax = std::min(r.umax, static_cast<uint32_t>(r.smax));
    }
  }
  return r;
}

// [lo, hi] computed without wrapping, as u32: everything where some of it wraps and some does not.
void SetUnsigned(Range* r, int64_t lo, int64_t hi) {
  if (lo < 0 && hi < 0) lo += kUnsignedEnd, hi += kUnsignedEnd;
  if (lo >= kUnsignedEnd && hi >= kUnsignedEnd) lo -= kUnsignedEnd, hi -= kUnsignedEnd;
  if (lo < 0 || hi >= kUnsignedEnd) return;
  r->umin = static_cast<uint32_t>(lo);
  r->umax = static_cast<uint32_t>(hi);
}

void SetSigned(Range* r, int64_t lo, int64_t hi) {
  if (lo < kSignedMin || hi > kSignedMax) return;
  r->smin = static_cast<int32_t>(lo);
  r->smax = static_cast<int32_t>(hi);
}

Range Sum(const Range& a, const Range& b) {
  Range r;
  SetUnsigned(&r, int64_t{a.umin} + b.umin, int64_t{a.umax} + b.umax);
  SetSigned(&r, int64_t{a.smin} + b.smin, int64_t{a.smax} + b.smax);
  return Tighten(r);
}

Range Difference(const Range& a, const Range& b) {
  Range r;
  SetUnsigned(&r, int64_t{a.umin} - b.umax, int64_t{a.umax} - b.umin);
  SetSigned(&r, int64_t{a.smin} - b.smax, int64_t{a.smax} - b.smin);
  return Tighten(r);
}

Range Product(const Range& a, const Range& b) {
  Range r;
  const uint64_t high = uint64_t{a.umax} * b.umax;
  if (high < static_cast<uint64_t>(kUnsignedEnd))
    SetUnsigned(&r, int64_t{a.umin} * b.umin, static_cast<int64_t>(high));
  const int64_t corners[] = {int64_t{a.smin} * b.smin, int64_t{a.smin} * b.smax, int64_t{a.smax} * b.smin,
                             int64_t{a.smax} * b.smax};
  SetSigned(&r, *std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4));
  return Tighten(r);
}

Range Quotient(bool is_signed, const Range& a, const Range& b) {
  Range r;
  if (is_signed) {
    // Only non-negative by positive: the rest gains little.
    if (a.smin < 0 || b.smin <= 0) return r;
    SetSigned(&r, a.smin / b.smax, a.smax / b.smin);
  } else if (b.umin == 0) {
    SetUnsigned(&r, 0, a.umax);  // x / 0 = x
  } else {
    SetUnsigned(&r, a.umin / b.umax, a.umax / b.umin);
  }
  return Tighten(r);
}

Range Remainder(bool is_signed, const Range& a, const Range& b) {
  Range r;
  if (is_signed) {
    if (a.smin < 0 || b.smin < 0) return r;
    SetSigned(&r, 0, std::min<int64_t>(a.smax, std::max(b.smax - 1, 0)));  // x % 0 = 0
  } else {
    SetUnsigned(&r, 0, std::min(a.umax, b.umax == 0 ? 0 : b.umax - 1));
  }
  return Tighten(r);
}

// The smallest 2^n - 1 that is not below v.
uint32_t Ones(uint32_t v) { return v == 0 ? 0 : 0xffffffffu >> std::countl_zero(v); }

Range ShiftLeft(const Range& a, const Range& b) {
  Range r;
  if (b.umax > 31) return r;
  if (a.umax < (kUnsignedEnd >> b.umax))
    SetUnsigned(&r, int64_t{a.umin} << b.umin, int64_t{a.umax} << b.umax);
  if (a.smin >= 0) SetSigned(&r, int64_t{a.smin} << b.umin, int64_t{a.smax} << b.umax);
  return Tighten(r);
}

Range ShiftRight(bool is_signed, const Range& a, const Range& b) {
  Range r;
  const bool in_range = b.umax <= 31;
  if (is_signed) {
    if (a.smin < 0) return r;
    SetSigned(&r, in_range ? a.smin >> b.umax : 0, in_range ? a.smax >> b.umin : a.smax);
  } else {
    SetUnsigned(&r, in_range ? a.umin >> b.umax : 0, in_range ? a.umax >> b.umin : a.umax);
  }
  return Tighten(r);
}

Range Extreme(bool is_signed, bool is_max, const Range& a, const Range& b) {
  Range r;
  const auto pick = [is_max](auto x, auto y) { return is_max ? std::max(x, y) : std::min(x, y); };
  if (is_signed) {
    SetSigned(&r, pick(a.smin, b.smin), pick(a.smax, b.smax));
  } else {
    SetUnsigned(&r, pick(a.umin, b.umin), pick(a.umax, b.umax));
  }
  return Tighten(r);
}

Range NarrowBelow(bool is_signed, bool or_equal, Range a, const Range& b) {
  if (is_signed) {
    if (!or_equal && b.smax == kSignedMin) return Range::Unsigned(1, 0);
    a.smax = std::min(a.smax, or_equal ? b.smax : b.smax - 1);
  } else {
    if (!or_equal && b.umax == 0) return Range::Unsigned(1, 0);
    a.umax = std::min(a.umax, or_equal ? b.umax : b.umax - 1);
  }
  return Tighten(a);
}

Range NarrowAbove(bool is_signed, bool or_equal, Range a, const Range& b) {
  if (is_signed) {
    if (!or_equal && b.smin == kSignedMax) return Range::Unsigned(1, 0);
    a.smin = std::max(a.smin, or_equal ? b.smin : b.smin + 1);
  } else {
    if (!or_equal && b.umin == 0xffffffffu) return Range::Unsigned(1, 0);
    a.umin = std::max(a.umin, or_equal ? b.umin : b.umin + 1);
  }
  return Tighten(a);
}

// a != b, b one value: only an end can go.
Range NarrowUnequal(Range a, const Range& b) {
  if (b.umin != b.umax || a.empty()) return a;
  if (a.umin == b.umin && a.umin != a.umax)
    ++a.umin;
  else if (a.umax == b.umin && a.umin != a.umax)
    --a.umax;
  const int32_t v = static_cast<int32_t>(b.umin);
  if (a.smin == v && a.smin != a.smax)
    ++a.smin;
  else if (a.smax == v && a.smin != a.smax)
    --a.smax;
  return Tighten(a);
}

}  // namespace

Range Range::Exactly(uint32_t bits) {
  return {bits, bits, static_cast<int32_t>(bits), static_cast<int32_t>(bits)};
}

Range Range::Unsigned(uint32_t lo, uint32_t hi) {
  Range r;
  r.umin = lo;
  r.umax = hi;
  return lo <= hi ? Tighten(r) : r;
}

Range Range::Signed(int32_t lo, int32_t hi) {
  Range r;
  r.smin = lo;
  r.smax = hi;
  return lo <= hi ? Tighten(r) : r;
}

Range Join(const Range& a, const Range& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  return {std::min(a.umin, b.umin), std::max(a.umax, b.umax), std::min(a.smin, b.smin),
          std::max(a.smax, b.smax)};
}

Range Intersect(const Range& a, const Range& b) {
  return Tighten({std::max(a.umin, b.umin), std::min(a.umax, b.umax), std::max(a.smin, b.smin),
                  std::min(a.smax, b.smax)});
}

bool Contains(const Range& outer, const Range& inner) {
  return outer.umin <= inner.umin && inner.umax <= outer.umax && outer.smin <= inner.smin &&
         inner.smax <= outer.smax;
}

Range EvaluateRange(Op op, bool is_signed, const Range& a, const Range& b) {
  if (a.empty() || b.empty()) return Range();
  if (op == Op::kAdd) return Sum(a, b);
  if (op == Op::kSub) return Difference(a, b);
  if (op == Op::kMul) return Product(a, b);
  if (op == Op::kDiv) return Quotient(is_signed, a, b);
  if (op == Op::kRem) return Remainder(is_signed, a, b);
  if (op == Op::kMin) return Extreme(is_signed, false, a, b);
  if (op == Op::kMax) return Extreme(is_signed, true, a, b);
  if (op == Op::kAnd) return Range::Unsigned(0, std::min(a.umax, b.umax));
  if (op == Op::kOr) return Range::Unsigned(std::max(a.umin, b.umin), Ones(a.umax) | Ones(b.umax));
  if (op == Op::kXor) return Range::Unsigned(0, Ones(a.umax) | Ones(b.umax));
  if (op == Op::kShl) return ShiftLeft(a, b);
  if (op == Op::kShr) return ShiftRight(is_signed, a, b);
  return Range();
}

Range EvaluateRange(Op op, bool is_signed, const Range& a) {
  if (a.empty()) return Range();
  if (op == Op::kNeg) return Difference(Range::Exactly(0), a);
  if (op == Op::kAbs) {
    if (!is_signed || a.smin >= 0) return a;
    if (a.smin == std::numeric_limits<int32_t>::min()) return Range::Unsigned(0, 0x80000000u);
    return Range::Signed(0, std::max(-a.smin, a.smax));
  }
  if (op == Op::kCountOneBits || op == Op::kCountLeadingZeros || op == Op::kCountTrailingZeros) {
    return Range::Unsigned(0, 32);
  }
  return Range();
}

Range Narrow(Op op, bool is_signed, const Range& a, const Range& b) {
  if (a.empty() || b.empty()) return a;
  if (op == Op::kLt) return NarrowBelow(is_signed, false, a, b);
  if (op == Op::kLe) return NarrowBelow(is_signed, true, a, b);
  if (op == Op::kGt) return NarrowAbove(is_signed, false, a, b);
  if (op == Op::kGe) return NarrowAbove(is_signed, true, a, b);
  if (op == Op::kEq) return Intersect(a, b);
  if (op == Op::kNe) return NarrowUnequal(a, b);
  return a;
}

}  // namespace lockstep::ir
