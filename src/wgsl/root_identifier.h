// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// The root identifier of a memory view or pointer (WGSL: #root-ident-sec): the variable or pointer parameter
// that the expression starts from, seen through the lets of a function that hold pointers.
#pragma once

#include <unordered_map>

#include "wgsl/program.h"

namespace lockstep::wgsl {

class RootIdentifiers {
 public:
  explicit RootIdentifiers(const Program& program) : program_(program) {}

  void Clear() { lets_.clear(); }  // at a function's start
  // Remembers what `variable` points to where it is a let that holds a pointer; ignores other declarations.
  void Declare(VariableId variable, ast::ExprId init);
  // None where the expression starts from no name.
  VariableId Of(ast::ExprId id) const;

 private:
  const Program& program_;
  std::unordered_map<VariableId, VariableId, IdHash> lets_;
};

}  // namespace lockstep::wgsl
