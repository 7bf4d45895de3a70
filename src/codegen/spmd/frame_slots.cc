// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "codegen/spmd/frame_slots.h"

#include <algorithm>
#include <unordered_map>

#include "codegen/spmd/structure.h"

namespace lockstep::codegen {

using ir::BlockId;
using ir::InstId;
using ir::Module;
using ir::Op;
using ir::ValueId;

namespace {

// Beyond that many values, or bits of liveness, sharing is not worth its time.
constexpr size_t kMaxValues = 1024;
constexpr size_t kMaxBits = 16'000'000;

using Bits = std::vector<uint64_t>;

bool Test(const Bits& bits, size_t i) { return (bits[i / 64] >> (i % 64) & 1) != 0; }
void SetBit(Bits& bits, size_t i) { bits[i / 64] |= uint64_t{1} << (i % 64); }
void ClearBit(Bits& bits, size_t i) { bits[i / 64] &= ~(uint64_t{1} << (i % 64)); }
bool Merge(Bits& into, const Bits& from) {
  bool changed = false;
  for (size_t w = 0; w < into.size(); ++w) {
    changed |= (from[w] & ~into[w]) != 0;
    into[w] |= from[w];
  }
  return changed;
}

// A region, or the copies of a jump at workgroup level (all reads before all writes).
struct Node {
  struct At {
    size_t slot;
    uint32_t number;
  };
  std::vector<At> uses, defs;
  std::vector<std::pair<size_t, size_t>> copies;  // from, to; both have slots
  std::vector<size_t> next;
  Bits live_in, live_out;
};

class Graph {
 public:
  Graph(const LaneKernel& kernel, const std::vector<ValueId>& values)
      : kernel_(kernel), module_(kernel.module), words_((values.size() + 63) / 64) {
    for (size_t i = 0; i < values.size(); ++i) slot_of_[values[i]] = i;
  }

  bool Build(ir::FunctionId function) {
    // Callers have written the parameters, all at once.
    const size_t start = NewNode();
    for (const ValueId param : module_.functions[function].params) Define(start, param);
    Link(start, nodes_.size());
    BuildBlock(module_.functions[function].body);
    if (nodes_.size() * words_ * 64 > kMaxBits) return false;
    Liveness();
    return true;
  }

  // For each slot, those that hold something else at the same time.
  std::vector<Bits> Interference() const {
    std::vector<Bits> with(slot_of_.size(), Bits(words_));
    const auto clash = [&](size_t a, size_t b) {
      if (a == b) return;
      SetBit(with[a], b);
      SetBit(with[b], a);
    };
    for (const Node& node : nodes_) {
      for (const Node::At& def : node.defs) {
        for (size_t s = 0; s < slot_of_.size(); ++s) {
          if (Test(node.live_out, s)) clash(def.slot, s);
        }
        for (const Node::At& use : node.uses) {
          if (use.number > def.number) clash(def.slot, use.slot);
        }
        for (const Node::At& other : node.defs) clash(def.slot, other.slot);
      }
      for (const auto& [from, to] : node.copies) {
        for (const auto& other : node.copies) clash(to, other.second);
      }
    }
    return with;
  }
  std::vector<std::pair<size_t, size_t>> Copies() const {
    std::vector<std::pair<size_t, size_t>> all;
    for (const Node& node : nodes_) all.insert(all.end(), node.copies.begin(), node.copies.end());
    return all;
  }

 private:
  bool AtWorkgroupLevel(InstId inst) const { return kernel_.barriers.workgroup_level.Get(inst) != 0; }

  size_t NewNode() {
    nodes_.emplace_back();
    nodes_.back().live_in.resize(words_);
    nodes_.back().live_out.resize(words_);
    return nodes_.size() - 1;
  }
  void Link(size_t from, size_t to) { nodes_[from].next.push_back(to); }

