// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/analysis/ranges.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

#include "ir/analysis/range_arith.h"
#include "ir/printer.h"
#include "ir/transform/constant_eval.h"
#include "ir/verifier.h"

namespace lockstep::ir {
namespace {

// The body of an entry point may use %l in [0, 63] and %y, anything. `%p = access $t, %v` names a place to
// ask about.
class Ranges : public testing::Test {
 protected:
  void Analyze(std::string_view body) {
    Result<Module> m =
        Parse(fmt::format("var $a : storage read_write array<u32> group 0 binding 0\nvar $t : workgroup "
                          "read_write array<u32, 64>\n"
                          "fn @main() workgroup_size(8, 8, 1) {{\n%l = builtin local_invocation_index : u32\n"
                          "%ys = load $t : array<u32, 64>\n%y = extract 0 %ys : u32\n{}\nreturn\n}}\n",
                          body));
    ASSERT_TRUE(m.ok()) << m.failure().message;
    ASSERT_EQ(Verify(*m), "");
    module_ = *m;
    info_ = AnalyzeRanges(module_);
    every_lane_ = AnalyzeRangesInEveryLane(module_, AnalyzeDivergence(module_));
  }

  ValueId Value(std::string_view name) {
    for (uint32_t i = 0; i < module_.value_count(); ++i) {
      if (module_.name_of(ValueId(i)) == name) return ValueId(i);
    }
    ADD_FAILURE() << "no value " << name;
    return ValueId(0);
  }
  Range Of(std::string_view name) { return info_.Of(Value(name)); }
  // Of the index of the access that makes `name`.
  Range Index(std::string_view name) { return info_.OfIndex(module_.defining_inst(Value(name)), 1); }
  Range EveryLane(std::string_view name) {
    return every_lane_.OfIndex(module_.defining_inst(Value(name)), 1);
  }

