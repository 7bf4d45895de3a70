// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "codegen/spmd/shape_rules.h"

#include <bit>
#include <limits>

namespace lockstep::codegen {

using ir::InstId;
using ir::Module;
using ir::Op;
using ir::TypeId;
using ir::TypeKind;
using ir::ValueId;

namespace {

constexpr uint8_t kMaxAlign = 31;

Fact Uniform(Fact::Kind kind, int align = 0) {
  Fact fact;
  fact.kind = kind;
  fact.align = static_cast<uint8_t>(std::clamp<int>(align, 0, kMaxAlign));
  return fact;
}

Fact Varying() {
  Fact fact;
  fact.kind = Fact::kVarying;
  return fact;
}

// Lane i has base + i * stride; equal in all lanes for stride 0.
Fact Affine(int64_t stride, int align) {
  const auto wrapped = static_cast<int32_t>(static_cast<uint32_t>(stride));
  if (wrapped == 0) return Uniform(Fact::kGroup, align);
  Fact fact = Uniform(Fact::kAffine, align);
  fact.stride = wrapped;
  return fact;
}

bool IsInt(const Module& module, TypeId type) {
  const TypeKind kind = module.types[type].kind;
  return kind == TypeKind::kI32 || kind == TypeKind::kU32;
}

struct Rules {
  const Module& module;
  InstId inst;
  std::span<const Fact> facts;
  uint32_t lanes;

  ValueId operand(size_t i) const { return module.operands(inst)[i]; }
  bool Constant(size_t i, uint32_t* bits) const { return module.ConstantScalar(operand(i), bits); }

  // log2 of the block of values that a group covers, where lane 0's value is a multiple of that block: 8
  // lanes, stride 4, lane 0 at a multiple of 32. Such a block never wraps and never crosses a multiple of its
  // size. -1 for others.
  int Block(const Fact& fact) const {
    if (fact.kind != Fact::kAffine || fact.stride <= 0) return -1;
    const uint64_t span = uint64_t{lanes} * static_cast<uint32_t>(fact.stride);
    if (!std::has_single_bit(span) || span > (1u << 30)) return -1;
    const int log2 = std::countr_zero(span);
    return fact.align >= log2 ? log2 : -1;
  }

  Fact AddSub(bool subtract) const {
    const Fact& a = facts[0];
    const Fact& b = facts[1];
    const int align = std::min(a.align, b.align);
    const int64_t sa = a.kind == Fact::kAffine ? a.stride : 0;
    const int64_t sb = b.kind == Fact::kAffine ? b.stride : 0;
    return Affine(subtract ? sa - sb : sa + sb, align);
  }

  Fact Times(size_t affine, size_t other) const {
    uint32_t bits = 0;
    if (facts[affine].kind != Fact::kAffine || !Constant(other, &bits)) return Varying();
    const auto factor = static_cast<int32_t>(bits);
    return Affine(int64_t{facts[affine].stride} * factor, facts[affine].align + facts[other].align);
  }

  // x >> k is uniform where the block lies between two multiples of 2^k.
  Fact Quotient(int log2) const {
    const int block = Block(facts[0]);
    return block >= 0 && log2 >= block ? Uniform(Fact::kGroup) : Varying();
  }
  // x / c, x % c for c a multiple of the block.
  bool DivisorCoversBlock(uint32_t divisor) const {
    const int block = Block(facts[0]);
    return block >= 0 && divisor != 0 && std::countr_zero(divisor) >= block;
  }

  Fact Divide(bool remainder) const {
    uint32_t divisor = 0;
    if (module.types[module.type_of(operand(0))].kind != TypeKind::kU32 || !Constant(1, &divisor) ||
        !DivisorCoversBlock(divisor)) {
      return Varying();
    }
    if (!remainder) return Uniform(Fact::kGroup);
    return Affine(facts[0].stride, std::min<int>(facts[0].align, std::countr_zero(divisor)));
  }

