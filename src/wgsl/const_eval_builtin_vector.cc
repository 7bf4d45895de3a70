// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Geometry and matrices (WGSL #numeric-builtin-functions). Each step of a formula is rounded to the type; one
// that overflows makes the whole call an error, as the formulas of the accuracy table say.
#include <cmath>

#include "wgsl/const_eval_internal.h"
#include "wgsl/diagnostics.h"

namespace lockstep::wgsl::const_eval {
namespace {

using Floats = std::vector<double>;

// The components of a vector of floats; a scalar is one component.
Floats FloatsOf(Context& c, ConstantId value) {
  const uint32_t count = PartCount(c.types, c.TypeOf(value));
  if (count == 0) return {c.F(value)};
  Floats floats;
  for (uint32_t i = 0; i < count; ++i) floats.push_back(c.F(c.Part(value, i)));
  return floats;
}

FloatOps OpsFor(Context& c, TypeId type) { return FloatOps(c.KindOf(c.types.ScalarOf(type))); }

ConstantId Finish(Context& c, Builtin builtin, TypeId type, const FloatOps& ops, const Floats& values) {
  const TypeId scalar = c.types.ScalarOf(type);
  if (!ops.ok()) return c.Fail(kResultOverflow, BuiltinName(builtin), c.Text(scalar));
  if (PartCount(c.types, type) == 0) return c.constants.Float(type, values[0]);
  std::vector<ConstantId> parts;
  for (const double value : values) parts.push_back(c.constants.Float(scalar, value));
  return c.constants.Composite(type, std::move(parts));
}

double Dot(FloatOps* ops, const Floats& a, const Floats& b) {
  double sum = ops->Mul(a[0], b[0]);
  for (size_t i = 1; i < a.size(); ++i) sum = ops->Add(sum, ops->Mul(a[i], b[i]));
  return sum;
}

double Length(FloatOps* ops, const Floats& a) {
  return a.size() == 1 ? std::fabs(a[0]) : ops->Sqrt(Dot(ops, a, a));
}

// abstract-int must not overflow; i32 and u32 wrap.
ConstantId IntDot(Context& c, TypeId result, ConstantId a, ConstantId b) {
  const bool is_abstract = c.KindOf(result) == TypeKind::kAbstractInt;
  int64_t sum = 0;
  for (uint32_t i = 0; i < PartCount(c.types, c.TypeOf(a)); ++i) {
    const int64_t x = c.I(c.Part(a, i)), y = c.I(c.Part(b, i));
    int64_t product = 0;
    if (!is_abstract) {
      sum = static_cast<int64_t>(static_cast<uint64_t>(sum) +
                                 static_cast<uint64_t>(x) * static_cast<uint64_t>(y));
    } else if (__builtin_mul_overflow(x, y, &product) || __builtin_add_overflow(sum, product, &sum)) {
      return c.Fail(kResultOverflow, "dot", c.Text(result));
    }
  }
  return c.WrappedInt(result, sum);
}

}  // namespace

ConstantId CallDot(Context& c, Builtin builtin, TypeId result, Args args) {
  if (c.types.IsInteger(result)) return IntDot(c, result, args[0], args[1]);
  FloatOps ops = OpsFor(c, result);
  const double value = Dot(&ops, FloatsOf(c, args[0]), FloatsOf(c, args[1]));
  return Finish(c, builtin, result, ops, {value});
}

ConstantId CallLength(Context& c, Builtin builtin, TypeId result, Args args) {
  FloatOps ops = OpsFor(c, result);
  const double value = Length(&ops, FloatsOf(c, args[0]));
  return Finish(c, builtin, result, ops, {value});
}

ConstantId CallDistance(Context& c, Builtin builtin, TypeId result, Args args) {
  FloatOps ops = OpsFor(c, result);
  Floats difference = FloatsOf(c, args[0]);
  const Floats b = FloatsOf(c, args[1]);
  for (size_t i = 0; i < b.size(); ++i) difference[i] = ops.Sub(difference[i], b[i]);
  const double value = Length(&ops, difference);
  return Finish(c, builtin, result, ops, {value});
}

ConstantId CallNormalize(Context& c, Builtin builtin, TypeId result, Args args) {
  FloatOps ops = OpsFor(c, result);
  Floats values = FloatsOf(c, args[0]);
  const double length = Length(&ops, values);
  if (length == 0)
    return c.Fail(kBuiltinDomain, "normalize", "a vector whose length is not 0", c.Text(args[0]));
  for (double& value : values) value = ops.Div(value, length);
  return Finish(c, builtin, result, ops, values);
}

ConstantId CallCross(Context& c, Builtin builtin, TypeId result, Args args) {
  FloatOps ops = OpsFor(c, result);
  const Floats a = FloatsOf(c, args[0]), b = FloatsOf(c, args[1]);
  Floats values;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    values.push_back(ops.Sub(ops.Mul(a[j], b[k]), ops.Mul(a[k], b[j])));
  }
  return Finish(c, builtin, result, ops, values);
}

