// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Pipeline creation (WGSL #pipeline-overridable; WebGPU "to WGSL type"): values of overrides, then everything
// that an entry point uses and that depends on them. Declarations are resolved before their uses, so that
// evaluating overrides in the order of their ids meets no override before its value: no recursion, however
// long a chain of them is.
#include <cmath>

#include "wgsl/diagnostics.h"
#include "wgsl/overrides_internal.h"

namespace lockstep::wgsl {

ConstantId OverrideValues::Value(ast::ExprId id) const {
  const auto it = exprs.find(id);
  return it == exprs.end() ? ConstantId::None() : it->second;
}

ConstantId OverrideValues::Value(VariableId override_variable) const {
  const auto it = variables.find(override_variable);
  return it == variables.end() ? ConstantId::None() : it->second;
}

// An override with an @id is named by it alone.
VariableId OverrideEvaluator::FindOverride(const std::string& key) {
  const Span at = p_.functions[entry_].name_span;
  for (const VariableId id : p_.overrides) {
    const Variable& variable = p_.variables[id];
    if (variable.override_id ? std::to_string(*variable.override_id) == key : variable.name == key) return id;
  }
  for (const VariableId id : p_.overrides) {
    const Variable& variable = p_.variables[id];
    if (variable.name != key) continue;
    sink_.Emit(kOverrideHasId, variable.name_span, variable.name, *variable.override_id);
    return VariableId::None();
  }
  sink_.Emit(kOverrideUnknown, at, key);
  return VariableId::None();
}

// WebIDL: integers truncate and must be in range ([EnforceRange]), floats round and must stay finite.
ConstantId OverrideEvaluator::FromNumber(const Variable& variable, double value) {
  TypeTable& types = p_.types;
  const TypeKind kind = types[variable.type].kind;
  if (kind == TypeKind::kBool)
    return p_.constants.Int(variable.type, value != 0 && !std::isnan(value) ? 1 : 0);
  if (types.IsFloat(variable.type)) {
    const double rounded = kind == TypeKind::kF16 ? RoundToF16(RoundToF32(value)) : RoundToF32(value);
    if (std::isfinite(rounded)) return p_.constants.Float(variable.type, rounded);
  } else {
    const double whole = std::trunc(value);
    const double low = kind == TypeKind::kI32 ? INT32_MIN : 0;
    const double high = kind == TypeKind::kI32 ? INT32_MAX : UINT32_MAX;
    if (whole >= low && whole <= high) return p_.constants.Int(variable.type, static_cast<int64_t>(whole));
  }
  const NumberTypeText number = TextOfNumberType(kind);
  sink_.Emit(kOverrideRange, variable.name_span, value, variable.name, number.name, number.range);
  return ConstantId::None();
}

void OverrideEvaluator::ConvertGiven(const std::map<std::string, double>& given) {
  for (const auto& [key, value] : given) {
    const VariableId id = FindOverride(key);
    if (!id.has_value()) continue;
    const ConstantId constant = FromNumber(p_.variables[id], value);
    if (constant.has_value()) given_[id] = constant;
  }
}

ast::ExprId OverrideEvaluator::OverrideCount(TypeId type) const {
  const Type& t = p_.types[type];
  if (t.kind == TypeKind::kAtomic) return OverrideCount(t.element);
  return t.kind == TypeKind::kArray && t.count == 0 ? t.override_count : ExprId::None();
}

// The functions that the entry point reaches, and the overrides that it uses through anything.
void OverrideEvaluator::FindReachable() {
  std::vector<bool> seen(p_.functions.size());
  reachable_ = {entry_};
  seen[entry_.index] = true;
  for (size_t i = 0; i < reachable_.size(); ++i) {
    for (const FunctionId callee : p_.functions[reachable_[i]].callees) {
      if (!seen[callee.index]) reachable_.push_back(callee);
      seen[callee.index] = true;
    }
  }
  used_.assign(p_.variables.size(), false);
  globals_ = p_.GlobalsOf(p_.functions[entry_].decl);
  for (const VariableId id : globals_) {
    const Variable& variable = p_.variables[id];
    if (variable.kind == VariableKind::kOverride) {
      used_[id.index] = true;
    } else {
      CollectOverrides(OverrideCount(variable.type));
      CollectOverrides(variable.init);
    }
  }
  for (const ExprId size : p_.functions[entry_].workgroup_size) CollectOverrides(size);
  // Initialisers name overrides with smaller ids only.
  for (uint32_t i = p_.variables.size(); i-- > 0;) {
    if (used_[i] && !given_.contains(VariableId(i))) CollectOverrides(p_.variables[VariableId(i)].init);
  }
}

void OverrideEvaluator::CollectOverrides(ExprId id) {
  if (!id.has_value()) return;
  const VariableId variable = p_.info(id).variable;
  if (p_.info(id).use == ExprUse::kVariable && p_.variables[variable].kind == VariableKind::kOverride) {
    used_[variable.index] = true;
  }
  for (const ExprId operand : Operands(id)) CollectOverrides(operand);
}

void OverrideEvaluator::EvaluateUsedOverrides() {
  for (uint32_t i = 0; i < p_.variables.size(); ++i) {
    const VariableId id(i);
    if (!used_[i]) continue;
    const Variable& variable = p_.variables[id];
    const auto it = given_.find(id);
    ConstantId value;
    if (it != given_.end()) {
      value = it->second;
    } else if (variable.init.has_value()) {
      value = Visit(variable.init);
    } else {
      sink_.Emit(kOverrideMissing, variable.name_span, variable.name);
    }
    if (value.has_value()) out_.variables[id] = value;
  }
}

// The size of its array, and the initializer of a private variable.
void OverrideEvaluator::EvaluateVariable(VariableId id) {
  const Variable variable = p_.variables[id];
  if (variable.init.has_value()) Visit(variable.init);
  const ExprId count = OverrideCount(variable.type);
  if (!count.has_value()) return;
  const bool is_known = out_.exprs.contains(count);  // two variables may share a type
  const ConstantId value = Visit(count);
  if (!value.has_value() || is_known || p_.constants[value].i > 0) return;
  sink_.Emit(kArrayCountTooSmall, p_.ast.exprs[count].span, p_.constants[value].i);
  Explain(count);
}

void OverrideEvaluator::EvaluateWorkgroupSize(const Function& function) {
  for (const ExprId size : function.workgroup_size) {
    if (!size.has_value()) continue;
    const ConstantId value = Visit(size);
    if (!value.has_value() || p_.constants[value].i > 0) continue;
    sink_.Emit(kWorkgroupSizeTooSmall, p_.ast.exprs[size].span, p_.constants[value].i);
    Explain(size);
  }
}

OverrideValues OverrideEvaluator::Run(const std::map<std::string, double>& given) {
  ConvertGiven(given);
  // A value that is wrong leaves its override without one: what depends on it cannot be judged.
  if (sink_.has_errors()) return {};
  FindReachable();
  EvaluateUsedOverrides();
  if (sink_.has_errors()) return {};
  const Function entry = p_.functions[entry_];
  for (const VariableId id : globals_) {
    if (p_.variables[id].kind == VariableKind::kVar) EvaluateVariable(id);
  }
  EvaluateWorkgroupSize(entry);
  for (const FunctionId function : reachable_) VisitStatements(p_.functions[function].body);
  return std::move(out_);
}

std::optional<OverrideValues> EvaluateOverrides(Program& program, FunctionId entry,
                                                const std::map<std::string, double>& given,
                                                diag::Sink& sink) {
  OverrideValues values = OverrideEvaluator(program, entry, sink).Run(given);
  if (sink.has_errors()) return std::nullopt;
  return values;
}

}  // namespace lockstep::wgsl
