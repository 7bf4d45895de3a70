// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Evaluation of const-expressions (WGSL #const-expr), one operation at a time. The resolver calls these on
// operands that are constants of the operation's parameter types (implicit conversions done); the same
// functions evaluate override-expressions at pipeline creation. What the specification makes an error
// (overflow of abstract or float arithmetic, division by zero, a shift too far, a domain error of a builtin,
// an index out of range ...) is emitted at `span` and gives ConstantId::None(); concrete i32/u32 + - * wrap.
#pragma once

#include <cstdint>
#include <span>

#include "diag/diagnostic.h"
#include "wgsl/ast.h"
#include "wgsl/builtin.h"
#include "wgsl/constant.h"
#include "wgsl/type.h"

namespace lockstep::wgsl {

class ConstEvaluator {
 public:
  ConstEvaluator(TypeTable& types, ConstantTable& constants, diag::Sink& sink)
      : types_(types), constants_(constants), sink_(sink) {}

  // A literal's or computed number as a constant of a scalar type; an error where it does not fit
  // ("value 300 cannot be represented as 'i32'").
  ConstantId Number(TypeId scalar, double value, Span span);
  // Implicit (abstract -> concrete) and explicit (value constructor) conversions of scalars, vectors,
  // matrices and arrays to another scalar kind, WGSL #conversion-rank and
  // #value-constructor-builtin-function.
  ConstantId Convert(ConstantId value, TypeId to, Span span);
  ConstantId Unary(ast::UnaryOp op, TypeId result, ConstantId a, Span span);
  // + - * / % & | ^ << >> comparisons; scalars, vectors, vector-scalar mixes, matrices. Not && and ||.
  ConstantId Binary(ast::BinaryOp op, TypeId result, ConstantId a, ConstantId b, Span span);
  // The checks that apply when only the right operand is known: division or remainder by zero, a shift too
  // far for `left_type`. True where it is fine.
  bool CheckRightOperand(ast::BinaryOp op, TypeId left_type, ConstantId b, Span span);
  // Every builtin with the @const attribute. `result` is the overload's result type.
  ConstantId CallBuiltin(Builtin builtin, TypeId result, std::span<const ConstantId> args, Span span);
  // Likewise the checks for partly known arguments (None where unknown): clamp's low <= high, smoothstep's
  // edges, extractBits' and insertBits' ranges, ldexp's exponent ... True where it is fine.
  bool CheckBuiltinArguments(Builtin builtin, std::span<const ConstantId> args,
                             std::span<const TypeId> arg_types, Span span);
  // A value constructor with all arguments constant: vectors from scalars and vectors, matrices, arrays,
  // structs.
  ConstantId Construct(TypeId type, std::span<const ConstantId> args, Span span);
  // composite[index]: components, columns, elements. Emits "index 3 is out of range for 'vec3<f32>' ..." .
  ConstantId Index(ConstantId composite, ConstantId index, Span span);
  ConstantId Swizzle(ConstantId vector, std::span<const uint8_t> components);

 private:
  TypeTable& types_;
  ConstantTable& constants_;
  diag::Sink& sink_;
};

// Round to the nearest value of the type, as a double; infinite where it overflows.
double RoundToF32(double value);
double RoundToF16(double value);

}  // namespace lockstep::wgsl
