// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/transform/cse.h"

#include <unordered_map>
#include <vector>

#include "ir/transform/rewrite.h"

namespace lockstep::ir {
namespace {

struct Key {
  std::vector<uint32_t> words;  // op, immediate, type, operands
  friend bool operator==(const Key&, const Key&) = default;
};

struct KeyHash {
  size_t operator()(const Key& key) const {
    uint64_t hash = 0xcbf29ce484222325u;
    for (const uint32_t w : key.words) hash = (hash ^ w) * 0x100000001b3u;
    return static_cast<size_t>(hash ^ (hash >> 29));
  }
};

class State {
 public:
  explicit State(Module& module) : m_(module) {}

  bool Run() {
    for (uint32_t i = 0; i < m_.functions.size(); ++i) {
      Walk(m_.functions[FunctionId(i)].body);
      known_.clear();
    }
    return !replacements_.empty();
  }

 private:
  void Walk(BlockId block) {
    const size_t mark = undo_.size();
    const std::vector<InstId> old = std::move(m_.blocks[block].insts);
    m_.blocks[block].insts.clear();
    for (const InstId id : old) {
      replacements_.ApplyTo(m_, id);
      if (IsMergeable(id) && Merge(id)) continue;
      m_.blocks[block].insts.push_back(id);
      for (size_t r = 0; r < m_.regions(id).size(); ++r) Walk(m_.regions(id)[r]);
    }
    for (; undo_.size() > mark; undo_.pop_back()) known_.erase(undo_.back());
  }

  bool IsMergeable(InstId id) const {
    const Inst& inst = m_.insts[id];
    if (inst.results.count != 1) return false;
    if (EffectOf(inst.op) == Effect::kPure) return KindOf(inst.op) != OpKind::kLanes;
    if (inst.op == Op::kTextureLoad) return true;  // nothing writes to textures that are read
    if (inst.op != Op::kLoad) return false;
    const Type& pointer = m_.types[m_.type_of(m_.operands(id)[0])];
    return pointer.space == AddressSpace::kUniform ||
           (pointer.space == AddressSpace::kStorage && pointer.access == Access::kRead);
  }

  bool Merge(InstId id) {
    const Inst& inst = m_.insts[id];
    const ValueId result = m_.result(id);
    Key key;
    key.words = {static_cast<uint32_t>(inst.op), inst.imm, m_.type_of(result).index};
    for (const ValueId v : m_.operands(id)) key.words.push_back(v.index);
    const auto [it, added] = known_.try_emplace(key, result);
    if (added) {
      undo_.push_back(std::move(key));
      return false;
    }
    if (m_.name_of(it->second).empty()) m_.set_name(it->second, std::string(m_.name_of(result)));
    replacements_.Replace(result, it->second);
    return true;
  }

  Module& m_;
  std::unordered_map<Key, ValueId, KeyHash> known_;
  std::vector<Key> undo_;
  Replacements replacements_;
};

}  // namespace

bool MergeCommonSubexpressions(Module& module) { return State(module).Run(); }

}  // namespace lockstep::ir
