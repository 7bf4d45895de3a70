// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Builtin functions: one row each, those that are not IR operations spelled out in the files beside.
#include "lower/function_context.h"

namespace lockstep::lower {

namespace {

bool TakesPointer(wgsl::Builtin builtin) {
  using B = wgsl::Builtin;
  return builtin == B::kArrayLength || builtin == B::kWorkgroupUniformLoad || builtin >= B::kAtomicLoad;
}

bool TakesTexture(wgsl::Builtin builtin) {
  return builtin >= wgsl::Builtin::kTextureDimensions && builtin < wgsl::Builtin::kAtomicLoad;
}

}  // namespace

ValueId FunctionContext::CallBuiltin(ast::ExprId id) {
  const wgsl::Builtin builtin = info(id).builtin;
  if (TakesTexture(builtin)) return TextureBuiltin(id);
  if (TakesPointer(builtin)) return MemoryBuiltin(id);
  std::vector<ValueId> args;
  for (const ast::ExprId arg : program_.ast.list(expr(id).args)) args.push_back(Value(arg));
  return PureBuiltin(builtin, ValueType(id), args);
}

// Pure dispatch; the order is that of wgsl/defs/builtin_names.def.
ValueId FunctionContext::PureBuiltin(wgsl::Builtin builtin, ir::TypeId result,
                                     std::span<const ValueId> args) {
  using B = wgsl::Builtin;
  using ir::Op;
  const ValueId x = args[0];
  const ValueId y = args.size() > 1 ? args[1] : ValueId::None();
  const ValueId z = args.size() > 2 ? args[2] : ValueId::None();
  switch (builtin) {
    case B::kBitcast:
      return b_.Bitcast(result, x);
    case B::kAll:
      return AllOrAny(x, true);
    case B::kAny:
      return AllOrAny(x, false);
    case B::kSelect:
      return b_.Select(z, y, x);

    case B::kAbs:
      return b_.Abs(x);
    case B::kAcos:
      return b_.Unary(Op::kAcos, x);
    case B::kAcosh:
      return b_.Unary(Op::kAcosh, x);
    case B::kAsin:
      return b_.Unary(Op::kAsin, x);
    case B::kAsinh:
      return b_.Unary(Op::kAsinh, x);
    case B::kAtan:
      return b_.Unary(Op::kAtan, x);
    case B::kAtanh:
      return b_.Unary(Op::kAtanh, x);
    case B::kAtan2:
      return b_.Binary(Op::kAtan2, x, y);
    case B::kCeil:
      return b_.Unary(Op::kCeil, x);
    case B::kClamp:
      return Clamp(x, y, z);
    case B::kCos:
      return b_.Unary(Op::kCos, x);
    case B::kCosh:
      return b_.Unary(Op::kCosh, x);
    case B::kCountLeadingZeros:
      return b_.Unary(Op::kCountLeadingZeros, x);
    case B::kCountOneBits:
      return b_.Unary(Op::kCountOneBits, x);
    case B::kCountTrailingZeros:
      return b_.Unary(Op::kCountTrailingZeros, x);
    case B::kCross:
      return Cross(x, y);
    case B::kDegrees:
      return b_.Mul(x, NumberLike(x, 57.295779513082322865));
    case B::kDeterminant:
      return Determinant(x);
    case B::kDistance:
      return Length(b_.Sub(x, y));
    case B::kDot:
      return Dot(x, y);
    case B::kDot4U8Packed:
    case B::kDot4I8Packed: {
      const Op op = builtin == B::kDot4U8Packed ? Op::kDot4U8 : Op::kDot4I8;
      return module().result(b_.Append(op, args, {&result, 1}));
    }
    case B::kExp:
      return b_.Unary(Op::kExp, x);
    case B::kExp2:
      return b_.Unary(Op::kExp2, x);
    case B::kExtractBits:
      return ExtractBits(x, y, z);
    case B::kFaceForward:
      return FaceForward(x, y, z);
    case B::kFirstLeadingBit:
      return FirstLeadingBit(x);
    case B::kFirstTrailingBit:
      return FirstTrailingBit(x);
    case B::kFloor:
      return b_.Floor(x);
    case B::kFma:
      return b_.Fma(x, y, z);
    case B::kFract:
      return Fract(x);
    case B::kFrexp:
      return Frexp(x, result);
    case B::kInsertBits:
      return InsertBits(x, y, z, args[3]);
    case B::kInverseSqrt:
      return b_.Unary(Op::kInverseSqrt, x);
    case B::kLdexp:
      return Ldexp(x, y);
    case B::kLength:
      return Length(x);
    case B::kLog:
      return b_.Unary(Op::kLog, x);
    case B::kLog2:
      return b_.Unary(Op::kLog2, x);
    case B::kMax:
      return b_.Max(x, y);
    case B::kMin:
      return b_.Min(x, y);
    case B::kMix:
      return Mix(x, y, z);
    case B::kModf:
      return Modf(x, result);
    case B::kNormalize:
      return Normalize(x);
    case B::kPow:
      return b_.Binary(Op::kPow, x, y);
    case B::kQuantizeToF16:
      return b_.Unary(Op::kQuantizeF16, x);
    case B::kRadians:
      return b_.Mul(x, NumberLike(x, 0.017453292519943295474));
    case B::kReflect:
      return Reflect(x, y);
    case B::kRefract:
      return Refract(x, y, z);
    case B::kReverseBits:
      return b_.Unary(Op::kReverseBits, x);
    case B::kRound:
      return b_.Unary(Op::kRoundEven, x);
    case B::kSaturate:
      return Saturate(x);
    case B::kSign:
      return Sign(x);
    case B::kSin:
      return b_.Unary(Op::kSin, x);
    case B::kSinh:
      return b_.Unary(Op::kSinh, x);
    case B::kSmoothstep:
      return Smoothstep(x, y, z);
    case B::kSqrt:
      return b_.Sqrt(x);
    case B::kStep:
      return StepFunction(x, y);
    case B::kTan:
      return b_.Unary(Op::kTan, x);
    case B::kTanh:
      return b_.Unary(Op::kTanh, x);
    case B::kTranspose:
      return Transpose(x);
    case B::kTrunc:
      return b_.Unary(Op::kTrunc, x);

    case B::kDpdx:
    case B::kDpdxCoarse:
    case B::kDpdxFine:
      return b_.Unary(Op::kDpdx, x);
    case B::kDpdy:
    case B::kDpdyCoarse:
    case B::kDpdyFine:
      return b_.Unary(Op::kDpdy, x);
    case B::kFwidth:
    case B::kFwidthCoarse:
    case B::kFwidthFine: {
      const ValueId across = b_.Abs(b_.Unary(Op::kDpdx, x));
      return b_.Add(across, b_.Abs(b_.Unary(Op::kDpdy, x)));
    }

    case B::kPack4x8snorm:
      return PackNorm(x, 8, true);
    case B::kPack4x8unorm:
      return PackNorm(x, 8, false);
    case B::kPack4xI8:
      return PackBytes(x);
    case B::kPack4xU8:
      return PackBytes(x);
    case B::kPack4xI8Clamp:
      return PackBytes(Clamp(x, NumberLike(x, -128), NumberLike(x, 127)));
    case B::kPack4xU8Clamp:
      return PackBytes(b_.Min(x, NumberLike(x, 255)));
    case B::kPack2x16snorm:
      return PackNorm(x, 16, true);
    case B::kPack2x16unorm:
      return PackNorm(x, 16, false);
    case B::kPack2x16float:
      return module().result(b_.Append(Op::kPackHalf, args, {&result, 1}));
    case B::kUnpack4x8snorm:
      return UnpackNorm(x, 8, true);
    case B::kUnpack4x8unorm:
      return UnpackNorm(x, 8, false);
    case B::kUnpack4xI8:
      return SplitFields(x, 8, true);
    case B::kUnpack4xU8:
      return SplitFields(x, 8, false);
    case B::kUnpack2x16snorm:
      return UnpackNorm(x, 16, true);
    case B::kUnpack2x16unorm:
      return UnpackNorm(x, 16, false);
    case B::kUnpack2x16float:
      return module().result(b_.Append(Op::kUnpackHalf, args, {&result, 1}));

    case B::kNone:
    case B::kArrayLength:
    case B::kTextureDimensions:
    case B::kTextureLoad:
    case B::kTextureNumLayers:
    case B::kTextureNumLevels:
    case B::kTextureNumSamples:
    case B::kAtomicLoad:
    case B::kAtomicStore:
    case B::kAtomicAdd:
    case B::kAtomicSub:
    case B::kAtomicMax:
    case B::kAtomicMin:
    case B::kAtomicAnd:
    case B::kAtomicOr:
    case B::kAtomicXor:
    case B::kAtomicExchange:
    case B::kAtomicCompareExchangeWeak:
    case B::kStorageBarrier:
    case B::kTextureBarrier:
    case B::kWorkgroupBarrier:
    case B::kWorkgroupUniformLoad:
      break;
  }
  UNREACHABLE("a builtin that MemoryBuiltin or TextureBuiltin lowers");
}

}  // namespace lockstep::lower
