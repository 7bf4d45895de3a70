// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Value constructors (WGSL #constructor-builtin-function): a type that is called. `vec3(...)`, `mat2x2(...)`
// and `array(...)` without template arguments infer their element type from the arguments.
#include <algorithm>

#include "wgsl/diagnostics.h"
#include "wgsl/resolver.h"

namespace lockstep::wgsl {
namespace {

constexpr size_t kMaxArrayArguments = 2047;  // WGSL #limits

}  // namespace

TypeId Resolver::Construct(ExprId id, TypeId type) {
  if (!types().IsConstructible(type)) {
    sink_.Emit(kNotConstructible, SpanOf(ExprOf(id).a), TypeText(type));
    DiscardArguments(id);
    return SetResult(id, TypeId::None(), Stage::kRuntime);
  }
  if (ExprOf(id).args.empty()) return ZeroValueOf(id, type);
  bool ok = true;
  for (const ExprId arg : ArgsOf(id)) ok = Value(arg).has_value() && ok;
  if (!ok) return SetResult(id, TypeId::None(), Stage::kRuntime);
  const Type t = types()[type];
  switch (t.kind) {
    case TypeKind::kVector:
      return ConstructVector(id, t.count, t.element);
    case TypeKind::kMatrix:
      return ConstructMatrix(id, t.count, t.rows, t.element);
    case TypeKind::kArray:
      return ConstructArray(id, type);
    case TypeKind::kStruct:
      return ConstructStruct(id, type);
    case TypeKind::kBool:
    case TypeKind::kI32:
    case TypeKind::kU32:
    case TypeKind::kF32:
    case TypeKind::kF16:
      return ConstructScalar(id, type);
    case TypeKind::kVoid:
    case TypeKind::kAbstractInt:
    case TypeKind::kAbstractFloat:
    case TypeKind::kAtomic:
    case TypeKind::kPointer:
    case TypeKind::kReference:
    case TypeKind::kSampler:
    case TypeKind::kTexture:
      break;
  }
  UNREACHABLE("not constructible");
}

TypeId Resolver::ConstructInferred(ExprId id, const Entity& generator) {
  const std::string& name = NameOf(ExprOf(ExprOf(id).a).name);
  info(ExprOf(id).a).use = ExprUse::kTypeName;
  if (ExprOf(id).args.empty() && generator.generator == Generator::kVector) {
    return ZeroValueOf(id, types().Vector(types().AbstractInt(), generator.a));
  }
  bool ok = true;
  std::vector<TypeId> scalars;
  for (const ExprId arg : ArgsOf(id)) {
    const TypeId type = Value(arg);
    ok = ok && type.has_value();
    if (ok) scalars.push_back(types().ScalarOf(type));
  }
  if (!ok) return SetResult(id, TypeId::None(), Stage::kRuntime);
  switch (generator.generator) {
    case Generator::kArray:
      if (scalars.empty()) break;
      return ConstructArrayInferred(id);
    case Generator::kVector:
    case Generator::kMatrix: {
      const bool all_scalar =
          std::all_of(scalars.begin(), scalars.end(), [](TypeId t) { return t.has_value(); });
      TypeId scalar = all_scalar && !scalars.empty() ? CommonType(scalars) : TypeId::None();
      const bool is_matrix = generator.generator == Generator::kMatrix;
      if (is_matrix && scalar == types().AbstractInt()) scalar = types().AbstractFloat();
      if (!scalar.has_value() || (is_matrix && !types().IsFloat(scalar)))
        return NoConstructor(id, TypeId::None(), name,
                             is_matrix ? "a matrix is made of floats or of vectors of them"
                                       : "the components must be of one type: convert the others");
      if (is_matrix) return ConstructMatrix(id, generator.a, generator.b, scalar);
      return ConstructVector(id, generator.a, scalar);
    }
    case Generator::kAtomic:
    case Generator::kPointer:
    case Generator::kSampler:
    case Generator::kTexture:
      break;
  }
  const bool is_handle =
      generator.generator == Generator::kSampler || generator.generator == Generator::kTexture;
  sink_.Emit(is_handle ? kNotConstructible : kMissingTemplateArguments, SpanOf(ExprOf(id).a), name);
  return SetResult(id, TypeId::None(), Stage::kRuntime);
}

TypeId Resolver::ZeroValueOf(ExprId id, TypeId type) {
  info(id).use = ExprUse::kZeroValue;
  return SetResult(id, type, Stage::kConst, ZeroValue(types(), program_.constants, type));
}

// All arguments stand converted: the value where they are known.
TypeId Resolver::FinishConstruct(ExprId id, TypeId type) {
  Stage stage = Stage::kConst;
  std::vector<ConstantId> values;
  bool known = true;
  for (const ExprId arg : ArgsOf(id)) {
    stage = std::max(stage, info(arg).stage);
    values.push_back(info(arg).value);
    known = known && values.back().has_value();
  }
  if (info(id).use != ExprUse::kConvert) info(id).use = ExprUse::kConstruct;
  ConstantId value;
  if (known && evaluating() && stage == Stage::kConst) {
    const bool converts = values.size() == 1 && types().ScalarOf(type).has_value() &&
                          types()[type].kind == types()[info(ArgsOf(id)[0]).converted].kind;
    const bool is_scalar = types().IsScalar(type);
    value = converts || is_scalar ? eval_.Convert(values[0], type, SpanOf(id))
                                  : eval_.Construct(type, values, SpanOf(id));
  }
  return SetResult(id, type, stage, value);
}

TypeId Resolver::NoConstructor(ExprId id, TypeId type, std::string_view name, std::string_view hint) {
  std::string given;
  for (const ExprId arg : ArgsOf(id)) given += (given.empty() ? "" : ", ") + TypeText(info(arg).converted);
  const Span at = SpanOf(ExprOf(id).a);
  sink_.Emit(kNoConstructor, at, type.has_value() ? TypeText(type) : std::string(name), given)
      .AddNote(at, std::string(hint));
  return SetResult(id, TypeId::None(), Stage::kRuntime);
}

TypeId Resolver::ConstructScalar(ExprId id, TypeId type) {
  const std::vector<ExprId> args = ArgsOf(id);
  if (args.size() != 1 || !types().IsScalar(info(args[0]).converted))
    return NoConstructor(id, type, "", fmt::format("'{}' converts one number or bool", TypeText(type)));
  info(id).use = ExprUse::kConvert;
  return FinishConstruct(id, type);
}

// Converts every argument to its own shape of `scalar`; false where one does not convert by itself.
bool Resolver::ConvertElements(ExprId id, TypeId scalar) {
  for (const ExprId arg : ArgsOf(id)) {
    if (!Coerce(arg, types().WithScalar(info(arg).converted, scalar))) return false;
  }
  return true;
}

std::string Resolver::ConvertHint(TypeId scalar) const {
  return fmt::format("the components must be of type '{0}': convert the others, as in '{0}(...)'",
                     TypeText(scalar));
}

TypeId Resolver::ConstructVector(ExprId id, uint32_t width, TypeId scalar) {
  const TypeId type = types().Vector(scalar, width);
  const std::vector<ExprId> args = ArgsOf(id);
  uint32_t components = 0;
  for (const ExprId arg : args) {
    const TypeId arg_type = info(arg).converted;
    if (!types().IsScalar(arg_type) && types()[arg_type].kind != TypeKind::kVector)
      return NoConstructor(id, type, "", "a vector is made of scalars and vectors");
    components += types().Width(arg_type);
  }
  const bool is_conversion = args.size() == 1 && components == width;
  const bool is_splat = args.size() == 1 && components == 1;
  if (!is_splat && components != width) {
    return NoConstructor(
        id, type, "",
        fmt::format("it takes {} components in all, or one for each of them, not {}", width, components));
  }
  if (!is_conversion && !ConvertElements(id, scalar)) return NoConstructor(id, type, "", ConvertHint(scalar));
  return FinishConstruct(id, type);
}

TypeId Resolver::ConstructMatrix(ExprId id, uint32_t columns, uint32_t rows, TypeId scalar) {
  const TypeId type = types().Matrix(scalar, columns, rows);
  const TypeId column = types().Vector(scalar, rows);
  const std::vector<ExprId> args = ArgsOf(id);
  const std::string shape = fmt::format("it takes {} columns of type '{}', or {} numbers", columns,
                                        TypeText(column), columns * rows);
  if (args.size() == 1) {
    const Type from = types()[info(args[0]).converted];
    if (from.kind != TypeKind::kMatrix || from.count != columns || from.rows != rows)
      return NoConstructor(id, type, "", shape);
    return FinishConstruct(id, type);
  }
  const bool by_columns = args.size() == columns;
  if (!by_columns && args.size() != size_t{columns} * rows) return NoConstructor(id, type, "", shape);
  for (const ExprId arg : args) {
    if (!Coerce(arg, by_columns ? column : scalar)) return NoConstructor(id, type, "", shape);
  }
  return FinishConstruct(id, type);
}

TypeId Resolver::ConstructArray(ExprId id, TypeId type) {
  const Type array = types()[type];
  const std::vector<ExprId> args = ArgsOf(id);
  if (args.size() != array.count) {
    sink_.Emit(kArrayArgumentCount, SpanOf(id), TypeText(type), array.count, args.size());
    return SetResult(id, TypeId::None(), Stage::kRuntime);
  }
  if (args.size() > kMaxArrayArguments)
    sink_.Emit(kTooManyArrayArguments, SpanOf(id), args.size(), kMaxArrayArguments);
  for (const ExprId arg : args) {
    if (Coerce(arg, array.element)) continue;
    sink_.Emit(kElementType, SpanOf(arg), TypeText(array.element), TypeText(info(arg).converted));
    return SetResult(id, TypeId::None(), Stage::kRuntime);
  }
  return FinishConstruct(id, type);
}

TypeId Resolver::CommonType(std::span<const TypeId> candidates) {
  TypeId common = candidates[0];
  for (const TypeId type : candidates.subspan(1)) {
    if (ConversionRank(types(), type, common) < kNoConversion) continue;
    if (ConversionRank(types(), common, type) >= kNoConversion) return TypeId::None();
    common = type;
  }
  return common;
}

TypeId Resolver::ConstructArrayInferred(ExprId id) {
  const std::vector<ExprId> args = ArgsOf(id);
  std::vector<TypeId> given;
  for (const ExprId arg : args) given.push_back(info(arg).converted);
  const TypeId element = CommonType(given);
  if (!element.has_value() || !types().IsConstructible(element)) {
    if (!element.has_value()) {
      size_t odd = 1;  // the first that does not go with those before it
      while (CommonType({given.data(), odd + 1}).has_value()) ++odd;
      sink_.Emit(kElementType, SpanOf(args[odd]), TypeText(CommonType({given.data(), odd})),
                 TypeText(given[odd]));
    } else {
      sink_.Emit(kArrayElement, SpanOf(args[0]), TypeText(given[0]));
    }
    return SetResult(id, TypeId::None(), Stage::kRuntime);
  }
  if (args.size() > kMaxArrayArguments)
    sink_.Emit(kTooManyArrayArguments, SpanOf(id), args.size(), kMaxArrayArguments);
  for (const ExprId arg : args) Coerce(arg, element);
  const TypeId type = LimitDepth(types().Array(element, static_cast<uint32_t>(args.size())), SpanOf(id));
  if (!type.has_value()) return SetResult(id, type, Stage::kRuntime);
  return FinishConstruct(id, type);
}

TypeId Resolver::ConstructStruct(ExprId id, TypeId type) {
  const Struct s = types().struct_of(type);
  const std::vector<ExprId> args = ArgsOf(id);
  if (s.members.size() != args.size()) {
    sink_
        .Emit(kArgumentCount, SpanOf(id), s.name, s.members.size(), s.members.size() == 1 ? "" : "s",
              args.size())
        .Note(s.name_span, "'{}' is declared here", s.name);
    return SetResult(id, TypeId::None(), Stage::kRuntime);
  }
  bool ok = true;
  for (size_t i = 0; i < args.size(); ++i) {
    if (Coerce(args[i], s.members[i].type)) continue;
    WrongArgument(args[i], s.members[i].type, i, s.name);
    ok = false;
  }
  if (!ok) return SetResult(id, TypeId::None(), Stage::kRuntime);
  return FinishConstruct(id, type);
}

}  // namespace lockstep::wgsl
