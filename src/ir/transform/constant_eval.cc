// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/transform/constant_eval.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "abi/convert.h"
namespace lockstep::ir {
namespace {

using Bits = std::optional<uint32_t>;

int32_t AsInt(uint32_t bits) { return static_cast<int32_t>(bits); }
float AsFloat(uint32_t bits) { return std::bit_cast<float>(bits); }
Bits FromFloat(float v) {
  if (std::isnan(v)) return std::nullopt;
  return std::bit_cast<uint32_t>(v);
}

// --- one component ---

Bits FloatBinary(Op op, float a, float b) {
  if (op == Op::kAdd) return FromFloat(a + b);
  if (op == Op::kSub) return FromFloat(a - b);
  if (op == Op::kMul) return FromFloat(a * b);
  if (op == Op::kDiv) return FromFloat(a / b);
  if (op == Op::kMin || op == Op::kMax) {
    if (std::isnan(a) || std::isnan(b) || (a == 0 && b == 0)) return std::nullopt;
    return FromFloat(op == Op::kMin ? std::min(a, b) : std::max(a, b));
  }
  return std::nullopt;
}

Bits FloatUnary(Op op, float a) {
  if (op == Op::kNeg) return FromFloat(-a);
  if (op == Op::kAbs) return FromFloat(std::fabs(a));
  if (op == Op::kFloor) return FromFloat(std::floor(a));
  if (op == Op::kCeil) return FromFloat(std::ceil(a));
  if (op == Op::kTrunc) return FromFloat(std::trunc(a));
  if (op == Op::kRoundEven) return FromFloat(std::nearbyint(a));
  if (op == Op::kSqrt) return FromFloat(std::sqrt(a));
  if (op == Op::kDpdx || op == Op::kDpdy) return FromFloat(a - a);
  return std::nullopt;
}

bool FloatCompare(Op op, float a, float b) {
  if (op == Op::kEq) return a == b;
  if (op == Op::kNe) return a != b;
  if (op == Op::kLt) return a < b;
  if (op == Op::kLe) return a <= b;
  if (op == Op::kGt) return a > b;
  return a >= b;
}

template <typename T>
bool IntCompare(Op op, T a, T b) {
  if (op == Op::kEq) return a == b;
  if (op == Op::kNe) return a != b;
  if (op == Op::kLt) return a < b;
  if (op == Op::kLe) return a <= b;
  if (op == Op::kGt) return a > b;
  return a >= b;
}

uint32_t SignedDiv(int32_t a, int32_t b) {
  if (b == 0 || (a == std::numeric_limits<int32_t>::min() && b == -1)) return static_cast<uint32_t>(a);
  return static_cast<uint32_t>(a / b);
}
uint32_t SignedRem(int32_t a, int32_t b) {
  if (b == 0 || (a == std::numeric_limits<int32_t>::min() && b == -1)) return 0;
  return static_cast<uint32_t>(a % b);
}

Bits IntBinary(Op op, bool is_signed, uint32_t a, uint32_t b) {
  const int32_t sa = AsInt(a);
  const int32_t sb = AsInt(b);
  if (op == Op::kAdd) return a + b;
  if (op == Op::kSub) return a - b;
  if (op == Op::kMul) return a * b;
  if (op == Op::kDiv) return is_signed ? SignedDiv(sa, sb) : b == 0 ? a : a / b;
  if (op == Op::kRem) return is_signed ? SignedRem(sa, sb) : b == 0 ? 0 : a % b;
  if (op == Op::kMin) return is_signed ? static_cast<uint32_t>(std::min(sa, sb)) : std::min(a, b);
  if (op == Op::kMax) return is_signed ? static_cast<uint32_t>(std::max(sa, sb)) : std::max(a, b);
  if (op == Op::kAnd) return a & b;
  if (op == Op::kOr) return a | b;
  if (op == Op::kXor) return a ^ b;
  if (op == Op::kShl) return a << (b & 31);
  if (op == Op::kShr) return is_signed ? static_cast<uint32_t>(sa >> (b & 31)) : a >> (b & 31);
  if (op == Op::kMulHigh) {
    return is_signed ? static_cast<uint32_t>((int64_t{sa} * sb) >> 32)
                     : static_cast<uint32_t>((uint64_t{a} * b) >> 32);
  }
  return std::nullopt;
}

uint32_t Reversed(uint32_t v) {
  uint32_t r = 0;
  for (int i = 0; i < 32; ++i) r |= ((v >> i) & 1) << (31 - i);
  return r;
}

Bits IntUnary(Op op, bool is_signed, uint32_t a) {
  if (op == Op::kNeg) return 0 - a;
  if (op == Op::kNot) return ~a;
  if (op == Op::kAbs) return is_signed && AsInt(a) < 0 ? 0 - a : a;
  if (op == Op::kCountOneBits) return static_cast<uint32_t>(std::popcount(a));
  if (op == Op::kCountLeadingZeros) return static_cast<uint32_t>(std::countl_zero(a));
  if (op == Op::kCountTrailingZeros) return static_cast<uint32_t>(std::countr_zero(a));
  if (op == Op::kReverseBits) return Reversed(a);
  return std::nullopt;
}

// Truncates and clamps; NaN gives 0.
uint32_t FloatToUint(float v) {
  if (!(v > 0)) return 0;
  return static_cast<uint32_t>(std::min(v, abi::kLargestU32InF32));
}
uint32_t FloatToInt(float v) {
  if (std::isnan(v)) return 0;
  if (v <= -0x1p31f) return 0x80000000u;
  return static_cast<uint32_t>(static_cast<int32_t>(std::min(v, abi::kLargestI32InF32)));
}

class Evaluator {
 public:
  Evaluator(Module& module, InstId inst, std::span<const ValueId> operands)
      : m_(module),
        t_(module.types),
        id_(inst),
        op_(module.insts[inst].op),
        operands_(operands.begin(), operands.end()),
        type_(module.type_of(module.result(inst))) {}