ConstantId CallFaceForward(Context& c, Builtin builtin, TypeId result, Args args) {
  FloatOps ops = OpsFor(c, result);
  Floats values = FloatsOf(c, args[0]);
  const double facing = Dot(&ops, FloatsOf(c, args[1]), FloatsOf(c, args[2]));
  if (!(facing < 0)) {
    for (double& value : values) value = -value;
  }
  return Finish(c, builtin, result, ops, values);
}

ConstantId CallReflect(Context& c, Builtin builtin, TypeId result, Args args) {
  FloatOps ops = OpsFor(c, result);
  Floats values = FloatsOf(c, args[0]);
  const Floats normal = FloatsOf(c, args[1]);
  const double twice = ops.Mul(2, Dot(&ops, normal, values));
  for (size_t i = 0; i < values.size(); ++i) values[i] = ops.Sub(values[i], ops.Mul(twice, normal[i]));
  return Finish(c, builtin, result, ops, values);
}

ConstantId CallRefract(Context& c, Builtin builtin, TypeId result, Args args) {
  FloatOps ops = OpsFor(c, result);
  Floats values = FloatsOf(c, args[0]);
  const Floats normal = FloatsOf(c, args[1]);
  const double ratio = c.F(args[2]);
  const double cosine = Dot(&ops, normal, values);
  const double sine_squared = ops.Sub(1, ops.Mul(cosine, cosine));
  const double k = ops.Sub(1, ops.Mul(ops.Mul(ratio, ratio), sine_squared));
  if (k < 0) {
    return ops.ok() ? ZeroValue(c.types, c.constants, result) : Finish(c, builtin, result, ops, values);
  }
  const double along = ops.Add(ops.Mul(ratio, cosine), ops.Sqrt(k));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = ops.Sub(ops.Mul(ratio, values[i]), ops.Mul(along, normal[i]));
  }
  return Finish(c, builtin, result, ops, values);
}

namespace {

// Laplace expansion along the first column: size 4 takes 4 * 3 products of 2x2 determinants.
double Determinant(FloatOps* ops, const std::vector<Floats>& columns) {
  const size_t n = columns.size();
  if (n == 1) return columns[0][0];
  double sum = 0;
  for (size_t row = 0; row < n; ++row) {
    std::vector<Floats> minor;
    for (size_t column = 1; column < n; ++column) {
      Floats rest = columns[column];
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(row));
      minor.push_back(std::move(rest));
    }
    const double term = ops->Mul(columns[0][row], Determinant(ops, minor));
    sum = row == 0 ? term : row % 2 == 0 ? ops->Add(sum, term) : ops->Sub(sum, term);
  }
  return sum;
}

}  // namespace

ConstantId CallDeterminant(Context& c, Builtin builtin, TypeId result, Args args) {
  FloatOps ops = OpsFor(c, result);
  std::vector<Floats> columns;
  for (uint32_t i = 0; i < PartCount(c.types, c.TypeOf(args[0])); ++i) {
    columns.push_back(FloatsOf(c, c.Part(args[0], i)));
  }
  const double value = Determinant(&ops, columns);
  return Finish(c, builtin, result, ops, {value});
}

ConstantId CallTranspose(Context& c, Builtin, TypeId result, Args args) {
  const TypeId column_type = PartType(c.types, result, 0);
  std::vector<ConstantId> columns;
  for (uint32_t i = 0; i < PartCount(c.types, result); ++i) {
    std::vector<ConstantId> parts;
    for (uint32_t k = 0; k < PartCount(c.types, column_type); ++k)
      parts.push_back(c.Part(c.Part(args[0], k), i));
    columns.push_back(c.constants.Composite(column_type, std::move(parts)));
  }
  return c.constants.Composite(result, std::move(columns));
}

}  // namespace lockstep::wgsl::const_eval
