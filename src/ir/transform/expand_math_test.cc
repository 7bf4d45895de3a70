// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Measures every expansion against libm in double. A module with one operation is built and expanded; what
// comes out is straight-line code, which a small evaluator here runs over many arguments at once.
#include "ir/transform/expand_math.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <unordered_map>

#include "ir/builder.h"
#include "ir/verifier.h"

namespace lockstep::ir {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
const float kNaN = std::nanf("");

// The function under test is the first; an entry point makes the module whole.
void AddEntryPoint(Module* m) {
  const BlockId body = m->AddBlock();
  m->entry = m->functions.Add(Function{"main", {}, m->types.Void(), body, {}});
  Builder(m, body).Return();
}

// A function of `operand_count` parameters of `type` that returns `op` of them.
Module ModuleWith(Op op, uint32_t operand_count, TypeId (*type_of)(TypeTable&)) {
  Module m;
  const TypeId type = type_of(m.types);
  const BlockId body = m.AddBlock();
  const FunctionId f = m.functions.Add(Function{"f", {}, type, body, {}});
  std::vector<ValueId> x;
  for (uint32_t i = 0; i < operand_count; ++i) x.push_back(m.AddFunctionParam(f, type));
  Builder b(&m, body);
  b.Return(operand_count == 1 ? b.Unary(op, x[0]) : b.Binary(op, x[0], x[1]));
  AddEntryPoint(&m);
  return m;
}

TypeId ScalarType(TypeTable& types) { return types.F32(); }
TypeId VectorType(TypeTable& types) { return types.Vector(types.F32(), 3); }

// Runs the only block of the module's function on component `component` of everything, for many arguments
// side by side.
class Evaluator {
 public:
  using Lanes = std::vector<uint32_t>;
  Evaluator(const Module& m, uint32_t component) : m_(m), component_(component) {}

  std::vector<float> Run(const std::vector<std::vector<float>>& arguments) {
    const Function& f = m_.functions[FunctionId(0)];
    count_ = arguments[0].size();
    for (size_t i = 0; i < arguments.size(); ++i) {
      Lanes& lanes = values_[f.params[i]];
      for (const float x : arguments[i]) lanes.push_back(std::bit_cast<uint32_t>(x));
    }
    for (const InstId inst : m_.blocks[f.body].insts) {
      if (m_.insts[inst].op != Op::kReturn) {
        values_[m_.result(inst)] = Evaluate(inst);
        continue;
      }
      std::vector<float> results;
      for (const uint32_t bits : Get(m_.operands(inst)[0])) results.push_back(std::bit_cast<float>(bits));
      return results;
    }
    return {};
  }

 private:
  Lanes Get(ValueId id) {
    if (!m_.is_constant(id)) return values_.at(id);
    const Constant& c = m_.constant(id);
    if (m_.types.Width(c.type) == 1) return Lanes(count_, c.bits);
    return Lanes(count_, c.parts.empty() ? 0 : m_.constant(c.parts[component_]).bits);
  }

  template <typename Fn>
  Lanes Map(InstId inst, const Fn& fn) {
    std::vector<Lanes> operands;
    for (const ValueId v : m_.operands(inst)) operands.push_back(Get(v));
    operands.resize(3, operands[0]);
    Lanes out(count_);
    for (size_t i = 0; i < count_; ++i) out[i] = fn(operands[0][i], operands[1][i], operands[2][i]);
    return out;
  }
  template <typename Fn>
  Lanes MapFloats(InstId inst, const Fn& fn) {
    const auto f = [](uint32_t bits) { return std::bit_cast<float>(bits); };
    return Map(inst, [&](uint32_t a, uint32_t b, uint32_t c) {
      return std::bit_cast<uint32_t>(static_cast<float>(fn(f(a), f(b), f(c))));
    });
  }
  template <typename Fn>
  Lanes Compare(InstId inst, const Fn& fn) {
    const TypeId type = m_.type_of(m_.operands(inst)[0]);
    const auto f = [](uint32_t bits) { return std::bit_cast<float>(bits); };
    return Map(inst, [&](uint32_t a, uint32_t b, uint32_t) -> uint32_t {
      if (m_.types.IsFloat(type)) return fn(f(a), f(b));
      if (m_.types.IsSigned(type)) return fn(static_cast<int32_t>(a), static_cast<int32_t>(b));
      return fn(a, b);
    });
  }

