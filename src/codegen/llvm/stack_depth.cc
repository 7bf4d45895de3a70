// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "codegen/llvm/stack_depth.h"

#include <memory>
#include <unordered_map>

#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "support/check.h"

namespace lockstep::codegen {

namespace {

// Of a call, beside the frame that LLVM counts: the return address, and what aligning the frame skips.
constexpr uint64_t kCallBytes = 256;

// LLVM tells frame sizes as warnings: it is asked to warn of every one.
class FrameListener final : public llvm::DiagnosticHandler {
 public:
  explicit FrameListener(llvm::StringMap<uint64_t>* frames) : frames_(*frames) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    const auto* frame = llvm::dyn_cast<llvm::DiagnosticInfoStackSize>(&info);
    if (frame == nullptr) return false;
    frames_[frame->getFunction().getName()] = frame->getStackSize();
    return true;
  }

 private:
  llvm::StringMap<uint64_t>& frames_;
};

}  // namespace

StackMeter::StackMeter(llvm::Module* module) : module_(*module) {
  module_.getContext().setDiagnosticHandler(std::make_unique<FrameListener>(&frames_));
  for (llvm::Function& function : module_) {
    if (!function.isDeclaration()) function.addFnAttr("warn-stack-size", "0");
  }
}

StackDepth StackMeter::Deepest() const {
  std::unordered_map<const llvm::Function*, StackDepth> depths;
  StackDepth deepest;
  for (const llvm::Function& function : module_) {
    if (function.isDeclaration()) continue;
    StackDepth depth;
    for (const llvm::Instruction& inst : llvm::instructions(function)) {
      const auto* call = llvm::dyn_cast<llvm::CallInst>(&inst);
      const llvm::Function* callee = call != nullptr ? call->getCalledFunction() : nullptr;
      if (callee == nullptr || callee->isDeclaration()) continue;
      const auto known = depths.find(callee);
      CHECK(known != depths.end());
      if (known->second.bytes > depth.bytes) depth = known->second;
    }
    const uint64_t frame = frames_.lookup(function.getName()) + kCallBytes;
    depth.bytes += frame;
    ++depth.calls;
    if (frame >= depth.largest_bytes) {
      depth.largest = function.getName().str();
      depth.largest_bytes = frame;
    }
    if (depth.bytes > deepest.bytes) deepest = depth;
    depths.emplace(&function, std::move(depth));
  }
  return deepest;
}

}  // namespace lockstep::codegen
