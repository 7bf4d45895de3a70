// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// For tests of constant evaluation: makes constants in a word and shows results and errors as text.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "wgsl/const_eval.h"

namespace lockstep::wgsl {

class ConstEvalTest : public testing::Test {
 protected:
  ConstantId AI(int64_t v) { return constants.Int(types.AbstractInt(), v); }
  ConstantId I(int64_t v) { return constants.Int(types.I32(), v); }
  ConstantId U(int64_t v) { return constants.Int(types.U32(), v); }
  ConstantId B(bool v) { return constants.Int(types.Bool(), v ? 1 : 0); }
  ConstantId AF(double v) { return constants.Float(types.AbstractFloat(), v); }
  ConstantId F(double v) { return constants.Float(types.F32(), RoundToF32(v)); }
  ConstantId H(double v) { return constants.Float(types.F16(), RoundToF16(v)); }
  TypeId TypeOf(ConstantId id) { return constants[id].type; }
  ConstantId Vec(std::vector<ConstantId> parts) {
    const TypeId type = types.Vector(TypeOf(parts[0]), static_cast<uint32_t>(parts.size()));
    return constants.Composite(type, std::move(parts));
  }
  // A matrix from its columns.
  ConstantId Mat(std::vector<ConstantId> columns) {
    const Type column = types[TypeOf(columns[0])];
    const TypeId type = types.Matrix(column.element, static_cast<uint32_t>(columns.size()), column.count);
    return constants.Composite(type, std::move(columns));
  }

  // The constant as text, or the message of the error that took its place.
  std::string Show(ConstantId id) {
    if (id.has_value()) return ToString(types, constants, id);
    if (sink.diagnostics().empty()) return "no constant and no error";
    return "error: " + sink.diagnostics().back().message;
  }
  std::string Bin(ast::BinaryOp op, ConstantId a, ConstantId b) {
    const bool compares = op >= ast::BinaryOp::kEq && op <= ast::BinaryOp::kGe;
    TypeId result = PartCount(types, TypeOf(a)) >= PartCount(types, TypeOf(b)) ? TypeOf(a) : TypeOf(b);
    if (compares) result = types.WithScalar(result, types.Bool());
    return Show(eval.Binary(op, result, a, b, {}));
  }
  std::string Bin(ast::BinaryOp op, TypeId result, ConstantId a, ConstantId b) {
    return Show(eval.Binary(op, result, a, b, {}));
  }
  std::string Un(ast::UnaryOp op, ConstantId a) { return Show(eval.Unary(op, TypeOf(a), a, {})); }
  // A builtin whose result has the type of its first argument.
  std::string Call(Builtin builtin, std::vector<ConstantId> args) {
    return Call(builtin, TypeOf(args[0]), args);
  }
  std::string Call(Builtin builtin, TypeId result, std::vector<ConstantId> args) {
    return Show(eval.CallBuiltin(builtin, result, args, {}));
  }
  std::string Conv(ConstantId value, TypeId to) { return Show(eval.Convert(value, to, {})); }

  TypeTable types;
  ConstantTable constants;
  diag::Sink sink;
  ConstEvaluator eval{types, constants, sink};
};

}  // namespace lockstep::wgsl
