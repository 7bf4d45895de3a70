// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/transform/expand_math.h"

#include <optional>

#include "ir/transform/expand_math_emit.h"
#include "ir/transform/rewrite.h"

namespace lockstep::ir {
namespace {

using math::Val;

struct UnaryExpansion {
  Op op;
  Val (*expand)(Val);
};

// Correctly rounded steps, so at most 1 ulp; special values come out of them as they should.
Val InverseSqrt(Val x) { return 1.0f / math::Sqrt(x); }

constexpr UnaryExpansion kUnaries[] = {
    {Op::kInverseSqrt, InverseSqrt}, {Op::kSin, math::Sin},     {Op::kCos, math::Cos},
    {Op::kTan, math::Tan},           {Op::kAsin, math::Asin},   {Op::kAcos, math::Acos},
    {Op::kAtan, math::Atan},         {Op::kSinh, math::Sinh},   {Op::kCosh, math::Cosh},
    {Op::kTanh, math::Tanh},         {Op::kAsinh, math::Asinh}, {Op::kAcosh, math::Acosh},
    {Op::kAtanh, math::Atanh},       {Op::kExp, math::Exp},     {Op::kExp2, math::Exp2},
    {Op::kLog, math::Log},           {Op::kLog2, math::Log2},
};

bool NeedsExpansion(Op op) {
  for (const UnaryExpansion& row : kUnaries) {
    if (row.op == op) return true;
  }
  return op == Op::kAtan2 || op == Op::kPow;
}

struct State {
  Module& module;
  Replacements replacements;
  bool changed = false;

  // Appends the expansion of `inst` with `b` and gives the value that takes its result's place.
  ValueId Expand(InstId inst, Builder* b) {
    const Op op = module.insts[inst].op;
    const TypeId type = module.type_of(module.result(inst));
    const TypeId f32_shape = module.types.WithScalar(type, module.types.F32());
    std::vector<Val> x;
    for (const ValueId operand :
         std::vector<ValueId>(module.operands(inst).begin(), module.operands(inst).end())) {
      x.push_back({b, b->Convert(f32_shape, operand)});
    }
    return b->Convert(type, ExpandF32(op, x).id);
  }

  static Val ExpandF32(Op op, const std::vector<Val>& x) {
    if (op == Op::kAtan2) return math::Atan2(x[0], x[1]);
    if (op == Op::kPow) return math::Pow(x[0], x[1]);
    for (const UnaryExpansion& row : kUnaries) {
      if (row.op == op) return row.expand(x[0]);
    }
    UNREACHABLE("not an operation to expand");
  }

  void RunOn(BlockId block, BlockId scratch) {
    std::vector<InstId> kept;
    const std::vector<InstId> insts = std::move(module.blocks[block].insts);
    for (const InstId inst : insts) {
      if (!NeedsExpansion(module.insts[inst].op)) {
        kept.push_back(inst);
        continue;
      }
      Builder b(&module, scratch);
      b.set_span(module.span(inst));
      const ValueId old = module.result(inst);
      const ValueId value = Expand(inst, &b);
      if (module.name_of(value).empty() && !module.is_constant(value)) {
        module.set_name(value, std::string(module.name_of(old)));
      }
      replacements.Replace(old, value);
      std::vector<InstId>& expansion = module.blocks[scratch].insts;
      kept.insert(kept.end(), expansion.begin(), expansion.end());
      expansion.clear();
      changed = true;
    }
    module.blocks[block].insts = std::move(kept);
  }
};

bool HasMath(const Module& module, BlockId block) {
  for (const InstId inst : module.blocks[block].insts) {
    if (NeedsExpansion(module.insts[inst].op)) return true;
  }
  return false;
}

}  // namespace

bool ExpandMath(Module& module) {
  State state{module, {}};
  BlockId scratch;
  // Only blocks that functions reach: earlier passes leave others behind, which may still list instructions
  // that they moved elsewhere.
  std::vector<BlockId> blocks;
  for (const Function& function : module.functions) blocks.push_back(function.body);
  ForEachInst(module, [&](InstId inst) {
    blocks.insert(blocks.end(), module.regions(inst).begin(), module.regions(inst).end());
  });
  for (const BlockId block : blocks) {
    if (!HasMath(module, block)) continue;
    if (!scratch.has_value()) scratch = module.AddBlock();
    state.RunOn(block, scratch);
  }
  state.replacements.Apply(module);
  return state.changed;
}

}  // namespace lockstep::ir
