// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Structured control flow makes this one walk: `current_` says what each variable holds at the place of the
// walk. A construct knows beforehand which variables are stored to inside of it (`assigned_`); only those
// need results and parameters. Its size is that of the stores times the depth at which they stand.
#include "ir/transform/promote_variables.h"

#include <string>
#include <unordered_map>
#include <vector>

#include "ir/builder.h"
#include "ir/transform/rewrite.h"

namespace lockstep::ir {
namespace {

class State {
 public:
  explicit State(Module& module) : m_(module) {}

  void Run() {
    for (uint32_t i = 0; i < m_.functions.size(); ++i) {
      variables_.clear();
      index_.clear();
      assigned_.clear();
      const BlockId body = m_.functions[FunctionId(i)].body;
      FindVariables(body);
      if (index_.empty()) continue;
      Map(body, InstId::None());
      FindAssigned();
      current_.assign(variables_.size(), ValueId::None());
      Walk(body);
    }
  }

 private:
  // Value::number has 16 bits, and one construct may have a result for each variable.
  static constexpr size_t kMaxVariables = 20000;

  struct Variable {
    ValueId pointer;
    TypeId type;
    BlockId block = BlockId::None();  // where it is declared
    std::vector<BlockId> stores;      // blocks that store to it
  };

  // --- which variables ---

  void FindVariables(BlockId body) {
    ForEachInst(m_, body, [&](InstId id) {
      const Inst& inst = m_.insts[id];
      if (inst.op == Op::kVar) {
        const TypeId type = m_.types.Pointee(m_.type_of(m_.result(id)));
        const bool simple = m_.types.IsScalar(type) || m_.types[type].kind == TypeKind::kVector;
        if (simple && variables_.size() < kMaxVariables) {
          index_[m_.result(id)] = static_cast<uint32_t>(variables_.size());
          variables_.push_back({m_.result(id), type, BlockId::None(), {}});
        }
        return;
      }
      const auto operands = m_.operands(id);
      for (size_t i = 0; i < operands.size(); ++i) {
        if (!Allows(inst.op, i)) index_.erase(RootOf(operands[i]));
      }
    });
  }

  // May operand i of `op` be a variable or a component of one that becomes a value?
  static bool Allows(Op op, size_t i) {
    if (op == Op::kLoad || op == Op::kZeroFill || op == Op::kStore || op == Op::kAccess) return i == 0;
    return op == Op::kCopy && i < 2;
  }

  // The variable that a pointer to it or to a component of it means.
  ValueId RootOf(ValueId pointer) const {
    const InstId id = m_.defining_inst(pointer);
    return id.has_value() && m_.insts[id].op == Op::kAccess ? m_.operands(id)[0] : pointer;
  }

  bool Find(ValueId pointer, uint32_t* index) const {
    const auto it = index_.find(RootOf(pointer));
    if (it == index_.end()) return false;
    *index = it->second;
    return true;
  }

  // --- what each construct assigns ---

  void Map(BlockId block, InstId owner) {
    owner_[block] = owner;
    for (const InstId id : m_.blocks[block].insts) {
      const Op op = m_.insts[id].op;
      uint32_t index = 0;
      if (op == Op::kVar && Find(m_.result(id), &index)) variables_[index].block = block;
      const bool stores = op == Op::kStore || op == Op::kZeroFill || op == Op::kCopy;
      if (stores && Find(m_.operands(id)[0], &index)) variables_[index].stores.push_back(block);
      if (m_.regions(id).empty()) continue;
      block_of_[id] = block;
      for (const BlockId region : m_.regions(id)) Map(region, id);
    }
  }

  void FindAssigned() {
    for (uint32_t v = 0; v < variables_.size(); ++v) {
      if (!variables_[v].block.has_value()) continue;
      for (BlockId block : variables_[v].stores) {
        while (block != variables_[v].block) {
          const InstId construct = owner_[block];
          std::vector<uint32_t>& assigned = assigned_[construct];
          if (!assigned.empty() && assigned.back() == v) break;  // and so have those around it
          assigned.push_back(v);
          block = block_of_[construct];
        }
      }
    }
  }

  // --- the walk ---

