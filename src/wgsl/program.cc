// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "wgsl/program.h"

namespace lockstep::wgsl {

FunctionId Program::FindEntryPoint(std::string_view name) const {
  for (uint32_t i = 0; i < functions.size(); ++i) {
    const Function& function = functions[FunctionId(i)];
    if (function.is_entry_point && function.name == name) return FunctionId(i);
  }
  return FunctionId::None();
}

}  // namespace lockstep::wgsl
