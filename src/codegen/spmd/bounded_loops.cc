// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "codegen/spmd/bounded_loops.h"

#include <optional>

namespace lockstep::codegen {

using ir::BlockId;
using ir::InstId;
using ir::Module;
using ir::Op;
using ir::ValueId;

namespace {

struct Finder {
  LaneKernel& kernel;
  const Module& module;

  // A counter: body parameter `index` starts at a constant and the back edge adds a constant.
  bool Counter(InstId loop, ValueId param, uint32_t* start, uint32_t* step) const {
    const std::vector<ValueId>& params = module.blocks[module.regions(loop)[0]].params;
    for (size_t i = 0; i < params.size(); ++i) {
      if (params[i] != param) continue;
      const InstId next = module.terminator(module.regions(loop)[1]);
      if (module.insts[next].op != Op::kNext) return false;
      const InstId add = module.defining_inst(module.operands(next)[i]);
      if (!add.has_value() || module.insts[add].op != Op::kAdd ||
          CarriedParam(loop, module.operands(add)[0]) != param) {
        return false;
      }
      return module.ConstantScalar(module.operands(loop)[i], start) &&
             module.ConstantScalar(module.operands(add)[1], step);
    }
    return false;
  }

  // The body's parameter that `v` is: itself, or what every `continue` gives the continuing block for it.
  // There is only one `continue` where this matters: the one that ends the body.
  ValueId CarriedParam(InstId loop, ValueId v) const {
    const std::vector<ValueId>& params = module.blocks[module.regions(loop)[1]].params;
    for (size_t i = 0; i < params.size(); ++i) {
      if (params[i] != v) continue;
      const InstId last = module.terminator(module.regions(loop)[0]);
      const bool direct = module.insts[last].op == Op::kContinue && InstId(module.insts[last].imm) == loop;
      return direct && OneContinue(loop) ? module.operands(last)[i] : ValueId::None();
    }
    return v;
  }

  ValueId WithoutCast(ValueId v) const {
    const InstId def = module.defining_inst(v);
    return def.has_value() && module.insts[def].op == Op::kBitcast ? module.operands(def)[0] : v;
  }

  bool OneContinue(InstId loop) const {
    uint32_t count = 0;
    ForEachInst(module, module.regions(loop)[0], [&](InstId inst) {
      count += module.insts[inst].op == Op::kContinue && InstId(module.insts[inst].imm) == loop ? 1 : 0;
    });
    return count == 1;
  }

  // Rounds until `a op b` leaves the loop, where a counts up to a constant.
  std::optional<uint64_t> Rounds(InstId loop, InstId test, bool leaves_if) const {
    Op op = module.insts[test].op;
    uint32_t start = 0, step = 0, limit = 0;
    if (module.operands(test).size() != 2 || !module.ConstantScalar(module.operands(test)[1], &limit) ||
        !Counter(loop, CarriedParam(loop, WithoutCast(module.operands(test)[0])), &start, &step)) {
      return std::nullopt;
    }
    const bool upward = leaves_if ? op == Op::kGe || op == Op::kGt : op == Op::kLt || op == Op::kLe;
    const ir::TypeKind kind = module.types[module.type_of(module.operands(test)[0])].kind;
    if (!upward || (kind != ir::TypeKind::kU32 && kind != ir::TypeKind::kI32)) return std::nullopt;
    const bool is_signed = kind == ir::TypeKind::kI32;
    const int64_t from = is_signed ? int64_t{static_cast<int32_t>(start)} : int64_t{start};
    const int64_t to = is_signed ? int64_t{static_cast<int32_t>(limit)} : int64_t{limit};
    const int64_t by = is_signed ? int64_t{static_cast<int32_t>(step)} : int64_t{step};
    const int64_t top = is_signed ? INT32_MAX : UINT32_MAX;
    if (by <= 0 || to > top - by) return std::nullopt;  // must not wrap past the limit
    return to < from ? 1 : static_cast<uint64_t>((to - from) / by) + 2;
  }

  // Rounds of a loop whose body starts with its test (nothing before it may `continue`), or that has it in
  // its continuing block.
  std::optional<uint64_t> Trips(InstId loop) const {
    for (const BlockId block : module.regions(loop)) {
      for (const InstId inst : module.blocks[block].insts) {
        if (!IsConstruct(module.insts[inst].op)) continue;
        const InstId test = module.insts[inst].op == Op::kIf ? module.defining_inst(module.operands(inst)[0])
                                                             : InstId::None();
        if (test.has_value()) {
          for (const uint32_t arm : {0u, 1u}) {
            const BlockId arm_block = module.regions(inst)[arm];
            const InstId last = module.terminator(arm_block);
            const bool leaves = module.blocks[arm_block].insts.size() == 1 &&
                                module.insts[last].op == Op::kExit && InstId(module.insts[last].imm) == loop;
            if (leaves) return Rounds(loop, test, arm == 0);
          }
        }
        break;
      }
    }
    return std::nullopt;
  }

  // Rounds that the block's loops may take without asking; sets bounded_loops.
  uint64_t Walk(BlockId block) {
    uint64_t sum = 0;
    for (const InstId inst : module.blocks[block].insts) {
      if (module.insts[inst].op == Op::kCall) sum += kSoon;
      uint64_t inner = 0;
      for (const BlockId region : module.regions(inst)) inner += Walk(region);
      if (module.insts[inst].op == Op::kLoop) {
        const std::optional<uint64_t> trips = Trips(inst);
        const bool bounded =
            trips.has_value() && *trips <= kSoon && *trips * std::max<uint64_t>(inner, 1) <= kSoon;
        if (bounded) kernel.bounded_loops.Set(inst, 1);
        inner = bounded ? *trips * std::max<uint64_t>(inner, 1) : 1;
      }
      sum = std::min(sum + inner, kSoon * 2);
    }
    return sum;
  }
};

}  // namespace

void FindBoundedLoops(LaneKernel& kernel, const Structure& structure) {
  Finder finder{kernel, kernel.module};
  for (const ir::FunctionId function : structure.functions)
    finder.Walk(kernel.module.functions[function].body);
}

}  // namespace lockstep::codegen
