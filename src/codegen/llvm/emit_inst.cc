// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Which handler makes the code of which operation: complete, so that a new operation is a compile error here.
#include "codegen/llvm/emitter.h"

namespace lockstep::codegen {

using ir::Op;
using llvm::ArrayRef;

// Uniform and affine results of affine operands (index / 16 where the group lies in one such block): what
// lane 0 gets decides them, so the operation is done on scalars.
bool Emitter::FollowsLaneZero(ir::InstId inst) {
  const ir::OpKind kind = ir::KindOf(ir_.insts[inst].op);
  const bool simple = kind == ir::OpKind::kUnary || kind == ir::OpKind::kBinary ||
                      kind == ir::OpKind::kCompare || ir_.insts[inst].op == Op::kConvert ||
                      ir_.insts[inst].op == Op::kBitcast || ir_.insts[inst].op == Op::kSelect;
  if (!simple || !ir_.types.IsScalar(ir_.type_of(ir_.result(inst)))) return false;
  const Shape shape = kernel_.shapes.Get(ir_.result(inst));
  if (!shape.uniform() && shape.kind != ShapeKind::kAffine) return false;
  bool affine = false;
  for (const ir::ValueId operand : ir_.operands(inst)) {
    const Component c = Get(operand)[0];
    if (c.varying()) return false;
    affine |= c.affine();
  }
  return affine;
}

void Emitter::EmitInst(ir::InstId inst) {
  if (level_ == Level::kGroup && has_regions_ && IsHoisted(inst)) return;
  if (!FollowsLaneZero(inst)) {
    Dispatch(inst);
    return;
  }
  lane_zero_ = true;
  Dispatch(inst);
  lane_zero_ = false;
}

// Pure dispatch, one row an operation.
void Emitter::Dispatch(ir::InstId inst) {
  const auto operands = ir_.operands(inst);
  const ArrayRef<ir::ValueId> list(operands.data(), operands.size());
  const auto pointee = [&](ir::ValueId pointer) { return ir_.types.Pointee(ir_.type_of(pointer)); };
  switch (ir_.insts[inst].op) {
    case Op::kNeg:
    case Op::kNot:
    case Op::kAbs:
    case Op::kCountOneBits:
    case Op::kCountLeadingZeros:
    case Op::kCountTrailingZeros:
    case Op::kReverseBits:
    case Op::kFloor:
    case Op::kCeil:
    case Op::kTrunc:
    case Op::kRoundEven:
    case Op::kSqrt:
    case Op::kQuantizeF16:
    case Op::kInverseSqrt:
    case Op::kSin:
    case Op::kCos:
    case Op::kTan:
    case Op::kAsin:
    case Op::kAcos:
    case Op::kAtan:
    case Op::kSinh:
    case Op::kCosh:
    case Op::kTanh:
    case Op::kAsinh:
    case Op::kAcosh:
    case Op::kAtanh:
    case Op::kExp:
    case Op::kExp2:
    case Op::kLog:
    case Op::kLog2:
    case Op::kDpdx:
    case Op::kDpdy:
      Set(ir_.result(inst), Unary(inst));
      return;
    case Op::kAdd:
    case Op::kSub:
    case Op::kMul:
    case Op::kDiv:
    case Op::kRem:
    case Op::kMin:
    case Op::kMax:
    case Op::kAnd:
    case Op::kOr:
    case Op::kXor:
    case Op::kShl:
    case Op::kShr:
    case Op::kMulHigh:
    case Op::kAtan2:
    case Op::kPow:
      Set(ir_.result(inst), Binary(inst));
      return;
    case Op::kEq:
    case Op::kNe:
    case Op::kLt:
    case Op::kLe:
    case Op::kGt:
    case Op::kGe:
      Set(ir_.result(inst), Compare(inst));
      return;
    case Op::kFma:
      Set(ir_.result(inst), Ternary(inst));
      return;
    case Op::kConvert:
    case Op::kBitcast:
    case Op::kSelect:
    case Op::kSplat:
    case Op::kConstruct:
    case Op::kExtract:
    case Op::kExtractDynamic:
    case Op::kInsert:
    case Op::kSwizzle:
    case Op::kDot4I8:
    case Op::kDot4U8:
    case Op::kPackHalf:
    case Op::kUnpackHalf:
    case Op::kBuiltinInput:
      Set(ir_.result(inst), ValueOp(inst));
      return;
    case Op::kStageInput:
    case Op::kStageOutput:
    case Op::kDemote:
      UNREACHABLE("what transform/stage_io should have replaced");
    case Op::kCall:
      EmitCall(inst);
      return;
    case Op::kVar:
      DeclareVar(inst);
      return;
    case Op::kAccess:
      return;  // followed where it is used
    case Op::kLoad:
    case Op::kUniformLoad:
      Set(ir_.result(inst), Load(list[0]));
      return;
    case Op::kStore:
      Store(inst);
      return;
    case Op::kCopy:
      Copy(Resolve(list[0]), Resolve(list[1]), pointee(list[0]), GuardOf(list, 2));
      return;
    case Op::kZeroFill:
      ZeroFill(Resolve(list[0]), pointee(list[0]), GuardOf(list, 1));
      return;
    case Op::kArrayLength:
      Set(ir_.result(inst), ArrayLength(list[0]));
      return;
    case Op::kTextureNumber:
      Set(ir_.result(inst), TextureNumber(inst));
      return;
    case Op::kTextureLoad:
      Set(ir_.result(inst), TextureLoad(inst));
      return;
    case Op::kAtomicLoad:
      Set(ir_.result(inst), AtomicLoad(inst));
      return;
    case Op::kAtomicStore:
      AtomicStore(inst);
      return;
    case Op::kAtomicRmw:
      Set(ir_.result(inst), AtomicRmw(inst));
      return;
    case Op::kAtomicCompareExchange:
      CompareExchange(inst);
      return;
    case Op::kBarrier:
      return;  // one thread runs the whole workgroup
    case Op::kWatch:
      Watch(inst);
      return;
    case Op::kWatchBounds:
      WatchBounds(inst);
      return;
    case Op::kWatchBarrier:
      WatchBarrier(inst);
      return;
    case Op::kIf:
      EmitIf(inst);
      return;
    case Op::kLoop:
      EmitLoop(inst);
      return;
    case Op::kSwitch:
      EmitSwitch(inst);
      return;
    case Op::kExit:
    case Op::kContinue:
    case Op::kNext:
    case Op::kReturn:
    case Op::kUnreachable:
      EmitJump(inst);
      return;
    case Op::kAnyLane:
      Set(ir_.result(inst), {Component::Uniform(AnyLane(Get(list[0])[0]))});
      return;
    case Op::kAllLanes:
      Set(ir_.result(inst), {Component::Uniform(AllLanes(Get(list[0])[0]))});
      return;
    case Op::kLaneMask:
      Set(ir_.result(inst), {LaneMask()});
      return;
  }
}

}  // namespace lockstep::codegen
