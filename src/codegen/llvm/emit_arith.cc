// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic, as ir/op.def says it: integers wrap and have no traps, floats round once and have no fast-math
// flags.
#include "codegen/llvm/emitter.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IntrinsicInst.h"

namespace lockstep::codegen {

using ir::Op;
using llvm::ArrayRef;
using Value = llvm::Value*;

namespace {

llvm::Constant* Same(Value like, uint64_t v) { return llvm::ConstantInt::get(like->getType(), v); }

bool ConstantWord(const Component& c, uint32_t* bits) {
  if (!c.uniform()) return false;
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(c.scalar);
  if (constant == nullptr) return false;
  *bits = static_cast<uint32_t>(constant->getZExtValue());
  return true;
}

bool IsConstant(Value v) { return llvm::isa<llvm::Constant>(v); }

}  // namespace

LaneValue Emitter::Unary(ir::InstId inst) {
  const ir::ValueId operand = ir_.operands(inst)[0];
  const ir::TypeId scalar = ir_.types.ScalarOf(ir_.type_of(operand));
  LaneValue result;
  for (const Component& c : Get(operand)) result.push_back(UnaryScalar(ir_.insts[inst].op, scalar, c));
  return result;
}

LaneValue Emitter::Binary(ir::InstId inst) {
  const ir::TypeId scalar = ir_.types.ScalarOf(ir_.type_of(ir_.operands(inst)[0]));
  const LaneValue a = Get(ir_.operands(inst)[0]);
  const LaneValue b = Get(ir_.operands(inst)[1]);
  LaneValue result;
  for (size_t i = 0; i < a.size(); ++i)
    result.push_back(BinaryScalar(ir_.insts[inst].op, scalar, a[i], b[i]));
  return result;
}

LaneValue Emitter::Compare(ir::InstId inst) {
  const ir::TypeId scalar = ir_.types.ScalarOf(ir_.type_of(ir_.operands(inst)[0]));
  const LaneValue a = Get(ir_.operands(inst)[0]);
  const LaneValue b = Get(ir_.operands(inst)[1]);
  LaneValue result;
  for (size_t i = 0; i < a.size(); ++i) {
    Component biased;
    if (CompareBiased(ir_.insts[inst].op, scalar, a[i], b[i], &biased)) {
      result.push_back(biased);
      continue;
    }
    result.push_back(Map({&a[i], &b[i]}, [&](ArrayRef<Value> v) {
      const Value bits = CompareScalar(ir_.insts[inst].op, scalar, v[0], v[1]);
      return a[i].uniform() && b[i].uniform() ? bits : FromBits(bits);
    }));
  }
  return result;
}

LaneValue Emitter::Ternary(ir::InstId inst) {
  const LaneValue a = Get(ir_.operands(inst)[0]);
  const LaneValue b = Get(ir_.operands(inst)[1]);
  const LaneValue c = Get(ir_.operands(inst)[2]);
  CHECK(ir_.insts[inst].op == Op::kFma);
  LaneValue result;
  for (size_t i = 0; i < a.size(); ++i) {
    result.push_back(
        Map({&a[i], &b[i], &c[i]}, [&](ArrayRef<Value> v) { return Intrinsic(llvm::Intrinsic::fma, v); }));
  }
  return result;
}

Value Emitter::Intrinsic(llvm::Intrinsic::ID id, ArrayRef<Value> args) {
  return b_.CreateIntrinsic(id, {args[0]->getType()}, args);
}

Component Emitter::UnaryScalar(Op op, ir::TypeId scalar, const Component& a) {
  const bool is_float = ir_.types.IsFloat(scalar);
  const auto map = [&](llvm::function_ref<Value(Value)> f) {
    return Map({&a}, [&](ArrayRef<Value> v) { return f(v[0]); });
  };
  const auto intrinsic = [&](llvm::Intrinsic::ID id) {
    return map([&](Value v) { return Intrinsic(id, {v}); });
  };
  const auto counting = [&](llvm::Intrinsic::ID id) {  // defined for 0
    return map([&](Value v) { return b_.CreateIntrinsic(id, {v->getType()}, {v, b_.getInt1(false)}); });
  };
  if (op == Op::kNeg) {
    if (a.affine() && !is_float) {
      const uint32_t stride = 0 - static_cast<uint32_t>(a.stride);  // the least i32 stays itself
      return Component::Affine(b_.CreateNeg(a.scalar), static_cast<int32_t>(stride));
    }
    return map([&](Value v) { return is_float ? b_.CreateFNeg(v) : b_.CreateNeg(v); });
  }
  if (op == Op::kNot) return map([&](Value v) { return b_.CreateNot(v); });
  if (op == Op::kAbs) {
    if (is_float) return intrinsic(llvm::Intrinsic::fabs);
    if (ir_.types.IsUnsigned(scalar)) return a;
    return counting(llvm::Intrinsic::abs);
  }
  if (op == Op::kCountOneBits) return intrinsic(llvm::Intrinsic::ctpop);
  if (op == Op::kCountLeadingZeros) return counting(llvm::Intrinsic::ctlz);
  if (op == Op::kCountTrailingZeros) return counting(llvm::Intrinsic::cttz);
  if (op == Op::kReverseBits) return intrinsic(llvm::Intrinsic::bitreverse);
  if (op == Op::kFloor) return intrinsic(llvm::Intrinsic::floor);
  if (op == Op::kCeil) return intrinsic(llvm::Intrinsic::ceil);
  if (op == Op::kTrunc) return intrinsic(llvm::Intrinsic::trunc);
  if (op == Op::kRoundEven) return intrinsic(llvm::Intrinsic::roundeven);
  if (op == Op::kSqrt) return intrinsic(llvm::Intrinsic::sqrt);
  if (op == Op::kDpdx || op == Op::kDpdy) return map([&](Value v) { return Derivative(op, v); });
  if (op == Op::kQuantizeF16) {
    return map([&](Value v) { return HalfToFloat(FloatToHalf(v)); });
  }
  UNREACHABLE("an approximate function that transform/expand_math should have replaced");
}

// Four lanes in turn are a quad: upper left, upper right, lower left, lower right.
Value Emitter::Derivative(Op op, Value v) {
  if (!v->getType()->isVectorTy()) return b_.CreateFSub(v, v);
  constexpr int kRight[] = {1, 1, 3, 3}, kLeft[] = {0, 0, 2, 2}, kLower[] = {2, 3, 2, 3},
                kUpper[] = {0, 1, 0, 1};
  const auto shuffle = [&](const int(&quad)[4]) {
    llvm::SmallVector<int, 16> lanes;
    for (uint32_t i = 0; i < native(); ++i) lanes.push_back(static_cast<int>(i & ~3u) + quad[i & 3]);
    return b_.CreateShuffleVector(v, lanes);
  };
  const bool x = op == Op::kDpdx;
  const Value to = shuffle(x ? kRight : kLower);
  return b_.CreateFSub(to, shuffle(x ? kLeft : kUpper));
}

// Integer results that stay affine, and min's that make one clamped.
bool Emitter::AffineBinary(Op op, ir::TypeId scalar, const Component& a, const Component& b,
                           Component* result) {
  if (ir_.types.IsFloat(scalar) || a.varying() || b.varying() || (a.uniform() && b.uniform())) return false;
  uint32_t bits = 0;
  // Strides wrap around as the values do.
  const auto word = [](int32_t stride) { return static_cast<uint32_t>(stride); };
  const auto times = [&](int32_t stride, uint32_t factor) {
    return static_cast<int32_t>(word(stride) * factor);
  };
  if (op == Op::kAdd || op == Op::kSub) {
    const bool add = op == Op::kAdd;
    const Value first = add ? b_.CreateAdd(a.scalar, b.scalar) : b_.CreateSub(a.scalar, b.scalar);
    const uint32_t stride = add ? word(a.stride) + word(b.stride) : word(a.stride) - word(b.stride);
    *result = Component::Affine(first, static_cast<int32_t>(stride));
    return true;
  }
  if (op == Op::kMul && (ConstantWord(a, &bits) || ConstantWord(b, &bits))) {
    *result =
        Component::Affine(b_.CreateMul(a.scalar, b.scalar), times(a.affine() ? a.stride : b.stride, bits));
    return true;
  }
  if (op == Op::kShl && ConstantWord(b, &bits)) {
    *result =
        Component::Affine(b_.CreateShl(a.scalar, bits & 31), times(a.stride, uint32_t{1} << (bits & 31)));
    return true;
  }
  return false;
}

Component Emitter::BinaryScalar(Op op, ir::TypeId scalar, const Component& a, const Component& b) {
  Component affine;
  if (AffineBinary(op, scalar, a, b, &affine)) return affine;
  const bool is_float = ir_.types.IsFloat(scalar);
  const bool is_signed = ir_.types.IsSigned(scalar);
  Component result = Map({&a, &b}, [&](ArrayRef<Value> v) {
    return is_float ? FloatBinary(op, v[0], v[1]) : IntegerBinary(op, is_signed, v[0], v[1]);
  });
  const bool one_affine = (a.affine() && b.uniform()) || (a.uniform() && b.affine());
  if (op == Op::kMin && !is_float && !is_signed && one_affine) {
    result.clamp_base = a.affine() ? a.scalar : b.scalar;
    result.clamp_bound = a.affine() ? b.scalar : a.scalar;
    result.stride = a.affine() ? a.stride : b.stride;
  }
  return result;
}

// For one NaN the other operand; of zeros that differ in sign, the first.
Value Emitter::MinMaxFloat(bool is_max, Value a, Value b) {
  const Value better = is_max ? b_.CreateFCmpOGT(b, a) : b_.CreateFCmpOLT(b, a);
  const Value chosen = b_.CreateSelect(better, b, a);
  return b_.CreateSelect(b_.CreateFCmpUNO(a, a), b, chosen);
}

Value Emitter::FloatBinary(Op op, Value a, Value b) {
  if (op == Op::kAdd) return b_.CreateFAdd(a, b);
  if (op == Op::kSub) return b_.CreateFSub(a, b);
  if (op == Op::kMul) return b_.CreateFMul(a, b);
  if (op == Op::kDiv) return b_.CreateFDiv(a, b);
  if (op == Op::kRem) {
    const Value whole = Intrinsic(llvm::Intrinsic::trunc, {b_.CreateFDiv(a, b)});
    return b_.CreateFSub(a, b_.CreateFMul(b, whole));
  }
  CHECK(op == Op::kMin || op == Op::kMax);
  return MinMaxFloat(op == Op::kMax, a, b);
}

Value Emitter::IntegerBinary(Op op, bool is_signed, Value a, Value b) {
  if (op == Op::kAdd) return b_.CreateAdd(a, b);
  if (op == Op::kSub) return b_.CreateSub(a, b);
  if (op == Op::kMul) return b_.CreateMul(a, b);
  if (op == Op::kDiv || op == Op::kRem) return DivRem(op, is_signed, a, b);
  if (op == Op::kMin) return Intrinsic(is_signed ? llvm::Intrinsic::smin : llvm::Intrinsic::umin, {a, b});
  if (op == Op::kMax) return Intrinsic(is_signed ? llvm::Intrinsic::smax : llvm::Intrinsic::umax, {a, b});
  if (op == Op::kAnd) return b_.CreateAnd(a, b);
  if (op == Op::kOr) return b_.CreateOr(a, b);
  if (op == Op::kXor) return b_.CreateXor(a, b);
  if (op == Op::kMulHigh) return MulHigh(is_signed, a, b);
  const Value count = b_.CreateAnd(b, Same(b, 31));
  if (op == Op::kShl) return b_.CreateShl(a, count);
  CHECK(op == Op::kShr);
  return is_signed ? b_.CreateAShr(a, count) : b_.CreateLShr(a, count);
}

// x / 0 = x, x % 0 = 0, MIN / -1 = MIN, MIN % -1 = 0: all of them what dividing by 1 gives.
Value Emitter::DivRem(Op op, bool is_signed, Value a, Value b) {
  const bool is_rem = op == Op::kRem;
  Value divisor = b;
  Value bad = b_.CreateICmpEQ(b, Same(b, 0));
  if (is_signed) {
    const Value overflow = b_.CreateAnd(b_.CreateICmpEQ(a, Same(a, 0x80000000u)),
                                        b_.CreateICmpEQ(b, llvm::Constant::getAllOnesValue(b->getType())));
    bad = b_.CreateOr(bad, overflow);
  }
  divisor = b_.CreateSelect(bad, Same(b, 1), b);  // folds for constants
  if (a->getType()->isVectorTy() && !IsConstant(divisor) && native() >= 2) {
    return VectorDivRem(is_rem, is_signed, a, divisor);
  }
  if (is_signed) return is_rem ? b_.CreateSRem(a, divisor) : b_.CreateSDiv(a, divisor);
  return is_rem ? b_.CreateURem(a, divisor) : b_.CreateUDiv(a, divisor);
}

// No vector machine divides integers. A double holds both operands exactly, and the rounded quotient
// truncates to the exact one: a / b is a whole number or at least 1 / b > 2^-32 away from one, far more than
// half a unit of rounding.
Value Emitter::VectorDivRem(bool is_rem, bool is_signed, Value a, Value b) {
  llvm::SmallVector<Value, 2> quotients;
  const uint32_t half = native() / 2;
  llvm::Type* doubles = native() == 2 ? b_.getDoubleTy() : nullptr;
  if (doubles == nullptr) doubles = llvm::FixedVectorType::get(b_.getDoubleTy(), half);
  llvm::Type* words = native() == 2 ? static_cast<llvm::Type*>(b_.getInt32Ty())
                                    : llvm::FixedVectorType::get(b_.getInt32Ty(), half);
  llvm::SmallVector<int, 16> all;
  for (uint32_t h = 0; h < 2; ++h) {
    llvm::SmallVector<int, 8> lanes_of_half;
    for (uint32_t i = 0; i < half; ++i) {
      lanes_of_half.push_back(static_cast<int>(h * half + i));
      all.push_back(static_cast<int>(h * half + i));
    }
    const auto take = [&](Value v) -> Value {
      if (half == 1) return b_.CreateExtractElement(v, h);
      return b_.CreateShuffleVector(v, lanes_of_half);
    };
    const auto widen = [&](Value v) {
      return is_signed ? b_.CreateSIToFP(v, doubles) : b_.CreateUIToFP(v, doubles);
    };
    const Value quotient = b_.CreateFDiv(widen(take(a)), widen(take(b)));
    quotients.push_back(is_signed ? b_.CreateFPToSI(quotient, words) : b_.CreateFPToUI(quotient, words));
  }
  Value q = nullptr;
  if (half == 1) {
    q = b_.CreateInsertElement(llvm::PoisonValue::get(a->getType()), quotients[0], uint64_t{0});
    q = b_.CreateInsertElement(q, quotients[1], uint64_t{1});
  } else {
    q = b_.CreateShuffleVector(quotients[0], quotients[1], all);
  }
  return is_rem ? b_.CreateSub(a, b_.CreateMul(q, b)) : q;
}

Value Emitter::MulHigh(bool is_signed, Value a, Value b) {
  const auto wide = [&](Value x, Value y) {
    llvm::Type* narrow = x->getType();
    llvm::Type* type = narrow->getWithNewBitWidth(64);
    const auto extend = [&](Value v) { return is_signed ? b_.CreateSExt(v, type) : b_.CreateZExt(v, type); };
    const Value product = b_.CreateMul(extend(x), extend(y));
    return b_.CreateTrunc(b_.CreateLShr(product, Same(product, 32)), narrow);
  };
  if (!a->getType()->isVectorTy() || native() < 4) return wide(a, b);
  // In halves: no vector is wider than the machine's.
  const int half = static_cast<int>(native() / 2);
  llvm::SmallVector<int, 16> low, high, all;
  for (int i = 0; i < half; ++i) {
    low.push_back(i);
    high.push_back(half + i);
  }
  all.append(low);
  all.append(high);
  const Value first = wide(b_.CreateShuffleVector(a, low), b_.CreateShuffleVector(b, low));
  const Value second = wide(b_.CreateShuffleVector(a, high), b_.CreateShuffleVector(b, high));
  return b_.CreateShuffleVector(first, second, all);
}

// Unsigned order of values that lanes hold only by uniform numbers: vector machines compare signed numbers,
// and moving both sides by 2^31 costs one scalar addition each.
bool Emitter::CompareBiased(Op op, ir::TypeId scalar, const Component& a, const Component& b,
                            Component* result) {
  if (!ir_.types.IsUnsigned(scalar) || op == Op::kEq || op == Op::kNe || native() == 1) return false;
  if (a.varying() || b.varying() || (a.uniform() && b.uniform())) return false;
  const auto biased = [&](const Component& c) {
    Component moved = c;
    moved.scalar = b_.CreateAdd(c.scalar, U32(0x80000000u));
    return moved;
  };
  const Component x = biased(a);
  const Component y = biased(b);
  *result = Map({&x, &y},
                [&](ArrayRef<Value> v) { return FromBits(CompareScalar(op, ir_.types.I32(), v[0], v[1])); });
  return true;
}

Value Emitter::CompareScalar(Op op, ir::TypeId scalar, Value a, Value b) {
  if (ir_.types.IsFloat(scalar)) {
    if (op == Op::kEq) return b_.CreateFCmpOEQ(a, b);
    if (op == Op::kNe) return b_.CreateFCmpUNE(a, b);
    if (op == Op::kLt) return b_.CreateFCmpOLT(a, b);
    if (op == Op::kLe) return b_.CreateFCmpOLE(a, b);
    if (op == Op::kGt) return b_.CreateFCmpOGT(a, b);
    return b_.CreateFCmpOGE(a, b);
  }
  const bool is_signed = ir_.types.IsSigned(scalar);
  if (op == Op::kEq) return b_.CreateICmpEQ(a, b);
  if (op == Op::kNe) return b_.CreateICmpNE(a, b);
  if (op == Op::kLt) return is_signed ? b_.CreateICmpSLT(a, b) : b_.CreateICmpULT(a, b);
  if (op == Op::kLe) return is_signed ? b_.CreateICmpSLE(a, b) : b_.CreateICmpULE(a, b);
  if (op == Op::kGt) return is_signed ? b_.CreateICmpSGT(a, b) : b_.CreateICmpUGT(a, b);
  return is_signed ? b_.CreateICmpSGE(a, b) : b_.CreateICmpUGE(a, b);
}

}  // namespace lockstep::codegen