  Lanes EvaluateInt(InstId inst, Op op, bool is_signed) {
    if (op == Op::kAdd) return Map(inst, [](uint32_t a, uint32_t b, uint32_t) { return a + b; });
    if (op == Op::kSub) return Map(inst, [](uint32_t a, uint32_t b, uint32_t) { return a - b; });
    if (op == Op::kAnd) return Map(inst, [](uint32_t a, uint32_t b, uint32_t) { return a & b; });
    if (op == Op::kOr) return Map(inst, [](uint32_t a, uint32_t b, uint32_t) { return a | b; });
    if (op == Op::kXor) return Map(inst, [](uint32_t a, uint32_t b, uint32_t) { return a ^ b; });
    if (op == Op::kShl) return Map(inst, [](uint32_t a, uint32_t b, uint32_t) { return a << b; });
    EXPECT_EQ(op, Op::kShr) << OpText(op);
    return Map(inst, [&](uint32_t a, uint32_t b, uint32_t) {
      return is_signed ? static_cast<uint32_t>(static_cast<int32_t>(a) >> b) : a >> b;
    });
  }

  Lanes Evaluate(InstId inst) {
    const Op op = m_.insts[inst].op;
    const TypeId type = m_.type_of(m_.result(inst));
    if (op == Op::kEq) return Compare(inst, [](auto a, auto b) { return a == b; });
    if (op == Op::kLt) return Compare(inst, [](auto a, auto b) { return a < b; });
    if (op == Op::kLe) return Compare(inst, [](auto a, auto b) { return a <= b; });
    if (op == Op::kGt) return Compare(inst, [](auto a, auto b) { return a > b; });
    if (op == Op::kBitcast) return Get(m_.operands(inst)[0]);
    if (op == Op::kSelect)
      return Map(inst, [](uint32_t a, uint32_t b, uint32_t c) { return a != 0 ? b : c; });
    if (op == Op::kConvert) {
      EXPECT_TRUE(m_.types.IsSigned(m_.type_of(m_.operands(inst)[0])));
      return Map(inst, [](uint32_t a, uint32_t, uint32_t) {
        return std::bit_cast<uint32_t>(static_cast<float>(static_cast<int32_t>(a)));
      });
    }
    if (!m_.types.IsFloat(type)) return EvaluateInt(inst, op, m_.types.IsSigned(type));
    if (op == Op::kAdd) return MapFloats(inst, [](float a, float b, float) { return a + b; });
    if (op == Op::kSub) return MapFloats(inst, [](float a, float b, float) { return a - b; });
    if (op == Op::kMul) return MapFloats(inst, [](float a, float b, float) { return a * b; });
    if (op == Op::kDiv) return MapFloats(inst, [](float a, float b, float) { return a / b; });
    if (op == Op::kNeg) return MapFloats(inst, [](float a, float, float) { return -a; });
    if (op == Op::kAbs) return MapFloats(inst, [](float a, float, float) { return std::fabs(a); });
    if (op == Op::kSqrt) return MapFloats(inst, [](float a, float, float) { return std::sqrt(a); });
    EXPECT_EQ(op, Op::kFma) << OpText(op);
    return MapFloats(inst, [](float a, float b, float c) { return std::fma(a, b, c); });
  }

