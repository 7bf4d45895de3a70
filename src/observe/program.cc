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

namespace {

// The member of a struct that the word lies in or behind; null before the first.
const Layout::Member* MemberAt(const Layout& layout, uint64_t word) {
  const Layout::Member* found = nullptr;
  for (const Layout::Member& member : layout.members) {
    if (member.offset <= word) found = &member;
  }
  return found;
}

}  // namespace

bool IsPadding(const Program& program, uint32_t variable, uint64_t word) {
  const Layout* layout = &program.layouts[program.variables[variable].layout];
  while (true) {
    switch (layout->kind) {
      case Layout::Kind::kScalar:
      case Layout::Kind::kVector:
        return word >= layout->words;
      case Layout::Kind::kArray:
        if (word >= layout->words) return true;
        word %= layout->stride;
        layout = &program.layouts[layout->element];
        continue;
      case Layout::Kind::kStruct:
        break;
    }
    const Layout::Member* member = MemberAt(*layout, word);
    if (member == nullptr) return true;
    word -= member->offset;
    layout = &program.layouts[member->layout];
  }
}

std::string ElementName(const Program& program, uint32_t variable, uint64_t word) {
  std::string name = program.variables[variable].name;
  const Layout* layout = &program.layouts[program.variables[variable].layout];
  while (true) {
    switch (layout->kind) {
      case Layout::Kind::kScalar:
        return name;
      case Layout::Kind::kVector:
        return fmt::format("{}.{}", name, "xyzw"[word]);
      case Layout::Kind::kArray:
        name += fmt::format("[{}]", word / layout->stride);
        word %= layout->stride;
        layout = &program.layouts[layout->element];
        continue;
      case Layout::Kind::kStruct:
        break;
    }
    const Layout::Member* member = MemberAt(*layout, word);
    name += "." + member->name;
    word -= member->offset;
    layout = &program.layouts[member->layout];
  }
}

}  // namespace lockstep::observe
