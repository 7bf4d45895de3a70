// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Stores. Where lanes race for one address the last acting one wins, as if lanes ran one after the other.
// A guard that differs by lane is tested once for the group: mostly all lanes act, and a plain vector store
// does.
#include "codegen/llvm/emitter.h"
#include "llvm/IR/Constants.h"

namespace lockstep::codegen {

using llvm::ArrayRef;
using Value = llvm::Value*;

Emitter::Guard Emitter::GuardOf(ArrayRef<ir::ValueId> operands, size_t index) {
  Guard guard;
  if (operands.size() <= index) return guard;
  const Component c = Get(operands[index])[0];
  if (!c.uniform()) {
    guard.kind = Guard::Kind::kVarying;
    guard.mask = c;
    return guard;
  }
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(c.scalar);
  if (constant != nullptr && constant->isOne()) return guard;
  guard.kind = Guard::Kind::kUniform;
  guard.condition = c.scalar;
  return guard;
}

void Emitter::Store(ir::InstId inst) {
  const auto operands = ir_.operands(inst);
  const Place place = Resolve(operands[0]);
  StorePlace(place, place.type, Get(operands[1]), GuardOf(ArrayRef(operands.data(), operands.size()), 2));
}

// A store to lanes' own memory need not have the lanes that are no invocations in its guard, but the indices
// that those hold nothing has checked: where addresses differ by lane they must not act.
Emitter::Guard Emitter::OnlyInvocations(const Place& place, const Guard& guard) {
  if (!kernel_.partial || place.layout != Layout::kRows) return guard;
  Guard valid;
  valid.kind = Guard::Kind::kVarying;
  valid.mask = ValidLanes();
  if (guard.kind != Guard::Kind::kVarying) return valid;
  for (uint32_t p = 0; p < part_count(); ++p) {
    valid.mask.parts[p] = b_.CreateAnd(Part(valid.mask, p), Part(guard.mask, p));
  }
  return valid;
}

void Emitter::StorePlace(const Place& place, ir::TypeId type, const LaneValue& value, const Guard& guard) {
  const std::vector<Leaf>& leaves = shared_.Leaves(type);
  CHECK(leaves.size() == value.size());
  const Access access = Classify(place);
  if (access.kind == Access::Kind::kUniform && place.layout == Layout::kRows) {
    for (size_t i = 0; i < leaves.size(); ++i) StoreRow(place, leaves[i], value[i], guard);
    return;
  }
  if (guard.kind == Guard::Kind::kUniform) {
    Guarded(guard.condition, [&] { StorePlace(place, type, value, Guard()); });
    return;
  }
  if (access.kind == Access::Kind::kUniform) {
    StoreUniform(place, leaves, value, guard);
    return;
  }
  const Guard acting = OnlyInvocations(place, guard);
  // Robust access clamps the indices of stores that its guard already keeps in range: mostly the clamp does
  // nothing.
  Access fast = access;
  if (access.kind == Access::Kind::kClamped) fast.kind = Access::Kind::kAffine;
  const bool varying = acting.kind == Guard::Kind::kVarying;
  const Component* mask = varying ? &acting.mask : nullptr;
  Value plain = varying ? AllLanes(acting.mask) : nullptr;
  if (access.fits != nullptr) plain = plain == nullptr ? access.fits : b_.CreateAnd(plain, access.fits);
  if (plain == nullptr) {
    StoreVectors(place, fast, leaves, value, nullptr);
    return;
  }
  llvm::BasicBlock* all = NewBlock("store.all");
  llvm::BasicBlock* some = NewBlock("store.some");
  llvm::BasicBlock* done = NewBlock("stored");
  b_.CreateCondBr(plain, all, some);
  b_.SetInsertPoint(all);
  StoreVectors(place, fast, leaves, value, nullptr);
  b_.CreateBr(done);
  b_.SetInsertPoint(some);
  if (mask == nullptr) {
    const Component every = Component::Uniform(b_.getInt1(true));
    Scatter(place, access, leaves, value, &every);
  } else {
    StoreVectors(place, access, leaves, value, mask);
  }
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
}

// One address for the group.
void Emitter::StoreUniform(const Place& place, const std::vector<Leaf>& leaves, const LaneValue& value,
                           const Guard& guard) {
  const auto store = [&](Value lane) {
    for (size_t i = 0; i < leaves.size(); ++i) {
      const uint32_t offset = place.layout == Layout::kWords ? leaves[i].word * 4 : leaves[i].offset;
      Value scalar = lane == nullptr ? LaneOf(value[i], lanes() - 1) : LaneOfDynamic(value[i], lane);
      StoreScalarAt(place, UniformAddress(place, offset), scalar, leaves[i].scalar);
    }
  };
  if (guard.kind == Guard::Kind::kAlways) {
    store(nullptr);
    return;
  }
  Guarded(AnyLane(guard.mask), [&] {
    bool uniform = true;
    for (const Component& c : value) uniform &= c.uniform();
    if (uniform) {
      store(nullptr);
      return;
    }
    const Value bits = BitsOf(guard.mask);
    const unsigned width = bits->getType()->getIntegerBitWidth();
    const Value zeros =
        b_.CreateIntrinsic(llvm::Intrinsic::ctlz, {bits->getType()}, {bits, b_.getInt1(true)});
    store(b_.CreateSub(U32(width - 1), b_.CreateZExtOrTrunc(zeros, b_.getInt32Ty())));
  });
}

// A scalar (bool: i1 or mask) to a uniform address.
void Emitter::StoreScalarAt(const Place& place, Value address, Value value, ir::TypeId scalar) {
  if (ir_.types.IsBool(scalar)) value = value->getType()->isIntegerTy(1) ? ToMemory(value, scalar) : value;
  if (place.layout != Layout::kBytes) value = ToMemory(value, scalar);
  Annotate(b_.CreateAlignedStore(value, address, llvm::Align(value->getType()->isHalfTy() ? 2 : 4)), place);
}

// Lanes' own memory: lanes that do not act keep what they have, so that no branch stands in the way of
// registers.
void Emitter::StoreRow(const Place& place, const Leaf& leaf, const Component& value, const Guard& guard) {
  for (uint32_t p = 0; p < part_count(); ++p) {
    const Value address = UniformAddress(place, (leaf.word * lanes() + p * native()) * 4);
    Value row = ToMemory(Part(value, p), leaf.scalar);
    if (guard.kind != Guard::Kind::kAlways) {
      const Value old = Annotate(b_.CreateAlignedLoad(row->getType(), address, llvm::Align(4)), place);
      const Value condition =
          guard.kind == Guard::Kind::kUniform ? guard.condition : ToBits(guard.mask.parts[p]);
      row = b_.CreateSelect(condition, row, old);
    }
    Annotate(b_.CreateAlignedStore(row, address, llvm::Align(4)), place);
  }
}

// To addresses that differ by lane; where `mask` is given, not all lanes act.
void Emitter::StoreVectors(const Place& place, const Access& access, const std::vector<Leaf>& leaves,
                           const LaneValue& value, const Component* mask) {
  bool rows = access.kind == Access::Kind::kAffine;
  for (const Leaf& leaf : leaves) {
    llvm::Type* type = MemoryType(leaf.scalar, place.layout != Layout::kBytes);
    rows &= access.stride == 4 && !type->isHalfTy();
  }
  if (!rows) {
    Scatter(place, access, leaves, value, mask);
    return;
  }
  for (size_t i = 0; i < leaves.size(); ++i) {
    const uint32_t offset =
        place.constant + (place.layout == Layout::kWords ? leaves[i].word * 4 : leaves[i].offset);
    for (uint32_t p = 0; p < part_count(); ++p) {
      const Value address = Address(place.base, access.first, offset + p * native() * 4);
      Value row = Part(value[i], p);
      if (place.layout != Layout::kBytes) row = ToMemory(row, leaves[i].scalar);
      if (mask == nullptr) {
        Annotate(b_.CreateAlignedStore(row, address, llvm::Align(4)), place);
      } else if (native() == 1) {
        Guarded(ToBits(mask->parts[p]),
                [&] { Annotate(b_.CreateAlignedStore(row, address, llvm::Align(4)), place); });
      } else {
        Annotate(b_.CreateMaskedStore(row, address, llvm::Align(4), ToBits(mask->parts[p])), place);
      }
    }
  }
}

// The address of `lane`'s own element, `constant` bytes (kRows: of a lane's words, scaled) behind the place.
Value Emitter::LaneAddress(const Place& place, const Access& access, const Lane& lane, uint32_t constant) {
  const bool rows = place.layout == Layout::kRows;
  const uint32_t scale = rows ? lanes() * 4 : 1;
  if (access.kind == Access::Kind::kUniform) return UniformAddress(place, constant);
  if (access.kind == Access::Kind::kAffine && lane.dynamic == nullptr) {
    // Lanes that write have offsets in range; those of others may wrap around.
    const uint64_t offset =
        uint64_t{place.constant} + constant + static_cast<uint64_t>(access.stride) * lane.index;
    const Value address = b_.CreateGEP(b_.getInt8Ty(), place.base, access.first);
    return offset == 0 ? address : b_.CreateGEP(b_.getInt8Ty(), address, b_.getInt64(offset));
  }
  if (access.kind == Access::Kind::kAffine) {
    const Value ahead = b_.CreateMul(b_.CreateZExt(lane.dynamic, b_.getInt64Ty()),
                                     b_.getInt64(static_cast<uint64_t>(access.stride)));
    return Address(place.base, b_.CreateAdd(access.first, ahead), place.constant + constant);
  }
  Value offset = nullptr;
  if (lane.dynamic == nullptr) {
    offset = ExtractLane(OffsetVector(place, lane.index / native()), lane.index % native());
  } else {
    offset = rows ? b_.CreateMul(lane.dynamic, U32(4)) : U32(0);
    for (const Place::Term& term : place.terms) {
      offset = b_.CreateAdd(offset, b_.CreateMul(LaneOf(term.index, lane), U32(term.stride * scale)));
    }
  }
  return Address(place.base, b_.CreateZExt(offset, b_.getInt64Ty()), place.constant * scale + constant);
}

void Emitter::Scatter(const Place& place, const Access& access, const std::vector<Leaf>& leaves,
                      const LaneValue& value, const Component* mask) {
  const auto store = [&](const Lane& lane) {
    for (size_t i = 0; i < leaves.size(); ++i) {
      uint32_t offset = leaves[i].offset;
      if (place.layout == Layout::kWords) offset = leaves[i].word * 4;
      if (place.layout == Layout::kRows) offset = leaves[i].word * lanes() * 4;
      StoreScalarAt(place, LaneAddress(place, access, lane, offset), LaneOf(value[i], lane),
                    leaves[i].scalar);
    }
  };
  const std::vector<uint32_t> chunks = ChunksOf(place, leaves);
  if (mask == nullptr && FillsChunks(place, leaves, chunks)) {
    StoreChunks(place, leaves, chunks, value, [&](uint32_t lane, uint32_t offset) {
      return LaneAddress(place, access, Lane{lane}, offset - place.constant);
    });
  } else if (mask == nullptr) {
    for (uint32_t lane = 0; lane < lanes(); ++lane) store(Lane{lane});
  } else {
    LaneLoop(BitsOf(*mask), store);
  }
}

void Emitter::ForElements(uint32_t count, llvm::function_ref<void(Value index)> each) {
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::BasicBlock* loop = NewBlock("element");
  llvm::BasicBlock* done = NewBlock("elements.done");
  b_.CreateBr(loop);
  b_.SetInsertPoint(loop);
  llvm::PHINode* index = b_.CreatePHI(b_.getInt32Ty(), 2);
  index->addIncoming(U32(0), before);
  each(index);
  const Value next = b_.CreateAdd(index, U32(1), "", true, true);
  index->addIncoming(next, b_.GetInsertBlock());
  DoNotUnroll(b_.CreateCondBr(b_.CreateICmpULT(next, U32(count)), loop, done));
  b_.SetInsertPoint(done);
}

namespace {
constexpr uint32_t kMaxUnrolledScalars = 64;
}  // namespace

// Parts of what lies at a place, each as a place: members one by one, elements of arrays in a loop.
void Emitter::ForParts(ir::TypeId type, llvm::ArrayRef<const Place*> places,
                       llvm::function_ref<void(ir::TypeId, llvm::ArrayRef<Place>)> each) {
  const ir::Type& row = ir_.types[type];
  const auto scale = [&](const Place& place) { return place.layout == Layout::kWords ? 4u : 1u; };
  if (row.kind == ir::TypeKind::kArray) {
    ForElements(row.count, [&](Value index) {
      llvm::SmallVector<Place, 2> parts;
      for (const Place* place : places) {
        parts.push_back(*place);
        const uint32_t stride =
            place->layout == Layout::kBytes ? row.stride : ir_.types.ScalarCount(row.element) * scale(*place);
        parts.back().terms.push_back({Component::Uniform(index), stride});
        parts.back().type = row.element;
      }
      each(row.element, parts);
    });
    return;
  }
  uint32_t word = 0;
  for (uint32_t i = 0; i < ir_.types.PartCount(type); ++i) {
    const ir::TypeId part = ir_.types.PartType(type, i);
    llvm::SmallVector<Place, 2> parts;
    for (const Place* place : places) {
      parts.push_back(*place);
      parts.back().constant +=
          place->layout == Layout::kBytes ? ir_.types.PartOffset(type, i) : word * scale(*place);
      parts.back().type = part;
    }
    word += ir_.types.ScalarCount(part);
    each(part, parts);
  }
}

void Emitter::Copy(const Place& to, const Place& from, ir::TypeId type, const Guard& guard) {
  if (ir_.types.ScalarCount(type) <= kMaxUnrolledScalars) {
    StorePlace(to, type, LoadPlace(from, type), guard);
    return;
  }
  ForParts(type, {&to, &from},
           [&](ir::TypeId part, ArrayRef<Place> places) { Copy(places[0], places[1], part, guard); });
}

void Emitter::ZeroFill(const Place& place, ir::TypeId type, const Guard& guard) {
  const uint32_t scalars = ir_.types.ScalarCount(type);
  const bool rows = place.layout == Layout::kRows;
  if (scalars > kMaxUnrolledScalars && place.layout != Layout::kBytes && guard.kind == Guard::Kind::kAlways &&
      Classify(place).kind == Access::Kind::kUniform) {
    const uint64_t bytes = uint64_t{scalars} * 4 * (rows ? lanes() : 1);
    Annotate(b_.CreateMemSet(UniformAddress(place, 0), b_.getInt8(0), bytes, llvm::Align(4)), place);
    return;
  }
  if (scalars <= kMaxUnrolledScalars) {
    LaneValue zeros;
    for (const Leaf& leaf : shared_.Leaves(type)) {
      zeros.push_back(Component::Uniform(llvm::Constant::getNullValue(shared_.ScalarType(leaf.scalar))));
    }
    StorePlace(place, type, zeros, guard);
    return;
  }
  ForParts(type, {&place},
           [&](ir::TypeId part, ArrayRef<Place> places) { ZeroFill(places[0], part, guard); });
}

}  // namespace lockstep::codegen