  ValueId Current(uint32_t v) {
    if (!current_[v].has_value()) return m_.ConstantZero(variables_[v].type);
    return current_[v];
  }

  void Walk(BlockId block) {
    const std::vector<InstId> old = std::move(m_.blocks[block].insts);
    m_.blocks[block].insts.clear();
    for (const InstId id : old) {
      replacements_.ApplyTo(m_, id);
      Builder b(&m_, block);
      b.set_span(m_.span(id));
      const Op op = m_.insts[id].op;
      if (KindOf(op) == OpKind::kMemory && WalkMemory(id, b)) continue;
      if (IsExit(op)) PassCurrent(id);
      if (op == Op::kLoop) {
        WalkLoop(id, block);
      } else if (KindOf(op) == OpKind::kControl) {
        WalkBranches(id, block);
      } else {
        m_.blocks[block].insts.push_back(id);
      }
    }
  }

  // True where the instruction is gone.
  bool WalkMemory(InstId id, Builder& b) {
    const Op op = m_.insts[id].op;
    uint32_t v = 0;
    if (op == Op::kVar) {
      if (!Find(m_.result(id), &v)) return false;
      current_[v] = ValueId::None();
      return true;
    }
    if (m_.operands(id).empty()) return false;
    const std::vector<ValueId> operands(m_.operands(id).begin(), m_.operands(id).end());
    if (op == Op::kCopy) return WalkCopy(operands, b);
    if (!Find(operands[0], &v)) return false;
    if (op == Op::kLoad) {
      Become(m_.result(id), Read(operands[0], v, b), v);
    } else if (op == Op::kStore) {
      Write(operands[0], v, operands[1], operands.size() > 2 ? operands[2] : ValueId::None(), b);
    } else if (op == Op::kZeroFill) {
      Write(operands[0], v, m_.ConstantZero(m_.types.Pointee(m_.type_of(operands[0]))), ValueId::None(), b);
    }
    return true;  // accesses too: loads and stores look at them
  }

  bool WalkCopy(const std::vector<ValueId>& operands, Builder& b) {
    uint32_t to = 0;
    uint32_t from = 0;
    const bool writes = Find(operands[0], &to);
    const bool reads = Find(operands[1], &from);
    if (!writes && !reads) return false;
    const ValueId value = reads ? Read(operands[1], from, b) : b.Load(operands[1]);
    const ValueId guard = operands.size() > 2 ? operands[2] : ValueId::None();
    if (writes) {
      Write(operands[0], to, value, guard, b);
    } else {
      b.Store(operands[0], value, guard);
    }
    return true;
  }

  // The index of the component that the pointer means, None for the whole variable.
  ValueId ComponentOf(ValueId pointer) const {
    const InstId id = m_.defining_inst(pointer);
    return id.has_value() && m_.insts[id].op == Op::kAccess ? m_.operands(id)[1] : ValueId::None();
  }

  ValueId Read(ValueId pointer, uint32_t v, Builder& b) {
    const ValueId index = ComponentOf(pointer);
    const ValueId whole = Current(v);
    if (!index.has_value()) return whole;
    uint32_t part = 0;
    if (m_.ConstantScalar(index, &part) && part < m_.types.Width(variables_[v].type)) {
      return m_.is_constant(whole) ? m_.ConstantPart(whole, part) : b.Extract(whole, part);
    }
    return b.ExtractDynamic(whole, b.Bitcast(m_.types.U32(), index));
  }

  void Write(ValueId pointer, uint32_t v, ValueId value, ValueId guard, Builder& b) {
    const ValueId index = ComponentOf(pointer);
    ValueId now = index.has_value() ? WithComponent(v, index, value, b) : value;
    if (guard.has_value()) now = b.Select(guard, now, Current(v));
    current_[v] = now;
    NameAfter(now, v);
  }

