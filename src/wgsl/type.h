// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// The types of WGSL as the resolver sees them, interned: equality is `==` on TypeId. Unlike ir::Type they
// include abstract numbers, references, override-sized arrays, and leave room for the kinds that later issues
// add.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "support/source.h"
#include "support/store.h"
#include "wgsl/ast.h"

namespace lockstep::wgsl {

struct TypeId : IdBase<TypeId> {
  using IdBase::IdBase;
};
struct StructId : IdBase<StructId> {
  using IdBase::IdBase;
};

enum class TypeKind : uint8_t {
  kVoid,  // a call of a function that returns nothing
  kBool,
  kI32,
  kU32,
  kF32,
  kF16,
  kAbstractInt,
  kAbstractFloat,
  kVector,     // element, count
  kMatrix,     // element = the scalar, count = columns, rows
  kArray,      // element, count; where count == 0: override_count is set, or the array is runtime-sized
  kStruct,     // struct_id
  kAtomic,     // element
  kPointer,    // space, element, access
  kReference,  // space, element, access
  kSampler,    // comparison
  kTexture,    // texture_class, dimension; element = the sampled type, or texel_format and access of storage
};

// WGSL #texture-types.
enum class TextureClass : uint8_t {
  kSampled,
  kMultisampled,
  kDepth,
  kDepthMultisampled,
  kStorage,
  kExternal,
};
enum class TextureDimension : uint8_t { k1d, k2d, k2dArray, k3d, kCube, kCubeArray };
enum class TexelFormat : uint8_t {
#define TEXEL_FORMAT(name) k_##name,
#include "wgsl/defs/texel_formats.def"
};
std::string_view TexelFormatName(TexelFormat format);  // as WebGPU's GPUTextureFormat
std::span<const std::string_view> TexelFormatNames();  // by value

struct TextureTypeInfo {
  std::string_view name;  // "texture_2d_array"
  TextureClass texture_class;
  TextureDimension dimension;
};
std::span<const TextureTypeInfo> TextureTypes();

enum class AddressSpace : uint8_t { kFunction, kPrivate, kWorkgroup, kUniform, kStorage, kHandle };
enum class AccessMode : uint8_t { kRead, kWrite, kReadWrite };
std::string_view AddressSpaceName(AddressSpace space);
std::string_view AccessModeName(AccessMode access);

// A scalar type of numbers as messages show it: "i32", "-2147483648 to 2147483647".
struct NumberTypeText {
  std::string_view name, range;
};
NumberTypeText TextOfNumberType(TypeKind kind);

struct Type {
  TypeKind kind = TypeKind::kVoid;
  AddressSpace space = AddressSpace::kFunction;
  AccessMode access = AccessMode::kReadWrite;
  uint8_t rows = 0;
  uint32_t count = 0;
  TypeId element;
  StructId struct_id;
  TextureClass texture_class = TextureClass::kSampled;
  TextureDimension dimension = TextureDimension::k1d;
  TexelFormat texel_format = TexelFormat::k_rgba8unorm;
  bool comparison = false;
  ast::ExprId override_count;  // an override-expression that gives the count (only workgroup variables)
  friend bool operator==(const Type&, const Type&) = default;
};

// WGSL #interpolation.
enum class InterpolationType : uint8_t { kPerspective, kLinear, kFlat };
enum class InterpolationSampling : uint8_t { kCenter, kCentroid, kSample, kFirst, kEither };

// What its attributes say of an input or output of an entry point (WGSL #stage-inputs-outputs).
struct IoAttributes {
  std::string builtin;  // the name of a built-in value, empty for user-defined ones
  std::optional<uint32_t> location, blend_src;
  InterpolationType interpolation = InterpolationType::kPerspective;
  InterpolationSampling sampling = InterpolationSampling::kCenter;
  bool invariant = false;
  bool is_wrong = false;  // was reported
};

struct StructMember {
  std::string name;
  TypeId type;
  uint32_t offset = 0, size = 0,
           align = 0;  // bytes; 0 where the type is not host-shareable or has no fixed size
  bool explicit_size = false, explicit_align = false;
  Span name_span;
  IoAttributes io;
};

struct Struct {
  std::string name;
  std::vector<StructMember> members;
  uint32_t size = 0,
           align = 0;  // bytes (WGSL #alignment-and-size); with a runtime-sized tail: with one element
  Span name_span;
  bool is_builtin_result = false;  // __frexp_result_f32 and its like: no name in source
};

class TypeTable {
 public:
  TypeTable();
  const Type& operator[](TypeId id) const { return types_[id]; }

