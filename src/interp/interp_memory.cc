// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Pointers, loads, stores and atomics. Two checks: an index against its array, where the robust policy or a
// report follows (Options::expect_robust), and every address against its variable, which nothing may ever
// leave.
#include <fmt/format.h>

#include <algorithm>

#include "abi/random.h"
#include "interp/machine.h"

namespace lockstep::interp {

namespace {

// Distance between the parts of an array, vector or matrix.
uint64_t StrideOf(const ir::TypeTable& types, ir::TypeId id) {
  const ir::Type& type = types[id];
  if (type.kind == ir::TypeKind::kArray || type.kind == ir::TypeKind::kRuntimeArray) return type.stride;
  return types.PartOffset(id, 1);
}

bool HoldsOneScalar(ir::TypeKind kind) {
  switch (kind) {
    case ir::TypeKind::kBool:
    case ir::TypeKind::kI32:
    case ir::TypeKind::kU32:
    case ir::TypeKind::kF32:
    case ir::TypeKind::kF16:
    case ir::TypeKind::kAtomic:
      return true;
    case ir::TypeKind::kVoid:
    case ir::TypeKind::kVector:
    case ir::TypeKind::kMatrix:
    case ir::TypeKind::kArray:
    case ir::TypeKind::kRuntimeArray:
    case ir::TypeKind::kStruct:
    case ir::TypeKind::kPointer:
    case ir::TypeKind::kTexture:
      return false;
  }
  return false;
}

}  // namespace

std::string Machine::VariableName(const Pointer& pointer) const {
  if (pointer.depth == kModuleScope) return module_.variables[ir::VariableId(pointer.id)].name;
  return std::string(module_.name_of(module_.result(ir::InstId(pointer.id))));
}

Machine::Place Machine::VariableMemory(const Pointer& pointer) {
  if (pointer.depth != kModuleScope) {
    const ir::InstId var(pointer.id);
    Frame& owner = current_->frames[pointer.depth];
    const uint64_t size = module_.types[module_.types.Pointee(module_.type_of(module_.result(var)))].size;
    return {owner.memory.data() + byte_of_[var], size};
  }
  const ir::Variable& variable = module_.variables[ir::VariableId(pointer.id)];
  switch (variable.space) {
    case ir::AddressSpace::kFunction:
    case ir::AddressSpace::kHandle:
      return {};
    case ir::AddressSpace::kPrivate: {
      std::vector<std::byte>& memory = current_->privates[pointer.id];
      return {memory.data(), memory.size()};
    }
    case ir::AddressSpace::kWorkgroup: {
      std::vector<std::byte>& memory = group_->memory[pointer.id];
      return {memory.data(), memory.size()};
    }
    case ir::AddressSpace::kUniform:
    case ir::AddressSpace::kStorage:
      return {buffers_[pointer.id].data, buffers_[pointer.id].size};
  }
  return {};
}

// Where a value of `type` lies; null after a report.
std::byte* Machine::Address(const Pointer& pointer, ir::TypeId type) {
  const Place place = VariableMemory(pointer);
  // The last scalar's end, not the size with its padding at the end: a buffer may end right there.
  const uint64_t size = module_.types[type].size;
  if (place.data == nullptr || size > place.size || pointer.offset > place.size - size) {
    Fail(FailureKind::kProgram,
         fmt::format("internal: access outside of variable '{}'", VariableName(pointer)));
    return nullptr;
  }
  return place.data + pointer.offset;
}

uint64_t Machine::RuntimeLength(const Pointer& pointer, ir::TypeId runtime_array) {
  const Place place = VariableMemory(pointer);
  if (place.size < pointer.offset) return 0;
  return (place.size - pointer.offset) / module_.types[runtime_array].stride;
}

void Machine::DoVar(ir::InstId inst) {
  Pointer pointer;
  pointer.depth = static_cast<uint32_t>(current_->frames.size() - 1);
  pointer.id = inst.index;
  SetPointer(module_.result(inst), pointer);
}

void Machine::DoAccess(ir::InstId inst) {
  const std::span<const ir::ValueId> operands = Operands(inst);
  Pointer pointer = GetPointer(operands[0]);
  ir::TypeId type = module_.types.Pointee(module_.type_of(operands[0]));
  for (size_t i = 1; i < operands.size(); ++i) {
    uint64_t index = Word(operands[i]);
    if (module_.types[type].kind == ir::TypeKind::kStruct) {
      const ir::Member& member = module_.types[type].members[index];
      pointer.offset += member.offset;
      type = member.type;
      continue;
    }
    const bool runtime = module_.types[type].kind == ir::TypeKind::kRuntimeArray;
    const uint64_t count = runtime ? RuntimeLength(pointer, type) : module_.types.PartCount(type);
    if (index >= count) {
      if (pointer.out_of_range == OutOfRange::kNo) {
        pointer.out_of_range = IsSignedIndex(operands[i]) ? OutOfRange::kSigned : OutOfRange::kUnsigned;
        pointer.index = static_cast<uint32_t>(index);
        pointer.length = static_cast<uint32_t>(count);
      }
      index = count == 0 ? 0 : count - 1;
    }
    pointer.offset += index * StrideOf(module_.types, type);
    type = module_.types[type].element;
  }
  SetPointer(module_.result(inst), pointer);
}

// Lowering makes every index a u32, an i32 by a bitcast.
bool Machine::IsSignedIndex(ir::ValueId index) const {
  if (module_.types.IsSigned(module_.type_of(index))) return true;
  const ir::InstId cast = module_.defining_inst(index);
  return cast.has_value() && module_.insts[cast].op == ir::Op::kBitcast &&
         module_.types.IsSigned(module_.type_of(Operands(cast)[0]));
}

bool Machine::Guarded(ir::InstId inst, uint32_t index) {
  const std::span<const ir::ValueId> operands = Operands(inst);
  return operands.size() > index && Word(operands[index]) == 0;
}

bool Machine::WriteAllowed(const Pointer& pointer) {
  if (pointer.out_of_range == OutOfRange::kNo) return true;
  if (options_.expect_robust) ReportOutOfRange(pointer);
  return false;
}

void Machine::ReportOutOfRange(const Pointer& pointer) {
  Fail(FailureKind::kProgram,
       fmt::format("internal: access out of range of variable '{}'", VariableName(pointer)));
}

void Machine::ReadMemory(ir::TypeId id, const std::byte* from, uint32_t** words) const {
  const ir::Type& type = module_.types[id];
  if (HoldsOneScalar(type.kind)) {
    **words = 0;
    std::memcpy((*words)++, from, type.size);
    return;
  }
  const uint32_t count = module_.types.PartCount(id);
  for (uint32_t i = 0; i < count; ++i) {
    ReadMemory(module_.types.PartType(id, i), from + module_.types.PartOffset(id, i), words);
  }
}

void Machine::WriteMemory(ir::TypeId id, std::byte* to, const uint32_t** words) const {
  const ir::Type& type = module_.types[id];
  if (HoldsOneScalar(type.kind)) {
    std::memcpy(to, (*words)++, type.size);
    return;
  }
  const uint32_t count = module_.types.PartCount(id);
  for (uint32_t i = 0; i < count; ++i) {
    WriteMemory(module_.types.PartType(id, i), to + module_.types.PartOffset(id, i), words);
  }
}

void Machine::CopyMemory(ir::TypeId id, std::byte* to, const std::byte* from) const {
  const ir::Type& type = module_.types[id];
  if (HoldsOneScalar(type.kind)) {
    std::memmove(to, from, type.size);
    return;
  }
  const uint32_t count = module_.types.PartCount(id);
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t offset = module_.types.PartOffset(id, i);
    CopyMemory(module_.types.PartType(id, i), to + offset, from + offset);
  }
}

