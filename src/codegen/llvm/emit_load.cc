// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Loads. One address for the group: a scalar load. Lanes side by side: vector loads. Anything else: a load a
// lane. A clamped index is tested once for the group, and so is whether all lanes are invocations.
#include "codegen/llvm/emitter.h"
#include "llvm/IR/Constants.h"

namespace lockstep::codegen {

using llvm::ArrayRef;
using Value = llvm::Value*;

// In the frame and in variables every scalar takes a word.
llvm::Type* Emitter::MemoryType(ir::TypeId scalar, bool word) {
  if (ir_.types.IsBool(scalar)) return b_.getInt32Ty();
  if (word && scalar == ir_.types.F16()) return b_.getInt32Ty();
  return shared_.ScalarType(scalar);
}

// What lies in memory as the varying form has it.
Value Emitter::FromMemory(Value loaded, ir::TypeId scalar) {
  if (scalar == ir_.types.F16() && loaded->getType()->isIntOrIntVectorTy()) return HalfOf(loaded);
  return loaded;
}

// As words: bool 0 or all ones, a half in the low bits.
Value Emitter::ToMemory(Value value, ir::TypeId scalar) {
  llvm::Type* words = value->getType()->getWithNewType(b_.getInt32Ty());
  if (value->getType()->isIntegerTy(1)) return b_.CreateSExt(value, words);
  if (scalar == ir_.types.F16()) {
    return b_.CreateZExt(b_.CreateBitCast(value, value->getType()->getWithNewType(b_.getInt16Ty())), words);
  }
  return value;
}

LaneValue Emitter::Load(ir::ValueId pointer) {
  const Place place = Resolve(pointer);
  return LoadPlace(place, place.type);
}

LaneValue Emitter::LoadPlace(const Place& place, ir::TypeId type) {
  const std::vector<Leaf>& leaves = shared_.Leaves(type);
  const Access access = Classify(place);
  LaneValue result;
  if (access.kind == Access::Kind::kUniform) {
    for (const Leaf& leaf : leaves) {
      if (place.layout == Layout::kRows) {
        Parts parts;
        for (uint32_t p = 0; p < part_count(); ++p) {
          const Value address = UniformAddress(place, (leaf.word * lanes() + p * native()) * 4);
          llvm::Type* row = shared_.Vector(MemoryType(leaf.scalar, true));
          parts.push_back(
              FromMemory(Annotate(b_.CreateAlignedLoad(row, address, llvm::Align(4)), place), leaf.scalar));
        }
        result.push_back(Component::Varying(std::move(parts)));
        continue;
      }
      const uint32_t offset = place.layout == Layout::kWords ? leaf.word * 4 : leaf.offset;
      result.push_back(Component::Uniform(LoadScalarAt(place, UniformAddress(place, offset), leaf.scalar)));
    }
    return result;
  }
  Parts parts;
  if (access.kind == Access::Kind::kVarying) {
    parts = LoadGather(place, leaves, kernel_.partial);
  } else if (access.fits == nullptr && !kernel_.partial) {
    parts = LoadAffine(place, access, leaves);
  } else {  // at the end of a buffer, or in the last group: rare
    const Value all = AllValid();
    const Value fits = access.fits == nullptr ? all : b_.CreateAnd(all, access.fits);
    parts = Choose(
        fits, [&] { return LoadAffine(place, access, leaves); },
        [&] { return LoadLaneByLane(place, leaves, kernel_.partial); });
  }
  for (size_t i = 0; i < leaves.size(); ++i) {
    result.push_back(
        Component::Varying(Parts(parts.begin() + i * part_count(), parts.begin() + (i + 1) * part_count())));
  }
  return result;
}

// A uniform value of `scalar`.
Value Emitter::LoadScalarAt(const Place& place, Value address, ir::TypeId scalar) {
  llvm::Type* type = MemoryType(scalar, place.layout != Layout::kBytes);
  const llvm::Align align(type->isHalfTy() ? 2 : 4);
  const Value loaded = Annotate(b_.CreateAlignedLoad(type, address, align), place);
  if (ir_.types.IsBool(scalar)) return b_.CreateICmpNE(loaded, U32(0));
  return FromMemory(loaded, scalar);
}

Parts Emitter::LoadAffine(const Place& place, const Access& access, const std::vector<Leaf>& leaves) {
  const std::vector<uint32_t> chunks = ChunksOf(place, leaves);
  if (!chunks.empty()) {
    return LoadChunks(place, leaves, chunks, [&](uint32_t lane, uint32_t offset) {
      return LaneAddress(place, access, Lane{lane}, offset - place.constant);
    });
  }
  Parts parts;
  for (const Leaf& leaf : leaves) {
    const uint32_t offset = place.constant + (place.layout == Layout::kWords ? leaf.word * 4 : leaf.offset);
    llvm::Type* type = MemoryType(leaf.scalar, place.layout != Layout::kBytes);
    const uint32_t size = type->isHalfTy() ? 2 : 4;
    for (uint32_t p = 0; p < part_count(); ++p) {
      if (access.stride == size) {
        const Value address = Address(place.base, access.first, offset + p * native() * size);
        parts.push_back(FromMemory(
            Annotate(b_.CreateAlignedLoad(shared_.Vector(type), address, llvm::Align(size)), place),
            leaf.scalar));
        continue;
      }
      Value vector = llvm::PoisonValue::get(shared_.Vector(type));
      for (uint32_t i = 0; i < native(); ++i) {
        const Value address = LaneAddress(place, access, Lane{p * native() + i}, offset - place.constant);
        vector =
            InsertLane(vector, Annotate(b_.CreateAlignedLoad(type, address, llvm::Align(size)), place), i);
      }
      parts.push_back(FromMemory(vector, leaf.scalar));
    }
  }
  return parts;
}

Parts Emitter::LoadGather(const Place& place, const std::vector<Leaf>& leaves, bool mask_invalid) {
  const Component valid = mask_invalid ? ValidLanes() : Component();
  const std::vector<uint32_t> chunks = ChunksOf(place, leaves);
  if (!chunks.empty()) {
    Parts offsets;
    for (uint32_t p = 0; p < part_count(); ++p) {
      const Value all = OffsetVector(place, p);
      offsets.push_back(mask_invalid ? b_.CreateAnd(all, Part(valid, p)) : all);
    }
    return LoadChunks(place, leaves, chunks, [&](uint32_t lane, uint32_t offset) {
      const Value bytes =
          b_.CreateZExt(ExtractLane(offsets[lane / native()], lane % native()), b_.getInt64Ty());
      return Address(place.base, bytes, offset);
    });
  }
  Parts parts(leaves.size() * part_count());
  const uint32_t row = lanes() * 4;
  for (uint32_t p = 0; p < part_count(); ++p) {
    Value offsets = OffsetVector(place, p);
    if (mask_invalid) offsets = b_.CreateAnd(offsets, Part(valid, p));
    for (size_t i = 0; i < leaves.size(); ++i) {
      uint32_t constant = 0;
      switch (place.layout) {
        case Layout::kBytes:
          constant = place.constant + leaves[i].offset;
          break;
        case Layout::kWords:
          constant = place.constant + leaves[i].word * 4;
          break;
        case Layout::kRows:
          constant = (place.constant + leaves[i].word) * row;
          break;
      }
      parts[i * part_count() + p] = GatherPart(place, offsets, constant, leaves[i].scalar);
    }
  }
  return parts;
}

// As LoadGather, in a loop.
Parts Emitter::LoadLaneByLane(const Place& place, const std::vector<Leaf>& leaves, bool mask_invalid) {
  if (lanes() * leaves.size() <= 4) return LoadGather(place, leaves, mask_invalid);
  const Component valid = mask_invalid ? ValidLanes() : Component();
  llvm::SmallVector<Value, 4> rows;
  for (size_t i = 0; i < leaves.size(); ++i) rows.push_back(Alloca(uint64_t{lanes()} * 4, 64));
  Parts offsets;
  for (uint32_t p = 0; p < part_count(); ++p) {
    const Value all = OffsetVector(place, p);
    offsets.push_back(mask_invalid ? b_.CreateAnd(all, Part(valid, p)) : all);
  }
  const Component offset = Component::Varying(std::move(offsets));
  const auto type_of = [&](const Leaf& leaf) {
    return MemoryType(leaf.scalar, place.layout != Layout::kBytes);
  };
  const auto align_of = [&](llvm::Type* type) { return llvm::Align(type->isHalfTy() ? 2 : 4); };
  LaneLoop(nullptr, [&](const Lane& lane) {
    const Value bytes = b_.CreateZExt(LaneOf(offset, lane), b_.getInt64Ty());
    for (size_t i = 0; i < leaves.size(); ++i) {
      llvm::Type* type = type_of(leaves[i]);
      const Value address =
          Address(place.base, bytes,
                  place.constant + (place.layout == Layout::kWords ? leaves[i].word * 4 : leaves[i].offset));
      const Value word = Annotate(b_.CreateAlignedLoad(type, address, align_of(type)), place);
      b_.CreateAlignedStore(word, RowOfWords(rows[i], type, lane.dynamic), align_of(type));
    }
  });
  Parts parts;
  for (size_t i = 0; i < leaves.size(); ++i) {
    llvm::Type* type = type_of(leaves[i]);
    for (uint32_t p = 0; p < part_count(); ++p) {
      const Value at = b_.CreateConstInBoundsGEP1_32(type, rows[i], p * native());
      parts.push_back(
          FromMemory(b_.CreateAlignedLoad(shared_.Vector(type), at, align_of(type)), leaves[i].scalar));
    }
  }
  return parts;
}

Value Emitter::GatherPart(const Place& place, Value offsets, uint32_t constant, ir::TypeId scalar) {
  llvm::Type* type = MemoryType(scalar, place.layout != Layout::kBytes);
  const Value base = Address(place.base, nullptr, constant);
  Value vector = llvm::PoisonValue::get(shared_.Vector(type));
  for (uint32_t i = 0; i < native(); ++i) {
    const Value offset = b_.CreateZExt(ExtractLane(offsets, i), b_.getInt64Ty());
    llvm::LoadInst* load = b_.CreateAlignedLoad(type, b_.CreateGEP(b_.getInt8Ty(), base, offset),
                                                llvm::Align(type->isHalfTy() ? 2 : 4));
    vector = InsertLane(vector, Annotate(load, place), i);
  }
  return FromMemory(vector, scalar);
}

// Says which memory an access cannot touch, and that read-only memory does not change.
template <typename T>
T* Emitter::Annotate(T* inst, const Place& place) {
  if (place.scope != nullptr) {
    inst->setMetadata(llvm::LLVMContext::MD_alias_scope, llvm::MDNode::get(b_.getContext(), {place.scope}));
    shared_.accesses_.push_back({inst, place.scope});
  }
  if (place.read_only && llvm::isa<llvm::LoadInst>(inst)) {
    inst->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(b_.getContext(), {}));
  }
  return inst;
}
template llvm::LoadInst* Emitter::Annotate(llvm::LoadInst*, const Place&);
template llvm::StoreInst* Emitter::Annotate(llvm::StoreInst*, const Place&);
template llvm::CallInst* Emitter::Annotate(llvm::CallInst*, const Place&);
template llvm::AtomicRMWInst* Emitter::Annotate(llvm::AtomicRMWInst*, const Place&);
template llvm::AtomicCmpXchgInst* Emitter::Annotate(llvm::AtomicCmpXchgInst*, const Place&);

}  // namespace lockstep::codegen
