// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Control flow: every condition is uniform, so an if is a branch. Results and parameters are phis in the form
// that their shape says; at workgroup level varying ones are rows of the frame instead and have no phi.
#include "codegen/llvm/emitter.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/MDBuilder.h"

namespace lockstep::codegen {

using llvm::ArrayRef;
using Value = llvm::Value*;

llvm::BasicBlock* Emitter::NewBlock(const char* name) {
  return llvm::BasicBlock::Create(b_.getContext(), name, function_);
}

// Falls into `block`, where the current block is open, and goes on there.
void Emitter::StartBlock(llvm::BasicBlock* block) {
  if (b_.GetInsertBlock() != nullptr && b_.GetInsertBlock()->getTerminator() == nullptr) b_.CreateBr(block);
  b_.SetInsertPoint(block);
}

void Emitter::Guarded(Value condition, llvm::function_ref<void()> then) {
  llvm::BasicBlock* inside = NewBlock("act");
  llvm::BasicBlock* after = NewBlock("acted");
  b_.CreateCondBr(condition, inside, after);
  b_.SetInsertPoint(inside);
  then();
  StartBlock(after);
}

Parts Emitter::Choose(Value condition, llvm::function_ref<Parts()> fast, llvm::function_ref<Parts()> slow) {
  llvm::BasicBlock* fast_block = NewBlock("fast");
  llvm::BasicBlock* slow_block = NewBlock("slow");
  llvm::BasicBlock* join = NewBlock("join");
  b_.CreateCondBr(condition, fast_block, slow_block,
                  llvm::MDBuilder(b_.getContext()).createBranchWeights(64, 1));
  b_.SetInsertPoint(fast_block);
  const Parts a = fast();
  llvm::BasicBlock* fast_end = b_.GetInsertBlock();
  b_.CreateBr(join);
  b_.SetInsertPoint(slow_block);
  const Parts c = slow();
  llvm::BasicBlock* slow_end = b_.GetInsertBlock();
  b_.CreateBr(join);
  b_.SetInsertPoint(join);
  CHECK(a.size() == c.size());
  Parts result;
  for (size_t i = 0; i < a.size(); ++i) {
    llvm::PHINode* phi = b_.CreatePHI(a[i]->getType(), 2);
    phi->addIncoming(a[i], fast_end);
    phi->addIncoming(c[i], slow_end);
    result.push_back(phi);
  }
  return result;
}

void Emitter::EmitBlock(ir::BlockId block) {
  if (level_ == Level::kWorkgroup) {
    EmitWorkgroupBlock(block);
    return;
  }
  const std::vector<ir::InstId> insts = ir_.blocks[block].insts;
  for (const ir::InstId inst : insts) EmitInst(inst);
}

Emitter::JoinPoint Emitter::MakeJoin(ArrayRef<ir::ValueId> values, bool workgroup, const char* name) {
  JoinPoint join;
  join.block = NewBlock(name);
  join.workgroup = workgroup;
  join.values.assign(values.begin(), values.end());
  const llvm::IRBuilderBase::InsertPointGuard guard(b_);
  b_.SetInsertPoint(join.block);
  for (const ir::ValueId id : values) {
    llvm::SmallVector<llvm::PHINode*, 4> phis;
    const Shape shape = kernel_.shapes.Get(id);
    const bool in_slot = workgroup && kernel_.placements.Get(id).home == Home::kGroupSlot;
    if (!in_slot) {
      const bool scalar = shape.uniform() || shape.kind == ShapeKind::kAffine;
      CHECK(!workgroup || shape.uniform());
      for (const Leaf& leaf : shared_.Leaves(ir_.type_of(id))) {
        llvm::Type* type = scalar ? shared_.ScalarType(leaf.scalar) : shared_.VectorType(leaf.scalar);
        for (uint32_t p = 0; p < (scalar ? 1 : part_count()); ++p) phis.push_back(b_.CreatePHI(type, 2));
      }
    }
    join.phis.push_back(std::move(phis));
  }
  return join;
}

void Emitter::JumpTo(JoinPoint& join, ArrayRef<ir::ValueId> operands) {
  for (size_t i = 0; i < join.values.size(); ++i) {
    if (join.phis[i].empty()) continue;
    const ir::ValueId id = join.values[i];
    const LaneValue value = Conform(Get(operands[i]), ir_.type_of(id), kernel_.shapes.Get(id));
    size_t next = 0;
    for (const Component& c : value) {
      if (!c.varying()) {
        join.phis[i][next++]->addIncoming(c.scalar, b_.GetInsertBlock());
      } else {
        for (Value part : c.parts) join.phis[i][next++]->addIncoming(part, b_.GetInsertBlock());
      }
    }
  }
  b_.CreateBr(join.block);
}

// Goes on behind the join, with its values known. Nothing may have jumped there: then what follows is dead
// code.
void Emitter::BeginJoin(JoinPoint& join) {
  b_.SetInsertPoint(join.block);
  const bool dead = llvm::pred_empty(join.block);
  for (size_t i = 0; i < join.values.size(); ++i) {
    if (join.phis[i].empty()) continue;
    const ir::ValueId id = join.values[i];
    const Shape shape = kernel_.shapes.Get(id);
    LaneValue value;
    size_t next = 0;
    const auto take = [&]() -> Value {
      llvm::PHINode* phi = join.phis[i][next++];
      if (!dead) return phi;
      const Value poison = llvm::PoisonValue::get(phi->getType());
      phi->eraseFromParent();
      return poison;
    };
    for (size_t c = 0; c < shared_.Leaves(ir_.type_of(id)).size(); ++c) {
      if (shape.uniform()) {
        value.push_back(Component::Uniform(take()));
      } else if (shape.kind == ShapeKind::kAffine) {
        value.push_back(Component::Affine(take(), shape.stride));
      } else {
        Parts parts;
        for (uint32_t p = 0; p < part_count(); ++p) parts.push_back(take());
        value.push_back(Component::Varying(std::move(parts)));
      }
    }
    Set(id, std::move(value));
  }
}

void Emitter::EmitIf(ir::InstId inst) {
  const bool workgroup = level_ == Level::kWorkgroup;
  const Value condition = Scalar(Get(ir_.operands(inst)[0])[0]);
  const auto results = ir_.results(inst);
  constructs_[inst.index].merge = MakeJoin(ArrayRef(results.data(), results.size()), workgroup, "endif");
  llvm::BasicBlock* then_block = NewBlock("then");
  llvm::BasicBlock* else_block = NewBlock("else");
  b_.CreateCondBr(condition, then_block, else_block);
  b_.SetInsertPoint(then_block);
  EmitBlock(ir_.regions(inst)[0]);
  b_.SetInsertPoint(else_block);
  EmitBlock(ir_.regions(inst)[1]);
  BeginJoin(constructs_[inst.index].merge);
}

void Emitter::EmitLoop(ir::InstId inst) {
  const bool workgroup = level_ == Level::kWorkgroup;
  const ir::BlockId body = ir_.regions(inst)[0];
  const ir::BlockId continuing = ir_.regions(inst)[1];
  const auto results = ir_.results(inst);
  Construct construct;
  construct.body = MakeJoin(ir_.blocks[body].params, workgroup, "loop");
  construct.continuing = MakeJoin(ir_.blocks[continuing].params, workgroup, "continuing");
  construct.merge = MakeJoin(ArrayRef(results.data(), results.size()), workgroup, "endloop");
  constructs_[inst.index] = std::move(construct);
  const auto operands = ir_.operands(inst);
  JumpTo(constructs_[inst.index].body, ArrayRef(operands.data(), operands.size()));
  BeginJoin(constructs_[inst.index].body);
  EmitBlock(body);
  BeginJoin(constructs_[inst.index].continuing);
  EmitBlock(continuing);
  BeginJoin(constructs_[inst.index].merge);
}

void Emitter::EmitSwitch(ir::InstId inst) {
  const bool workgroup = level_ == Level::kWorkgroup;
  const Value selector = Scalar(Get(ir_.operands(inst)[0])[0]);
  const auto results = ir_.results(inst);
  constructs_[inst.index].merge = MakeJoin(ArrayRef(results.data(), results.size()), workgroup, "endswitch");
  const std::vector<ir::SwitchCase>& cases = ir_.switches[ir::SwitchId(ir_.insts[inst].imm)];
  llvm::SmallVector<llvm::BasicBlock*, 8> blocks;
  llvm::BasicBlock* fallback = nullptr;
  for (const ir::SwitchCase& one : cases) {
    blocks.push_back(NewBlock("case"));
    if (one.is_default) fallback = blocks.back();
  }
  CHECK(fallback != nullptr);
  llvm::SwitchInst* branch = b_.CreateSwitch(selector, fallback, static_cast<unsigned>(cases.size()));
  for (size_t i = 0; i < cases.size(); ++i) {
    for (const uint32_t value : cases[i].selectors) branch->addCase(b_.getInt32(value), blocks[i]);
  }
  for (size_t i = 0; i < cases.size(); ++i) {
    b_.SetInsertPoint(blocks[i]);
    EmitBlock(ir_.regions(inst)[i]);
  }
  BeginJoin(constructs_[inst.index].merge);
}

void Emitter::EmitJump(ir::InstId inst) {
  const auto list = ir_.operands(inst);
  const ArrayRef<ir::ValueId> operands(list.data(), list.size());
  const ir::Op op = ir_.insts[inst].op;
  const uint32_t target = ir_.insts[inst].imm;
  if (op == ir::Op::kExit) {
    JumpTo(constructs_.at(target).merge, operands);
  } else if (op == ir::Op::kContinue) {
    JumpTo(constructs_.at(target).continuing, operands);
  } else if (op == ir::Op::kNext) {
    if (kernel_.bounded_loops.Get(ir::InstId(target)) == 0) Poll();
    JumpTo(constructs_.at(target).body, operands);
  } else if (op == ir::Op::kReturn) {
    EmitReturn(inst);
  } else {
    CHECK(op == ir::Op::kUnreachable);
    ReturnStatus(U32(abi::kCancelled));
  }
}

void Emitter::EmitReturn(ir::InstId inst) {
  if (has_groups_) {
    // At workgroup level the region before has written the result.
    if (level_ == Level::kWorkgroup) return ReturnStatus(U32(abi::kDone));
    const BarrierPlan::FunctionResult& to = kernel_.barriers.results.Get(id_);
    if (!ir_.operands(inst).empty())
      StoreSlot(ir_.functions[id_].result, to.shape, to.placement, Get(ir_.operands(inst)[0]));
    b_.CreateBr(group_latch_);
    return;
  }
  Value result = llvm::PoisonValue::get(function_->getReturnType());
  result = b_.CreateInsertValue(result, U32(abi::kDone), 0);
  unsigned next = 1;
  if (!ir_.operands(inst).empty()) {
    const ir::ValueId id = ir_.operands(inst)[0];
    for (const Component& c : Conform(Get(id), ir_.type_of(id), shared_.ResultShape(id_))) {
      if (!c.varying()) {
        result = b_.CreateInsertValue(result, c.scalar, next++);
      } else {
        for (Value part : c.parts) result = b_.CreateInsertValue(result, part, next++);
      }
    }
  }
  b_.CreateRet(result);
}

// Leaves the function (and, by its caller's check, the kernel).
void Emitter::ReturnStatus(Value status) {
  if (has_groups_) {
    b_.CreateRet(status);
    return;
  }
  Value result = llvm::Constant::getNullValue(function_->getReturnType());
  b_.CreateRet(b_.CreateInsertValue(result, status, 0));
}

void Emitter::Poll() {
  const Value flag =
      b_.CreateAlignedLoad(b_.getInt32Ty(), CancelPointer(), llvm::Align(4), /*isVolatile=*/true);
  llvm::BasicBlock* stop = NewBlock("cancelled");
  llvm::BasicBlock* go_on = NewBlock("go_on");
  b_.CreateCondBr(b_.CreateICmpNE(flag, U32(0)), stop, go_on,
                  llvm::MDBuilder(b_.getContext()).createBranchWeights(1, 1000000));
  b_.SetInsertPoint(stop);
  ReturnStatus(U32(abi::kCancelled));
  b_.SetInsertPoint(go_on);
}

// Leaves this function too where the callee was cancelled.
llvm::CallInst* Emitter::CallAndCheck(ir::FunctionId callee, ArrayRef<Value> args) {
  llvm::Function* function = shared_.functions_.at(callee.index);
  llvm::CallInst* call = b_.CreateCall(function, args);
  call->setCallingConv(llvm::CallingConv::Fast);
  const bool plain = call->getType()->isIntegerTy();
  const Value status = plain ? static_cast<Value>(call) : b_.CreateExtractValue(call, 0);
  llvm::BasicBlock* stop = NewBlock("cancelled");
  llvm::BasicBlock* go_on = NewBlock("go_on");
  b_.CreateCondBr(b_.CreateICmpNE(status, U32(abi::kDone)), stop, go_on,
                  llvm::MDBuilder(b_.getContext()).createBranchWeights(1, 1000000));
  b_.SetInsertPoint(stop);
  ReturnStatus(U32(abi::kCancelled));
  b_.SetInsertPoint(go_on);
  return call;
}

// Of a function with regions: varying arguments have been written to its slots by the region before.
void Emitter::EmitWorkgroupCall(ir::InstId inst) {
  const ir::FunctionId callee(ir_.insts[inst].imm);
  llvm::SmallVector<Value, 16> args = {dispatch_, worker_};
  const std::vector<ir::ValueId>& params = ir_.functions[callee].params;
  for (size_t i = 0; i < params.size(); ++i) {
    const ir::ValueId operand = ir_.operands(inst)[i];
    const bool in_slot = kernel_.placements.Get(params[i]).home == Home::kGroupSlot;
    if (ir_.types.IsPointer(ir_.type_of(operand))) {
      const Place place = in_slot ? RootPlace(RootOf(ir_, operand)) : Resolve(operand);
      if (shared_.LeadsToVar(operand)) {
        args.push_back(place.in_frame);
      } else {
        args.push_back(place.base);
        args.push_back(place.size != nullptr ? place.size : b_.getInt64(0));
      }
      if (!in_slot) args.push_back(Scalar(PassedOffset(place, kernel_.shapes.Get(params[i]))));
    } else if (!in_slot) {
      for (const Component& c : Get(operand)) args.push_back(Scalar(c));
    }
  }
  CallAndCheck(callee, args);
  if (ir_.results(inst).empty()) return;
  const ir::ValueId result = ir_.result(inst);
  const ir::TypeId type = ir_.type_of(result);
  const BarrierPlan::FunctionResult& from = kernel_.barriers.results.Get(callee);
  if (from.placement.home == Home::kUniformSlot)
    Set(result, LoadSlot(type, from.shape, from.placement));
  else if (shared_.used_[result.index])
    GroupLoop([&] { Set(result, LoadSlot(type, from.shape, from.placement)); });
}

void Emitter::EmitCall(ir::InstId inst) {
  if (level_ == Level::kWorkgroup) return EmitWorkgroupCall(inst);
  const ir::FunctionId callee(ir_.insts[inst].imm);
  LeaveFirstInvocation();
  llvm::SmallVector<Value, 16> args = {dispatch_, worker_, GroupFrame()};
  const std::vector<ir::ValueId>& params = ir_.functions[callee].params;
  for (size_t i = 0; i < params.size(); ++i) {
    const ir::ValueId operand = ir_.operands(inst)[i];
    const Shape shape = kernel_.shapes.Get(params[i]);
    if (ir_.types.IsPointer(ir_.type_of(params[i]))) {
      PassPointer(Resolve(operand), shape, &args);
      continue;
    }
    for (const Component& c : Conform(Get(operand), ir_.type_of(params[i]), shape)) {
      if (!c.varying()) {
        args.push_back(c.scalar);
      } else {
        args.append(c.parts.begin(), c.parts.end());
      }
    }
  }
  llvm::CallInst* call = CallAndCheck(callee, args);
  if (ir_.results(inst).empty()) return;
  const ir::TypeId type = ir_.type_of(ir_.result(inst));
  if (ir_.types[type].kind == ir::TypeKind::kVoid) return;
  LaneValue value;
  unsigned next = 1;
  for (size_t i = 0; i < shared_.Leaves(type).size(); ++i) {
    if (shared_.ResultShape(callee).uniform()) {
      value.push_back(Component::Uniform(b_.CreateExtractValue(call, next++)));
      continue;
    }
    Parts parts;
    for (uint32_t p = 0; p < part_count(); ++p) parts.push_back(b_.CreateExtractValue(call, next++));
    value.push_back(Component::Varying(std::move(parts)));
  }
  Set(ir_.result(inst), std::move(value));
}

}  // namespace lockstep::codegen
