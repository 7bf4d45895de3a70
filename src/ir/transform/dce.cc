// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Three walks: one replaces results and parameters that always stand for one value, one finds what is needed,
// starting from effects and going from values to what makes them, one drops the rest.
#include "ir/transform/dce.h"

#include <algorithm>
#include <vector>

#include "ir/transform/rewrite.h"

namespace lockstep::ir {
namespace {

class State {
 public:
  explicit State(Module& module) : m_(module) {}

  bool Run() {
    Index();
    for (const Function& f : m_.functions) ReplaceSame(f.body);
    if (!replacements_.empty()) {
      changed_ = true;
      replacements_.Apply(m_);
    }
    MarkNeeded();
    for (uint32_t i = 0; i < m_.functions.size(); ++i) Sweep(m_.functions[FunctionId(i)].body);
    return changed_;
  }

 private:
  struct Construct {
    std::vector<InstId> exits, continues, nexts;
    uint32_t order = 0;
    bool removable = false;  // no effect but its results
    bool needed = false;
  };

  // --- what jumps where ---

  void Index() {
    order_.assign(m_.value_count(), 0);
    construct_.assign(m_.insts.size(), 0);
    loop_of_.assign(m_.blocks.size(), InstId::None());
    constructs_.emplace_back();  // index 0: none
    for (const Function& f : m_.functions) IndexBlock(f.body);
    FindReadVariables();
    for (const Function& f : m_.functions) FindRemovable(f.body);
  }

  void IndexBlock(BlockId block) {
    for (const ValueId p : m_.blocks[block].params) order_[p.index] = ++next_order_;
    for (const InstId id : m_.blocks[block].insts) {
      const Inst& inst = m_.insts[id];
      ++next_order_;
      for (const ValueId r : m_.results(id)) order_[r.index] = next_order_;
      if (inst.op == Op::kExit) Of(InstId(inst.imm)).exits.push_back(id);
      if (inst.op == Op::kContinue) Of(InstId(inst.imm)).continues.push_back(id);
      if (inst.op == Op::kNext) Of(InstId(inst.imm)).nexts.push_back(id);
      if (m_.regions(id).empty()) continue;
      construct_[id.index] = static_cast<uint32_t>(constructs_.size());
      constructs_.emplace_back();
      constructs_.back().order = next_order_;
      for (const BlockId region : m_.regions(id)) {
        if (inst.op == Op::kLoop) loop_of_[region.index] = id;
        IndexBlock(region);
      }
    }
  }

  Construct& Of(InstId id) { return constructs_[construct_[id.index]]; }

  // --- one value behind results and parameters ---

  void ReplaceSame(BlockId block) {
    for (const InstId id : m_.blocks[block].insts) {
      replacements_.ApplyTo(m_, id);
      const bool loop = m_.insts[id].op == Op::kLoop;
      for (size_t r = 0; r < m_.regions(id).size(); ++r) {
        if (loop && r == 1) ReplaceContinuingParams(id);
        ReplaceSame(m_.regions(id)[r]);
      }
      if (m_.regions(id).empty()) continue;
      if (loop) ReplaceBodyParams(id);
      ReplaceResults(id);
    }
  }

  bool IsMadeBefore(ValueId v, uint32_t order) const {
    const ValueKind kind = m_.value(v).kind;
    return kind == ValueKind::kConstant || kind == ValueKind::kVariable ||
           kind == ValueKind::kFunctionParam || order_[v.index] < order;
  }

  // Operand i of all jumps, where it is one value; None otherwise. `self` may come along.
  ValueId OneValue(const std::vector<InstId>& jumps, size_t i, ValueId self) {
    ValueId one = ValueId::None();
    for (const InstId jump : jumps) {
      const ValueId v = replacements_.Find(m_.operands(jump)[i]);
      if (v == self) continue;
      if (one.has_value() && v != one) return ValueId::None();
      one = v;
    }
    return one;
  }

  void ReplaceResults(InstId id) {
    const Construct& c = Of(id);
    for (uint32_t i = 0; i < m_.results(id).size(); ++i) {
      const ValueId v = OneValue(c.exits, i, ValueId::None());
      if (v.has_value() && IsMadeBefore(v, c.order)) replacements_.Replace(m_.result(id, i), v);
    }
  }

