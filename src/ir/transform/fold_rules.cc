// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/transform/fold_rules.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "ir/transform/constant_eval.h"

namespace lockstep::ir {
namespace {

class Rules {
 public:
  Rules(Builder& b, InstId inst)
      : b_(b),
        m_(b.module()),
        t_(m_.types),
        id_(inst),
        op_(m_.insts[inst].op),
        operands_(m_.operands(inst).begin(), m_.operands(inst).end()),
        type_(m_.type_of(m_.result(inst))) {}

  ValueId Run() {
    if (!operands_.empty() && AllConstant()) {
      const ValueId v = EvaluateConstant(m_, id_, operands_);
      if (v.has_value()) return v;
    }
    switch (KindOf(op_)) {
      case OpKind::kUnary:
        return FoldUnary();
      case OpKind::kBinary:
        if (t_.IsFloat(type_)) return FoldFloatBinary();
        return t_.IsBool(type_) ? FoldLogical() : FoldIntBinary();
      case OpKind::kCompare:
        return FoldCompare();
      case OpKind::kValue:
        return FoldValue();
      case OpKind::kTernary:
      case OpKind::kMemory:
      case OpKind::kControl:
      case OpKind::kExit:
      case OpKind::kLanes:
        return None();
    }
    return None();
  }

 private:
  static ValueId None() { return ValueId::None(); }
  bool AllConstant() const {
    return std::all_of(operands_.begin(), operands_.end(), [this](ValueId v) { return m_.is_constant(v); });
  }

  // The bits that a scalar constant, or each component of a vector constant, has.
  bool IsSplatOf(ValueId v, uint32_t* bits) const {
    if (!m_.is_constant(v)) return false;
    if (m_.ConstantScalar(v, bits)) return true;
    const Constant& c = m_.constant(v);
    if (t_[c.type].kind != TypeKind::kVector) return false;
    if (c.parts.empty()) {
      *bits = 0;
      return true;
    }
    for (const ValueId part : c.parts) {
      if (part != c.parts[0]) return false;
    }
    return m_.ConstantScalar(c.parts[0], bits);
  }
  bool Is(ValueId v, uint32_t wanted) const {
    uint32_t bits = 0;
    return IsSplatOf(v, &bits) && bits == wanted;
  }
  bool IsFloatValue(ValueId v, float wanted) const {
    return t_.ScalarOf(m_.type_of(v)) == t_.F32() && Is(v, std::bit_cast<uint32_t>(wanted));
  }
  ValueId Zero() { return m_.ConstantZero(type_); }
  ValueId Splatted(TypeId type, uint32_t bits) {
    const ValueId scalar = m_.ConstantBits(t_.ScalarOf(type), bits);
    if (t_.Width(type) == 1) return scalar;
    return m_.ConstantComposite(type, std::vector<ValueId>(t_.Width(type), scalar));
  }

  // The operands of the instruction that makes `v`, where it is `op`; empty otherwise.
  std::span<const ValueId> Made(ValueId v, Op op) const {
    const InstId id = m_.defining_inst(v);
    if (!id.has_value() || m_.insts[id].op != op) return {};
    return m_.operands(id);
  }
  uint32_t Imm(ValueId v) const { return m_.insts[m_.defining_inst(v)].imm; }

  // --- arithmetic ---

  ValueId FoldUnary() {
    const ValueId a = operands_[0];
    if (op_ == Op::kNeg || op_ == Op::kNot) {
      const auto inner = Made(a, op_);
      if (!inner.empty()) return inner[0];
    }
    if (op_ == Op::kNot && t_.IsBool(type_)) return FoldNotOfCompare(a);
    return None();
  }

  // not (a < b): the inverse compare; of floats only == and != have one, since NaN is neither less nor not
  // less.
  ValueId FoldNotOfCompare(ValueId a) {
    const InstId id = m_.defining_inst(a);
    if (!id.has_value() || KindOf(m_.insts[id].op) != OpKind::kCompare) return None();
    const Op op = m_.insts[id].op;
    const ValueId x = m_.operands(id)[0];
    const ValueId y = m_.operands(id)[1];
    if (op == Op::kEq) return b_.Ne(x, y);
    if (op == Op::kNe) return b_.Eq(x, y);
    if (t_.IsFloat(m_.type_of(x))) return None();
    if (op == Op::kLt) return b_.Ge(x, y);
    if (op == Op::kLe) return b_.Gt(x, y);
    if (op == Op::kGt) return b_.Le(x, y);
    return b_.Lt(x, y);
  }

