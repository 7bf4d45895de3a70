// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Built-in inputs. Lane i of group g is invocation g * lanes + i of the workgroup.
#include "codegen/llvm/emitter.h"
#include "llvm/IR/Constants.h"

namespace lockstep::codegen {

using llvm::ArrayRef;
using Value = llvm::Value*;

Component Emitter::LocalIndex() {
  if (ir_.invocations() == 1)
    return Component::Uniform(U32(0));  // lanes that are no invocations do not matter
  return Component::Affine(b_.CreateMul(group_, U32(lanes()), "", true, true), lanes() == 1 ? 0 : 1);
}

// x is affine and y, z uniform where no group crosses a row of the workgroup.
LaneValue Emitter::LocalId() {
  const auto& size = ir_.workgroup_size;
  const Component index = LocalIndex();
  const auto divide = [&](const Component& c, uint32_t by, bool remainder) {
    if (by == 1) return remainder ? Component::Uniform(U32(0)) : c;
    return Map({&c}, [&](ArrayRef<Value> v) {
      llvm::Constant* divisor = llvm::ConstantInt::get(v[0]->getType(), by);
      return remainder ? b_.CreateURem(v[0], divisor) : b_.CreateUDiv(v[0], divisor);
    });
  };
  const Component first = Component::Uniform(index.scalar);  // the group's first invocation
  const uint32_t row = size[0];
  const uint32_t plane = size[0] * size[1];
  LaneValue id(3, Component::Uniform(U32(0)));
  if (size[1] == 1 && size[2] == 1) {
    id[0] = index;
    return id;
  }
  const bool rows = row % lanes() == 0;
  if (rows) {
    id[0] = Component::Affine(divide(first, row, true).scalar, index.stride);
  } else {
    id[0] = divide(index, row, true);
  }
  const Component& in_rows = rows ? first : index;
  id[1] = divide(size[2] == 1 ? in_rows : divide(in_rows, plane, true), row, false);
  if (size[1] == 1) id[1] = Component::Uniform(U32(0));
  if (size[2] > 1) id[2] = divide(plane % lanes() == 0 ? first : index, plane, false);
  return id;
}

Value Emitter::WorkgroupCount(uint32_t axis) {
  return InvariantWord(dispatch_, offsetof(abi::Dispatch, workgroup_count) + 4 * axis);
}

LaneValue Emitter::Builtin(ir::Builtin builtin) {
  const auto workgroup_index = [&] {
    const Value plane = b_.CreateMul(workgroup_id_[2], WorkgroupCount(1));
    return b_.CreateAdd(b_.CreateMul(b_.CreateAdd(plane, workgroup_id_[1]), WorkgroupCount(0)),
                        workgroup_id_[0]);
  };
  LaneValue result;
  switch (builtin) {
    case ir::Builtin::kLocalInvocationId:
      return LocalId();
    case ir::Builtin::kLocalInvocationIndex:
      return {LocalIndex()};
    case ir::Builtin::kGlobalInvocationId:
      result = LocalId();
      for (uint32_t i = 0; i < 3; ++i) {
        const Component start =
            Component::Uniform(b_.CreateMul(workgroup_id_[i], U32(ir_.workgroup_size[i])));
        result[i] = BinaryScalar(ir::Op::kAdd, ir_.types.U32(), start, result[i]);
      }
      return result;
    case ir::Builtin::kWorkgroupId:
      for (Value id : workgroup_id_) result.push_back(Component::Uniform(id));
      return result;
    case ir::Builtin::kNumWorkgroups:
      for (uint32_t i = 0; i < 3; ++i) result.push_back(Component::Uniform(WorkgroupCount(i)));
      return result;
    case ir::Builtin::kGlobalInvocationIndex: {
      // x + row * (y + z * rows), with the grid's row length and rows a plane in invocations.
      const LaneValue id = Builtin(ir::Builtin::kGlobalInvocationId);
      const auto extent = [&](uint32_t axis) {
        return Component::Uniform(b_.CreateMul(WorkgroupCount(axis), U32(ir_.workgroup_size[axis])));
      };
      const auto binary = [&](ir::Op op, const Component& a, const Component& b) {
        return BinaryScalar(op, ir_.types.U32(), a, b);
      };
      const Component rows = binary(ir::Op::kAdd, binary(ir::Op::kMul, id[2], extent(1)), id[1]);
      return {binary(ir::Op::kAdd, binary(ir::Op::kMul, rows, extent(0)), id[0])};
    }
    case ir::Builtin::kWorkgroupIndex:
      return {Component::Uniform(workgroup_index())};
    case ir::Builtin::kVertexIndex:
    case ir::Builtin::kInstanceIndex:
    case ir::Builtin::kPosition:
    case ir::Builtin::kFrontFacing:
    case ir::Builtin::kPrimitiveIndex:
    case ir::Builtin::kSampleIndex:
    case ir::Builtin::kSampleMask:
      break;
  }
  UNREACHABLE("an input that transform/stage_io should have replaced");
}

// All ones for a group that is full, so that guards on it fold away.
Component Emitter::LaneMask() {
  if (!kernel_.partial) return Component::Uniform(b_.getInt1(true));
  const Component index =
      Component::Affine(b_.CreateMul(group_, U32(lanes()), "", true, true), lanes() == 1 ? 0 : 1);
  const Component limit = Component::Uniform(U32(ir_.invocations()));
  return Map({&index, &limit}, [&](ArrayRef<Value> v) {
    const Value bits = b_.CreateICmpULT(v[0], v[1]);
    return index.uniform() ? bits : FromBits(bits);
  });
}

}  // namespace lockstep::codegen
