// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "wgsl/const_eval.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "wgsl/const_eval_internal.h"
#include "wgsl/diagnostics.h"

namespace lockstep::wgsl {

using const_eval::Context;

double RoundToF32(double value) { return static_cast<double>(static_cast<float>(value)); }

double RoundToF16(double value) {
  if (!std::isfinite(value) || value == 0) return value;
  // Halfs lie 2^-10 of their binade apart, subnormal ones 2^-24.
  const int exponent = std::max(std::ilogb(value), -14);
  const double step = std::ldexp(1.0, exponent - 10);
  const double rounded = std::nearbyint(value / step) * step;
  if (std::fabs(rounded) > 65504) return std::copysign(std::numeric_limits<double>::infinity(), value);
  return rounded;
}

namespace const_eval {

double RoundTo(TypeKind kind, double value) {
  if (kind == TypeKind::kF32) return RoundToF32(value);
  if (kind == TypeKind::kF16) return RoundToF16(value);
  return value;
}

double FloatOps::Round(double value) {
  const double rounded = RoundTo(kind_, value);
  if (!std::isfinite(rounded)) ok_ = false;
  return rounded;
}

double FloatOps::Sqrt(double a) { return Round(std::sqrt(a)); }

uint32_t FloatBits(double value) { return std::bit_cast<uint32_t>(static_cast<float>(value)); }
double FloatValue(uint32_t bits) { return static_cast<double>(std::bit_cast<float>(bits)); }

}  // namespace const_eval

ConstantId ConstEvaluator::Convert(ConstantId value, TypeId to, Span span) {
  Context c{types_, constants_, sink_, span};
  return const_eval::ConvertValue(c, value, to);
}

ConstantId ConstEvaluator::Unary(ast::UnaryOp op, TypeId result, ConstantId a, Span span) {
  Context c{types_, constants_, sink_, span};
  return const_eval::UnaryOperation(c, op, result, a);
}

ConstantId ConstEvaluator::Binary(ast::BinaryOp op, TypeId result, ConstantId a, ConstantId b, Span span) {
  Context c{types_, constants_, sink_, span};
  return const_eval::BinaryOperation(c, op, result, a, b);
}

bool ConstEvaluator::CheckRightOperand(ast::BinaryOp op, TypeId left_type, ConstantId b, Span span) {
  Context c{types_, constants_, sink_, span};
  return const_eval::CheckRight(c, op, left_type, b);
}

ConstantId ConstEvaluator::CallBuiltin(Builtin builtin, TypeId result, std::span<const ConstantId> args,
                                       Span span) {
  Context c{types_, constants_, sink_, span};
  return const_eval::Call(c, builtin, result, args);
}

bool ConstEvaluator::CheckBuiltinArguments(Builtin builtin, std::span<const ConstantId> args,
                                           std::span<const TypeId> arg_types, Span span) {
  Context c{types_, constants_, sink_, span};
  return const_eval::CheckArguments(c, builtin, args, arg_types);
}

ConstantId ConstEvaluator::Construct(TypeId type, std::span<const ConstantId> args, Span span) {
  Context c{types_, constants_, sink_, span};
  return const_eval::ConstructValue(c, type, args);
}

ConstantId ConstEvaluator::Index(ConstantId composite, ConstantId index, Span span) {
  Context c{types_, constants_, sink_, span};
  const TypeId type = c.TypeOf(composite);
  const uint32_t count = PartCount(types_, type);
  const int64_t i = c.I(index);
  if (i >= 0 && i < count) return constants_.Part(composite, static_cast<uint32_t>(i));
  const TypeKind kind = c.KindOf(type);
  const std::string_view what = kind == TypeKind::kVector   ? "components"
                                : kind == TypeKind::kMatrix ? "columns"
                                                            : "elements";
  return c.Fail(kIndexRange, i, c.Text(type), count, what);
}

ConstantId ConstEvaluator::Swizzle(ConstantId vector, std::span<const uint8_t> components) {
  std::vector<ConstantId> parts;
  for (const uint8_t component : components) parts.push_back(constants_.Part(vector, component));
  if (parts.size() == 1) return parts[0];
  const TypeId scalar = types_.ScalarOf(constants_[vector].type);
  const TypeId type = types_.Vector(scalar, static_cast<uint32_t>(parts.size()));
  return constants_.Composite(type, std::move(parts));
}

}  // namespace lockstep::wgsl
