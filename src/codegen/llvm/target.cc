// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "codegen/llvm/target.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include "llvm/TargetParser/Triple.h"
#include "support/check.h"

namespace lockstep::codegen {
namespace {

// The machine schedulers relate each access of memory to those before it in its block, up to a number that
// LLVM chose for programs whose accesses are few: a kernel's are one a lane, thousands in a block, and the
// time goes with the square of this number. Blocks of kernels that are fast have fewer.
void BoundScheduling() {
  auto&& options = llvm::cl::getRegisteredOptions();
  const auto set = [&](llvm::StringRef name, llvm::StringRef value) {
    const auto option = options.find(name);
    CHECK(option != options.end());
    if (option->second->getNumOccurrences() == 0) option->second->addOccurrence(0, name, value);
  };
  set("dag-maps-huge-region", "128");
  set("dag-maps-reduction-size", "64");
}

constexpr llvm::CodeGenOptLevel kUsualLevel = llvm::CodeGenOptLevel::Default;

std::unique_ptr<llvm::TargetMachine> MakeTargetMachine(const HostTarget& host) {
  const llvm::Triple triple(host.triple);
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (target == nullptr) return nullptr;
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(triple, host.cpu, host.features, options, llvm::Reloc::PIC_,
                                  llvm::CodeModel::Small, kUsualLevel, /*JIT=*/true));
}

}  // namespace

HostTarget DetectHost() {
  llvm::InitializeNativeTarget();
  BoundScheduling();
  llvm::InitializeNativeTargetAsmPrinter();
  HostTarget host;
  host.triple = llvm::sys::getProcessTriple();
  host.cpu = llvm::sys::getHostCPUName().str();
  llvm::SubtargetFeatures features;
  const llvm::StringMap<bool> present = llvm::sys::getHostCPUFeatures();
  for (const auto& feature : present) features.AddFeature(feature.getKey(), feature.getValue());
  host.features = features.getString();
  const auto has = [&](const char* name) { return present.lookup(name); };
  const llvm::Triple triple(host.triple);
  if (triple.isX86()) {
    host.native_lanes = has("avx512f") && has("avx512vl") ? 16 : has("avx2") ? 8 : 4;
    host.has_half = has("f16c");
  } else if (triple.isAArch64()) {
    host.has_half = true;
  }
  return host;
}

TargetMachines::Machine TargetMachines::Take() {
  std::unique_ptr<llvm::TargetMachine> machine;
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      machine = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (machine == nullptr) machine = MakeTargetMachine(host_);
  return {machine.release(), [this](llvm::TargetMachine* used) {
            // What the fast way through the code generator leaves behind.
            used->setOptLevel(kUsualLevel);
            used->setFastISel(false);
            used->setGlobalISel(false);
            const std::lock_guard lock(mutex_);
            idle_.emplace_back(used);
          }};
}

}  // namespace lockstep::codegen
