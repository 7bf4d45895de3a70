// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Constructs and jumps; linearize.h tells the idea.
#include <algorithm>

#include "codegen/spmd/linearizer.h"

namespace lockstep::codegen {

using ir::BlockId;
using ir::InstId;
using ir::Op;
using ir::TypeId;
using ir::ValueId;

namespace {

// An arm up to this cost runs without a branch around it: mispredicting one costs about as much.
constexpr uint32_t kShortArm = 10;

uint32_t CostOf(Op op) {
  if (op == Op::kDiv || op == Op::kRem || op == Op::kSqrt) return 5;
  if (op == Op::kLoad || op == Op::kStore) return 2;
  if (op == Op::kAccess || op == Op::kExtract || op == Op::kConstruct) return 0;
  return ir::EffectOf(op) == ir::Effect::kPure ? 1 : kShortArm + 1;
}

}  // namespace

// --- small things ---

std::vector<TypeId> Linearizer::ResultTypes(InstId inst) const {
  std::vector<TypeId> types;
  for (const ValueId v : module_.results(inst)) types.push_back(module_.type_of(v));
  return types;
}

// Lanes that never write it read zero: no value may depend on what the memory held.
ValueId Linearizer::NewVar(TypeId type) {
  const ValueId var = builder_.Var(type);
  builder_.Store(var, module_.ConstantZero(type));
  return var;
}

ValueId Linearizer::MaskVar(ValueId initial) {
  const ValueId var = builder_.Var(module_.types.Bool());
  builder_.Store(var, initial.has_value() ? initial : builder_.Bool(true));
  return var;
}

void Linearizer::TakeOut(ValueId mask_var) {
  if (!mask_var.has_value()) return;
  if (!mask_.known()) return builder_.Store(mask_var, builder_.Bool(false));
  const ValueId before = builder_.Load(mask_var);
  builder_.Store(mask_var, builder_.And(before, builder_.Not(mask_.value)));
}

Linearizer::Values Linearizer::Zeros(std::span<const ValueId> like) {
  const Values copy(like.begin(), like.end());
  Values zeros;
  for (const ValueId v : copy) zeros.push_back(module_.ConstantZero(module_.type_of(v)));
  return zeros;
}

Linearizer::Values Linearizer::LoadAll(const Values& vars) {
  Values loaded;
  for (const ValueId var : vars) loaded.push_back(builder_.Load(var));
  return loaded;
}

void Linearizer::StoreResults(const Target& target, const Values& vars, const Values& values) {
  const ValueId guard = mask_.value == target.entry_mask ? ValueId::None() : mask_.value;
  for (size_t i = 0; i < vars.size(); ++i) builder_.Store(vars[i], values[i], guard);
}

void Linearizer::MapResults(InstId inst, std::span<const ValueId> made) {
  const Values copy(made.begin(), made.end());
  const Values old(module_.results(inst).begin(), module_.results(inst).end());
  for (size_t i = 0; i < old.size(); ++i) SetMap(old[i], copy[i]);
}

// --- targets and regions ---

size_t Linearizer::PushTarget(InstId old, bool by_vars, bool active) {
  Target target;
  target.old = old;
  target.by_vars = by_vars;
  target.entry_mask = mask_.value;
  target.arm_depth = arm_depth_;
  if (active) target.active = MaskVar(mask_.value);
  if (by_vars && old.has_value()) {
    for (const TypeId type : ResultTypes(old)) target.result_vars.push_back(NewVar(type));
  }
  const size_t index = targets_.size();
  if (old.has_value()) target_index_.Set(old, static_cast<uint32_t>(index));
  targets_.push_back(std::move(target));
  return index;
}

bool Linearizer::PopTarget() {
  const bool escaped = targets_.back().escaped;
  targets_.pop_back();
  return escaped;
}

size_t Linearizer::TargetOf(InstId jump) const {
  const InstId old = JumpTarget(module_, jump);
  return old.has_value() ? target_index_.Get(old) : 0;
}

void Linearizer::WriteExit(Region& region, std::span<const ValueId> values) {
  builder_.Exit(region.made, values);
  if (!values.empty()) return;
  region.zero_exits.push_back(module_.terminator(builder_.block()));
  out_.empty_jumps.Set(region.zero_exits.back(), 1);
}

void Linearizer::ExitEmpty(InstId made) {
  builder_.Exit(made, Zeros(module_.results(made)));
  out_.empty_jumps.Set(module_.terminator(builder_.block()), 1);
}

// An `if` that was made before its results were known: exits that bring nothing get zeros.
void Linearizer::PatchZeroExits(Region& region) {
  for (const InstId exit : region.zero_exits) module_.SetOperands(exit, Zeros(module_.results(region.made)));
}

// Ends the block with a jump to where lanes that are not here wait, for none is left here.
void Linearizer::WriteLeave() {
  Region& region = regions_.back();
  switch (region.kind) {
    case Region::kConstruct:
      return WriteExit(region, {});
    case Region::kLoopBody:
      if (region.continues) return builder_.Continue(region.made);
      return ExitEmpty(region.made);
    case Region::kContinuing:
      return ExitEmpty(region.made);
    case Region::kFunction: {
      const Target& function = targets_.front();
      if (!function.result_vars.empty()) return builder_.Return(builder_.Load(function.result_vars[0]));
      const TypeId type = module_.functions[current_function_].result;
      builder_.Return(type == module_.types.Void() ? ValueId::None() : module_.ConstantZero(type));
      return out_.empty_jumps.Set(module_.terminator(builder_.block()), 1);
    }
    case Region::kWorkgroup:
      return builder_.Unreachable();
  }
}

void Linearizer::LeaveIfEmpty() {
  if (regions_.back().kind == Region::kWorkgroup)
    return;  // regions do not jump: what follows is wrapped instead
  const ValueId condition[] = {AnyLane(mask_.value)};
  const BlockId stay = module_.AddBlock(), leave = module_.AddBlock();
  const BlockId blocks[] = {stay, leave};
  const BlockId here = builder_.block();
  const InstId made = builder_.Append(Op::kIf, condition, {}, 0, blocks);
  builder_.set_block(stay);
  builder_.Exit(made);
  builder_.set_block(leave);
  WriteLeave();
  builder_.set_block(here);
  mask_.maybe_empty = false;
}

// Lanes may have left from inside a construct for beyond it: the mask of what follows, from `next` on.
void Linearizer::AfterConstruct(InstId next) {
  for (size_t i = targets_.size(); i-- > 0;) {
    const Target& target = targets_[i];
    if (!target.active.has_value()) continue;
    const ValueId left = builder_.Load(target.active);
    // Directly in the target the variable says all; in arms below it, lanes of other arms are still in it.
    mask_.value = target.arm_depth == arm_depth_ ? left : And(mask_.value, left);
    mask_.maybe_empty = true;
    break;
  }
  const Op op = module_.insts[next].op;
  const bool ends_here = op == Op::kExit || op == Op::kReturn || op == Op::kUnreachable;
  if (mask_.maybe_empty && !ends_here) LeaveIfEmpty();
}

// --- constructs ---

bool Linearizer::EmitConstruct(InstId inst) {
  if (module_.insts[inst].op == Op::kLoop) return EmitLoop(inst);
  return shapes_.split(inst) == 2 ? EmitDivergent(inst) : EmitTogether(inst);
}

void Linearizer::EmitWrapped(InstId inst) {
  const ValueId condition[] = {AnyLane(mask_.value)};
  const BlockId run = module_.AddBlock(), skip = module_.AddBlock();
  const BlockId blocks[] = {run, skip};
  const BlockId here = builder_.block();
  const InstId made = builder_.Append(Op::kIf, condition, {}, 0, blocks);
  regions_.push_back({Region::kConstruct, made});
  builder_.set_block(run);
  mask_.maybe_empty = false;
  if (IsConstruct(module_.insts[inst].op))
    EmitConstruct(inst);
  else
    EmitCall(inst);
  const Values values = MapAll(module_.results(inst));
  for (const ValueId v : values) module_.AddResult(made, module_.type_of(v));
  WriteExit(regions_.back(), values);
  builder_.set_block(skip);
  WriteExit(regions_.back(), {});
  PatchZeroExits(regions_.back());
  regions_.pop_back();
  builder_.set_block(here);
  MapResults(inst, module_.results(made));
}

// The condition or selector of a construct that lanes take together.
ValueId Linearizer::Condition(InstId inst) {
  const ValueId old = module_.operands(inst)[0];
  if (IsUniform(old) || shapes_.fact(old).kind == Fact::kUnset) return Map(old);
  // At workgroup level WGSL says that all lanes agree, so that asking whether any lane has it is asking all.
  const ValueId made = Map(old);
  if (module_.insts[inst].op == Op::kIf) return AnyLane(And(mask_.value, made));
  const std::vector<ir::SwitchCase> cases = module_.switches[ir::SwitchId(module_.insts[inst].imm)];
  std::vector<uint32_t> selectors;
  for (const ir::SwitchCase& c : cases)
    selectors.insert(selectors.end(), c.selectors.begin(), c.selectors.end());
  uint32_t none = 0;  // a value that no case has: the default one
  while (std::count(selectors.begin(), selectors.end(), none) != 0) ++none;
  ValueId selector = module_.ConstantBits(module_.type_of(made), none);
  for (const uint32_t bits : selectors) {
    const ValueId constant = module_.ConstantBits(module_.type_of(made), bits);
    selector = builder_.Select(AnyLane(And(mask_.value, builder_.Eq(made, constant))), constant, selector);
  }
  return selector;
}

void Linearizer::FinishArm(const Ending& ending, InstId made) {
  if (ending.end == End::kTerminated) return;
  const bool by_vars = targets_.back().by_vars;
  if (ending.end == End::kDead) return ExitEmpty(made);
  builder_.Exit(made, by_vars ? Values() : ending.values);
}

bool Linearizer::EmitTogether(InstId inst) {
  const Mask outer = mask_;
  const bool at_workgroup = structure_.workgroup_level.Get(inst) != 0;
  const size_t t = PushTarget(inst, shapes_.exits(inst) == 2, shapes_.leaves(inst) == 2);
  const ValueId condition[] = {Condition(inst)};
  const std::vector<BlockId> old(module_.regions(inst).begin(), module_.regions(inst).end());
  std::vector<BlockId> blocks;
  for (size_t i = 0; i < old.size(); ++i) blocks.push_back(module_.AddBlock());
  const std::vector<TypeId> types = targets_[t].by_vars ? std::vector<TypeId>() : ResultTypes(inst);
  const BlockId here = builder_.block();
  const InstId made =
      builder_.Append(module_.insts[inst].op, condition, types, module_.insts[inst].imm, blocks);
  if (at_workgroup) out_.workgroup_level.Set(made, 1);
  targets_[t].made = made;
  for (size_t i = 0; i < old.size(); ++i) {
    regions_.push_back({at_workgroup ? Region::kWorkgroup : Region::kConstruct, made});
    builder_.set_block(blocks[i]);
    mask_ = outer;
    FinishArm(EmitBody(old[i]), made);
    PatchZeroExits(regions_.back());
    regions_.pop_back();
  }
  builder_.set_block(here);
  mask_ = outer;
  if (targets_[t].by_vars)
    MapResults(inst, LoadAll(targets_[t].result_vars));
  else
    MapResults(inst, module_.results(made));
  return PopTarget();
}

// For each block of an `if` or switch, which lanes take it.
Linearizer::Values Linearizer::CaseConditions(InstId inst) {
  const ValueId selector = Map(module_.operands(inst)[0]);
  if (module_.insts[inst].op == Op::kIf) {
    const bool needed = !IsBare(inst, 1) || (targets_.back().by_vars && !module_.results(inst).empty());
    return {selector, needed ? builder_.Not(selector) : ValueId::None()};
  }
  const std::vector<ir::SwitchCase> cases = module_.switches[ir::SwitchId(module_.insts[inst].imm)];
  Values conditions(cases.size(), ValueId::None());
  Values selected(cases.size(), ValueId::None());
  ValueId any = ValueId::None();
  for (size_t i = 0; i < cases.size(); ++i) {
    for (const uint32_t bits : cases[i].selectors) {
      const ValueId equal = builder_.Eq(selector, module_.ConstantBits(module_.type_of(selector), bits));
      selected[i] = selected[i].has_value() ? builder_.Or(selected[i], equal) : equal;
    }
    if (cases[i].is_default) continue;
    conditions[i] = selected[i].has_value() ? selected[i] : builder_.Bool(false);
    any = any.has_value() ? builder_.Or(any, conditions[i]) : conditions[i];
  }
  for (size_t i = 0; i < cases.size(); ++i) {
    if (cases[i].is_default) conditions[i] = any.has_value() ? builder_.Not(any) : builder_.Bool(true);
  }
  return conditions;
}

// An arm that only brings values.
bool Linearizer::IsBare(InstId inst, size_t arm) const {
  const BlockId block = module_.regions(inst)[arm];
  const InstId last = module_.terminator(block);
  return module_.blocks[block].insts.size() == 1 && module_.insts[last].op == Op::kExit &&
         JumpTarget(module_, last) == inst;
}

bool Linearizer::EmitDivergent(InstId inst) {
  const Mask outer = mask_;
  const bool by_vars = shapes_.exits(inst) == 2 || HasEarlyExit(inst);
  const size_t t = PushTarget(inst, by_vars, shapes_.leaves(inst) == 2);
  const std::vector<BlockId> old(module_.regions(inst).begin(), module_.regions(inst).end());
  const Values conditions = CaseConditions(inst);
  std::vector<Ending> arms;
  for (size_t i = 0; i < old.size(); ++i) {
    mask_ = outer;
    if (IsBare(inst, i) && !(by_vars && !module_.results(inst).empty())) {
      arms.push_back({End::kValues, MapAll(module_.operands(module_.terminator(old[i]))), {}});
    } else {
      arms.push_back(EmitArm(inst, old[i], And(outer.value, conditions[i])));
    }
  }
  mask_ = outer;
  if (by_vars)
    MapResults(inst, LoadAll(targets_[t].result_vars));
  else
    MergeArms(inst, arms, conditions);
  return PopTarget();
}

void Linearizer::MergeArms(InstId inst, const std::vector<Ending>& arms, const Values& conditions) {
  // From the last arm that brings values, select by select; the order does not matter, conditions exclude
  // each other.
  Values merged;
  for (size_t i = arms.size(); i-- > 0;) {
    if (arms[i].end != End::kValues) continue;
    if (merged.empty()) {
      merged = arms[i].values;
      continue;
    }
    for (size_t v = 0; v < merged.size(); ++v) {
      if (merged[v] != arms[i].values[v])
        merged[v] = builder_.Select(conditions[i], arms[i].values[v], merged[v]);
    }
  }
  if (merged.empty()) merged = Zeros(module_.results(inst));
  MapResults(inst, merged);
}

bool Linearizer::IsShort(BlockId block) const {
  uint32_t cost = 0;
  const std::vector<InstId>& insts = module_.blocks[block].insts;
  for (size_t i = 0; i + 1 < insts.size(); ++i) {
    cost += CostOf(module_.insts[insts[i]].op);
    if (cost > kShortArm) return false;
  }
  return true;
}

Linearizer::Ending Linearizer::EmitArm(InstId construct, BlockId block, ValueId mask) {
  ++arm_depth_;
  Ending ending;
  if (IsShort(block)) {
    mask_ = {mask, true};
    ending = EmitBody(block);
  } else {
    ending = EmitArmRegion(construct, block, mask);
  }
  --arm_depth_;
  return ending;
}

// if any_lane(mask) { the arm, giving the values that it makes } else { zeros }
Linearizer::Ending Linearizer::EmitArmRegion(InstId construct, BlockId block, ValueId mask) {
  const ValueId condition[] = {AnyLane(mask)};
  const BlockId run = module_.AddBlock(), skip = module_.AddBlock();
  const BlockId blocks[] = {run, skip};
  const BlockId here = builder_.block();
  const InstId made = builder_.Append(Op::kIf, condition, {}, 0, blocks);
  targets_.back().made = made;
  regions_.push_back({Region::kConstruct, made});
  builder_.set_block(run);
  mask_ = {mask, false};
  Ending ending = EmitBody(block);
  if (ending.end == End::kValues) {
    const uint32_t start = structure_.places.Get(construct).begin;
    Values inner;
    std::vector<size_t> exported;
    for (size_t i = 0; i < ending.values.size(); ++i) {
      const InstId def = module_.defining_inst(ending.old_values[i]);
      if (!def.has_value() || structure_.places.Get(def).begin < start) continue;  // seen from outside
      module_.AddResult(made, module_.type_of(ending.values[i]));
      inner.push_back(ending.values[i]);
      exported.push_back(i);
    }
    builder_.Exit(made, inner);
    for (size_t i = 0; i < exported.size(); ++i)
      ending.values[exported[i]] = module_.result(made, static_cast<uint32_t>(i));
  } else if (ending.end == End::kDead) {
    WriteExit(regions_.back(), {});
  }
  builder_.set_block(skip);
  WriteExit(regions_.back(), {});
  PatchZeroExits(regions_.back());
  regions_.pop_back();
  builder_.set_block(here);
  return ending;
}

// --- loops ---

bool Linearizer::EmitLoop(InstId inst) {
  const Mask outer = mask_;
  const bool continues_masked = shapes_.continues(inst) == 2;
  const size_t t = PushTarget(inst, shapes_.exits(inst) == 2 || continues_masked, shapes_.leaves(inst) == 2);
  const std::vector<BlockId> old(module_.regions(inst).begin(), module_.regions(inst).end());
  const Values body_params = module_.blocks[old[0]].params;
  const Values continuing_params = module_.blocks[old[1]].params;
  targets_[t].continues_masked = continues_masked;
  if (continues_masked) {
    targets_[t].live = MaskVar(outer.value);
    for (const ValueId p : continuing_params) targets_[t].continue_vars.push_back(NewVar(module_.type_of(p)));
  }
  const BlockId blocks[] = {module_.AddBlock(), module_.AddBlock()};
  const std::vector<TypeId> types = targets_[t].by_vars ? std::vector<TypeId>() : ResultTypes(inst);
  const BlockId here = builder_.block();
  const InstId made = builder_.Append(Op::kLoop, MapAll(module_.operands(inst)), types, 0, blocks);
  if (structure_.workgroup_level.Get(inst) != 0) out_.workgroup_level.Set(made, 1);
  targets_[t].made = made;
  for (const ValueId p : body_params) SetMap(p, module_.AddBlockParam(blocks[0], module_.type_of(p)));
  if (!continues_masked) {
    for (const ValueId p : continuing_params) SetMap(p, module_.AddBlockParam(blocks[1], module_.type_of(p)));
  }
  EmitLoopBody(inst, blocks[0], outer);
  EmitContinuing(inst, blocks[1], outer);
  builder_.set_block(here);
  mask_ = outer;
  if (targets_[t].by_vars)
    MapResults(inst, LoadAll(targets_[t].result_vars));
  else
    MapResults(inst, module_.results(made));
  return PopTarget();
}

void Linearizer::EmitLoopBody(InstId inst, BlockId made, const Mask& outer) {
  const Target& target = targets_.back();
  builder_.set_block(made);
  mask_ = outer;
  mask_.maybe_empty = false;
  if (target.continues_masked) {
    mask_.value = builder_.Load(target.live);
    builder_.Store(target.active, mask_.value);
  } else if (target.active.has_value()) {
    mask_.value = builder_.Load(target.active);
  }
  Region region;
  region.kind = structure_.workgroup_level.Get(inst) != 0 ? Region::kWorkgroup : Region::kLoopBody;
  region.made = target.made;
  region.continues = target.continues_masked;
  regions_.push_back(std::move(region));
  if (EmitBody(module_.regions(inst)[0]).end != End::kTerminated) WriteLeave();
  regions_.pop_back();
}

void Linearizer::EmitContinuing(InstId inst, BlockId made, const Mask& outer) {
  Target& target = targets_.back();
  target.in_continuing = true;
  builder_.set_block(made);
  mask_ = outer;
  mask_.maybe_empty = false;
  const bool at_workgroup = structure_.workgroup_level.Get(inst) != 0;
  regions_.push_back({at_workgroup ? Region::kWorkgroup : Region::kContinuing, target.made});
  if (target.continues_masked) {
    // Copied: emitting may move `targets_`.
    const Values continuing_params = module_.blocks[module_.regions(inst)[1]].params;
    const Values loaded = LoadAll(target.continue_vars);
    for (size_t i = 0; i < loaded.size(); ++i) SetMap(continuing_params[i], loaded[i]);
    mask_.value = builder_.Load(target.live);
    builder_.Store(target.active, mask_.value);
    LeaveIfEmpty();
  } else if (target.active.has_value()) {
    mask_.value = builder_.Load(target.active);
  }
  if (EmitBody(module_.regions(inst)[1]).end != End::kTerminated) WriteLeave();
  regions_.pop_back();
}

// --- jumps ---

Linearizer::Ending Linearizer::EmitJump(InstId jump) {
  const Op op = module_.insts[jump].op;
  if (op == Op::kUnreachable) return {};
  const size_t t = TargetOf(jump);
  const Target target = targets_[t];
  const Values values = MapAll(module_.operands(jump));
  const bool masked = shapes_.jump_level(jump) == 2;
  const Ending terminated{End::kTerminated, {}, {}};
  if (op == Op::kNext) {
    builder_.Next(target.made, values);
    return terminated;
  }
  if (op == Op::kContinue) {
    if (target.continues_masked) StoreResults(target, target.continue_vars, values);
    if (masked) return EmitMaskedJump(jump, t);
    builder_.Continue(target.made, target.continues_masked ? Values() : values);
    return terminated;
  }
  if (target.by_vars) StoreResults(target, target.result_vars, values);
  if (masked) return EmitMaskedJump(jump, t);
  if (op == Op::kReturn) {
    const Values result = target.by_vars ? LoadAll(target.result_vars) : values;
    builder_.Return(result.empty() ? ValueId::None() : result[0]);
    return terminated;
  }
  const bool loop = module_.insts[target.old].op == Op::kLoop;
  if (!loop && structure_.parent(jump) == target.old) {
    const auto old = module_.operands(jump);
    return {End::kValues, target.by_vars ? Values() : values, Values(old.begin(), old.end())};
  }
  if (target.continues_masked && !target.in_continuing) {  // lanes may wait for the next round
    TakeOut(target.live);
    builder_.Continue(target.made);
    return terminated;
  }
  builder_.Exit(target.made, target.by_vars ? Values() : values);
  return terminated;
}

// Takes the lanes out of everything that they leave.
Linearizer::Ending Linearizer::EmitMaskedJump(InstId jump, size_t t) {
  for (size_t i = targets_.size(); i-- > t;) {
    targets_[i].escaped |= i > t;
    const ValueId active = targets_[i].active, live = targets_[i].live;
    TakeOut(active);
    if (i > t || module_.insts[jump].op != Op::kContinue) TakeOut(live);
  }
  return {};
}

}  // namespace lockstep::codegen
