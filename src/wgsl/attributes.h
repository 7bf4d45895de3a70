// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Attribute names, where each may stand, and the built-in values; rows of defs/attributes.def and
// defs/builtin_values.def.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "wgsl/ast.h"

namespace lockstep::wgsl {

enum class AttributeKind : uint8_t {
#define ATTRIBUTE(Name, text, low, high, places, extension) k##Name,
#include "wgsl/defs/attributes.def"
  kCount,
};

// Where attributes stand; bits.
enum AttributePlace : uint16_t {
  kOnVar = 1,
  kOnOverride = 2,
  kOnFunction = 4,
  kOnParam = 8,
  kOnResult = 16,
  kOnMember = 32,
  kOnStatement = 64,
  kOnNothing = 0,
};

struct AttributeRow {
  std::string_view name;
  uint8_t min_args, max_args;
  uint16_t places;
  std::string_view extension;  // that must be enabled, empty for none
};
const AttributeRow& RowOf(AttributeKind kind);

// The attributes of one thing, by kind; null where not written.
struct AttributeSet {
  std::array<const ast::Attribute*, static_cast<size_t>(AttributeKind::kCount)> by_kind = {};
  const ast::Attribute* operator[](AttributeKind kind) const { return by_kind[static_cast<size_t>(kind)]; }
};

struct BuiltinValueRow {
  std::string_view name;
  std::string_view type;      // as WGSL writes it
  std::string_view input_of;  // stages that have it as input, separated by spaces
  std::string_view output_of;
  std::string_view extension;  // that must be enabled, empty for none
};
const BuiltinValueRow* FindBuiltinValue(std::string_view name);

}  // namespace lockstep::wgsl
