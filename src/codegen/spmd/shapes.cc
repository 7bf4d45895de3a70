// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "codegen/spmd/shapes.h"

#include <array>
#include <deque>
#include <unordered_map>

#include "codegen/spmd/shape_rules.h"

namespace lockstep::codegen {

using ir::AddressSpace;
using ir::BlockId;
using ir::FunctionId;
using ir::InstId;
using ir::Module;
using ir::Op;
using ir::ValueId;

// A worklist over instructions. Control flow is not walked again where a level changes: the jumps and the
// stores inside of the construct are, since only they ask for levels. They stand in a row in program order.
class ShapeAnalysis {
 public:
  ShapeAnalysis(const Module& module, const Structure& structure, uint32_t lanes)
      : module_(module), structure_(structure), lanes_(lanes) {
    out_.facts_.resize(module.value_count());
    out_.contents_.resize(module.value_count());
    roots_.resize(module.value_count());
    queued_.resize(module.insts.size());
  }

  ShapeInfo Run() {
    for (uint32_t i = 0; i < module_.value_count(); ++i) SeedValue(ValueId(i));
    for (const InstId inst : structure_.order) Collect(inst);
    BuildUsers();
    for (const InstId inst : structure_.order) Push(inst);
    Drain();
    SettleUnset();
    return std::move(out_);
  }

 private:
  Fact& fact(ValueId id) { return out_.facts_[id.index]; }
  static bool PerLane(AddressSpace space) {
    return space == AddressSpace::kFunction || space == AddressSpace::kPrivate;
  }
  AddressSpace SpaceOf(ValueId pointer) const { return module_.types[module_.type_of(pointer)].space; }

  // --- set-up ---
  void SeedValue(ValueId id) {
    const ir::Value& value = module_.value(id);
    Fact varying;
    varying.kind = Fact::kVarying;
    roots_[id.index] = id;
    if (value.kind == ir::ValueKind::kConstant) fact(id) = ConstantFact(module_, id);
    if (value.kind == ir::ValueKind::kVariable) {
      fact(id).kind = Fact::kWorkgroup;
      out_.contents_[id.index] = varying;
    }
    if (value.kind == ir::ValueKind::kFunctionParam && module_.types.IsPointer(value.type)) {
      out_.contents_[id.index] = varying;
    }
  }

  void Collect(InstId inst) {
    const ir::Inst& i = module_.insts[inst];
    const uint32_t number = structure_.places.Get(inst).begin;
    if (ir::IsExit(i.op)) jumps_.push_back(number);
    if (i.op == Op::kStore || i.op == Op::kCopy || i.op == Op::kZeroFill) stores_.push_back(number);
    if (i.op == Op::kCall) calls_[i.imm].push_back(inst);
    if (i.op == Op::kAccess) {
      roots_[module_.result(inst).index] = roots_[module_.operands(inst)[0].index];
    }
    // A copy reads through its second operand.
    const size_t pointer = i.op == Op::kCopy ? 1 : 0;
    if (i.op == Op::kLoad || i.op == Op::kCopy)
      readers_[roots_[module_.operands(inst)[pointer].index]].push_back(inst);
  }

  void BuildUsers() {
    user_begin_.assign(module_.value_count() + 1, 0);
    for (const InstId inst : structure_.order) {
      for (const ValueId v : module_.operands(inst)) ++user_begin_[v.index + 1];
    }
    for (size_t i = 1; i < user_begin_.size(); ++i) user_begin_[i] += user_begin_[i - 1];
    users_.resize(user_begin_.back());
    std::vector<uint32_t> next(user_begin_.begin(), user_begin_.end() - 1);
    for (const InstId inst : structure_.order) {
      for (const ValueId v : module_.operands(inst)) users_[next[v.index]++] = inst;
    }
  }

