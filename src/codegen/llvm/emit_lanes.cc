// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Vectors, masks and constants: the vocabulary of the other handlers.
#include "codegen/llvm/emitter.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Intrinsics.h"

namespace lockstep::codegen {

using llvm::ArrayRef;
using Value = llvm::Value*;

Value Emitter::Splat(Value scalar) {
  if (native() == 1) {
    // A bool is a mask in the varying form.
    return scalar->getType()->isIntegerTy(1) ? b_.CreateSExt(scalar, b_.getInt32Ty()) : scalar;
  }
  if (scalar->getType()->isIntegerTy(1)) scalar = b_.CreateSExt(scalar, b_.getInt32Ty());
  return b_.CreateVectorSplat(native(), scalar);
}

// lane * stride for the lanes of part `part`.
Value Emitter::Iota(uint32_t part, int32_t stride) {
  llvm::SmallVector<uint32_t, 16> words;
  for (uint32_t i = 0; i < native(); ++i) {
    words.push_back((part * native() + i) * static_cast<uint32_t>(stride));
  }
  if (native() == 1) return U32(words[0]);
  return llvm::ConstantDataVector::get(b_.getContext(), words);
}

Value Emitter::Part(const Component& c, uint32_t part) {
  switch (c.form) {
    case Component::Form::kUniform:
      return Splat(c.scalar);
    case Component::Form::kAffine:
      return b_.CreateAdd(Splat(c.scalar), Iota(part, c.stride));
    case Component::Form::kVarying:
      return c.parts[part];
  }
  UNREACHABLE("component form");
}

Parts Emitter::AllParts(const Component& c) {
  if (c.varying()) return c.parts;
  Parts parts;
  for (uint32_t p = 0; p < part_count(); ++p) parts.push_back(Part(c, p));
  return parts;
}

// The sign bit decides: blends and movemask read nothing else.
Value Emitter::ToBits(Value mask) {
  return b_.CreateICmpSLT(mask, llvm::Constant::getNullValue(mask->getType()));
}

Value Emitter::FromBits(Value bits) { return b_.CreateSExt(bits, shared_.Vector(b_.getInt32Ty())); }

Value Emitter::Scalar(const Component& c) {
  CHECK(c.uniform());
  return c.scalar;
}

Value Emitter::AnyLane(const Component& c) {
  if (c.uniform()) return c.scalar;
  Value all = c.parts[0];
  for (uint32_t p = 1; p < part_count(); ++p) all = b_.CreateOr(all, c.parts[p]);
  const Value bits = ToBits(all);
  if (native() == 1) return bits;
  const Value word = b_.CreateBitCast(bits, b_.getIntNTy(native()));
  return b_.CreateICmpNE(word, llvm::Constant::getNullValue(word->getType()));
}

Value Emitter::AllLanes(const Component& c) {
  if (c.uniform()) return c.scalar;
  Value all = c.parts[0];
  for (uint32_t p = 1; p < part_count(); ++p) all = b_.CreateAnd(all, c.parts[p]);
  const Value bits = ToBits(all);
  if (native() == 1) return bits;
  const Value word = b_.CreateBitCast(bits, b_.getIntNTy(native()));
  return b_.CreateICmpEQ(word, llvm::Constant::getAllOnesValue(word->getType()));
}

// Bit i is lane i.
Value Emitter::BitsOf(const Component& mask) {
  llvm::Type* type = b_.getIntNTy(lanes() < 32 ? 32 : lanes());
  if (mask.uniform()) {
    const Value all =
        llvm::ConstantInt::get(type, llvm::APInt::getLowBitsSet(type->getIntegerBitWidth(), lanes()));
    return b_.CreateSelect(mask.scalar, all, llvm::Constant::getNullValue(type));
  }
  Value bits = nullptr;
  for (uint32_t p = 0; p < part_count(); ++p) {
    Value part = ToBits(mask.parts[p]);
    if (native() > 1) part = b_.CreateBitCast(part, b_.getIntNTy(native()));
    part = b_.CreateZExt(part, type);
    if (p > 0) part = b_.CreateShl(part, p * native());
    bits = bits == nullptr ? part : b_.CreateOr(bits, part);
  }
  return bits;
}

Value Emitter::ExtractLane(Value vector, uint32_t lane) {
  return native() == 1 ? vector : b_.CreateExtractElement(vector, lane);
}

Value Emitter::InsertLane(Value vector, Value scalar, uint32_t lane) {
  return native() == 1 ? scalar : b_.CreateInsertElement(vector, scalar, lane);
}

Value Emitter::LaneOf(const Component& c, uint32_t lane) {
  switch (c.form) {
    case Component::Form::kUniform:
      return c.scalar;
    case Component::Form::kAffine:
      return b_.CreateAdd(c.scalar, U32(lane * static_cast<uint32_t>(c.stride)));
    case Component::Form::kVarying:
      return ExtractLane(c.parts[lane / native()], lane % native());
  }
  UNREACHABLE("component form");
}

Value Emitter::LaneOfDynamic(const Component& c, Value lane) {
  if (c.uniform()) return c.scalar;
  if (c.affine()) return b_.CreateAdd(c.scalar, b_.CreateMul(lane, U32(static_cast<uint32_t>(c.stride))));
  Value result = nullptr;
  const Value within = b_.CreateAnd(lane, U32(native() - 1));
  const Value part = b_.CreateUDiv(lane, U32(native()));
  for (uint32_t p = 0; p < part_count(); ++p) {
    const Value here = native() == 1 ? c.parts[p] : b_.CreateExtractElement(c.parts[p], within);
    result = result == nullptr ? here : b_.CreateSelect(b_.CreateICmpEQ(part, U32(p)), here, result);
  }
  return result;
}

Component Emitter::FromLanes(ArrayRef<Value> scalars, llvm::Type* element) {
  Parts parts;
  for (uint32_t p = 0; p < part_count(); ++p) {
    Value vector = llvm::PoisonValue::get(shared_.Vector(element));
    for (uint32_t i = 0; i < native(); ++i) vector = InsertLane(vector, scalars[p * native() + i], i);
    parts.push_back(vector);
  }
  return Component::Varying(std::move(parts));
}

Component Emitter::Map(ArrayRef<const Component*> operands, llvm::function_ref<Value(ArrayRef<Value>)> f) {
  bool uniform = true;
  for (const Component* c : operands) uniform &= c->uniform();
  llvm::SmallVector<Value, 4> args(operands.size());
  if (uniform) {
    for (size_t i = 0; i < operands.size(); ++i) args[i] = operands[i]->scalar;
    return Component::Uniform(f(args));
  }
  Parts parts;
  for (uint32_t p = 0; p < part_count(); ++p) {
    for (size_t i = 0; i < operands.size(); ++i) args[i] = Part(*operands[i], p);
    parts.push_back(f(args));
  }
  return Component::Varying(std::move(parts));
}

Component Emitter::SelectComponent(const Component& condition, const Component& a, const Component& b) {
  if (condition.uniform()) {
    if (a.uniform() && b.uniform())
      return Component::Uniform(b_.CreateSelect(condition.scalar, a.scalar, b.scalar));
    if (a.affine() && b.affine() && a.stride == b.stride) {
      return Component::Affine(b_.CreateSelect(condition.scalar, a.scalar, b.scalar), a.stride);
    }
    Parts parts;
    for (uint32_t p = 0; p < part_count(); ++p) {
      parts.push_back(b_.CreateSelect(condition.scalar, Part(a, p), Part(b, p)));
    }
    return Component::Varying(std::move(parts));
  }
  Parts parts;
  for (uint32_t p = 0; p < part_count(); ++p) {
    parts.push_back(b_.CreateSelect(ToBits(condition.parts[p]), Part(a, p), Part(b, p)));
  }
  return Component::Varying(std::move(parts));
}

namespace {

// The bits of each scalar of a constant, in order.
void FlattenConstant(const ir::Module& module, ir::ValueId id, const std::vector<Leaf>& leaves, size_t begin,
                     std::vector<uint32_t>* bits) {
  const ir::Constant& constant = module.constant(id);
  const uint32_t parts = module.types.PartCount(constant.type);
  if (parts == 0) {
    (*bits)[begin] = constant.bits;
    return;
  }
  if (constant.parts.empty()) return;  // zero throughout
  size_t at = begin;
  for (uint32_t i = 0; i < parts; ++i) {
    FlattenConstant(module, constant.parts[i], leaves, at, bits);
    at += module.types.ScalarCount(module.types.PartType(constant.type, i));
  }
}

}  // namespace

LaneValue Emitter::ConstantValue(ir::ValueId id) {
  const ir::TypeId type = ir_.type_of(id);
  const std::vector<Leaf>& leaves = shared_.Leaves(type);
  std::vector<uint32_t> bits(leaves.size(), 0);
  FlattenConstant(ir_, id, leaves, 0, &bits);
  LaneValue value;
  for (size_t i = 0; i < leaves.size(); ++i) {
    llvm::Type* scalar = shared_.ScalarType(leaves[i].scalar);
    if (scalar->isFloatTy()) {
      value.push_back(Component::Uniform(llvm::ConstantFP::get(
          b_.getContext(), llvm::APFloat(llvm::APFloat::IEEEsingle(), llvm::APInt(32, bits[i])))));
    } else if (scalar->isHalfTy()) {
      value.push_back(Component::Uniform(llvm::ConstantFP::get(
          b_.getContext(), llvm::APFloat(llvm::APFloat::IEEEhalf(), llvm::APInt(16, bits[i] & 0xffff)))));
    } else {
      const bool is_bool = scalar->isIntegerTy(1);
      value.push_back(Component::Uniform(llvm::ConstantInt::get(scalar, is_bool ? bits[i] & 1 : bits[i])));
    }
  }
  return value;
}

}  // namespace lockstep::codegen
