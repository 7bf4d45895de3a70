// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Pointers: an `access` chain is followed to its root each time something is done with it, and becomes a
// Place.
//
// Where a `var` lives: on the stack where its address is known everywhere (LLVM then keeps it in registers),
// in the frame where it lives across a barrier, and in scratch memory behind the frame where it is large and
// indexed.
#include "codegen/llvm/emitter.h"
#include "llvm/IR/Constants.h"

namespace lockstep::codegen {

using llvm::ArrayRef;
using Value = llvm::Value*;

namespace {
constexpr uint64_t kVarScope = uint64_t{2} << 40;
constexpr uint64_t kBufferScope = uint64_t{3} << 40;
constexpr uint64_t kWorkgroupScope = uint64_t{4} << 40;
constexpr uint64_t kMaxStackVar =
    2048;  // bytes of a variable with computed indices that may lie on the stack
}  // namespace

Place Emitter::Resolve(ir::ValueId pointer) {
  const ir::InstId inst = ir_.defining_inst(pointer);
  if (!inst.has_value() || ir_.insts[inst].op != ir::Op::kAccess) return RootPlace(pointer);
  const auto operands = ir_.operands(inst);
  Place place = Resolve(operands[0]);
  for (size_t i = 1; i < operands.size(); ++i) Step(&place, operands[i]);
  return place;
}

// Into part `index` of what lies there.
void Emitter::Step(Place* place, ir::ValueId index) {
  const ir::TypeId type = place->type;
  const ir::Type& row = ir_.types[type];
  const bool words = place->layout != Layout::kBytes;
  const uint32_t word_bytes = place->layout == Layout::kWords ? 4 : 1;
  uint32_t constant = 0;
  const bool is_constant = ir_.ConstantScalar(index, &constant);
  if (row.kind == ir::TypeKind::kStruct) {
    CHECK(is_constant);
    if (words) {
      for (uint32_t i = 0; i < constant; ++i) {
        place->constant += ir_.types.ScalarCount(ir_.types.PartType(type, i)) * word_bytes;
      }
    } else {
      place->constant += ir_.types.PartOffset(type, constant);
    }
    place->type = ir_.types.PartType(type, constant);
    return;
  }
  const ir::TypeId element =
      row.kind == ir::TypeKind::kRuntimeArray ? row.element : ir_.types.PartType(type, 0);
  uint32_t stride = row.stride;
  if (words) {
    stride = ir_.types.ScalarCount(element) * word_bytes;
  } else if (stride == 0) {
    stride = ir_.types.PartOffset(type, 1);
  }
  place->type = element;
  if (is_constant && uint64_t{constant} * stride + place->constant < (uint64_t{1} << 31)) {
    place->constant += constant * stride;
    return;
  }
  place->terms.push_back({Get(index)[0], stride});
}

Place Emitter::RootPlace(ir::ValueId root) {
  const auto param = pointer_params_.find(root.index);
  if (param != pointer_params_.end()) {
    if (!has_regions_) return param->second;
    Place place = param->second;
    if (place.in_frame != nullptr && level_ == Level::kGroup)
      place.base = b_.CreateInBoundsGEP(b_.getInt8Ty(), GroupFrame(), place.in_frame);
    place.terms.push_back({Get(root)[0], 1});
    return place;
  }
  const ir::Value& value = ir_.value(root);
  const ir::TypeId type = ir_.types.Pointee(value.type);
  if (value.kind != ir::ValueKind::kVariable) return VarPlace(root, type);
  const ir::VariableId id(value.owner);
  const ir::Variable& variable = ir_.variables[id];
  Place place;
  place.type = type;
  switch (variable.space) {
    case ir::AddressSpace::kPrivate:
    case ir::AddressSpace::kFunction:
      return VarPlace(root, type);
    case ir::AddressSpace::kWorkgroup: {
      const Value memory = WorkerField(offsetof(abi::Worker, workgroup_memory), "workgroup");
      place.base = b_.CreateConstInBoundsGEP1_32(b_.getInt8Ty(), memory, kernel_.workgroup_offsets.Get(id));
      place.scope = shared_.ScopeOf(kWorkgroupScope + id.index);
      return place;
    }
    case ir::AddressSpace::kUniform:
    case ir::AddressSpace::kStorage: {
      const uint32_t slot = shared_.slots_[id.index];
      const Buffer& buffer = BufferOf(slot);
      place.base = buffer.data;
      place.size = buffer.size;
      place.read_only = variable.space == ir::AddressSpace::kUniform || variable.access == ir::Access::kRead;
      place.shared = !place.read_only;
      place.scope = shared_.ScopeOf(kBufferScope + slot);
      return place;
    }
    case ir::AddressSpace::kHandle:
      break;
  }
  UNREACHABLE("address space");
}

// A `var` or private variable.
Place Emitter::VarPlace(ir::ValueId pointer, ir::TypeId type) {
  Place place;
  place.type = type;
  const Placement placement = kernel_.placements.Get(pointer);
  const bool uniform = kernel_.shapes.Get(pointer).uniform();
  place.layout = uniform ? Layout::kWords : Layout::kRows;
  if (placement.home == Home::kUniformSlot || placement.home == Home::kGroupSlot) {
    place.in_frame = b_.getInt64(placement.offset);
    if (level_ == Level::kGroup) place.base = SlotAddress(placement, 0, 0);
    place.scope = shared_.ScopeOf(kFrameScope);
    return place;
  }
  Value& memory = var_memory_[pointer.index];
  if (memory == nullptr) {
    const uint64_t bytes = uint64_t{ir_.types.ScalarCount(type)} * 4 * (uniform ? 1 : lanes());
    if (bytes > kMaxStackVar && NeedsMemory(pointer)) {
      const uint64_t offset = shared_.AllocateScratch(bytes);
      const Value frame = WorkerField(offsetof(abi::Worker, frame), "frame");
      memory = InEntry([&] { return b_.CreateInBoundsGEP(b_.getInt8Ty(), frame, b_.getInt64(offset)); });
    } else {
      memory = Alloca(bytes, 64);
    }
  }
  place.base = memory;
  place.scope = shared_.ScopeOf(kVarScope + (uint64_t{id_.index} << 20) + pointer.index);
  return place;
}

// Some access of it has an index that is no constant, or its address goes to a function.
bool Emitter::NeedsMemory(ir::ValueId var) const {
  bool found = false;
  const auto root_of = [&](ir::ValueId pointer, bool* computed) {
    for (ir::InstId inst = ir_.defining_inst(pointer);
         inst.has_value() && ir_.insts[inst].op == ir::Op::kAccess; inst = ir_.defining_inst(pointer)) {
      for (size_t i = 1; i < ir_.operands(inst).size(); ++i)
        *computed |= !ir_.is_constant(ir_.operands(inst)[i]);
      pointer = ir_.operands(inst)[0];
    }
    return pointer;
  };
  ir::ForEachInst(ir_, ir_.functions[id_].body, [&](ir::InstId inst) {
    if (found || ir_.insts[inst].op == ir::Op::kAccess) return;
    for (const ir::ValueId operand : ir_.operands(inst)) {
      if (!ir_.types.IsPointer(ir_.type_of(operand))) continue;
      bool computed = ir_.insts[inst].op == ir::Op::kCall;
      if (root_of(operand, &computed) == var && computed) found = true;
    }
  });
  return found;
}

// Starts as zero, in lanes that are masked off too: no value is ever undefined, whatever LLVM makes of the
// code.
void Emitter::DeclareVar(ir::InstId inst) {
  const ir::ValueId pointer = ir_.result(inst);
  ZeroFill(Resolve(pointer), ir_.types.Pointee(ir_.type_of(pointer)), Guard());
}

Value Emitter::Address(Value base, Value offset, uint32_t constant) {
  if (offset != nullptr) base = b_.CreateGEP(b_.getInt8Ty(), base, offset);
  if (constant != 0) base = b_.CreateGEP(b_.getInt8Ty(), base, b_.getInt64(constant));
  return base;
}

// Where every lane's offset is the same. Offsets of accesses that happen are not negative.
Value Emitter::UniformAddress(const Place& place, uint32_t offset) {
  const uint32_t scale = place.layout == Layout::kRows ? lanes() * 4 : 1;
  Value total = nullptr;
  for (const Place::Term& term : place.terms) {
    const Value index = b_.CreateZExt(term.index.scalar, b_.getInt64Ty(), "", /*IsNonNeg=*/true);
    const Value bytes = b_.CreateMul(index, b_.getInt64(uint64_t{term.stride} * scale), "", true, true);
    total = total == nullptr ? bytes : b_.CreateAdd(total, bytes, "", true, true);
  }
  return Address(place.base, total, place.constant * scale + offset);
}

// The sum of all terms as a vector of 32-bit offsets (kRows: in bytes too, the lane's own column included).
Value Emitter::OffsetVector(const Place& place, uint32_t part) {
  const uint32_t scale = place.layout == Layout::kRows ? lanes() * 4 : 1;
  Value total = place.layout == Layout::kRows ? Iota(part, 4) : nullptr;
  for (const Place::Term& term : place.terms) {
    const Value index = Part(term.index, part);
    const uint32_t stride = term.stride * scale;
    const Value bytes =
        stride == 1 ? index : b_.CreateMul(index, llvm::ConstantInt::get(index->getType(), stride));
    total = total == nullptr ? bytes : b_.CreateAdd(total, bytes);
  }
  return total;
}

Access Emitter::Classify(const Place& place) {
  Access access;
  const Place::Term* clamped = nullptr;
  uint32_t varying = 0;
  for (const Place::Term& term : place.terms) {
    if (term.index.uniform()) continue;
    if (term.index.affine()) {
      access.stride += int64_t{term.index.stride} * term.stride;
      access.kind = Access::Kind::kAffine;
      continue;
    }
    ++varying;
    clamped = &term;
  }
  const bool only_clamped = varying == 1 && clamped->index.clamped() && access.kind == Access::Kind::kUniform;
  if (varying > 0 && !only_clamped) access.kind = Access::Kind::kVarying;
  // A clamped index alone left the kind uniform: in rows it differs by lane all the same.
  if (place.layout == Layout::kRows && (varying > 0 || access.kind != Access::Kind::kUniform)) {
    access.kind = Access::Kind::kVarying;
  }
  if (access.kind == Access::Kind::kUniform && varying == 0) return access;
  if (access.kind == Access::Kind::kVarying) return access;
  // Lane 0's offset. Its index may be "negative" where lane 0 itself does not act: sign-extended.
  for (const Place::Term& term : place.terms) {
    const bool is_clamped = &term == clamped;
    const Value lane0 = is_clamped ? term.index.clamp_base : term.index.scalar;
    const Value bytes = b_.CreateMul(b_.CreateSExt(lane0, b_.getInt64Ty()), b_.getInt64(term.stride));
    access.first = access.first == nullptr ? bytes : b_.CreateAdd(access.first, bytes);
  }
  if (only_clamped) {
    const Component& index = clamped->index;
    access.kind = Access::Kind::kClamped;
    access.stride = int64_t{index.stride} * clamped->stride;
    // The clamp does nothing in any lane: no wrap-around from the first lane to the last, and both ends below
    // the bound.
    const Value last =
        b_.CreateAdd(index.clamp_base, U32((lanes() - 1) * static_cast<uint32_t>(index.stride)));
    const Value low = index.stride > 0 ? index.clamp_base : last;
    const Value high = index.stride > 0 ? last : index.clamp_base;
    access.fits = b_.CreateAnd(b_.CreateICmpULE(low, high), b_.CreateICmpULE(high, index.clamp_bound));
  }
  return access;
}

// The lanes that are invocations. Others run loads too, with indices that nothing has checked.
Component Emitter::ValidLanes() {
  if (!kernel_.partial) return Component::Uniform(b_.getInt1(true));
  return has_groups_ ? LaneMask() : mask_parameter_[0];
}

Value Emitter::AllValid() {
  if (!kernel_.partial) return b_.getInt1(true);
  if (has_groups_) return b_.CreateICmpULT(group_, U32(ir_.invocations() / lanes()));
  return AllLanes(mask_parameter_[0]);
}

void Emitter::PassPointer(const Place& place, const Shape& shape, llvm::SmallVectorImpl<Value>* args) {
  args->push_back(place.base);
  args->push_back(place.size != nullptr ? place.size : b_.getInt64(0));
  const Component offset = PassedOffset(place, shape);
  if (offset.uniform())
    args->push_back(offset.scalar);
  else
    args->append(offset.parts.begin(), offset.parts.end());
}

// Of what it points to from the place's base: bytes, or words of a lane.
Component Emitter::PassedOffset(const Place& place, const Shape& shape) {
  Place total = place;
  total.terms.push_back({Component::Uniform(U32(place.constant)), 1});
  total.constant = 0;
  if (shape.uniform()) {
    Value sum = nullptr;
    for (const Place::Term& term : total.terms) {
      const Value offset = b_.CreateMul(Scalar(term.index), U32(term.stride));
      sum = sum == nullptr ? offset : b_.CreateAdd(sum, offset);
    }
    return Component::Uniform(sum);
  }
  // Words of a lane, not bytes, where the layout is rows: OffsetVector would add the lane's column.
  total.layout = Layout::kBytes;
  Parts parts;
  for (uint32_t p = 0; p < part_count(); ++p) parts.push_back(OffsetVector(total, p));
  return Component::Varying(std::move(parts));
}

LaneValue Emitter::ArrayLength(ir::ValueId pointer) {
  const Place place = Resolve(pointer);
  Value before = b_.getInt64(place.constant);
  for (const Place::Term& term : place.terms) {
    before = b_.CreateAdd(
        before, b_.CreateMul(b_.CreateZExt(Scalar(term.index), b_.getInt64Ty()), b_.getInt64(term.stride)));
  }
  const Value bytes = b_.CreateTrunc(b_.CreateSub(place.size, before), b_.getInt32Ty());
  return {Component::Uniform(b_.CreateUDiv(bytes, U32(ir_.types[place.type].stride)))};
}

}  // namespace lockstep::codegen