  ValueId WithComponent(uint32_t v, ValueId index, ValueId value, Builder& b) {
    const ValueId whole = Current(v);
    const TypeId type = variables_[v].type;
    uint32_t part = 0;
    if (m_.ConstantScalar(index, &part))
      return part < m_.types.Width(type) ? b.Insert(whole, value, part) : whole;
    // A dynamic index: each component chooses. Out of range, none does.
    const ValueId at = b.Bitcast(m_.types.U32(), index);
    std::vector<ValueId> parts;
    for (uint32_t i = 0; i < m_.types.Width(type); ++i) {
      parts.push_back(b.Select(b.Eq(at, b.U32(i)), value, b.Extract(whole, i)));
    }
    return b.Construct(type, parts);
  }

  void Become(ValueId load, ValueId value, uint32_t v) {
    NameAfter(value, v);
    replacements_.Replace(load, value);
  }

  void NameAfter(ValueId value, uint32_t v) {
    if (m_.is_constant(value) || !m_.name_of(value).empty()) return;
    m_.set_name(value, std::string(m_.name_of(variables_[v].pointer)));
  }

  // --- control flow ---

  const std::vector<uint32_t>& Assigned(InstId construct) const {
    static const std::vector<uint32_t> kNothing;
    const auto it = assigned_.find(construct);
    return it == assigned_.end() ? kNothing : it->second;
  }

  // A jump brings its target what the variables hold.
  void PassCurrent(InstId id) {
    const Inst& inst = m_.insts[id];
    if (inst.op == Op::kReturn || inst.op == Op::kUnreachable) return;
    const std::vector<uint32_t>& assigned = Assigned(InstId(inst.imm));
    if (assigned.empty()) return;
    std::vector<ValueId> operands(m_.operands(id).begin(), m_.operands(id).end());
    for (const uint32_t v : assigned) operands.push_back(Current(v));
    m_.SetOperands(id, operands);
  }

  void WalkBranches(InstId id, BlockId block) {
    const std::vector<uint32_t>& assigned = Assigned(id);
    std::vector<ValueId> before;
    for (const uint32_t v : assigned) before.push_back(current_[v]);
    m_.blocks[block].insts.push_back(id);
    for (size_t r = 0; r < m_.regions(id).size(); ++r) {
      Walk(m_.regions(id)[r]);
      for (size_t i = 0; i < assigned.size(); ++i) current_[assigned[i]] = before[i];
    }
    TakeResults(id);
  }

  void WalkLoop(InstId id, BlockId block) {
    const std::vector<uint32_t>& assigned = Assigned(id);
    const BlockId body = m_.regions(id)[0];
    const BlockId continuing = m_.regions(id)[1];
    std::vector<ValueId> operands(m_.operands(id).begin(), m_.operands(id).end());
    for (const uint32_t v : assigned) operands.push_back(Current(v));
    m_.SetOperands(id, operands);
    m_.blocks[block].insts.push_back(id);
    TakeParams(assigned, body);
    Walk(body);
    TakeParams(assigned, continuing);
    Walk(continuing);
    TakeResults(id);
  }

  void TakeParams(const std::vector<uint32_t>& assigned, BlockId block) {
    for (const uint32_t v : assigned) {
      current_[v] = m_.AddBlockParam(block, variables_[v].type);
      NameAfter(current_[v], v);
    }
  }

  void TakeResults(InstId id) {
    const std::vector<uint32_t>& assigned = Assigned(id);
    if (assigned.empty()) return;
    const size_t first = m_.results(id).size();
    std::vector<TypeId> types;
    for (const uint32_t v : assigned) types.push_back(variables_[v].type);
    m_.AddResults(id, types);
    for (size_t i = 0; i < assigned.size(); ++i) {
      current_[assigned[i]] = m_.result(id, static_cast<uint32_t>(first + i));
      NameAfter(current_[assigned[i]], assigned[i]);
    }
  }

  Module& m_;
  std::vector<Variable> variables_;
  std::unordered_map<ValueId, uint32_t, IdHash> index_;  // of those that become values, by pointer
  std::unordered_map<BlockId, InstId, IdHash> owner_;
  std::unordered_map<InstId, BlockId, IdHash> block_of_;  // of constructs
  std::unordered_map<InstId, std::vector<uint32_t>, IdHash> assigned_;
  std::vector<ValueId> current_;  // by variable; None: nothing stored yet
  Replacements replacements_;
};

}  // namespace

void PromoteVariables(Module& module) { State(module).Run(); }

}  // namespace lockstep::ir
