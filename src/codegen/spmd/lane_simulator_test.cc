// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "codegen/spmd/lane_simulator.h"

#include <algorithm>

#include "codegen/spmd/shapes.h"

namespace lockstep::codegen {

using ir::BlockId;
using ir::InstId;
using ir::Op;
using ir::TypeId;
using ir::TypeKind;
using ir::ValueId;

namespace {
constexpr uint64_t kMaxSteps = 3'000'000;
}

LaneSimulator::LaneSimulator(const LaneKernel& kernel, std::vector<std::vector<uint32_t>>* buffers,
                             bool reverse_groups)
    : kernel_(kernel), module_(kernel.module), buffers_(buffers), reverse_(reverse_groups) {}

std::string LaneSimulator::RunWorkgroup(uint32_t x) {
  workgroup_ = x;
  frame_.assign(kernel_.frame_bytes() / 4, 0xdeadbeefu);
  workgroup_memory_.assign(kernel_.workgroup_bytes / 4, 0);
  hoisted_.clear();
  vars_.clear();
  pointer_roots_.clear();
  function_ = module_.entry;
  RunWorkgroupBlock(module_.functions[module_.entry].body);
  return failure_;
}

// --- values ---

uint32_t* LaneSimulator::UniformSlot(ValueId v) { return &frame_[kernel_.placements.Get(v).offset / 4]; }

uint32_t* LaneSimulator::FrameRow(const Placement& placement) {
  const BarrierPlan& plan = kernel_.barriers;
  return &frame_[(plan.uniform_bytes + uint64_t{group_} * plan.group_bytes + placement.offset) / 4];
}
uint32_t* LaneSimulator::Slot(ValueId v, uint32_t row) {
  return FrameRow(kernel_.placements.Get(v)) + uint64_t{row} * kernel_.lanes;
}

LaneSimulator::Lanes LaneSimulator::Get(ValueId v) {
  const ir::Value& value = module_.value(v);
  if (value.kind == ir::ValueKind::kConstant) return Spread(module_.constant(v).bits);
  const bool pointer = module_.types.IsPointer(value.type);
  if (pointer && value.kind != ir::ValueKind::kFunctionParam) return Follow(v).word;  // an argument
  if (HomeOf(v) == Home::kUniformSlot) return Spread(*UniformSlot(v));
  if (HomeOf(v) == Home::kGroupSlot) {
    if (at_workgroup_level_) {  // only what all invocations agree about
      group_ = 0;
      return Spread(*Slot(v, 0));
    }
    Lanes lanes(Slot(v, 0), Slot(v, 0) + kernel_.lanes);
    const Shape shape = kernel_.shapes.Get(v);
    for (uint32_t i = 1; i < lanes.size(); ++i) {
      if (shape.uniform()) lanes[i] = lanes[0];
      if (shape.kind == ShapeKind::kAffine) lanes[i] = lanes[0] + i * static_cast<uint32_t>(shape.stride);
    }
    return lanes;
  }
  auto& where = HomeOf(v) == Home::kHoisted ? hoisted_ : locals_;
  const auto it = where.find(v);
  if (it != where.end()) return it->second;
  Fail("a value is used where it is not at hand: " + std::to_string(v.index) + " " +
       std::string(module_.name_of(v)));
  return Spread(0);
}

void LaneSimulator::Set(ValueId v, Lanes lanes) {
  const Shape shape = kernel_.shapes.Get(v);
  for (uint32_t i = 1; i < lanes.size(); ++i) {
    if (shape.uniform()) lanes[i] = lanes[0];
    if (shape.kind == ShapeKind::kAffine) lanes[i] = lanes[0] + i * static_cast<uint32_t>(shape.stride);
  }
  if (HomeOf(v) == Home::kHoisted) {
    if (!shape.uniform()) Fail("a hoisted value differs between lanes");
    hoisted_[v] = std::move(lanes);
  } else if (HomeOf(v) == Home::kUniformSlot) {
    *UniformSlot(v) = lanes[0];
  } else if (HomeOf(v) == Home::kGroupSlot) {
    std::copy(lanes.begin(), lanes.end(), Slot(v, 0));
  } else {
    locals_[v] = std::move(lanes);
  }
}

// --- workgroup level ---

std::vector<ValueId> LaneSimulator::JumpDestinations(InstId jump) const {
  const Op op = module_.insts[jump].op;
  if (op == Op::kCall) return module_.functions[ir::FunctionId(module_.insts[jump].imm)].params;
  if (op != Op::kExit && op != Op::kContinue && op != Op::kNext) return {};
  const InstId target(module_.insts[jump].imm);
  if (op == Op::kExit) return {module_.results(target).begin(), module_.results(target).end()};
  return module_.blocks[module_.regions(target)[op == Op::kContinue ? 1 : 0]].params;
}

// Runs `insts` for each group, then moves `from` to `to` (those that have group slots; hoisted ones at
// workgroup level).
void LaneSimulator::RunRegion(const std::vector<InstId>& insts, InstId jump, const std::vector<ValueId>& to,
                              const std::vector<ValueId>& from) {
  at_workgroup_level_ = true;
  std::vector<InstId> rest;
  for (const InstId inst : insts) {
    const bool hoisted = module_.results(inst).size() == 1 &&
                         HomeOf(module_.result(inst)) == Home::kHoisted &&
                         !module_.types.IsPointer(module_.type_of(module_.result(inst)));
    Jump none;
    if (hoisted)
      RunInst(inst, &none);
    else
      rest.push_back(inst);
  }
  at_workgroup_level_ = false;
  for (uint32_t g = 0; g < kernel_.groups; ++g) {
    group_ = reverse_ ? kernel_.groups - 1 - g : g;
    locals_.clear();
    Jump jumped;
    bool left = false;
    for (const InstId inst : rest) {
      if (RunInst(inst, &jumped)) {
        if (!jumped.returns) Fail("a region jumps at workgroup level");
        if (!jumped.values.empty()) StoreResult(function_, jumped.values[0]);
        left = true;
        break;
      }
    }
    if (left) continue;
    const bool returns = jump.has_value() && module_.insts[jump].op == Op::kReturn;
    if (returns && !from.empty()) StoreResult(function_, Get(from[0]));
    std::vector<Lanes> values;
    for (size_t i = 0; i < to.size(); ++i) {
      values.push_back(HomeOf(to[i]) == Home::kGroupSlot ? Get(from[i]) : Lanes());
    }
    for (size_t i = 0; i < to.size(); ++i) {
      if (!values[i].empty()) Set(to[i], values[i]);
    }
  }
  locals_.clear();
  at_workgroup_level_ = true;
  std::vector<Lanes> moved;
  for (size_t i = 0; i < to.size(); ++i)
    moved.push_back(HomeOf(to[i]) == Home::kHoisted ? Get(from[i]) : Lanes());
  for (size_t i = 0; i < to.size(); ++i) {
    if (!moved[i].empty()) Set(to[i], moved[i]);
  }
}

LaneSimulator::Jump LaneSimulator::RunWorkgroupBlock(BlockId block) {
  std::vector<InstId> run;
  for (const InstId inst : module_.blocks[block].insts) {
    if (!failure_.empty() || ++steps_ > kMaxSteps) {
      Fail("too many steps");
      return {InstId::None(), true, false, {}, {}};
    }
    if (ir::IsExit(module_.insts[inst].op)) {
      const std::vector<ValueId> to = JumpDestinations(inst);
      RunRegion(run, inst, to, {module_.operands(inst).begin(), module_.operands(inst).end()});
      Jump jump;
      jump.returns = module_.insts[inst].op == Op::kReturn;
      if (module_.insts[inst].op == Op::kUnreachable) Fail("unreachable was reached");
      jump.continues = module_.insts[inst].op == Op::kContinue;
      jump.target = JumpTarget(module_, inst);
      if (module_.insts[inst].op == Op::kNext)
        jump.operands.push_back(ValueId(0));  // tells a back edge from an exit
      return jump;
    }
    if (!WorkgroupLevel(inst)) {
      run.push_back(inst);
      continue;
    }
    std::vector<ValueId> to, from;
    if (module_.insts[inst].op == Op::kLoop) {
      to = module_.blocks[module_.regions(inst)[0]].params;
      from.assign(module_.operands(inst).begin(), module_.operands(inst).end());
    }
    if (module_.insts[inst].op == Op::kCall) {
      to = JumpDestinations(inst);
      from.assign(module_.operands(inst).begin(), module_.operands(inst).end());
    }
    RunRegion(run, InstId::None(), to, from);
    run.clear();
    Jump jump;
    if (RunConstructAtWorkgroupLevel(inst, &jump)) return jump;
  }
  Fail("a block has no end");
  return {};
}

bool LaneSimulator::RunConstructAtWorkgroupLevel(InstId inst, Jump* out) {
  const Op op = module_.insts[inst].op;
  if (op == Op::kBarrier) return false;
  if (op == Op::kCall) {
    RunFunction(inst);
    return false;
  }
  if (op == Op::kUniformLoad) {
    Set(module_.result(inst), Spread(*Word(Follow(module_.operands(inst)[0]), 0)));
    return false;
  }
  if (op == Op::kLoop) {
    while (failure_.empty()) {
      Jump jump = RunWorkgroupBlock(module_.regions(inst)[0]);
      if (jump.target == inst && jump.continues)
        jump = RunWorkgroupBlock(module_.regions(inst)[1]);
      else if (jump.target == inst)
        return false;
      if (jump.returns || jump.target != inst) {
        *out = jump;
        return true;
      }
      if (jump.operands.empty()) return false;  // left from the continuing block
    }
    return false;
  }
  const Jump jump = RunWorkgroupBlock(Chosen(inst));
  if (jump.target == inst) return false;
  *out = jump;
  return true;
}

// The region before the call has written the parameters.
void LaneSimulator::RunFunction(InstId call) {
  const ir::FunctionId caller = function_;
  function_ = ir::FunctionId(module_.insts[call].imm);
  for (size_t i = 0; i < module_.operands(call).size(); ++i) {
    const ValueId argument = module_.operands(call)[i];
    if (!module_.types.IsPointer(module_.type_of(argument))) continue;
    const ValueId root = RootOf(module_, argument);
    const auto known = pointer_roots_.find(root);
    pointer_roots_[module_.functions[function_].params[i]] =
        known == pointer_roots_.end() ? root : known->second;
  }
  RunWorkgroupBlock(module_.functions[function_].body);
  const Placement from = kernel_.barriers.results.Get(function_).placement;
  function_ = caller;
  if (module_.results(call).empty()) return;
  const ValueId result = module_.result(call);
  if (from.home == Home::kUniformSlot) return Set(result, Spread(frame_[from.offset / 4]));
  if (HomeOf(result) != Home::kGroupSlot) return Fail("a call's result is nowhere");
  for (group_ = 0; group_ < kernel_.groups; ++group_)
    Set(result, Lanes(FrameRow(from), FrameRow(from) + kernel_.lanes));
}

void LaneSimulator::StoreResult(ir::FunctionId function, const Lanes& lanes) {
  const Placement to = kernel_.barriers.results.Get(function).placement;
  if (to.home == Home::kUniformSlot)
    frame_[to.offset / 4] = lanes[0];
  else if (to.home == Home::kGroupSlot)
    std::copy(lanes.begin(), lanes.end(), FrameRow(to));
}

// --- inside a region ---

BlockId LaneSimulator::Chosen(InstId inst) {
  const uint32_t selector = Get(module_.operands(inst)[0])[0];
  if (module_.insts[inst].op == Op::kIf) return module_.regions(inst)[selector != 0 ? 0 : 1];
  const auto& cases = module_.switches[ir::SwitchId(module_.insts[inst].imm)];
  size_t chosen = 0;
  for (size_t i = 0; i < cases.size(); ++i) {
    if (cases[i].is_default) chosen = i;
  }
  for (size_t i = 0; i < cases.size(); ++i) {
    if (std::count(cases[i].selectors.begin(), cases[i].selectors.end(), selector) != 0) chosen = i;
  }
  return module_.regions(inst)[chosen];
}

LaneSimulator::Jump LaneSimulator::MakeJump(InstId inst) {
  const Op op = module_.insts[inst].op;
  Jump jump;
  jump.returns = op == Op::kReturn;
  jump.continues = op == Op::kContinue;
  jump.target = JumpTarget(module_, inst);
  if (op == Op::kUnreachable) Fail("unreachable was reached");
  for (const ValueId v : module_.operands(inst)) jump.values.push_back(Get(v));
  return jump;
}

LaneSimulator::Jump LaneSimulator::RunBlock(BlockId block) {
  Jump jump;
  for (const InstId inst : module_.blocks[block].insts) {
    if (!failure_.empty() || ++steps_ > kMaxSteps) {
      Fail("too many steps");
      break;
    }
    if (RunInst(inst, &jump)) return jump;
  }
  jump.returns = true;
  return jump;
}

LaneSimulator::Jump LaneSimulator::RunLoop(InstId inst) {
  const BlockId body = module_.regions(inst)[0], continuing = module_.regions(inst)[1];
  std::vector<Lanes> values;
  for (const ValueId v : module_.operands(inst)) values.push_back(Get(v));
  while (failure_.empty()) {
    for (size_t i = 0; i < values.size(); ++i) Set(module_.blocks[body].params[i], values[i]);
    Jump jump = RunBlock(body);
    if (jump.returns || jump.target != inst || !jump.continues) return jump;
    for (size_t i = 0; i < jump.values.size(); ++i) Set(module_.blocks[continuing].params[i], jump.values[i]);
    jump = RunBlock(continuing);
    if (jump.operands.empty()) return jump;  // not a back edge
    values = std::move(jump.values);
  }
  Jump jump;
  jump.returns = true;
  return jump;
}

bool LaneSimulator::RunInst(InstId inst, Jump* out) {
  const Op op = module_.insts[inst].op;
  if (ir::IsExit(op)) {
    *out = MakeJump(inst);
    if (op == Op::kNext) out->operands.push_back(ValueId(0));  // tells a back edge from an exit
    return true;
  }
  if (IsConstruct(op)) {
    Jump jump = op == Op::kLoop ? RunLoop(inst) : RunBlock(Chosen(inst));
    if (jump.returns || jump.target != inst || jump.continues) {
      *out = std::move(jump);
      return true;
    }
    for (size_t i = 0; i < jump.values.size(); ++i) Set(module_.results(inst)[i], jump.values[i]);
    return false;
  }
  if (op == Op::kCall) {
    RunCall(inst);
    return false;
  }
  if (ir::KindOf(op) == ir::OpKind::kMemory) {
    RunMemory(inst);
    return false;
  }
  std::vector<Lanes> operands;
  for (const ValueId v : module_.operands(inst)) {
    const InstId def = module_.defining_inst(v);
    const bool composite = def.has_value() && module_.types.PartCount(module_.type_of(v)) != 0;
    operands.push_back(composite ? Spread(0) : Get(v));
  }
  Lanes lanes;
  for (uint32_t i = 0; i < kernel_.lanes; ++i) lanes.push_back(Evaluate(inst, operands, i));
  if (op == Op::kAnyLane) lanes = Spread(*std::max_element(operands[0].begin(), operands[0].end()));
  if (op == Op::kAllLanes) lanes = Spread(*std::min_element(operands[0].begin(), operands[0].end()));
  Set(module_.result(inst), std::move(lanes));
  return false;
}

void LaneSimulator::RunCall(InstId inst) {
  const ir::Function& callee = module_.functions[ir::FunctionId(module_.insts[inst].imm)];
  for (size_t i = 0; i < callee.params.size(); ++i) Set(callee.params[i], Get(module_.operands(inst)[i]));
  const Jump jump = RunBlock(callee.body);
  if (!module_.results(inst).empty() && !jump.values.empty()) Set(module_.result(inst), jump.values[0]);
}

// --- memory ---

LaneSimulator::Place LaneSimulator::Follow(ValueId pointer) {
  const InstId def = module_.defining_inst(pointer);
  const auto root = pointer_roots_.find(pointer);
  if (root != pointer_roots_.end()) return {root->second, Get(pointer)};
  if (!def.has_value() || module_.insts[def].op != Op::kAccess) return {pointer, Spread(0)};
  Place place = Follow(module_.operands(def)[0]);
  TypeId type = module_.types.Pointee(module_.type_of(module_.operands(def)[0]));
  for (size_t i = 1; i < module_.operands(def).size(); ++i) {
    const Lanes index = Get(module_.operands(def)[i]);
    type = module_.types[type].element;
    const uint32_t words = module_.types.ScalarCount(type);
    for (uint32_t lane = 0; lane < kernel_.lanes; ++lane) place.word[lane] += index[lane] * words;
  }
  return place;
}

uint32_t* LaneSimulator::Word(const Place& place, uint32_t lane) {
  static uint32_t nowhere = 0;
  const ir::Type& pointer = module_.types[module_.type_of(place.root)];
  const uint32_t word = place.word[lane];
  const auto within = [&](std::vector<uint32_t>& memory, uint64_t at, uint64_t size) {
    if (word < size && at < memory.size()) return &memory[at];
    Fail("an access out of bounds");
    return &nowhere;
  };
  if (module_.value(place.root).kind == ir::ValueKind::kVariable &&
      pointer.space != ir::AddressSpace::kPrivate) {
    const ir::VariableId id(module_.value(place.root).owner);
    if (pointer.space == ir::AddressSpace::kWorkgroup) {
      return within(workgroup_memory_, kernel_.workgroup_offsets.Get(id) / 4 + word,
                    module_.types.ScalarCount(pointer.element));
    }
    std::vector<uint32_t>& buffer = (*buffers_)[id.index];
    // Lanes that are no invocations load too; the code generator sees to their addresses.
    if (kernel_.partial && word >= buffer.size()) return &nowhere;
    return within(buffer, word, buffer.size());
  }
  const uint32_t words = module_.types.ScalarCount(pointer.element);
  const bool uniform = kernel_.shapes.Get(place.root).uniform();
  const uint64_t at = uint64_t{word} * kernel_.lanes + (uniform ? 0 : lane);
  if (HomeOf(place.root) == Home::kGroupSlot) {
    if (word < words) return Slot(place.root, word) + (uniform ? 0 : lane);
    Fail("an access out of a slot");
    return &nowhere;
  }
  if (locals_.find(place.root) == locals_.end()) Fail("a var is used outside of its region");
  std::vector<uint32_t>& memory = vars_[place.root];
  memory.resize(size_t{words} * kernel_.lanes, 0xdeadbeefu);
  return within(memory, at, words);
}

bool LaneSimulator::Guard(InstId inst, size_t operand, uint32_t lane) {
  const auto operands = module_.operands(inst);
  return operands.size() <= operand || Get(operands[operand])[lane] != 0;
}

void LaneSimulator::RunMemory(InstId inst) {
  const ir::Inst& i = module_.insts[inst];
  const std::vector<ValueId> operands(module_.operands(inst).begin(), module_.operands(inst).end());
  if (i.op == Op::kAccess) return;
  if (i.op == Op::kVar) {
    if (HomeOf(module_.result(inst)) == Home::kLocal) locals_[module_.result(inst)] = {};
    return;
  }
  if (i.op == Op::kArrayLength) {
    const ir::VariableId id(module_.value(operands[0]).owner);
    return Set(module_.result(inst), Spread(static_cast<uint32_t>((*buffers_)[id.index].size())));
  }
  const Place place = Follow(operands[0]);
  Lanes result(kernel_.lanes);
  for (uint32_t lane = 0; lane < kernel_.lanes; ++lane) {
    if (i.op == Op::kLoad) {
      result[lane] = *Word(place, lane);
    } else if (i.op == Op::kStore) {
      if (Guard(inst, 2, lane)) *Word(place, lane) = Get(operands[1])[lane];
    } else if (i.op == Op::kZeroFill) {
      if (!Guard(inst, 1, lane)) continue;
      const uint32_t words = module_.types.ScalarCount(module_.types.Pointee(module_.type_of(operands[0])));
      Place at = place;
      for (uint32_t w = 0; w < words; ++w, ++at.word[lane]) *Word(at, lane) = 0;
    } else if (i.op == Op::kAtomicRmw) {
      if (!Guard(inst, 2, lane)) continue;
      result[lane] = *Word(place, lane);
      *Word(place, lane) += Get(operands[1])[lane];  // the generator of tests only adds
    } else {
      Fail("the simulator does not know this operation");
    }
    // One access for the group: a uniform address is loaded and stored once.
    const bool once = i.op == Op::kLoad && kernel_.shapes.Get(module_.result(inst)).uniform();
    if (once) {
      result = Spread(result[0]);
      break;
    }
  }
  if (!module_.results(inst).empty()) Set(module_.result(inst), std::move(result));
}

uint32_t LaneSimulator::Evaluate(InstId inst, const std::vector<Lanes>& operands, uint32_t lane) {
  const ir::Inst& i = module_.insts[inst];
  const uint32_t a = operands.empty() ? 0 : operands[0][lane];
  const uint32_t b = operands.size() > 1 ? operands[1][lane] : 0;
  const bool is_signed =
      !operands.empty() && module_.types.IsSigned(module_.type_of(module_.operands(inst)[0]));
  const int64_t sa = is_signed ? int64_t{static_cast<int32_t>(a)} : int64_t{a};
  const int64_t sb = is_signed ? int64_t{static_cast<int32_t>(b)} : int64_t{b};
  const bool is_bool = module_.types.IsBool(module_.type_of(module_.result(inst)));
  if (i.op == Op::kBuiltinInput) return group_ * kernel_.lanes + lane;
  if (i.op == Op::kExtract) return i.imm == 0 ? workgroup_ : 0;
  if (i.op == Op::kLaneMask) return group_ * kernel_.lanes + lane < module_.invocations() ? 1 : 0;
  if (i.op == Op::kAnyLane || i.op == Op::kAllLanes || i.op == Op::kConvert || i.op == Op::kBitcast) return a;
  if (i.op == Op::kSelect) return a != 0 ? b : operands[2][lane];
  if (i.op == Op::kNot) return is_bool ? 1 - a : ~a;
  if (i.op == Op::kNeg) return 0 - a;
  if (i.op == Op::kAdd) return a + b;
  if (i.op == Op::kSub) return a - b;
  if (i.op == Op::kMul) return a * b;
  if (i.op == Op::kDiv) return b == 0 ? a : a / b;
  if (i.op == Op::kRem) return b == 0 ? 0 : a % b;
  if (i.op == Op::kMin) return static_cast<uint32_t>(std::min(sa, sb));
  if (i.op == Op::kMax) return static_cast<uint32_t>(std::max(sa, sb));
  if (i.op == Op::kAnd) return a & b;
  if (i.op == Op::kOr) return a | b;
  if (i.op == Op::kXor) return a ^ b;
  if (i.op == Op::kShl) return a << (b % 32);
  if (i.op == Op::kShr) return a >> (b % 32);
  if (i.op == Op::kEq) return a == b ? 1 : 0;
  if (i.op == Op::kNe) return a != b ? 1 : 0;
  if (i.op == Op::kLt) return sa < sb ? 1 : 0;
  if (i.op == Op::kLe) return sa <= sb ? 1 : 0;
  if (i.op == Op::kGt) return sa > sb ? 1 : 0;
  if (i.op == Op::kGe) return sa >= sb ? 1 : 0;
  Fail("the simulator does not know this operation");
  return 0;
}

}  // namespace lockstep::codegen
