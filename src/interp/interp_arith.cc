// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic, component by component, as ir/op.def states it. Integer arithmetic runs on uint32_t, where C++
// wraps around; floats on `float`, one operation at a time, so that each is rounded once.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "abi/convert.h"
#include "interp/machine.h"
#include "support/half.h"

namespace lockstep::interp {

namespace {

float AsFloat(uint32_t word) { return std::bit_cast<float>(word); }
int32_t AsInt(uint32_t word) { return static_cast<int32_t>(word); }
uint32_t ToWord(float value) { return std::bit_cast<uint32_t>(value); }
uint32_t ToWord(int32_t value) { return static_cast<uint32_t>(value); }
uint32_t ToWord(uint32_t value) { return value; }
uint32_t ToWord(bool value) { return value ? 1 : 0; }

constexpr int32_t kMinInt = std::numeric_limits<int32_t>::min();

int32_t DivInt(int32_t a, int32_t b) { return b == 0 || (a == kMinInt && b == -1) ? a : a / b; }
int32_t RemInt(int32_t a, int32_t b) { return b == 0 || (a == kMinInt && b == -1) ? 0 : a % b; }

// For one NaN the other operand; of zeros that differ in sign, the first.
float MinFloat(float a, float b) { return std::isnan(a) ? b : b < a ? b : a; }
float MaxFloat(float a, float b) { return std::isnan(a) ? b : a < b ? b : a; }

float RemFloat(float a, float b) {
  const float quotient = a / b;
  const float product = b * std::trunc(quotient);
  return a - product;
}

uint32_t ReverseBits(uint32_t v) {
  uint32_t result = 0;
  for (int i = 0; i < 32; ++i) result |= ((v >> i) & 1) << (31 - i);
  return result;
}

int32_t ToInt(float v) {
  if (std::isnan(v)) return 0;
  if (v <= -2147483648.0f) return kMinInt;
  return static_cast<int32_t>(std::min(v, abi::kLargestI32InF32));
}

uint32_t ToUint(float v) {
  if (!(v > 0)) return 0;  // NaN too
  return static_cast<uint32_t>(std::min(v, abi::kLargestU32InF32));
}

// One scalar of kind `from` as one of kind `to`.
uint32_t ConvertScalar(ir::TypeKind from, ir::TypeKind to, uint32_t word) {
  const bool from_float = from == ir::TypeKind::kF32;
  if (to == ir::TypeKind::kBool) return from_float ? (AsFloat(word) != 0 ? 1 : 0) : (word != 0 ? 1 : 0);
  if (to == ir::TypeKind::kF32) {
    if (from_float) return word;
    if (from == ir::TypeKind::kI32) return ToWord(static_cast<float>(AsInt(word)));
    return ToWord(static_cast<float>(word));
  }
  if (!from_float) return word;
  return to == ir::TypeKind::kI32 ? ToWord(ToInt(AsFloat(word))) : ToUint(AsFloat(word));
}

}  // namespace

// ------------------------------------------------------------------------------------------------ shapes

ir::TypeKind Machine::ScalarKind(ir::ValueId value) const {
  return module_.types[module_.types.ScalarOf(module_.type_of(value))].kind;
}

// f(word) -> word
template <typename F>
void Machine::Map1(ir::InstId inst, F f) {
  const std::span<const uint32_t> a = Get(Operands(inst)[0]);
  uint32_t* result = Slot(module_.result(inst));
  for (size_t i = 0; i < a.size(); ++i) result[i] = ToWord(f(a[i]));
}

// f(word, word) -> word
template <typename F>
void Machine::Map2(ir::InstId inst, F f) {
  const std::span<const uint32_t> a = Get(Operands(inst)[0]);
  const std::span<const uint32_t> b = Get(Operands(inst)[1]);
  uint32_t* result = Slot(module_.result(inst));
  for (size_t i = 0; i < a.size(); ++i) result[i] = ToWord(f(a[i], b[i]));
}

template <typename F>
void Machine::MapFloat1(ir::InstId inst, F f) {
  Map1(inst, [&](uint32_t a) { return f(AsFloat(a)); });
}

template <typename F>
void Machine::MapFloat2(ir::InstId inst, F f) {
  Map2(inst, [&](uint32_t a, uint32_t b) { return f(AsFloat(a), AsFloat(b)); });
}

// f is called with two floats, two int32_t or two uint32_t, by the operands' type (bool as uint32_t).
template <typename F>
void Machine::MapNumber2(ir::InstId inst, F f) {
  switch (ScalarKind(Operands(inst)[0])) {
    case ir::TypeKind::kF32:
      return MapFloat2(inst, f);
    case ir::TypeKind::kI32:
      return Map2(inst, [&](uint32_t a, uint32_t b) { return f(AsInt(a), AsInt(b)); });
    case ir::TypeKind::kBool:
    case ir::TypeKind::kU32:
      return Map2(inst, f);
    case ir::TypeKind::kF16:
    case ir::TypeKind::kVoid:
    case ir::TypeKind::kVector:
    case ir::TypeKind::kMatrix:
    case ir::TypeKind::kArray:
    case ir::TypeKind::kRuntimeArray:
    case ir::TypeKind::kStruct:
    case ir::TypeKind::kAtomic:
    case ir::TypeKind::kPointer:
    case ir::TypeKind::kTexture:
      return Fail(FailureKind::kProgram, "internal: arithmetic on a type without any");
  }
}

template <typename F>
void Machine::Compare(ir::InstId inst, F f) {
  MapNumber2(inst, f);
}

// The library's function in double, rounded: only for tests of modules that expand_math has not seen.
template <typename F>
void Machine::Approximate1(ir::InstId inst, F f) {
  MapFloat1(inst, [&](float a) { return static_cast<float>(f(static_cast<double>(a))); });
}

template <typename F>
void Machine::Approximate2(ir::InstId inst, F f) {
  MapFloat2(inst, [&](float a, float b) {
    return static_cast<float>(f(static_cast<double>(a), static_cast<double>(b)));
  });
}

// ------------------------------------------------------------------------------------------------ arithmetic

void Machine::DoNeg(ir::InstId inst) {
  if (ScalarKind(Operands(inst)[0]) == ir::TypeKind::kF32) return MapFloat1(inst, [](float a) { return -a; });
  Map1(inst, [](uint32_t a) { return 0 - a; });
}
void Machine::DoNot(ir::InstId inst) {
  if (ScalarKind(Operands(inst)[0]) == ir::TypeKind::kBool)
    return Map1(inst, [](uint32_t a) { return a ^ 1; });
  Map1(inst, [](uint32_t a) { return ~a; });
}
void Machine::DoAbs(ir::InstId inst) {
  const ir::TypeKind kind = ScalarKind(Operands(inst)[0]);
  if (kind == ir::TypeKind::kF32) return MapFloat1(inst, [](float a) { return std::fabs(a); });
  if (kind == ir::TypeKind::kU32) return Map1(inst, [](uint32_t a) { return a; });
  Map1(inst, [](uint32_t a) { return AsInt(a) < 0 ? 0 - a : a; });
}
void Machine::DoAdd(ir::InstId inst) {
  if (ScalarKind(Operands(inst)[0]) == ir::TypeKind::kF32)
    return MapFloat2(inst, [](float a, float b) { return a + b; });
  Map2(inst, [](uint32_t a, uint32_t b) { return a + b; });
}
void Machine::DoSub(ir::InstId inst) {
  if (ScalarKind(Operands(inst)[0]) == ir::TypeKind::kF32)
    return MapFloat2(inst, [](float a, float b) { return a - b; });
  Map2(inst, [](uint32_t a, uint32_t b) { return a - b; });
}
void Machine::DoMul(ir::InstId inst) {
  if (ScalarKind(Operands(inst)[0]) == ir::TypeKind::kF32)
    return MapFloat2(inst, [](float a, float b) { return a * b; });
  Map2(inst, [](uint32_t a, uint32_t b) { return a * b; });
}

namespace {
struct Div {
  float operator()(float a, float b) const { return a / b; }
  int32_t operator()(int32_t a, int32_t b) const { return DivInt(a, b); }
  uint32_t operator()(uint32_t a, uint32_t b) const { return b == 0 ? a : a / b; }
};
struct Rem {
  float operator()(float a, float b) const { return RemFloat(a, b); }
  int32_t operator()(int32_t a, int32_t b) const { return RemInt(a, b); }
  uint32_t operator()(uint32_t a, uint32_t b) const { return b == 0 ? 0 : a % b; }
};
struct Min {
  float operator()(float a, float b) const { return MinFloat(a, b); }
  int32_t operator()(int32_t a, int32_t b) const { return std::min(a, b); }
  uint32_t operator()(uint32_t a, uint32_t b) const { return std::min(a, b); }
};
struct Max {
  float operator()(float a, float b) const { return MaxFloat(a, b); }
  int32_t operator()(int32_t a, int32_t b) const { return std::max(a, b); }
  uint32_t operator()(uint32_t a, uint32_t b) const { return std::max(a, b); }
};
struct MulHigh {
  float operator()(float, float) const { return 0; }  // integers only
  int32_t operator()(int32_t a, int32_t b) const { return static_cast<int32_t>((int64_t{a} * b) >> 32); }
  uint32_t operator()(uint32_t a, uint32_t b) const { return static_cast<uint32_t>((uint64_t{a} * b) >> 32); }
};
}  // namespace

void Machine::DoDiv(ir::InstId inst) { MapNumber2(inst, Div()); }
void Machine::DoRem(ir::InstId inst) { MapNumber2(inst, Rem()); }
void Machine::DoMin(ir::InstId inst) { MapNumber2(inst, Min()); }
void Machine::DoMax(ir::InstId inst) { MapNumber2(inst, Max()); }
void Machine::DoMulHigh(ir::InstId inst) { MapNumber2(inst, MulHigh()); }

void Machine::DoAnd(ir::InstId inst) {
  Map2(inst, [](uint32_t a, uint32_t b) { return a & b; });
}
void Machine::DoOr(ir::InstId inst) {
  Map2(inst, [](uint32_t a, uint32_t b) { return a | b; });
}
void Machine::DoXor(ir::InstId inst) {
  Map2(inst, [](uint32_t a, uint32_t b) { return a ^ b; });
}
void Machine::DoShl(ir::InstId inst) {
  Map2(inst, [](uint32_t a, uint32_t b) { return a << (b & 31); });
}
void Machine::DoShr(ir::InstId inst) {
  if (ScalarKind(Operands(inst)[0]) == ir::TypeKind::kI32) {
    return Map2(inst, [](uint32_t a, uint32_t b) { return AsInt(a) >> (b & 31); });
  }
  Map2(inst, [](uint32_t a, uint32_t b) { return a >> (b & 31); });
}

void Machine::DoEq(ir::InstId inst) {
  Compare(inst, [](auto a, auto b) { return a == b; });
}
void Machine::DoNe(ir::InstId inst) {
  Compare(inst, [](auto a, auto b) { return a != b; });
}
void Machine::DoLt(ir::InstId inst) {
  Compare(inst, [](auto a, auto b) { return a < b; });
}
void Machine::DoLe(ir::InstId inst) {
  Compare(inst, [](auto a, auto b) { return a <= b; });
}
void Machine::DoGt(ir::InstId inst) {
  Compare(inst, [](auto a, auto b) { return a > b; });
}
void Machine::DoGe(ir::InstId inst) {
  Compare(inst, [](auto a, auto b) { return a >= b; });
}

void Machine::DoCountOneBits(ir::InstId inst) {
  Map1(inst, [](uint32_t a) { return std::popcount(a); });
}
void Machine::DoCountLeadingZeros(ir::InstId inst) {
  Map1(inst, [](uint32_t a) { return std::countl_zero(a); });
}
void Machine::DoCountTrailingZeros(ir::InstId inst) {
  Map1(inst, [](uint32_t a) { return std::countr_zero(a); });
}
void Machine::DoReverseBits(ir::InstId inst) { Map1(inst, ReverseBits); }

void Machine::DoFloor(ir::InstId inst) {
  MapFloat1(inst, [](float a) { return std::floor(a); });
}
void Machine::DoCeil(ir::InstId inst) {
  MapFloat1(inst, [](float a) { return std::ceil(a); });
}
void Machine::DoTrunc(ir::InstId inst) {
  MapFloat1(inst, [](float a) { return std::trunc(a); });
}
void Machine::DoRoundEven(ir::InstId inst) {
  MapFloat1(inst, [](float a) { return std::nearbyint(a); });
}
void Machine::DoSqrt(ir::InstId inst) {
  MapFloat1(inst, [](float a) { return std::sqrt(a); });
}
void Machine::DoFma(ir::InstId inst) {
  const std::span<const uint32_t> a = Get(Operands(inst)[0]);
  const std::span<const uint32_t> b = Get(Operands(inst)[1]);
  const std::span<const uint32_t> c = Get(Operands(inst)[2]);
  uint32_t* result = Slot(module_.result(inst));
  for (size_t i = 0; i < a.size(); ++i)
    result[i] = ToWord(std::fma(AsFloat(a[i]), AsFloat(b[i]), AsFloat(c[i])));
}
void Machine::DoQuantizeF16(ir::InstId inst) {
  MapFloat1(inst, [](float a) { return HalfValue(HalfBits(a)); });
}

void Machine::DoInverseSqrt(ir::InstId inst) {
  Approximate1(inst, [](double a) { return 1 / std::sqrt(a); });
}
void Machine::DoSin(ir::InstId inst) {
  Approximate1(inst, [](double a) { return std::sin(a); });
}
void Machine::DoCos(ir::InstId inst) {
  Approximate1(inst, [](double a) { return std::cos(a); });
}
void Machine::DoTan(ir::InstId inst) {
  Approximate1(inst, [](double a) { return std::tan(a); });
}
void Machine::DoAsin(ir::InstId inst) {
  Approximate1(inst, [](double a) { return std::asin(a); });
}
void Machine::DoAcos(ir::InstId inst) {
  Approximate1(inst, [](double a) { return std::acos(a); });
}
void Machine::DoAtan(ir::InstId inst) {
  Approximate1(inst, [](double a) { return std::atan(a); });
}
void Machine::DoAtan2(ir::InstId inst) {
  Approximate2(inst, [](double y, double x) { return std::atan2(y, x); });
}
void Machine::DoSinh(ir::InstId inst) {
  Approximate1(inst, [](double a) { return std::sinh(a); });
}
void Machine::DoCosh(ir::InstId inst) {
  Approximate1(inst, [](double a) { return std::cosh(a); });
}
void Machine::DoTanh(ir::InstId inst) {
  Approximate1(inst, [](double a) { return std::tanh(a); });
}
void Machine::DoAsinh(ir::InstId inst) {
  Approximate1(inst, [](double a) { return std::asinh(a); });
}
void Machine::DoAcosh(ir::InstId inst) {
  Approximate1(inst, [](double a) { return std::acosh(a); });
}
void Machine::DoAtanh(ir::InstId inst) {
  Approximate1(inst, [](double a) { return std::atanh(a); });
}
void Machine::DoExp(ir::InstId inst) {
  Approximate1(inst, [](double a) { return std::exp(a); });
}
void Machine::DoExp2(ir::InstId inst) {
  Approximate1(inst, [](double a) { return std::exp2(a); });
}
void Machine::DoLog(ir::InstId inst) {
  Approximate1(inst, [](double a) { return std::log(a); });
}
void Machine::DoLog2(ir::InstId inst) {
  Approximate1(inst, [](double a) { return std::log2(a); });
}
void Machine::DoPow(ir::InstId inst) {
  Approximate2(inst, [](double a, double b) { return std::pow(a, b); });
}

// ------------------------------------------------------------------------------------------------
// conversions

void Machine::DoConvert(ir::InstId inst) {
  const ir::TypeKind from = ScalarKind(Operands(inst)[0]);
  const ir::TypeKind to = ScalarKind(module_.result(inst));
  Map1(inst, [&](uint32_t a) { return ConvertScalar(from, to, a); });
}

void Machine::DoBitcast(ir::InstId inst) {
  if (ScalarKind(Operands(inst)[0]) == ir::TypeKind::kF16 ||
      ScalarKind(module_.result(inst)) == ir::TypeKind::kF16) {
    return Fail(FailureKind::kProgram, "internal: f16 in the interpreter");
  }
  Map1(inst, [](uint32_t a) { return a; });
}

void Machine::DoSelect(ir::InstId inst) {
  const std::span<const uint32_t> condition = Get(Operands(inst)[0]);
  const std::span<const uint32_t> if_true = Get(Operands(inst)[1]);
  const std::span<const uint32_t> if_false = Get(Operands(inst)[2]);
  uint32_t* result = Slot(module_.result(inst));
  const bool scalar = condition.size() == 1;
  for (size_t i = 0; i < if_true.size(); ++i) {
    result[i] = condition[scalar ? 0 : i] != 0 ? if_true[i] : if_false[i];
  }
}

void Machine::DoSplat(ir::InstId inst) {
  const uint32_t scalar = Word(Operands(inst)[0]);
  std::fill_n(Slot(module_.result(inst)), WordsOf(module_.type_of(module_.result(inst))), scalar);
}

void Machine::DoConstruct(ir::InstId inst) {
  uint32_t* result = Slot(module_.result(inst));
  for (const ir::ValueId part : Operands(inst)) {
    const std::span<const uint32_t> words = Get(part);
    result = std::copy(words.begin(), words.end(), result);
  }
}

void Machine::DoExtract(ir::InstId inst) {
  const ir::ValueId composite = Operands(inst)[0];
  const uint32_t begin = PartWord(module_.type_of(composite), module_.insts[inst].imm);
  Set(module_.result(inst), Get(composite).subspan(begin, WordsOf(module_.type_of(module_.result(inst)))));
}

void Machine::DoExtractDynamic(ir::InstId inst) {
  const ir::ValueId composite = Operands(inst)[0];
  const ir::TypeId type = module_.type_of(composite);
  const uint32_t part = std::min(Word(Operands(inst)[1]), module_.types.PartCount(type) - 1);
  const uint32_t count = WordsOf(module_.type_of(module_.result(inst)));
  Set(module_.result(inst), Get(composite).subspan(PartWord(type, part), count));
}

void Machine::DoInsert(ir::InstId inst) {
  const ir::ValueId composite = Operands(inst)[0];
  const uint32_t begin = PartWord(module_.type_of(composite), module_.insts[inst].imm);
  Set(module_.result(inst), Get(composite));
  const std::span<const uint32_t> part = Get(Operands(inst)[1]);
  std::copy(part.begin(), part.end(), Slot(module_.result(inst)) + begin);
}

void Machine::DoSwizzle(ir::InstId inst) {
  const std::span<const uint32_t> vector = Get(Operands(inst)[0]);
  const uint32_t count = WordsOf(module_.type_of(module_.result(inst)));
  uint32_t* result = Slot(module_.result(inst));
  for (uint32_t i = 0; i < count; ++i) result[i] = vector[(module_.insts[inst].imm >> (2 * i)) & 3];
}

void Machine::DoDot4I8(ir::InstId inst) {
  Map2(inst, [](uint32_t a, uint32_t b) {
    int32_t sum = 0;
    for (int i = 0; i < 32; i += 8) sum += static_cast<int8_t>(a >> i) * static_cast<int8_t>(b >> i);
    return sum;
  });
}

void Machine::DoDot4U8(ir::InstId inst) {
  Map2(inst, [](uint32_t a, uint32_t b) {
    uint32_t sum = 0;
    for (int i = 0; i < 32; i += 8) sum += ((a >> i) & 255) * ((b >> i) & 255);
    return sum;
  });
}

void Machine::DoPackHalf(ir::InstId inst) {
  const std::span<const uint32_t> v = Get(Operands(inst)[0]);
  *Slot(module_.result(inst)) = HalfBits(AsFloat(v[0])) | HalfBits(AsFloat(v[1])) << 16;
}

void Machine::DoUnpackHalf(ir::InstId inst) {
  const uint32_t packed = Word(Operands(inst)[0]);
  uint32_t* result = Slot(module_.result(inst));
  result[0] = ToWord(HalfValue(packed & 0xffff));
  result[1] = ToWord(HalfValue(packed >> 16));
}

}  // namespace lockstep::interp
