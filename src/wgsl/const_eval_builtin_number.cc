// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Builtins that integers and floats share, logical ones, and bit reinterpretation (WGSL
// #logical-builtin-functions, #bit-reinterp-builtin-functions).
#include <algorithm>
#include <cmath>

#include "support/check.h"
#include "support/half.h"
#include "wgsl/const_eval_internal.h"
#include "wgsl/diagnostics.h"

namespace lockstep::wgsl::const_eval {

ConstantId CallAbs(Context& c, Builtin, TypeId result, Args args) {
  return Map(c, result, args, [&](TypeId type, Args a) {
    if (c.IsFloat(a[0])) return c.constants.Float(type, std::fabs(c.F(a[0])));
    const int64_t i = c.I(a[0]);
    // The lowest value is its own absolute value.
    return i < 0 ? c.WrappedInt(type, static_cast<int64_t>(0 - static_cast<uint64_t>(i))) : a[0];
  });
}

ConstantId CallSign(Context& c, Builtin, TypeId result, Args args) {
  return Map(c, result, args, [&](TypeId type, Args a) {
    if (c.IsFloat(a[0])) {
      const double f = c.F(a[0]);
      return c.constants.Float(type, f > 0 ? 1 : f < 0 ? -1 : 0);
    }
    const int64_t i = c.I(a[0]);
    return c.constants.Int(type, i > 0 ? 1 : i < 0 ? -1 : 0);
  });
}

ConstantId CallMinMax(Context& c, Builtin builtin, TypeId result, Args args) {
  return Map(c, result, args, [&](TypeId, Args a) {
    const bool second_is_less = c.IsFloat(a[0]) ? c.F(a[1]) < c.F(a[0]) : c.I(a[1]) < c.I(a[0]);
    return second_is_less == (builtin == Builtin::kMin) ? a[1] : a[0];
  });
}

ConstantId CallClamp(Context& c, Builtin, TypeId result, Args args) {
  return Map(c, result, args, [&](TypeId, Args a) {
    const auto less = [&](ConstantId x, ConstantId y) {
      return c.IsFloat(x) ? c.F(x) < c.F(y) : c.I(x) < c.I(y);
    };
    const ConstantId raised = less(a[0], a[1]) ? a[1] : a[0];
    return less(a[2], raised) ? a[2] : raised;
  });
}

ConstantId CallAllAny(Context& c, Builtin builtin, TypeId, Args args) {
  const bool all = builtin == Builtin::kAll;
  const Constant& value = c.constants[args[0]];
  if (value.parts.empty()) return c.Bool(value.i != 0);
  const auto is_true = [&](ConstantId part) { return c.I(part) != 0; };
  return c.Bool(all ? std::all_of(value.parts.begin(), value.parts.end(), is_true)
                    : std::any_of(value.parts.begin(), value.parts.end(), is_true));
}

ConstantId CallSelect(Context& c, Builtin, TypeId result, Args args) {
  if (c.constants[args[2]].parts.empty()) return c.I(args[2]) != 0 ? args[1] : args[0];
  return Map(c, result, args, [&](TypeId, Args a) { return c.I(a[2]) != 0 ? a[1] : a[0]; });
}

namespace {

// The 32- and 16-bit words of a numeric scalar or vector, the lowest byte first, as WGSL lays them out.
void AppendBytes(Context& c, ConstantId value, std::vector<uint8_t>* bytes) {
  const uint32_t count = PartCount(c.types, c.TypeOf(value));
  for (uint32_t i = 0; i < count; ++i) AppendBytes(c, c.Part(value, i), bytes);
  if (count != 0) return;
  const bool is_half = c.KindOf(value) == TypeKind::kF16;
  const uint32_t bits = is_half            ? HalfBits(c.F(value))
                        : c.IsFloat(value) ? FloatBits(c.F(value))
                                           : static_cast<uint32_t>(c.I(value));
  for (int i = 0; i < (is_half ? 2 : 4); ++i) bytes->push_back(static_cast<uint8_t>(bits >> (8 * i)));
}

// A scalar from its bytes; an infinity or NaN is an error. `source` is for the message.
ConstantId ScalarFromBytes(Context& c, TypeId type, const uint8_t* bytes, ConstantId source) {
  const TypeKind kind = c.KindOf(type);
  uint32_t bits = 0;
  for (int i = 0; i < (kind == TypeKind::kF16 ? 2 : 4); ++i) bits |= uint32_t{bytes[i]} << (8 * i);
  if (!c.types.IsFloat(type)) return c.WrappedInt(type, bits);
  const double value = kind == TypeKind::kF16 ? HalfValue(bits) : FloatValue(bits);
  if (std::isfinite(value)) return c.constants.Float(type, value);
  return c.Fail(kBitcastNotFinite, c.Text(source), c.Text(type), std::isnan(value) ? "NaN" : "an infinity");
}

}  // namespace

ConstantId CallBitcast(Context& c, Builtin, TypeId result, Args args) {
  ConstantId source = args[0];
  // An abstract argument first takes the type whose bits are meant: u32(e) for u32, else i32 or f32.
  const TypeId source_scalar = c.types.ScalarOf(c.TypeOf(source));
  const TypeId result_scalar = c.types.ScalarOf(result);
  if (c.types.IsAbstract(source_scalar)) {
    const bool is_int = c.KindOf(source_scalar) == TypeKind::kAbstractInt;
    const bool to_u32 = c.KindOf(result_scalar) == TypeKind::kU32;
    const TypeId concrete = !is_int ? c.types.F32() : to_u32 ? c.types.U32() : c.types.I32();
    source = ConvertValue(c, source, c.types.WithScalar(c.TypeOf(source), concrete));
    if (!source.has_value()) return source;
  }
  if (c.TypeOf(source) == result) return source;
  std::vector<uint8_t> bytes;
  AppendBytes(c, source, &bytes);
  const uint32_t size = c.KindOf(result_scalar) == TypeKind::kF16 ? 2 : 4;
  const uint32_t count = std::max(PartCount(c.types, result), 1u);
  CHECK(bytes.size() == size_t{size} * count);
  std::vector<ConstantId> parts;
  for (uint32_t i = 0; i < count; ++i) {
    parts.push_back(ScalarFromBytes(c, result_scalar, bytes.data() + i * size, args[0]));
    if (!parts.back().has_value()) return ConstantId::None();
  }
  return PartCount(c.types, result) == 0 ? parts[0] : c.constants.Composite(result, std::move(parts));
}

}  // namespace lockstep::wgsl::const_eval
