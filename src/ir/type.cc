// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/type.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "support/check.h"

namespace lockstep::ir {
namespace {

// Sizes and counts of types saturate: what is that large is refused long before it is used.
uint32_t Saturate(uint64_t v) {
  return static_cast<uint32_t>(std::min<uint64_t>(v, std::numeric_limits<uint32_t>::max()));
}

uint32_t RoundUp(uint32_t v, uint32_t align) { return Saturate((uint64_t{v} + align - 1) / align * align); }

std::string KeyOf(const Type& type) {
  std::string key = fmt::format(
      "{} {} {} {} {} {} {} {} {} {} {}", static_cast<int>(type.kind), static_cast<int>(type.space),
      static_cast<int>(type.access), static_cast<int>(type.texture_class), static_cast<int>(type.dimension),
      type.element.index, type.count, type.stride, type.size, type.align, type.name);
  for (const Member& m : type.members) key += fmt::format("|{} {} {}", m.name, m.type.index, m.offset);
  return key;
}

// By TextureClass and TextureDimension.
constexpr std::string_view kClassTexts[] = {"", "multisampled_", "depth_", "depth_multisampled_", "storage_"};
constexpr std::string_view kDimensionTexts[] = {"1d", "2d", "2d_array", "3d", "cube", "cube_array"};

}  // namespace

TypeTable::TypeTable() {
  const auto scalar = [this](TypeKind kind, uint32_t size) {
    Type type;
    type.kind = kind;
    type.size = size;
    type.align = std::max<uint32_t>(size, 1);
    return Intern(std::move(type));
  };
  void_ = scalar(TypeKind::kVoid, 0);
  bool_ = scalar(TypeKind::kBool, 4);
  i32_ = scalar(TypeKind::kI32, 4);
  u32_ = scalar(TypeKind::kU32, 4);
  f32_ = scalar(TypeKind::kF32, 4);
  f16_ = scalar(TypeKind::kF16, 2);
  // A shader may shadow the names of types; in the text form they keep their meaning.
  for (const char* word : {"void",   "bool",   "i32",    "u32",    "f32",    "f16",    "vec2",   "vec3",
                           "vec4",   "array",  "atomic", "ptr",    "mat2x2", "mat2x3", "mat2x4", "mat3x2",
                           "mat3x3", "mat3x4", "mat4x2", "mat4x3", "mat4x4", "true",   "false"}) {
    struct_names_[word] = 1;
  }
  for (const std::string_view texture_class : kClassTexts) {
    for (const std::string_view dimension : kDimensionTexts)
      struct_names_[fmt::format("texture_{}{}", texture_class, dimension)] = 1;
  }
}

TypeId TypeTable::Intern(Type type) {
  const auto [it, added] = interned_.try_emplace(KeyOf(type), TypeId(types_.size()));
  if (!added) return it->second;
  facts_.push_back(FactsOf(type));
  return types_.Add(std::move(type));
}

TypeTable::Facts TypeTable::FactsOf(const Type& type) const {
  Facts facts;
  switch (type.kind) {
    case TypeKind::kVoid:
      break;
    case TypeKind::kBool:
    case TypeKind::kI32:
    case TypeKind::kU32:
    case TypeKind::kF32:
    case TypeKind::kF16:
    case TypeKind::kPointer:
    case TypeKind::kTexture:
      facts.scalar_count = 1;
      break;
    case TypeKind::kVector:
    case TypeKind::kMatrix:
    case TypeKind::kArray:
      facts.scalar_count = Saturate(uint64_t{type.count} * facts_[type.element.index].scalar_count);
      break;
    case TypeKind::kRuntimeArray:
      facts.scalar_count = facts_[type.element.index].scalar_count;
      facts.has_runtime_array = true;
      break;
    case TypeKind::kAtomic:
      facts.scalar_count = 1;
      break;
    case TypeKind::kStruct: {
      uint64_t count = 0;
      for (const Member& m : type.members) {
        count += facts_[m.type.index].scalar_count;
        facts.depth = std::max(facts.depth, 1 + facts_[m.type.index].depth);
        facts.has_runtime_array |= facts_[m.type.index].has_runtime_array;
      }
      facts.scalar_count = Saturate(count);
      break;
    }
  }
  if (type.element.has_value()) facts.depth = 1 + facts_[type.element.index].depth;
  return facts;
}

TypeId TypeTable::Vector(TypeId scalar, uint32_t count) {
  CHECK(IsScalar(scalar) && count >= 2 && count <= 4);
  const uint32_t scalar_size = types_[scalar].size;
  Type type;
  type.kind = TypeKind::kVector;
  type.element = scalar;
  type.count = count;
  type.size = scalar_size * count;
  type.align = scalar_size * (count == 2 ? 2 : 4);
  return Intern(std::move(type));
}

TypeId TypeTable::Matrix(TypeId column, uint32_t columns) {
  CHECK(types_[column].kind == TypeKind::kVector && columns >= 2 && columns <= 4);
  Type type;
  type.kind = TypeKind::kMatrix;
  type.element = column;
  type.count = columns;
  type.align = types_[column].align;
  type.stride = RoundUp(types_[column].size, type.align);
  type.size = type.stride * columns;
  return Intern(std::move(type));
}

TypeId TypeTable::Array(TypeId element, uint32_t count, uint32_t stride) {
  CHECK(count >= 1);
  Type type;
  type.kind = TypeKind::kArray;
  type.element = element;
  type.count = count;
  type.stride = stride;
  type.align = types_[element].align;
  type.size = Saturate(uint64_t{stride} * count);
  return Intern(std::move(type));
}

TypeId TypeTable::RuntimeArray(TypeId element, uint32_t stride) {
  Type type;
  type.kind = TypeKind::kRuntimeArray;
  type.element = element;
  type.stride = stride;
  type.align = types_[element].align;
  type.size = stride;
  return Intern(std::move(type));
}

// A struct's name stands for it in the text form, so no two structs of a module share one.
std::string TypeTable::UniqueStructName(std::string name) {
  if (name.empty()) name = "unnamed";
  uint32_t& suffix = struct_names_[name];
  if (suffix++ == 0) return name;
  std::string unique;
  do {
    unique = fmt::format("{}_{}", name, suffix++);
  } while (struct_names_.count(unique) != 0);
  struct_names_[unique] = 1;
  return unique;
}

TypeId TypeTable::Struct(std::string name, std::vector<Member> members, uint32_t size, uint32_t align) {
  Type type;
  type.kind = TypeKind::kStruct;
  type.name = std::move(name);
  type.members = std::move(members);
  type.size = size;
  type.align = align;
  std::string key = KeyOf(type);
  const auto it = interned_.find(key);
  if (it != interned_.end()) return it->second;
  // Filed under the name that was asked for, so that asking again finds it.
  type.name = UniqueStructName(std::move(type.name));
  facts_.push_back(FactsOf(type));
  const TypeId id = types_.Add(std::move(type));
  interned_.emplace(std::move(key), id);
  return id;
}

TypeId TypeTable::Atomic(TypeId element) {
  Type type;
  type.kind = TypeKind::kAtomic;
  type.element = element;
  type.size = types_[element].size;
  type.align = types_[element].align;
  return Intern(std::move(type));
}

TypeId TypeTable::Pointer(AddressSpace space, Access access, TypeId pointee) {
  Type type;
  type.kind = TypeKind::kPointer;
  type.element = pointee;
  type.space = space;
  type.access = access;
  return Intern(std::move(type));
}

TypeId TypeTable::Texture(TextureClass texture_class, TextureDimension dimension, TypeId element) {
  Type type;
  type.kind = TypeKind::kTexture;
  type.texture_class = texture_class;
  type.dimension = dimension;
  type.element = element;
  return Intern(std::move(type));
}

bool TypeTable::IsScalar(TypeId id) const { return id == bool_ || IsNumericScalar(id); }

bool TypeTable::IsNumericScalar(TypeId id) const {
  return id == i32_ || id == u32_ || id == f32_ || id == f16_;
}

bool TypeTable::IsFloat(TypeId id) const {
  const Type& t = types_[id];
  const TypeId s = t.kind == TypeKind::kVector ? t.element : id;
  return s == f32_ || s == f16_;
}

bool TypeTable::IsSigned(TypeId id) const {
  const Type& t = types_[id];
  return (t.kind == TypeKind::kVector ? t.element : id) == i32_;
}

bool TypeTable::IsUnsigned(TypeId id) const {
  const Type& t = types_[id];
  return (t.kind == TypeKind::kVector ? t.element : id) == u32_;
}

bool TypeTable::IsBool(TypeId id) const {
  const Type& t = types_[id];
  return (t.kind == TypeKind::kVector ? t.element : id) == bool_;
}

TypeId TypeTable::ScalarOf(TypeId id) const {
  const Type& t = types_[id];
  if (t.kind == TypeKind::kVector) return t.element;
  if (t.kind == TypeKind::kMatrix) return types_[t.element].element;
  return id;
}

uint32_t TypeTable::Width(TypeId id) const {
  const Type& t = types_[id];
  return t.kind == TypeKind::kVector ? t.count : 1;
}

TypeId TypeTable::WithScalar(TypeId shape, TypeId scalar) {
  const uint32_t width = Width(shape);
  return width == 1 ? scalar : Vector(scalar, width);
}

uint32_t TypeTable::PartCount(TypeId id) const {
  const Type& t = types_[id];
  switch (t.kind) {
    case TypeKind::kVector:
    case TypeKind::kMatrix:
    case TypeKind::kArray:
      return t.count;
    case TypeKind::kStruct:
      return static_cast<uint32_t>(t.members.size());
    case TypeKind::kVoid:
    case TypeKind::kBool:
    case TypeKind::kI32:
    case TypeKind::kU32:
    case TypeKind::kF32:
    case TypeKind::kF16:
    case TypeKind::kRuntimeArray:
    case TypeKind::kAtomic:
    case TypeKind::kPointer:
    case TypeKind::kTexture:
      return 0;
  }
  UNREACHABLE("type kind");
}

TypeId TypeTable::PartType(TypeId id, uint32_t part) const {
  const Type& t = types_[id];
  if (t.kind == TypeKind::kStruct) {
    CHECK(part < t.members.size());
    return t.members[part].type;
  }
  CHECK(t.element.has_value());
  return t.element;
}

uint32_t TypeTable::PartOffset(TypeId id, uint32_t part) const {
  const Type& t = types_[id];
  switch (t.kind) {
    case TypeKind::kStruct:
      CHECK(part < t.members.size());
      return t.members[part].offset;
    case TypeKind::kVector:
      return part * types_[t.element].size;
    case TypeKind::kMatrix:
    case TypeKind::kArray:
    case TypeKind::kRuntimeArray:
      return part * t.stride;
    case TypeKind::kVoid:
    case TypeKind::kBool:
    case TypeKind::kI32:
    case TypeKind::kU32:
    case TypeKind::kF32:
    case TypeKind::kF16:
    case TypeKind::kAtomic:
    case TypeKind::kPointer:
    case TypeKind::kTexture:
      break;
  }
  UNREACHABLE("a type without parts");
}

uint32_t TypeTable::ScalarCount(TypeId id) const { return facts_[id.index].scalar_count; }
bool TypeTable::HasRuntimeArray(TypeId id) const { return facts_[id.index].has_runtime_array; }
uint32_t TypeTable::Depth(TypeId id) const { return facts_[id.index].depth; }

std::string TypeTable::ToString(TypeId id) const {
  const Type& t = types_[id];
  switch (t.kind) {
    case TypeKind::kVoid:
      return "void";
    case TypeKind::kBool:
      return "bool";
    case TypeKind::kI32:
      return "i32";
    case TypeKind::kU32:
      return "u32";
    case TypeKind::kF32:
      return "f32";
    case TypeKind::kF16:
      return "f16";
    case TypeKind::kVector:
      return fmt::format("vec{}<{}>", t.count, ToString(t.element));
    case TypeKind::kMatrix:
      return fmt::format("mat{}x{}<{}>", t.count, types_[t.element].count,
                         ToString(types_[t.element].element));
    case TypeKind::kArray:
    case TypeKind::kRuntimeArray: {
      std::string text = "array<" + ToString(t.element);
      if (t.kind == TypeKind::kArray) text += fmt::format(", {}", t.count);
      const Type& e = types_[t.element];
      if (t.stride != RoundUp(e.size, e.align)) text += fmt::format(", stride {}", t.stride);
      return text + ">";
    }
    case TypeKind::kStruct:
      return t.name;
    case TypeKind::kAtomic:
      return fmt::format("atomic<{}>", ToString(t.element));
    case TypeKind::kPointer:
      return fmt::format("ptr<{}, {}, {}>", AddressSpaceName(t.space), AccessName(t.access),
                         ToString(t.element));
    case TypeKind::kTexture: {
      const std::string name = TextureName(t.texture_class, t.dimension);
      const bool sampled =
          t.texture_class == TextureClass::kSampled || t.texture_class == TextureClass::kMultisampled;
      return sampled ? fmt::format("{}<{}>", name, ToString(t.element)) : name;
    }
  }
  UNREACHABLE("type kind");
}

uint32_t TypeTable::CoordinateCount(TypeId texture) const {
  switch (types_[texture].dimension) {
    case TextureDimension::k1d:
      return 1;
    case TextureDimension::k2d:
    case TextureDimension::k2dArray:
    case TextureDimension::kCube:
    case TextureDimension::kCubeArray:
      return 2;
    case TextureDimension::k3d:
      return 3;
  }
  UNREACHABLE("texture dimension");
}

std::string TextureName(TextureClass texture_class, TextureDimension dimension) {
  return fmt::format("texture_{}{}", kClassTexts[static_cast<size_t>(texture_class)],
                     kDimensionTexts[static_cast<size_t>(dimension)]);
}

std::string_view AddressSpaceName(AddressSpace space) {
  switch (space) {
    case AddressSpace::kFunction:
      return "function";
    case AddressSpace::kPrivate:
      return "private";
    case AddressSpace::kWorkgroup:
      return "workgroup";
    case AddressSpace::kUniform:
      return "uniform";
    case AddressSpace::kStorage:
      return "storage";
    case AddressSpace::kHandle:
      return "handle";
  }
  UNREACHABLE("address space");
}

std::string_view AccessName(Access access) {
  switch (access) {
    case Access::kRead:
      return "read";
    case Access::kWrite:
      return "write";
    case Access::kReadWrite:
      return "read_write";
  }
  UNREACHABLE("access");
}

}  // namespace lockstep::ir