  // --- the worklist ---
  void Push(InstId inst) {
    if (queued_[inst.index] != 0) return;
    queued_[inst.index] = 1;
    queue_.push_back(inst);
  }
  void Drain() {
    while (!queue_.empty()) {
      const InstId inst = queue_.front();
      queue_.pop_front();
      queued_[inst.index] = 0;
      Visit(inst);
    }
  }
  void Meet(ValueId id, Fact incoming) {
    const Fact joined = Join(fact(id), incoming);
    if (joined == fact(id)) return;
    fact(id) = joined;
    for (uint32_t u = user_begin_[id.index]; u < user_begin_[id.index + 1]; ++u) Push(users_[u]);
  }
  // Where control flow meets: a clamped value is known by its `min` only.
  void MeetFlow(ValueId id, Fact incoming, uint8_t level) {
    if (incoming.kind == Fact::kClamped) level = 2;
    Meet(id, Raise(incoming, level));
  }
  void MeetContents(ValueId root, Fact incoming, uint8_t level) {
    Fact held = Raise(incoming, incoming.uniform() ? level : 2);
    held.align = 0;
    const Fact joined = Join(out_.contents_[root.index], held);
    if (joined == out_.contents_[root.index]) return;
    out_.contents_[root.index] = joined;
    const auto it = readers_.find(root);
    if (it == readers_.end()) return;
    for (const InstId reader : it->second) Push(reader);
  }
  void PushRange(const std::vector<uint32_t>& numbers, const Structure::Place& place) {
    auto it = std::lower_bound(numbers.begin(), numbers.end(), place.begin);
    for (; it != numbers.end() && *it <= place.end; ++it) Push(structure_.order[*it]);
  }
  void RaiseLevel(InstId construct, uint8_t ShapeInfo::Levels::*level, uint8_t to) {
    ShapeInfo::Levels levels = out_.levels_.Get(construct);
    if (levels.*level >= to) return;
    levels.*level = to;
    out_.levels_.Set(construct, levels);
    const Structure::Place place = structure_.places.Get(construct);
    PushRange(jumps_, place);
    PushRange(stores_, place);
  }

  // --- instructions ---
  void Visit(InstId inst);
  void VisitJump(InstId inst);
  uint8_t WalkOut(InstId jump, InstId target);
  void VisitCall(InstId inst);
  void VisitLoad(InstId inst);
  void VisitStore(InstId inst);
  uint8_t StoreLevel(InstId inst, ValueId root);
  void SettleUnset();

