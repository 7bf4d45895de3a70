// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Variable and value declarations (WGSL #var-and-value), aliases and const_assert.
#include "wgsl/diagnostics.h"
#include "wgsl/resolver.h"

namespace lockstep::wgsl {

Span Resolver::TypeSpan(const ast::Decl& decl) const {
  return decl.type.has_value() ? SpanOf(decl.type) : decl.name_span;
}

bool Resolver::CheckConst(ExprId id, std::string_view what) {
  const Stage stage = info(id).stage;
  if (stage == Stage::kConst) return true;
  sink_.Emit(kNotConst, SpanOf(id), what,
             stage == Stage::kOverride ? "an override-expression" : "a runtime expression");
  return false;
}

bool Resolver::CheckOverride(ExprId id, std::string_view what) {
  if (info(id).stage != Stage::kRuntime) return true;
  sink_.Emit(kNotOverride, SpanOf(id), what);
  return false;
}

TypeId Resolver::DeclaredType(const ast::Decl& decl, bool keep_abstract) {
  const TypeId declared = TypeOf(decl.type);
  if (!decl.init.has_value()) {
    if (!decl.type.has_value()) sink_.Emit(kTypeOrInitializer, decl.name_span, NameOf(decl.name));
    return declared;
  }
  const TypeId value = Value(decl.init);
  if (decl.type.has_value()) {
    if (!declared.has_value() || !value.has_value()) return declared;
    const bool can_hold =
        types().IsConstructible(declared) || types().IsPointer(declared);  // else that is the error
    if (can_hold && !Coerce(decl.init, declared)) {
      sink_.Emit(kInitializerType, SpanOf(decl.init), TypeText(value), NameOf(decl.name), TypeText(declared))
          .Note(SpanOf(decl.type), "the type is declared here");
    }
    return declared;
  }
  if (!value.has_value() || keep_abstract) return value;
  Concretize(decl.init);
  return info(decl.init).converted;
}

// --- module scope ---

std::optional<Resolver::SpaceAndAccess> Resolver::VarTemplate(const ast::Decl& decl, bool is_global) {
  SpaceAndAccess result;
  const std::vector<ExprId> args(ast().list(decl.var_template).begin(), ast().list(decl.var_template).end());
  if (args.empty()) {
    if (!is_global) return SpaceAndAccess{AddressSpace::kFunction, AccessMode::kReadWrite};
    return result;
  }
  if (args.size() > 2) {
    sink_.Emit(kTemplateCount, SpanOf(args[2]), "var", "1 or 2", "s", args.size());
    return std::nullopt;
  }
  const std::optional<AddressSpace> space = AddressSpaceOf(args[0]);
  if (!space) return std::nullopt;
  result.space = *space;
  const bool is_function_space = *space == AddressSpace::kFunction;
  if (is_function_space == is_global) {
    sink_.Emit(is_global ? kFunctionSpaceAtModuleScope : kModuleSpaceInFunction, SpanOf(args[0]),
               AddressSpaceName(*space));
    return std::nullopt;
  }
  const bool read_only = *space == AddressSpace::kUniform || *space == AddressSpace::kStorage;
  result.access = read_only ? AccessMode::kRead : AccessMode::kReadWrite;
  if (args.size() == 2) {
    const std::optional<AccessMode> access = AccessModeOf(args[1]);
    if (!access) return std::nullopt;
    if (*space != AddressSpace::kStorage) {
      sink_.Emit(kAccessModeNotAllowed, SpanOf(args[1]));
      return std::nullopt;
    }
    if (*access == AccessMode::kWrite) {
      sink_.Emit(kStorageAccess, SpanOf(args[1]));
      return std::nullopt;
    }
    result.access = *access;
  }
  return result;
}

// Why a variable of that address space cannot hold a type; empty where it can (WGSL #var-and-value, the
// table).
std::string Resolver::StoreTypeProblem(AddressSpace space, AccessMode access, TypeId type) const {
  const TypeTable& table = types();
  if (table.IsPointer(type)) return "a pointer cannot be stored";
  if (table.IsHandle(type)) return "textures and samplers are variables without an address space";
  if (table.IsOverrideSizedArray(type) && space != AddressSpace::kWorkgroup) {
    return "only a 'workgroup' variable can be an array whose size is an override-expression";
  }
  switch (space) {
    case AddressSpace::kFunction:
    case AddressSpace::kPrivate:
      if (table.IsConstructible(type)) return "";
      if (table.ContainsAtomic(type))
        return "atomics live in 'workgroup' variables and read_write 'storage' buffers only";
      return "a runtime-sized array lives in a 'storage' buffer only";
    case AddressSpace::kWorkgroup:
      if (table.HasFixedFootprint(type)) return "";
      return "a runtime-sized array lives in a 'storage' buffer only";
    case AddressSpace::kUniform:
      if (!table.IsHostShareable(type)) return "'bool' has no defined size in a buffer: use 'u32'";
      if (table.IsConstructible(type)) return "";
      if (table.ContainsAtomic(type))
        return "atomics need read_write access, which a 'uniform' buffer does not have";
      return "a runtime-sized array lives in a 'storage' buffer only";
    case AddressSpace::kStorage:
      if (!table.IsHostShareable(type)) return "'bool' has no defined size in a buffer: use 'u32'";
      if (table.ContainsAtomic(type) && access == AccessMode::kRead)
        return "atomics need read_write access, as in 'var<storage, read_write>'";
      return "";
    case AddressSpace::kHandle:
      return "";
  }
  UNREACHABLE("address space");
}

void Resolver::CheckStoreType(const Variable& variable, Span at) {
  const std::string problem = StoreTypeProblem(variable.space, variable.access, variable.type);
  if (problem.empty()) return;
  std::string what = fmt::format("a '{}' variable", AddressSpaceName(variable.space));
  if (variable.space == AddressSpace::kFunction) what = "a local variable";
  sink_.Emit(kStoreType, at, what, TypeText(variable.type), problem);
}

void Resolver::VarAttributes(Variable& variable, const ast::Decl& decl) {
  const AttributeSet attributes = Attributes(decl.attributes, kOnVar);
  const bool is_handle =
      variable.space == AddressSpace::kHandle && variable.type.has_value() && types().IsHandle(variable.type);
  const bool is_resource =
      variable.space == AddressSpace::kUniform || variable.space == AddressSpace::kStorage || is_handle;
  for (const AttributeKind kind : {AttributeKind::kGroup, AttributeKind::kBinding}) {
    const ast::Attribute* attribute = attributes[kind];
    if (attribute == nullptr) continue;
    const std::optional<int64_t> value = AttributeInt(*attribute, NameOf(attribute->name));
    if (!is_resource) {
      if (variable.space != AddressSpace::kHandle)
        sink_.Emit(kNotAResource, attribute->span, NameOf(attribute->name));
      break;
    }
    if (value && *value < 0) {
      sink_.Emit(kAttributeNegative, SpanOf(ast().list(attribute->args)[0]), NameOf(attribute->name), *value);
    } else if (value) {
      (kind == AttributeKind::kGroup ? variable.group : variable.binding) = static_cast<uint32_t>(*value);
    }
  }
  const bool has_both = IsWritten(decl.attributes, "group") && IsWritten(decl.attributes, "binding");
  if (is_resource && !has_both) {
    sink_.Emit(kMissingBinding, decl.name_span, AddressSpaceName(variable.space), variable.name);
  }
}

void Resolver::VarInitializer(Variable& variable, const ast::Decl& decl) {
  variable.init = decl.init;
  if (!decl.init.has_value()) return;
  if (variable.space != AddressSpace::kPrivate && variable.space != AddressSpace::kFunction) {
    if (variable.space != AddressSpace::kHandle ||
        (variable.type.has_value() && types().IsHandle(variable.type)))
      sink_.Emit(kInitializerNotAllowed, SpanOf(decl.init), AddressSpaceName(variable.space));
    return;
  }
  if (variable.space != AddressSpace::kPrivate || !info(decl.init).type.has_value()) return;
  if (CheckOverride(decl.init, "the initializer of a 'private' variable"))
    variable.value = info(decl.init).value;
}

void Resolver::GlobalVar(DeclId id) {
  const ast::Decl& decl = DeclOf(id);
  const std::optional<SpaceAndAccess> where = VarTemplate(decl, true);
  Variable variable;
  variable.kind = VariableKind::kVar;
  variable.is_global = true;
  variable.name = NameOf(decl.name);
  variable.name_span = decl.name_span;
  variable.decl = id;
  if (where) {
    variable.space = where->space;
    variable.access = where->access;
  }
  variable.type = DeclaredType(decl, false);
  if (!where) return;  // stays poison
  VarAttributes(variable, decl);
  VarInitializer(variable, decl);
  if (!variable.type.has_value()) return;
  if (variable.space == AddressSpace::kHandle && !types().IsHandle(variable.type)) {
    sink_.Emit(kMissingAddressSpace, decl.name_span, variable.name);
    return;
  }
  if (variable.space == AddressSpace::kHandle)
    variable.access = AccessMode::kRead;
  else
    CheckStoreType(variable, TypeSpan(decl));
  const VariableId added = program_.variables.Add(std::move(variable));
  program_.global_vars.push_back(added);
  program_.variable_of_decl[id.index] = added;
  SetEntity(id, EntityKind::kVariable, added.index);
}

void Resolver::GlobalConst(DeclId id) {
  const VariableId added = LocalDeclaration(id);
  if (added.has_value()) SetEntity(id, EntityKind::kVariable, added.index);
}

void Resolver::Override(DeclId id) {
  const ast::Decl& decl = DeclOf(id);
  Variable variable;
  variable.kind = VariableKind::kOverride;
  variable.is_global = true;
  variable.name = NameOf(decl.name);
  variable.name_span = decl.name_span;
  variable.decl = id;
  variable.init = decl.init;
  variable.type = DeclaredType(decl, false);
  const AttributeSet attributes = Attributes(decl.attributes, kOnOverride);
  if (const ast::Attribute* attribute = attributes[AttributeKind::kId]) {
    if (const std::optional<int64_t> value = AttributeInt(*attribute, "id")) {
      const auto [it, is_new] = ids_.try_emplace(static_cast<uint32_t>(*value), id);
      if (*value < 0 || *value > 65535)
        sink_.Emit(kIdRange, SpanOf(ast().list(attribute->args)[0]), *value);
      else if (!is_new)
        sink_.Emit(kDuplicateId, attribute->span, *value)
            .Note(DeclOf(it->second).name_span, "the other override with it is here");
      else
        variable.override_id = static_cast<uint32_t>(*value);
    }
  }
  if (decl.init.has_value() && info(decl.init).type.has_value())
    CheckOverride(decl.init, "the initializer of an 'override'");
  if (!variable.type.has_value()) return;
  if (!types().IsScalar(variable.type)) {
    sink_.Emit(kOverrideType, TypeSpan(decl), TypeText(variable.type));
    return;
  }
  const VariableId added = program_.variables.Add(std::move(variable));
  program_.overrides.push_back(added);
  program_.variable_of_decl[id.index] = added;
  SetEntity(id, EntityKind::kVariable, added.index);
}

void Resolver::Alias(DeclId id) {
  const TypeId type = TypeOf(DeclOf(id).type);
  if (type.has_value()) SetEntity(id, EntityKind::kType, type.index);
}

void Resolver::ConstAssert(ExprId condition) {
  if (!condition.has_value()) return;
  const TypeId type = Value(condition);
  if (!type.has_value()) return;
  if (type != types().Bool()) {
    sink_.Emit(kConditionType, SpanOf(condition), "const_assert", TypeText(type));
    return;
  }
  if (!CheckConst(condition, "the condition of const_assert")) return;
  const ConstantId value = info(condition).value;
  if (value.has_value() && program_.constants[value].i == 0)
    sink_.Emit(kConstAssertFailed, SpanOf(condition));
}

// --- local declarations, and const at both scopes ---

VariableId Resolver::LocalDeclaration(DeclId id) {
  const ast::Decl& decl = DeclOf(id);
  Variable variable;
  variable.name = NameOf(decl.name);
  variable.name_span = decl.name_span;
  variable.decl = id;
  variable.init = decl.init;
  const bool is_const = decl.kind == ast::DeclKind::kConst;
  variable.is_global = current_global_ == id;
  variable.kind = is_const                           ? VariableKind::kConst
                  : decl.kind == ast::DeclKind::kLet ? VariableKind::kLet
                                                     : VariableKind::kVar;
  if (variable.kind == VariableKind::kVar) {
    LocalVar(variable, decl);
    return program_.variables.Add(std::move(variable));
  }
  variable.type = DeclaredType(decl, is_const);
  if (variable.type.has_value()) {
    const bool is_pointer = types().IsPointer(variable.type);
    if (!types().IsConstructible(variable.type) && (is_const || !is_pointer)) {
      sink_.Emit(kValueType, TypeSpan(decl), is_const ? "const" : "let", TypeText(variable.type));
      variable.type = TypeId::None();
    }
  }
  if (is_const && decl.init.has_value() && info(decl.init).type.has_value()) {
    if (CheckConst(decl.init, "the initializer of a 'const'"))
      variable.value = info(decl.init).value;
    else
      variable.type = TypeId::None();
  }
  return program_.variables.Add(std::move(variable));
}

void Resolver::LocalVar(Variable& variable, const ast::Decl& decl) {
  const std::optional<SpaceAndAccess> where = VarTemplate(decl, false);
  variable.space = AddressSpace::kFunction;
  variable.type = DeclaredType(decl, false);
  if (!where || !variable.type.has_value()) {
    variable.type = TypeId::None();
    return;
  }
  if (!StoreTypeProblem(variable.space, variable.access, variable.type).empty()) {
    CheckStoreType(variable, TypeSpan(decl));
    variable.type = TypeId::None();
  }
}

}  // namespace lockstep::wgsl
