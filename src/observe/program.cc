// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "observe/program.h"

#include <fmt/format.h>

namespace lockstep::observe {

std::array<uint32_t, 3> Program::InvocationId(uint32_t local_index) const {
  return {local_index % workgroup_size[0], local_index / workgroup_size[0] % workgroup_size[1],
          local_index / workgroup_size[0] / workgroup_size[1]};
}

std::array<uint32_t, 3> Program::WorkgroupId(uint64_t number) const {
  const uint64_t row = number / workgroups[0];
  return {static_cast<uint32_t>(number % workgroups[0]), static_cast<uint32_t>(row % workgroups[1]),
          static_cast<uint32_t>(row / workgroups[1])};
}

std::string ElementName(const Program& program, uint32_t variable, uint64_t word) {
  std::string name = program.variables[variable].name;
  uint32_t at = program.variables[variable].layout;
  while (true) {
    const Layout& layout = program.layouts[at];
    switch (layout.kind) {
      case Layout::Kind::kScalar:
        return word < layout.words ? name : std::string();
      case Layout::Kind::kVector:
        return word < layout.words ? fmt::format("{}.{}", name, "xyzw"[word]) : std::string();
      case Layout::Kind::kArray:
        name += fmt::format("[{}]", word / layout.stride);
        word %= layout.stride;
        at = layout.element;
        continue;
      case Layout::Kind::kStruct:
        break;
    }
    const Layout::Member* member = nullptr;
    for (const Layout::Member& m : layout.members) {
      if (m.offset <= word) member = &m;
    }
    if (member == nullptr) return {};
    name += "." + member->name;
    word -= member->offset;
    at = member->layout;
  }
}

}  // namespace lockstep::observe
