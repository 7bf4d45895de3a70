// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Values of const- and override-expressions, interned in a ConstantTable.
//
// A scalar holds by type: bool, i32, u32 and abstract-int in `i` (bool 0 or 1, u32 zero-extended); f32, f16
// and abstract-float in `f`, already rounded to the type. Composites hold one constant a part (vector
// components, matrix columns, array elements, struct members); one that is the same throughout holds a single
// part (`splat`), so that array<u32, 1000000>() costs nothing.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "wgsl/type.h"

namespace lockstep::wgsl {

struct ConstantId : IdBase<ConstantId> {
  using IdBase::IdBase;
};

struct Constant {
  TypeId type;
  int64_t i = 0;
  double f = 0;
  bool splat = false;
  std::vector<ConstantId> parts;
};

class ConstantTable {
 public:
  const Constant& operator[](ConstantId id) const { return constants_[id]; }

  ConstantId Int(TypeId type, int64_t value);   // bool, i32, u32, abstract-int: must be in range
  ConstantId Float(TypeId type, double value);  // f32, f16, abstract-float: must be rounded already
  ConstantId Composite(TypeId type,
                       std::vector<ConstantId> parts);  // becomes a splat where all parts are equal
  ConstantId Splat(TypeId type, ConstantId part);
  // Part `index` of a composite (0-based; within range).
  ConstantId Part(ConstantId id, uint32_t index) const;

 private:
  ConstantId Intern(Constant constant);

  Store<ConstantId, Constant> constants_;
  std::unordered_map<std::string, ConstantId> interned_;
};

// How many parts a value of a composite type has; 0 for scalars.
uint32_t PartCount(const TypeTable& types, TypeId type);
TypeId PartType(TypeTable& types, TypeId type, uint32_t part);
// The zero value of a constructible type.
ConstantId ZeroValue(TypeTable& types, ConstantTable& constants, TypeId type);
// "3i", "vec2<f32>(1f, 2f)": for messages and dumps.
std::string ToString(const TypeTable& types, const ConstantTable& constants, ConstantId id);

}  // namespace lockstep::wgsl
