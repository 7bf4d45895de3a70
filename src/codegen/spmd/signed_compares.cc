// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "codegen/spmd/signed_compares.h"

#include "ir/analysis/divergence.h"
#include "ir/analysis/ranges.h"
#include "ir/builder.h"

namespace lockstep::codegen {

using ir::BlockId;
using ir::InstId;
using ir::Module;
using ir::Op;
using ir::TypeId;
using ir::ValueId;

namespace {

struct State {
  Module& module;
  const ir::DivergenceInfo divergence;
  const ir::RangeInfo ranges;

  bool Fits(ValueId v) const {
    uint32_t bits = 0;
    if (module.ConstantScalar(v, &bits)) return bits <= INT32_MAX;
    return ranges.Of(v).umax <= INT32_MAX;
  }

  bool Wanted(InstId inst) const {
    const Op op = module.insts[inst].op;
    if (op != Op::kLt && op != Op::kLe && op != Op::kGt && op != Op::kGe) return false;
    const ValueId a = module.operands(inst)[0], b = module.operands(inst)[1];
    if (module.type_of(a) != module.types.U32() || (divergence.IsUniform(a) && divergence.IsUniform(b)))
      return false;
    return Fits(a) && Fits(b);
  }

  ValueId AsSigned(ValueId v, InstId user, std::vector<InstId>& out) {
    uint32_t bits = 0;
    const TypeId i32 = module.types.I32();
    if (module.ConstantScalar(v, &bits)) return module.ConstantBits(i32, bits);
    const ValueId operands[] = {v};
    const TypeId types[] = {i32};
    out.push_back(module.MakeInst(Op::kBitcast, operands, types, 0, {}, module.span(user)));
    return module.result(out.back());
  }

  void VisitBlock(BlockId block) {
    const std::vector<InstId> insts = module.blocks[block].insts;
    std::vector<InstId> out;
    out.reserve(insts.size());
    for (const InstId inst : insts) {
      if (Wanted(inst)) {
        const ValueId a = module.operands(inst)[0], b = module.operands(inst)[1];
        const ValueId operands[] = {AsSigned(a, inst, out), AsSigned(b, inst, out)};
        module.SetOperands(inst, operands);
      }
      out.push_back(inst);
      for (size_t i = 0; i < module.regions(inst).size(); ++i) VisitBlock(module.regions(inst)[i]);
    }
    module.blocks[block].insts = std::move(out);
  }
};

}  // namespace

void UseSignedCompares(Module& module) {
  State state{module, ir::AnalyzeDivergence(module), ir::AnalyzeRanges(module)};
  for (uint32_t i = 0; i < module.functions.size(); ++i)
    state.VisitBlock(module.functions[ir::FunctionId(i)].body);
}

}  // namespace lockstep::codegen