  const Module& m_;
  uint32_t component_;
  size_t count_ = 0;
  std::unordered_map<ValueId, Lanes, IdHash> values_;
};

Module Expanded(Op op, uint32_t operand_count, TypeId (*type_of)(TypeTable&) = ScalarType) {
  Module m = ModuleWith(op, operand_count, type_of);
  EXPECT_TRUE(ExpandMath(m));
  EXPECT_EQ(Verify(m), "");
  return m;
}

float Apply(Op op, float x) { return Evaluator(Expanded(op, 1), 0).Run({{x}})[0]; }
float Apply(Op op, float x, float y) { return Evaluator(Expanded(op, 2), 0).Run({{x}, {y}})[0]; }

// How far `got` is from `exact`, in units of f32's last place at `exact`. A result that is zero instead of
// subnormal counts as right.
double UlpError(float got, double exact) {
  if (std::isnan(exact)) return std::isnan(got) ? 0 : kInf;
  const float nearest = static_cast<float>(exact);
  if (std::isinf(nearest)) return got == nearest ? 0 : kInf;
  if (std::fabs(exact) < 0x1p-126 && got == 0) return 0;
  if (std::isnan(got)) return kInf;
  const int exponent = exact == 0 ? -126 : std::max(std::ilogb(exact), -126);
  return std::fabs(static_cast<double>(got) - exact) / std::ldexp(1.0, exponent - 23);
}

// Arguments from `low` to `high`: evenly spread ones, and ones spread over all magnitudes between.
std::vector<float> Arguments(double low, double high, int count = 100000) {
  std::mt19937_64 random(1);
  std::vector<float> xs = {static_cast<float>(low), static_cast<float>(high)};
  std::uniform_real_distribution<double> even(low, high), unit(0, 1);
  for (int i = 0; i < count; ++i) {
    xs.push_back(static_cast<float>(even(random)));
    const double magnitude =
        std::exp2(-149 + unit(random) * (std::log2(std::max(std::fabs(low), high)) + 149));
    const float spread = static_cast<float>(unit(random) < 0.5 ? magnitude : -magnitude);
    if (spread >= low && spread <= high) xs.push_back(spread);
  }
  return xs;
}

struct Worst {
  double error = 0;
  float x = 0, got = 0;
};

Worst Measure(Op op, double (*exact)(double), const std::vector<float>& xs,
              const std::function<double(float, double)>& error) {
  const Module m = Expanded(op, 1);
  const std::vector<float> got = Evaluator(m, 0).Run({xs});
  Worst worst;
  for (size_t i = 0; i < xs.size(); ++i) {
    const double e = error(got[i], exact(static_cast<double>(xs[i])));
    if (e > worst.error) worst = {e, xs[i], got[i]};
  }
  return worst;
}

struct Case {
  Op op;
  double (*exact)(double);
  double low, high;  // of the arguments
  double max_ulp;
  uint32_t max_insts;  // so that an expansion does not grow unseen
};

void PrintTo(const Case& c, std::ostream* out) { *out << OpText(c.op); }

double ExactInverseSqrt(double x) { return 1 / std::sqrt(x); }

class ExpandMathTest : public testing::TestWithParam<Case> {};

TEST_P(ExpandMathTest, IsAccurate) {
  const Case& c = GetParam();
  const Worst worst = Measure(c.op, c.exact, Arguments(c.low, c.high), UlpError);
  RecordProperty("ulp", std::to_string(worst.error));
  EXPECT_LE(worst.error, c.max_ulp) << OpText(c.op) << " at " << worst.x << " gives " << worst.got;
}

TEST_P(ExpandMathTest, IsShort) {
  const Case& c = GetParam();
  const Module m = Expanded(c.op, 1);
  const size_t count = m.blocks[m.functions[FunctionId(0)].body].insts.size();
  RecordProperty("insts", std::to_string(count));
  EXPECT_LE(count, c.max_insts);
}

TEST_P(ExpandMathTest, VectorsAreTheSameByComponent) {
  const Case& c = GetParam();
  const std::vector<float> xs = Arguments(c.low, c.high, 100);
  const Module scalar = Expanded(c.op, 1), vector = Expanded(c.op, 1, VectorType);
  const std::vector<float> expected = Evaluator(scalar, 0).Run({xs});
  for (uint32_t component = 0; component < 3; ++component) {
    const std::vector<float> got = Evaluator(vector, component).Run({xs});
    for (size_t i = 0; i < xs.size(); ++i) {
      EXPECT_EQ(std::bit_cast<uint32_t>(got[i]), std::bit_cast<uint32_t>(expected[i])) << xs[i];
    }
  }
}

TEST_P(ExpandMathTest, KeepsNaN) { EXPECT_TRUE(std::isnan(Apply(GetParam().op, kNaN))); }

INSTANTIATE_TEST_SUITE_P(
    All, ExpandMathTest,
    testing::Values(Case{Op::kInverseSqrt, ExactInverseSqrt, 0, 3.4e38, 2, 4},
                    Case{Op::kExp, std::exp, -104, 89, 2, 24}, Case{Op::kExp2, std::exp2, -150, 129, 2, 24},
                    Case{Op::kLog, std::log, 0, 3.4e38, 2, 40}, Case{Op::kLog, std::log, 0.5, 2, 2, 40},
                    Case{Op::kLog2, std::log2, 0, 3.4e38, 2, 40}, Case{Op::kLog2, std::log2, 0.5, 2, 2, 40},
                    Case{Op::kSin, std::sin, -1e5, 1e5, 2, 24}, Case{Op::kSin, std::sin, -4, 4, 2, 24},
                    Case{Op::kCos, std::cos, -1e5, 1e5, 2, 26}, Case{Op::kCos, std::cos, -4, 4, 2, 26},
                    Case{Op::kTan, std::tan, -1e5, 1e5, 3, 28}, Case{Op::kTan, std::tan, -2, 2, 3, 28},
                    Case{Op::kAsin, std::asin, -1, 1, 2, 24}, Case{Op::kAcos, std::acos, -1, 1, 2, 28},
                    Case{Op::kAtan, std::atan, -3.4e38, 3.4e38, 2, 24},
                    Case{Op::kAtan, std::atan, -4, 4, 2, 24}, Case{Op::kSinh, std::sinh, -90, 90, 2.5, 36},
                    Case{Op::kSinh, std::sinh, -2, 2, 2.5, 36}, Case{Op::kCosh, std::cosh, -90, 90, 2, 28},
                    Case{Op::kTanh, std::tanh, -20, 20, 2, 42}, Case{Op::kTanh, std::tanh, -1, 1, 2, 42},
                    Case{Op::kAsinh, std::asinh, -3.4e38, 3.4e38, 3, 50},
                    Case{Op::kAsinh, std::asinh, -4, 4, 3, 50},
                    Case{Op::kAcosh, std::acosh, 1, 3.4e38, 3, 50}, Case{Op::kAcosh, std::acosh, 1, 4, 3, 50},
                    Case{Op::kAtanh, std::atanh, -1, 1, 3, 44}),
    [](const testing::TestParamInfo<Case>& test) {
      return std::string(OpText(test.param.op)) + "_" + std::to_string(test.index);
    });

TEST(ExpandMath, Atan2IsAccurateInAllQuadrants) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> unit(-1, 1);
  std::vector<float> ys, xs;
  for (int i = 0; i < 200000; ++i) {
    ys.push_back(static_cast<float>(unit(random) * std::exp2(unit(random) * (i % 2 == 0 ? 4 : 60))));
    xs.push_back(static_cast<float>(unit(random) * std::exp2(unit(random) * (i % 2 == 0 ? 4 : 60))));
  }
  const Module m = Expanded(Op::kAtan2, 2);
  const std::vector<float> got = Evaluator(m, 0).Run({ys, xs});
  for (size_t i = 0; i < xs.size(); ++i) {
    ASSERT_LE(UlpError(got[i], std::atan2(static_cast<double>(ys[i]), static_cast<double>(xs[i]))), 2.5)
        << ys[i] << ", " << xs[i];
  }
}