  void Use(size_t node, ValueId v) {
    const auto it = slot_of_.find(v);
    if (it != slot_of_.end()) nodes_[node].uses.push_back({it->second, number_});
    // Indices on the way to where a pointer leads are read when it is used, and a parameter's offset.
    const InstId def = module_.defining_inst(v);
    if (!def.has_value() || module_.insts[def].op != Op::kAccess) return;
    for (const ValueId operand : module_.operands(def)) Use(node, operand);
  }
  void Define(size_t node, ValueId v) {
    const auto it = slot_of_.find(v);
    if (it != slot_of_.end()) nodes_[node].defs.push_back({it->second, number_});
  }
  void AddInst(size_t node, InstId inst) {
    ++number_;
    for (const ValueId v : module_.operands(inst)) Use(node, v);
    for (const BlockId region : module_.regions(inst)) {
      for (const InstId inner : module_.blocks[region].insts) AddInst(node, inner);
    }
    for (const ValueId r : module_.results(inst)) Define(node, r);
  }

  // The copies of a jump, or of entering a loop, from `operands` to `to`; linked to what runs before.
  size_t AddCopies(size_t before, std::span<const ValueId> operands, std::span<const ValueId> to) {
    const size_t node = NewNode();
    Link(before, node);
    ++number_;
    for (size_t i = 0; i < to.size(); ++i) {
      const auto from = slot_of_.find(operands[i]);
      const auto dest = slot_of_.find(to[i]);
      if (dest == slot_of_.end()) continue;
      Use(node, operands[i]);
      nodes_[node].defs.push_back({dest->second, number_});
      if (from != slot_of_.end()) nodes_[node].copies.push_back({from->second, dest->second});
    }
    return node;
  }

  // Adds the block's nodes; the first of them.
  size_t BuildBlock(BlockId block) {
    const size_t first = NewNode();
    size_t region = first;
    for (const InstId inst : module_.blocks[block].insts) {
      if (ir::IsExit(module_.insts[inst].op)) {
        BuildJump(region, inst);
      } else if (AtWorkgroupLevel(inst)) {
        region = BuildAtWorkgroupLevel(region, inst);
      } else {
        AddInst(region, inst);
      }
    }
    return first;
  }

  void BuildJump(size_t region, InstId jump) {
    const Op op = module_.insts[jump].op;
    const auto operands = module_.operands(jump);
    if (op == Op::kReturn || op == Op::kUnreachable) {
      ++number_;
      for (const ValueId v : operands) Use(region, v);  // the region writes the result
      return;
    }
    const InstId target(module_.insts[jump].imm);
    if (op == Op::kExit) {
      exits_[target].push_back(AddCopies(region, operands, module_.results(target)));
      return;
    }
    const std::vector<ValueId>& params =
        module_.blocks[module_.regions(target)[op == Op::kContinue ? 1 : 0]].params;
    const size_t node = AddCopies(region, operands, params);
    if (op == Op::kContinue)
      continues_[target].push_back(node);
    else
      Link(node, body_first_[target]);
  }

  size_t BuildAtWorkgroupLevel(size_t region, InstId inst) {
    for (const ValueId v : module_.operands(inst)) {
      if (module_.insts[inst].op != Op::kLoop) Use(region, v);
    }
    if (module_.insts[inst].op == Op::kLoop) {
      const BlockId body = module_.regions(inst)[0], continuing = module_.regions(inst)[1];
      const size_t enter = AddCopies(region, module_.operands(inst), module_.blocks[body].params);
      body_first_[inst] = nodes_.size();  // the block's first node is made first
      Link(enter, nodes_.size());
      BuildBlock(body);
      const size_t continuing_first = BuildBlock(continuing);
      for (const size_t node : continues_[inst]) Link(node, continuing_first);
    } else {
      for (const BlockId arm : module_.regions(inst)) {
        Link(region, nodes_.size());
        BuildBlock(arm);
      }
    }
    const size_t after = NewNode();
    if (module_.regions(inst).empty()) Link(region, after);
    for (const size_t node : exits_[inst]) Link(node, after);
    if (module_.insts[inst].op == Op::kCall) {
      ++number_;
      for (const ValueId r : module_.results(inst)) Define(after, r);
    }
    return after;
  }

