// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Expressions (WGSL #expressions): literals, names, operators; conversions; evaluation of const-expressions
// as soon as their operands are known.
#include <algorithm>

#include "wgsl/diagnostics.h"
#include "wgsl/resolver.h"

namespace lockstep::wgsl {

Resolver::ExprId Resolver::StripParens(ExprId id) const {
  while (ExprOf(id).kind == ast::ExprKind::kParen) id = ExprOf(id).a;
  return id;
}

TypeId Resolver::SetResult(ExprId id, TypeId type, Stage stage, ConstantId value) {
  ExprInfo& result = info(id);
  result.type = type;
  result.converted = type.has_value() ? types().Unreference(type) : type;
  result.stage = stage;
  result.value = value;
  return type;
}

TypeId Resolver::Expr(ExprId id) {
  if (!id.has_value()) return TypeId::None();
  return Dispatch(id);
}

TypeId Resolver::Dispatch(ExprId id) {
  switch (ExprOf(id).kind) {
    case ast::ExprKind::kBool:
    case ast::ExprKind::kInt:
    case ast::ExprKind::kFloat:
      return Literal(id);
    case ast::ExprKind::kIdentifier:
      return Identifier(id);
    case ast::ExprKind::kCall:
      return Call(id);
    case ast::ExprKind::kIndex:
      return Index(id);
    case ast::ExprKind::kMember:
      return Member(id);
    case ast::ExprKind::kUnary:
      return Unary(id);
    case ast::ExprKind::kBinary:
      return Binary(id);
    case ast::ExprKind::kParen: {
      const ExprId inner = ExprOf(id).a;
      const TypeId type = Expr(inner);
      if (!type.has_value()) return SetResult(id, type, info(inner).stage);
      return SetResult(id, type, info(inner).stage, info(inner).value);
    }
  }
  UNREACHABLE("expression kind");
}

// WGSL #load-rule: a reference where a value is wanted is read.
TypeId Resolver::Value(ExprId id) {
  const TypeId type = Expr(id);
  if (!type.has_value()) return type;
  if (type == types().Void()) {
    sink_.Emit(kNoResult, SpanOf(id));
    return TypeId::None();
  }
  const TypeId value = types().Unreference(type);
  if (value == type || types().IsConstructible(value) || types().IsHandle(value)) return value;
  if (types()[value].kind == TypeKind::kAtomic)
    sink_.Emit(kLoadAtomic, SpanOf(id));
  else if (types().ContainsAtomic(value))
    sink_.Emit(kLoadNotConstructible, SpanOf(id), TypeText(value), "holds atomics");
  else if (types().IsOverrideSizedArray(value))
    sink_.Emit(kLoadNotConstructible, SpanOf(id), TypeText(value), "is sized by an override-expression");
  else
    sink_.Emit(kLoadNotConstructible, SpanOf(id), TypeText(value), "has a runtime-sized array");
  return TypeId::None();
}

TypeId Resolver::ConcreteValue(ExprId id) {
  if (!Value(id).has_value()) return TypeId::None();
  Concretize(id);
  return info(id).converted;
}

bool Resolver::Coerce(ExprId id, TypeId to) {
  ExprInfo& target = info(id);
  if (!target.converted.has_value() || !to.has_value()) return true;
  if (target.converted == to) return true;
  if (ConversionRank(types(), target.converted, to) >= kNoConversion) return false;
  const ConstantId value =
      target.value.has_value() ? ConvertConstant(target.value, to, SpanOf(id)) : ConstantId::None();
  for (ExprId at = id;; at = ExprOf(at).a) {  // what parentheses hold is converted with them
    info(at).converted = to;
    info(at).value = value;
    if (ExprOf(at).kind != ast::ExprKind::kParen) break;
  }
  return true;
}

ConstantId Resolver::ConvertConstant(ConstantId value, TypeId to, Span at) {
  if (types()[to].kind != TypeKind::kStruct) return eval_.Convert(value, to, at);
  std::vector<ConstantId> parts;  // the result of frexp or modf
  const size_t count = types().struct_of(to).members.size();
  for (size_t i = 0; i < count; ++i) {
    const ConstantId part = program_.constants.Part(value, static_cast<uint32_t>(i));
    parts.push_back(eval_.Convert(part, types().struct_of(to).members[i].type, at));
    if (!parts.back().has_value()) return ConstantId::None();
  }
  return program_.constants.Composite(to, std::move(parts));
}

void Resolver::Condition(ExprId id, std::string_view what) {
  const TypeId type = Value(id);
  if (type.has_value() && type != types().Bool())
    sink_.Emit(kConditionType, SpanOf(id), what, TypeText(type));
}

TypeId Resolver::Literal(ExprId id) {
  const ast::Expr& e = ExprOf(id);
  ConstantTable& constants = program_.constants;
  if (e.kind == ast::ExprKind::kBool) {
    return SetResult(id, types().Bool(), Stage::kConst, constants.Int(types().Bool(), e.int_value != 0));
  }
  if (e.kind == ast::ExprKind::kInt) {
    const TypeId type = e.suffix == 'i'   ? types().I32()
                        : e.suffix == 'u' ? types().U32()
                                          : types().AbstractInt();
    return SetResult(id, type, Stage::kConst, constants.Int(type, static_cast<int64_t>(e.int_value)));
  }
  if (e.suffix == 'h' && !IsEnabled("f16")) {
    sink_.Emit(kNeedsF16, e.span, program_.file->Text(e.span));
    return SetResult(id, TypeId::None(), Stage::kConst);
  }
  const TypeId type = e.suffix == 'f'   ? types().F32()
                      : e.suffix == 'h' ? types().F16()
                                        : types().AbstractFloat();
  double value = e.float_value;
  if (e.suffix == 'f') value = RoundToF32(value);
  if (e.suffix == 'h') value = RoundToF16(value);
  return SetResult(id, type, Stage::kConst, constants.Float(type, value));
}

TypeId Resolver::Identifier(ExprId id) {
  const ast::Expr& e = ExprOf(id);
  const Entity entity = ResolveName(id);
  if (entity.kind == EntityKind::kNone || entity.kind == EntityKind::kPoison ||
      entity.kind == EntityKind::kNotOffered) {
    return SetResult(id, TypeId::None(), Stage::kConst);
  }
  if (entity.kind != EntityKind::kVariable) {
    const bool is_callable = entity.kind == EntityKind::kFunction || entity.kind == EntityKind::kBuiltin;
    const bool is_type = entity.kind == EntityKind::kType || entity.kind == EntityKind::kGenerator;
    sink_.Emit(kNotAValue, e.span, Describe(entity, NameOf(e.name)),
               is_callable ? ": call it with '(...)'"
               : is_type   ? ": to construct one write '(...)' after it"
                           : "");
    return SetResult(id, TypeId::None(), Stage::kConst);
  }
  if (e.has_template) {
    sink_.Emit(kNoTemplateArguments, e.span, Describe(entity, NameOf(e.name)));
    return SetResult(id, TypeId::None(), Stage::kConst);
  }
  const VariableId variable_id(entity.index);
  CheckBypassed(id, variable_id);
  const Variable& variable = program_.variables[variable_id];
  info(id).use = ExprUse::kVariable;
  info(id).variable = variable_id;
  if (!variable.type.has_value()) return SetResult(id, TypeId::None(), Stage::kConst);
  switch (variable.kind) {
    case VariableKind::kVar:
      return SetResult(id, types().Reference(variable.space, variable.type, variable.access),
                       Stage::kRuntime);
    case VariableKind::kLet:
    case VariableKind::kParam:
      return SetResult(id, variable.type, Stage::kRuntime);
    case VariableKind::kConst:
      return SetResult(id, variable.type, Stage::kConst, variable.value);
    case VariableKind::kOverride:
      return SetResult(id, variable.type, Stage::kOverride);
  }
  UNREACHABLE("variable kind");
}

// --- unary ---

TypeId Resolver::Unary(ExprId id) {
  const ast::Expr e = ExprOf(id);
  if (e.unary == ast::UnaryOp::kAddressOf) return AddressOf(id);
  if (e.unary == ast::UnaryOp::kIndirection) return Indirection(id);
  const TypeId type = Value(e.a);
  if (!type.has_value()) return SetResult(id, type, info(e.a).stage);
  const OverloadArgument arg{type, IsConst(e.a)};
  const std::optional<OverloadMatch> match = MatchOverload(types(), OverloadsOf(e.unary), {}, {&arg, 1});
  if (!match) {
    const bool is_u32 = e.unary == ast::UnaryOp::kNegate && types().ScalarOf(type) == types().U32();
    sink_.Emit(kNoUnaryOperator, e.op_span, ast::UnaryOpText(e.unary), TypeText(type),
               is_u32 ? ": unsigned numbers have no negative values" : "");
    return SetResult(id, TypeId::None(), info(e.a).stage);
  }
  Coerce(e.a, match->params[0]);
  ConstantId value;
  if (evaluating() && info(e.a).value.has_value())
    value = eval_.Unary(e.unary, match->result, info(e.a).value, e.span);
  return SetResult(id, match->result, info(e.a).stage, value);
}

TypeId Resolver::AddressOf(ExprId id) {
  const ast::Expr e = ExprOf(id);
  const TypeId type = Expr(e.a);
  if (!type.has_value()) return SetResult(id, type, Stage::kRuntime);
  if (!types().IsReference(type)) {
    sink_.Emit(kAddressOfValue, SpanOf(e.a));
    return SetResult(id, TypeId::None(), Stage::kRuntime);
  }
  if (types().IsHandle(types().Unreference(type))) {
    sink_.Emit(kAddressOfHandle, e.span);
    return SetResult(id, TypeId::None(), Stage::kRuntime);
  }
  const ExprId inner = StripParens(e.a);
  bool is_component = info(inner).use == ExprUse::kComponent;
  if (ExprOf(inner).kind == ast::ExprKind::kIndex) {
    TypeId base = types().Unreference(info(ExprOf(inner).a).type);
    if (types().IsPointer(base)) base = types()[base].element;
    is_component = types()[base].kind == TypeKind::kVector;
  }
  if (is_component) {
    sink_.Emit(kAddressOfComponent, e.span);
    return SetResult(id, TypeId::None(), Stage::kRuntime);
  }
  const Type ref = types()[type];
  return SetResult(id, types().Pointer(ref.space, ref.element, ref.access), Stage::kRuntime);
}

TypeId Resolver::Indirection(ExprId id) {
  const ast::Expr e = ExprOf(id);
  const TypeId type = Value(e.a);
  if (!type.has_value()) return SetResult(id, type, Stage::kRuntime);
  if (!types().IsPointer(type)) {
    sink_.Emit(kIndirectionOfValue, e.op_span, TypeText(type));
    return SetResult(id, TypeId::None(), Stage::kRuntime);
  }
  const Type pointer = types()[type];
  return SetResult(id, types().Reference(pointer.space, pointer.element, pointer.access), Stage::kRuntime);
}

// --- binary ---

TypeId Resolver::ShortCircuit(ExprId id) {
  const ast::Expr e = ExprOf(id);
  const TypeId a = Value(e.a);
  // `false && b` and `true || b` do not evaluate b (WGSL #const-expr).
  const bool decides_on = e.binary == ast::BinaryOp::kLogicalOr;
  const ConstantId left = info(e.a).value;
  const bool decided =
      a == types().Bool() && left.has_value() && (program_.constants[left].i != 0) == decides_on;
  if (decided) ++unevaluated_;
  const TypeId b = Value(e.b);
  if (decided) --unevaluated_;
  const Stage stage = std::max(info(e.a).stage, info(e.b).stage);
  if (!a.has_value() || !b.has_value()) return SetResult(id, TypeId::None(), stage);
  if (a != types().Bool() || b != types().Bool()) {
    NoOperator(e.binary, e.op_span, a, b);
    return SetResult(id, TypeId::None(), stage);
  }
  // The value is known where the left side decides, even if the right side is a runtime expression.
  ConstantId value;
  if (decided)
    value = left;
  else if (left.has_value() && info(e.b).value.has_value())
    value = info(e.b).value;
  return SetResult(id, types().Bool(), stage, value);
}

TypeId Resolver::Binary(ExprId id) {
  const ast::Expr e = ExprOf(id);
  if (e.binary == ast::BinaryOp::kLogicalAnd || e.binary == ast::BinaryOp::kLogicalOr)
    return ShortCircuit(id);
  const TypeId a = Value(e.a);
  const TypeId b = Value(e.b);
  const Stage stage = std::max(info(e.a).stage, info(e.b).stage);
  if (!a.has_value() || !b.has_value()) return SetResult(id, TypeId::None(), stage);
  const std::optional<OverloadMatch> match = BinaryOverload(e.binary, e.op_span, e.a, e.b);
  if (!match) return SetResult(id, TypeId::None(), stage);
  ConstantId value;
  const ConstantId left = info(e.a).value;
  const ConstantId right = info(e.b).value;
  if (evaluating() && right.has_value()) {
    if (left.has_value())
      value = eval_.Binary(e.binary, match->result, left, right, e.span);
    else if (!IsConst(e.a))
      eval_.CheckRightOperand(e.binary, info(e.a).converted, right, SpanOf(e.b));
  }
  return SetResult(id, match->result, stage, value);
}

std::optional<OverloadMatch> Resolver::BinaryOverload(ast::BinaryOp op, Span op_span, ExprId a, ExprId b) {
  const OverloadArgument args[] = {{info(a).converted, IsConst(a)}, {info(b).converted, IsConst(b)}};
  std::optional<OverloadMatch> match = MatchOverload(types(), OverloadsOf(op), {}, args);
  if (!match) {
    NoOperator(op, op_span, args[0].type, args[1].type);
    return std::nullopt;
  }
  Coerce(a, match->params[0]);
  Coerce(b, match->params[1]);
  return match;
}

void Resolver::NoOperator(ast::BinaryOp op, Span at, TypeId a, TypeId b, std::string_view suffix) {
  const std::string text = std::string(ast::BinaryOpText(op)) + std::string(suffix);
  auto report = sink_.Emit(kNoBinaryOperator, at, text, TypeText(a), TypeText(b));
  const TypeId scalar_a = types().ScalarOf(a);
  const TypeId scalar_b = types().ScalarOf(b);
  if (!scalar_a.has_value() || !scalar_b.has_value()) return;
  const bool is_shift = op == ast::BinaryOp::kShl || op == ast::BinaryOp::kShr;
  const bool is_logical = op == ast::BinaryOp::kLogicalAnd || op == ast::BinaryOp::kLogicalOr;
  if (is_shift && types().IsInteger(scalar_b) && types().Width(a) == types().Width(b)) {
    report.Note(at, "the right side of a shift must be '{}'", TypeText(types().WithScalar(b, types().U32())));
  } else if (is_logical) {
    report.Note(at, "'{}' takes two values of type 'bool'", ast::BinaryOpText(op));
  } else if (types().IsNumeric(scalar_a) && types().IsNumeric(scalar_b) && scalar_a != scalar_b) {
    const TypeId wanted = types().IsAbstract(scalar_a) ? scalar_b : scalar_a;
    report.Note(at, "numbers of different types do not mix: convert one side, as with '{}(...)'",
                TypeText(types().WithScalar(wanted == scalar_a ? b : a, wanted)));
  }
}

}  // namespace lockstep::wgsl
