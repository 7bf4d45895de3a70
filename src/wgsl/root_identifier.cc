// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "wgsl/root_identifier.h"

namespace lockstep::wgsl {

void RootIdentifiers::Declare(VariableId variable, ast::ExprId init) {
  const Variable& v = program_.variables[variable];
  if (v.kind == VariableKind::kLet && program_.types.IsPointer(v.type)) lets_[variable] = Of(init);
}

VariableId RootIdentifiers::Of(ast::ExprId id) const {
  while (id.has_value()) {
    const ast::Expr& e = program_.ast.exprs[id];
    if (e.kind == ast::ExprKind::kIdentifier) {
      const VariableId variable = program_.info(id).variable;
      const auto let = lets_.find(variable);
      return let == lets_.end() ? variable : let->second;
    }
    id = e.a;
  }
  return {};
}

}  // namespace lockstep::wgsl