  void Liveness() {
    bool changed = true;
    while (changed) {
      changed = false;
      for (size_t n = nodes_.size(); n-- > 0;) {
        Node& node = nodes_[n];
        for (const size_t next : node.next) changed |= Merge(node.live_out, nodes_[next].live_in);
        Bits in = node.live_out;
        for (const Node::At& def : node.defs) ClearBit(in, def.slot);
        for (const Node::At& use : node.uses) SetBit(in, use.slot);
        changed |= Merge(node.live_in, in);
      }
    }
  }

  const LaneKernel& kernel_;
  const Module& module_;
  const size_t words_;
  std::unordered_map<ValueId, size_t, IdHash> slot_of_;
  std::vector<Node> nodes_;
  std::unordered_map<InstId, std::vector<size_t>, IdHash> exits_, continues_;
  std::unordered_map<InstId, size_t, IdHash> body_first_;
  uint32_t number_ = 0;
};

// Classes of values that share a slot.
class Classes {
 public:
  explicit Classes(std::vector<Bits> interference) : with_(std::move(interference)), parent_(with_.size()) {
    members_.resize(with_.size(), Bits((with_.size() + 63) / 64));
    for (size_t i = 0; i < parent_.size(); ++i) {
      parent_[i] = i;
      SetBit(members_[i], i);
    }
  }
  size_t Find(size_t i) const {
    while (parent_[i] != i) i = parent_[i];
    return i;
  }
  bool Clash(size_t a, size_t b) const {
    for (size_t w = 0; w < with_[a].size(); ++w) {
      if ((with_[a][w] & members_[b][w]) != 0) return true;
    }
    return false;
  }
  void Unite(size_t a, size_t b) {
    parent_[b] = a;
    Merge(with_[a], with_[b]);
    Merge(members_[a], members_[b]);
  }

 private:
  std::vector<Bits> with_, members_;
  std::vector<size_t> parent_;
};

}  // namespace

std::vector<uint64_t> ShareGroupSlots(const LaneKernel& kernel, ir::FunctionId function,
                                      const std::vector<ValueId>& values, uint64_t* bytes) {
  const ir::Module& module = kernel.module;
  std::vector<uint64_t> sizes, offsets(values.size());
  for (const ValueId v : values) {
    const bool pointer = module.types.IsPointer(module.type_of(v));  // a parameter: its offset
    const uint64_t words = pointer ? 1 : module.types.ScalarCount(module.type_of(v));
    sizes.push_back(words * kernel.lanes * 4);
  }
  *bytes = 0;
  Graph graph(kernel, values);
  if (values.size() > kMaxValues || !graph.Build(function)) {
    for (size_t i = 0; i < values.size(); ++i) {
      offsets[i] = *bytes;
      *bytes += sizes[i];
    }
    return offsets;
  }
  Classes classes(graph.Interference());
  for (const auto& [from, to] : graph.Copies()) {
    const size_t a = classes.Find(from), b = classes.Find(to);
    if (a != b && sizes[a] == sizes[b] && !classes.Clash(a, b)) classes.Unite(a, b);
  }
  std::vector<size_t> slots;  // a class each, that others are united with
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t own = classes.Find(i);
    if (own != i) continue;
    const auto fits = std::find_if(slots.begin(), slots.end(), [&](size_t s) {
      return sizes[s] == sizes[own] && !classes.Clash(s, own);
    });
    if (fits != slots.end()) {
      classes.Unite(*fits, own);
      continue;
    }
    slots.push_back(own);
    offsets[own] = *bytes;
    *bytes += sizes[own];
  }
  for (size_t i = 0; i < values.size(); ++i) offsets[i] = offsets[classes.Find(i)];
  return offsets;
}

}  // namespace lockstep::codegen
