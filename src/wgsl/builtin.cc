// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "wgsl/builtin.h"

#include <array>
#include <unordered_map>

namespace lockstep::wgsl {
namespace {

constexpr std::array kNames = {
    std::string_view("(none)"),
#define BUILTIN(Name, text) std::string_view(text),
#include "wgsl/defs/builtin_names.def"
};

}  // namespace

std::string_view BuiltinName(Builtin builtin) { return kNames[static_cast<size_t>(builtin)]; }

Builtin FindBuiltin(std::string_view name) {
  static const std::unordered_map<std::string_view, Builtin> by_name = [] {
    std::unordered_map<std::string_view, Builtin> map;
    for (size_t i = 1; i < kNames.size(); ++i) map.emplace(kNames[i], static_cast<Builtin>(i));
    return map;
  }();
  const auto it = by_name.find(name);
  return it == by_name.end() ? Builtin::kNone : it->second;
}

}  // namespace lockstep::wgsl