  TypeId Void() const { return void_; }
  TypeId Bool() const { return bool_; }
  TypeId I32() const { return i32_; }
  TypeId U32() const { return u32_; }
  TypeId F32() const { return f32_; }
  TypeId F16() const { return f16_; }
  TypeId AbstractInt() const { return abstract_int_; }
  TypeId AbstractFloat() const { return abstract_float_; }
  TypeId Vector(TypeId element, uint32_t count);
  TypeId Matrix(TypeId scalar, uint32_t columns, uint32_t rows);
  TypeId Array(TypeId element, uint32_t count);
  TypeId RuntimeArray(TypeId element);
  // `text` is how the author wrote the count, for messages.
  TypeId OverrideArray(TypeId element, ast::ExprId count, std::string_view text = "override");
  TypeId StructType(StructId id);  // the members must be there: the answers below are computed once
  TypeId Atomic(TypeId element);
  TypeId Pointer(AddressSpace space, TypeId store, AccessMode access);
  TypeId Sampler(bool comparison);
  TypeId Texture(const TextureTypeInfo& info, TypeId sampled);  // None for depth and external textures
  TypeId StorageTexture(const TextureTypeInfo& info, TexelFormat format, AccessMode access);
  TypeId Reference(AddressSpace space, TypeId store, AccessMode access);

  // A structure that only builtins make, like __frexp_result_f32: made once, found again by its name.
  TypeId BuiltinStruct(const std::string& name, const std::vector<std::pair<std::string, TypeId>>& members);

  StructId AddStruct(Struct s) { return structs_.Add(std::move(s)); }
  uint32_t struct_count() const { return structs_.size(); }
  Struct& struct_of(StructId id) { return structs_[id]; }
  const Struct& struct_of(StructId id) const { return structs_[id]; }
  const Struct& struct_of(TypeId id) const { return structs_[types_[id].struct_id]; }

  // --- questions (WGSL #types) ---
  bool IsScalar(TypeId id) const;
  bool IsAbstract(TypeId id) const;  // abstract, or a vector, matrix or array of abstract numbers
  bool IsInteger(TypeId id) const;   // i32, u32, abstract-int
  bool IsFloat(TypeId id) const;     // f32, f16, abstract-float
  bool IsNumeric(TypeId id) const;   // integer or float scalar
  TypeId ScalarOf(TypeId id) const;  // of scalar, vector, matrix; None otherwise
  uint32_t Width(TypeId id) const;   // 1 for scalars, count for vectors
  TypeId WithScalar(TypeId shape, TypeId scalar);  // the same vector or matrix shape (or scalar)
  bool IsReference(TypeId id) const { return types_[id].kind == TypeKind::kReference; }
  // Samplers and textures: what lives in the address space 'handle'.
  bool IsHandle(TypeId id) const {
    return types_[id].kind == TypeKind::kSampler || types_[id].kind == TypeKind::kTexture;
  }
  bool IsPointer(TypeId id) const { return types_[id].kind == TypeKind::kPointer; }
  // The store type of a reference, the type itself otherwise.
  TypeId Unreference(TypeId id) const { return IsReference(id) ? types_[id].element : id; }
  bool IsRuntimeSizedArray(TypeId id) const;
  bool IsOverrideSizedArray(TypeId id) const;
  bool IsConstructible(TypeId id) const;
  bool HasCreationFixedFootprint(TypeId id) const;
  bool HasFixedFootprint(TypeId id) const;
  bool IsHostShareable(TypeId id) const;
  bool IsStorable(TypeId id) const;
  bool ContainsAtomic(TypeId id) const;
  bool IsConcrete(TypeId id) const { return !IsAbstract(id); }
  uint32_t NestDepth(TypeId id) const;

  // --- layout in bytes (WGSL #memory-layouts); sizes of runtime-sized arrays count one element. Saturate at
  //     UINT64_MAX instead of wrapping. ---
  uint64_t SizeOf(TypeId id) const;
  uint64_t AlignOf(TypeId id) const;
  uint64_t StrideOf(TypeId array) const;

  std::string ToString(TypeId id) const;  // as the author would write it: vec3<f32>, array<i32, 4>, ref<...>

 private:
  // The answers, computed when a type is interned, so that deep or wide types cost nothing to ask about.
  struct Facts {
    bool constructible = false, creation_fixed = false, host_shareable = false, storable = false;
    bool contains_atomic = false, is_abstract = false;
    uint32_t depth = 0;
    uint64_t size = 0, align = 0;
  };

  TypeId Intern(const Type& type);
  Facts ComputeFacts(const Type& type) const;
  std::string TextureText(const Type& type) const;
  Facts VectorFacts(const Type& type) const;
  Facts ArrayFacts(const Type& type) const;
  Facts StructFacts(const Type& type) const;

  Store<TypeId, Type> types_;
  std::vector<Facts> facts_;                                  // by TypeId
  std::unordered_map<uint32_t, std::string> override_texts_;  // by the count's ExprId
  Store<StructId, Struct> structs_;
  std::unordered_map<std::string, TypeId> interned_;
  std::unordered_map<std::string, TypeId> builtin_structs_;
  TypeId void_, bool_, i32_, u32_, f32_, f16_, abstract_int_, abstract_float_;
};

}  // namespace lockstep::wgsl