TEST(ExpandMath, PowIsAccurateOverItsWholeRange) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> unit(-1, 1);
  std::vector<float> xs, ys;
  for (int i = 0; i < 300000; ++i) {
    // A base of any magnitude, and an exponent that gives a result of any magnitude.
    const double x = i % 3 == 0 ? 1 + unit(random) * 0.5 : std::exp2(unit(random) * (i % 3 == 1 ? 4 : 126));
    xs.push_back(static_cast<float>(x));
    const double log = std::log2(static_cast<double>(xs.back()));
    ys.push_back(static_cast<float>(log == 0 ? 3 : unit(random) * 130 / log));
  }
  const Module m = Expanded(Op::kPow, 2);
  const std::vector<float> got = Evaluator(m, 0).Run({xs, ys});
  Worst worst;
  for (size_t i = 0; i < xs.size(); ++i) {
    const double e = UlpError(got[i], std::pow(static_cast<double>(xs[i]), static_cast<double>(ys[i])));
    if (e > worst.error) worst = {e, xs[i], got[i]};
  }
  RecordProperty("ulp", std::to_string(worst.error));
  EXPECT_LE(worst.error, 2.5) << worst.x << " gives " << worst.got;
  EXPECT_LE(m.blocks[m.functions[FunctionId(0)].body].insts.size(), 80u);
}

