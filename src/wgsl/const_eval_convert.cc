// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Conversions and value constructors (WGSL #conversion-rank, #floating-point-conversion,
// #value-constructor-builtin-function).
//
// One function serves implicit and explicit conversions, since the source type tells them apart: abstract-int
// must fit its target exactly, i32 and u32 exchange bits, floats become integers by truncation and clamping
// to what both types can hold, and a float that leaves the finite range of a smaller float type is an error.
#include <cmath>

#include "support/check.h"
#include "wgsl/const_eval.h"
#include "wgsl/const_eval_internal.h"
#include "wgsl/diagnostics.h"

namespace lockstep::wgsl {
namespace const_eval {
namespace {

double MaxFinite(TypeKind kind) {
  if (kind == TypeKind::kF32) return 0x1.fffffep127;
  if (kind == TypeKind::kF16) return 65504;
  return std::numeric_limits<double>::max();
}

// What a message shows of a number that is being converted: without the suffix of its own type.
std::string PlainText(Context& c, ConstantId value) {
  std::string text = c.Text(value);
  const TypeKind kind = c.KindOf(value);
  if (kind != TypeKind::kBool && kind != TypeKind::kAbstractInt && kind != TypeKind::kAbstractFloat)
    text.pop_back();
  return text;
}

// A number of any source type to a float type.
ConstantId ToFloat(Context& c, ConstantId source, double value, TypeId to) {
  if (std::fabs(value) > MaxFinite(c.KindOf(to))) return c.FailRange(PlainText(c, source), to);
  return c.constants.Float(to, RoundTo(c.KindOf(to), value));
}

// The largest value of an integer type that a float type can hold as well.
double MaxCommon(TypeKind from, TypeKind to) {
  if (from == TypeKind::kF16) return 65504;
  if (from == TypeKind::kF32) return to == TypeKind::kI32 ? 2147483520.0 : 4294967040.0;
  return to == TypeKind::kI32 ? 2147483647.0 : 4294967295.0;
}

ConstantId FloatToInt(Context& c, TypeKind from, double value, TypeId to) {
  const TypeKind kind = c.KindOf(to);
  const double low = kind == TypeKind::kI32 ? -2147483648.0 : 0.0;
  const double clamped = std::fmin(std::fmax(std::trunc(value), low), MaxCommon(from, kind));
  return c.constants.Int(to, static_cast<int64_t>(clamped));
}

}  // namespace

ConstantId ConvertScalar(Context& c, ConstantId value, TypeId to) {
  const Constant from = c.constants[value];
  if (from.type == to) return value;
  const TypeKind from_kind = c.KindOf(from.type);
  const TypeKind to_kind = c.KindOf(to);
  const bool from_float = c.types.IsFloat(from.type);
  if (to_kind == TypeKind::kBool) return c.Bool(from_float ? from.f != 0 : from.i != 0);
  if (c.types.IsFloat(to)) {
    return ToFloat(c, value, from_float ? from.f : static_cast<double>(from.i), to);
  }
  if (to_kind == TypeKind::kAbstractInt) UNREACHABLE("nothing converts to abstract-int");
  if (from_float) return FloatToInt(c, from_kind, from.f, to);
  if (from_kind != TypeKind::kAbstractInt) return c.WrappedInt(to, from.i);
  const int64_t low = to_kind == TypeKind::kI32 ? INT32_MIN : 0;
  const int64_t high = to_kind == TypeKind::kI32 ? int64_t{INT32_MAX} : int64_t{UINT32_MAX};
  if (from.i < low || from.i > high) return c.FailRange(PlainText(c, value), to);
  return c.constants.Int(to, from.i);
}

ConstantId ConvertValue(Context& c, ConstantId value, TypeId to) {
  if (c.TypeOf(value) == to) return value;
  const uint32_t count = PartCount(c.types, to);
  if (count == 0) return ConvertScalar(c, value, to);
  CHECK(PartCount(c.types, c.TypeOf(value)) == count);
  const bool is_struct = c.KindOf(to) == TypeKind::kStruct;
  if (c.constants[value].splat && !is_struct) {
    const ConstantId part = ConvertValue(c, c.Part(value, 0), PartType(c.types, to, 0));
    return part.has_value() ? c.constants.Splat(to, part) : part;
  }
  std::vector<ConstantId> parts;
  for (uint32_t i = 0; i < count; ++i) {
    parts.push_back(ConvertValue(c, c.Part(value, i), PartType(c.types, to, i)));
    if (!parts.back().has_value()) return ConstantId::None();
  }
  return c.constants.Composite(to, std::move(parts));
}

namespace {

// Appends the scalars of a scalar, vector or matrix, converted.
bool Flatten(Context& c, ConstantId value, TypeId scalar, std::vector<ConstantId>* scalars) {
  const uint32_t count = PartCount(c.types, c.TypeOf(value));
  if (count == 0) {
    scalars->push_back(ConvertScalar(c, value, scalar));
    return scalars->back().has_value();
  }
  for (uint32_t i = 0; i < count; ++i) {
    if (!Flatten(c, c.Part(value, i), scalar, scalars)) return false;
  }
  return true;
}

ConstantId ConstructVector(Context& c, TypeId type, std::span<const ConstantId> args) {
  std::vector<ConstantId> scalars;
  for (const ConstantId arg : args) {
    if (!Flatten(c, arg, c.types.ScalarOf(type), &scalars)) return ConstantId::None();
  }
  if (scalars.size() == 1) return c.constants.Splat(type, scalars[0]);
  CHECK(scalars.size() == c.types[type].count);
  return c.constants.Composite(type, std::move(scalars));
}

ConstantId ConstructMatrix(Context& c, TypeId type, std::span<const ConstantId> args) {
  std::vector<ConstantId> scalars;
  for (const ConstantId arg : args) {
    if (!Flatten(c, arg, c.types.ScalarOf(type), &scalars)) return ConstantId::None();
  }
  const uint32_t columns = c.types[type].count;
  const uint32_t rows = c.types[type].rows;
  CHECK(scalars.size() == size_t{columns} * rows);
  const TypeId column_type = PartType(c.types, type, 0);
  std::vector<ConstantId> parts;
  for (uint32_t i = 0; i < columns; ++i) {
    const auto first = scalars.begin() + i * rows;
    parts.push_back(c.constants.Composite(column_type, std::vector<ConstantId>(first, first + rows)));
  }
  return c.constants.Composite(type, std::move(parts));
}

}  // namespace

ConstantId ConstructValue(Context& c, TypeId type, std::span<const ConstantId> args) {
  if (args.empty()) return ZeroValue(c.types, c.constants, type);
  const TypeKind kind = c.KindOf(type);
  if (kind == TypeKind::kVector) return ConstructVector(c, type, args);
  if (kind == TypeKind::kMatrix) return ConstructMatrix(c, type, args);
  if (kind != TypeKind::kArray && kind != TypeKind::kStruct) return ConvertScalar(c, args[0], type);
  CHECK(args.size() == PartCount(c.types, type));
  std::vector<ConstantId> parts;
  for (uint32_t i = 0; i < args.size(); ++i) {
    parts.push_back(ConvertValue(c, args[i], PartType(c.types, type, i)));
    if (!parts.back().has_value()) return ConstantId::None();
  }
  return c.constants.Composite(type, std::move(parts));
}

}  // namespace const_eval

ConstantId ConstEvaluator::Number(TypeId scalar, double value, Span span) {
  const_eval::Context c{types_, constants_, sink_, span};
  const TypeKind kind = c.KindOf(scalar);
  const auto range_error = [&] { return c.FailRange(fmt::format("{}", value), scalar); };
  if (types_.IsFloat(scalar)) {
    if (!(std::fabs(value) <= const_eval::MaxFinite(kind))) return range_error();
    return constants_.Float(scalar, const_eval::RoundTo(kind, value));
  }
  if (kind == TypeKind::kBool) return c.Bool(value != 0);
  double low = -0x1p63, high = 0x1p63 - 1024;
  if (kind == TypeKind::kI32) low = INT32_MIN, high = INT32_MAX;
  if (kind == TypeKind::kU32) low = 0, high = UINT32_MAX;
  if (!(value >= low && value <= high) || std::trunc(value) != value) return range_error();
  return constants_.Int(scalar, static_cast<int64_t>(value));
}

}  // namespace lockstep::wgsl
