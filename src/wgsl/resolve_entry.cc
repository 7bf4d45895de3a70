// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Entry points (WGSL #entry-points): stage, workgroup size, and what they use.
#include <map>

#include "wgsl/diagnostics.h"
#include "wgsl/resolver.h"

namespace lockstep::wgsl {
void Resolver::StageAttributes(Function& function, const ast::Decl& decl, const AttributeSet& attributes) {
  const ast::Attribute* first = nullptr;
  for (const AttributeKind kind :
       {AttributeKind::kCompute, AttributeKind::kVertex, AttributeKind::kFragment}) {
    const ast::Attribute* attribute = attributes[kind];
    if (attribute == nullptr) continue;
    if (first != nullptr) {
      sink_.Emit(kTwoStages, attribute->span, NameOf(first->name), NameOf(attribute->name));
      continue;
    }
    first = attribute;
    function.is_entry_point = true;
    function.stage = NameOf(attribute->name);
  }
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
  CheckInterface(function);
  const std::vector<VariableId> globals = program_.GlobalsOf(function.decl);
  CheckResources(function, globals);
  CheckWorkgroupVariables(function, globals);
  CheckPrivateBytes(function, globals);
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

void Resolver::CheckStageUses(const Function& function) {
  for (const auto& [stage, use] : stage_uses_) {
    if (stage == function.stage) continue;
    sink_.Emit(kOnlyInStage, use.span, use.name, stage)
        .Note(function.name_span, "entry point '{}' comes here", function.name);
  }
}

void Resolver::CheckWorkgroupVariables(const Function& function, const std::vector<VariableId>& globals) {
  if (function.stage == "compute") return;
  for (const VariableId id : globals) {
    const Variable& variable = program_.variables[id];
    if (variable.kind != VariableKind::kVar || variable.space != AddressSpace::kWorkgroup) continue;
    sink_.Emit(kWorkgroupVariableStage, variable.name_span, variable.name)
        .Note(function.name_span, "entry point '{}' uses it", function.name);
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
