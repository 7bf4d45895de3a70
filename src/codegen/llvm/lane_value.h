// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// How one IR value is held in LLVM values while code for a lane group is made. A composite is its scalars,
// one after the other (structure of arrays); each scalar is a Component in one of three forms:
//
//   kUniform  one LLVM scalar for the group
//   kAffine   lane i has scalar + i * stride (32-bit integers); vectors are made where somebody wants them
//   kVarying  `parts` native vectors side by side; lane i is element i % native of part i / native
//
// A bool is i1 in the uniform form and a vector of 32-bit masks (0 or all ones) in the varying one. With one
// lane a "vector" is the plain LLVM scalar (bool: an i32 mask), so that the same code serves.
#pragma once

#include <cstdint>
#include <utility>

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Value.h"

namespace lockstep::codegen {

using Parts = llvm::SmallVector<llvm::Value*, 4>;

struct Component {
  enum class Form : uint8_t { kUniform, kAffine, kVarying };

  static Component Uniform(llvm::Value* scalar) {
    Component c;
    c.scalar = scalar;
    return c;
  }
  static Component Affine(llvm::Value* base, int32_t stride) {
    Component c = Uniform(base);
    if (stride != 0) c.form = Form::kAffine;
    c.stride = stride;
    return c;
  }
  static Component Varying(Parts parts) {
    Component c;
    c.form = Form::kVarying;
    c.parts = std::move(parts);
    return c;
  }

  bool uniform() const { return form == Form::kUniform; }
  bool affine() const { return form == Form::kAffine; }
  bool varying() const { return form == Form::kVarying; }
  bool clamped() const { return clamp_bound != nullptr; }

  Form form = Form::kUniform;
  int32_t stride = 0;
  llvm::Value* scalar = nullptr;
  Parts parts;
  // A varying u32 that is min(affine, uniform): the affine operand's lane 0 (its stride is `stride`) and the
  // bound.
  llvm::Value* clamp_base = nullptr;
  llvm::Value* clamp_bound = nullptr;
};

using LaneValue = llvm::SmallVector<Component, 1>;

}  // namespace lockstep::codegen
