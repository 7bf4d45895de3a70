// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "observe/program.h"

#include <fmt/format.h>

#include <optional>

#include "abi/grid.h"

namespace lockstep::observe {

std::array<uint32_t, 3> Program::InvocationId(uint32_t local_index) const {
  return abi::PlaceInGrid(local_index, workgroup_size);
}

std::array<uint32_t, 3> Program::WorkgroupId(uint64_t number) const {
  return abi::PlaceInGrid(number, workgroups);
}

namespace {

// A part of a variable, and a word in it or behind it.
struct Part {
  const Layout* layout;
  uint64_t word;
};

Part Whole(const Program& program, uint32_t variable, uint64_t word) {
  return {&program.layouts[program.variables[variable].layout], word};
}

// The element or member that the word lies in or behind, with what it adds to a name; nothing of a scalar or
// vector, and before a struct's first member.
std::optional<Part> Inner(const Program& program, const Part& outer, std::string* name = nullptr) {
  const Layout& layout = *outer.layout;
  switch (layout.kind) {
    case Layout::Kind::kScalar:
    case Layout::Kind::kVector:
      return std::nullopt;
    case Layout::Kind::kArray:
      if (name != nullptr) *name += fmt::format("[{}]", outer.word / layout.stride);
      return Part{&program.layouts[layout.element], outer.word % layout.stride};
    case Layout::Kind::kStruct:
      break;
  }
  const Layout::Member* found = nullptr;
  for (const Layout::Member& member : layout.members) {
    if (member.offset <= outer.word) found = &member;
  }
  if (found == nullptr) return std::nullopt;
  if (name != nullptr) *name += "." + found->name;
  return Part{&program.layouts[found->layout], outer.word - found->offset};
}

}  // namespace

bool IsPadding(const Program& program, uint32_t variable, uint64_t word) {
  Part part = Whole(program, variable, word);
  while (true) {
    const bool is_struct = part.layout->kind == Layout::Kind::kStruct;
    if (!is_struct && part.word >= part.layout->words) return true;
    const std::optional<Part> inner = Inner(program, part);
    if (!inner) return is_struct;
    part = *inner;
  }
}

std::string ElementName(const Program& program, uint32_t variable, uint64_t word) {
  std::string name = program.variables[variable].name;
  Part part = Whole(program, variable, word);
  while (const std::optional<Part> inner = Inner(program, part, &name)) part = *inner;
  return part.layout->kind == Layout::Kind::kVector ? fmt::format("{}.{}", name, "xyzw"[part.word]) : name;
}

}  // namespace lockstep::observe
