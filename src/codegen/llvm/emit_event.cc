// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Events of instrumented kernels: a call of the worker's observer (abi/observe.h) for each event of a lane
// group in which some lane takes part.
//
// What loops do most is to read one word in all lanes, again and again: for such a read the word's cell is
// looked at first, here, and nothing is called where it says that this is known already.
#include "codegen/llvm/emitter.h"
#include "llvm/IR/Constants.h"

namespace lockstep::codegen {

using llvm::ArrayRef;
using Value = llvm::Value*;

namespace {
constexpr uint32_t kWorkerObserver = offsetof(abi::Worker, observer);
constexpr uint32_t kWorkerFirst = offsetof(abi::Worker, first_invocation);
constexpr uint32_t kObserverAccess = offsetof(abi::Observer, access);
constexpr uint32_t kObserverBounds = offsetof(abi::Observer, bounds);
constexpr uint32_t kObserverBarrier = offsetof(abi::Observer, barrier);
constexpr uint32_t kObserverCells = offsetof(abi::Observer, cells);
constexpr uint32_t kObserverQuiet = offsetof(abi::Observer, quiet);
}  // namespace

// Volatile: what is called in between may change it, though nothing else that the kernel reads.
Value Emitter::ObserverField(uint32_t offset, llvm::Type* type) {
  const Value observer = WorkerField(kWorkerObserver, "observer");
  return b_.CreateAlignedLoad(type, b_.CreateConstInBoundsGEP1_32(b_.getInt8Ty(), observer, offset),
                              llvm::Align(8), /*isVolatile=*/true);
}

// A function of the host, which touches nothing of the kernel's but what it is given.
void Emitter::CallHost(Value function, ArrayRef<Value> arguments) {
  llvm::SmallVector<llvm::Type*, 8> types;
  for (const Value v : arguments) types.push_back(v->getType());
  const auto type = llvm::FunctionType::get(b_.getVoidTy(), types, false);
  llvm::CallInst* call = b_.CreateCall(type, function, arguments);
  call->setMemoryEffects(llvm::MemoryEffects::inaccessibleOrArgMemOnly());
  call->setDoesNotThrow();
}

void Emitter::CallObserver(uint32_t field, ArrayRef<Value> arguments) {
  llvm::SmallVector<Value, 8> all = {WorkerField(kWorkerObserver, "observer")};
  all.append(arguments.begin(), arguments.end());
  CallHost(ObserverField(field, b_.getPtrTy()), all);
}

// Bit i: lane i takes part.
Value Emitter::LaneBits(const Component& guard) {
  if (!guard.uniform()) return b_.CreateZExtOrTrunc(BitsOf(guard), b_.getInt64Ty());
  const uint64_t all = lanes() == 64 ? ~uint64_t{0} : (uint64_t{1} << lanes()) - 1;
  const Value bits = b_.getInt64(all);
  Value result = b_.CreateSelect(guard.scalar, bits, b_.getInt64(0));
  if (kernel_.partial) {
    result = b_.CreateAnd(result, b_.CreateZExtOrTrunc(BitsOf(ValidLanes()), b_.getInt64Ty()));
  }
  return result;
}

// The local invocation index of lane 0. Functions find it in the worker, where their caller left it.
Value Emitter::FirstInvocation() {
  if (group_ != nullptr) return LaneOf(LocalIndex(), 0);
  return b_.CreateAlignedLoad(b_.getInt32Ty(),
                              b_.CreateConstInBoundsGEP1_32(b_.getInt8Ty(), worker_, kWorkerFirst),
                              llvm::Align(4), /*isVolatile=*/true);
}

void Emitter::LeaveFirstInvocation() {
  if (group_ == nullptr || !shared_.instrumented_) return;
  b_.CreateAlignedStore(FirstInvocation(),
                        b_.CreateConstInBoundsGEP1_32(b_.getInt8Ty(), worker_, kWorkerFirst), llvm::Align(4),
                        /*isVolatile=*/true);
}

// One row of words a value, in memory.
Value Emitter::Rows(ArrayRef<ir::ValueId> values) {
  if (values.empty()) return llvm::ConstantPointerNull::get(b_.getPtrTy());
  const Value memory = Alloca(uint64_t{lanes()} * 4 * values.size(), 64);
  for (size_t v = 0; v < values.size(); ++v) {
    const Component word = Get(values[v])[0];
    for (uint32_t p = 0; p < part_count(); ++p) {
      const auto at = static_cast<uint32_t>(v * lanes() + p * native());
      b_.CreateAlignedStore(Part(word, p), b_.CreateConstInBoundsGEP1_32(b_.getInt32Ty(), memory, at),
                            llvm::Align(4));
    }
  }
  return memory;
}

// The scalar that all lanes of `bits` have.
Value Emitter::OneOf(const Component& c, Value bits) {
  if (c.uniform()) return c.scalar;
  const Value lane = b_.CreateIntrinsic(llvm::Intrinsic::cttz, {bits->getType()}, {bits, b_.getInt1(true)});
  return LaneOfDynamic(c, b_.CreateTrunc(lane, b_.getInt32Ty()));
}

// Whether a plain read of one word, the same for all lanes, has nothing to tell.
Value Emitter::IsQuiet(ir::InstId inst, const Component& offset, Value variable) {
  uint32_t packed = 0, number = 0;
  ir_.ConstantScalar(ir_.operands(inst)[0], &packed);
  const bool one_read = packed == abi::PackAccess(abi::AccessKind::kRead, 1);
  if (!one_read || !offset.uniform() || !ir_.ConstantScalar(ir_.operands(inst)[1], &number)) return nullptr;
  const bool storage = ir_.variables[ir::VariableId(number)].space == ir::AddressSpace::kStorage;
  const Value quiet = ObserverField(kObserverQuiet + (storage ? 8 : 0), b_.getInt64Ty());
  const Value table = ObserverField(kObserverCells, b_.getPtrTy());
  const Value row = b_.CreateInBoundsGEP(b_.getPtrTy(), table, variable);
  const Value cells = b_.CreateAlignedLoad(b_.getPtrTy(), row, llvm::Align(8));
  const Value at = b_.CreateZExt(offset.scalar, b_.getInt64Ty());
  const Value cell = b_.CreateAlignedLoad(b_.getInt64Ty(), b_.CreateInBoundsGEP(b_.getInt64Ty(), cells, at),
                                          llvm::Align(8), /*isVolatile=*/true);
  return b_.CreateICmpEQ(cell, quiet);
}

void Emitter::Watch(ir::InstId inst) {
  const auto operands = ir_.operands(inst);
  const ArrayRef<ir::ValueId> list(operands.data(), operands.size());
  const Value bits = LaneBits(Get(list[3])[0]);
  Guarded(b_.CreateICmpNE(bits, b_.getInt64(0)), [&] {
    const Component offset = Get(list[2])[0];
    const Value variable = OneOf(Get(list[1])[0], bits);
    const auto tell = [&] {
      CallObserver(kObserverAccess,
                   {U32(ir_.insts[inst].imm), Scalar(Get(list[0])[0]), variable, FirstInvocation(), bits,
                    Rows(list.slice(2, 1)), Rows(list.drop_front(4))});
    };
    const Value quiet = IsQuiet(inst, offset, variable);
    if (quiet == nullptr) return tell();
    Guarded(b_.CreateNot(quiet), tell);
  });
}

void Emitter::WatchBounds(ir::InstId inst) {
  const auto operands = ir_.operands(inst);
  const ArrayRef<ir::ValueId> list(operands.data(), operands.size());
  const Value bits = LaneBits(Get(list[3])[0]);
  Guarded(b_.CreateICmpNE(bits, b_.getInt64(0)), [&] {
    CallObserver(kObserverBounds, {U32(ir_.insts[inst].imm), OneOf(Get(list[0])[0], bits), FirstInvocation(),
                                   bits, Rows(list.slice(1, 1)), Rows(list.slice(2, 1))});
  });
}

void Emitter::WatchBarrier(ir::InstId inst) { CallObserver(kObserverBarrier, {U32(ir_.insts[inst].imm)}); }

}  // namespace lockstep::codegen
