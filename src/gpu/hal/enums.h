// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// WebGPU's enumerations and their strings, in both directions for all of them:
//   EnumName(TextureDimension::k2d) == "2d"        FindEnum<TextureDimension>("2d") == TextureDimension::k2d
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "abi/render.h"

namespace lockstep::gpu::hal {

#define ENUM(Name) using abi::Name;
#define VALUE(enumerator, string)
#define END(Name)
#include "abi/render_enums.def"
using abi::VertexFormat;

#define ENUM(Name) enum class Name : uint8_t {
#define VALUE(enumerator, string) enumerator,
#define END(Name) \
  }               \
  ;
#include "gpu/hal/enums.def"

// The strings of an enumeration by value; specialised for each.
template <typename Enum>
inline constexpr std::nullptr_t kEnumNames = nullptr;
#define ENUM(Name) \
  template <>      \
  inline constexpr auto kEnumNames<Name> = std::to_array<std::string_view>({
#define VALUE(enumerator, string) string,
#define END(Name) \
  })              \
  ;
#include "gpu/hal/enums.def"
#define ENUM(Name) \
  template <>      \
  inline constexpr auto kEnumNames<Name> = std::to_array<std::string_view>({
#define VALUE(enumerator, string) string,
#define END(Name) \
  })              \
  ;
#include "abi/render_enums.def"
template <>
inline constexpr auto kEnumNames<VertexFormat> = std::to_array<std::string_view>({
#define FORMAT(enumerator, name, kind, bits, components) name,
#include "abi/vertex_format.def"
});

template <typename Enum>
constexpr std::string_view EnumName(Enum value) {
  return kEnumNames<Enum>[static_cast<size_t>(value)];
}

template <typename Enum>
constexpr std::optional<Enum> FindEnum(std::string_view name) {
  constexpr const auto& kNames = kEnumNames<Enum>;
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Enum>(found - kNames.begin());
}

}  // namespace lockstep::gpu::hal