  ValueId FoldFloatBinary() {
    const ValueId a = operands_[0];
    const ValueId c = operands_[1];
    if (op_ == Op::kMul && IsFloatValue(c, 1.0f)) return a;
    if (op_ == Op::kMul && IsFloatValue(a, 1.0f)) return c;
    if (op_ == Op::kDiv && IsFloatValue(c, 1.0f)) return a;
    if (op_ == Op::kSub && IsFloatValue(c, 0.0f)) return a;
    if (op_ == Op::kAdd && IsFloatValue(c, -0.0f)) return a;
    if (op_ == Op::kAdd && IsFloatValue(a, -0.0f)) return c;
    uint32_t bits = 0;
    if (op_ == Op::kDiv && t_.ScalarOf(type_) == t_.F32() && IsSplatOf(c, &bits))
      return FoldDivByPowerOfTwo(a, bits);
    return None();
  }

  // Multiplying by the reciprocal is exact where that is a normal number.
  ValueId FoldDivByPowerOfTwo(ValueId a, uint32_t bits) {
    int exponent = 0;
    const float v = std::bit_cast<float>(bits);
    if (!std::isnormal(v) || std::fabs(std::frexp(v, &exponent)) != 0.5f || exponent < -120 || exponent > 120)
      return None();
    return b_.Mul(a, Splatted(type_, std::bit_cast<uint32_t>(1.0f / v)));
  }

  ValueId FoldLogical() {
    const ValueId a = operands_[0];
    const ValueId c = operands_[1];
    if (op_ == Op::kAnd) {
      if (a == c || Is(c, 1)) return a;
      if (Is(a, 1)) return c;
      if (Is(a, 0) || Is(c, 0)) return Zero();
    } else if (op_ == Op::kOr) {
      if (a == c || Is(c, 0)) return a;
      if (Is(a, 0)) return c;
      if (Is(a, 1) || Is(c, 1)) return Splatted(type_, 1);
    } else if (op_ == Op::kXor) {
      if (a == c) return Zero();
      if (Is(c, 0)) return a;
      if (Is(a, 0)) return c;
      if (Is(c, 1)) return b_.Not(a);
      if (Is(a, 1)) return b_.Not(c);
    }
    return None();
  }

  static bool Commutes(Op op) {
    return op == Op::kAdd || op == Op::kMul || op == Op::kMin || op == Op::kMax || op == Op::kAnd ||
           op == Op::kOr || op == Op::kXor || op == Op::kMulHigh;
  }

  ValueId FoldIntBinary() {
    const ValueId a = operands_[0];
    const ValueId c = operands_[1];
    if (Commutes(op_) && m_.is_constant(a) && !m_.is_constant(c)) return b_.Binary(op_, c, a);
    uint32_t bits = 0;
    if (IsSplatOf(c, &bits)) {
      const ValueId v = FoldIntByConstant(a, bits);
      if (v.has_value()) return v;
    }
    if (a == c) {
      if (op_ == Op::kSub || op_ == Op::kXor) return Zero();
      if (op_ == Op::kAnd || op_ == Op::kOr || op_ == Op::kMin || op_ == Op::kMax) return a;
    }
    const bool shift = op_ == Op::kShl || op_ == Op::kShr;
    if (Is(a, 0) && (shift || op_ == Op::kDiv || op_ == Op::kRem)) return Zero();
    return Reassociated();
  }

  ValueId FoldIntByConstant(ValueId a, uint32_t c) {
    const bool power = std::has_single_bit(c);
    const uint32_t log = static_cast<uint32_t>(std::countr_zero(c));
    if (c == 0) {
      const bool same =
          op_ == Op::kAdd || op_ == Op::kSub || op_ == Op::kOr || op_ == Op::kXor || op_ == Op::kDiv;
      if (same) return a;
      if (op_ == Op::kMul || op_ == Op::kAnd || op_ == Op::kRem || op_ == Op::kMulHigh) return Zero();
      if (t_.IsUnsigned(type_) && op_ == Op::kMin) return Zero();
      if (t_.IsUnsigned(type_) && op_ == Op::kMax) return a;
    }
    if ((op_ == Op::kShl || op_ == Op::kShr) && c % 32 == 0) return a;
    if (c == 1 && (op_ == Op::kMul || op_ == Op::kDiv)) return a;
    if (c == 1 && op_ == Op::kRem) return Zero();
    if (c == 0xffffffffu && op_ == Op::kAnd) return a;
    if (c == 0xffffffffu && op_ == Op::kXor) return b_.Not(a);
    if (t_.IsUnsigned(type_) && power && op_ == Op::kDiv) return b_.Shr(a, Splatted(type_, log));
    if (t_.IsUnsigned(type_) && power && op_ == Op::kRem) return b_.And(a, Splatted(type_, c - 1));
    return None();
  }