  ValueId Run() {
    switch (KindOf(op_)) {
      case OpKind::kUnary:
      case OpKind::kBinary:
      case OpKind::kCompare:
      case OpKind::kTernary:
        return ComponentWise();
      case OpKind::kValue:
        return Composite();
      case OpKind::kMemory:
      case OpKind::kControl:
      case OpKind::kExit:
      case OpKind::kLanes:
        return ValueId::None();
    }
    return ValueId::None();
  }

 private:
  ValueId ComponentWise() {
    const uint32_t width = t_.Width(type_);
    std::vector<ValueId> parts;
    for (uint32_t i = 0; i < width; ++i) {
      const Bits bits = Component(i);
      if (!bits.has_value()) return ValueId::None();
      parts.push_back(m_.ConstantBits(t_.ScalarOf(type_), *bits));
    }
    return width == 1 ? parts[0] : m_.ConstantComposite(type_, std::move(parts));
  }

  uint32_t OperandBits(size_t operand, uint32_t component) const {
    uint32_t bits = 0;
    const ValueId v = operands_[operand];
    const TypeId type = m_.type_of(v);
    m_.ConstantScalar(t_.Width(type) == 1 ? v : m_.ConstantPart(v, component), &bits);
    return bits;
  }

  Bits Component(uint32_t i) const {
    const TypeId from = t_.ScalarOf(m_.type_of(operands_[0]));
    const uint32_t a = OperandBits(0, i);
    const uint32_t b = operands_.size() > 1 ? OperandBits(1, i) : 0;
    if (from == t_.F16()) return std::nullopt;
    if (op_ == Op::kConvert) return Converted(from, t_.ScalarOf(type_), a);
    if (op_ == Op::kBitcast) return a;
    if (op_ == Op::kFma) return FromFloat(std::fma(AsFloat(a), AsFloat(b), AsFloat(OperandBits(2, i))));
    const bool compare = KindOf(op_) == OpKind::kCompare;
    if (from == t_.F32()) {
      if (compare) return FloatCompare(op_, AsFloat(a), AsFloat(b)) ? 1 : 0;
      return operands_.size() == 1 ? FloatUnary(op_, AsFloat(a)) : FloatBinary(op_, AsFloat(a), AsFloat(b));
    }
    if (from == t_.Bool()) return Logical(a, b);
    const bool is_signed = from == t_.I32();
    if (compare) return (is_signed ? IntCompare(op_, AsInt(a), AsInt(b)) : IntCompare(op_, a, b)) ? 1 : 0;
    return operands_.size() == 1 ? IntUnary(op_, is_signed, a) : IntBinary(op_, is_signed, a, b);
  }

