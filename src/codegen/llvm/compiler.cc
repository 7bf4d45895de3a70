// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// The way from a module to code: lane form, LLVM IR, passes, object code, code in memory. Each call has an
// LLVM context of its own and a target machine to itself, so that threads compile side by side.
#include "codegen/llvm/compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <mutex>

#include "codegen/llvm/emitter.h"
#include "codegen/llvm/jit.h"
#include "codegen/llvm/optimize.h"
#include "codegen/llvm/stack_depth.h"
#include "codegen/llvm/target.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace lockstep::codegen {

namespace {

// What stands before the object code in the text that CompileToObject makes.
struct ObjectHeader {
  char magic[8] = {'L', 'S', 'K', 'E', 'R', 'N', '0', '3'};
  uint64_t workgroup_bytes = 0;
  uint64_t frame_bytes = 0;
  uint64_t stack_bytes = 0;
  uint64_t lanes = 0;
  uint64_t groups = 0;
};

class JitKernel final : public Kernel {
 public:
  explicit JitKernel(std::unique_ptr<LoadedObject> object) : object_(std::move(object)) {}
  abi::KernelEntry entry() const override { return object_->entry; }

 private:
  std::unique_ptr<LoadedObject> object_;
};

std::string EmitFile(llvm::Module& module, llvm::TargetMachine& machine, llvm::CodeGenFileType type) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  const bool cannot = machine.addPassesToEmitFile(passes, stream, nullptr, type, /*DisableVerify=*/true);
  CHECK(!cannot);
  passes.run(module);
  return std::string(bytes.data(), bytes.size());
}

void SetTarget(llvm::Module& module, const HostTarget& host, const llvm::TargetMachine& machine,
               uint32_t native) {
  for (llvm::Function& function : module) {
    function.addFnAttr("target-cpu", host.cpu);
    function.addFnAttr("target-features", host.features);
    function.addFnAttr("prefer-vector-width", std::to_string(std::max(native, 4u) * 32));
  }
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
}

Failure TooDeep(const ir::Module& module, const StackDepth& stack) {
  const std::string& entry = module.functions[module.entry].name;
  const bool is_entry = stack.largest == ModuleEmitter::kEntrySymbol;
  return {
      FailureKind::kProgram,
      fmt::format(
          "'{}' takes {} MiB of stack on this device, more than {} MiB: calls nest {} deep, and '{}' takes "
          "{} bytes",
          entry, stack.bytes >> 20, kMaxStackBytes >> 20, stack.calls - 1, is_entry ? entry : stack.largest,
          stack.largest_bytes)};
}

class LlvmCompiler final : public Compiler {
 public:
  LlvmCompiler() : host_(DetectHost()), machines_(host_) {}

  Result<std::unique_ptr<Kernel>> Compile(const ir::Module& module, const LaneOptions& options, Emit emit,
                                          std::string* emitted) override {
    Result<std::string> object = MakeObject(module, options, emit, emitted);
    if (!object.ok()) return object.failure();
    return Load(*object);
  }
  Result<std::string> CompileToObject(const ir::Module& module, const LaneOptions& options) override {
    return MakeObject(module, options, Emit::kNone, nullptr);
  }
  Result<std::unique_ptr<Kernel>> Load(std::string_view object) override;
  std::string cpu_name() const override { return host_.cpu; }
  std::string version() const override { return LLVM_VERSION_STRING; }
  uint32_t native_lanes() const override { return host_.native_lanes; }

 private:
  Result<std::string> MakeObject(const ir::Module& module, const LaneOptions& options, Emit emit,
                                 std::string* emitted);
  Result<std::shared_ptr<Jit>> SharedJit();

  HostTarget host_;
  TargetMachines machines_;
  std::mutex mutex_;
  std::shared_ptr<Jit> jit_;
};

Result<std::shared_ptr<Jit>> LlvmCompiler::SharedJit() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (jit_ == nullptr) {
    Result<std::shared_ptr<Jit>> made = Jit::Create();
    if (!made.ok()) return made;
    jit_ = *made;
  }
  return jit_;
}