  const Module& module_;
  const Structure& structure_;
  const uint32_t lanes_;
  ShapeInfo out_;
  std::vector<ValueId> roots_;
  std::vector<uint32_t> jumps_, stores_;                              // numbers, ascending
  std::unordered_map<ValueId, std::vector<InstId>, IdHash> readers_;  // by root
  std::unordered_map<uint32_t, std::vector<InstId>> calls_;           // by FunctionId
  std::vector<uint32_t> user_begin_;
  std::vector<InstId> users_;
  std::vector<uint8_t> queued_;
  std::deque<InstId> queue_;
};

void ShapeAnalysis::Visit(InstId inst) {
  const Op op = module_.insts[inst].op;
  const auto operands = module_.operands(inst);
  if (ir::IsExit(op)) return VisitJump(inst);
  if (op == Op::kCall) return VisitCall(inst);
  if (op == Op::kLoad) return VisitLoad(inst);
  if (op == Op::kStore || op == Op::kCopy || op == Op::kZeroFill) return VisitStore(inst);
  Fact uniform;
  uniform.kind = Fact::kWorkgroup;
  if (op == Op::kVar || op == Op::kUniformLoad) return Meet(module_.result(inst), uniform);
  if (op == Op::kLoop) {
    const std::vector<ValueId>& params = module_.blocks[module_.regions(inst)[0]].params;
    for (size_t i = 0; i < params.size(); ++i) MeetFlow(params[i], fact(operands[i]), 0);
    return;
  }
  if (op == Op::kIf || op == Op::kSwitch) {
    const Fact& condition = fact(operands[0]);
    const bool together = condition.kind <= Fact::kWorkgroup || structure_.workgroup_level.Get(inst) != 0;
    RaiseLevel(inst, &ShapeInfo::Levels::split, together ? 0 : condition.kind == Fact::kGroup ? 1 : 2);
    return;
  }
  if (op == Op::kAtomicLoad) {
    Fact result;
    for (const ValueId v : operands) {
      if (fact(v).kind == Fact::kUnset) return;
      result.kind = std::max(result.kind, fact(v).kind);
    }
    result.kind = result.uniform() ? Fact::kGroup : Fact::kVarying;
    return Meet(module_.result(inst), result);
  }
  const bool pure =
      ir::EffectOf(op) == ir::Effect::kPure || op == Op::kTextureLoad;  // nothing writes to them
  if (!pure) {  // atomics: each lane gets its own; barriers have no results
    uniform.kind = Fact::kVarying;
    for (const ValueId result : module_.results(inst)) Meet(result, uniform);
    return;
  }
  std::vector<Fact> facts;
  facts.reserve(operands.size());
  for (const ValueId v : operands) {
    if (fact(v).kind == Fact::kUnset) return;
    facts.push_back(fact(v));
  }
  const Fact result = EvaluateOp(module_, inst, facts, lanes_);
  for (const ValueId r : module_.results(inst)) Meet(r, result);
}

// Raises what the jump does to the constructs that it leaves; the level of the jump itself.
uint8_t ShapeAnalysis::WalkOut(InstId jump, InstId target) {
  const bool has_regions = structure_.workgroup_functions.Get(structure_.places.Get(jump).function) != 0;
  const bool is_return = module_.insts[jump].op == Op::kReturn;
  uint8_t level = 0;
  for (InstId c = structure_.parent(jump); c != target; c = structure_.parent(c)) {
    RaiseLevel(c, &ShapeInfo::Levels::leaves, level);
    const ShapeInfo::Levels levels = out_.levels_.Get(c);
    level = std::max({level, levels.split, levels.exits, levels.continues});
    // A region between barriers cannot jump at workgroup level; but the last one may return.
    const InstId around = structure_.parent(c);
    const bool crosses = has_regions && structure_.workgroup_level.Get(c) == 0 &&
                         (around.has_value() ? structure_.workgroup_level.Get(around) != 0 : !is_return);
    if (crosses) level = 2;
  }
  return level;
}

void ShapeAnalysis::VisitJump(InstId inst) {
  const Op op = module_.insts[inst].op;
  const auto operands = module_.operands(inst);
  if (op == Op::kUnreachable) return;
  const InstId target = JumpTarget(module_, inst);
  const uint8_t level = WalkOut(inst, target);
  const bool empty = structure_.empty_jumps.Get(inst) != 0;
  out_.jump_levels_.Set(inst, std::max(level, out_.jump_levels_.Get(inst)));
  if (op == Op::kReturn) {
    const FunctionId function = structure_.places.Get(inst).function;
    const uint8_t leaves = std::max(level, out_.function_leaves_.Get(function));
    const bool rose = leaves != out_.function_leaves_.Get(function);
    out_.function_leaves_.Set(function, leaves);
    const Fact result = out_.function_results_.Get(function);
    Fact joined = result;
    if (!operands.empty() && !empty) {
      Fact returned = fact(operands[0]);
      returned.align = 0;
      joined = Join(result, Raise(returned, returned.uniform() ? leaves : 2));
    }
    if (joined == result && !rose) return;
    out_.function_results_.Set(function, Raise(joined, leaves));
    for (const InstId call : calls_[function.index]) Push(call);
    return;
  }
  if (op == Op::kExit) RaiseLevel(target, &ShapeInfo::Levels::exits, level);
  if (op == Op::kContinue) RaiseLevel(target, &ShapeInfo::Levels::continues, level);
  if (op != Op::kNext) RaiseLevel(target, &ShapeInfo::Levels::leaves, level);
  const ShapeInfo::Levels levels = out_.levels_.Get(target);
  if (empty) return;
  if (op == Op::kExit) {
    const auto results = module_.results(target);
    const uint8_t met = std::max({levels.exits, levels.split, levels.continues});
    for (size_t i = 0; i < operands.size(); ++i) MeetFlow(results[i], fact(operands[i]), met);
    return;
  }
  const BlockId block = module_.regions(target)[op == Op::kContinue ? 1 : 0];
  const std::vector<ValueId>& params = module_.blocks[block].params;
  for (size_t i = 0; i < operands.size(); ++i) {
    MeetFlow(params[i], fact(operands[i]), op == Op::kContinue ? levels.continues : 0);
  }
}

void ShapeAnalysis::VisitCall(InstId inst) {
  const FunctionId callee(module_.insts[inst].imm);
  const std::vector<ValueId>& params = module_.functions[callee].params;
  const auto arguments = module_.operands(inst);
  Fact varying;
  varying.kind = Fact::kVarying;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const bool pointer = module_.types.IsPointer(module_.type_of(arguments[i]));
    if (pointer && PerLane(SpaceOf(arguments[i]))) MeetContents(roots_[arguments[i].index], varying, 2);
    const Fact& argument = fact(arguments[i]);
    const bool keeps = argument.uniform() || (argument.kind == Fact::kAffine && !pointer);
    MeetFlow(params[i], argument, keeps ? 0 : 2);
  }
  if (module_.results(inst).empty()) return;
  Meet(module_.result(inst), Raise(out_.function_results_.Get(callee), out_.function_leaves_.Get(callee)));
}

