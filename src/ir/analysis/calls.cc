// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/analysis/calls.h"

#include <utility>

namespace lockstep::ir {

std::vector<FunctionId> CalleesFirst(const Module& module) {
  std::vector<std::vector<uint32_t>> callees(module.functions.size());
  for (uint32_t i = 0; i < callees.size(); ++i) {
    ForEachInst(module, module.functions[FunctionId(i)].body, [&](InstId inst) {
      if (module.insts[inst].op == Op::kCall) callees[i].push_back(module.insts[inst].imm);
    });
  }
  std::vector<FunctionId> order;
  std::vector<bool> seen(callees.size(), false);
  std::vector<std::pair<uint32_t, size_t>> stack;
  for (uint32_t root = 0; root < callees.size(); ++root) {
    if (seen[root]) continue;
    seen[root] = true;
    stack.emplace_back(root, 0);
    while (!stack.empty()) {
      const uint32_t f = stack.back().first;
      if (stack.back().second == callees[f].size()) {
        order.push_back(FunctionId(f));
        stack.pop_back();
        continue;
      }
      const uint32_t callee = callees[f][stack.back().second++];
      if (seen[callee]) continue;
      seen[callee] = true;
      stack.emplace_back(callee, 0);
    }
  }
  return order;
}

std::vector<bool> FunctionsWithBarriers(const Module& module) {
  std::vector<bool> holds(module.functions.size(), false);
  for (const FunctionId f : CalleesFirst(module)) {
    bool found = false;
    ForEachInst(module, module.functions[f].body, [&](InstId id) {
      const Inst& inst = module.insts[id];
      found |=
          inst.op == Op::kBarrier || inst.op == Op::kUniformLoad || (inst.op == Op::kCall && holds[inst.imm]);
    });
    holds[f.index] = found;
  }
  return holds;
}

}  // namespace lockstep::ir