Result<std::string> LlvmCompiler::MakeObject(const ir::Module& module, const LaneOptions& options, Emit emit,
                                             std::string* emitted) {
  LaneOptions lane_options = options;
  lane_options.native_lanes = std::min(options.native_lanes, host_.native_lanes);
  const Result<LaneKernel> kernel = BuildLaneForm(module, lane_options);
  if (!kernel.ok()) return kernel.failure();
  if (emit == Emit::kLanes && emitted != nullptr) *emitted = PrintLanes(*kernel);

  const TargetMachines::Machine machine = machines_.Take();
  if (machine == nullptr) {
    return Failure{FailureKind::kEnvironment, "this build of LLVM has no code generator for " + host_.triple};
  }
  llvm::LLVMContext context;
  llvm::Module code("kernel", context);
  EmitOptions emit_options;
  emit_options.native_lanes = lane_options.native_lanes;
  emit_options.weak_failures = options.weak_failures;
  emit_options.has_half = host_.has_half && options.half_in_hardware;
  emit_options.shuffle_groups = options.shuffle_groups;
  code.setTargetTriple(machine->getTargetTriple());
  code.setDataLayout(machine->createDataLayout());
  ModuleEmitter emitter(*kernel, emit_options, &code);
  const std::string too_large = emitter.Run();
  if (!too_large.empty()) return Failure{FailureKind::kProgram, too_large};
  SetTarget(code, host_, *machine, std::min(kernel->lanes, lane_options.native_lanes));
#ifndef NDEBUG
  std::string broken;
  llvm::raw_string_ostream broken_stream(broken);
  if (llvm::verifyModule(code, &broken_stream)) UNREACHABLE(broken);
#endif
  Optimize(code, *machine, options.quick);
  if (emitted != nullptr && emit == Emit::kLlvm) {
    llvm::raw_string_ostream stream(*emitted);
    code.print(stream, nullptr);
  }
  if (emitted != nullptr && emit == Emit::kAsm) {
    *emitted = EmitFile(*llvm::CloneModule(code), *machine, llvm::CodeGenFileType::AssemblyFile);
  }
  const StackMeter meter(&code);
  const std::string machine_code = EmitFile(code, *machine, llvm::CodeGenFileType::ObjectFile);
  const StackDepth stack = meter.Deepest();
  if (stack.bytes > kMaxStackBytes) return TooDeep(module, stack);
  ObjectHeader header;
  header.workgroup_bytes = kernel->workgroup_bytes;
  header.frame_bytes = emitter.frame_bytes();
  header.stack_bytes = stack.bytes;
  header.lanes = kernel->lanes;
  header.groups = kernel->groups;
  std::string object(sizeof(header), '\0');
  std::memcpy(object.data(), &header, sizeof(header));
  return object + machine_code;
}

Result<std::unique_ptr<Kernel>> LlvmCompiler::Load(std::string_view object) {
  ObjectHeader header;
  const ObjectHeader expected;
  if (object.size() < sizeof(header))
    return Failure{FailureKind::kEnvironment, "a compiled kernel is cut short"};
  std::memcpy(&header, object.data(), sizeof(header));
  if (std::memcmp(header.magic, expected.magic, sizeof(header.magic)) != 0) {
    return Failure{FailureKind::kEnvironment, "a compiled kernel is of another version"};
  }
  Result<std::shared_ptr<Jit>> jit = SharedJit();
  if (!jit.ok()) return jit.failure();
  Result<std::unique_ptr<LoadedObject>> loaded = (*jit)->Load(object.substr(sizeof(header)), *jit);
  if (!loaded.ok()) return loaded.failure();
  auto kernel = std::make_unique<JitKernel>(std::move(*loaded));
  kernel->workgroup_bytes = header.workgroup_bytes;
  kernel->frame_bytes = header.frame_bytes;
  kernel->stack_bytes = header.stack_bytes;
  kernel->lanes = static_cast<uint32_t>(header.lanes);
  kernel->groups = static_cast<uint32_t>(header.groups);
  return Result<std::unique_ptr<Kernel>>(std::move(kernel));
}

}  // namespace

}  // namespace lockstep::codegen

lockstep::codegen::Compiler* LockstepCreateCompiler() { return new lockstep::codegen::LlvmCompiler(); }
