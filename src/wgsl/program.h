// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// A resolved program: the syntax tree, and what the resolver found about each node. lower/ reads this and
// nothing else.
//
// How expressions read:
//   - `type` is the expression's own static type; a memory view (variable, a.b, a[i], *p) has a reference
//   type. Where
//     a value is needed the Load Rule applies: consumers load when `type` is a reference and a value is
//     wanted.
//   - `value` is set for every const-expression; it has the type `converted`.
//   - `converted`: the concrete type that the context asks for after implicit conversions (abstract numbers
//   become
//     i32, u32 or f32 ...). Equal to `type` without references where nothing converts. An expression whose
//     `converted` is abstract is used only inside other const-expressions: never lower it.
//   - An abstract expression that is not const does not exist (`1 << t`: the `1` is converted to i32).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "support/source.h"
#include "wgsl/ast.h"
#include "wgsl/builtin.h"
#include "wgsl/constant.h"
#include "wgsl/type.h"

namespace lockstep::wgsl {

struct VariableId : IdBase<VariableId> {
  using IdBase::IdBase;
};  // anything a name can stand for as a value
struct FunctionId : IdBase<FunctionId> {
  using IdBase::IdBase;
};

enum class Stage : uint8_t { kConst, kOverride, kRuntime };  // earliest evaluation (WGSL #early-eval-exprs)

enum class VariableKind : uint8_t { kVar, kLet, kConst, kOverride, kParam };

struct Variable {
  VariableKind kind = VariableKind::kLet;
  bool is_global = false;
  std::string name;
  TypeId type;  // a var: its store type; others: the value's type (a pointer for let p = &x)
  AddressSpace space = AddressSpace::kFunction;  // var
  AccessMode access = AccessMode::kReadWrite;    // var
  ast::ExprId init;                              // None where left out
  ConstantId value;                              // const; module-scope private var with a const initialiser
  std::optional<uint32_t> group, binding;        // resources
  std::optional<uint32_t> override_id;           // @id
  std::string builtin;                           // a parameter of an entry point with @builtin(name)
  ast::DeclId decl;
  Span name_span;
};

enum class ExprUse : uint8_t {
  kNone,          // literal, operator, index, member: the tree says all
  kVariable,      // identifier -> variable
  kTypeName,      // identifier that names a type: as callee, template argument
  kCallFunction,  // call -> function
  kCallBuiltin,   // call -> builtin (which one, and its overload's parameter types by the arguments'
                  // `converted`)
  kConstruct,     // call -> type constructor: a value of `type` from parts, per WGSL
                  // #value-constructor-builtin-function (vector parts may be vectors; a single scalar to a
  // vector splats; matrix from scalars or columns; a vector or matrix from another of its shape
  // converts component by component)
  kConvert,       // call -> one scalar to another scalar type
  kZeroValue,     // call -> T()
  kSwizzle,       // member -> several components of a vector; `swizzle`
  kComponent,     // member -> one component of a vector; part
  kStructMember,  // member -> member of a struct; part
};

struct ExprInfo {
  TypeId type;
  TypeId converted;
  ConstantId value;
  Stage stage = Stage::kRuntime;
  ExprUse use = ExprUse::kNone;
  VariableId variable;
  FunctionId function;
  Builtin builtin = Builtin::kNone;
  uint32_t part = 0;
  std::array<uint8_t, 4> swizzle = {0, 0, 0, 0};
  uint8_t swizzle_count = 0;
  // A member or index expression on a pointer (pointer_composite_access): `p.x` means `(*p).x`.
  bool through_pointer = false;
};

struct StmtInfo {
  VariableId variable;  // kDeclare
  std::vector<std::vector<ConstantId>>
      selectors;         // kSwitch: by case; None for default; all of the selector's type
  TypeId selector_type;  // kSwitch, concrete
  // Behaviours (WGSL #behaviors) a statement can have.
  bool can_next = true, can_break = false, can_continue = false, can_return = false;
};

// An input or output of an entry point: a parameter, the result, or a member of a structure that is one.
struct StageVariable {
  std::string name;  // empty for a result that is no structure
  TypeId type;
  IoAttributes io;
  Span span;       // of the name, or of the result's type
  Span structure;  // of the parameter or result whose member it is
};

struct Function {
  std::string name;
  std::vector<VariableId> params;
  TypeId result;  // void for none
  ast::StmtId body;
  ast::DeclId decl;
  Span name_span;
  bool is_entry_point = false;
  std::string stage;                           // "compute", "vertex", "fragment"
  std::vector<StageVariable> inputs, outputs;  // of an entry point, in the order of the text
  // @workgroup_size: const or override expressions, None = 1.
  std::array<ast::ExprId, 3> workgroup_size;
  std::vector<FunctionId> callees;  // direct, without repeats
};

struct Program {
  const SourceFile* file = nullptr;  // outlives the program
  ast::Module ast;
  TypeTable types;
  ConstantTable constants;
  Store<VariableId, Variable> variables;
  Store<FunctionId, Function> functions;  // callees before callers
  std::vector<VariableId> overrides;      // in the order of the text
  std::vector<VariableId> global_vars;    // module-scope var, in the order of the text
  std::vector<std::string> enabled_extensions;

