// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// What a dispatch does wrong, found the long way: the interpreter logs every access of every invocation of
// the module as lowered, and all pairs of accesses to a word are compared by the model of docs/races.md. It
// shares no code with what it is held against: no events, no shadow cells, no tables of names.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "abi/kernel.h"
#include "abi/observe.h"
#include "ir/module.h"
#include "observe/findings.h"

namespace lockstep::tests {

struct OraclePlace {
  Span span;
  abi::AccessKind kind = abi::AccessKind::kRead;
  auto operator<=>(const OraclePlace& other) const {
    return std::tuple(span.begin, span.end, kind) <=>
           std::tuple(other.span.begin, other.span.end, other.kind);
  }
  bool operator==(const OraclePlace& other) const { return (*this <=> other) == 0; }
};

// Somebody at a place: (workgroup, local index, barriers of any kind passed).
using OracleStep = std::array<uint32_t, 3>;
// Where its loops begin in the text and how often they have gone round, outermost first.
using OraclePasses = std::vector<std::pair<uint32_t, uint32_t>>;

struct OracleRace {
  std::vector<std::string> elements;  // in memory order
  bool differ = false;                // some pair wrote different values that are told
  bool untold = false;                // some pair's values are not told
  bool unstable = false;              // some value that was written depends on what others wrote
  // Of elements[0]: what conflicts, by the places' order, and in which passes each comes to its place.
  std::set<std::pair<OracleStep, OracleStep>> examples;
  std::map<OracleStep, std::set<OraclePasses>> passes[2];
};

struct OracleBounds {
  std::set<int64_t> indices;
  std::set<std::pair<uint32_t, uint32_t>> by;  // (workgroup, local index)
};

struct OracleFindings {
  using RaceKey =
      std::tuple<observe::Scope, std::string, OraclePlace, OraclePlace>;  // variable, smaller place
  using BoundsKey = std::tuple<std::string, OraclePlace, uint32_t>;       // variable, length
  std::map<RaceKey, OracleRace> races;
  std::map<BoundsKey, OracleBounds> out_of_bounds;
  std::string failure;  // of the interpreter
};

// Runs the dispatch on `buffers`, as interp::Run takes them.
OracleFindings RunOracle(const ir::Module& lowered, std::span<const abi::BufferView> buffers,
                         std::array<uint32_t, 3> workgroups, uint64_t max_steps);

// What is told of the dispatch `number` and should not be, or the other way round; empty where all is right.
std::string Compare(const OracleFindings& want, const observe::Findings& got, uint32_t number,
                    std::array<uint32_t, 3> workgroup_size, std::array<uint32_t, 3> workgroups);

}  // namespace lockstep::tests