TEST(ExpandMath, ExactPowers) {
  for (int n = -126; n < 128; ++n) {
    EXPECT_EQ(Apply(Op::kPow, 2.0f, static_cast<float>(n)), std::ldexp(1.0f, n)) << n;
    EXPECT_EQ(Apply(Op::kExp2, static_cast<float>(n)), std::ldexp(1.0f, n)) << n;
    EXPECT_EQ(Apply(Op::kLog2, std::ldexp(1.0f, n)), static_cast<float>(n)) << n;
  }
  for (const float x : {1.0f, 3.0f, 10.0f, 100.0f, 0.5f, 1000.0f}) {
    EXPECT_EQ(Apply(Op::kPow, x, 2.0f), x * x);
    EXPECT_EQ(Apply(Op::kPow, x, 1.0f), x);
  }
}

TEST(ExpandMath, SpecialValues) {
  EXPECT_EQ(Apply(Op::kExp, 0.0f), 1);
  EXPECT_EQ(Apply(Op::kExp, kInf), kInf);
  EXPECT_EQ(Apply(Op::kExp, -kInf), 0);
  EXPECT_EQ(Apply(Op::kExp2, 3e38f), kInf);
  EXPECT_EQ(Apply(Op::kExp2, -3e38f), 0);
  EXPECT_EQ(Apply(Op::kExp, 1e10f), kInf);
  EXPECT_EQ(Apply(Op::kLog, 1.0f), 0);
  EXPECT_EQ(Apply(Op::kLog, 0.0f), -kInf);
  EXPECT_EQ(Apply(Op::kLog, kInf), kInf);
  EXPECT_TRUE(std::isnan(Apply(Op::kLog, -1.0f)));
  EXPECT_TRUE(std::isnan(Apply(Op::kLog2, -kInf)));
  EXPECT_EQ(Apply(Op::kCos, 0.0f), 1);
  EXPECT_EQ(Apply(Op::kSin, 0.0f), 0);
  EXPECT_TRUE(std::isnan(Apply(Op::kSin, kInf)));
  EXPECT_TRUE(std::isnan(Apply(Op::kTan, -kInf)));
  EXPECT_EQ(Apply(Op::kInverseSqrt, 0.0f), kInf);
  EXPECT_EQ(Apply(Op::kInverseSqrt, kInf), 0);
  EXPECT_TRUE(std::isnan(Apply(Op::kInverseSqrt, -1.0f)));
  EXPECT_TRUE(std::isnan(Apply(Op::kAsin, 1.5f)));
  EXPECT_TRUE(std::isnan(Apply(Op::kAcos, -1.5f)));
  EXPECT_EQ(Apply(Op::kAcos, 1.0f), 0);
  EXPECT_EQ(Apply(Op::kAtan, kInf), static_cast<float>(M_PI_2));
  EXPECT_EQ(Apply(Op::kAtan, -kInf), static_cast<float>(-M_PI_2));
  EXPECT_EQ(Apply(Op::kTanh, 100.0f), 1);
  EXPECT_EQ(Apply(Op::kTanh, -kInf), -1);
  EXPECT_EQ(Apply(Op::kSinh, -kInf), -kInf);
  EXPECT_EQ(Apply(Op::kCosh, -kInf), kInf);
  EXPECT_EQ(Apply(Op::kCosh, 0.0f), 1);
  EXPECT_EQ(Apply(Op::kAsinh, -kInf), -kInf);
  EXPECT_EQ(Apply(Op::kAcosh, kInf), kInf);
  EXPECT_EQ(Apply(Op::kAcosh, 1.0f), 0);
  EXPECT_TRUE(std::isnan(Apply(Op::kAcosh, 0.5f)));
  EXPECT_EQ(Apply(Op::kAtanh, -1.0f), -kInf);
  EXPECT_TRUE(std::isnan(Apply(Op::kAtanh, 2.0f)));
}

