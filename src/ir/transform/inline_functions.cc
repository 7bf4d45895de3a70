// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/transform/inline_functions.h"

#include <array>
#include <vector>

#include "ir/analysis/calls.h"
#include "ir/transform/rewrite.h"

namespace lockstep::ir {
namespace {

bool PointsOutOfFunctions(const Module& m, TypeId type) {
  return m.types.IsPointer(type) && m.types[type].space != AddressSpace::kFunction;
}

bool TakesSharedPointer(const Module& m, const Function& f) {
  for (const ValueId p : f.params) {
    if (PointsOutOfFunctions(m, m.type_of(p))) return true;
  }
  return false;
}

bool TakesFunctionPointer(const Module& m, const Function& f) {
  for (const ValueId p : f.params) {
    if (m.types.IsPointer(m.type_of(p)) && !PointsOutOfFunctions(m, m.type_of(p))) return true;
  }
  return false;
}

class State {
 public:
  State(Module& module, const InlineOptions& options) : m_(module), options_(options) {}

  void Run() {
    facts_.resize(m_.functions.size());
    const std::vector<bool> barriers = FunctionsWithBarriers(m_);
    ForEachInst(m_, [&](InstId id) {
      if (m_.insts[id].op == Op::kCall) ++facts_[m_.insts[id].imm].callers;
    });
    for (uint32_t i = 0; i < facts_.size(); ++i) {
      const Function& f = m_.functions[FunctionId(i)];
      facts_[i].kind = barriers[i] ? kBarriers : TakesSharedPointer(m_, f) ? kSharedPointers : kOthers;
      facts_[i].takes_pointers = TakesFunctionPointer(m_, f);
    }
    for (const FunctionId f : CalleesFirst(m_)) {
      InlineIn(m_.functions[f].body, 0);
      // At once: a caller copies this body.
      ForEachInst(m_, m_.functions[f].body, [&](InstId id) { replacements_.ApplyTo(m_, id); });
      Measure(f);
    }
    DropUncalled();
  }

 private:
  enum Kind : uint8_t { kBarriers, kSharedPointers, kOthers, kKinds };
  struct Facts {
    uint32_t callers = 0;  // in the module as it came
    uint32_t size = 0;     // once its own calls are inlined
    uint32_t depth = 0;
    Kind kind = kOthers;
    bool takes_pointers = false;
    bool returns_at_end = false;  // and nowhere else
  };

  void Measure(FunctionId id) {
    Facts& facts = facts_[id.index];
    const BlockId body = m_.functions[id].body;
    facts.size = CountInsts(m_, body);
    facts.depth = RegionDepth(m_, body);
    uint32_t returns = 0;
    ForEachInst(m_, body, [&](InstId inst) { returns += m_.insts[inst].op == Op::kReturn ? 1 : 0; });
    facts.returns_at_end = returns == 1 && m_.insts[m_.terminator(body)].op == Op::kReturn;
  }

  bool Pays(const Facts& callee, uint32_t depth) const {
    if (depth + callee.depth + 1 > options_.max_depth) return false;
    if (growth_ + callee.size > options_.total_growth) return false;
    if (callee.callers == 1) return true;
    const uint64_t growth = growths_[callee.kind] + callee.size;
    if (callee.kind == kBarriers) return growth <= options_.barrier_growth;
    if (callee.kind == kSharedPointers) return growth <= options_.pointer_growth;
    if (growth > options_.optional_growth) return false;
    return callee.size <= (callee.takes_pointers ? options_.small_with_pointers : options_.small);
  }

  void InlineIn(BlockId block, uint32_t depth) {
    const std::vector<InstId> old = std::move(m_.blocks[block].insts);
    m_.blocks[block].insts.clear();
    for (const InstId id : old) {
      const Inst inst = m_.insts[id];
      if (inst.op == Op::kCall && Pays(facts_[inst.imm], depth)) {
        InlineCall(id, block);
        continue;
      }
      m_.blocks[block].insts.push_back(id);
      for (size_t r = 0; r < m_.regions(id).size(); ++r) InlineIn(m_.regions(id)[r], depth + 1);
    }
  }

  void InlineCall(InstId call, BlockId block) {
    const FunctionId callee(m_.insts[call].imm);
    const Facts& facts = facts_[callee.index];
    growth_ += facts.size;
    growths_[facts.kind] += facts.size;
    const BlockId body = m_.functions[callee].body;
    Cloner cloner(&m_);
    for (size_t i = 0; i < m_.functions[callee].params.size(); ++i) {
      cloner.Map(m_.functions[callee].params[i], replacements_.Find(m_.operands(call)[i]));
    }
    if (facts.returns_at_end) {
      cloner.CloneInto(body, block);
      const InstId end = m_.terminator(block);
      m_.blocks[block].insts.pop_back();
      if (!m_.results(call).empty()) Become(m_.result(call), m_.operands(end)[0]);
      return;
    }
    const InstId wrapper = MakeWrapper(call);
    m_.blocks[block].insts.push_back(wrapper);
    cloner.set_return_target(wrapper);
    cloner.CloneInto(body, m_.regions(wrapper)[0]);
    if (!m_.results(call).empty()) Become(m_.result(call), m_.result(wrapper));
  }

  InstId MakeWrapper(InstId call) {
    std::vector<TypeId> types;
    for (const ValueId r : m_.results(call)) types.push_back(m_.type_of(r));
    SwitchCase only;
    only.is_default = true;
    const SwitchId table = m_.switches.Add({only});
    const BlockId region = m_.AddBlock();
    const ValueId selector = m_.ConstantU32(0);
    return m_.MakeInst(Op::kSwitch, {&selector, 1}, types, table.index, {&region, 1}, m_.span(call));
  }

  void Become(ValueId call_result, ValueId value) {
    if (m_.name_of(value).empty() && !m_.is_constant(value))
      m_.set_name(value, std::string(m_.name_of(call_result)));
    replacements_.Replace(call_result, value);
  }

  void DropUncalled() {
    std::vector<bool> called(m_.functions.size(), false);
    called[m_.entry.index] = true;
    const std::vector<FunctionId> order = CalleesFirst(m_);
    for (size_t i = order.size(); i-- > 0;) {
      if (!called[order[i].index]) continue;
      ForEachInst(m_, m_.functions[order[i]].body, [&](InstId id) {
        if (m_.insts[id].op == Op::kCall) called[m_.insts[id].imm] = true;
      });
    }
    m_.KeepFunctions(called);
  }

  Module& m_;
  const InlineOptions& options_;
  std::vector<Facts> facts_;  // by function
  Replacements replacements_;
  uint64_t growth_ = 0;
  std::array<uint64_t, kKinds> growths_ = {};
};

}  // namespace

void InlineFunctions(Module& module, const InlineOptions& options) { State(module, options).Run(); }

}  // namespace lockstep::ir
