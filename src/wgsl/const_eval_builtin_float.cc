// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Numeric builtins on floats (WGSL #numeric-builtin-functions). Functions of one argument are computed in
// double and rounded once to the type; those that the accuracy table derives from a formula round each step
// of it.
#include <cmath>

#include "support/check.h"
#include "wgsl/const_eval_internal.h"
#include "wgsl/diagnostics.h"

namespace lockstep::wgsl::const_eval {
namespace {

constexpr double kPi = 3.14159265358979323846;

// Functions of one float: how to compute, and where they are defined.
struct FloatFunction {
  Builtin builtin;
  double (*compute)(double);
  bool (*in_domain)(double);  // nullptr: everywhere
  std::string_view domain;    // "'sqrt' needs {domain}, not -1f"
};

bool InUnitInterval(double x) { return x >= -1 && x <= 1; }
bool InOpenUnitInterval(double x) { return x > -1 && x < 1; }
bool AtLeastOne(double x) { return x >= 1; }
bool AtLeastZero(double x) { return x >= 0; }
bool Positive(double x) { return x > 0; }

double Degrees(double x) { return x * (180 / kPi); }
double Radians(double x) { return x * (kPi / 180); }
double InverseSqrt(double x) { return 1 / std::sqrt(x); }

constexpr FloatFunction kFloatFunctions[] = {
    {Builtin::kAcos, std::acos, InUnitInterval, "a value from -1 to 1"},
    {Builtin::kAcosh, std::acosh, AtLeastOne, "a value of at least 1"},
    {Builtin::kAsin, std::asin, InUnitInterval, "a value from -1 to 1"},
    {Builtin::kAsinh, std::asinh, nullptr, ""},
    {Builtin::kAtan, std::atan, nullptr, ""},
    {Builtin::kAtanh, std::atanh, InOpenUnitInterval, "a value between -1 and 1"},
    {Builtin::kCeil, std::ceil, nullptr, ""},
    {Builtin::kCos, std::cos, nullptr, ""},
    {Builtin::kCosh, std::cosh, nullptr, ""},
    {Builtin::kDegrees, Degrees, nullptr, ""},
    {Builtin::kExp, std::exp, nullptr, ""},
    {Builtin::kExp2, std::exp2, nullptr, ""},
    {Builtin::kFloor, std::floor, nullptr, ""},
    {Builtin::kInverseSqrt, InverseSqrt, Positive, "a value above 0"},
    {Builtin::kLog, std::log, Positive, "a value above 0"},
    {Builtin::kLog2, std::log2, Positive, "a value above 0"},
    {Builtin::kRadians, Radians, nullptr, ""},
    {Builtin::kRound, std::nearbyint, nullptr, ""},
    {Builtin::kSin, std::sin, nullptr, ""},
    {Builtin::kSinh, std::sinh, nullptr, ""},
    {Builtin::kSqrt, std::sqrt, AtLeastZero, "a value of at least 0"},
    {Builtin::kTan, std::tan, nullptr, ""},
    {Builtin::kTanh, std::tanh, nullptr, ""},
    {Builtin::kTrunc, std::trunc, nullptr, ""},
};

// `value` if every step stayed finite.
ConstantId Finish(Context& c, Builtin builtin, TypeId type, const FloatOps& ops, double value) {
  if (!ops.ok()) return c.Fail(kResultOverflow, BuiltinName(builtin), c.Text(type));
  return c.constants.Float(type, value);
}

// Two values as a struct of builtin result type, whose members may be vectors: `split` gives both for each
// component.
template <typename Split>
ConstantId SplitIntoStruct(Context& c, TypeId result, ConstantId value, const Split& split) {
  const TypeId types[2] = {PartType(c.types, result, 0), PartType(c.types, result, 1)};
  const TypeId scalars[2] = {c.types.ScalarOf(types[0]), c.types.ScalarOf(types[1])};
  const uint32_t count = PartCount(c.types, types[0]);
  std::vector<ConstantId> parts[2];
  for (uint32_t i = 0; i < std::max(count, 1u); ++i) {
    const auto [first, second] = split(c.F(count == 0 ? value : c.Part(value, i)), scalars[0], scalars[1]);
    parts[0].push_back(first);
    parts[1].push_back(second);
  }
  if (count == 0) return c.constants.Composite(result, {parts[0][0], parts[1][0]});
  const ConstantId first = c.constants.Composite(types[0], std::move(parts[0]));
  return c.constants.Composite(result, {first, c.constants.Composite(types[1], std::move(parts[1]))});
}

}  // namespace

ConstantId CallFloatUnary(Context& c, Builtin builtin, TypeId result, Args args) {
  if (builtin == Builtin::kFract) {
    return Map(c, result, args, [&](TypeId type, Args a) {
      FloatOps ops(c.KindOf(type));
      return Finish(c, builtin, type, ops, ops.Sub(c.F(a[0]), std::floor(c.F(a[0]))));
    });
  }
  const FloatFunction* function = nullptr;
  for (const FloatFunction& row : kFloatFunctions) {
    if (row.builtin == builtin) function = &row;
  }
  CHECK(function != nullptr);
  return Map(c, result, args, [&](TypeId type, Args a) {
    const double x = c.F(a[0]);
    if (function->in_domain != nullptr && !function->in_domain(x)) {
      return c.Fail(kBuiltinDomain, BuiltinName(builtin), function->domain, c.Text(a[0]));
    }
    FloatOps ops(c.KindOf(type));
    const double value = ops.Round(function->compute(x));
    return Finish(c, builtin, type, ops, value);
  });
}

ConstantId CallAtan2(Context& c, Builtin builtin, TypeId result, Args args) {
  return Map(c, result, args, [&](TypeId type, Args a) {
    FloatOps ops(c.KindOf(type));
    const double value = ops.Round(std::atan2(c.F(a[0]), c.F(a[1])));
    return Finish(c, builtin, type, ops, value);
  });
}

ConstantId CallPow(Context& c, Builtin builtin, TypeId result, Args args) {
  return Map(c, result, args, [&](TypeId type, Args a) {
    if (c.F(a[0]) < 0) return c.Fail(kBuiltinDomain, "pow", "a base of at least 0", c.Text(a[0]));
    // exp2(y * log2(x)), by which the specification defines pow, is NaN here.
    if (c.F(a[0]) == 0 && c.F(a[1]) == 0)
      return c.Fail(kBuiltinDomain, "pow", "a base above 0 where the exponent is 0", c.Text(a[0]));
    FloatOps ops(c.KindOf(type));
    const double value = ops.Round(std::pow(c.F(a[0]), c.F(a[1])));
    return Finish(c, builtin, type, ops, value);
  });
}

ConstantId CallFma(Context& c, Builtin builtin, TypeId result, Args args) {
  return Map(c, result, args, [&](TypeId type, Args a) {
    FloatOps ops(c.KindOf(type));
    const double x = c.F(a[0]), y = c.F(a[1]), z = c.F(a[2]);
    // f32 is fused in f32: rounding a fused double would round twice.
    const bool is_f32 = c.KindOf(type) == TypeKind::kF32;
    const double value =
        ops.Round(is_f32 ? std::fma(static_cast<float>(x), static_cast<float>(y), static_cast<float>(z))
                         : std::fma(x, y, z));
    return Finish(c, builtin, type, ops, value);
  });
}

ConstantId CallMix(Context& c, Builtin builtin, TypeId result, Args args) {
  return Map(c, result, args, [&](TypeId type, Args a) {
    FloatOps ops(c.KindOf(type));
    const double t = c.F(a[2]);
    const double value = ops.Add(ops.Mul(c.F(a[0]), ops.Sub(1, t)), ops.Mul(c.F(a[1]), t));
    return Finish(c, builtin, type, ops, value);
  });
}

ConstantId CallSmoothstep(Context& c, Builtin builtin, TypeId result, Args args) {
  return Map(c, result, args, [&](TypeId type, Args a) {
    FloatOps ops(c.KindOf(type));
    const double low = c.F(a[0]), high = c.F(a[1]), x = c.F(a[2]);
    const double ratio = ops.Div(ops.Sub(x, low), ops.Sub(high, low));
    const double t = std::fmin(std::fmax(ratio, 0), 1);
    const double value = ops.Mul(ops.Mul(t, t), ops.Sub(3, ops.Mul(2, t)));
    return Finish(c, builtin, type, ops, value);
  });
}

ConstantId CallStep(Context& c, Builtin, TypeId result, Args args) {
  return Map(c, result, args,
             [&](TypeId type, Args a) { return c.constants.Float(type, c.F(a[0]) <= c.F(a[1]) ? 1 : 0); });
}

ConstantId CallSaturate(Context& c, Builtin, TypeId result, Args args) {
  return Map(c, result, args, [&](TypeId type, Args a) {
    return c.constants.Float(type, std::fmin(std::fmax(c.F(a[0]), 0), 1));
  });
}

ConstantId CallFrexp(Context& c, Builtin, TypeId result, Args args) {
  return SplitIntoStruct(c, result, args[0], [&](double value, TypeId fract_type, TypeId exp_type) {
    int exponent = 0;
    const double fraction = std::frexp(value, &exponent);
    return std::pair(c.constants.Float(fract_type, fraction), c.constants.Int(exp_type, exponent));
  });
}

ConstantId CallModf(Context& c, Builtin, TypeId result, Args args) {
  return SplitIntoStruct(c, result, args[0], [&](double value, TypeId fract_type, TypeId whole_type) {
    const double whole = std::trunc(value);
    return std::pair(c.constants.Float(fract_type, value - whole), c.constants.Float(whole_type, whole));
  });
}

ConstantId CallLdexp(Context& c, Builtin builtin, TypeId result, Args args) {
  return Map(c, result, args, [&](TypeId type, Args a) {
    FloatOps ops(c.KindOf(type));
    // Past -5000 every type has reached zero; the upper end was checked.
    const int exponent = static_cast<int>(std::max<int64_t>(c.I(a[1]), -5000));
    const double value = ops.Round(std::ldexp(c.F(a[0]), exponent));
    return Finish(c, builtin, type, ops, value);
  });
}

ConstantId CallQuantizeToF16(Context& c, Builtin, TypeId result, Args args) {
  return Map(c, result, args, [&](TypeId type, Args a) {
    const double x = c.F(a[0]);
    if (std::fabs(x) > 65504) return c.FailRange(fmt::format("{}", x), c.types.F16());
    return c.constants.Float(type, RoundTo(TypeKind::kF16, x));
  });
}

}  // namespace lockstep::wgsl::const_eval
