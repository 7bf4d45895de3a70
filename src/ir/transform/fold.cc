// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/transform/fold.h"

#include <algorithm>
#include <vector>

#include "ir/builder.h"
#include "ir/transform/fold_rules.h"
#include "ir/transform/remove_unreachable.h"
#include "ir/transform/rewrite.h"

namespace lockstep::ir {
namespace {

class State {
 public:
  explicit State(Module& module) : m_(module) {}

  bool Run() {
    exits_.assign(m_.insts.size(), 0);
    continues_.assign(m_.insts.size(), 0);
    ForEachInst(m_, [&](InstId id) {
      const Inst& inst = m_.insts[id];
      if (inst.op == Op::kExit) ++exits_[inst.imm];
      if (inst.op == Op::kContinue) ++continues_[inst.imm];
    });
    for (uint32_t i = 0; i < m_.functions.size(); ++i) {
      const BlockId body = m_.functions[FunctionId(i)].body;
      const std::vector<InstId> old = std::move(m_.blocks[body].insts);
      m_.blocks[body].insts.clear();
      Walk(old, body, InstId::None());
    }
    const bool cut = RemoveUnreachable(m_);
    return changed_ || cut;
  }

 private:
  // Appends what becomes of `insts` to `out`. `spliced`: the construct whose region they were; an exit to it
  // at their end goes on behind it. True where a jump ended the block.
  bool Walk(const std::vector<InstId>& insts, BlockId out, InstId spliced) {
    for (const InstId id : insts) {
      replacements_.ApplyTo(m_, id);
      const Inst inst = m_.insts[id];
      if (IsExit(inst.op)) {
        if (inst.op == Op::kExit && spliced.has_value() && inst.imm == spliced.index) {
          BecomeResults(spliced, id);
          return false;
        }
        m_.blocks[out].insts.push_back(id);
        return true;
      }
      if (KindOf(inst.op) == OpKind::kControl) {
        if (WalkControl(id, out)) return true;
        continue;
      }
      if (EffectOf(inst.op) == Effect::kPure && inst.results.count == 1) {
        Builder b(&m_, out);
        b.set_span(m_.span(id));
        const ValueId value = FoldFully(b, id);
        if (value.has_value()) {
          Become(m_.result(id), value);
          continue;
        }
      }
      m_.blocks[out].insts.push_back(id);
    }
    return false;
  }

  // Folds `inst`, and the instruction that it becomes, for a few steps.
  ValueId FoldFully(Builder& b, InstId inst) {
    ValueId value = FoldInst(b, inst);
    for (int i = 0; i < 4 && value.has_value(); ++i) {
      std::vector<InstId>& insts = m_.blocks[b.block()].insts;
      const InstId made = m_.defining_inst(value);
      // Made just now: nothing else uses it yet.
      if (!made.has_value() || made < inst || insts.empty() || insts.back() != made ||
          made.index + 1 != m_.insts.size())
        break;
      insts.pop_back();
      const ValueId next = FoldInst(b, made);
      if (!next.has_value()) {
        m_.blocks[b.block()].insts.push_back(made);
        break;
      }
      value = next;
    }
    return value;
  }

  void Become(ValueId old, ValueId value) {
    const bool nameless = !m_.is_constant(value) && m_.name_of(value).empty();
    if (nameless && !m_.name_of(old).empty()) m_.set_name(value, std::string(m_.name_of(old)));
    replacements_.Replace(old, value);
    changed_ = true;
  }

  void BecomeResults(InstId construct, InstId exit) {
    for (uint32_t i = 0; i < m_.results(construct).size(); ++i) {
      Become(m_.result(construct, i), replacements_.Find(m_.operands(exit)[i]));
    }
    changed_ = true;
  }

  // --- control ---

