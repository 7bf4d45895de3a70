// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Conversions and composites. A composite is its scalars, so taking it apart and building it makes no code.
#include "abi/convert.h"
#include "codegen/llvm/emitter.h"
#include "llvm/IR/Constants.h"

namespace lockstep::codegen {

using ir::Op;
using llvm::ArrayRef;
using Value = llvm::Value*;

namespace {
llvm::Constant* Same(Value like, uint64_t v) { return llvm::ConstantInt::get(like->getType(), v); }
}  // namespace

// Pure dispatch over OpKind::kValue.
LaneValue Emitter::ValueOp(ir::InstId inst) {
  const Op op = ir_.insts[inst].op;
  const auto operands = ir_.operands(inst);
  const uint32_t imm = ir_.insts[inst].imm;
  const ir::TypeId type = ir_.type_of(ir_.result(inst));
  LaneValue result;
  if (op == Op::kConvert) {
    const ir::TypeId from = ir_.types.ScalarOf(ir_.type_of(operands[0]));
    for (const Component& c : Get(operands[0])) {
      result.push_back(ConvertScalar(ir_.types.ScalarOf(type), from, c));
    }
  } else if (op == Op::kBitcast) {
    result = BitcastValue(type, ir_.type_of(operands[0]), Get(operands[0]));
  } else if (op == Op::kSelect) {
    const LaneValue condition = Get(operands[0]);
    const LaneValue a = Get(operands[1]);
    const LaneValue b = Get(operands[2]);
    for (size_t i = 0; i < a.size(); ++i) {
      result.push_back(SelectComponent(condition[condition.size() == 1 ? 0 : i], a[i], b[i]));
    }
  } else if (op == Op::kSplat) {
    result.assign(ir_.types.Width(type), Get(operands[0])[0]);
  } else if (op == Op::kConstruct) {
    for (const ir::ValueId part : operands) result.append(Get(part));
  } else if (op == Op::kExtract || op == Op::kInsert) {
    const ir::TypeId composite = ir_.type_of(operands[0]);
    uint32_t begin = 0;
    for (uint32_t i = 0; i < imm; ++i) begin += ir_.types.ScalarCount(ir_.types.PartType(composite, i));
    const LaneValue whole = Get(operands[0]);
    if (op == Op::kExtract) {
      result.append(whole.begin() + begin, whole.begin() + begin + ir_.types.ScalarCount(type));
    } else {
      result = whole;
      const LaneValue part = Get(operands[1]);
      for (size_t i = 0; i < part.size(); ++i) result[begin + i] = part[i];
    }
  } else if (op == Op::kExtractDynamic) {
    result = ExtractDynamic(inst);
  } else if (op == Op::kSwizzle) {
    const LaneValue vector = Get(operands[0]);
    for (uint32_t i = 0; i < ir_.types.Width(type); ++i) result.push_back(vector[(imm >> (2 * i)) & 3]);
  } else if (op == Op::kDot4I8 || op == Op::kDot4U8) {
    result.push_back(Dot4(op == Op::kDot4I8, Get(operands[0])[0], Get(operands[1])[0]));
  } else if (op == Op::kPackHalf) {
    const LaneValue v = Get(operands[0]);
    result.push_back(Map({&v[0], &v[1]}, [&](ArrayRef<Value> x) {
      const Value high = FloatToHalf(x[1]);
      return b_.CreateOr(FloatToHalf(x[0]), b_.CreateShl(high, Same(high, 16)));
    }));
  } else if (op == Op::kUnpackHalf) {
    const LaneValue v = Get(operands[0]);
    result.push_back(
        Map({&v[0]}, [&](ArrayRef<Value> x) { return HalfToFloat(b_.CreateAnd(x[0], Same(x[0], 0xffff))); }));
    result.push_back(
        Map({&v[0]}, [&](ArrayRef<Value> x) { return HalfToFloat(b_.CreateLShr(x[0], Same(x[0], 16))); }));
  } else {
    CHECK(op == Op::kBuiltinInput);
    result = Builtin(static_cast<ir::Builtin>(imm));
  }
  return result;
}

// WGSL #conversion-expr: float to integer truncates and saturates, NaN gives 0.
Component Emitter::ConvertScalar(ir::TypeId to, ir::TypeId from, const Component& a) {
  if (to == from) return a;
  const bool from_float = ir_.types.IsFloat(from);
  const bool from_bool = ir_.types.IsBool(from);
  if (ir_.types.IsBool(to)) {
    return Map({&a}, [&](ArrayRef<Value> v) {
      llvm::Constant* zero = llvm::Constant::getNullValue(v[0]->getType());
      const Value bits = from_float ? b_.CreateFCmpUNE(v[0], zero) : b_.CreateICmpNE(v[0], zero);
      return a.uniform() ? bits : FromBits(bits);
    });
  }
  const auto type_like = [&](Value) { return a.uniform() ? shared_.ScalarType(to) : shared_.VectorType(to); };
  if (from_bool) {
    return Map({&a}, [&](ArrayRef<Value> v) -> Value {
      if (a.uniform()) {
        return ir_.types.IsFloat(to) ? b_.CreateUIToFP(v[0], type_like(v[0]))
                                     : b_.CreateZExt(v[0], type_like(v[0]));
      }
      if (!ir_.types.IsFloat(to)) return b_.CreateAnd(v[0], Same(v[0], 1));
      llvm::Type* type = type_like(v[0]);
      return b_.CreateSelect(ToBits(v[0]), llvm::ConstantFP::get(type, 1.0),
                             llvm::ConstantFP::get(type, 0.0));
    });
  }
  if (!from_float && !ir_.types.IsFloat(to)) return a;  // i32 and u32
  const bool integer_signed = ir_.types.IsSigned(from_float ? to : from);
  return Map({&a}, [&](ArrayRef<Value> v) -> Value {
    llvm::Type* type = type_like(v[0]);
    if (from_float && ir_.types.IsFloat(to)) return b_.CreateFPCast(v[0], type);
    if (from_float) {
      // Saturating gives the lower ends, and zero for NaN; the upper ends are the largest that the float type
      // has.
      const double largest = ir_.types.ScalarOf(from) == ir_.types.F16() ? abi::kLargestF16
                             : integer_signed                            ? abi::kLargestI32InF32
                                                                         : abi::kLargestU32InF32;
      const Value limit = llvm::ConstantFP::get(v[0]->getType(), largest);
      const Value clamped = b_.CreateSelect(b_.CreateFCmpOGT(v[0], limit), limit, v[0]);
      return b_.CreateIntrinsic(integer_signed ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat,
                                {type, v[0]->getType()}, {clamped});
    }
    return integer_signed ? b_.CreateSIToFP(v[0], type) : b_.CreateUIToFP(v[0], type);
  });
}

// Scalars of one width change their LLVM type; between 16 and 32 bits they are joined or split.
LaneValue Emitter::BitcastValue(ir::TypeId to, ir::TypeId from, const LaneValue& a) {
  const ir::TypeId to_scalar = ir_.types.ScalarOf(to);
  const ir::TypeId from_scalar = ir_.types.ScalarOf(from);
  const bool to_half = to_scalar == ir_.types.F16();
  const bool from_half = from_scalar == ir_.types.F16();
  const auto is_float = [&](ir::TypeId t) { return ir_.types.IsFloat(t); };
  LaneValue result;
  if (to_half == from_half) {
    if (is_float(to_scalar) == is_float(from_scalar)) return a;
    for (const Component& c : a) {
      llvm::Type* type = c.uniform() ? shared_.ScalarType(to_scalar) : shared_.VectorType(to_scalar);
      result.push_back(Map({&c}, [&](ArrayRef<Value> v) { return b_.CreateBitCast(v[0], type); }));
    }
    return result;
  }
  const auto to_word = [&](Value v) {  // f32 or u32 -> u32
    return v->getType()->isFPOrFPVectorTy()
               ? b_.CreateBitCast(v, v->getType()->getWithNewType(b_.getInt32Ty()))
               : v;
  };
  if (from_half) {
    for (size_t i = 0; i + 1 < a.size(); i += 2) {
      result.push_back(Map({&a[i], &a[i + 1]}, [&](ArrayRef<Value> v) {
        const Value high = ToMemory(v[1], from_scalar);
        const Value word = b_.CreateOr(ToMemory(v[0], from_scalar), b_.CreateShl(high, Same(high, 16)));
        return is_float(to_scalar) ? b_.CreateBitCast(word, word->getType()->getWithNewType(b_.getFloatTy()))
                                   : word;
      }));
    }
    return result;
  }
  for (const Component& c : a) {
    for (const uint32_t shift : {0u, 16u}) {
      result.push_back(Map({&c}, [&](ArrayRef<Value> v) {
        const Value word = to_word(v[0]);
        return HalfOf(b_.CreateLShr(word, Same(word, shift)));
      }));
    }
  }
  return result;
}

// The low 16 bits of a word as a half.
Value Emitter::HalfOf(Value word) {
  llvm::Type* bits = word->getType()->getWithNewBitWidth(16);
  return b_.CreateBitCast(b_.CreateTrunc(word, bits), bits->getWithNewType(b_.getHalfTy()));
}

Value Emitter::HalfToFloat(Value half_bits) {
  llvm::Type* floats = half_bits->getType()->getWithNewType(b_.getFloatTy());
  if (shared_.options_.has_half) return b_.CreateFPExt(HalfOf(half_bits), floats);
  // Exponents are rebased by a multiplication, which is exact and gets subnormals right; infinities and NaNs
  // by hand.
  const auto word = [&](uint32_t v) { return Same(half_bits, v); };
  const Value magnitude = b_.CreateShl(b_.CreateAnd(half_bits, word(0x7fff)), word(13));
  const Value scaled =
      b_.CreateFMul(b_.CreateBitCast(magnitude, floats), llvm::ConstantFP::get(floats, 0x1p112));
  const Value special = b_.CreateICmpUGE(magnitude, word(0x7c00u << 13));
  const Value finite = b_.CreateBitCast(scaled, half_bits->getType());
  const Value chosen = b_.CreateSelect(special, b_.CreateOr(magnitude, word(0x7f800000)), finite);
  const Value sign = b_.CreateShl(b_.CreateAnd(half_bits, word(0x8000)), word(16));
  return b_.CreateBitCast(b_.CreateOr(chosen, sign), floats);
}

Value Emitter::FloatToHalf(Value f) {
  llvm::Type* words = f->getType()->getWithNewType(b_.getInt32Ty());
  if (shared_.options_.has_half) {
    const Value half = b_.CreateFPTrunc(f, f->getType()->getWithNewType(b_.getHalfTy()));
    return b_.CreateZExt(b_.CreateBitCast(half, half->getType()->getWithNewType(b_.getInt16Ty())), words);
  }
  const auto word = [&](uint32_t v) { return llvm::ConstantInt::get(words, v); };
  const Value bits = b_.CreateBitCast(f, words);
  const Value magnitude = b_.CreateAnd(bits, word(0x7fffffff));
  // Normal results: round the 13 bits that go by adding half a unit, less one where the kept part is even.
  const Value odd = b_.CreateAnd(b_.CreateLShr(magnitude, word(13)), word(1));
  const Value rounded = b_.CreateAdd(b_.CreateAdd(magnitude, word(0xfff)), odd);
  const Value normal = b_.CreateLShr(b_.CreateSub(rounded, word(112u << 23)), word(13));
  // Subnormal results: adding 0.5 leaves the rounded value in the low bits of the sum.
  llvm::Constant* magic = llvm::ConstantFP::get(f->getType(), 0.5);
  const Value sum = b_.CreateFAdd(b_.CreateBitCast(magnitude, f->getType()), magic);
  const Value small = b_.CreateSub(b_.CreateBitCast(sum, words), word(0x3f000000));
  Value result = b_.CreateSelect(b_.CreateICmpULT(magnitude, word(113u << 23)), small, normal);
  result = b_.CreateSelect(b_.CreateICmpUGE(magnitude, word(0x477ff000)), word(0x7c00), result);
  const Value payload = b_.CreateAnd(b_.CreateLShr(magnitude, word(13)), word(0x3ff));
  result = b_.CreateSelect(b_.CreateICmpUGT(magnitude, word(0x7f800000)), b_.CreateOr(payload, word(0x7e00)),
                           result);
  return b_.CreateOr(result, b_.CreateLShr(b_.CreateAnd(bits, word(0x80000000u)), word(16)));
}

// Multiplying packed bytes: each byte in a word of its own.
Component Emitter::Dot4(bool is_signed, const Component& a, const Component& b) {
  return Map({&a, &b}, [&](ArrayRef<Value> v) {
    Value sum = nullptr;
    for (uint32_t i = 0; i < 4; ++i) {
      const auto byte = [&](Value word) {
        const Value top = b_.CreateShl(word, Same(word, 24 - 8 * i));
        return is_signed ? b_.CreateAShr(top, Same(word, 24)) : b_.CreateLShr(top, Same(word, 24));
      };
      const Value product = b_.CreateMul(byte(v[0]), byte(v[1]));
      sum = sum == nullptr ? product : b_.CreateAdd(sum, product);
    }
    return sum;
  });
}

// An index out of range takes the last part.
LaneValue Emitter::ExtractDynamic(ir::InstId inst) {
  const ir::ValueId composite = ir_.operands(inst)[0];
  const ir::TypeId type = ir_.type_of(composite);
  const LaneValue whole = Get(composite);
  const Component index = Get(ir_.operands(inst)[1])[0];
  const uint32_t parts = ir_.types.PartCount(type);
  const uint32_t width = ir_.types.ScalarCount(ir_.types.PartType(type, 0));
  LaneValue result(whole.end() - width, whole.end());
  for (uint32_t i = parts - 1; i-- > 0;) {
    const Component here = Map({&index}, [&](ArrayRef<Value> v) {
      const Value bits = b_.CreateICmpEQ(v[0], Same(v[0], i));
      return index.uniform() ? bits : FromBits(bits);
    });
    for (uint32_t s = 0; s < width; ++s) result[s] = SelectComponent(here, whole[i * width + s], result[s]);
  }
  return result;
}

}  // namespace lockstep::codegen
