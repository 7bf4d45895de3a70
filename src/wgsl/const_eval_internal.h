// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// What the files of constant evaluation share: a context for one operation at one place, component-wise
// mapping, and float arithmetic that rounds as the shader would. Private to const_eval*.cc and overrides*.cc.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "wgsl/ast.h"
#include "wgsl/builtin.h"
#include "wgsl/constant.h"
#include "wgsl/diagnostics.h"
#include "wgsl/type.h"

namespace lockstep::wgsl::const_eval {

// Rounds to the nearest value of a float type (to even); f64 is kept for abstract-float.
double RoundTo(TypeKind kind, double value);

// One operation: the tables, where errors go, and the place that they name. Failing gives None after one
// diagnostic.
struct Context {
  TypeTable& types;
  ConstantTable& constants;
  diag::Sink& sink;
  Span span;

  TypeKind KindOf(TypeId type) const { return types[type].kind; }
  TypeId TypeOf(ConstantId id) const { return constants[id].type; }
  TypeKind KindOf(ConstantId id) const { return KindOf(TypeOf(id)); }
  bool IsInteger(ConstantId id) const { return types.IsInteger(TypeOf(id)); }
  bool IsFloat(ConstantId id) const { return types.IsFloat(TypeOf(id)); }
  int64_t I(ConstantId id) const { return constants[id].i; }
  double F(ConstantId id) const { return constants[id].f; }
  std::string Text(ConstantId id) const { return ToString(types, constants, id); }
  std::string Text(TypeId id) const { return types.ToString(id); }
  ConstantId Bool(bool value) { return constants.Int(types.Bool(), value ? 1 : 0); }
  ConstantId Part(ConstantId id, uint32_t i) const { return constants.Part(id, i); }

  template <typename... Args>
  ConstantId Fail(const diag::Kind& kind, const Args&... args) {
    sink.Emit(kind, span, args...);
    return ConstantId::None();
  }

  ConstantId FailRange(std::string_view value, TypeId type) {
    const NumberTypeText number = TextOfNumberType(KindOf(type));
    return Fail(kNumberRange, value, number.name, number.range);
  }

  // i32 and u32 keep the low 32 bits.
  ConstantId WrappedInt(TypeId type, int64_t value) {
    if (KindOf(type) == TypeKind::kI32) value = static_cast<int32_t>(static_cast<uint32_t>(value));
    if (KindOf(type) == TypeKind::kU32) value = static_cast<uint32_t>(value);
    return constants.Int(type, value);
  }
};

// Applies `fn(scalar result type, scalar operands) -> ConstantId` to each component. `result` may be a
// scalar, vector or matrix; operands have its shape or are scalars, which go with every component. Stops at
// the first failure.
template <typename Fn>
ConstantId Map(Context& c, TypeId result, std::span<const ConstantId> args, const Fn& fn) {
  const uint32_t count = PartCount(c.types, result);
  if (count == 0) return fn(result, args);
  bool splat = true;
  for (const ConstantId arg : args)
    splat = splat && (c.constants[arg].parts.empty() || c.constants[arg].splat);
  const TypeId part_type = PartType(c.types, result, 0);
  std::vector<ConstantId> parts;
  for (uint32_t i = 0; i < (splat ? 1 : count); ++i) {
    std::array<ConstantId, 4> operands;
    for (size_t a = 0; a < args.size(); ++a) {
      operands[a] = c.constants[args[a]].parts.empty() ? args[a] : c.Part(args[a], i);
    }
    const ConstantId part = Map(c, part_type, std::span<const ConstantId>(operands.data(), args.size()), fn);
    if (!part.has_value()) return part;
    parts.push_back(part);
  }
  return splat ? c.constants.Splat(result, parts[0]) : c.constants.Composite(result, std::move(parts));
}

// Arithmetic of one float type, every step rounded to it (in double, which is exact enough that rounding
// twice does no harm for + - * / sqrt of f32 and f16). ok() turns false at the first infinity or NaN: the
// Finite Math Assumption.
class FloatOps {
 public:
  explicit FloatOps(TypeKind kind) : kind_(kind) {}
  double Round(double value);
  double Add(double a, double b) { return Round(a + b); }
  double Sub(double a, double b) { return Round(a - b); }
  double Mul(double a, double b) { return Round(a * b); }
  double Div(double a, double b) { return Round(a / b); }
  double Sqrt(double a);
  bool ok() const { return ok_; }