  const ExprInfo& info(ast::ExprId id) const { return expr_info_storage[id.index]; }
  ExprInfo& info(ast::ExprId id) { return expr_info_storage[id.index]; }
  const StmtInfo& info(ast::StmtId id) const { return stmt_info_storage[id.index]; }
  StmtInfo& info(ast::StmtId id) { return stmt_info_storage[id.index]; }
  FunctionId FindEntryPoint(std::string_view name) const;
  // Module-scope vars and overrides that the declaration needs: what it mentions, what that mentions, and so
  // on; sorted. Walked anew at each call: kept for every function, the lists of a long chain would fill the
  // memory.
  std::vector<VariableId> GlobalsOf(ast::DeclId decl) const;

  std::vector<ExprInfo> expr_info_storage;  // by ExprId
  std::vector<StmtInfo> stmt_info_storage;  // by StmtId
  std::vector<std::vector<ast::DeclId>>
      mentions;                              // by DeclId: module-scope declarations that it names, once each
  std::vector<VariableId> variable_of_decl;  // by DeclId: of module-scope vars and overrides
};

struct CompileOptions {
  std::vector<std::string> features;  // GPUFeatureName of the device: what `enable` may ask for
};

// Parse, resolve, check (types, const evaluation, behaviours, aliasing, uniformity). None where the sink has
// errors. `file` must outlive the program.
// Names of the language features that programs may require (#language-extensions-sec).
std::vector<std::string> OfferedLanguageFeatures();

std::optional<Program> Compile(const SourceFile& file, const CompileOptions& options, diag::Sink& sink);

// --- the stages of Compile, each in its own file ---
// Names, types, layouts, constants, behaviours, statements. (resolver.cc and its neighbours)
std::optional<Program> Resolve(const SourceFile& file, ast::Module module, const CompileOptions& options,
                               diag::Sink& sink);
// WGSL #uniformity. (uniformity.cc)
void CheckUniformity(const Program& program, diag::Sink& sink);
// WGSL #alias-analysis: root-identifier aliasing of pointer arguments. (alias.cc)
void CheckAliasing(const Program& program, diag::Sink& sink);

// --- pipeline creation: override-expressions for given override values (WGSL #pipeline-overridable) ---
class OverrideValues {
 public:
  // The value of a const- or override-expression, of its `converted` type; None for runtime expressions and
  // errors.
  ConstantId Value(ast::ExprId id) const;
  ConstantId Value(VariableId override_variable) const;
  std::unordered_map<ast::ExprId, ConstantId, IdHash> exprs;
  std::unordered_map<VariableId, ConstantId, IdHash> variables;
};

// Evaluates what `entry` statically uses: overrides (`given` by @id as decimal text, or by name; numbers
// convert as in WebGPU), their initialisers, workgroup sizes, sizes of override-sized arrays, and every
// override-expression in reachable functions, so that errors at pipeline creation (overflow, bad index,
// division by zero, zero array size) are found. Interns into `program.constants`. None where the sink has
// errors.
std::optional<OverrideValues> EvaluateOverrides(Program& program, FunctionId entry,
                                                const std::map<std::string, double>& given, diag::Sink& sink);

}  // namespace lockstep::wgsl
