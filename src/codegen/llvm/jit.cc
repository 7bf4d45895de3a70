// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "codegen/llvm/jit.h"

#include <atomic>
#include <string>

#include "codegen/llvm/emitter.h"
#include "llvm/ExecutionEngine/Orc/Core.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h"
#include "llvm/Support/MemoryBuffer.h"

namespace lockstep::codegen {

namespace {

Failure Broken(llvm::Error error) {
  return Failure{FailureKind::kEnvironment,
                 "cannot load a compiled kernel: " + llvm::toString(std::move(error))};
}

// What LLVM calls for operations that a CPU has no instruction for; nothing else of the process can be linked
// to.
bool MayCall(const llvm::orc::SymbolStringPtr& name) {
  for (const char* allowed :
       {"memset", "memcpy", "memmove", "fma", "fmaf", "floorf", "ceilf", "truncf", "roundevenf"}) {
    if (*name == allowed) return true;
  }
  return false;
}

class OrcJit final : public Jit {
 public:
  explicit OrcJit(std::unique_ptr<llvm::orc::ExecutorProcessControl> control)
      : session_(std::move(control)), layer_(session_) {
    session_.setErrorReporter([](llvm::Error error) { llvm::consumeError(std::move(error)); });
  }
  ~OrcJit() override { llvm::consumeError(session_.endSession()); }

  Result<std::unique_ptr<LoadedObject>> Load(std::string_view object, std::shared_ptr<Jit> self) override;

  llvm::orc::ExecutionSession session_;
  llvm::orc::ObjectLinkingLayer layer_;
  std::atomic<uint64_t> next_ = 0;
};

class OrcObject final : public LoadedObject {
 public:
  OrcObject(std::shared_ptr<Jit> owner, OrcJit* jit, llvm::orc::JITDylib* library)
      : owner_(std::move(owner)), jit_(jit), library_(library) {}
  ~OrcObject() override { llvm::consumeError(jit_->session_.removeJITDylib(*library_)); }

 private:
  std::shared_ptr<Jit> owner_;
  OrcJit* jit_;
  llvm::orc::JITDylib* library_;
};

Result<std::unique_ptr<LoadedObject>> OrcJit::Load(std::string_view object, std::shared_ptr<Jit> self) {
  llvm::orc::JITDylib& library = session_.createBareJITDylib("kernel" + std::to_string(next_++));
  auto handle = std::make_unique<OrcObject>(std::move(self), this, &library);
  auto process = llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess('\0', MayCall);
  if (!process) return Broken(process.takeError());
  library.addGenerator(std::move(*process));
  auto buffer =
      llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(object.data(), object.size()), "kernel.o");
  if (llvm::Error error = layer_.add(library, std::move(buffer))) return Broken(std::move(error));
  auto symbol = session_.lookup({&library}, ModuleEmitter::kEntrySymbol);
  if (!symbol) return Broken(symbol.takeError());
  handle->entry = symbol->getAddress().toPtr<abi::KernelEntry>();
  return Result<std::unique_ptr<LoadedObject>>(std::move(handle));
}

}  // namespace

Result<std::shared_ptr<Jit>> Jit::Create() {
  auto control = llvm::orc::SelfExecutorProcessControl::Create();
  if (!control) return Broken(control.takeError());
  return std::shared_ptr<Jit>(std::make_shared<OrcJit>(std::move(*control)));
}

}  // namespace lockstep::codegen