 private:
  TypeKind kind_;
  bool ok_ = true;
};

// --- by file ---
// const_eval_convert.cc
ConstantId ConvertScalar(Context& c, ConstantId value, TypeId to);
ConstantId ConvertValue(Context& c, ConstantId value, TypeId to);
ConstantId ConstructValue(Context& c, TypeId type, std::span<const ConstantId> args);
// const_eval_arith.cc
ConstantId UnaryOperation(Context& c, ast::UnaryOp op, TypeId result, ConstantId a);
ConstantId BinaryOperation(Context& c, ast::BinaryOp op, TypeId result, ConstantId a, ConstantId b);
bool CheckRight(Context& c, ast::BinaryOp op, TypeId left_type, ConstantId b);
// const_eval_builtin.cc
ConstantId Call(Context& c, Builtin builtin, TypeId result, std::span<const ConstantId> args);
bool CheckArguments(Context& c, Builtin builtin, std::span<const ConstantId> args,
                    std::span<const TypeId> arg_types);

// Handlers of builtins. The argument types are those of the overload (implicit conversions done).
using Args = std::span<const ConstantId>;
using Handler = ConstantId (*)(Context& c, Builtin builtin, TypeId result, Args args);
// const_eval_builtin_float.cc
ConstantId CallFloatUnary(Context& c, Builtin builtin, TypeId result, Args args);
ConstantId CallAtan2(Context& c, Builtin builtin, TypeId result, Args args);
ConstantId CallPow(Context& c, Builtin builtin, TypeId result, Args args);
ConstantId CallFma(Context& c, Builtin builtin, TypeId result, Args args);
ConstantId CallMix(Context& c, Builtin builtin, TypeId result, Args args);
ConstantId CallSmoothstep(Context& c, Builtin builtin, TypeId result, Args args);
ConstantId CallStep(Context& c, Builtin builtin, TypeId result, Args args);
ConstantId CallSaturate(Context& c, Builtin builtin, TypeId result, Args args);
ConstantId CallFrexp(Context& c, Builtin builtin, TypeId result, Args args);
ConstantId CallModf(Context& c, Builtin builtin, TypeId result, Args args);
ConstantId CallLdexp(Context& c, Builtin builtin, TypeId result, Args args);
ConstantId CallQuantizeToF16(Context& c, Builtin builtin, TypeId result, Args args);
// const_eval_builtin_number.cc: integers and floats alike, logical, bit reinterpretation
ConstantId CallAbs(Context& c, Builtin builtin, TypeId result, Args args);
ConstantId CallSign(Context& c, Builtin builtin, TypeId result, Args args);
ConstantId CallMinMax(Context& c, Builtin builtin, TypeId result, Args args);
ConstantId CallClamp(Context& c, Builtin builtin, TypeId result, Args args);
ConstantId CallAllAny(Context& c, Builtin builtin, TypeId result, Args args);
ConstantId CallSelect(Context& c, Builtin builtin, TypeId result, Args args);
ConstantId CallBitcast(Context& c, Builtin builtin, TypeId result, Args args);
// const_eval_builtin_vector.cc
ConstantId CallDot(Context& c, Builtin builtin, TypeId result, Args args);
ConstantId CallLength(Context& c, Builtin builtin, TypeId result, Args args);
ConstantId CallDistance(Context& c, Builtin builtin, TypeId result, Args args);
ConstantId CallNormalize(Context& c, Builtin builtin, TypeId result, Args args);
ConstantId CallCross(Context& c, Builtin builtin, TypeId result, Args args);
ConstantId CallFaceForward(Context& c, Builtin builtin, TypeId result, Args args);
ConstantId CallReflect(Context& c, Builtin builtin, TypeId result, Args args);
ConstantId CallRefract(Context& c, Builtin builtin, TypeId result, Args args);
ConstantId CallDeterminant(Context& c, Builtin builtin, TypeId result, Args args);
ConstantId CallTranspose(Context& c, Builtin builtin, TypeId result, Args args);
// const_eval_builtin_bits.cc
ConstantId CallBitCount(Context& c, Builtin builtin, TypeId result, Args args);
ConstantId CallExtractBits(Context& c, Builtin builtin, TypeId result, Args args);
ConstantId CallInsertBits(Context& c, Builtin builtin, TypeId result, Args args);
ConstantId CallDot4(Context& c, Builtin builtin, TypeId result, Args args);
ConstantId CallPackFloats(Context& c, Builtin builtin, TypeId result, Args args);
ConstantId CallPackHalfs(Context& c, Builtin builtin, TypeId result, Args args);
ConstantId CallPackInts(Context& c, Builtin builtin, TypeId result, Args args);
ConstantId CallUnpackFloats(Context& c, Builtin builtin, TypeId result, Args args);
ConstantId CallUnpackHalfs(Context& c, Builtin builtin, TypeId result, Args args);
ConstantId CallUnpackInts(Context& c, Builtin builtin, TypeId result, Args args);

uint32_t FloatBits(double value);
double FloatValue(uint32_t bits);

}  // namespace lockstep::wgsl::const_eval
