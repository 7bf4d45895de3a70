// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "wgsl/attributes.h"

namespace lockstep::wgsl {
namespace {

constexpr AttributeRow kRows[] = {
#define ATTRIBUTE(Name, text, low, high, places, extension) {text, low, high, places, extension},
#include "wgsl/defs/attributes.def"
};

constexpr BuiltinValueRow kBuiltinValues[] = {
#define BUILTIN_VALUE(name, type, input_of, output_of, extension) \
  {name, type, input_of, output_of, extension},
#include "wgsl/defs/builtin_values.def"
};

}  // namespace

const AttributeRow& RowOf(AttributeKind kind) { return kRows[static_cast<size_t>(kind)]; }

const BuiltinValueRow* FindBuiltinValue(std::string_view name) {
  for (const BuiltinValueRow& row : kBuiltinValues) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

}  // namespace lockstep::wgsl