  bool WalkControl(InstId id, BlockId out) {
    const BlockId only = OnlyRegion(id);
    if (only.has_value() && CanSplice(id, only)) {
      changed_ = true;
      const std::vector<InstId> insts = m_.blocks[only].insts;
      if (m_.insts[id].op == Op::kLoop) BecomeParams(id);
      return Walk(insts, out, id);
    }
    if (only.has_value()) KeepOnly(id, only);
    if (IsEmpty(id)) {
      changed_ = true;
      return false;
    }
    m_.blocks[out].insts.push_back(id);
    for (size_t r = 0; r < m_.regions(id).size(); ++r) {
      const BlockId region = m_.regions(id)[r];
      const std::vector<InstId> old = std::move(m_.blocks[region].insts);
      m_.blocks[region].insts.clear();
      Walk(old, region, InstId::None());
    }
    return false;
  }

  void BecomeParams(InstId loop) {
    const std::vector<ValueId> params = m_.blocks[m_.regions(loop)[0]].params;
    for (size_t i = 0; i < params.size(); ++i) replacements_.Replace(params[i], m_.operands(loop)[i]);
  }

  // The one region of a construct that is run, once, where that is known.
  BlockId OnlyRegion(InstId id) const {
    const Inst& inst = m_.insts[id];
    const auto regions = m_.regions(id);
    if (inst.op == Op::kLoop) return continues_[id.index] == 0 ? regions[0] : BlockId::None();
    uint32_t bits = 0;
    const bool constant = m_.ConstantScalar(m_.operands(id)[0], &bits);
    if (inst.op == Op::kIf) return constant ? regions[bits != 0 ? 0 : 1] : BlockId::None();
    if (regions.size() == 1) return regions[0];
    if (!constant) return BlockId::None();
    const std::vector<SwitchCase>& cases = m_.switches[SwitchId(inst.imm)];
    BlockId chosen = BlockId::None();
    for (size_t i = 0; i < cases.size(); ++i) {
      const auto& selectors = cases[i].selectors;
      if (std::find(selectors.begin(), selectors.end(), bits) != selectors.end()) return regions[i];
      if (cases[i].is_default) chosen = regions[i];
    }
    return chosen;
  }

  // The region can stand in the construct's place: only its own end exits the construct, or nothing in it
  // does. Exits of the other regions count too where there are any, which only keeps the construct.
  bool CanSplice(InstId id, BlockId region) const {
    if (exits_[id.index] == 0) return true;
    const Inst& end = m_.insts[m_.terminator(region)];
    const bool at_end = end.op == Op::kExit && end.imm == id.index;
    if (m_.regions(id).size() == 1 || m_.insts[id].op == Op::kLoop) return exits_[id.index] == 1 && at_end;
    uint32_t inside = 0;
    ForEachInst(m_, region, [&](InstId inner) {
      inside += m_.insts[inner].op == Op::kExit && m_.insts[inner].imm == id.index ? 1 : 0;
    });
    return inside == (at_end ? 1 : 0);
  }

  // Regions that are never run become empty; a loop that never continues is left as it is
  // (remove_unreachable).
  void KeepOnly(InstId id, BlockId only) {
    if (m_.insts[id].op == Op::kLoop || m_.regions(id).size() == 1) return;
    changed_ = true;
    if (m_.insts[id].op == Op::kSwitch) {
      SwitchCase all;
      all.is_default = true;
      m_.insts[id].imm = m_.switches.Add({all}).index;
      m_.SetRegions(id, {&only, 1});
      return;
    }
    for (const BlockId region : m_.regions(id)) {
      if (region == only) continue;
      const InstId end = m_.MakeInst(Op::kUnreachable, {}, {});
      m_.blocks[region].insts.assign(1, end);
    }
  }

  // An if or switch that does nothing at all.
  bool IsEmpty(InstId id) const {
    if (m_.insts[id].op == Op::kLoop || !m_.results(id).empty()) return false;
    for (const BlockId region : m_.regions(id)) {
      const Inst& first = m_.insts[m_.blocks[region].insts[0]];
      if (first.op != Op::kExit || first.imm != id.index) return false;
    }
    return true;
  }

  Module& m_;
  Replacements replacements_;
  std::vector<uint32_t> exits_;      // by construct, as the pass began
  std::vector<uint32_t> continues_;  // by loop
  bool changed_ = false;
};

}  // namespace

bool Fold(Module& module) { return State(module).Run(); }

}  // namespace lockstep::ir
