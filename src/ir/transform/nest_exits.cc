// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/transform/nest_exits.h"

#include <algorithm>
#include <vector>

#include "ir/transform/rewrite.h"

namespace lockstep::ir {
namespace {

// Each early exit nests what follows it one level deeper; past this depth they stay.
constexpr uint32_t kMaxDepth = 200;

class State {
 public:
  explicit State(Module& module) : m_(module) {}

  bool Run() {
    exits_.assign(m_.insts.size(), 0);
    ForEachInst(m_, [&](InstId id) {
      if (m_.insts[id].op == Op::kExit) ++exits_[m_.insts[id].imm];
    });
    for (uint32_t i = 0; i < m_.functions.size(); ++i) Walk(m_.functions[FunctionId(i)].body, 0);
    replacements_.Apply(m_);
    return changed_;
  }

 private:
  // What is in instructions and their regions.
  struct Facts {
    uint32_t depth = 0;
    bool barrier = false;
    void Add(const Facts& other, uint32_t levels) {
      depth = std::max(depth, other.depth + levels);
      barrier |= other.barrier;
    }
  };

  // From the block's end up, so that what follows an early exit has one jump at its end already.
  Facts Walk(BlockId block, uint32_t depth) {
    Facts rest;
    for (size_t i = m_.blocks[block].insts.size(); i-- > 0;) {
      const InstId id = m_.blocks[block].insts[i];
      const Op op = m_.insts[id].op;
      Facts own;
      own.barrier = op == Op::kBarrier || op == Op::kUniformLoad || op == Op::kCall;
      for (size_t r = 0; r < m_.regions(id).size(); ++r) own.Add(Walk(m_.regions(id)[r], depth + 1), 1);
      const bool fits = depth + rest.depth + 1 <= kMaxDepth && !rest.barrier;
      size_t stays = 0;
      if (op == Op::kIf && fits && IsEarlyExit(id, block, &stays)) {
        Nest(id, block, i, stays);
        own.Add(rest, 1);
        rest = own;
      } else {
        rest.Add(own, 0);
      }
    }
    return rest;
  }

  static bool IsPlainJump(Op op) { return op == Op::kExit || op == Op::kContinue || op == Op::kReturn; }

  // Only the end of region `stays` exits the if, and the other region ends with a jump like the block's own.
  bool IsEarlyExit(InstId id, BlockId block, size_t* stays) const {
    if (id.index >= exits_.size() || exits_[id.index] != 1) return false;
    const Inst& end = m_.insts[m_.terminator(block)];
    if (!IsPlainJump(end.op)) return false;
    for (size_t r = 0; r < 2; ++r) {
      const Inst& in = m_.insts[m_.terminator(m_.regions(id)[r])];
      const Inst& out = m_.insts[m_.terminator(m_.regions(id)[1 - r])];
      if (in.op != Op::kExit || in.imm != id.index) continue;
      *stays = r;
      return out.op == end.op && (end.op == Op::kReturn || out.imm == end.imm);
    }
    return false;
  }

  void Nest(InstId id, BlockId block, size_t at, size_t stays) {
    const BlockId inner = m_.regions(id)[stays];
    const BlockId leaving = m_.regions(id)[1 - stays];
    const InstId last = m_.terminator(block);
    // The if's results were for what now stands in its arm.
    const InstId old_exit = m_.terminator(inner);
    for (uint32_t i = 0; i < m_.results(id).size(); ++i) {
      replacements_.Replace(m_.result(id, i), m_.operands(old_exit)[i]);
    }
    std::vector<InstId>& from = m_.blocks[block].insts;
    std::vector<InstId>& to = m_.blocks[inner].insts;
    to.pop_back();
    to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(at) + 1, from.end() - 1);
    from.resize(at + 1);
    const InstId inner_exit = ExitLike(last, id);
    m_.blocks[inner].insts.push_back(inner_exit);
    const InstId leaving_exit = ExitLike(m_.terminator(leaving), id);
    m_.blocks[leaving].insts.back() = leaving_exit;

    std::vector<TypeId> types;
    for (const ValueId v : m_.operands(last)) types.push_back(m_.type_of(v));
    m_.SetResults(id, {});
    m_.AddResults(id, types);
    const std::vector<ValueId> results(m_.results(id).begin(), m_.results(id).end());
    for (size_t i = 0; i < results.size(); ++i)
      m_.set_name(results[i], std::string(m_.name_of(m_.operands(last)[i])));
    m_.SetOperands(last, results);
    m_.blocks[block].insts.push_back(last);
    if (m_.insts[last].op == Op::kExit) --exits_[m_.insts[last].imm];
    exits_[id.index] = 2;
    changed_ = true;
  }

  // An exit of the if that brings what the jump brought.
  InstId ExitLike(InstId jump, InstId target) {
    const std::vector<ValueId> operands(m_.operands(jump).begin(), m_.operands(jump).end());
    return m_.MakeInst(Op::kExit, operands, {}, target.index, {}, m_.span(jump));
  }

  Module& m_;
  std::vector<uint32_t> exits_;  // by construct
  Replacements replacements_;
  bool changed_ = false;
};

}  // namespace

bool NestExits(Module& module) { return State(module).Run(); }

}  // namespace lockstep::ir
