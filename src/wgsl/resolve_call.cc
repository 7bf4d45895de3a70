// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls (WGSL #function-calls): of user functions and of builtins; what is called may also be a type
// (resolve_construct.cc).
#include <algorithm>

#include "wgsl/diagnostics.h"
#include "wgsl/resolver.h"

namespace lockstep::wgsl {
namespace {

constexpr size_t kMaxCandidates = 3;  // shown where no overload fits

}  // namespace

std::vector<Resolver::ExprId> Resolver::ArgsOf(ExprId id) const {
  const auto args = ast().list(ExprOf(id).args);
  return {args.begin(), args.end()};
}

void Resolver::DiscardArguments(ExprId id) {
  for (const ExprId arg : ArgsOf(id)) Expr(arg);
}

TypeId Resolver::Call(ExprId id) {
  const ExprId callee = ExprOf(id).a;
  const Entity entity = ResolveName(callee);
  const std::string& name = NameOf(ExprOf(callee).name);
  switch (entity.kind) {
    case EntityKind::kFunction:
      return UserCall(id, FunctionId(entity.index));
    case EntityKind::kBuiltin:
      return BuiltinCall(id, static_cast<Builtin>(entity.index));
    case EntityKind::kGenerator:
      if (!ExprOf(callee).has_template) return ConstructInferred(id, entity);
      [[fallthrough]];
    case EntityKind::kType: {
      const TypeId type = TypeFromEntity(callee, entity);
      if (type.has_value()) return Construct(id, type);
      break;
    }
    case EntityKind::kVariable:
      sink_.Emit(kNotCallable, SpanOf(callee), Describe(entity, name))
          .Note(program_.variables[VariableId(entity.index)].name_span, "'{}' is declared here", name);
      break;
    case EntityKind::kAddressSpace:
    case EntityKind::kAccessMode:
    case EntityKind::kTexelFormat:
      sink_.Emit(kNotCallable, SpanOf(callee), Describe(entity, name));
      break;
    case EntityKind::kNone:
    case EntityKind::kPoison:
    case EntityKind::kNotOffered:
      break;
  }
  DiscardArguments(id);
  return SetResult(id, TypeId::None(), Stage::kRuntime);
}

void Resolver::CallStatement(StmtId id) {
  const ExprId call = StmtOf(id).a;
  const TypeId type = Expr(call);
  if (!type.has_value()) return;
  const ExprInfo& result = info(call);
  bool must_use = false;
  switch (result.use) {
    case ExprUse::kCallFunction: {
      const auto& attributes = DeclOf(program_.functions[result.function].decl).attributes;
      must_use = std::any_of(attributes.begin(), attributes.end(),
                             [&](const ast::Attribute& a) { return NameOf(a.name) == "must_use"; });
      break;
    }
    case ExprUse::kCallBuiltin:
      must_use = OverloadsOf(result.builtin).begin()->must_use;
      break;
    case ExprUse::kConstruct:
    case ExprUse::kConvert:
    case ExprUse::kZeroValue:
      must_use = true;
      break;
    case ExprUse::kNone:
    case ExprUse::kVariable:
    case ExprUse::kTypeName:
    case ExprUse::kSwizzle:
    case ExprUse::kComponent:
    case ExprUse::kStructMember:
      break;
  }
  if (must_use) sink_.Emit(kUnusedResult, SpanOf(call), NameOf(ExprOf(ExprOf(call).a).name));
}

TypeId Resolver::UserCall(ExprId id, FunctionId function_id) {
  const ast::Expr e = ExprOf(id);
  const std::vector<ExprId> args = ArgsOf(id);
  bool ok = true;
  for (const ExprId arg : args) ok = Value(arg).has_value() && ok;
  const Function& function = program_.functions[function_id];
  info(id).use = ExprUse::kCallFunction;
  info(id).function = function_id;
  if (ExprOf(e.a).has_template)
    sink_.Emit(kNoTemplateArguments, SpanOf(e.a), fmt::format("function '{}'", function.name));
  if (function.is_entry_point) {
    sink_.Emit(kEntryPointCall, SpanOf(e.a), function.name)
        .Note(function.name_span, "'{}' is declared here", function.name);
  } else if (args.size() != function.params.size()) {
    sink_
        .Emit(kArgumentCount, SpanOf(id), function.name, function.params.size(),
              function.params.size() == 1 ? "" : "s", args.size())
        .Note(function.name_span, "'{}' is declared here", function.name);
  } else if (ok) {
    for (size_t i = 0; i < args.size(); ++i) {
      const TypeId wanted = program_.variables[function.params[i]].type;
      if (wanted.has_value() && !Coerce(args[i], wanted)) WrongArgument(args[i], wanted, i, function.name);
    }
  }
  return SetResult(id, function.result, Stage::kRuntime);
}

void Resolver::WrongArgument(ExprId arg, TypeId wanted, size_t position, std::string_view callee) {
  const TypeId given = info(arg).converted;
  auto report =
      sink_.Emit(kArgumentType, SpanOf(arg), position + 1, callee, TypeText(wanted), TypeText(given));
  if (types().IsPointer(wanted) && types().IsReference(info(arg).type) && types()[wanted].element == given) {
    report.Note(SpanOf(arg), "write '&' before it to pass a pointer");
  }
}

// --- builtins ---

bool Resolver::Arguments(ExprId id, std::vector<OverloadArgument>& args) {
  bool ok = true;
  for (const ExprId arg : ArgsOf(id)) {
    const TypeId type = Value(arg);
    ok = ok && type.has_value();
    args.push_back({type, IsConst(arg)});
  }
  return ok;
}

TypeId Resolver::BuiltinCall(ExprId id, Builtin builtin) {
  const ExprId callee = ExprOf(id).a;
  info(id).use = ExprUse::kCallBuiltin;
  info(id).builtin = builtin;
  const OverloadRange overloads = OverloadsOf(builtin);
  std::vector<TypeId> explicit_types;
  const std::string_view feature = overloads.begin()->feature;
  bool ok = feature.empty() || OffersFeature(feature);
  if (!ok) sink_.Emit(kNeedsLanguageFeature, SpanOf(callee), BuiltinName(builtin), feature);
  if (ExprOf(callee).has_template) {
    if (overloads.begin()->explicit_types.empty()) {
      sink_.Emit(kNoTemplateArguments, SpanOf(callee),
                 fmt::format("builtin function '{}'", BuiltinName(builtin)));
      ok = false;
    }
    for (const ExprId arg : ArgsOf(callee)) {
      if (!ok) break;
      explicit_types.push_back(TypeOf(arg));
      ok = explicit_types.back().has_value();
    }
  } else if (!overloads.begin()->explicit_types.empty()) {
    sink_.Emit(kBitcastWithoutType, SpanOf(callee), BuiltinName(builtin));
    ok = false;
  }
  std::vector<OverloadArgument> args;
  ok = Arguments(id, args) && ok;
  if (!ok) return SetResult(id, TypeId::None(), Stage::kRuntime);
  const std::optional<OverloadMatch> match = MatchOverload(types(), overloads, explicit_types, args);
  if (!match) {
    NoMatchingCall(id, BuiltinName(builtin), overloads, explicit_types, args);
    return SetResult(id, TypeId::None(), Stage::kRuntime);
  }
  if (const std::string_view only = match->overload->stage; !only.empty())
    stage_uses_.try_emplace(only, StageUse{std::string(BuiltinName(builtin)), SpanOf(callee)});
  Stage stage = match->overload->is_const ? Stage::kConst : Stage::kRuntime;
  const std::vector<ExprId> arg_ids = ArgsOf(id);
  for (size_t i = 0; i < arg_ids.size(); ++i) {
    Coerce(arg_ids[i], match->params[i]);
    stage = std::max(stage, info(arg_ids[i]).stage);
  }
  const ConstantId value =
      match->overload->is_const && evaluating() ? BuiltinValue(id, builtin, *match) : ConstantId::None();
  return SetResult(id, match->result, stage, value);
}

ConstantId Resolver::BuiltinValue(ExprId id, Builtin builtin, const OverloadMatch& match) {
  std::vector<ConstantId> values;
  size_t known = 0, failed = 0;
  for (const ExprId arg : ArgsOf(id)) {
    values.push_back(info(arg).value);
    if (values.back().has_value())
      ++known;
    else if (IsConst(arg))
      ++failed;
  }
  if (failed != 0) return ConstantId::None();
  if (known == values.size()) return eval_.CallBuiltin(builtin, match.result, values, SpanOf(id));
  if (known != 0) eval_.CheckBuiltinArguments(builtin, values, match.params, SpanOf(id));
  return ConstantId::None();
}

void Resolver::NoMatchingCall(ExprId id, std::string_view name, OverloadRange candidates,
                              std::span<const TypeId> explicit_types,
                              std::span<const OverloadArgument> args) {
  std::string call(name);
  const auto add = [&](char open, char close, const std::vector<std::string>& parts) {
    call += open;
    for (size_t i = 0; i < parts.size(); ++i) call += (i == 0 ? "" : ", ") + parts[i];
    call += close;
  };
  std::vector<std::string> parts;
  for (const TypeId type : explicit_types) parts.push_back(TypeText(type));
  if (!parts.empty()) add('<', '>', parts);
  parts.clear();
  for (const OverloadArgument& arg : args) parts.push_back(TypeText(arg.type));
  add('(', ')', parts);
  const Span at = SpanOf(ExprOf(id).a);
  auto report = sink_.Emit(kNoMatchingCall, at, call);
  std::vector<const Overload*> shown;
  for (const Overload& overload : candidates) shown.push_back(&overload);
  // There are many types of textures, each with overloads of its own.
  if (!args.empty() && types()[args[0].type].kind == TypeKind::kTexture) {
    const auto others = std::stable_partition(shown.begin(), shown.end(), [&](const Overload* overload) {
      return TakesFirst(types(), *overload, args[0].type);
    });
    if (others != shown.begin()) shown.erase(others, shown.end());
  }
  if (shown.size() > kMaxCandidates) shown.resize(kMaxCandidates);
  for (const Overload* overload : shown) report.AddNote(at, "candidate: " + DescribeOverload(*overload));
}

}  // namespace lockstep::wgsl
