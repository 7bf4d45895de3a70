// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// What an observer must know of an instrumented program to make sense of its events: which variables there
// are and what their words are called, and what each site is. No compiler: a device translates.
//
// The program of a render pass holds what all of its draws run. Nothing orders them, and several may have a
// buffer bound, by different names and in part: so what accesses meet in is memory, of which a variable is a
// part.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "abi/observe.h"
#include "support/source.h"

namespace lockstep::observe {

// The shape of a type in memory, in words of 32 bits.
struct Layout {
  enum class Kind : uint8_t { kScalar, kVector, kArray, kStruct };
  struct Member {
    std::string name;
    uint32_t offset = 0;  // words
    uint32_t layout = 0;  // index in Program::layouts
  };
  static constexpr uint32_t kUnbounded = UINT32_MAX;
  Kind kind = Kind::kScalar;
  uint32_t words = 1;    // without padding at the end where it is no struct; kUnbounded: a runtime array
  uint32_t stride = 1;   // words; array
  uint32_t element = 0;  // index in Program::layouts; array
  std::vector<Member> members;
};

enum class Space : uint8_t { kWorkgroup, kStorage, kOther };

struct Variable {
  std::string name;
  Space space = Space::kOther;
  std::string address_space;  // "workgroup"
  uint32_t layout = 0;        // index in Program::layouts
  uint64_t words = 0;         // that it has in this run
  uint32_t memory = 0;        // index in Program::memories
  uint64_t first_word = 0;    // there
};

struct Site {
  Span span;
  uint32_t source = 0;  // tells the spans of different shaders apart
  abi::AccessKind kind = abi::AccessKind::kRead;
  // What the rows of an event's details are; see ir/transform/instrument_races.h.
  bool component = false;
  std::vector<uint32_t> value_words;
  std::vector<Span> loops;
};

// A kernel's numbers of variables and sites count from these.
struct Numbers {
  uint32_t variable = 0, site = 0;
};

struct Program {
  std::vector<Layout> layouts;
  std::vector<uint64_t> memories;   // by number: words
  std::vector<Variable> variables;  // by number
  std::vector<Site> sites;          // by number
  std::array<uint32_t, 3> workgroup_size = {1, 1, 1};
  std::array<uint32_t, 3> workgroups = {1, 1, 1};
  // Of a render pass: what draw d's vertices have at [2 d], its fragments at [2 d + 1].
  std::vector<Numbers> stages;

  bool is_render_pass() const { return !stages.empty(); }
  std::array<uint32_t, 3> InvocationId(uint32_t local_index) const;
  std::array<uint32_t, 3> WorkgroupId(uint64_t number) const;
};

// Whether nothing of the variable is in the word.
bool IsPadding(const Program& program, uint32_t variable, uint64_t word);

// "tile[17].x"; of a word that is not padding.
std::string ElementName(const Program& program, uint32_t variable, uint64_t word);

}  // namespace lockstep::observe
