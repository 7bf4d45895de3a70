// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "wgsl/program.h"

#include <algorithm>

namespace lockstep::wgsl {

FunctionId Program::FindEntryPoint(std::string_view name) const {
  for (uint32_t i = 0; i < functions.size(); ++i) {
    const Function& function = functions[FunctionId(i)];
    if (function.is_entry_point && function.name == name) return FunctionId(i);
  }
  return FunctionId::None();
}

std::vector<VariableId> Program::GlobalsOf(ast::DeclId decl) const {
  std::vector<VariableId> globals;
  std::vector<bool> seen(mentions.size());
  std::vector<ast::DeclId> reached = {decl};
  seen[decl.index] = true;
  for (size_t i = 0; i < reached.size(); ++i) {
    const uint32_t at = reached[i].index;
    if (variable_of_decl[at].has_value()) globals.push_back(variable_of_decl[at]);
    for (const ast::DeclId next : mentions[at]) {
      if (!seen[next.index]) reached.push_back(next);
      seen[next.index] = true;
    }
  }
  std::sort(globals.begin(), globals.end());
  return globals;
}

}  // namespace lockstep::wgsl
