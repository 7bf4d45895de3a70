// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the scalars of a buffer lie. To a run a buffer is flat: the list of its scalars in memory order,
// padding left out. A Layout is the small tree that says at which byte the i-th scalar is; nothing of the
// size of the buffer is kept.
//
//   100 x struct { a: vec3f, b: u32 }  ->  array 100, stride 16 { struct { @0 array 3 { f32 }, @12 u32 } }
//
// Sizes saturate at UINT64_MAX instead of wrapping, so that absurd counts stay absurd until a limit refuses
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runner/scalar.h"

namespace lockstep::runner {

struct Layout {
  enum class Form : uint8_t { kScalar, kArray, kStruct };

  Form form = Form::kScalar;
  ScalarKind kind = ScalarKind::kU32;  // kScalar
  uint64_t count = 1;                  // kArray
  uint64_t stride = 4;                 // kArray: bytes
  uint64_t size = 4;                   // bytes in memory, trailing padding included
  uint64_t scalars = 1;                // in all
  std::vector<uint64_t> offsets;       // kStruct: by member
  std::vector<Layout> parts;           // kArray: its element; kStruct: its members

  static Layout OfScalar(ScalarKind kind);
  static Layout OfArray(Layout element, uint64_t count, uint64_t stride);
  static Layout OfStruct(std::vector<Layout> members, std::vector<uint64_t> offsets, uint64_t size);
};

struct ScalarPlace {
  uint64_t offset = 0;  // bytes
  ScalarKind kind = ScalarKind::kU32;
};
// The place of scalar `index` (less than layout.scalars).
ScalarPlace PlaceOf(const Layout& layout, uint64_t index);
// The kind that all scalars share; None where they differ.
std::optional<ScalarKind> CommonKind(const Layout& layout);

// Calls visit(offset, kind) for every scalar, in order.
template <typename Visit>
void ForEachScalar(const Layout& layout, const Visit& visit, uint64_t base = 0) {
  switch (layout.form) {
    case Layout::Form::kScalar:
      visit(base, layout.kind);
      return;
    case Layout::Form::kArray: {
      const Layout& element = layout.parts[0];
      if (element.form == Layout::Form::kScalar) {
        for (uint64_t i = 0; i < layout.count; ++i) visit(base + i * layout.stride, element.kind);
      } else {
        for (uint64_t i = 0; i < layout.count; ++i) ForEachScalar(element, visit, base + i * layout.stride);
      }
      return;
    }
    case Layout::Form::kStruct:
      for (size_t i = 0; i < layout.parts.size(); ++i)
        ForEachScalar(layout.parts[i], visit, base + layout.offsets[i]);
      return;
  }
}

// The scalars' bits, from memory and to it; `memory` holds at least layout.size bytes, `values`
// layout.scalars values.
std::vector<uint32_t> Gather(const Layout& layout, std::span<const std::byte> memory);
void Scatter(const Layout& layout, std::span<const uint32_t> values, std::span<std::byte> memory);

uint64_t SaturatingMul(uint64_t a, uint64_t b);
uint64_t SaturatingAdd(uint64_t a, uint64_t b);

}  // namespace lockstep::runner