void Machine::ZeroMemory(ir::TypeId id, std::byte* to) const {
  const ir::Type& type = module_.types[id];
  if (HoldsOneScalar(type.kind)) {
    std::memset(to, 0, type.size);
    return;
  }
  const uint32_t count = module_.types.PartCount(id);
  for (uint32_t i = 0; i < count; ++i)
    ZeroMemory(module_.types.PartType(id, i), to + module_.types.PartOffset(id, i));
}

void Machine::LoadInto(ir::ValueId result, const Pointer& pointer) {
  const ir::TypeId type = module_.type_of(result);
  if (pointer.out_of_range != OutOfRange::kNo && options_.expect_robust) return ReportOutOfRange(pointer);
  const std::byte* from = Address(pointer, type);
  if (from == nullptr) return;
  uint32_t* words = Slot(result);
  ReadMemory(type, from, &words);
}

void Machine::DoLoad(ir::InstId inst) {
  Log(inst, abi::AccessKind::kRead, Operands(inst)[0]);
  LoadInto(module_.result(inst), GetPointer(Operands(inst)[0]));
}

void Machine::DoStore(ir::InstId inst) {
  const std::span<const ir::ValueId> operands = Operands(inst);
  const Pointer pointer = GetPointer(operands[0]);
  if (Guarded(inst, 2)) return;
  Log(inst, abi::AccessKind::kWrite, operands[0], Get(operands[1]));
  if (!WriteAllowed(pointer)) return;
  const ir::TypeId type = module_.type_of(operands[1]);
  std::byte* to = Address(pointer, type);
  if (to == nullptr) return;
  const uint32_t* words = Get(operands[1]).data();
  WriteMemory(type, to, &words);
}