  Fact Bits() const {  // and, xor with a constant or aligned uniform value
    const size_t affine = facts[0].kind == Fact::kAffine ? 0 : 1;
    const Fact& x = facts[affine];
    const Fact& other = facts[1 - affine];
    const int block = Block(x);
    if (block < 0 || !other.uniform()) return Varying();
    const Op op = module.insts[inst].op;
    if (op == Op::kAnd) {
      uint32_t mask = 0;
      if (!Constant(1 - affine, &mask))
        return other.align >= block ? Uniform(Fact::kGroup, other.align) : Varying();
      const uint32_t low = (uint32_t{1} << block) - 1;
      if ((mask & low) == 0) return Uniform(Fact::kGroup, std::countr_zero(mask));
      return (mask & low) == low ? Affine(x.stride, x.align) : Varying();
    }
    return other.align >= block ? Affine(x.stride, std::min(x.align, other.align)) : Varying();  // xor, or
  }

  Fact Compare() const {  // a block against a multiple of its size
    const size_t affine = facts[0].kind == Fact::kAffine ? 0 : 1;
    const Fact& other = facts[1 - affine];
    const int block = Block(facts[affine]);
    const Op op = module.insts[inst].op;
    // `x < c` and `x >= c` never split a block that starts at a multiple of its size; mirrored with operands
    // swapped.
    const bool splits_above = affine == 0 ? op == Op::kLt || op == Op::kGe : op == Op::kGt || op == Op::kLe;
    return block >= 0 && splits_above && other.uniform() && other.align >= block ? Uniform(Fact::kGroup)
                                                                                 : Varying();
  }

  Fact Minimum() const {
    const bool affine_and_uniform = (facts[0].kind == Fact::kAffine && facts[1].uniform()) ||
                                    (facts[1].kind == Fact::kAffine && facts[0].uniform());
    if (module.types[module.type_of(operand(0))].kind != TypeKind::kU32 || !affine_and_uniform)
      return Varying();
    Fact fact;
    fact.kind = Fact::kClamped;
    fact.stride = facts[0].kind == Fact::kAffine ? facts[0].stride : facts[1].stride;
    return fact;
  }

  Fact IntOp() const {
    uint32_t bits = 0;
    const Op op = module.insts[inst].op;
    const bool all_affine = std::all_of(facts.begin(), facts.end(),
                                        [](const Fact& f) { return f.uniform() || f.kind == Fact::kAffine; });
    if (!all_affine) return Varying();
    if (op == Op::kAdd || op == Op::kSub) return AddSub(op == Op::kSub);
    if (op == Op::kMul) return facts[0].kind == Fact::kAffine ? Times(0, 1) : Times(1, 0);
    if (op == Op::kNeg) return Affine(-int64_t{facts[0].stride}, facts[0].align);
    if (op == Op::kDiv || op == Op::kRem) return Divide(op == Op::kRem);
    if (op == Op::kAnd || op == Op::kXor) return Bits();
    if (op == Op::kMin) return Minimum();
    if (op == Op::kConvert || op == Op::kBitcast)
      return IsInt(module, module.type_of(operand(0))) ? facts[0] : Varying();
    if (op == Op::kShl && Constant(1, &bits) && facts[0].kind == Fact::kAffine) {
      const uint32_t count = bits % 32;
      return Affine(static_cast<int64_t>(static_cast<uint64_t>(int64_t{facts[0].stride}) << count),
                    facts[0].align + static_cast<int>(count));
    }
    if (op == Op::kShr && Constant(1, &bits)) return Quotient(static_cast<int>(bits % 32));
    return Varying();
  }

  // The power of two that divides a uniform result.
  int UniformAlign() const {
    uint32_t bits = 0;
    const int a = facts.empty() ? 0 : facts[0].align;
    const int b = facts.size() > 1 ? facts[1].align : 0;
    const Op op = module.insts[inst].op;
    if (op == Op::kAdd || op == Op::kSub || op == Op::kOr || op == Op::kXor || op == Op::kMin ||
        op == Op::kMax) {
      return std::min(a, b);
    }
    if (op == Op::kMul) return a + b;
    if (op == Op::kAnd) return std::max(a, b);
    if (op == Op::kNeg || op == Op::kConvert || op == Op::kBitcast) return a;
    if (op == Op::kShl) return Constant(1, &bits) ? a + static_cast<int>(bits % 32) : a;
    return op == Op::kSelect ? std::min<int>(b, facts[2].align) : 0;
  }

