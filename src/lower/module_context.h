// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// What the functions of one module share while it is lowered: types, constants, module-scope variables and
// functions, each translated once.
#pragma once

#include <unordered_map>
#include <vector>

#include "ir/module.h"
#include "wgsl/program.h"

namespace lockstep::lower {

class ModuleContext {
 public:
  ModuleContext(const wgsl::Program& program, const wgsl::OverrideValues& overrides);

  const wgsl::Program& program;
  const wgsl::OverrideValues& overrides;
  ir::Module module;

  // The store type of a reference, the type itself otherwise; a pointer stays one.
  ir::TypeId Type(wgsl::TypeId type);
  // Whether a value of the type is too large for the IR, so that it lives in memory.
  bool IsLarge(ir::TypeId type) const;
  bool IsLarge(wgsl::TypeId type) { return IsLarge(Type(type)); }

  ir::ValueId Constant(wgsl::ConstantId value);
  // The value of a const- or override-expression, None for one of run time.
  wgsl::ConstantId ConstantOf(wgsl::ast::ExprId expr) const;
  bool IsZero(ir::ValueId constant) const;
  // A constant that lies in memory: a private variable that nothing writes.
  ir::ValueId Table(ir::ValueId constant);

  void AddGlobals(const wgsl::Function& entry);
  ir::ValueId Global(wgsl::VariableId variable) const { return globals_.at(variable); }
  void SetFunction(wgsl::FunctionId id, ir::FunctionId function) { functions_[id] = function; }
  ir::FunctionId Function(wgsl::FunctionId id) const { return functions_.at(id); }

 private:
  ir::TypeId MakeType(wgsl::TypeId type);
  ir::TypeId MakeStruct(wgsl::TypeId type);
  ir::TypeId MakeArray(const wgsl::Type& type);
  ir::TypeId MakeTexture(const wgsl::Type& type);
  ir::ValueId MakeConstant(const wgsl::Constant& constant);

  std::unordered_map<wgsl::TypeId, ir::TypeId, IdHash> types_;
  std::unordered_map<wgsl::ConstantId, ir::ValueId, IdHash> constants_;
  std::unordered_map<ir::ValueId, ir::ValueId, IdHash> tables_;
  std::unordered_map<wgsl::VariableId, ir::ValueId, IdHash> globals_;
  std::unordered_map<wgsl::FunctionId, ir::FunctionId, IdHash> functions_;
};

ir::AddressSpace ToIr(wgsl::AddressSpace space);
ir::Access ToIr(wgsl::AccessMode access);

}  // namespace lockstep::lower
