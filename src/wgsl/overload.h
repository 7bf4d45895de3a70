// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Overload resolution (WGSL #overload-resolution-section) of builtin functions and operators against the rows
// of defs/builtins.def.
//
// A row's types are patterns over a few parameters, so that `fn clamp<N, T: num>(each<N, T> ...)` is one row
// instead of the 24 overloads that it stands for. Matching a call binds the numbers by structure, collects
// for each type parameter which scalars every argument can become, and takes the best of them. That is the
// candidate that the specification prefers: with one parameter per scalar, conversion ranks order all
// arguments alike.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wgsl/ast.h"
#include "wgsl/builtin.h"
#include "wgsl/type.h"

namespace lockstep::wgsl {

// The cost of an automatic conversion (WGSL #conversion-rank) of a value; kNoConversion where there is none.
inline constexpr uint32_t kNoConversion = 1000;
uint32_t ConversionRank(const TypeTable& types, TypeId from, TypeId to);
// The concrete type that an abstract type becomes where nothing else is asked for; concrete types stay.
TypeId Concretization(TypeTable& types, TypeId type);

enum class PatternKind : uint8_t {
  kScalar,  // scalar
  kParam,   // type parameter `a`
  kEach,    // inner, or a vector of `a` inner
  kVector,  // vector of `a` inner
  kMatrix,  // `a` columns, `b` rows of inner
  kRuntimeArray,
  kAtomic,   // inner
  kPointer,  // inner, space, access
  kTexture,  // TextureTypes()[a], inner where it is sampled
  kFrexpResult,
  kModfResult,             // `a`, inner
  kCompareExchangeResult,  // inner
};

struct Pattern {
  PatternKind kind = PatternKind::kScalar;
  TypeKind scalar = TypeKind::kVoid;
  // A number: 2..4 itself, or ~i for number parameter i. For kParam the index of the type parameter, for
  // kTexture that of the texture.
  int8_t a = 0, b = 0;
  bool workgroup = false, storage = false;  // kPointer: the spaces that fit
  bool any_access = false;                  // kPointer: not only read_write
  uint16_t inner = 0;                       // index into OverloadTable::patterns
};

struct TypeParam {
  std::string_view name;
  uint8_t set = 0;  // bits by ScalarIndex; 0: a whole type, taken from the argument
  bool constructible = false;
};

struct Overload {
  std::string_view text;       // the row
  std::string_view signature;  // from the name on, for messages
  bool is_const = false, must_use = false;
  std::string_view feature;  // the language feature that it belongs to, "" for most
  std::string_view stage;    // the only one that may call it, "" for most
  std::vector<TypeParam> types;
  std::vector<std::string_view> numbers;
  std::vector<uint16_t> explicit_types;  // patterns
  std::vector<uint16_t> params;
  std::optional<uint16_t> result;
};

struct OverloadMatch {
  const Overload* overload = nullptr;
  std::vector<TypeId> params;
  TypeId result;
};

struct OverloadRange {
  const Overload* begin_ = nullptr;
  const Overload* end_ = nullptr;
  const Overload* begin() const { return begin_; }
  const Overload* end() const { return end_; }
};

// The rows of a builtin or operator.
OverloadRange OverloadsOf(Builtin builtin);
OverloadRange OverloadsOf(ast::UnaryOp op);  // negate, not, complement
OverloadRange OverloadsOf(ast::BinaryOp op);

struct OverloadArgument {
  TypeId type;            // of the value, or a pointer; no reference
  bool is_const = false;  // a const-expression
};

// A row as a user may read it: "clamp(T, T, T) -> T, where T is i32, u32, f32 or a vector of these".
std::string DescribeOverload(const Overload& overload);

// Whether a first argument of the type fits.
bool TakesFirst(TypeTable& types, const Overload& overload, TypeId type);

// None where nothing fits.
std::optional<OverloadMatch> MatchOverload(TypeTable& types, OverloadRange candidates,
                                           std::span<const TypeId> explicit_types,
                                           std::span<const OverloadArgument> args);

}  // namespace lockstep::wgsl
