// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Loops over the lanes of a group, for what is done lane by lane and rarely for all of them: small code, and
// time only for the lanes that act. Varying values are stored to the stack in front of the loop and indexed
// by the lane.
#include "codegen/llvm/emitter.h"
#include "llvm/IR/Constants.h"

namespace lockstep::codegen {

using Value = llvm::Value*;

void Emitter::LaneLoop(Value bits, llvm::function_ref<void(const Lane& lane)> body) {
  CHECK(spill_block_ == nullptr);
  spill_block_ = NewBlock("lanes");
  llvm::BasicBlock* loop = NewBlock("lane");
  llvm::BasicBlock* done = NewBlock("lanes.done");
  if (bits == nullptr) {
    b_.CreateBr(spill_block_);
  } else {
    b_.CreateCondBr(b_.CreateICmpNE(bits, llvm::Constant::getNullValue(bits->getType())), spill_block_, done);
  }
  b_.SetInsertPoint(loop);
  llvm::Type* type = bits == nullptr ? b_.getInt32Ty() : bits->getType();
  llvm::PHINode* state = b_.CreatePHI(type, 2);
  state->addIncoming(bits == nullptr ? U32(0) : bits, spill_block_);
  Value lane = state;
  if (bits != nullptr) {
    const Value zeros = b_.CreateIntrinsic(llvm::Intrinsic::cttz, {type}, {state, b_.getInt1(true)});
    lane = b_.CreateZExtOrTrunc(zeros, b_.getInt32Ty());
  }
  body(Lane{0, lane});
  Value next = nullptr;
  Value more = nullptr;
  if (bits == nullptr) {
    next = b_.CreateAdd(state, U32(1), "", true, true);
    more = b_.CreateICmpULT(next, U32(lanes()));
  } else {
    next = b_.CreateAnd(state, b_.CreateSub(state, llvm::ConstantInt::get(type, 1)));
    more = b_.CreateICmpNE(next, llvm::Constant::getNullValue(type));
  }
  state->addIncoming(next, b_.GetInsertBlock());
  DoNotUnroll(b_.CreateCondBr(more, loop, done));
  b_.SetInsertPoint(spill_block_);
  b_.CreateBr(loop);
  b_.SetInsertPoint(done);
  spill_block_ = nullptr;
  spills_.clear();
}

// Element `lane` of a row of words in memory.
Value Emitter::RowOfWords(Value memory, llvm::Type* element, Value lane) {
  return b_.CreateInBoundsGEP(element, memory, b_.CreateZExt(lane, b_.getInt64Ty(), "", /*IsNonNeg=*/true));
}

Value Emitter::SpilledLane(const Component& c, Value lane) {
  llvm::Type* element = c.parts[0]->getType()->getScalarType();
  Value& memory = spills_[c.parts[0]];
  if (memory == nullptr) {
    memory = Alloca(uint64_t{lanes()} * 4, 64);
    const llvm::IRBuilderBase::InsertPointGuard guard(b_);
    b_.SetInsertPoint(spill_block_);
    for (uint32_t p = 0; p < part_count(); ++p) {
      const Value at = b_.CreateConstInBoundsGEP1_32(element, memory, p * native());
      b_.CreateAlignedStore(c.parts[p], at, llvm::Align(element->isHalfTy() ? 2 : 4));
    }
  }
  return b_.CreateAlignedLoad(element, RowOfWords(memory, element, lane),
                              llvm::Align(element->isHalfTy() ? 2 : 4));
}

Value Emitter::LaneOf(const Component& c, const Lane& lane) {
  if (lane.dynamic == nullptr) return LaneOf(c, lane.index);
  if (c.varying()) return SpilledLane(c, lane.dynamic);
  return LaneOfDynamic(c, lane.dynamic);
}

// Keeps LLVM from unrolling a loop that is there to keep code small.
void Emitter::DoNotUnroll(llvm::Instruction* back_edge) {
  llvm::LLVMContext& context = b_.getContext();
  llvm::MDNode* disable =
      llvm::MDNode::get(context, llvm::MDString::get(context, "llvm.loop.unroll.disable"));
  llvm::MDNode* id = llvm::MDNode::getDistinct(context, {nullptr, disable});
  id->replaceOperandWith(0, id);
  back_edge->setMetadata(llvm::LLVMContext::MD_loop, id);
}

}  // namespace lockstep::codegen
