// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Which handler evaluates which builtin, and the rules that hold when only some arguments are constant.
#include <algorithm>

#include "support/check.h"
#include "wgsl/const_eval_internal.h"
#include "wgsl/diagnostics.h"

namespace lockstep::wgsl::const_eval {
namespace {

// Flat table; nullptr: not a const function.
Handler HandlerOf(Builtin builtin) {
  switch (builtin) {
    case Builtin::kBitcast:
      return CallBitcast;
    case Builtin::kAll:
      return CallAllAny;
    case Builtin::kAny:
      return CallAllAny;
    case Builtin::kSelect:
      return CallSelect;
    case Builtin::kAbs:
      return CallAbs;
    case Builtin::kAcos:
      return CallFloatUnary;
    case Builtin::kAcosh:
      return CallFloatUnary;
    case Builtin::kAsin:
      return CallFloatUnary;
    case Builtin::kAsinh:
      return CallFloatUnary;
    case Builtin::kAtan:
      return CallFloatUnary;
    case Builtin::kAtanh:
      return CallFloatUnary;
    case Builtin::kAtan2:
      return CallAtan2;
    case Builtin::kCeil:
      return CallFloatUnary;
    case Builtin::kClamp:
      return CallClamp;
    case Builtin::kCos:
      return CallFloatUnary;
    case Builtin::kCosh:
      return CallFloatUnary;
    case Builtin::kCountLeadingZeros:
      return CallBitCount;
    case Builtin::kCountOneBits:
      return CallBitCount;
    case Builtin::kCountTrailingZeros:
      return CallBitCount;
    case Builtin::kCross:
      return CallCross;
    case Builtin::kDegrees:
      return CallFloatUnary;
    case Builtin::kDeterminant:
      return CallDeterminant;
    case Builtin::kDistance:
      return CallDistance;
    case Builtin::kDot:
      return CallDot;
    case Builtin::kDot4U8Packed:
      return CallDot4;
    case Builtin::kDot4I8Packed:
      return CallDot4;
    case Builtin::kExp:
      return CallFloatUnary;
    case Builtin::kExp2:
      return CallFloatUnary;
    case Builtin::kExtractBits:
      return CallExtractBits;
    case Builtin::kFaceForward:
      return CallFaceForward;
    case Builtin::kFirstLeadingBit:
      return CallBitCount;
    case Builtin::kFirstTrailingBit:
      return CallBitCount;
    case Builtin::kFloor:
      return CallFloatUnary;
    case Builtin::kFma:
      return CallFma;
    case Builtin::kFract:
      return CallFloatUnary;
    case Builtin::kFrexp:
      return CallFrexp;
    case Builtin::kInsertBits:
      return CallInsertBits;
    case Builtin::kInverseSqrt:
      return CallFloatUnary;
    case Builtin::kLdexp:
      return CallLdexp;
    case Builtin::kLength:
      return CallLength;
    case Builtin::kLog:
      return CallFloatUnary;
    case Builtin::kLog2:
      return CallFloatUnary;
    case Builtin::kMax:
      return CallMinMax;
    case Builtin::kMin:
      return CallMinMax;
    case Builtin::kMix:
      return CallMix;
    case Builtin::kModf:
      return CallModf;
    case Builtin::kNormalize:
      return CallNormalize;
    case Builtin::kPow:
      return CallPow;
    case Builtin::kQuantizeToF16:
      return CallQuantizeToF16;
    case Builtin::kRadians:
      return CallFloatUnary;
    case Builtin::kReflect:
      return CallReflect;
    case Builtin::kRefract:
      return CallRefract;
    case Builtin::kReverseBits:
      return CallBitCount;
    case Builtin::kRound:
      return CallFloatUnary;
    case Builtin::kSaturate:
      return CallSaturate;
    case Builtin::kSign:
      return CallSign;
    case Builtin::kSin:
      return CallFloatUnary;
    case Builtin::kSinh:
      return CallFloatUnary;
    case Builtin::kSmoothstep:
      return CallSmoothstep;
    case Builtin::kSqrt:
      return CallFloatUnary;
    case Builtin::kStep:
      return CallStep;
    case Builtin::kTan:
      return CallFloatUnary;
    case Builtin::kTanh:
      return CallFloatUnary;
    case Builtin::kTranspose:
      return CallTranspose;
    case Builtin::kTrunc:
      return CallFloatUnary;
    case Builtin::kPack4x8snorm:
      return CallPackFloats;
    case Builtin::kPack4x8unorm:
      return CallPackFloats;
    case Builtin::kPack4xI8:
      return CallPackInts;
    case Builtin::kPack4xU8:
      return CallPackInts;
    case Builtin::kPack4xI8Clamp:
      return CallPackInts;
    case Builtin::kPack4xU8Clamp:
      return CallPackInts;
    case Builtin::kPack2x16snorm:
      return CallPackFloats;
    case Builtin::kPack2x16unorm:
      return CallPackFloats;
    case Builtin::kPack2x16float:
      return CallPackHalfs;
    case Builtin::kUnpack4x8snorm:
      return CallUnpackFloats;
    case Builtin::kUnpack4x8unorm:
      return CallUnpackFloats;
    case Builtin::kUnpack4xI8:
      return CallUnpackInts;
    case Builtin::kUnpack4xU8:
      return CallUnpackInts;
    case Builtin::kUnpack2x16snorm:
      return CallUnpackFloats;
    case Builtin::kUnpack2x16unorm:
      return CallUnpackFloats;
    case Builtin::kUnpack2x16float:
      return CallUnpackHalfs;
    case Builtin::kNone:
    case Builtin::kArrayLength:
    case Builtin::kAtomicLoad:
    case Builtin::kAtomicStore:
    case Builtin::kAtomicAdd:
    case Builtin::kAtomicSub:
    case Builtin::kAtomicMax:
    case Builtin::kAtomicMin:
    case Builtin::kAtomicAnd:
    case Builtin::kAtomicOr:
    case Builtin::kAtomicXor:
    case Builtin::kAtomicExchange:
    case Builtin::kAtomicCompareExchangeWeak:
    case Builtin::kDpdx:
    case Builtin::kDpdxCoarse:
    case Builtin::kDpdxFine:
    case Builtin::kDpdy:
    case Builtin::kDpdyCoarse:
    case Builtin::kDpdyFine:
    case Builtin::kFwidth:
    case Builtin::kFwidthCoarse:
    case Builtin::kFwidthFine:
    case Builtin::kTextureDimensions:
    case Builtin::kTextureLoad:
    case Builtin::kTextureNumLayers:
    case Builtin::kTextureNumLevels:
    case Builtin::kTextureNumSamples:
    case Builtin::kStorageBarrier:
    case Builtin::kTextureBarrier:
    case Builtin::kWorkgroupBarrier:
    case Builtin::kWorkgroupUniformLoad:
      return nullptr;
  }
  UNREACHABLE("builtin");
}

// The components of a scalar or vector; one for a splat.
std::vector<ConstantId> Components(Context& c, ConstantId id) {
  const std::vector<ConstantId>& parts = c.constants[id].parts;
  return parts.empty() ? std::vector<ConstantId>{id} : parts;
}

// Calls check(a's component, b's component) on each pair, until one is false.
template <typename Check>
bool ForEachPair(Context& c, ConstantId a, ConstantId b, const Check& check) {
  const std::vector<ConstantId> as = Components(c, a), bs = Components(c, b);
  for (size_t i = 0; i < std::max(as.size(), bs.size()); ++i) {
    if (!check(as[std::min(i, as.size() - 1)], bs[std::min(i, bs.size() - 1)])) return false;
  }
  return true;
}

bool CheckClamp(Context& c, ConstantId low, ConstantId high) {
  return ForEachPair(c, low, high, [&](ConstantId l, ConstantId h) {
    if (c.IsFloat(l) ? c.F(l) <= c.F(h) : c.I(l) <= c.I(h)) return true;
    return c.Fail(kClampRange, c.Text(l), c.Text(h)).has_value();
  });
}

bool CheckSmoothstep(Context& c, ConstantId edge0, ConstantId edge1) {
  return ForEachPair(c, edge0, edge1, [&](ConstantId a, ConstantId b) {
    if (c.F(a) != c.F(b)) return true;
    return c.Fail(kSmoothstepEdges, c.Text(a)).has_value();
  });
}

bool CheckBitRange(Context& c, Builtin builtin, ConstantId offset, ConstantId count) {
  if (c.I(offset) + c.I(count) <= 32) return true;
  return c.Fail(kBitRange, BuiltinName(builtin), c.I(offset), c.I(count)).has_value();
}

bool CheckLdexp(Context& c, TypeId float_type, ConstantId exponent) {
  const TypeId scalar = c.types.ScalarOf(c.types.Unreference(float_type));
  const TypeKind kind = c.KindOf(scalar);
  const int64_t highest = kind == TypeKind::kF32 ? 128 : kind == TypeKind::kF16 ? 16 : 1024;  // bias + 1
  for (const ConstantId component : Components(c, exponent)) {
    if (c.I(component) > highest) {
      return c.Fail(kLdexpExponent, highest, c.Text(scalar), c.I(component)).has_value();
    }
  }
  return true;
}

}  // namespace

bool CheckArguments(Context& c, Builtin builtin, Args args, std::span<const TypeId> arg_types) {
  const auto known = [&](size_t i) { return i < args.size() && args[i].has_value(); };
  if (builtin == Builtin::kClamp && known(1) && known(2)) return CheckClamp(c, args[1], args[2]);
  if (builtin == Builtin::kSmoothstep && known(0) && known(1)) return CheckSmoothstep(c, args[0], args[1]);
  if (builtin == Builtin::kExtractBits && known(1) && known(2))
    return CheckBitRange(c, builtin, args[1], args[2]);
  if (builtin == Builtin::kInsertBits && known(2) && known(3))
    return CheckBitRange(c, builtin, args[2], args[3]);
  if (builtin == Builtin::kLdexp && known(1)) return CheckLdexp(c, arg_types[0], args[1]);
  return true;
}

ConstantId Call(Context& c, Builtin builtin, TypeId result, Args args) {
  const Handler handler = HandlerOf(builtin);
  CHECK(handler != nullptr);
  std::vector<TypeId> types;
  for (const ConstantId arg : args) types.push_back(c.TypeOf(arg));
  if (!CheckArguments(c, builtin, args, types)) return ConstantId::None();
  return handler(c, builtin, result, args);
}

}  // namespace lockstep::wgsl::const_eval
