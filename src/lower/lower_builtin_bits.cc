// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Builtins on bits: fields of integers, packed data.
#include "lower/function_context.h"

namespace lockstep::lower {

ValueId FunctionContext::AllOrAny(ValueId v, bool all) {
  if (Width(v) == 1) return v;
  ValueId result = b_.Extract(v, 0);
  for (uint32_t i = 1; i < Width(v); ++i) {
    const ValueId component = b_.Extract(v, i);
    result = all ? b_.And(result, component) : b_.Or(result, component);
  }
  return result;
}

// o = min(offset, 32), c = min(count, 32 - o): the field is moved to the top and back down. No bits: zero.
ValueId FunctionContext::ExtractBits(ValueId v, ValueId offset, ValueId count) {
  const ValueId width = b_.U32(32);
  const ValueId o = b_.Min(offset, width);
  const ValueId c = b_.Min(count, b_.Sub(width, o));
  const ValueId none = b_.Eq(c, b_.U32(0));
  const ValueId up = b_.Sub(b_.Sub(width, c), o);
  const ValueId down = b_.Sub(width, c);
  const ValueId field = b_.Shr(b_.Shl(v, Spread(up, TypeOf(v))), Spread(down, TypeOf(v)));
  return b_.Select(none, NumberLike(v, 0), field);
}

ValueId FunctionContext::InsertBits(ValueId v, ValueId new_bits, ValueId offset, ValueId count) {
  const ir::TypeId type = TypeOf(v);
  const ir::TypeId uint_type = types().WithScalar(type, types().U32());
  const ValueId width = b_.U32(32);
  const ValueId o = b_.Min(offset, width);
  const ValueId c = b_.Min(count, b_.Sub(width, o));
  const ValueId ones = b_.Shl(b_.Shr(b_.U32(UINT32_MAX), b_.Sub(width, c)), o);
  const ValueId mask = b_.Select(b_.Eq(c, b_.U32(0)), b_.U32(0), ones);
  const ValueId typed_mask = b_.Bitcast(type, Spread(mask, uint_type));
  const ValueId moved = b_.Shl(new_bits, Spread(o, type));
  return b_.Or(b_.And(v, b_.Not(typed_mask)), b_.And(moved, typed_mask));
}

// 31 - leading zeros, which is -1 for no bit. Of a negative number the highest bit that differs from the
// sign.
ValueId FunctionContext::FirstLeadingBit(ValueId v) {
  ValueId bits = v;
  if (types().IsSigned(TypeOf(v))) {
    const ir::TypeId uint_type = types().WithScalar(TypeOf(v), types().U32());
    bits = b_.Xor(v, b_.Shr(v, b_.Number(uint_type, 31)));
  }
  return b_.Sub(NumberLike(v, 31), b_.Unary(ir::Op::kCountLeadingZeros, bits));
}

ValueId FunctionContext::FirstTrailingBit(ValueId v) {
  const ValueId zeros = b_.Unary(ir::Op::kCountTrailingZeros, v);
  return b_.Select(b_.Eq(v, NumberLike(v, 0)), b_.Not(NumberLike(v, 0)), zeros);
}

// ------------------------------------------------------------------------------------------------ packed
// data

// The low `bits` bits of each component, the first one lowest.
ValueId FunctionContext::JoinFields(ValueId fields, uint32_t bits) {
  const ir::TypeId uint_type = types().WithScalar(TypeOf(fields), types().U32());
  const ValueId masked = b_.And(b_.Bitcast(uint_type, fields), b_.Number(uint_type, (1u << bits) - 1));
  ValueId word = b_.Extract(masked, 0);
  for (uint32_t i = 1; i < Width(fields); ++i) {
    word = b_.Or(word, b_.Shl(b_.Extract(masked, i), b_.U32(i * bits)));
  }
  return word;
}

// A vector of the word's fields, as u32 or sign-extended as i32.
ValueId FunctionContext::SplitFields(ValueId word, uint32_t bits, bool is_signed) {
  const uint32_t count = 32 / bits;
  const ir::TypeId scalar = is_signed ? types().I32() : types().U32();
  const ir::TypeId type = types().Vector(scalar, count);
  const ir::TypeId uint_type = types().Vector(types().U32(), count);
  std::vector<ValueId> up;
  for (uint32_t i = 0; i < count; ++i) up.push_back(b_.U32(32 - bits * (i + 1)));
  const ValueId spread = Spread(b_.Bitcast(scalar, word), type);
  const ValueId at_top = b_.Shl(spread, module().ConstantComposite(uint_type, std::move(up)));
  return b_.Shr(at_top, b_.Number(uint_type, 32 - bits));
}

ValueId FunctionContext::PackBytes(ValueId v) { return JoinFields(v, 8); }

// floor(0.5 + max * clamp(v, -1 or 0, 1))
ValueId FunctionContext::PackNorm(ValueId v, uint32_t bits, bool is_signed) {
  const double max = (1u << (is_signed ? bits - 1 : bits)) - 1;
  const ValueId clamped = b_.Min(NumberLike(v, 1), b_.Max(NumberLike(v, is_signed ? -1 : 0), v));
  const ValueId scaled = b_.Floor(b_.Add(NumberLike(v, 0.5), b_.Mul(NumberLike(v, max), clamped)));
  return JoinFields(b_.Convert(types().WithScalar(TypeOf(v), types().I32()), scaled), bits);
}

// max(v / max, -1)
ValueId FunctionContext::UnpackNorm(ValueId v, uint32_t bits, bool is_signed) {
  const double max = (1u << (is_signed ? bits - 1 : bits)) - 1;
  const ValueId fields = SplitFields(v, bits, is_signed);
  const ValueId number = b_.Convert(types().WithScalar(TypeOf(fields), types().F32()), fields);
  const ValueId quotient = b_.Div(number, NumberLike(number, max));
  return is_signed ? b_.Max(quotient, NumberLike(quotient, -1)) : quotient;
}

}  // namespace lockstep::lower
