// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
//   loop: k = phi 0, k1                          loop: k = phi 0, k1;  t = phi splat(start), t1
//         s = splat(start + k)          ->             s is t
//         k1 = k + 1                                   k1 = k + 1;  t1 = t + splat(1)
#include "codegen/llvm/optimize.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

namespace lockstep::codegen {

namespace {

constexpr size_t kMaxTwins = 2;  // in a loop: each takes a register

// The scalar of `inst` where it spreads one over a vector of 32-bit integers.
llvm::Value* SpreadScalar(llvm::Instruction& inst) {
  auto* type = llvm::dyn_cast<llvm::FixedVectorType>(inst.getType());
  if (type == nullptr || !type->getElementType()->isIntegerTy(32)) return nullptr;
  llvm::Value* scalar = nullptr;
  using namespace llvm::PatternMatch;
  if (match(&inst,
            m_Shuffle(m_InsertElt(m_Undef(), m_Value(scalar), m_ZeroInt()), m_Value(), m_ZeroMask()))) {
    return scalar;
  }
  return nullptr;
}

}  // namespace

llvm::PreservedAnalyses VectorTwinPass::run(llvm::Loop& loop, llvm::LoopAnalysisManager&,
                                            llvm::LoopStandardAnalysisResults& results, llvm::LPMUpdater&) {
  llvm::BasicBlock* latch = loop.getLoopLatch();
  llvm::BasicBlock* preheader = loop.getLoopPreheader();
  if (latch == nullptr || preheader == nullptr || !loop.isInnermost()) return llvm::PreservedAnalyses::all();
  llvm::SmallVector<std::pair<llvm::Instruction*, const llvm::SCEVAddRecExpr*>, 4> counters;
  for (llvm::BasicBlock* block : loop.blocks()) {
    for (llvm::Instruction& inst : *block) {
      llvm::Value* scalar = SpreadScalar(inst);
      if (scalar == nullptr || loop.isLoopInvariant(scalar)) continue;
      const auto* counter = llvm::dyn_cast<llvm::SCEVAddRecExpr>(results.SE.getSCEV(scalar));
      const bool steady = counter != nullptr && counter->getLoop() == &loop && counter->isAffine() &&
                          llvm::isa<llvm::SCEVConstant>(counter->getStepRecurrence(results.SE));
      if (steady) counters.push_back({&inst, counter});
    }
  }
  if (counters.empty()) return llvm::PreservedAnalyses::all();
  llvm::SCEVExpander expander(results.SE, "twin");
  llvm::SmallDenseMap<std::pair<const llvm::SCEV*, llvm::Type*>, llvm::PHINode*, 4> twins;
  for (const auto& [inst, counter] : counters) {
    llvm::PHINode*& twin = twins[{counter, inst->getType()}];
    if (twin != nullptr) {
      inst->replaceAllUsesWith(twin);
      continue;
    }
    if (twins.size() > kMaxTwins) break;
    if (!expander.isSafeToExpand(counter->getStart())) continue;
    llvm::Value* start = expander.expandCodeFor(counter->getStart(), counter->getType(),
                                                preheader->getTerminator()->getIterator());
    llvm::IRBuilder<> b(preheader->getTerminator());
    const auto lanes = llvm::cast<llvm::FixedVectorType>(inst->getType())->getNumElements();
    llvm::Value* first = b.CreateVectorSplat(lanes, start);
    b.SetInsertPoint(loop.getHeader(), loop.getHeader()->begin());
    twin = b.CreatePHI(inst->getType(), 2, "twin");
    b.SetInsertPoint(latch->getTerminator());
    const auto* step = llvm::cast<llvm::SCEVConstant>(counter->getStepRecurrence(results.SE));
    llvm::Value* next = b.CreateAdd(twin, b.CreateVectorSplat(lanes, step->getValue()));
    twin->addIncoming(first, preheader);
    twin->addIncoming(next, latch);
    inst->replaceAllUsesWith(twin);
  }
  return llvm::getLoopPassPreservedAnalyses();
}

}  // namespace lockstep::codegen