  Module module_;
  RangeInfo info_;
  RangeInfo every_lane_;
};

void ExpectUnsigned(const Range& range, uint32_t lo, uint32_t hi) {
  EXPECT_EQ(range.umin, lo);
  EXPECT_EQ(range.umax, hi);
}

TEST_F(Ranges, FollowArithmetic) {
  Analyze(
      "%p = add %l, 3u : u32\n%q = mul %p, 4u : u32\n%r = and %y, 7u : u32\n%s = rem %y, 10u : u32\n"
      "%d = sub %l, 1u : u32\n%u = min %d, 9u : u32\n%v = shr %y, 28u : u32\n%c = lt %y, 4u : bool\n"
      "%w = select %c, %r, 12u : u32");
  ExpectUnsigned(Of("p"), 3, 66);
  ExpectUnsigned(Of("q"), 12, 264);
  ExpectUnsigned(Of("r"), 0, 7);
  ExpectUnsigned(Of("s"), 0, 9);
  ExpectUnsigned(Of("d"), 0, 0xffffffff);
  EXPECT_EQ(Of("d").smin, -1);
  ExpectUnsigned(Of("u"), 0, 9);
  ExpectUnsigned(Of("v"), 0, 15);
  ExpectUnsigned(Of("w"), 0, 12);
}

TEST_F(Ranges, ConditionsNarrowWhereTheyHold) {
  Analyze(R"(
    %c = lt %y, 10u : bool
    if %c {
      %in = access $t, %y : ptr<workgroup, read_write, u32>
      store %in, 1u
      exit
    } else {
      %out = access $t, %y : ptr<workgroup, read_write, u32>
      store %out, 1u
      exit
    }
    %i = bitcast %y : i32
    %n = lt %i, 0i : bool
    %b = ge %i, 20i : bool
    %e = or %n, %b : bool
    if %e {
      return
    } else {
      exit
    }
    %after = access $t, %i : ptr<workgroup, read_write, u32>
    store %after, 1u)");
  ExpectUnsigned(Index("in"), 0, 9);
  ExpectUnsigned(Index("out"), 10, 0xffffffff);
  ExpectUnsigned(Index("after"), 0, 19);
  ExpectUnsigned(Of("y"), 0, 0xffffffff);
}

TEST_F(Ranges, OfInactiveLanesAreNotNarrowedByDivergentConditions) {
  Analyze(R"(
    %d = mul %l, %y : u32
    %c = lt %d, 10u : bool
    if %c {
      %p = access $t, %d : ptr<workgroup, read_write, u32>
      store %p, 1u
      %q = access $t, %l : ptr<workgroup, read_write, u32>
      store %q, 1u
      exit
    } else {
      exit
    }
    loop @loop (%k = 0u) {
      %done = ge %k, 10u : bool
      if %done { exit @loop } else { exit }
      %r = access $t, %k : ptr<workgroup, read_write, u32>
      store %r, 1u
      continue
    } continuing {
      %k2 = add %k, 1u : u32
      next %k2
    })");
  ExpectUnsigned(Index("p"), 0, 9);
  ExpectUnsigned(EveryLane("p"), 0, 0xffffffff);
  ExpectUnsigned(EveryLane("q"), 0, 63);
  ExpectUnsigned(EveryLane("r"), 0, 9);
}

struct LoopCase {
  const char* initial;
  const char* test;  // leaves the loop
  const char* step;
  uint32_t umin, umax;  // of the counter after the test
};

class LoopRanges : public Ranges, public testing::WithParamInterface<LoopCase> {};

TEST_P(LoopRanges, Counter) {
  const LoopCase& c = GetParam();
  Analyze(fmt::format(R"(
    loop @loop (%k = {}) {{
      %done = {} : bool
      if %done {{ exit @loop }} else {{ exit }}
      %p = access $t, %k : ptr<workgroup, read_write, u32>
      store %p, 1u
      continue
    }} continuing {{
      %k2 = {}
      next %k2
    }})",
                      c.initial, c.test, c.step));
  ExpectUnsigned(Index("p"), c.umin, c.umax);
}

INSTANTIATE_TEST_SUITE_P(All, LoopRanges,
                         testing::Values(LoopCase{"2u", "ge %k, 64u", "add %k, 3u : u32", 2, 63},
                                         LoopCase{"0i", "ge %k, 64i", "add %k, 1i : i32", 0, 63},
                                         LoopCase{"63i", "lt %k, 0i", "sub %k, 1i : i32", 0, 63},
                                         LoopCase{"63i", "lt %k, 0i", "add %k, -1i : i32", 0, 63},
                                         LoopCase{"32u", "eq %k, 0u", "shr %k, 1u : u32", 1, 32},
                                         LoopCase{"1u", "ge %k, 64u", "shl %k, 1u : u32", 1, 63},
                                         LoopCase{"%l", "ge %k, 64u", "add %k, 64u : u32", 0, 63},
                                         LoopCase{"5u", "eq %k, 0u", "sub %k, 1u : u32", 1, 5},
                                         // What may wrap around has no start.
                                         LoopCase{"5u", "ge %k, %y", "add %k, 3u : u32", 0, 0xfffffffe},
                                         LoopCase{"5u", "eq %k, 64u", "add %k, 1u : u32", 0, 0xffffffff},
                                         LoopCase{"5u", "eq %k, 0u", "sub %k, 2u : u32", 1, 0xffffffff}));

TEST_F(Ranges, KnowIndicesBelowTheArraysLength) {
  Analyze(R"(
    %n = array_length $a : u32
    %c = ge %y, %n : bool
    if %c { return } else { exit }
    %p = access $a, %y : ptr<storage, read_write, u32>
    store %p, 1u
    %q = access $t, %y : ptr<workgroup, read_write, u32>
    store %q, 1u)");
  EXPECT_TRUE(info_.BelowArrayLength(module_.defining_inst(Value("p")), 1));
  EXPECT_FALSE(info_.BelowArrayLength(module_.defining_inst(Value("q")), 1));
}

// What samples of two intervals give lies in the result's interval.
void CheckSamples(Module& m, InstId inst, bool is_signed, std::array<uint32_t, 2> a,
                  std::array<uint32_t, 2> b) {
  const Op op = m.insts[inst].op;
  const bool shift = op == Op::kShl || op == Op::kShr;
  const TypeId type = m.type_of(m.result(inst));
  const Range r = EvaluateRange(op, is_signed, Range::Unsigned(a[0], a[1]), Range::Unsigned(b[0], b[1]));
  for (const uint32_t x : {a[0], a[0] + (a[1] - a[0]) / 2, a[1]}) {
    for (const uint32_t y : {b[0], b[0] + (b[1] - b[0]) / 2, b[1]}) {
      const ValueId operands[] = {m.ConstantBits(type, x), m.ConstantBits(shift ? m.types.U32() : type, y)};
      uint32_t bits = 0;
      ASSERT_TRUE(m.ConstantScalar(EvaluateConstant(m, inst, operands), &bits));
      ASSERT_TRUE(Contains(r, Range::Exactly(bits)))
          << OpText(op) << " signed " << is_signed << " [" << a[0] << "," << a[1] << "] [" << b[0] << ","
          << b[1] << "] " << x << " " << y << " gives " << bits << " not in [" << r.umin << "," << r.umax
          << "] [" << r.smin << "," << r.smax << "]";
    }
  }
}

TEST(RangeArith, HoldsForSamples) {
  Module m;
  const std::vector<uint32_t> ends = {0, 1, 5, 32, 0x7fffffff, 0x80000000, 0xffffffff};
  std::vector<std::array<uint32_t, 2>> intervals;
  for (size_t i = 0; i < ends.size(); ++i) {
    for (size_t j = i; j < ends.size(); ++j) intervals.push_back({ends[i], ends[j]});
  }
  for (const bool is_signed : {false, true}) {
    for (const Op op : {Op::kAdd, Op::kSub, Op::kMul, Op::kDiv, Op::kRem, Op::kMin, Op::kMax, Op::kAnd,
                        Op::kOr, Op::kXor, Op::kShl, Op::kShr}) {
      const TypeId type = is_signed ? m.types.I32() : m.types.U32();
      const ValueId zero[] = {m.ConstantBits(type, 0), m.ConstantBits(type, 0)};
      const InstId inst = m.MakeInst(op, zero, {&type, 1});
      for (const auto& a : intervals) {
        for (const auto& b : intervals) CheckSamples(m, inst, is_signed, a, b);
      }
    }
  }
}

}  // namespace
}  // namespace lockstep::ir
