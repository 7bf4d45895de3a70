// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Entry points (WGSL #entry-points): stage, workgroup size, inputs, and the resources that they use.
#include <map>

#include "wgsl/diagnostics.h"
#include "wgsl/resolver.h"

namespace lockstep::wgsl {
namespace {

bool HasWord(std::string_view words, std::string_view word) {
  return words.find(word) != std::string_view::npos;
}

}  // namespace

void Resolver::StageAttributes(Function& function, const ast::Decl& decl, const AttributeSet& attributes) {
  const ast::Attribute* first = nullptr;
  bool two_stages = false;
  for (const AttributeKind kind :
       {AttributeKind::kCompute, AttributeKind::kVertex, AttributeKind::kFragment}) {
    const ast::Attribute* attribute = attributes[kind];
    if (attribute == nullptr) continue;
    if (first != nullptr) {
      sink_.Emit(kTwoStages, attribute->span, NameOf(first->name), NameOf(attribute->name));
      two_stages = true;
      continue;
    }
    first = attribute;
    function.is_entry_point = true;
    function.stage = NameOf(attribute->name);
  }
  if (first != nullptr && !two_stages && function.stage != "compute")
    sink_.Emit(kStageNotOffered, first->span, function.stage);
  const ast::Attribute* size = attributes[AttributeKind::kWorkgroupSize];
  if (function.stage == "compute" && !IsWritten(decl.attributes, "workgroup_size")) {
    sink_.Emit(kMissingWorkgroupSize, decl.name_span, function.name);
  } else if (function.stage != "compute") {
    for (const AttributeKind kind : {AttributeKind::kWorkgroupSize, AttributeKind::kSubgroupSize}) {
      if (attributes[kind] != nullptr) sink_.Emit(kOnlyOnCompute, attributes[kind]->span, RowOf(kind).name);
    }
  }
  if (size != nullptr) WorkgroupSize(function, *size);
}

void Resolver::WorkgroupSize(Function& function, const ast::Attribute& attribute) {
  const std::vector<ExprId> args(ast().list(attribute.args).begin(), ast().list(attribute.args).end());
  TypeId common = types().AbstractInt();
  bool ok = true;
  for (const ExprId arg : args) {
    const TypeId type = Value(arg);
    if (!type.has_value()) {
      ok = false;
    } else if (!types().IsInteger(type)) {
      sink_.Emit(kAttributeInteger, SpanOf(arg), "a workgroup size", TypeText(type));
      ok = false;
    } else if (!CheckOverride(arg, "a workgroup size")) {
      ok = false;
    } else if (types().IsAbstract(common)) {
      common = type;
    } else if (!types().IsAbstract(type) && type != common) {
      sink_.Emit(kWorkgroupSizeTypes, SpanOf(arg), TypeText(type), TypeText(common));
      ok = false;
    }
  }
  if (!ok) return;
  const TypeId type = Concretization(types(), common);
  for (size_t i = 0; i < args.size(); ++i) {
    Coerce(args[i], type);
    function.workgroup_size[i] = args[i];
    const ConstantId value = info(args[i]).value;
    if (value.has_value() && program_.constants[value].i <= 0) {
      sink_.Emit(kWorkgroupSizeTooSmall, SpanOf(args[i]), program_.constants[value].i);
    }
  }
}

void Resolver::CheckEntryPoint(const Function& function) {
  CheckInputs(function);
  const std::vector<VariableId> globals = program_.GlobalsOf(function.decl);
  CheckResources(function, globals);
  CheckPrivateBytes(function, globals);
}

void Resolver::CheckInputs(const Function& function) {
  if (function.stage != "compute") return;  // reported as not offered
  std::vector<std::pair<std::string, Span>> seen;
  for (const VariableId id : function.params) {
    const Variable& param = program_.variables[id];
    if (!param.type.has_value()) continue;
    const bool is_struct = types()[param.type].kind == TypeKind::kStruct;
    if (!param.builtin.empty()) {
      CheckInput(function, param.builtin, param.type, param.name_span, seen);
    } else if (!is_struct) {
      sink_.Emit(kInputWithoutBuiltin, param.name_span, param.name);
    } else {
      for (const StructMember& member : types().struct_of(param.type).members) {
        if (member.builtin.empty()) {
          sink_.Emit(kInputWithoutBuiltin, member.name_span, member.name)
              .Note(param.name_span, "it is an input here");
        } else {
          CheckInput(function, member.builtin, member.type, member.name_span, seen);
        }
      }
    }
  }
}

void Resolver::CheckInput(const Function& function, std::string_view builtin, TypeId type, Span at,
                          std::vector<std::pair<std::string, Span>>& seen) {
  const BuiltinValueRow* row = FindBuiltinValue(builtin);
  CHECK(row != nullptr);
  if (!HasWord(row->input_of, function.stage)) {
    sink_.Emit(kBuiltinValueStage, at, builtin, function.stage);
  } else if (TypeText(type) != row->type) {
    sink_.Emit(kBuiltinValueType, at, builtin, row->type, TypeText(type));
  }
  for (const auto& [other, other_span] : seen) {
    if (other != builtin) continue;
    sink_.Emit(kDuplicateInput, at, builtin).Note(other_span, "the other input is here");
    return;
  }
  seen.emplace_back(builtin, at);
}

// Two resources of one shader must not share a binding (WGSL #resource-interface).
void Resolver::CheckResources(const Function& function, const std::vector<VariableId>& globals) {
  std::map<std::pair<uint32_t, uint32_t>, VariableId> bound;
  for (const VariableId id : globals) {
    const Variable& variable = program_.variables[id];
    if (!variable.group || !variable.binding) continue;
    const auto [it, is_new] = bound.try_emplace({*variable.group, *variable.binding}, id);
    if (is_new || !reported_bindings_.emplace(it->second, id).second) continue;
    const Variable& other = program_.variables[it->second];
    const bool later = variable.name_span.begin > other.name_span.begin;
    const Variable& second = later ? variable : other;
    const Variable& first = later ? other : variable;
    sink_
        .Emit(kDuplicateBinding, second.name_span, function.name, first.name, second.name, *variable.group,
              *variable.binding)
        .Note(first.name_span, "'{}' is declared here", first.name)
        .Note(function.name_span, "entry point '{}' uses both", function.name);
  }
}

void Resolver::CheckPrivateBytes(const Function& function, const std::vector<VariableId>& globals) {
  uint64_t bytes = 0;
  for (const VariableId id : globals) {
    const Variable& variable = program_.variables[id];
    if (variable.kind == VariableKind::kVar && variable.space == AddressSpace::kPrivate) {
      bytes += std::min<uint64_t>(types().SizeOf(variable.type), UINT32_MAX);
    }
  }
  if (bytes > kMaxInvocationBytes)
    sink_.Emit(kTooManyPrivateBytes, function.name_span, function.name, bytes, kMaxInvocationBytes);
}

}  // namespace lockstep::wgsl
