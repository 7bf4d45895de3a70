// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// The builtin functions of WGSL, enumerated from the table wgsl/defs/builtins.def at build time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lockstep::wgsl {

enum class Builtin : uint16_t {
  kNone,
#define BUILTIN(Name, text) k##Name,
#include "wgsl/defs/builtin_names.def"
};

inline constexpr size_t kBuiltinCount = 1  // kNone
#define BUILTIN(Name, text) +1
#include "wgsl/defs/builtin_names.def"
    ;

std::string_view BuiltinName(Builtin builtin);
Builtin FindBuiltin(std::string_view name);  // kNone where there is none

}  // namespace lockstep::wgsl
