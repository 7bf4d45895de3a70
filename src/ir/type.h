// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// IR types: interned, so that equality is `==` on TypeId. They carry WGSL's memory layout (#memory-layouts):
// sizes, alignments, array strides and member offsets in bytes are decided by the front end and kept here.
//
// A type is one row; `element` and the others mean, by kind:
//   bool i32 u32 f32 f16   nothing (bool takes 4 bytes in memory)
//   void                   no value: what a call of a function without a result yields
//   vector                 element = scalar, count = 2..4
//   matrix                 element = the column vector, count = columns 2..4
//   array                  element, count >= 1, stride in bytes
//   runtime_array          element, stride in bytes; only behind a pointer, last member or whole variable
//   struct                 members; name kept for reports
//   atomic                 element = i32 or u32; only behind a pointer
//   pointer                element = what it points to, space, access
//   texture                texture_class, dimension, element = scalar of a texel's channels (None of storage
//   textures); a
//                          handle: values of it are module-scope variables and parameters of functions
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/ids.h"
#include "support/store.h"

namespace lockstep::ir {

enum class TypeKind : uint8_t {
  kVoid,
  kBool,
  kI32,
  kU32,
  kF32,
  kF16,
  kVector,
  kMatrix,
  kArray,
  kRuntimeArray,
  kStruct,
  kAtomic,
  kPointer,
  kTexture,
};

enum class AddressSpace : uint8_t { kFunction, kPrivate, kWorkgroup, kUniform, kStorage, kHandle };
enum class Access : uint8_t { kRead, kWrite, kReadWrite };

enum class TextureClass : uint8_t { kSampled, kMultisampled, kDepth, kDepthMultisampled, kStorage };
enum class TextureDimension : uint8_t { k1d, k2d, k2dArray, k3d, kCube, kCubeArray };

struct Member {
  std::string name;
  TypeId type;
  uint32_t offset = 0;  // bytes from the start of the struct
  friend bool operator==(const Member&, const Member&) = default;
};

struct Type {
  TypeKind kind = TypeKind::kVoid;
  AddressSpace space = AddressSpace::kFunction;  // pointer
  Access access = Access::kReadWrite;            // pointer
  TextureClass texture_class = TextureClass::kSampled;
  TextureDimension dimension = TextureDimension::k1d;
  TypeId element = TypeId::None();
  uint32_t count = 0;
  uint32_t stride = 0;          // array, runtime_array
  uint32_t size = 0;            // bytes in memory; of a runtime_array or a struct with one: with one element
  uint32_t align = 1;           // bytes
  std::string name;             // struct
  std::vector<Member> members;  // struct
  friend bool operator==(const Type&, const Type&) = default;
};

class TypeTable {
 public:
  TypeTable();

  const Type& operator[](TypeId id) const { return types_[id]; }
  uint32_t size() const { return types_.size(); }

  TypeId Void() const { return void_; }
  TypeId Bool() const { return bool_; }
  TypeId I32() const { return i32_; }
  TypeId U32() const { return u32_; }
  TypeId F32() const { return f32_; }
  TypeId F16() const { return f16_; }
  TypeId Vector(TypeId scalar, uint32_t count);
  TypeId Matrix(TypeId column, uint32_t columns);
  TypeId Array(TypeId element, uint32_t count, uint32_t stride);
  TypeId RuntimeArray(TypeId element, uint32_t stride);
  TypeId Struct(std::string name, std::vector<Member> members, uint32_t size, uint32_t align);
  TypeId Atomic(TypeId element);
  TypeId Pointer(AddressSpace space, Access access, TypeId pointee);
  TypeId Texture(TextureClass texture_class, TextureDimension dimension, TypeId element);

  // --- questions ---
  bool IsScalar(TypeId id) const;         // bool, i32, u32, f32, f16
  bool IsNumericScalar(TypeId id) const;  // a scalar but bool
  bool IsFloat(TypeId id) const;          // f32, f16, or a vector of them
  bool IsSigned(TypeId id) const;         // i32 or a vector of it
  bool IsUnsigned(TypeId id) const;       // u32 or a vector of it
  bool IsBool(TypeId id) const;           // bool or a vector of it
  bool IsPointer(TypeId id) const { return types_[id].kind == TypeKind::kPointer; }
  bool IsTexture(TypeId id) const { return types_[id].kind == TypeKind::kTexture; }
  TypeId Pointee(TypeId pointer) const { return types_[pointer].element; }
  // The scalar of a scalar or vector (itself for a scalar); of a matrix, its columns' scalar.
  TypeId ScalarOf(TypeId id) const;
  // 1 for a scalar, its count for a vector.
  uint32_t Width(TypeId id) const;
  // The same shape with another scalar: (vec3<f32>, bool) -> vec3<bool>.
  TypeId WithScalar(TypeId shape, TypeId scalar);
  // How many parts a composite has that `access`, `extract` and `construct` number from 0: components,
  // columns, elements or members. 0 for scalars, atomics, pointers and runtime arrays.
  uint32_t PartCount(TypeId id) const;
  TypeId PartType(TypeId id, uint32_t part) const;
  // Byte offset of part `part` of a value of `id` in memory.
  uint32_t PartOffset(TypeId id, uint32_t part) const;
  // How many scalars a value of the type flattens into (an atomic is one; a runtime array counts one
  // element).
  uint32_t ScalarCount(TypeId id) const;
  bool HasRuntimeArray(TypeId id) const;
  // Of a texture: the coordinates that name a texel of a layer and level, 1 to 3.
  uint32_t CoordinateCount(TypeId texture) const;
  // How deep types nest in it: 1 for a scalar.
  uint32_t Depth(TypeId id) const;

  // "vec3<f32>", "array<u32, 16>", "ptr<storage, read_write, array<f32>>", a struct's name.
  std::string ToString(TypeId id) const;

 private:
  // What would need a walk down the type: kept beside it when it is made, so that no question recurses.
  struct Facts {
    uint32_t scalar_count = 0;
    uint32_t depth = 1;
    bool has_runtime_array = false;
  };

  TypeId Intern(Type type);
  Facts FactsOf(const Type& type) const;
  std::string UniqueStructName(std::string name);

  Store<TypeId, Type> types_;
  std::vector<Facts> facts_;                                // by type
  std::unordered_map<std::string, uint32_t> struct_names_;  // taken ones, with the last suffix given
  std::unordered_map<std::string, TypeId> interned_;        // by a structural key
  TypeId void_, bool_, i32_, u32_, f32_, f16_;
};

// "texture_depth_2d_array", as in WGSL, without what stands in <>.
std::string TextureName(TextureClass texture_class, TextureDimension dimension);
std::string_view AddressSpaceName(AddressSpace space);  // "storage"
std::string_view AccessName(Access access);             // "read_write"

}  // namespace lockstep::ir
