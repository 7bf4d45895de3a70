// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "wgsl/constant.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "support/check.h"

namespace lockstep::wgsl {
namespace {

// Messages show this many parts of a composite and then "...".
constexpr uint32_t kMaxShownParts = 16;

void AppendBytes(std::string* key, const void* data, size_t size) {
  key->append(static_cast<const char*>(data), size);
}

// Equal keys mean equal constants: floats by their bits, so that -0 and 0 stay apart.
std::string KeyOf(const Constant& c) {
  std::string key;
  key.reserve(21 + 4 * c.parts.size());
  AppendBytes(&key, &c.type.index, sizeof(c.type.index));
  AppendBytes(&key, &c.i, sizeof(c.i));
  AppendBytes(&key, &c.f, sizeof(c.f));
  key += c.splat ? 's' : 'p';
  for (const ConstantId part : c.parts) AppendBytes(&key, &part.index, sizeof(part.index));
  return key;
}

std::string FloatText(TypeKind kind, double value) {
  if (kind == TypeKind::kF32) return fmt::format("{}f", static_cast<float>(value));
  if (kind == TypeKind::kF16) return fmt::format("{}h", static_cast<float>(value));
  // abstract-float: a point tells it from abstract-int
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".enf") == std::string::npos) text += ".0";
  return text;
}

}  // namespace

ConstantId ConstantTable::Intern(Constant constant) {
  const auto [it, is_new] = interned_.try_emplace(KeyOf(constant), ConstantId::None());
  if (is_new) it->second = constants_.Add(std::move(constant));
  return it->second;
}

ConstantId ConstantTable::Int(TypeId type, int64_t value) {
  Constant c;
  c.type = type;
  c.i = value;
  return Intern(std::move(c));
}

ConstantId ConstantTable::Float(TypeId type, double value) {
  Constant c;
  c.type = type;
  c.f = value;
  return Intern(std::move(c));
}

ConstantId ConstantTable::Composite(TypeId type, std::vector<ConstantId> parts) {
  CHECK(!parts.empty());
  if (std::all_of(parts.begin(), parts.end(), [&](ConstantId part) { return part == parts[0]; })) {
    return Splat(type, parts[0]);
  }
  Constant c;
  c.type = type;
  c.parts = std::move(parts);
  return Intern(std::move(c));
}

ConstantId ConstantTable::Splat(TypeId type, ConstantId part) {
  Constant c;
  c.type = type;
  c.splat = true;
  c.parts = {part};
  return Intern(std::move(c));
}

ConstantId ConstantTable::Part(ConstantId id, uint32_t index) const {
  const Constant& c = constants_[id];
  CHECK(!c.parts.empty());
  if (c.splat) return c.parts[0];
  CHECK(index < c.parts.size());
  return c.parts[index];
}

uint32_t PartCount(const TypeTable& types, TypeId type) {
  const Type& t = types[type];
  switch (t.kind) {
    case TypeKind::kVector:
    case TypeKind::kMatrix:
    case TypeKind::kArray:
      return t.count;
    case TypeKind::kStruct:
      return static_cast<uint32_t>(types.struct_of(t.struct_id).members.size());
    case TypeKind::kVoid:
    case TypeKind::kBool:
    case TypeKind::kI32:
    case TypeKind::kU32:
    case TypeKind::kF32:
    case TypeKind::kF16:
    case TypeKind::kAbstractInt:
    case TypeKind::kAbstractFloat:
    case TypeKind::kAtomic:
    case TypeKind::kPointer:
    case TypeKind::kReference:
    case TypeKind::kSampler:
    case TypeKind::kTexture:
      return 0;
  }
  UNREACHABLE("type kind");
}

TypeId PartType(TypeTable& types, TypeId type, uint32_t part) {
  const Type t = types[type];  // a copy: Vector() below may grow the table
  switch (t.kind) {
    case TypeKind::kVector:
    case TypeKind::kArray:
      return t.element;
    case TypeKind::kMatrix:
      return types.Vector(t.element, t.rows);
    case TypeKind::kStruct:
      return types.struct_of(t.struct_id).members[part].type;
    case TypeKind::kVoid:
    case TypeKind::kBool:
    case TypeKind::kI32:
    case TypeKind::kU32:
    case TypeKind::kF32:
    case TypeKind::kF16:
    case TypeKind::kAbstractInt:
    case TypeKind::kAbstractFloat:
    case TypeKind::kAtomic:
    case TypeKind::kPointer:
    case TypeKind::kReference:
    case TypeKind::kSampler:
    case TypeKind::kTexture:
      break;
  }
  UNREACHABLE("only composites have parts");
}

ConstantId ZeroValue(TypeTable& types, ConstantTable& constants, TypeId type) {
  const TypeKind kind = types[type].kind;
  if (types.IsFloat(type)) return constants.Float(type, 0);
  if (kind == TypeKind::kBool || types.IsInteger(type)) return constants.Int(type, 0);
  if (kind != TypeKind::kStruct) {
    return constants.Splat(type, ZeroValue(types, constants, PartType(types, type, 0)));
  }
  std::vector<ConstantId> parts;
  for (uint32_t i = 0; i < PartCount(types, type); ++i) {
    parts.push_back(ZeroValue(types, constants, PartType(types, type, i)));
  }
  return constants.Composite(type, std::move(parts));
}

std::string ToString(const TypeTable& types, const ConstantTable& constants, ConstantId id) {
  const Constant& c = constants[id];
  const TypeKind kind = types[c.type].kind;
  if (kind == TypeKind::kBool) return c.i != 0 ? "true" : "false";
  if (types.IsFloat(c.type)) return FloatText(kind, c.f);
  if (types.IsInteger(c.type)) {
    return fmt::format("{}{}", c.i, kind == TypeKind::kI32 ? "i" : kind == TypeKind::kU32 ? "u" : "");
  }
  std::string text = types.ToString(c.type) + "(";
  const uint32_t count = PartCount(types, c.type);
  for (uint32_t i = 0; i < count; ++i) {
    if (i != 0) text += ", ";
    if (i == kMaxShownParts) {
      text += "...";
      break;
    }
    text += ToString(types, constants, constants.Part(id, i));
  }
  return text + ")";
}

}  // namespace lockstep::wgsl
