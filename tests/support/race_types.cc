// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "support/race_types.h"

#include <fmt/format.h>

#include <utility>

namespace lockstep::tests {

using Kind = RaceType::Kind;

const RaceType* RaceTypes::Add(RaceType type) {
  types_.push_back(std::move(type));
  return &types_.back();
}

const RaceType* RaceTypes::Scalar(Kind kind) {
  static constexpr const char* kNames[] = {"u32", "i32", "f32", "bool",        "",
                                           "",    "",    "",    "atomic<u32>", "atomic<i32>"};
  RaceType type;
  type.kind = kind;
  type.text = kNames[static_cast<size_t>(kind)];
  type.atomics = type.all_atomic = kind == Kind::kAtomicU32 || kind == Kind::kAtomicI32;
  type.constructible = !type.atomics;
  return Add(type);
}

const RaceType* RaceTypes::Vector(const RaceType* scalar, uint32_t width) {
  RaceType type;
  type.kind = Kind::kVector;
  type.text = fmt::format("vec{}<{}>", width, scalar->text);
  type.element = scalar;
  type.count = type.scalars = width;
  return Add(type);
}

const RaceType* RaceTypes::Matrix() {
  const uint32_t columns = 2 + random_.Below(3), rows = 2 + random_.Below(3);
  RaceType type;
  type.kind = Kind::kMatrix;
  type.text = fmt::format("mat{}x{}<f32>", columns, rows);
  type.element = Vector(Scalar(Kind::kF32), rows);
  type.count = columns;
  type.scalars = columns * rows;
  return Add(type);
}

const RaceType* RaceTypes::Array(const RaceType* element, uint32_t count) {
  RaceType type;
  type.kind = Kind::kArray;
  type.text = count == 0 ? fmt::format("array<{}>", element->text)
                         : fmt::format("array<{}, {}>", element->text, count);
  type.element = element;
  type.count = count;
  type.scalars = element->scalars * count;
  type.atomics = element->atomics;
  type.all_atomic = element->all_atomic;
  type.constructible = element->constructible && count != 0;
  return Add(type);
}

const RaceType* RaceTypes::Struct(std::vector<RaceType::Member> members) {
  RaceType type;
  type.kind = Kind::kStruct;
  type.text = fmt::format("S{}", structs_++);
  type.scalars = 0;
  type.all_atomic = true;
  std::string body;
  for (const RaceType::Member& member : members) {
    body += fmt::format("  {}: {},\n", member.name, member.type->text);
    type.scalars += member.type->scalars;
    type.atomics |= member.type->atomics;
    type.all_atomic &= member.type->all_atomic;
    type.constructible &= member.type->constructible;
  }
  declarations_ += fmt::format("struct {} {{\n{}}}\n", type.text, body);
  type.members = std::move(members);
  return Add(type);
}

const RaceType* RaceTypes::Leaf(Allow allow) {
  if (allow.atomics && random_.OneIn(5))
    return Scalar(random_.OneIn(3) ? Kind::kAtomicI32 : Kind::kAtomicU32);
  static constexpr Kind kKinds[] = {Kind::kU32, Kind::kU32, Kind::kI32, Kind::kF32, Kind::kBool};
  const RaceType* scalar = Scalar(kKinds[random_.Below(allow.bools ? 5 : 4)]);
  if (random_.OneIn(9)) return Matrix();
  return random_.OneIn(3) ? Vector(scalar, 2 + random_.Below(3)) : scalar;
}

const RaceType* RaceTypes::Make(uint32_t depth, Allow allow) {
  if (depth == 0 || random_.OneIn(2)) return Leaf(allow);
  if (random_.OneIn(2)) return Array(Make(depth - 1, allow), 1 + random_.Below(random_.OneIn(6) ? 24 : 5));
  std::vector<RaceType::Member> members;
  const uint32_t count = 1 + random_.Below(3);
  for (uint32_t i = 0; i < count; ++i) members.push_back({std::string(1, "abc"[i]), Make(depth - 1, allow)});
  return Struct(std::move(members));
}

}  // namespace lockstep::tests