void ShapeAnalysis::VisitLoad(InstId inst) {
  const ValueId pointer = module_.operands(inst)[0];
  const ir::Type& type = module_.types[module_.type_of(pointer)];
  const Fact offset = fact(pointer);
  if (offset.kind == Fact::kUnset) return;
  Fact result;
  result.kind = Fact::kVarying;
  if (PerLane(type.space)) {
    const Fact held = out_.contents_[roots_[pointer.index].index];
    if (held.kind == Fact::kUnset) return;
    if (offset.uniform() && held.uniform()) result.kind = std::max(offset.kind, held.kind);
  } else if (offset.uniform()) {
    const bool constant = type.space == AddressSpace::kUniform ||
                          (type.space == AddressSpace::kStorage && type.access == ir::Access::kRead);
    result.kind = constant ? offset.kind : Fact::kGroup;
  }
  Meet(module_.result(inst), result);
}

// The level of control flow between a `var` and a store to it: lanes that are masked off keep what they had.
uint8_t ShapeAnalysis::StoreLevel(InstId inst, ValueId root) {
  const InstId var = module_.defining_inst(root);
  if (!var.has_value()) return 2;  // a parameter or a private variable: called from anywhere
  const InstId scope = structure_.parent(var);
  uint8_t level = 0;
  for (InstId c = structure_.parent(inst); c != scope; c = structure_.parent(c)) {
    const ShapeInfo::Levels levels = out_.levels_.Get(c);
    level = std::max({level, levels.split, levels.leaves});
  }
  return level;
}

void ShapeAnalysis::VisitStore(InstId inst) {
  const Op op = module_.insts[inst].op;
  const auto operands = module_.operands(inst);
  if (!PerLane(SpaceOf(operands[0]))) return;
  const ValueId root = roots_[operands[0].index];
  uint8_t level = StoreLevel(inst, root);
  out_.store_levels_.Set(inst, level);
  const Fact offset = fact(operands[0]);
  if (offset.kind == Fact::kUnset) return;
  if (!offset.uniform()) level = 2;
  if (offset.kind == Fact::kGroup) level = std::max<uint8_t>(level, 1);
  const size_t guard = op == Op::kZeroFill ? 1 : 2;
  if (operands.size() > guard) {
    const Fact& condition = fact(operands[guard]);
    if (condition.kind == Fact::kUnset) return;
    if (!condition.uniform()) level = 2;
    if (condition.kind == Fact::kGroup) level = std::max<uint8_t>(level, 1);
  }
  Fact stored;
  stored.kind = Fact::kWorkgroup;
  if (op == Op::kStore) stored = fact(operands[1]);
  if (op == Op::kCopy) {  // as a load of all that is behind the pointer
    const ValueId from = roots_[operands[1].index];
    const Fact held = PerLane(SpaceOf(operands[1])) ? out_.contents_[from.index] : Fact{Fact::kGroup, 0, 0};
    if (held.kind == Fact::kUnset || fact(operands[1]).kind == Fact::kUnset) return;
    stored.kind = std::max(held.kind, fact(operands[1]).kind);
    stored.stride = 0;
    if (!stored.uniform()) stored.kind = Fact::kVarying;
  }
  if (stored.kind != Fact::kUnset) MeetContents(root, stored, level);
}

// What is still not known comes from `var`s that nothing was stored to, or from code that is never reached:
// any value will do, so the cheapest.
void ShapeAnalysis::SettleUnset() {
  Fact any;
  any.kind = Fact::kGroup;
  for (const InstId inst : structure_.order) {
    for (const ValueId result : module_.results(inst)) {
      if (fact(result).kind == Fact::kUnset) Meet(result, any);
    }
    for (const BlockId block : module_.regions(inst)) {
      for (const ValueId param : module_.blocks[block].params) {
        if (fact(param).kind == Fact::kUnset) Meet(param, any);
      }
    }
    if (module_.insts[inst].op == Op::kVar) {
      Fact& held = out_.contents_[module_.result(inst).index];
      if (held.kind == Fact::kUnset) held = any;
    }
    Drain();
  }
}

ShapeInfo AnalyzeShapes(const Module& module, const Structure& structure, uint32_t lanes) {
  return ShapeAnalysis(module, structure, lanes).Run();
}

Shape ShapeOf(const Fact& fact) {
  if (fact.uniform() || fact.kind == Fact::kUnset) return {ShapeKind::kUniform, 0};
  if (fact.kind == Fact::kAffine) return {ShapeKind::kAffine, fact.stride};
  if (fact.kind == Fact::kClamped) return {ShapeKind::kClamped, fact.stride};
  return {ShapeKind::kVarying, 0};
}

}  // namespace lockstep::codegen
