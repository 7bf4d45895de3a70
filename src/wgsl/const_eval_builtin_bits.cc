// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Builtins on the bits of integers, and packing (WGSL #pack-builtin-functions, #unpack-builtin-functions).
#include <algorithm>
#include <bit>
#include <cmath>

#include "support/check.h"
#include "support/half.h"
#include "wgsl/const_eval.h"
#include "wgsl/const_eval_internal.h"
#include "wgsl/diagnostics.h"

namespace lockstep::wgsl::const_eval {
namespace {

uint32_t Bits(Context& c, ConstantId id) { return static_cast<uint32_t>(c.I(id)); }

uint32_t ReverseBits(uint32_t x) {
  uint32_t reversed = 0;
  for (int i = 0; i < 32; ++i) reversed |= ((x >> i) & 1u) << (31 - i);
  return reversed;
}

// The position of the first bit that tells the value from 0 (or from -1); -1 where there is none.
uint32_t FirstLeadingBit(uint32_t x, bool is_signed) {
  if (is_signed && (x >> 31) != 0) x = ~x;
  return 31u - static_cast<uint32_t>(std::countl_zero(x));
}

uint32_t CountBits(Builtin builtin, uint32_t x, bool is_signed) {
  if (builtin == Builtin::kCountLeadingZeros) return static_cast<uint32_t>(std::countl_zero(x));
  if (builtin == Builtin::kCountTrailingZeros) return static_cast<uint32_t>(std::countr_zero(x));
  if (builtin == Builtin::kCountOneBits) return static_cast<uint32_t>(std::popcount(x));
  if (builtin == Builtin::kFirstLeadingBit) return FirstLeadingBit(x, is_signed);
  if (builtin == Builtin::kFirstTrailingBit) {
    return x == 0 ? 0xffffffffu : static_cast<uint32_t>(std::countr_zero(x));
  }
  CHECK(builtin == Builtin::kReverseBits);
  return ReverseBits(x);
}

uint32_t LowMask(int64_t count) { return count >= 32 ? 0xffffffffu : (1u << count) - 1; }

// How a builtin packs or unpacks: the width of a channel and whether it is signed.
struct Channel {
  int width;
  bool is_signed;
};

Channel ChannelOf(Builtin builtin) {
  if (builtin == Builtin::kPack4x8snorm || builtin == Builtin::kUnpack4x8snorm) return {8, true};
  if (builtin == Builtin::kPack4x8unorm || builtin == Builtin::kUnpack4x8unorm) return {8, false};
  if (builtin == Builtin::kPack2x16snorm || builtin == Builtin::kUnpack2x16snorm) return {16, true};
  return {16, false};
}

double MaxOf(Channel channel) {
  return static_cast<double>(LowMask(channel.width - (channel.is_signed ? 1 : 0)));
}

int32_t SignExtend(uint32_t bits, int width) {
  const int shift = 32 - width;
  return static_cast<int32_t>(bits << shift) >> shift;
}

}  // namespace

ConstantId CallBitCount(Context& c, Builtin builtin, TypeId result, Args args) {
  return Map(c, result, args, [&](TypeId type, Args a) {
    return c.WrappedInt(type, CountBits(builtin, Bits(c, a[0]), c.KindOf(type) == TypeKind::kI32));
  });
}

ConstantId CallExtractBits(Context& c, Builtin, TypeId result, Args args) {
  const int64_t offset = c.I(args[1]), count = c.I(args[2]);
  const std::array<ConstantId, 1> value = {args[0]};
  return Map(c, result, value, [&](TypeId type, Args a) {
    if (count == 0) return c.constants.Int(type, 0);
    const uint32_t bits = (Bits(c, a[0]) >> offset) & LowMask(count);
    const bool is_signed = c.KindOf(type) == TypeKind::kI32;
    return c.WrappedInt(type, is_signed ? SignExtend(bits, static_cast<int>(count)) : int64_t{bits});
  });
}

ConstantId CallInsertBits(Context& c, Builtin, TypeId result, Args args) {
  const int64_t offset = c.I(args[2]), count = c.I(args[3]);
  const std::array<ConstantId, 2> values = {args[0], args[1]};
  return Map(c, result, values, [&](TypeId type, Args a) {
    if (count == 0) return a[0];
    const uint32_t mask = LowMask(count) << offset;
    return c.WrappedInt(type, (Bits(c, a[0]) & ~mask) | ((Bits(c, a[1]) << offset) & mask));
  });
}

ConstantId CallDot4(Context& c, Builtin builtin, TypeId result, Args args) {
  int64_t sum = 0;
  for (int shift = 0; shift < 32; shift += 8) {
    const uint32_t x = (Bits(c, args[0]) >> shift) & 255, y = (Bits(c, args[1]) >> shift) & 255;
    const bool is_signed = builtin == Builtin::kDot4I8Packed;
    sum += is_signed ? int64_t{SignExtend(x, 8)} * SignExtend(y, 8) : int64_t{x} * y;
  }
  return c.WrappedInt(result, sum);
}

ConstantId CallPackFloats(Context& c, Builtin builtin, TypeId result, Args args) {
  const Channel channel = ChannelOf(builtin);
  const double low = channel.is_signed ? -1 : 0;
  uint32_t packed = 0;
  for (int i = 0; i < 32 / channel.width; ++i) {
    const double x = c.F(c.Part(args[0], static_cast<uint32_t>(i)));
    const double scaled = std::floor(0.5 + MaxOf(channel) * std::fmin(1, std::fmax(low, x)));
    const uint32_t bits = static_cast<uint32_t>(static_cast<int32_t>(scaled)) & LowMask(channel.width);
    packed |= bits << (i * channel.width);
  }
  return c.constants.Int(result, packed);
}

ConstantId CallPackHalfs(Context& c, Builtin, TypeId result, Args args) {
  uint32_t packed = 0;
  for (uint32_t i = 0; i < 2; ++i) {
    const double x = c.F(c.Part(args[0], i));
    if (std::fabs(x) > 65504) return c.FailRange(fmt::format("{}", x), c.types.F16());
    packed |= HalfBits(RoundToF16(x)) << (16 * i);
  }
  return c.constants.Int(result, packed);
}

ConstantId CallPackInts(Context& c, Builtin builtin, TypeId result, Args args) {
  uint32_t packed = 0;
  for (uint32_t i = 0; i < 4; ++i) {
    int64_t x = c.I(c.Part(args[0], i));
    if (builtin == Builtin::kPack4xI8Clamp) x = std::clamp<int64_t>(x, -128, 127);
    if (builtin == Builtin::kPack4xU8Clamp) x = std::clamp<int64_t>(x, 0, 255);
    packed |= (static_cast<uint32_t>(x) & 255) << (8 * i);
  }
  return c.constants.Int(result, packed);
}

ConstantId CallUnpackFloats(Context& c, Builtin builtin, TypeId result, Args args) {
  const Channel channel = ChannelOf(builtin);
  std::vector<ConstantId> parts;
  for (int i = 0; i < 32 / channel.width; ++i) {
    const uint32_t bits = (Bits(c, args[0]) >> (i * channel.width)) & LowMask(channel.width);
    const double v = channel.is_signed ? SignExtend(bits, channel.width) : static_cast<double>(bits);
    const double value = std::fmax(v / MaxOf(channel), -1);
    parts.push_back(c.constants.Float(c.types.F32(), RoundToF32(value)));
  }
  return c.constants.Composite(result, std::move(parts));
}

ConstantId CallUnpackHalfs(Context& c, Builtin builtin, TypeId result, Args args) {
  std::vector<ConstantId> parts;
  for (int i = 0; i < 2; ++i) {
    const double value = HalfValue(Bits(c, args[0]) >> (16 * i) & 0xffff);
    if (!std::isfinite(value)) return c.Fail(kResultOverflow, BuiltinName(builtin), "f32");
    parts.push_back(c.constants.Float(c.types.F32(), value));
  }
  return c.constants.Composite(result, std::move(parts));
}

ConstantId CallUnpackInts(Context& c, Builtin builtin, TypeId result, Args args) {
  const bool is_signed = builtin == Builtin::kUnpack4xI8;
  const TypeId scalar = c.types.ScalarOf(result);
  std::vector<ConstantId> parts;
  for (int i = 0; i < 4; ++i) {
    const uint32_t bits = (Bits(c, args[0]) >> (8 * i)) & 255;
    parts.push_back(c.constants.Int(scalar, is_signed ? SignExtend(bits, 8) : int64_t{bits}));
  }
  return c.constants.Composite(result, std::move(parts));
}

}  // namespace lockstep::wgsl::const_eval
