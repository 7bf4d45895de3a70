// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "codegen/spmd/structure.h"

#include <algorithm>

#include "ir/analysis/calls.h"

namespace lockstep::codegen {

using ir::BlockId;
using ir::FunctionId;
using ir::InstId;
using ir::Module;
using ir::Op;

namespace {

struct State {
  const Module& module;
  const uint32_t max_nesting;
  Structure out;
  const std::vector<bool> holds_barrier;  // by FunctionId
  std::vector<uint32_t> barriers;         // their numbers, and those of calls that hold one; ascending
  bool too_deep = false;

  void Walk(BlockId block, FunctionId function, InstId parent, uint32_t depth) {
    if (depth > max_nesting) {
      too_deep = true;
      return;
    }
    for (const InstId inst : module.blocks[block].insts) {
      Structure::Place place;
      place.parent = parent;
      place.function = function;
      place.begin = static_cast<uint32_t>(out.order.size());
      out.order.push_back(inst);
      if (IsBarrier(inst)) barriers.push_back(place.begin);
      for (const BlockId region : module.regions(inst)) Walk(region, function, inst, depth + 1);
      place.end = static_cast<uint32_t>(out.order.size() - 1);
      out.places.Set(inst, place);
    }
    const auto last = static_cast<uint32_t>(out.order.size() - 1);
    for (const InstId inst : module.blocks[block].insts) {
      Structure::Place place = out.places.Get(inst);
      place.block_end = last;
      out.places.Set(inst, place);
    }
  }

  bool IsBarrier(InstId inst) const {
    const Op op = module.insts[inst].op;
    return op == Op::kBarrier || op == Op::kUniformLoad || op == Op::kWatchBarrier ||
           (op == Op::kCall && holds_barrier[module.insts[inst].imm]);
  }

  void FindFunctions() {
    std::vector<bool> reached(module.functions.size(), false);
    reached[module.entry.index] = true;
    const std::vector<FunctionId> order = ir::CalleesFirst(module);
    for (size_t i = order.size(); i-- > 0;) {
      if (!reached[order[i].index]) continue;
      out.functions.push_back(order[i]);
      if (holds_barrier[order[i].index]) out.workgroup_functions.Set(order[i], 1);
      ForEachInst(module, module.functions[order[i]].body, [&](InstId inst) {
        if (module.insts[inst].op == Op::kCall) reached[module.insts[inst].imm] = true;
      });
    }
  }

  bool BarrierBetween(uint32_t after, uint32_t last) const {
    const auto it = std::upper_bound(barriers.begin(), barriers.end(), after);
    return it != barriers.end() && *it <= last;
  }

  // Marks barriers and what holds one.
  void MarkHolders() {
    for (const uint32_t number : barriers) {
      InstId inst = out.order[number];
      while (inst.has_value() && out.workgroup_level.Get(inst) == 0) {
        out.workgroup_level.Set(inst, 1);
        inst = out.parent(inst);
      }
    }
  }

  // Marks the constructs between `jump` and its target where the jump decides about a barrier: one that
  // follows in the block of such a construct, or that stands in a loop which the jump ends or continues.
  void MarkDeciders(InstId jump) {
    const InstId target = JumpTarget(module, jump);
    // From outside in, so that a loop with barriers is known before what stands in it.
    std::vector<InstId> between;
    for (InstId c = out.parent(jump); c != target; c = out.parent(c)) between.push_back(c);
    bool decides = target.has_value() && HoldsBarrierLoop(target);
    for (auto it = between.rbegin(); it != between.rend(); ++it) {
      const Structure::Place place = out.places.Get(*it);
      decides |= BarrierBetween(place.end, place.block_end);
      if (decides) out.workgroup_level.Set(*it, 1);
      decides |= HoldsBarrierLoop(*it);
    }
  }

  bool HoldsBarrierLoop(InstId construct) const {
    const Structure::Place place = out.places.Get(construct);
    return module.insts[construct].op == Op::kLoop && BarrierBetween(place.begin, place.end);
  }
};

}  // namespace

InstId JumpTarget(const Module& module, InstId jump) {
  const ir::Inst& inst = module.insts[jump];
  const bool targeted = inst.op == Op::kExit || inst.op == Op::kContinue || inst.op == Op::kNext;
  return targeted ? InstId(inst.imm) : InstId::None();
}

Result<Structure> AnalyzeStructure(const Module& module, uint32_t max_nesting) {
  State state{module, max_nesting, {}, ir::FunctionsWithBarriers(module), {}};
  state.FindFunctions();
  for (const FunctionId id : state.out.functions) {
    state.Walk(module.functions[id].body, id, InstId::None(), 0);
  }
  if (state.too_deep) {
    return Failure{FailureKind::kProgram, "the shader nests control flow deeper than 1000 levels"};
  }
  if (state.barriers.empty()) return std::move(state.out);
  state.MarkHolders();
  for (const InstId inst : state.out.order) {
    if (ir::IsExit(module.insts[inst].op) && module.insts[inst].op != Op::kUnreachable &&
        state.out.workgroup_functions.Get(state.out.places.Get(inst).function) != 0) {
      state.MarkDeciders(inst);
    }
  }
  return std::move(state.out);
}

}  // namespace lockstep::codegen