  void ReplaceContinuingParams(InstId id) {
    const Construct& c = Of(id);
    const std::vector<ValueId>& params = m_.blocks[m_.regions(id)[1]].params;
    for (size_t i = 0; i < params.size(); ++i) {
      const ValueId v = OneValue(c.continues, i, ValueId::None());
      if (v.has_value() && (IsMadeBefore(v, c.order) || IsParamOf(v, m_.regions(id)[0]))) {
        replacements_.Replace(params[i], v);
      }
    }
  }

  bool IsParamOf(ValueId v, BlockId block) const {
    return m_.value(v).kind == ValueKind::kBlockParam && m_.value(v).owner == block.index;
  }

  void ReplaceBodyParams(InstId id) {
    const Construct& c = Of(id);
    const std::vector<ValueId>& params = m_.blocks[m_.regions(id)[0]].params;
    for (size_t i = 0; i < params.size(); ++i) {
      if (replacements_.Find(params[i]) != params[i]) continue;
      const ValueId initial = replacements_.Find(m_.operands(id)[i]);
      const ValueId next = OneValue(c.nexts, i, params[i]);
      if (!next.has_value() || next == initial) replacements_.Replace(params[i], initial);
    }
  }

  // --- what is needed ---

  ValueId RootOf(ValueId pointer) const {
    while (true) {
      const InstId id = m_.defining_inst(pointer);
      if (!id.has_value() || m_.insts[id].op != Op::kAccess) return pointer;
      pointer = m_.operands(id)[0];
    }
  }

  // `var`s that something but a store uses.
  void FindReadVariables() {
    read_.assign(m_.value_count(), false);
    ForEachInst(m_, [&](InstId id) {
      const Op op = m_.insts[id].op;
      const auto operands = m_.operands(id);
      const bool writes = op == Op::kStore || op == Op::kZeroFill || op == Op::kCopy;
      for (size_t i = writes ? 1 : 0; i < operands.size(); ++i) {
        if (op != Op::kAccess || i != 0) read_[RootOf(operands[i]).index] = true;
      }
    });
  }

  // A store to memory that nobody reads.
  bool IsDeadStore(InstId id) const {
    const Op op = m_.insts[id].op;
    if (op != Op::kStore && op != Op::kZeroFill && op != Op::kCopy) return false;
    const ValueId root = RootOf(m_.operands(id)[0]);
    const InstId var = m_.defining_inst(root);
    return var.has_value() && m_.insts[var].op == Op::kVar && !read_[root.index];
  }

  bool HasEffect(InstId id) const {
    const Inst& inst = m_.insts[id];
    return EffectOf(inst.op) == Effect::kWrite && inst.op != Op::kVar && !IsDeadStore(id);
  }

  // Returns whether the block does nothing but make values and bring them to the construct that it is a
  // region of.
  bool FindRemovable(BlockId block) {
    bool quiet = true;
    for (const InstId id : m_.blocks[block].insts) {
      const Inst& inst = m_.insts[id];
      if (IsExit(inst.op)) {
        quiet &= inst.op == Op::kExit && !open_.empty() && open_.back() == inst.imm;
      } else if (m_.regions(id).empty()) {
        quiet &= !HasEffect(id);
      } else {
        open_.push_back(id.index);
        bool regions_quiet = inst.op != Op::kLoop;
        for (const BlockId region : m_.regions(id)) regions_quiet &= FindRemovable(region);
        open_.pop_back();
        Of(id).removable = regions_quiet;
        quiet &= regions_quiet;
      }
    }
    return quiet;
  }

  void MarkNeeded() {
    live_.assign(m_.value_count(), false);
    ForEachInst(m_, [&](InstId id) {
      const Inst& inst = m_.insts[id];
      if (!m_.regions(id).empty()) {
        if (!Of(id).removable) Need(id);
      } else if (inst.op == Op::kReturn || HasEffect(id)) {
        for (const ValueId v : m_.operands(id)) Mark(v);
      }
    });
    while (!work_.empty()) {
      const ValueId v = work_.back();
      work_.pop_back();
      MarkSources(v);
    }
  }

  void Mark(ValueId v) {
    if (live_[v.index]) return;
    live_[v.index] = true;
    work_.push_back(v);
  }

