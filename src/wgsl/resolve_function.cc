// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Function declarations (WGSL #functions).
#include <algorithm>

#include "wgsl/diagnostics.h"
#include "wgsl/resolver.h"

namespace lockstep::wgsl {
namespace {

constexpr size_t kMaxParams = 255;  // WGSL #limits

}  // namespace

void Resolver::FunctionDecl(DeclId id) {
  const ast::Decl& decl = DeclOf(id);
  callees_.clear();
  function_vars_.clear();
  stage_uses_.clear();
  control_flow_error_ = false;
  Function function;
  function.name = NameOf(decl.name);
  function.name_span = decl.name_span;
  function.decl = id;
  function.body = decl.body;
  const AttributeSet attributes = Attributes(decl.attributes, kOnFunction);
  StageAttributes(function, decl, attributes);
  PushScope();
  const size_t errors_before_header = sink_.error_count();
  Parameters(function, decl);
  ResultType(function, decl);
  BindParameters(function, decl);
  if (const ast::Attribute* must_use = attributes[AttributeKind::kMustUse];
      must_use != nullptr && !decl.return_type.has_value()) {
    sink_.Emit(kMustUseWithoutResult, must_use->span);
  }
  const bool header_ok = sink_.error_count() == errors_before_header;
  result_type_ = function.result;
  FunctionBody(decl);
  PopScope();
  CheckVariableBytes(decl);
  function.callees = callees_;
  for (const FunctionId callee : callees_) {
    if (const auto it = stage_uses_of_.find(callee.index); it != stage_uses_of_.end())
      stage_uses_.insert(it->second.begin(), it->second.end());
  }
  if (!control_flow_error_) AnalyzeBehaviors(program_, function, sink_);
  if (function.is_entry_point && header_ok) CheckEntryPoint(function);
  if (function.is_entry_point) CheckStageUses(function);
  const FunctionId added = program_.functions.Add(std::move(function));
  if (!stage_uses_.empty()) stage_uses_of_.emplace(added.index, stage_uses_);
  SetEntity(id, EntityKind::kFunction, added.index);
}

void Resolver::Parameters(Function& function, const ast::Decl& decl) {
  if (decl.params.size() > kMaxParams)
    sink_.Emit(kTooManyParams, decl.name_span, function.name, decl.params.size(), kMaxParams);
  for (const DeclId param_id : decl.params) {
    const ast::Decl& param = DeclOf(param_id);
    Variable variable;
    variable.kind = VariableKind::kParam;
    variable.name = NameOf(param.name);
    variable.name_span = param.name_span;
    variable.decl = param_id;
    variable.type = TypeOf(param.type);
    if (variable.type.has_value() && !types().IsConstructible(variable.type) &&
        !types().IsPointer(variable.type) && !types().IsHandle(variable.type)) {
      sink_.Emit(kParamType, SpanOf(param.type), TypeText(variable.type));
      variable.type = TypeId::None();
    }
    const AttributeSet attributes = Attributes(param.attributes, kOnParam);
    if (!function.is_entry_point) {
      for (const ast::Attribute* attribute : attributes.by_kind) {
        if (attribute != nullptr)
          sink_.Emit(kIoAttributeOnFunction, attribute->span, NameOf(attribute->name), function.name);
      }
    } else {
      EntryParameter(function, variable, attributes);
    }
    function.params.push_back(program_.variables.Add(std::move(variable)));
  }
}

void Resolver::EntryParameter(Function& function, Variable& variable, const AttributeSet& attributes) {
  for (const AttributeKind kind :
       {AttributeKind::kLocation, AttributeKind::kInterpolate, AttributeKind::kInvariant}) {
    if (attributes[kind] == nullptr || function.stage != "compute") continue;
    sink_.Emit(kIoAttributeInCompute, attributes[kind]->span, NameOf(attributes[kind]->name));
    return;
  }
  const IoAttributes io = ReadIo(attributes, variable.type);
  variable.builtin = io.builtin;
  AddToInterface(function.inputs, {variable.name, variable.type, io, variable.name_span, {}});
}

// Only now: a parameter is in scope in the body alone, so that neither a later parameter's type nor the
// result's can mean it (WGSL #declaration-and-scope).
void Resolver::BindParameters(const Function& function, const ast::Decl& decl) {
  for (size_t i = 0; i < decl.params.size(); ++i) {
    const ast::Decl& param = DeclOf(decl.params[i]);
    Bind(param.name, param.name_span, function.params[i]);
  }
}

void Resolver::ResultType(Function& function, const ast::Decl& decl) {
  function.result = types().Void();
  const AttributeSet attributes = Attributes(decl.return_attributes, kOnResult);
  if (!function.is_entry_point) {
    for (const ast::Attribute* attribute : attributes.by_kind) {
      if (attribute != nullptr)
        sink_.Emit(kIoAttributeOnFunction, attribute->span, NameOf(attribute->name), function.name);
    }
  }
  if (!decl.return_type.has_value()) return;
  function.result = TypeOf(decl.return_type);
  if (function.result.has_value() && !types().IsConstructible(function.result)) {
    sink_.Emit(kResultType, SpanOf(decl.return_type), TypeText(function.result));
    function.result = TypeId::None();
  }
  if (function.stage == "compute") {
    sink_.Emit(kComputeResult, SpanOf(decl.return_type), function.name);
  } else if (function.is_entry_point) {
    const IoAttributes io = ReadIo(attributes, function.result);
    AddToInterface(function.outputs, {"", function.result, io, SpanOf(decl.return_type), {}});
  }
}

// The body's statements share the scope of the parameters (WGSL #function-declaration-sec).
void Resolver::FunctionBody(const ast::Decl& decl) {
  if (!decl.body.has_value()) return;
  StatementAttributes(StmtOf(decl.body).attributes);
  Statements(StmtOf(decl.body).stmts);
}

void Resolver::CheckVariableBytes(const ast::Decl& decl) {
  uint64_t bytes = 0;
  for (const VariableId id : function_vars_) {
    const Variable& variable = program_.variables[id];
    if (!variable.type.has_value()) continue;
    const uint64_t before = bytes;
    bytes += std::min<uint64_t>(types().SizeOf(variable.type), UINT32_MAX);
    if (before <= kMaxInvocationBytes && bytes > kMaxInvocationBytes) {
      sink_.Emit(kTooManyVariableBytes, variable.name_span, NameOf(decl.name), bytes, kMaxInvocationBytes);
    }
  }
}

}  // namespace lockstep::wgsl