  Bits Logical(uint32_t a, uint32_t b) const {
    if (op_ == Op::kNot) return a ^ 1;
    if (op_ == Op::kAnd) return a & b;
    if (op_ == Op::kOr) return a | b;
    if (op_ == Op::kXor || op_ == Op::kNe) return a ^ b;
    if (op_ == Op::kEq) return a ^ b ^ 1;
    return std::nullopt;
  }

  Bits Converted(TypeId from, TypeId to, uint32_t bits) const {
    if (to == t_.F16()) return std::nullopt;
    if (to == from) return bits;
    if (to == t_.Bool()) return from == t_.F32() ? (AsFloat(bits) != 0 ? 1 : 0) : (bits != 0 ? 1 : 0);
    if (from == t_.F32()) return to == t_.I32() ? FloatToInt(AsFloat(bits)) : FloatToUint(AsFloat(bits));
    if (to != t_.F32()) return bits;
    return FromFloat(from == t_.I32() ? static_cast<float>(AsInt(bits)) : static_cast<float>(bits));
  }

  ValueId Composite() {
    const uint32_t imm = m_.insts[id_].imm;
    if (op_ == Op::kConvert) return ComponentWise();
    if (op_ == Op::kBitcast) {
      return t_.Width(type_) == t_.Width(m_.type_of(operands_[0])) ? ComponentWise() : ValueId::None();
    }
    if (op_ == Op::kSplat)
      return m_.ConstantComposite(type_, std::vector<ValueId>(t_.Width(type_), operands_[0]));
    if (op_ == Op::kConstruct) return m_.ConstantComposite(type_, operands_);
    if (op_ == Op::kExtract) return m_.ConstantPart(operands_[0], imm);
    if (op_ == Op::kExtractDynamic) {
      uint32_t index = 0;
      m_.ConstantScalar(operands_[1], &index);
      return m_.ConstantPart(operands_[0], std::min(index, t_.PartCount(m_.type_of(operands_[0])) - 1));
    }
    std::vector<ValueId> parts;
    if (op_ == Op::kSwizzle) {
      for (uint32_t i = 0; i < t_.Width(type_); ++i)
        parts.push_back(m_.ConstantPart(operands_[0], (imm >> (2 * i)) & 3));
      return m_.ConstantComposite(type_, std::move(parts));
    }
    if (op_ == Op::kInsert) {
      for (uint32_t i = 0; i < t_.PartCount(type_); ++i) {
        parts.push_back(i == imm ? operands_[1] : m_.ConstantPart(operands_[0], i));
      }
      return m_.ConstantComposite(type_, std::move(parts));
    }
    if (op_ == Op::kSelect && m_.type_of(operands_[0]) != t_.Bool()) {
      for (uint32_t i = 0; i < t_.Width(type_); ++i)
        parts.push_back(m_.ConstantPart(operands_[OperandBits(0, i) != 0 ? 1 : 2], i));
      return m_.ConstantComposite(type_, std::move(parts));
    }
    return ValueId::None();
  }

  Module& m_;
  TypeTable& t_;
  InstId id_;
  Op op_;
  std::vector<ValueId> operands_;
  TypeId type_;
};

}  // namespace

ValueId EvaluateConstant(Module& module, InstId inst, std::span<const ValueId> operands) {
  return Evaluator(module, inst, operands).Run();
}

}  // namespace lockstep::ir
