// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// What an AccessLog is told.
#include "abi/observe.h"
#include "interp/machine.h"

namespace lockstep::interp {

void Machine::Log(ir::InstId inst, abi::AccessKind kind, ir::ValueId operand,
                  std::span<const uint32_t> written) {
  if (options_.log == nullptr) return;
  const Pointer pointer = GetPointer(operand);
  LoggedAccess access;
  access.inst = inst;
  access.kind = kind;
  if (pointer.depth == kModuleScope) {
    access.variable = ir::VariableId(pointer.id);
  } else {
    access.var = ir::InstId(pointer.id);
  }
  access.type = module_.types.Pointee(module_.type_of(operand));
  access.offset = pointer.offset;
  access.out_of_range = pointer.out_of_range != OutOfRange::kNo;
  access.signed_index = pointer.out_of_range == OutOfRange::kSigned;
  access.index = pointer.index;
  access.length = pointer.length;
  access.workgroup = group_->id;
  access.workgroup_number = static_cast<uint32_t>(group_->number);
  access.invocation = current_->local_index;
  access.workgroup_barriers = group_->workgroup_barriers;
  access.storage_barriers = group_->storage_barriers;
  access.barriers = group_->barriers;
  access.written = written;
  std::vector<LoopRound> loops;
  for (const Region& region : frame().regions) {
    const bool loop = region.construct.has_value() && module_.insts[region.construct].op == ir::Op::kLoop;
    if (loop) loops.push_back({region.construct, region.round});
  }
  access.loops = loops;
  options_.log->Add(access);
}

// A read and a write of what is read, whether or not either is in range.
void Machine::LogCopy(ir::InstId inst) {
  const std::span<const ir::ValueId> operands = Operands(inst);
  Log(inst, abi::AccessKind::kRead, operands[1]);
  const ir::TypeId type = module_.types.Pointee(module_.type_of(operands[1]));
  std::vector<uint32_t> values(WordsOf(type));
  const std::byte* from = Address(GetPointer(operands[1]), type);
  uint32_t* to = values.data();
  if (from != nullptr) ReadMemory(type, from, &to);
  Log(inst, abi::AccessKind::kWrite, operands[0], values);
}

void Machine::CountBarrier(ir::InstId barrier) {
  const ir::Inst& inst = module_.insts[barrier];
  if (inst.op == ir::Op::kUniformLoad) {
    ++group_->workgroup_barriers;
    ++group_->barriers;
  }
  if (inst.op != ir::Op::kBarrier) return;
  if ((inst.imm & abi::kBarrierWorkgroup) != 0) ++group_->workgroup_barriers;
  if ((inst.imm & abi::kBarrierStorage) != 0) ++group_->storage_barriers;
  ++group_->barriers;
}

}  // namespace lockstep::interp
