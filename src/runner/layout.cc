// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "runner/layout.h"

#include <cstring>
#include <utility>

#include "support/check.h"

namespace lockstep::runner {

uint64_t SaturatingMul(uint64_t a, uint64_t b) {
  uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

uint64_t SaturatingAdd(uint64_t a, uint64_t b) {
  uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

Layout Layout::OfScalar(ScalarKind kind) {
  Layout layout;
  layout.kind = kind;
  layout.size = ScalarBytes(kind);
  return layout;
}

Layout Layout::OfArray(Layout element, uint64_t count, uint64_t stride) {
  Layout layout;
  layout.form = Form::kArray;
  layout.count = count;
  layout.stride = stride;
  layout.size = SaturatingMul(count, stride);
  layout.scalars = SaturatingMul(count, element.scalars);
  layout.parts.push_back(std::move(element));
  return layout;
}

Layout Layout::OfStruct(std::vector<Layout> members, std::vector<uint64_t> offsets, uint64_t size) {
  CHECK(members.size() == offsets.size());
  Layout layout;
  layout.form = Form::kStruct;
  layout.size = size;
  layout.scalars = 0;
  for (const Layout& member : members) layout.scalars = SaturatingAdd(layout.scalars, member.scalars);
  layout.parts = std::move(members);
  layout.offsets = std::move(offsets);
  return layout;
}

ScalarPlace PlaceOf(const Layout& layout, uint64_t index) {
  CHECK(index < layout.scalars);
  const Layout* at = &layout;
  uint64_t base = 0;
  while (at->form != Layout::Form::kScalar) {
    if (at->form == Layout::Form::kArray) {
      const uint64_t each = at->parts[0].scalars;
      base += index / each * at->stride;
      index %= each;
      at = &at->parts[0];
      continue;
    }
    size_t member = 0;
    while (index >= at->parts[member].scalars) index -= at->parts[member++].scalars;
    base += at->offsets[member];
    at = &at->parts[member];
  }
  return {base, at->kind};
}

std::optional<ScalarKind> CommonKind(const Layout& layout) {
  if (layout.form == Layout::Form::kScalar) return layout.kind;
  std::optional<ScalarKind> common;
  for (const Layout& part : layout.parts) {
    const std::optional<ScalarKind> kind = CommonKind(part);
    if (!kind || (common && *common != *kind)) return std::nullopt;
    common = kind;
  }
  return common;
}

std::vector<uint32_t> Gather(const Layout& layout, std::span<const std::byte> memory) {
  CHECK(memory.size() >= layout.size);
  std::vector<uint32_t> values;
  values.reserve(layout.scalars);
  ForEachScalar(layout, [&](uint64_t offset, ScalarKind kind) {
    uint32_t bits = 0;
    std::memcpy(&bits, memory.data() + offset, ScalarBytes(kind));
    values.push_back(bits);
  });
  return values;
}

void Scatter(const Layout& layout, std::span<const uint32_t> values, std::span<std::byte> memory) {
  CHECK(memory.size() >= layout.size && values.size() == layout.scalars);
  size_t next = 0;
  ForEachScalar(layout, [&](uint64_t offset, ScalarKind kind) {
    std::memcpy(memory.data() + offset, &values[next++], ScalarBytes(kind));
  });
}

}  // namespace lockstep::runner