  Fact Access() const;
  Fact Select() const;
};

Fact Rules::Select() const {
  if (!facts[0].uniform()) return Varying();
  const Fact joined = Join(facts[1], facts[2]);
  return joined.kind == Fact::kClamped ? Varying() : Raise(joined, facts[0].kind == Fact::kGroup ? 1 : 0);
}

// How the byte offset varies over the lanes.
Fact Rules::Access() const {
  const ir::Type& pointer = module.types[module.type_of(operand(0))];
  Fact result = facts[0];
  TypeId type = pointer.element;
  for (size_t i = 1; i < facts.size(); ++i) {
    const ir::Type& t = module.types[type];
    uint32_t constant = 0;
    const bool is_constant = Constant(i, &constant);
    const uint32_t stride = t.stride != 0                 ? t.stride
                            : t.kind == TypeKind::kStruct ? 0
                                                          : module.types.PartOffset(type, 1);
    if (facts[i].uniform()) {
      result = result.uniform() ? Uniform(std::max(result.kind, facts[i].kind)) : result;
    } else {
      const int64_t bytes = int64_t{facts[i].stride} * stride;
      const bool fits =
          bytes >= std::numeric_limits<int32_t>::min() && bytes <= std::numeric_limits<int32_t>::max();
      if (!result.uniform() || facts[i].kind == Fact::kVarying || !fits) return Varying();
      result = facts[i];
      result.align = 0;
      result.stride = static_cast<int32_t>(bytes);
    }
    const bool by_part = t.kind == TypeKind::kStruct && is_constant;
    type = by_part ? t.members[constant].type : t.element;
  }
  const bool per_lane =
      pointer.space == ir::AddressSpace::kFunction || pointer.space == ir::AddressSpace::kPrivate;
  return per_lane && !result.uniform() ? Varying() : result;
}

}  // namespace

Fact Join(const Fact& a, const Fact& b) {
  if (a.kind == Fact::kUnset) return b;
  if (b.kind == Fact::kUnset) return a;
  const int align = std::min(a.align, b.align);
  if (a.uniform() && b.uniform()) return Uniform(std::max(a.kind, b.kind), align);
  if (a.kind != b.kind || a.stride != b.stride || a.kind == Fact::kVarying) return Varying();
  Fact result = a;
  result.align = static_cast<uint8_t>(align);
  return result;
}

Fact Raise(const Fact& fact, uint8_t level) {
  if (fact.kind == Fact::kUnset || level == 0) return fact;
  if (level >= 2) return Varying();
  Fact result = fact;
  if (result.kind == Fact::kWorkgroup) result.kind = Fact::kGroup;
  return result;
}

Fact ConstantFact(const Module& module, ValueId constant) {
  uint32_t bits = 0;
  const bool is_int = IsInt(module, module.type_of(constant)) && module.ConstantScalar(constant, &bits);
  return Uniform(Fact::kWorkgroup, is_int ? std::countr_zero(bits) : 0);
}

Fact EvaluateOp(const Module& module, InstId inst, std::span<const Fact> operands, uint32_t lanes) {
  const Rules rules{module, inst, operands, lanes};
  const Op op = module.insts[inst].op;
  if (op == Op::kAccess) return rules.Access();
  if (op == Op::kArrayLength) return Uniform(Fact::kWorkgroup);
  if (op == Op::kLaneMask) return Varying();
  if (op == Op::kAnyLane || op == Op::kAllLanes) {
    return Uniform(operands[0].kind == Fact::kWorkgroup ? Fact::kWorkgroup : Fact::kGroup);
  }
  if (op == Op::kBuiltinInput) {
    if (ir::Builtin(module.insts[inst].imm) != ir::Builtin::kLocalInvocationIndex)
      return Uniform(Fact::kWorkgroup);
    if (module.invocations() == 1) return Uniform(Fact::kWorkgroup, kMaxAlign);
    const int align = std::countr_zero(lanes);
    return lanes == 1 ? Uniform(Fact::kGroup) : Affine(1, align);
  }
  Fact::Kind uniform = Fact::kWorkgroup;
  bool all_uniform = true;
  for (const Fact& fact : operands) {
    all_uniform &= fact.uniform();
    if (fact.kind == Fact::kGroup) uniform = Fact::kGroup;
  }
  if (all_uniform) return Uniform(uniform, rules.UniformAlign());
  if (op == Op::kSelect) return rules.Select();
  if (ir::KindOf(op) == ir::OpKind::kCompare) return rules.Compare();
  const bool int_result =
      module.results(inst).size() == 1 && IsInt(module, module.type_of(module.result(inst)));
  return int_result ? rules.IntOp() : Varying();
}

}  // namespace lockstep::codegen
