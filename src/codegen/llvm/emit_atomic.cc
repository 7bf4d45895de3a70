// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Atomics. A workgroup runs on one thread, so its own memory needs no lock: plain loads and stores, lane
// after lane. Storage memory is shared with other threads: real atomic instructions, relaxed as WGSL's are.
//
//   one address, old value unused    the lanes are reduced first: one operation a group
//   one address, add                 one operation; lane i's old value adds what the lanes before it added
//   otherwise                        lane after lane, skipping those that do not act
#include "abi/random.h"
#include "codegen/llvm/emitter.h"
#include "llvm/IR/Constants.h"

namespace lockstep::codegen {

using ir::AtomicOp;
using llvm::ArrayRef;
using Value = llvm::Value*;

namespace {
constexpr auto kRelaxed = llvm::AtomicOrdering::Monotonic;
}  // namespace

LaneValue Emitter::ForActingLanes(const Guard& guard, uint32_t results,
                                  llvm::function_ref<llvm::SmallVector<Value, 2>(const Lane& lane)> act) {
  const auto all_lanes = [&] {
    std::vector<llvm::SmallVector<Value, 16>> words(results);
    for (uint32_t lane = 0; lane < lanes(); ++lane) {
      const llvm::SmallVector<Value, 2> got = act(Lane{lane});
      for (uint32_t r = 0; r < results; ++r) words[r].push_back(got[r]);
    }
    Parts parts;
    for (uint32_t r = 0; r < results; ++r) parts.append(FromLanes(words[r], b_.getInt32Ty()).parts);
    return parts;
  };
  llvm::Type* row = shared_.Vector(b_.getInt32Ty());
  const auto none = [&] { return Parts(results * part_count(), llvm::Constant::getNullValue(row)); };
  // Results go through memory; lanes that do not act get 0.
  const auto some_lanes = [&] {
    llvm::SmallVector<Value, 2> rows;
    const auto at = [&](uint32_t r, uint32_t p) {
      return b_.CreateConstInBoundsGEP1_32(b_.getInt32Ty(), rows[r], p * native());
    };
    for (uint32_t r = 0; r < results; ++r) {
      rows.push_back(Alloca(uint64_t{lanes()} * 4, 64));
      for (uint32_t p = 0; p < part_count(); ++p) {
        b_.CreateAlignedStore(llvm::Constant::getNullValue(row), at(r, p), llvm::Align(4));
      }
    }
    LaneLoop(BitsOf(guard.mask), [&](const Lane& lane) {
      const llvm::SmallVector<Value, 2> got = act(lane);
      for (uint32_t r = 0; r < results; ++r) {
        b_.CreateAlignedStore(got[r], RowOfWords(rows[r], b_.getInt32Ty(), lane.dynamic), llvm::Align(4));
      }
    });
    Parts parts;
    for (uint32_t r = 0; r < results; ++r) {
      for (uint32_t p = 0; p < part_count(); ++p)
        parts.push_back(b_.CreateAlignedLoad(row, at(r, p), llvm::Align(4)));
    }
    return parts;
  };
  Parts parts;
  if (guard.kind == Guard::Kind::kAlways) {
    parts = all_lanes();
  } else if (guard.kind == Guard::Kind::kUniform) {
    parts = Choose(guard.condition, all_lanes, none);
  } else {
    parts = Choose(AllLanes(guard.mask), all_lanes, some_lanes);
  }
  LaneValue value;
  for (uint32_t r = 0; r < results; ++r) {
    value.push_back(
        Component::Varying(Parts(parts.begin() + r * part_count(), parts.begin() + (r + 1) * part_count())));
  }
  return value;
}

LaneValue Emitter::AtomicLoad(ir::InstId inst) {
  const auto operands = ir_.operands(inst);
  const Place place = Resolve(operands[0]);
  const Guard guard = GuardOf(ArrayRef(operands.data(), operands.size()), 1);
  const Access access = Classify(place);
  const auto load = [&](const Lane& lane) -> llvm::SmallVector<Value, 2> {
    llvm::LoadInst* word =
        b_.CreateAlignedLoad(b_.getInt32Ty(), LaneAddress(place, access, lane, 0), llvm::Align(4));
    if (place.shared) word->setAtomic(kRelaxed);
    return {Annotate(word, place)};
  };
  if (access.kind != Access::Kind::kUniform) return ForActingLanes(guard, 1, load);
  if (guard.kind == Guard::Kind::kAlways) return {Component::Uniform(load(Lane{})[0])};
  // One load for the group; lanes that do not act get 0.
  const Value any = guard.kind == Guard::Kind::kUniform ? guard.condition : AnyLane(guard.mask);
  const Component word = Component::Uniform(Choose(
      any, [&] { return Parts{load(Lane{})[0]}; }, [&] { return Parts{U32(0)}; })[0]);
  if (guard.kind == Guard::Kind::kUniform) return {word};
  return {SelectComponent(guard.mask, word, Component::Uniform(U32(0)))};
}

void Emitter::AtomicStore(ir::InstId inst) {
  const auto operands = ir_.operands(inst);
  const Place place = Resolve(operands[0]);
  const Guard guard = GuardOf(ArrayRef(operands.data(), operands.size()), 2);
  const LaneValue value = Get(operands[1]);
  if (!place.shared) {
    StorePlace(place, place.type, value, guard);
    return;
  }
  const Access access = Classify(place);
  ForActingLanes(guard, 0, [&](const Lane& lane) -> llvm::SmallVector<Value, 2> {
    llvm::StoreInst* store =
        b_.CreateAlignedStore(LaneOf(value[0], lane), LaneAddress(place, access, lane, 0), llvm::Align(4));
    store->setAtomic(kRelaxed);
    Annotate(store, place);
    return {};
  });
}

Value Emitter::Combine(AtomicOp op, bool is_signed, Value a, Value b) {
  switch (op) {
    case AtomicOp::kAdd:
      return b_.CreateAdd(a, b);
    case AtomicOp::kSub:
      return b_.CreateSub(a, b);
    case AtomicOp::kMax:
      return Intrinsic(is_signed ? llvm::Intrinsic::smax : llvm::Intrinsic::umax, {a, b});
    case AtomicOp::kMin:
      return Intrinsic(is_signed ? llvm::Intrinsic::smin : llvm::Intrinsic::umin, {a, b});
    case AtomicOp::kAnd:
      return b_.CreateAnd(a, b);
    case AtomicOp::kOr:
      return b_.CreateOr(a, b);
    case AtomicOp::kXor:
      return b_.CreateXor(a, b);
    case AtomicOp::kExchange:
      return b;
  }
  UNREACHABLE("atomic operation");
}

namespace {

llvm::AtomicRMWInst::BinOp BinOpOf(AtomicOp op, bool is_signed) {
  switch (op) {
    case AtomicOp::kAdd:
      return llvm::AtomicRMWInst::Add;
    case AtomicOp::kSub:
      return llvm::AtomicRMWInst::Sub;
    case AtomicOp::kMax:
      return is_signed ? llvm::AtomicRMWInst::Max : llvm::AtomicRMWInst::UMax;
    case AtomicOp::kMin:
      return is_signed ? llvm::AtomicRMWInst::Min : llvm::AtomicRMWInst::UMin;
    case AtomicOp::kAnd:
      return llvm::AtomicRMWInst::And;
    case AtomicOp::kOr:
      return llvm::AtomicRMWInst::Or;
    case AtomicOp::kXor:
      return llvm::AtomicRMWInst::Xor;
    case AtomicOp::kExchange:
      return llvm::AtomicRMWInst::Xchg;
  }
  UNREACHABLE("atomic operation");
}

// What changes nothing when combined.
uint32_t NeutralOf(AtomicOp op, bool is_signed) {
  switch (op) {
    case AtomicOp::kMax:
      return is_signed ? 0x80000000u : 0;
    case AtomicOp::kMin:
      return is_signed ? 0x7fffffffu : 0xffffffffu;
    case AtomicOp::kAnd:
      return 0xffffffffu;
    case AtomicOp::kAdd:
    case AtomicOp::kSub:
    case AtomicOp::kOr:
    case AtomicOp::kXor:
    case AtomicOp::kExchange:
      return 0;
  }
  UNREACHABLE("atomic operation");
}

}  // namespace

Value Emitter::RmwScalar(const Place& place, Value address, AtomicOp op, bool is_signed, Value operand) {
  if (place.shared) {
    return Annotate(b_.CreateAtomicRMW(BinOpOf(op, is_signed), address, operand, llvm::Align(4), kRelaxed),
                    place);
  }
  const Value old = Annotate(b_.CreateAlignedLoad(b_.getInt32Ty(), address, llvm::Align(4)), place);
  Annotate(b_.CreateAlignedStore(Combine(op, is_signed, old, operand), address, llvm::Align(4)), place);
  return old;
}

// One scalar that does to memory what all acting lanes would.
Value Emitter::ReduceLanes(AtomicOp op, bool is_signed, const Component& value, const Guard& guard) {
  const bool masked = guard.kind == Guard::Kind::kVarying;
  const bool sum = op == AtomicOp::kAdd || op == AtomicOp::kSub;
  if (value.uniform()) {
    if (!sum && op != AtomicOp::kXor) return value.scalar;
    Value count = U32(lanes());
    if (masked) {
      const Value bits = BitsOf(guard.mask);
      count = b_.CreateZExtOrTrunc(b_.CreateIntrinsic(llvm::Intrinsic::ctpop, {bits->getType()}, {bits}),
                                   b_.getInt32Ty());
    }
    if (op == AtomicOp::kXor) count = b_.CreateAnd(count, U32(1));
    return b_.CreateMul(value.scalar, count);
  }
  const AtomicOp combine = op == AtomicOp::kSub ? AtomicOp::kAdd : op;
  Value total = nullptr;
  for (uint32_t p = 0; p < part_count(); ++p) {
    Value part = Part(value, p);
    if (masked) {
      const Value neutral = llvm::ConstantInt::get(part->getType(), NeutralOf(op, is_signed));
      part = b_.CreateSelect(ToBits(guard.mask.parts[p]), part, neutral);
    }
    total = total == nullptr ? part : Combine(combine, is_signed, total, part);
  }
  if (native() == 1) return total;
  for (uint32_t width = native() / 2; width > 0; width /= 2) {
    llvm::SmallVector<int, 16> upper;
    for (uint32_t i = 0; i < native(); ++i) upper.push_back(static_cast<int>(i < width ? i + width : i));
    total = Combine(combine, is_signed, total, b_.CreateShuffleVector(total, upper));
  }
  return b_.CreateExtractElement(total, uint64_t{0});
}

// Old values of an add at one address: the memory's, plus what the lanes before added.
Component Emitter::AtomicUniformAdd(AtomicOp op, const Place& place, const Component& value,
                                    const Guard& guard) {
  const bool masked = guard.kind == Guard::Kind::kVarying;
  const Value total = ReduceLanes(op, false, value, guard);
  const auto act = [&] { return RmwScalar(place, UniformAddress(place, 0), op, false, total); };
  Value old = nullptr;
  if (guard.kind == Guard::Kind::kAlways) {
    old = act();
  } else {
    const Value any = masked ? AnyLane(guard.mask) : guard.condition;
    old = Choose(
        any, [&] { return Parts{act()}; }, [&] { return Parts{U32(0)}; })[0];
  }
  Component before;
  if (!masked) {
    before = Component::Affine(U32(0), lanes() == 1 ? 0 : 1);
  } else {
    const Value bits = b_.CreateZExtOrTrunc(BitsOf(guard.mask), b_.getInt64Ty());
    Parts counts;
    for (uint32_t p = 0; p < part_count(); ++p) {
      Value seen = p == 0 ? U32(0)
                          : b_.CreateTrunc(
                                b_.CreateIntrinsic(llvm::Intrinsic::ctpop, {b_.getInt64Ty()},
                                                   {b_.CreateAnd(bits, (uint64_t{1} << (p * native())) - 1)}),
                                b_.getInt32Ty());
      llvm::SmallVector<uint32_t, 16> lower;
      for (uint32_t i = 0; i < native(); ++i) lower.push_back((uint32_t{1} << i) - 1);
      const Value here = b_.CreateTrunc(b_.CreateLShr(bits, p * native()), b_.getInt32Ty());
      const Value masks = native() == 1 ? U32(0) : llvm::ConstantDataVector::get(b_.getContext(), lower);
      const Value lower_bits = b_.CreateAnd(Splat(here), masks);
      counts.push_back(b_.CreateAdd(Splat(seen), Intrinsic(llvm::Intrinsic::ctpop, {lower_bits})));
    }
    before = Component::Varying(std::move(counts));
  }
  const Component added = Map({&before, &value}, [&](ArrayRef<Value> v) { return b_.CreateMul(v[0], v[1]); });
  const Component memory = Component::Uniform(old);
  const Component result =
      Map({&memory, &added}, [&](ArrayRef<Value> v) { return Combine(op, false, v[0], v[1]); });
  if (masked) return SelectComponent(guard.mask, result, Component::Uniform(U32(0)));
  if (guard.kind == Guard::Kind::kUniform) {
    return SelectComponent(Component::Uniform(guard.condition), result, Component::Uniform(U32(0)));
  }
  return result;
}

LaneValue Emitter::AtomicRmw(ir::InstId inst) {
  const auto operands = ir_.operands(inst);
  const Place place = Resolve(operands[0]);
  const Component value = Get(operands[1])[0];
  const Guard guard = GuardOf(ArrayRef(operands.data(), operands.size()), 2);
  const auto op = static_cast<AtomicOp>(ir_.insts[inst].imm);
  const bool is_signed = ir_.types.IsSigned(ir_.type_of(operands[1]));
  const Access access = Classify(place);
  const bool used = shared_.used_[ir_.result(inst).index];
  if (access.kind == Access::Kind::kUniform && !used && op != AtomicOp::kExchange) {
    const auto act = [&] {
      const Value address = UniformAddress(place, 0);
      const Value total = ReduceLanes(op, is_signed, value, guard);
      const bool sum = op == AtomicOp::kAdd || op == AtomicOp::kSub || op == AtomicOp::kXor;
      if (!place.shared || sum) {
        RmwScalar(place, address, op, is_signed, total);
        return;
      }
      // A maximum that is known already, a bit that is set: only looked at, so that threads do not fight for
      // the line.
      llvm::LoadInst* seen = b_.CreateAlignedLoad(b_.getInt32Ty(), address, llvm::Align(4));
      seen->setAtomic(kRelaxed);
      Annotate(seen, place);
      Guarded(b_.CreateICmpNE(Combine(op, is_signed, seen, total), seen),
              [&] { RmwScalar(place, address, op, is_signed, total); });
    };
    if (guard.kind == Guard::Kind::kAlways) {
      act();
    } else {
      Guarded(guard.kind == Guard::Kind::kUniform ? guard.condition : AnyLane(guard.mask), act);
    }
    return {Component::Uniform(U32(0))};
  }
  if (access.kind == Access::Kind::kUniform && value.uniform() &&
      (op == AtomicOp::kAdd || op == AtomicOp::kSub)) {
    return {AtomicUniformAdd(op, place, value, guard)};
  }
  LaneValue old = ForActingLanes(guard, used ? 1 : 0, [&](const Lane& lane) {
    llvm::SmallVector<Value, 2> words;
    const Value word =
        RmwScalar(place, LaneAddress(place, access, lane, 0), op, is_signed, LaneOf(value, lane));
    if (used) words.push_back(word);
    return words;
  });
  if (!used) old.push_back(Component::Uniform(U32(0)));
  return old;
}

// The next state of a linear congruential generator that the worker holds.
Value Emitter::NextRandom(uint32_t field) {
  const Value address = b_.CreateConstInBoundsGEP1_32(b_.getInt8Ty(), worker_, field);
  Value state = b_.CreateAlignedLoad(b_.getInt64Ty(), address, llvm::Align(8));
  state = b_.CreateAdd(b_.CreateMul(state, b_.getInt64(abi::kRandomMultiplier)),
                       b_.getInt64(abi::kRandomIncrement));
  b_.CreateAlignedStore(state, address, llvm::Align(8));
  return state;
}

// True at times, by the worker's random state; never where the dispatch gives no seed.
Value Emitter::SpuriousFailure() {
  const Value state = NextRandom(offsetof(abi::Worker, random_state));
  const Value seed = b_.CreateAlignedLoad(
      b_.getInt32Ty(),
      b_.CreateConstInBoundsGEP1_32(b_.getInt8Ty(), dispatch_, offsetof(abi::Dispatch, weak_failure_seed)),
      llvm::Align(4));
  const Value unlucky = b_.CreateICmpEQ(b_.CreateLShr(state, 62), b_.getInt64(0));
  return b_.CreateAnd(b_.CreateICmpNE(seed, U32(0)), unlucky);
}

void Emitter::CompareExchange(ir::InstId inst) {
  const auto operands = ir_.operands(inst);
  const Place place = Resolve(operands[0]);
  const Component expected = Get(operands[1])[0];
  const Component replacement = Get(operands[2])[0];
  const Guard guard = GuardOf(ArrayRef(operands.data(), operands.size()), 3);
  const Access access = Classify(place);
  const LaneValue words = ForActingLanes(guard, 2, [&](const Lane& lane) -> llvm::SmallVector<Value, 2> {
    const Value address = LaneAddress(place, access, lane, 0);
    const Value from = LaneOf(expected, lane);
    const Value to = LaneOf(replacement, lane);
    const auto look = [&] {
      llvm::LoadInst* load = b_.CreateAlignedLoad(b_.getInt32Ty(), address, llvm::Align(4));
      if (place.shared) load->setAtomic(kRelaxed);
      return Annotate(load, place);
    };
    const auto exchange = [&]() -> Parts {
      if (place.shared) {
        llvm::AtomicCmpXchgInst* both =
            Annotate(b_.CreateAtomicCmpXchg(address, from, to, llvm::Align(4), kRelaxed, kRelaxed), place);
        return {b_.CreateExtractValue(both, 0),
                b_.CreateSExt(b_.CreateExtractValue(both, 1), b_.getInt32Ty())};
      }
      const Value old = look();
      const Value same = b_.CreateICmpEQ(old, from);
      Annotate(b_.CreateAlignedStore(b_.CreateSelect(same, to, old), address, llvm::Align(4)), place);
      return {old, b_.CreateSExt(same, b_.getInt32Ty())};
    };
    Parts result = shared_.options_.weak_failures ? Choose(
                                                        SpuriousFailure(),
                                                        [&] {
                                                          return Parts{look(), U32(0)};
                                                        },
                                                        exchange)
                                                  : exchange();
    return {result[0], result[1]};
  });
  Set(ir_.result(inst, 0), {words[0]});
  Set(ir_.result(inst, 1), {words[1]});
}

}  // namespace lockstep::codegen