  // (x op c1) op c2 -> x op (c1 op c2)
  ValueId Reassociated() {
    if (!Commutes(op_) || op_ == Op::kMulHigh || !m_.is_constant(operands_[1])) return None();
    const auto inner = Made(operands_[0], op_);
    if (inner.empty() || !m_.is_constant(inner[1])) return None();
    const ValueId x = inner[0];
    const ValueId constants[] = {inner[1], operands_[1]};
    const ValueId both = EvaluateConstant(m_, id_, constants);
    return both.has_value() ? b_.Binary(op_, x, both) : None();
  }

  ValueId FoldCompare() {
    const ValueId a = operands_[0];
    const ValueId c = operands_[1];
    const TypeId of = m_.type_of(a);
    if (t_.IsBool(of)) {
      for (int i = 0; i < 2; ++i) {
        if (!Is(operands_[static_cast<size_t>(i)], op_ == Op::kEq ? 1 : 0)) continue;
        return operands_[static_cast<size_t>(1 - i)];
      }
      if (Is(c, op_ == Op::kEq ? 0 : 1)) return b_.Not(a);
    }
    if (t_.IsFloat(of)) return None();
    if (a == c) return Splatted(type_, op_ == Op::kEq || op_ == Op::kLe || op_ == Op::kGe ? 1 : 0);
    if (m_.is_constant(a)) {  // constants stand on the right
      if (op_ == Op::kEq || op_ == Op::kNe) return b_.Binary(op_, c, a);
      if (op_ == Op::kLt) return b_.Gt(c, a);
      if (op_ == Op::kLe) return b_.Ge(c, a);
      if (op_ == Op::kGt) return b_.Lt(c, a);
      return b_.Le(c, a);
    }
    if (t_.IsUnsigned(of) && Is(c, 0)) {
      if (op_ == Op::kLt) return Zero();
      if (op_ == Op::kGe) return Splatted(type_, 1);
      if (op_ == Op::kGt) return b_.Ne(a, c);
      if (op_ == Op::kLe) return b_.Eq(a, c);
    }
    return None();
  }

  // --- conversions and composites ---

  ValueId FoldValue() {
    if (op_ == Op::kConvert) return m_.type_of(operands_[0]) == type_ ? operands_[0] : None();
    if (op_ == Op::kBitcast) return FoldBitcast();
    if (op_ == Op::kSelect) return FoldSelect();
    if (op_ == Op::kConstruct) return FoldConstruct();
    if (op_ == Op::kExtract) return FoldExtract(operands_[0], m_.insts[id_].imm);
    if (op_ == Op::kExtractDynamic) return FoldExtractDynamic();
    if (op_ == Op::kInsert) return FoldInsert();
    if (op_ == Op::kSwizzle) return FoldSwizzle();
    return None();
  }

  ValueId FoldBitcast() {
    if (m_.type_of(operands_[0]) == type_) return operands_[0];
    const auto inner = Made(operands_[0], Op::kBitcast);
    return inner.empty() ? None() : b_.Bitcast(type_, inner[0]);
  }

  ValueId FoldSelect() {
    const ValueId c = operands_[0];
    const ValueId yes = operands_[1];
    const ValueId no = operands_[2];
    if (yes == no) return yes;
    if (Is(c, 1)) return yes;
    if (Is(c, 0)) return no;
    const auto inverted = Made(c, Op::kNot);
    if (!inverted.empty()) return b_.Select(inverted[0], no, yes);
    if (!t_.IsBool(type_) || t_.Width(m_.type_of(c)) != t_.Width(type_)) return None();
    if (Is(yes, 1)) return Is(no, 0) ? c : b_.Or(c, no);
    if (Is(no, 0)) return b_.And(c, yes);
    if (Is(yes, 0)) return Is(no, 1) ? b_.Not(c) : b_.And(b_.Not(c), no);
    if (Is(no, 1)) return b_.Or(b_.Not(c), yes);
    return None();
  }