  void Need(InstId id) {
    Of(id).needed = true;
    if (m_.insts[id].op != Op::kLoop) Mark(m_.operands(id)[0]);
  }

  void MarkSources(ValueId v) {
    const Value value = m_.value(v);
    if (value.kind == ValueKind::kBlockParam) {
      const InstId loop = loop_of_[value.owner];
      const bool body = m_.regions(loop)[0].index == value.owner;
      if (body) Mark(m_.operands(loop)[value.number]);
      MarkOperands(body ? Of(loop).nexts : Of(loop).continues, value.number);
    } else if (value.kind == ValueKind::kResult) {
      const InstId id(value.owner);
      if (m_.regions(id).empty()) {
        for (const ValueId operand : m_.operands(id)) Mark(operand);
        return;
      }
      if (!Of(id).needed) Need(id);
      MarkOperands(Of(id).exits, value.number);
    }
  }

  void MarkOperands(const std::vector<InstId>& jumps, size_t i) {
    for (const InstId jump : jumps) Mark(m_.operands(jump)[i]);
  }

  // --- sweeping ---

  bool IsNeeded(InstId id) const {
    const Inst& inst = m_.insts[id];
    if (!m_.regions(id).empty()) return constructs_[construct_[id.index]].needed;
    if (IsExit(inst.op) || HasEffect(id)) return true;
    const auto results = m_.results(id);
    return std::any_of(results.begin(), results.end(), [this](ValueId r) { return live_[r.index]; });
  }

  // The operands of which the receivers (all there are, dropped ones too) are needed.
  void KeepLive(InstId id, std::span<const ValueId> receivers) {
    std::vector<ValueId> kept;
    for (size_t i = 0; i < receivers.size(); ++i) {
      if (live_[receivers[i].index]) kept.push_back(m_.operands(id)[i]);
    }
    if (kept.size() == receivers.size()) return;
    changed_ = true;
    m_.SetOperands(id, kept);
  }

  std::vector<ValueId> Live(std::span<const ValueId> values) const {
    std::vector<ValueId> kept;
    for (const ValueId v : values) {
      if (live_[v.index]) kept.push_back(v);
    }
    return kept;
  }

  // Jumps are trimmed from their construct, before its receivers are.
  void TrimConstruct(InstId id) {
    for (const InstId jump : Of(id).exits) KeepLive(jump, m_.results(id));
    if (m_.insts[id].op == Op::kLoop) {
      const BlockId body = m_.regions(id)[0];
      const BlockId continuing = m_.regions(id)[1];
      const std::vector<ValueId> params = m_.blocks[body].params;
      const std::vector<ValueId> passed = m_.blocks[continuing].params;
      KeepLive(id, params);
      for (const InstId jump : Of(id).nexts) KeepLive(jump, params);
      for (const InstId jump : Of(id).continues) KeepLive(jump, passed);
      m_.SetBlockParams(body, Live(params));
      m_.SetBlockParams(continuing, Live(passed));
    }
    const std::vector<ValueId> results = Live(m_.results(id));
    if (results.size() != m_.results(id).size()) m_.SetResults(id, results);
  }

  void Sweep(BlockId block) {
    std::vector<InstId> kept;
    for (const InstId id : m_.blocks[block].insts) {
      if (!IsNeeded(id)) {
        changed_ = true;
        continue;
      }
      kept.push_back(id);
      if (m_.regions(id).empty()) continue;
      TrimConstruct(id);
      for (size_t r = 0; r < m_.regions(id).size(); ++r) Sweep(m_.regions(id)[r]);
    }
    m_.blocks[block].insts = std::move(kept);
  }

  Module& m_;
  std::vector<uint32_t> order_;  // by value: where it is made in the text
  uint32_t next_order_ = 0;
  std::vector<uint32_t> construct_;  // by instruction: index into constructs_
  std::vector<Construct> constructs_;
  std::vector<InstId> loop_of_;  // by block: the loop that it is a region of
  std::vector<uint32_t> open_;   // constructs around the place of a walk
  Replacements replacements_;
  std::vector<bool> read_;  // by value: a `var` that is read
  std::vector<bool> live_;  // by value
  std::vector<ValueId> work_;
  bool changed_ = false;
};

}  // namespace

bool RemoveDeadCode(Module& module) { return State(module).Run(); }

}  // namespace lockstep::ir
