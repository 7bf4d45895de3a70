// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "wgsl/type.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "wgsl/layout.h"

namespace lockstep::wgsl {
namespace {

constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();

uint64_t SaturatingMul(uint64_t a, uint64_t b) {
  uint64_t out = 0;
  return __builtin_mul_overflow(a, b, &out) ? kMax : out;
}

uint64_t RoundUp(uint64_t align, uint64_t value) {
  if (align == 0 || value > kMax - align) return value;
  return (value + align - 1) / align * align;
}

// The bytes that tell types apart: what a kind does not use is zero, and the three ids share a place.
std::string KeyOf(const Type& type) {
  uint32_t detail = type.count;
  if (type.override_count.has_value()) detail = type.override_count.index;
  const uint32_t inner = type.struct_id.has_value() ? type.struct_id.index : type.element.index;
  const bool sized_by_override = type.override_count.has_value();
  std::array<char, 17> key{};
  key[0] = static_cast<char>(type.kind);
  key[1] = static_cast<char>(type.space);
  key[2] = static_cast<char>(type.access);
  key[3] = static_cast<char>(type.rows);
  std::memcpy(&key[4], &detail, 4);
  std::memcpy(&key[8], &inner, 4);
  key[12] = sized_by_override ? 1 : 0;
  key[13] = static_cast<char>(type.texture_class);
  key[14] = static_cast<char>(type.dimension);
  key[15] = static_cast<char>(type.texel_format);
  key[16] = type.comparison ? 1 : 0;
  return std::string(key.data(), key.size());
}

}  // namespace

NumberTypeText TextOfNumberType(TypeKind kind) {
  switch (kind) {
    case TypeKind::kI32:
      return {"i32", "-2147483648 to 2147483647"};
    case TypeKind::kU32:
      return {"u32", "0 to 4294967295"};
    case TypeKind::kF32:
      return {"f32", "-3.4028235e+38 to 3.4028235e+38"};
    case TypeKind::kF16:
      return {"f16", "-65504 to 65504"};
    case TypeKind::kAbstractInt:
      return {"abstract-int", "-9223372036854775808 to 9223372036854775807"};
    case TypeKind::kAbstractFloat:
      return {"abstract-float", "-1.7976931348623157e+308 to 1.7976931348623157e+308"};
    case TypeKind::kVoid:
    case TypeKind::kBool:
    case TypeKind::kVector:
    case TypeKind::kMatrix:
    case TypeKind::kArray:
    case TypeKind::kStruct:
    case TypeKind::kAtomic:
    case TypeKind::kPointer:
    case TypeKind::kReference:
    case TypeKind::kSampler:
    case TypeKind::kTexture:
      break;
  }
  UNREACHABLE("not a type of numbers");
}

std::span<const std::string_view> TexelFormatNames() {
  static constexpr std::string_view kNames[] = {
#define TEXEL_FORMAT(name) #name,
#include "wgsl/defs/texel_formats.def"
  };
  return kNames;
}

std::string_view TexelFormatName(TexelFormat format) {
  return TexelFormatNames()[static_cast<size_t>(format)];
}

std::span<const TextureTypeInfo> TextureTypes() {
  static constexpr TextureTypeInfo kTypes[] = {
#define TEXTURE(name, texture_class, dimension) \
  {name, TextureClass::texture_class, TextureDimension::dimension},
#include "wgsl/defs/textures.def"
  };
  return kTypes;
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

std::string_view AccessModeName(AccessMode access) {
  switch (access) {
    case AccessMode::kRead:
      return "read";
    case AccessMode::kWrite:
      return "write";
    case AccessMode::kReadWrite:
      return "read_write";
  }
  UNREACHABLE("access mode");
}

TypeTable::TypeTable() {
  const auto simple = [this](TypeKind kind) {
    Type type;
    type.kind = kind;
    return Intern(type);
  };
  void_ = simple(TypeKind::kVoid);
  bool_ = simple(TypeKind::kBool);
  i32_ = simple(TypeKind::kI32);
  u32_ = simple(TypeKind::kU32);
  f32_ = simple(TypeKind::kF32);
  f16_ = simple(TypeKind::kF16);
  abstract_int_ = simple(TypeKind::kAbstractInt);
  abstract_float_ = simple(TypeKind::kAbstractFloat);
}

TypeId TypeTable::Intern(const Type& type) {
  const auto [it, inserted] = interned_.try_emplace(KeyOf(type));
  if (inserted) {
    facts_.push_back(ComputeFacts(type));
    it->second = types_.Add(type);
  }
  return it->second;
}

TypeId TypeTable::Vector(TypeId element, uint32_t count) {
  Type type;
  type.kind = TypeKind::kVector;
  type.element = element;
  type.count = count;
  return Intern(type);
}

TypeId TypeTable::Matrix(TypeId scalar, uint32_t columns, uint32_t rows) {
  Type type;
  type.kind = TypeKind::kMatrix;
  type.element = scalar;
  type.count = columns;
  type.rows = static_cast<uint8_t>(rows);
  return Intern(type);
}

TypeId TypeTable::Array(TypeId element, uint32_t count) {
  Type type;
  type.kind = TypeKind::kArray;
  type.element = element;
  type.count = count;
  return Intern(type);
}

TypeId TypeTable::RuntimeArray(TypeId element) { return Array(element, 0); }

TypeId TypeTable::OverrideArray(TypeId element, ast::ExprId count, std::string_view text) {
  Type type;
  type.kind = TypeKind::kArray;
  type.element = element;
  type.override_count = count;
  override_texts_.try_emplace(count.index, text);
  return Intern(type);
}

TypeId TypeTable::StructType(StructId id) {
  Type type;
  type.kind = TypeKind::kStruct;
  type.struct_id = id;
  return Intern(type);
}

TypeId TypeTable::Atomic(TypeId element) {
  Type type;
  type.kind = TypeKind::kAtomic;
  type.element = element;
  return Intern(type);
}

TypeId TypeTable::Pointer(AddressSpace space, TypeId store, AccessMode access) {
  Type type;
  type.kind = TypeKind::kPointer;
  type.space = space;
  type.element = store;
  type.access = access;
  return Intern(type);
}

TypeId TypeTable::Sampler(bool comparison) {
  Type type;
  type.kind = TypeKind::kSampler;
  type.comparison = comparison;
  return Intern(type);
}

TypeId TypeTable::Texture(const TextureTypeInfo& info, TypeId sampled) {
  Type type;
  type.kind = TypeKind::kTexture;
  type.texture_class = info.texture_class;
  type.dimension = info.dimension;
  type.element = sampled;
  return Intern(type);
}

TypeId TypeTable::StorageTexture(const TextureTypeInfo& info, TexelFormat format, AccessMode access) {
  Type type;
  type.kind = TypeKind::kTexture;
  type.texture_class = info.texture_class;
  type.dimension = info.dimension;
  type.texel_format = format;
  type.access = access;
  return Intern(type);
}

TypeId TypeTable::Reference(AddressSpace space, TypeId store, AccessMode access) {
  Type type;
  type.kind = TypeKind::kReference;
  type.space = space;
  type.element = store;
  type.access = access;
  return Intern(type);
}

TypeId TypeTable::BuiltinStruct(const std::string& name,
                                const std::vector<std::pair<std::string, TypeId>>& members) {
  const auto it = builtin_structs_.find(name);
  if (it != builtin_structs_.end()) return it->second;
  Struct s;
  s.name = name;
  s.is_builtin_result = true;
  for (const auto& [member_name, type] : members) {
    StructMember member;
    member.name = member_name;
    member.type = type;
    s.members.push_back(std::move(member));
  }
  LayoutStruct(*this, s);
  const TypeId type = StructType(AddStruct(std::move(s)));
  builtin_structs_.emplace(name, type);
  return type;
}

// --- facts ---

TypeTable::Facts TypeTable::ComputeFacts(const Type& type) const {
  Facts facts;
  facts.constructible = facts.creation_fixed = facts.storable = facts.host_shareable = true;
  facts.size = facts.align = 4;
  switch (type.kind) {
    case TypeKind::kVoid:
      return Facts();
    case TypeKind::kBool:
      facts.host_shareable = false;
      return facts;
    case TypeKind::kI32:
    case TypeKind::kU32:
    case TypeKind::kF32:
      return facts;
    case TypeKind::kF16:
      facts.size = facts.align = 2;
      return facts;
    case TypeKind::kAbstractInt:
    case TypeKind::kAbstractFloat:
      facts.is_abstract = true;
      facts.creation_fixed = facts.storable = facts.host_shareable = false;
      return facts;
    case TypeKind::kVector:
    case TypeKind::kMatrix:
      return VectorFacts(type);
    case TypeKind::kArray:
      return ArrayFacts(type);
    case TypeKind::kStruct:
      return StructFacts(type);
    case TypeKind::kAtomic:
      facts = facts_[type.element.index];
      facts.constructible = false;
      facts.contains_atomic = true;
      return facts;
    case TypeKind::kPointer:
    case TypeKind::kReference:
    case TypeKind::kSampler:  // stored in their own variables alone, whose size nobody asks for
    case TypeKind::kTexture:
      return Facts();
  }
  UNREACHABLE("type kind");
}

TypeTable::Facts TypeTable::VectorFacts(const Type& type) const {
  Facts facts = facts_[type.element.index];
  const uint64_t scalar = facts.size;
  const uint32_t rows = type.kind == TypeKind::kMatrix ? type.rows : type.count;
  facts.align = scalar * (rows == 2 ? 2 : 4);
  facts.size = scalar * rows;
  facts.depth = 1;
  if (type.kind == TypeKind::kMatrix) {
    facts.size = facts.align * type.count;
    facts.depth = 2;
  }
  return facts;
}

TypeTable::Facts TypeTable::ArrayFacts(const Type& type) const {
  Facts facts = facts_[type.element.index];
  const bool fixed = type.count != 0;
  facts.constructible = fixed && facts.constructible;
  facts.creation_fixed = fixed && facts.creation_fixed;
  facts.host_shareable = facts.host_shareable && !type.override_count.has_value();
  facts.depth += 1;
  facts.size = SaturatingMul(RoundUp(facts.align, facts.size), fixed ? type.count : 1);
  return facts;
}

TypeTable::Facts TypeTable::StructFacts(const Type& type) const {
  const Struct& s = structs_[type.struct_id];
  Facts facts;
  facts.constructible = facts.creation_fixed = facts.storable = facts.host_shareable = true;
  facts.size = s.size;
  facts.align = s.align;
  for (const StructMember& member : s.members) {
    if (!member.type.has_value()) continue;
    const Facts& of = facts_[member.type.index];
    facts.constructible = facts.constructible && of.constructible;
    facts.creation_fixed = facts.creation_fixed && of.creation_fixed;
    facts.storable = facts.storable && of.storable;
    facts.host_shareable = facts.host_shareable && of.host_shareable;
    facts.contains_atomic = facts.contains_atomic || of.contains_atomic;
    facts.is_abstract = facts.is_abstract || of.is_abstract;
    facts.depth = std::max(facts.depth, of.depth);
  }
  facts.depth += 1;
  return facts;
}

// --- questions ---

bool TypeTable::IsScalar(TypeId id) const {
  const TypeKind kind = types_[id].kind;
  return kind >= TypeKind::kBool && kind <= TypeKind::kAbstractFloat;
}

bool TypeTable::IsAbstract(TypeId id) const { return facts_[id.index].is_abstract; }
bool TypeTable::IsInteger(TypeId id) const { return id == i32_ || id == u32_ || id == abstract_int_; }
bool TypeTable::IsFloat(TypeId id) const { return id == f32_ || id == f16_ || id == abstract_float_; }
bool TypeTable::IsNumeric(TypeId id) const { return IsInteger(id) || IsFloat(id); }

TypeId TypeTable::ScalarOf(TypeId id) const {
  const Type& type = types_[id];
  if (type.kind == TypeKind::kVector || type.kind == TypeKind::kMatrix) return type.element;
  return IsScalar(id) ? id : TypeId::None();
}

uint32_t TypeTable::Width(TypeId id) const {
  return types_[id].kind == TypeKind::kVector ? types_[id].count : 1;
}

TypeId TypeTable::WithScalar(TypeId shape, TypeId scalar) {
  const Type type = types_[shape];
  if (type.kind == TypeKind::kVector) return Vector(scalar, type.count);
  if (type.kind == TypeKind::kMatrix) return Matrix(scalar, type.count, type.rows);
  return scalar;
}

bool TypeTable::IsRuntimeSizedArray(TypeId id) const {
  const Type& type = types_[id];
  return type.kind == TypeKind::kArray && type.count == 0 && !type.override_count.has_value();
}

bool TypeTable::IsOverrideSizedArray(TypeId id) const {
  return types_[id].kind == TypeKind::kArray && types_[id].override_count.has_value();
}

bool TypeTable::IsConstructible(TypeId id) const { return facts_[id.index].constructible; }
bool TypeTable::HasCreationFixedFootprint(TypeId id) const { return facts_[id.index].creation_fixed; }

bool TypeTable::HasFixedFootprint(TypeId id) const {
  if (IsOverrideSizedArray(id)) return HasCreationFixedFootprint(types_[id].element);
  return HasCreationFixedFootprint(id);
}

bool TypeTable::IsHostShareable(TypeId id) const { return facts_[id.index].host_shareable; }
bool TypeTable::IsStorable(TypeId id) const { return facts_[id.index].storable; }
bool TypeTable::ContainsAtomic(TypeId id) const { return facts_[id.index].contains_atomic; }
uint32_t TypeTable::NestDepth(TypeId id) const { return facts_[id.index].depth; }

uint64_t TypeTable::SizeOf(TypeId id) const { return facts_[id.index].size; }
uint64_t TypeTable::AlignOf(TypeId id) const { return facts_[id.index].align; }

uint64_t TypeTable::StrideOf(TypeId array) const {
  const Facts& facts = facts_[types_[array].element.index];
  return RoundUp(facts.align, facts.size);
}

std::string TypeTable::TextureText(const Type& type) const {
  const std::span<const TextureTypeInfo> all = TextureTypes();
  const auto info = std::find_if(all.begin(), all.end(), [&](const TextureTypeInfo& t) {
    return t.texture_class == type.texture_class && t.dimension == type.dimension;
  });
  if (type.texture_class == TextureClass::kStorage) {
    return fmt::format("{}<{}, {}>", info->name, TexelFormatName(type.texel_format),
                       AccessModeName(type.access));
  }
  if (!type.element.has_value()) return std::string(info->name);
  return fmt::format("{}<{}>", info->name, ToString(type.element));
}

// Types nest at most 15 deep, so the recursion is bounded; a pointer adds one level.
std::string TypeTable::ToString(TypeId id) const {
  if (!id.has_value()) return "<error>";
  const Type& type = types_[id];
  switch (type.kind) {
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
    case TypeKind::kAbstractInt:
      return "abstract-int";
    case TypeKind::kAbstractFloat:
      return "abstract-float";
    case TypeKind::kVector:
      return fmt::format("vec{}<{}>", type.count, ToString(type.element));
    case TypeKind::kMatrix:
      return fmt::format("mat{}x{}<{}>", type.count, type.rows, ToString(type.element));
    case TypeKind::kArray: {
      if (type.count != 0) return fmt::format("array<{}, {}>", ToString(type.element), type.count);
      if (!type.override_count.has_value()) return fmt::format("array<{}>", ToString(type.element));
      return fmt::format("array<{}, {}>", ToString(type.element),
                         override_texts_.at(type.override_count.index));
    }
    case TypeKind::kStruct:
      return structs_[type.struct_id].name;
    case TypeKind::kSampler:
      return type.comparison ? "sampler_comparison" : "sampler";
    case TypeKind::kTexture:
      return TextureText(type);
    case TypeKind::kAtomic:
      return fmt::format("atomic<{}>", ToString(type.element));
    case TypeKind::kPointer:
    case TypeKind::kReference: {
      const std::string_view word = type.kind == TypeKind::kPointer ? "ptr" : "ref";
      if (type.space != AddressSpace::kStorage) {
        return fmt::format("{}<{}, {}>", word, AddressSpaceName(type.space), ToString(type.element));
      }
      return fmt::format("{}<storage, {}, {}>", word, ToString(type.element), AccessModeName(type.access));
    }
  }
  UNREACHABLE("type kind");
}

}  // namespace lockstep::wgsl
