// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "support/race_expressions.h"

#include <fmt/format.h>

namespace lockstep::tests {

std::string RaceExpressions::Atom() {
  switch (Below(12)) {
    case 0:
      return "wg";
    case 1:
      return k_;
    case 2:
      return fmt::format("data[{}u + (lid & 15u)]", OneIn(3) ? 96 : 64);
    case 3:
      return fmt::format("data[64u + {}]", k_);
    case 4:
      return fmt::format("(wg * {}u + lid)", invocations_);
    case 5:
      return fmt::format("(lid + {})", k_);
    case 6:
      return fmt::format("(lid * {}u)", 2 + Below(3));
    case 7:
      return fmt::format("(lid / {}u)", 2 + Below(3));
    case 8:
      return fmt::format("(lid {} {}u)", OneIn(2) ? "^" : "&", 1 + Below(5));
    case 9:
      return "uni.n";
    default:
      return "lid";
  }
}

std::string RaceExpressions::Number() {
  if (OneIn(3)) return fmt::format("{}u", Below(3) * 7);
  if (OneIn(5)) return fmt::format("data[{}]", Atom());
  if (OneIn(8)) return fmt::format("uni.v[{}].{}", Atom(), "xyzw"[Below(4)]);
  if (OneIn(8)) return fmt::format("u32(mine[{}])", Atom());
  return OneIn(3) ? fmt::format("({} + {})", Atom(), Atom()) : Atom();
}

std::string RaceExpressions::Condition() {
  switch (Below(4)) {
    case 0:
      return fmt::format("lid < {}u", 1 + Below(invocations_));
    case 1:
      return fmt::format("({} & 1u) == {}u", Atom(), Below(2));
    case 2:
      return fmt::format("{} > {}u && {} != 2u", Atom(), Below(4), Atom());
    default:
      return fmt::format("lid == {}u || {} == 1u", Below(invocations_), Atom());
  }
}

std::string RaceExpressions::UniformCondition() {
  return OneIn(2) ? fmt::format("(wg & 1u) == {}u", Below(2)) : fmt::format("uni.n == {}u", Below(2));
}

std::string RaceExpressions::Rounds() {
  return OneIn(2) ? fmt::format("{}u", 1 + Below(3)) : OneIn(2) ? "(wg & 1u) + 1u" : "uni.n + 2u";
}

std::string RaceExpressions::Index(uint32_t count) {
  switch (Below(16)) {
    case 0:
      return Atom();
    case 1:
      return fmt::format("i32({}) - 1", Atom());
    case 2:
    case 3:
    case 4:
      return fmt::format("{}u", Below(count));
    case 5:
      return fmt::format("{}i", Below(count));
    case 6:
      return fmt::format("i32({} % {}u)", Atom(), count);
    case 7:
      return fmt::format("min({}, {}u)", Atom(), count - 1);
    default:
      return fmt::format("({} % {}u)", Atom(), count);
  }
}

std::string RaceExpressions::Value(const Type& type) {
  switch (type.kind) {
    case Kind::kU32:
      return Number();
    case Kind::kI32:
      return fmt::format("i32({})", Number());
    case Kind::kF32:
      return fmt::format("f32({})", Number());
    case Kind::kBool:
      return fmt::format("({} == 1u)", Number());
    case Kind::kAtomicU32:
    case Kind::kAtomicI32:
      return {};
    case Kind::kVector:
    case Kind::kMatrix:
    case Kind::kArray:
    case Kind::kStruct:
      break;
  }
  if (OneIn(3) || type.scalars > 12) return type.text + "()";
  std::string parts;
  const size_t count = type.kind == Kind::kStruct ? type.members.size() : type.count;
  for (size_t i = 0; i < count; ++i) {
    const Type& part = type.kind == Kind::kStruct ? *type.members[i].type : *type.element;
    parts += (i == 0 ? "" : ", ") + Value(part);
  }
  return fmt::format("{}({})", type.text, parts);
}

std::string RaceExpressions::AsNumber(const std::string& value, const Type& type) {
  switch (type.kind) {
    case Kind::kU32:
    case Kind::kAtomicU32:
      return value;
    case Kind::kI32:
    case Kind::kF32:
    case Kind::kAtomicI32:
      return fmt::format("bitcast<u32>({})", value);
    case Kind::kBool:
      return fmt::format("select(0u, 1u, {})", value);
    case Kind::kVector:
      return AsNumber(fmt::format("{}.{}", value, "xyzw"[Below(type.count)]), *type.element);
    case Kind::kMatrix:
    case Kind::kArray:
      return AsNumber(fmt::format("{}[{}]", value, Below(type.count)), *type.element);
    case Kind::kStruct: {
      const Type::Member& member = type.members[Below(static_cast<uint32_t>(type.members.size()))];
      return AsNumber(value + "." + member.name, *member.type);
    }
  }
  return value;
}

}  // namespace lockstep::tests
