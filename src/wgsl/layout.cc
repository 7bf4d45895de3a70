// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "wgsl/layout.h"

#include <algorithm>
#include <limits>

namespace lockstep::wgsl {
namespace {

constexpr uint64_t kMaxSize = std::numeric_limits<uint32_t>::max();

uint64_t RoundUp(uint64_t align, uint64_t value) { return (value + align - 1) / align * align; }

}  // namespace

bool LayoutStruct(const TypeTable& types, Struct& s) {
  uint64_t offset = 0;
  uint64_t struct_align = 1;
  bool fits = true;
  for (StructMember& member : s.members) {
    const uint64_t type_align = member.type.has_value() ? types.AlignOf(member.type) : 1;
    const uint64_t type_size = member.type.has_value() ? types.SizeOf(member.type) : 0;
    if (!member.explicit_align) member.align = static_cast<uint32_t>(std::max<uint64_t>(type_align, 1));
    fits = fits && (member.explicit_size || type_size <= kMaxSize);
    if (!member.explicit_size) member.size = fits ? static_cast<uint32_t>(type_size) : 0;
    offset = RoundUp(member.align, offset);
    fits = fits && offset + member.size <= kMaxSize;
    if (!fits) offset = 0;
    member.offset = static_cast<uint32_t>(offset);
    offset += member.size;
    struct_align = std::max<uint64_t>(struct_align, member.align);
  }
  offset = RoundUp(struct_align, offset);
  fits = fits && offset <= kMaxSize;
  s.align = static_cast<uint32_t>(struct_align);
  s.size = fits ? static_cast<uint32_t>(offset) : 0;
  return fits;
}

}  // namespace lockstep::wgsl
