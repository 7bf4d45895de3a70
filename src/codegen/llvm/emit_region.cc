// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Workgroup level and regions (BarrierPlan). Instructions of the workgroup level are emitted once; what
// stands between two of them becomes a region:
//
//     hoisted values                      once, before the loop
//     for group in 0 .. groups-1:
//       slots:  rows of the frame that the region reads   (before anything of this group is written)
//       body:   the instructions; values that other regions read are written to their rows where they are
//       made rows of varying parameters and results of the jump that follows
//
// Get is the one way to a value: known in this region, known everywhere, or loaded from its slot.
#include "codegen/llvm/emitter.h"
#include "llvm/IR/Constants.h"

namespace lockstep::codegen {

using llvm::ArrayRef;
using Value = llvm::Value*;

// The group that a region begins with where the order is shuffled; another each time.
Value Emitter::ShuffleStart() {
  const Value state = NextRandom(offsetof(abi::Worker, schedule_state));
  return b_.CreateURem(b_.CreateTrunc(b_.CreateLShr(state, 40), b_.getInt32Ty()), U32(kernel_.groups));
}

// Lane groups that run: a batch of vertices or fragments may have fewer than the kernel has room for.
Value Emitter::GroupCount() {
  if (ir_.stage == ir::Stage::kCompute) return U32(kernel_.groups);
  const Value batch = InvariantWord(worker_, offsetof(abi::Worker, invocations));
  return InEntry([&] {
    const Value filled = b_.CreateUDiv(b_.CreateAdd(batch, U32(lanes() - 1)), U32(lanes()));
    return Intrinsic(llvm::Intrinsic::umin, {filled, U32(kernel_.groups)});
  });
}

void Emitter::GroupLoop(llvm::function_ref<void()> body) {
  region_ = ++region_count_;
  const bool shuffle =
      shared_.options_.shuffle_groups && kernel_.groups > 1 && ir_.stage == ir::Stage::kCompute;
  const Value count = GroupCount();
  const Value first = shuffle ? ShuffleStart() : nullptr;
  const Level outer = level_;
  level_ = Level::kGroup;
  llvm::BasicBlock* before = b_.GetInsertBlock();
  slot_block_ = NewBlock("group");
  llvm::BasicBlock* start = NewBlock("body");
  group_latch_ = NewBlock("group.next");
  StartBlock(slot_block_);
  llvm::PHINode* group = nullptr;
  group_ = U32(0);
  if (kernel_.groups > 1) {
    group = b_.CreatePHI(b_.getInt32Ty(), 2, "g");
    group->addIncoming(U32(0), before);
    group_ = group;
  }
  if (shuffle) {
    const Value step = b_.CreateAlignedLoad(
        b_.getInt32Ty(),
        b_.CreateConstInBoundsGEP1_32(b_.getInt8Ty(), worker_, offsetof(abi::Worker, schedule_step)),
        llvm::Align(4));
    group_ = b_.CreateURem(b_.CreateAdd(b_.CreateMul(group, step), first), U32(kernel_.groups));
  }
  group_frame_ = nullptr;
  b_.SetInsertPoint(start);
  body();
  StartBlock(group_latch_);
  if (group != nullptr) {
    const Value next = b_.CreateAdd(group, U32(1), "", true, true);
    llvm::BasicBlock* after = NewBlock("groups.done");
    group->addIncoming(next, b_.GetInsertBlock());
    DoNotUnroll(b_.CreateCondBr(b_.CreateICmpULT(next, count), slot_block_, after));
    b_.SetInsertPoint(after);
  }
  {
    const llvm::IRBuilderBase::InsertPointGuard guard(b_);
    b_.SetInsertPoint(slot_block_);
    b_.CreateBr(start);
  }
  region_ = 0;
  level_ = outer;
  slot_block_ = nullptr;
  group_ = nullptr;
  group_frame_ = nullptr;
}

void Emitter::EmitWorkgroupBlock(ir::BlockId block) {
  llvm::SmallVector<ir::InstId, 32> run;
  llvm::SmallVector<SlotWrite, 8> writes;
  const auto flush = [&] {
    EmitRegion(run, writes);
    run.clear();
    writes.clear();
  };
  const std::vector<ir::InstId> insts = ir_.blocks[block].insts;
  for (const ir::InstId inst : insts) {
    const ir::Op op = ir_.insts[inst].op;
    if (ir::IsExit(op)) {
      AddSlotWrites(inst, &writes);
      flush();
      EmitJump(inst);
      return;
    }
    if (kernel_.barriers.workgroup_level.Get(inst) == 0) {
      run.push_back(inst);
      continue;
    }
    AddSlotWrites(inst, &writes);
    flush();
    EmitInst(inst);
  }
}

// The rows that the region before `inst`, at workgroup level, writes for where it goes.
void Emitter::AddSlotWrites(ir::InstId inst, llvm::SmallVectorImpl<SlotWrite>* writes) {
  const ir::Op op = ir_.insts[inst].op;
  const uint32_t imm = ir_.insts[inst].imm;
  const auto from = ir_.operands(inst);
  if (op == ir::Op::kReturn && !from.empty()) {
    const BarrierPlan::FunctionResult& result = kernel_.barriers.results.Get(id_);
    writes->push_back({ir_.functions[id_].result, result.shape, result.placement, from[0]});
    return;
  }
  std::vector<ir::ValueId> to;
  if (op == ir::Op::kExit) to = constructs_.at(imm).merge.values;
  if (op == ir::Op::kContinue) to = constructs_.at(imm).continuing.values;
  if (op == ir::Op::kNext) to = constructs_.at(imm).body.values;
  if (op == ir::Op::kLoop) to = ir_.blocks[ir_.regions(inst)[0]].params;
  if (op == ir::Op::kCall) to = ir_.functions[ir::FunctionId(imm)].params;
  for (size_t i = 0; i < to.size(); ++i) {
    const Placement placement = kernel_.placements.Get(to[i]);
    if (placement.home == Home::kGroupSlot)
      writes->push_back({ir_.type_of(to[i]), kernel_.shapes.Get(to[i]), placement, from[i]});
  }
}

void Emitter::EmitRegion(ArrayRef<ir::InstId> insts, ArrayRef<SlotWrite> writes) {
  Hoist(insts);
  bool work = !writes.empty();
  for (const ir::InstId inst : insts) work |= !IsHoisted(inst) && ir_.insts[inst].op != ir::Op::kAccess;
  if (!work) return;
  GroupLoop([&] {
    for (const ir::InstId inst : insts) EmitInst(inst);
    llvm::SmallVector<LaneValue, 8> values;
    for (const SlotWrite& write : writes) {
      if (ir_.types.IsPointer(write.type))
        values.push_back({PassedOffset(Resolve(write.from), write.shape)});
      else
        values.push_back(Get(write.from));
    }
    for (size_t i = 0; i < writes.size(); ++i)
      StoreSlot(writes[i].type, writes[i].shape, writes[i].placement, values[i]);
  });
}

bool Emitter::IsHoisted(ir::InstId inst) const {
  const auto results = ir_.results(inst);
  return results.size() == 1 && kernel_.placements.Get(results[0]).home == Home::kHoisted &&
         ir::EffectOf(ir_.insts[inst].op) != ir::Effect::kControl &&
         !ir_.types.IsPointer(ir_.type_of(results[0]));
}

void Emitter::Hoist(ArrayRef<ir::InstId> insts) {
  for (const ir::InstId top : insts) {
    if (IsHoisted(top)) EmitInst(top);
    for (const ir::BlockId region : ir_.regions(top)) {
      ir::ForEachInst(ir_, region, [&](ir::InstId inst) {
        if (IsHoisted(inst)) EmitInst(inst);
      });
    }
  }
}

LaneValue Emitter::Get(ir::ValueId id) {
  LaneValue value = Find(id);
  if (lane_zero_) {
    for (Component& c : value) c = Component::Uniform(c.scalar);
  }
  return value;
}

LaneValue Emitter::Find(ir::ValueId id) {
  if (ir_.is_constant(id)) return ConstantValue(id);
  if (ir_.value(id).kind == ir::ValueKind::kVariable && ir_.types.IsTexture(ir_.type_of(id)))
    return {Component::Uniform(U32(shared_.slots_[ir_.value(id).owner]))};
  const auto found = known_.find(id.index);
  if (found != known_.end() && (found->second.region == 0 || found->second.region == region_)) {
    return found->second.value;
  }
  const Placement placement = kernel_.placements.Get(id);
  CHECK(placement.home == Home::kUniformSlot || placement.home == Home::kGroupSlot);
  // At workgroup level all invocations agree about what is asked for: lane 0 says it.
  if (level_ == Level::kWorkgroup) return LoadSlot(ir_.type_of(id), Shape{ShapeKind::kUniform}, placement);
  LaneValue value;
  {
    const llvm::IRBuilderBase::InsertPointGuard guard(b_);
    b_.SetInsertPoint(slot_block_);
    value = LoadSlot(ir_.type_of(id), kernel_.shapes.Get(id), placement);
  }
  known_[id.index] = Known{value, region_};
  return value;
}

void Emitter::Set(ir::ValueId id, LaneValue value) {
  if (lane_zero_ && kernel_.shapes.Get(id).kind == ShapeKind::kAffine) {
    value = {Component::Affine(value[0].scalar, kernel_.shapes.Get(id).stride)};
  }
  const Placement placement = kernel_.placements.Get(id);
  const bool in_slot = placement.home == Home::kGroupSlot || placement.home == Home::kUniformSlot;
  if (level_ == Level::kGroup && has_regions_ && in_slot) {
    StoreSlot(ir_.type_of(id), kernel_.shapes.Get(id), placement, value);
  }
  known_[id.index] = Known{std::move(value), region_};
}

Value Emitter::GroupFrame() {
  if (group_frame_ != nullptr) return group_frame_;
  CHECK(has_groups_);
  const Value frame = WorkerField(offsetof(abi::Worker, frame), "frame");
  const Value uniform_bytes = b_.getInt64(kernel_.barriers.uniform_bytes);
  if (level_ == Level::kWorkgroup) return b_.CreateInBoundsGEP(b_.getInt8Ty(), frame, uniform_bytes);
  const llvm::IRBuilderBase::InsertPointGuard guard(b_);
  b_.SetInsertPoint(slot_block_);
  const Value offset = b_.CreateMul(b_.CreateZExt(group_, b_.getInt64Ty()),
                                    b_.getInt64(kernel_.barriers.group_bytes), "", true, true);
  const Value uniform = b_.CreateInBoundsGEP(b_.getInt8Ty(), frame, uniform_bytes);
  return group_frame_ = b_.CreateInBoundsGEP(b_.getInt8Ty(), uniform, offset, "rows");
}

// Of scalar `scalar`, part `part` of a slot.
Value Emitter::SlotAddress(const Placement& placement, uint32_t scalar, uint32_t part) {
  if (placement.home == Home::kUniformSlot) {
    const Value frame = WorkerField(offsetof(abi::Worker, frame), "frame");
    return b_.CreateInBoundsGEP(b_.getInt8Ty(), frame, b_.getInt64(placement.offset + scalar * 4));
  }
  const uint32_t word = scalar * lanes() + part * native();
  return b_.CreateInBoundsGEP(b_.getInt8Ty(), GroupFrame(), b_.getInt64(placement.offset + word * 4));
}

LaneValue Emitter::LoadSlot(ir::TypeId type, Shape shape, const Placement& placement) {
  const bool one_word =
      placement.home == Home::kUniformSlot || shape.uniform() || shape.kind == ShapeKind::kAffine;
  LaneValue value;
  const std::vector<Leaf>& leaves = shared_.Leaves(type);
  for (uint32_t s = 0; s < leaves.size(); ++s) {
    Parts parts;
    for (uint32_t p = 0; p < (one_word ? 1 : part_count()); ++p) {
      llvm::Type* word = MemoryType(leaves[s].scalar, true);
      if (!one_word) word = shared_.Vector(word);
      llvm::LoadInst* load = b_.CreateAlignedLoad(word, SlotAddress(placement, s, p), llvm::Align(4));
      Place frame;
      frame.scope = shared_.ScopeOf(kFrameScope);
      Annotate(load, frame);
      const bool flag = one_word && ir_.types.IsBool(leaves[s].scalar);
      parts.push_back(flag ? b_.CreateICmpNE(load, U32(0)) : FromMemory(load, leaves[s].scalar));
    }
    if (!one_word) {
      value.push_back(Component::Varying(std::move(parts)));
    } else if (shape.kind == ShapeKind::kAffine) {
      value.push_back(Component::Affine(parts[0], shape.stride));
    } else {
      value.push_back(Component::Uniform(parts[0]));
    }
  }
  return value;
}

void Emitter::StoreSlot(ir::TypeId type, Shape shape, const Placement& placement, const LaneValue& value) {
  LaneValue conformed;
  if (placement.home == Home::kUniformSlot) {
    // Where that is not known here, WGSL's rules have shown that all invocations agree.
    for (const Component& c : value) conformed.push_back(Component::Uniform(LaneOf(c, 0)));
  } else {
    conformed = Conform(value, type, shape);
  }
  const std::vector<Leaf>& leaves = shared_.Leaves(type);
  for (uint32_t s = 0; s < leaves.size(); ++s) {
    const Component& c = conformed[s];
    const uint32_t count = c.varying() ? part_count() : 1;
    for (uint32_t p = 0; p < count; ++p) {
      const Value word = ToMemory(c.varying() ? c.parts[p] : c.scalar, leaves[s].scalar);
      Place frame;
      frame.scope = shared_.ScopeOf(kFrameScope);
      Annotate(b_.CreateAlignedStore(word, SlotAddress(placement, s, p), llvm::Align(4)), frame);
    }
  }
}

// `value` in the form that parameters, results and slots of that shape have.
LaneValue Emitter::Conform(const LaneValue& value, ir::TypeId type, const Shape& shape) {
  LaneValue result;
  for (size_t i = 0; i < value.size(); ++i) {
    const Component& c = value[i];
    if (shape.uniform()) {
      CHECK(c.uniform());
      result.push_back(c);
    } else if (shape.kind == ShapeKind::kAffine) {
      // A constant stands where no lane ever uses the value.
      CHECK(!c.varying());
      CHECK(c.stride == shape.stride || llvm::isa<llvm::Constant>(c.scalar));
      result.push_back(Component::Affine(c.scalar, shape.stride));
    } else {
      result.push_back(Component::Varying(AllParts(c)));
    }
  }
  CHECK(result.size() == shared_.Leaves(type).size());
  return result;
}

}  // namespace lockstep::codegen
