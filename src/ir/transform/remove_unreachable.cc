// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/transform/remove_unreachable.h"

#include <vector>

namespace lockstep::ir {
namespace {

class State {
 public:
  explicit State(Module& module) : m_(module) {
    exited_.assign(m_.insts.size(), false);
    continued_.assign(m_.insts.size(), false);
  }

  bool Run() {
    for (uint32_t i = 0; i < m_.functions.size(); ++i) VisitBlock(m_.functions[FunctionId(i)].body);
    KeepCalled();
    return changed_;
  }

 private:
  void VisitBlock(BlockId block) {
    for (size_t i = 0; i < m_.blocks[block].insts.size(); ++i) {
      const InstId id = m_.blocks[block].insts[i];
      const Inst& inst = m_.insts[id];
      if (inst.op == Op::kExit) exited_[inst.imm] = true;
      if (inst.op == Op::kContinue) continued_[inst.imm] = true;
      if (KindOf(inst.op) != OpKind::kControl) continue;
      VisitRegions(id);
      if (!exited_[id.index]) return CutAfter(block, i + 1);
    }
  }

  void VisitRegions(InstId id) {
    const bool loop = m_.insts[id].op == Op::kLoop;
    for (size_t r = 0; r < m_.regions(id).size(); ++r) {
      const BlockId region = m_.regions(id)[r];
      if (loop && r == 1 && !continued_[id.index]) {
        CutAfter(region, 0);
      } else {
        VisitBlock(region);
      }
    }
  }

  // Leaves `count` instructions of the block, and an end.
  void CutAfter(BlockId block, size_t count) {
    if (m_.blocks[block].insts.size() == count + 1 && m_.insts[m_.terminator(block)].op == Op::kUnreachable)
      return;
    const InstId end = m_.MakeInst(Op::kUnreachable, {}, {});
    std::vector<InstId>& insts = m_.blocks[block].insts;
    insts.resize(count);
    insts.push_back(end);
    changed_ = true;
  }

  void KeepCalled() {
    std::vector<bool> called(m_.functions.size(), false);
    std::vector<FunctionId> work = {m_.entry};
    called[m_.entry.index] = true;
    size_t count = 1;
    while (!work.empty()) {
      const FunctionId f = work.back();
      work.pop_back();
      ForEachInst(m_, m_.functions[f].body, [&](InstId id) {
        const Inst& inst = m_.insts[id];
        if (inst.op != Op::kCall || called[inst.imm]) return;
        called[inst.imm] = true;
        ++count;
        work.push_back(FunctionId(inst.imm));
      });
    }
    if (count == called.size()) return;
    changed_ = true;
    m_.KeepFunctions(called);
  }

  Module& m_;
  std::vector<bool> exited_;     // by construct: some exit of it was reached
  std::vector<bool> continued_;  // by loop
  bool changed_ = false;
};

}  // namespace

bool RemoveUnreachable(Module& module) { return State(module).Run(); }

}  // namespace lockstep::ir