TEST(ExpandMath, SpecialValuesOfTwoArguments) {
  EXPECT_EQ(Apply(Op::kPow, 0.0f, 0.0f), 1);
  EXPECT_EQ(Apply(Op::kPow, 0.0f, 2.0f), 0);
  EXPECT_EQ(Apply(Op::kPow, 0.0f, -2.0f), kInf);
  EXPECT_EQ(Apply(Op::kPow, kInf, -2.0f), 0);
  EXPECT_EQ(Apply(Op::kPow, kInf, 0.5f), kInf);
  EXPECT_EQ(Apply(Op::kPow, 2.0f, kInf), kInf);
  EXPECT_EQ(Apply(Op::kPow, 2.0f, -kInf), 0);
  EXPECT_EQ(Apply(Op::kPow, 0.5f, kInf), 0);
  EXPECT_EQ(Apply(Op::kPow, 3e38f, 3e38f), kInf);
  EXPECT_EQ(Apply(Op::kPow, 1e-40f, 1.0f), 0);  // flushed
  EXPECT_EQ(Apply(Op::kPow, 1.0f, 3e38f), 1);
  EXPECT_TRUE(std::isnan(Apply(Op::kPow, -1.0f, 0.5f)));
  EXPECT_TRUE(std::isnan(Apply(Op::kPow, kNaN, 2.0f)));
  EXPECT_TRUE(std::isnan(Apply(Op::kPow, 2.0f, kNaN)));
  EXPECT_EQ(Apply(Op::kPow, kNaN, 0.0f), 1);
  EXPECT_EQ(Apply(Op::kAtan2, 0.0f, 1.0f), 0);
  EXPECT_EQ(Apply(Op::kAtan2, 0.0f, 0.0f), 0);
  EXPECT_EQ(Apply(Op::kAtan2, 0.0f, -1.0f), static_cast<float>(M_PI));
  EXPECT_EQ(Apply(Op::kAtan2, -0.0f, -1.0f), static_cast<float>(-M_PI));
  EXPECT_EQ(Apply(Op::kAtan2, kInf, kInf), static_cast<float>(M_PI_4));
  EXPECT_EQ(Apply(Op::kAtan2, -2.0f, 0.0f), static_cast<float>(-M_PI_2));
  EXPECT_TRUE(std::isnan(Apply(Op::kAtan2, kNaN, 1.0f)));
  EXPECT_TRUE(std::isnan(Apply(Op::kAtan2, 1.0f, kNaN)));
}

TEST(ExpandMath, LargeAnglesStayInRange) {
  std::vector<float> xs = Arguments(-3.4e38, 3.4e38, 20000);
  for (const Op op : {Op::kSin, Op::kCos}) {
    const Module m = Expanded(op, 1);
    const std::vector<float> got = Evaluator(m, 0).Run({xs});
    for (size_t i = 0; i < xs.size(); ++i) ASSERT_LE(std::fabs(got[i]), 1.0f) << xs[i];
  }
}

TEST(ExpandMath, ConstantExponentsMultiply) {
  const std::pair<float, double> cases[] = {{1.0f, 3.5},
                                            {2.0f, 12.25},
                                            {3.0f, 42.875},
                                            {4.0f, 150.0625},
                                            {0.5f, std::sqrt(3.5)},
                                            {-1.0f, 1 / 3.5},
                                            {2.5f, std::pow(3.5, 2.5)}};
  for (const auto& [exponent, expected] : cases) {
    for (const uint32_t width : {1u, 3u}) {
      Module m;
      const TypeId type = width == 1 ? m.types.F32() : m.types.Vector(m.types.F32(), width);
      const BlockId body = m.AddBlock();
      const FunctionId f = m.functions.Add(Function{"f", {}, type, body, {}});
      const ValueId x = m.AddFunctionParam(f, type);
      Builder b(&m, body);
      b.Return(b.Binary(Op::kPow, x, b.Number(type, exponent)));
      AddEntryPoint(&m);
      ExpandMath(m);
      EXPECT_EQ(Verify(m), "");
      EXPECT_LE(UlpError(Evaluator(m, width - 1).Run({{3.5f}})[0], expected), 2) << exponent;
      EXPECT_LE(m.blocks[body].insts.size(), exponent == 2.5f ? 80u : 4u) << exponent;
    }
  }
}

TEST(ExpandMath, ReplacesUsesAndKeepsOtherCode) {
  Module m;
  const BlockId body = m.AddBlock();
  const FunctionId f = m.functions.Add(Function{"f", {}, m.types.F32(), body, {}});
  const ValueId x = m.AddFunctionParam(f, m.types.F32());
  Builder b(&m, body);
  const ValueId nested = b.Unary(Op::kSin, b.Unary(Op::kCos, b.Add(x, b.F32(1))));
  b.Return(b.Mul(nested, x));
  AddEntryPoint(&m);
  EXPECT_TRUE(ExpandMath(m));
  EXPECT_EQ(Verify(m), "");
  EXPECT_FALSE(ExpandMath(m));
  EXPECT_NEAR(Evaluator(m, 0).Run({{0.5f}})[0], std::sin(std::cos(1.5)) * 0.5, 1e-7);
}

}  // namespace
}  // namespace lockstep::ir
