// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "codegen/llvm/optimize.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/BasicAliasAnalysis.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScopedNoAliasAA.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/DeadStoreElimination.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/GVN.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

namespace lockstep::codegen {

namespace {

llvm::FunctionPassManager KernelPasses() {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::InstCombinePass());
  llvm::LoopPassManager first;
  first.addPass(llvm::LoopRotatePass());
  first.addPass(llvm::LICMPass(llvm::LICMOptions()));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(first), /*UseMemorySSA=*/true));
  passes.addPass(llvm::SimplifyCFGPass());
  llvm::LoopPassManager second;
  second.addPass(llvm::IndVarSimplifyPass());
  second.addPass(VectorTwinPass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(second)));
  passes.addPass(llvm::LoopUnrollPass(llvm::LoopUnrollOptions(3)));
  passes.addPass(llvm::GVNPass());
  passes.addPass(llvm::DSEPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::ADCEPass());
  return passes;
}

// Many passes take a time that grows with the square of the number of loops in a row, of the conditions on
// the way to a block, or of the instructions of a block. Functions past these sizes get passes that do not,
// and past the last one the fast way through the code generator too: programs that large are rare, and one
// that compiles in a second and runs at half speed is worth more to its user than the opposite.
constexpr size_t kManyLoops = 150;
constexpr size_t kManyBlocks = 1'500;
constexpr size_t kManyInsts = 15'000;
constexpr size_t kTooManyInsts = 25'000;
// Likewise for all functions together: a program of thousands of functions is as large as one large function.
constexpr size_t kTooManyInstsInAll = 150'000;

// For large functions, and for code that is wanted at once.
llvm::FunctionPassManager QuickPasses() {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::ADCEPass());
  return passes;
}

bool IsMask(llvm::Type* type) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector != nullptr && vector->getElementType()->isIntegerTy(1);
}

// The block where `use` needs the value.
llvm::BasicBlock* BlockOfUse(const llvm::Use& use) {
  auto* user = llvm::cast<llvm::Instruction>(use.getUser());
  if (auto* phi = llvm::dyn_cast<llvm::PHINode>(user)) return phi->getIncomingBlock(use);
  return user->getParent();
}

// The phi of masks as a phi of wide masks, and its bits where it stood.
void WidenPhi(llvm::PHINode* phi) {
  llvm::IRBuilder<> b(phi);
  llvm::Type* wide = phi->getType()->getWithNewType(b.getInt32Ty());
  llvm::PHINode* widened = b.CreatePHI(wide, phi->getNumIncomingValues());
  for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
    llvm::BasicBlock* from = phi->getIncomingBlock(i);
    b.SetInsertPoint(from->getTerminator());
    widened->addIncoming(b.CreateSExt(phi->getIncomingValue(i), wide), from);
  }
  b.SetInsertPoint(phi->getParent(), phi->getParent()->getFirstInsertionPt());
  llvm::Value* bits = b.CreateICmpSLT(widened, llvm::Constant::getNullValue(wide));
  phi->replaceAllUsesWith(bits);
  phi->eraseFromParent();
}

}  // namespace

bool WidenMasks(llvm::Function& function) {
  llvm::SmallVector<llvm::PHINode*, 8> phis;
  for (llvm::BasicBlock& block : function) {
    for (llvm::PHINode& phi : block.phis()) {
      if (IsMask(phi.getType())) phis.push_back(&phi);
    }
  }
  for (llvm::PHINode* phi : phis) WidenPhi(phi);
  llvm::SmallVector<llvm::Instruction*, 16> escaping;
  for (llvm::BasicBlock& block : function) {
    for (llvm::Instruction& inst : block) {
      if (!IsMask(inst.getType())) continue;
      for (const llvm::Use& use : inst.uses()) {
        if (BlockOfUse(use) != &block) {
          escaping.push_back(&inst);
          break;
        }
      }
    }
  }
  for (llvm::Instruction* inst : escaping) {
    llvm::IRBuilder<> b(inst->getParent(), std::next(inst->getIterator()));
    llvm::Type* wide = inst->getType()->getWithNewType(b.getInt32Ty());
    llvm::Value* mask = b.CreateSExt(inst, wide);
    llvm::DenseMap<llvm::BasicBlock*, llvm::Value*> bits;  // once a block
    for (llvm::Use& use : llvm::make_early_inc_range(inst->uses())) {
      llvm::BasicBlock* block = BlockOfUse(use);
      if (block == inst->getParent() || use.getUser() == mask) continue;
      llvm::Value*& here = bits[block];
      if (here == nullptr) {
        b.SetInsertPoint(block, block->getFirstInsertionPt());
        here = b.CreateICmpSLT(mask, llvm::Constant::getNullValue(wide));
      }
      use.set(here);
    }
  }
  return !phis.empty() || !escaping.empty();
}

void Optimize(llvm::Module& module, llvm::TargetMachine& machine, bool quick) {
  size_t in_all = 0;
  for (const llvm::Function& function : module) in_all += function.getInstructionCount();
  const bool all_quick = quick || in_all > kTooManyInstsInAll;
  machine.setOptLevel(all_quick ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Default);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  llvm::FunctionPassManager passes = KernelPasses();
  llvm::FunctionPassManager quick_passes = QuickPasses();
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    const auto has_many_loops = [&] {
      return functions.getResult<llvm::LoopAnalysis>(function).getLoopsInPreorder().size() > kManyLoops;
    };
    const bool large = all_quick || function.size() > kManyBlocks ||
                       function.getInstructionCount() > kManyInsts || has_many_loops();
    (large ? quick_passes : passes).run(function, functions);
    if (function.getInstructionCount() > kTooManyInsts) {
      function.addFnAttr(llvm::Attribute::OptimizeNone);
      function.addFnAttr(llvm::Attribute::NoInline);
    }
    WidenMasks(function);
  }
}

}  // namespace lockstep::codegen