void Machine::DoCopy(ir::InstId inst) {
  const std::span<const ir::ValueId> operands = Operands(inst);
  const Pointer to = GetPointer(operands[0]);
  const Pointer from = GetPointer(operands[1]);
  if (Guarded(inst, 2)) return;
  if (options_.log != nullptr) LogCopy(inst);
  if (!WriteAllowed(to)) return;
  if (from.out_of_range != OutOfRange::kNo && options_.expect_robust) return ReportOutOfRange(from);
  const ir::TypeId type = module_.types.Pointee(module_.type_of(operands[0]));
  std::byte* to_bytes = Address(to, type);
  const std::byte* from_bytes = Address(from, type);
  if (to_bytes != nullptr && from_bytes != nullptr) CopyMemory(type, to_bytes, from_bytes);
}

void Machine::DoZeroFill(ir::InstId inst) {
  const Pointer pointer = GetPointer(Operands(inst)[0]);
  const ir::TypeId type = module_.types.Pointee(module_.type_of(Operands(inst)[0]));
  if (options_.log != nullptr) {
    Log(inst, abi::AccessKind::kWrite, Operands(inst)[0], std::vector<uint32_t>(WordsOf(type), 0));
  }
  if (!WriteAllowed(pointer)) return;
  std::byte* to = Address(pointer, type);
  if (to != nullptr) ZeroMemory(type, to);
}

void Machine::DoArrayLength(ir::InstId inst) {
  const Pointer pointer = GetPointer(Operands(inst)[0]);
  const ir::TypeId type = module_.types.Pointee(module_.type_of(Operands(inst)[0]));
  *Slot(module_.result(inst)) = static_cast<uint32_t>(RuntimeLength(pointer, type));
}

// ------------------------------------------------------------------------------------------------ textures

const abi::TextureView& Machine::TextureOf(ir::ValueId texture) { return *options_.textures[Word(texture)]; }

void Machine::DoTextureNumber(ir::InstId inst) {
  *Slot(module_.result(inst)) = TextureOf(Operands(inst)[0]).numbers[module_.insts[inst].imm];
}

void Machine::DoTextureLoad(ir::InstId inst) {
  const std::span<const ir::ValueId> operands = Operands(inst);
  const abi::TextureView& texture = TextureOf(operands[0]);
  std::array<uint32_t, abi::kTexelPlaces> places = {};
  const std::span<const uint32_t> coordinates = Get(operands[1]);
  std::copy(coordinates.begin(), coordinates.end(), places.begin());
  places[abi::kTexelLayer] = Word(operands[2]);
  places[abi::kTexelLevel] = Word(operands[3]);
  texture.load(&texture, 1, Guarded(inst, 4) ? 0 : 1, places.data(), Slot(module_.result(inst)));
}

// ------------------------------------------------------------------------------------------------ events

void Machine::DoWatch(ir::InstId inst) {
  const std::span<const ir::ValueId> operands = Operands(inst);
  if (options_.observer == nullptr || Word(operands[3]) == 0) return;
  const uint32_t offset = Word(operands[2]);
  std::vector<uint32_t> details;
  for (size_t i = 4; i < operands.size(); ++i) details.push_back(Word(operands[i]));
  options_.observer->access(options_.observer, module_.insts[inst].imm, Word(operands[0]), Word(operands[1]),
                            current_->local_index, 1, &offset, details.data());
}