  // Part `part` of a composite that was put together here.
  ValueId FoldExtract(ValueId from, uint32_t part) {
    if (m_.is_constant(from)) return m_.ConstantPart(from, part);
    const InstId id = m_.defining_inst(from);
    if (!id.has_value()) return None();
    const Op op = m_.insts[id].op;
    const std::vector<ValueId> inner(m_.operands(id).begin(), m_.operands(id).end());
    const uint32_t imm = m_.insts[id].imm;
    if (op == Op::kConstruct) return inner[part];
    if (op == Op::kSplat) return inner[0];
    if (op == Op::kInsert) return imm == part ? inner[1] : Extracted(inner[0], part);
    if (op == Op::kSwizzle) return Extracted(inner[0], (imm >> (2 * part)) & 3);
    return None();
  }

  // A chain of inserts may be as long as the program: a bounded part of it is looked through at once, the new
  // extract is folded when the walk comes to the pass's next round.
  ValueId Extracted(ValueId from, uint32_t part) {
    for (int i = 0; i < 16; ++i) {
      if (m_.is_constant(from)) return m_.ConstantPart(from, part);
      const InstId id = m_.defining_inst(from);
      if (!id.has_value()) break;
      const Op op = m_.insts[id].op;
      if (op == Op::kConstruct) return m_.operands(id)[part];
      if (op == Op::kSplat) return m_.operands(id)[0];
      if (op == Op::kSwizzle) {
        part = (m_.insts[id].imm >> (2 * part)) & 3;
      } else if (op == Op::kInsert) {
        if (m_.insts[id].imm == part) return m_.operands(id)[1];
      } else {
        break;
      }
      from = m_.operands(id)[0];
    }
    return b_.Extract(from, part);
  }

  ValueId FoldExtractDynamic() {
    uint32_t index = 0;
    if (!m_.ConstantScalar(operands_[1], &index)) return None();
    return Extracted(operands_[0], std::min(index, t_.PartCount(m_.type_of(operands_[0])) - 1));
  }

  ValueId FoldInsert() {
    const uint32_t part = m_.insts[id_].imm;
    const uint32_t count = t_.PartCount(type_);
    if (count > 16) return None();
    const auto made = Made(operands_[0], Op::kConstruct);
    std::vector<ValueId> parts(made.begin(), made.end());
    if (m_.is_constant(operands_[0])) {
      for (uint32_t i = 0; i < count; ++i) parts.push_back(m_.ConstantPart(operands_[0], i));
    }
    if (parts.empty()) return None();
    parts[part] = operands_[1];
    return b_.Construct(type_, parts);
  }

  // All parts taken from one composite of this type, in order: that one. From a vector in another order: a
  // swizzle.
  ValueId FoldConstruct() {
    ValueId from = None();
    bool in_order = true;
    std::vector<uint32_t> components;
    for (uint32_t i = 0; i < operands_.size(); ++i) {
      const auto inner = Made(operands_[i], Op::kExtract);
      if (inner.empty() || (from.has_value() && inner[0] != from)) return None();
      from = inner[0];
      components.push_back(Imm(operands_[i]));
      in_order &= components.back() == i;
    }
    if (in_order && m_.type_of(from) == type_) return from;
    const bool vectors =
        t_[type_].kind == TypeKind::kVector && t_[m_.type_of(from)].kind == TypeKind::kVector;
    return vectors ? b_.Swizzle(from, components) : None();
  }

  ValueId FoldSwizzle() {
    const uint32_t imm = m_.insts[id_].imm;
    const uint32_t width = t_.Width(type_);
    const ValueId from = operands_[0];
    bool identity = m_.type_of(from) == type_;
    for (uint32_t i = 0; i < width; ++i) identity &= ((imm >> (2 * i)) & 3) == i;
    if (identity) return from;
    const auto made = Made(from, Op::kConstruct);
    if (!made.empty()) {
      std::vector<ValueId> parts;
      for (uint32_t i = 0; i < width; ++i) parts.push_back(made[(imm >> (2 * i)) & 3]);
      return b_.Construct(type_, parts);
    }
    const auto splat = Made(from, Op::kSplat);
    if (!splat.empty()) return b_.Splat(type_, splat[0]);
    const auto inner = Made(from, Op::kSwizzle);
    if (inner.empty()) return None();
    std::vector<uint32_t> components;
    for (uint32_t i = 0; i < width; ++i)
      components.push_back((Imm(from) >> (2 * ((imm >> (2 * i)) & 3))) & 3);
    return b_.Swizzle(inner[0], components);
  }

  Builder& b_;
  Module& m_;
  TypeTable& t_;
  InstId id_;
  Op op_;
  std::vector<ValueId> operands_;
  TypeId type_;
};

}  // namespace

ValueId FoldInst(Builder& b, InstId inst) { return Rules(b, inst).Run(); }

}  // namespace lockstep::ir