void Machine::DoWatchBounds(ir::InstId inst) {
  const std::span<const ir::ValueId> operands = Operands(inst);
  if (options_.observer == nullptr || Word(operands[3]) == 0) return;
  const uint32_t index = Word(operands[1]);
  const uint32_t length = Word(operands[2]);
  options_.observer->bounds(options_.observer, module_.insts[inst].imm, Word(operands[0]),
                            current_->local_index, 1, &index, &length);
}

// ------------------------------------------------------------------------------------------------ atomics

uint32_t* Machine::AtomicWord(ir::InstId inst, uint32_t guard_index) {
  const ir::ValueId operand = Operands(inst)[0];
  const Pointer pointer = GetPointer(operand);
  if (Guarded(inst, guard_index) || !WriteAllowed(pointer)) return nullptr;
  std::byte* bytes = Address(pointer, module_.types.Pointee(module_.type_of(operand)));
  if (bytes == nullptr) return nullptr;
  if (reinterpret_cast<uintptr_t>(bytes) % 4 != 0) {
    Fail(FailureKind::kUsage, "a buffer with atomics is not aligned to 4 bytes");
    return nullptr;
  }
  return reinterpret_cast<uint32_t*>(bytes);
}

void Machine::DoAtomicLoad(ir::InstId inst) {
  if (!Guarded(inst, 1)) Log(inst, abi::AccessKind::kAtomicRead, Operands(inst)[0]);
  const uint32_t* word = AtomicWord(inst, 1);
  *Slot(module_.result(inst)) = word != nullptr ? *word : 0;
}

void Machine::DoAtomicStore(ir::InstId inst) {
  if (!Guarded(inst, 2)) Log(inst, abi::AccessKind::kAtomicWrite, Operands(inst)[0], Get(Operands(inst)[1]));
  uint32_t* word = AtomicWord(inst, 2);
  if (word != nullptr) *word = Word(Operands(inst)[1]);
}

void Machine::DoAtomicRmw(ir::InstId inst) {
  uint32_t* word = AtomicWord(inst, 2);
  if (word == nullptr) {
    if (!Guarded(inst, 2)) Log(inst, abi::AccessKind::kAtomicRmw, Operands(inst)[0]);
    *Slot(module_.result(inst)) = 0;
    return;
  }
  const uint32_t old = *word;
  const uint32_t value = Word(Operands(inst)[1]);
  const bool is_signed = module_.types.IsSigned(module_.type_of(Operands(inst)[1]));
  const bool less = is_signed ? static_cast<int32_t>(value) < static_cast<int32_t>(old) : value < old;
  switch (static_cast<ir::AtomicOp>(module_.insts[inst].imm)) {
    case ir::AtomicOp::kAdd:
      *word = old + value;
      break;
    case ir::AtomicOp::kSub:
      *word = old - value;
      break;
    case ir::AtomicOp::kMax:
      *word = less ? old : value;
      break;
    case ir::AtomicOp::kMin:
      *word = less ? value : old;
      break;
    case ir::AtomicOp::kAnd:
      *word = old & value;
      break;
    case ir::AtomicOp::kOr:
      *word = old | value;
      break;
    case ir::AtomicOp::kXor:
      *word = old ^ value;
      break;
    case ir::AtomicOp::kExchange:
      *word = value;
      break;
  }
  Log(inst, abi::AccessKind::kAtomicRmw, Operands(inst)[0], {word, 1});
  *Slot(module_.result(inst)) = old;
}

void Machine::DoAtomicCompareExchange(ir::InstId inst) {
  uint32_t* word = AtomicWord(inst, 3);
  uint32_t old = 0, exchanged = 0;
  if (word != nullptr) {
    bool spurious = false;
    if (options_.weak_failure_seed != 0) {  // a quarter of them fail
      group_->random = abi::NextRandomState(group_->random);
      spurious = (group_->random >> 62) == 0;
    }
    old = *word;
    exchanged = !spurious && old == Word(Operands(inst)[1]) ? 1 : 0;
    if (exchanged != 0) *word = Word(Operands(inst)[2]);
  }
  const bool read = word != nullptr && exchanged == 0;
  if (!Guarded(inst, 3)) {
    Log(inst, read ? abi::AccessKind::kAtomicRead : abi::AccessKind::kAtomicRmw, Operands(inst)[0],
        exchanged != 0 ? std::span<const uint32_t>(word, 1) : std::span<const uint32_t>());
  }
  *Slot(module_.result(inst, 0)) = old;
  *Slot(module_.result(inst, 1)) = exchanged;
}

}  // namespace lockstep::interp
