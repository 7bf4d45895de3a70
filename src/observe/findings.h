// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// What watching a run finds: plain data, places as spans of the source.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "abi/observe.h"
#include "support/source.h"

namespace lockstep::observe {

// Of a compute shader.
struct Invocation {
  std::array<uint32_t, 3> workgroup = {0, 0, 0};   // workgroup_id
  std::array<uint32_t, 3> invocation = {0, 0, 0};  // local_invocation_id
};

// Of a render pass.
struct ShadedVertex {
  uint32_t draw = 0;  // number in the pass
  abi::StagePlace place;
};
struct ShadedFragment {
  uint32_t draw = 0;
  abi::StagePlace place;
};

using Invoker = std::variant<Invocation, ShadedVertex, ShadedFragment>;
// Of a finding in a dispatch.
inline const Invocation& InvocationOf(const Invoker& invoker) { return std::get<Invocation>(invoker); }

struct LoopPass {
  Span loop;
  uint32_t pass = 0;  // from 0
};

struct Access {
  Span span;
  abi::AccessKind kind = abi::AccessKind::kRead;
  Invoker by;
  std::vector<LoopPass> loops;  // outermost first
};

enum class Scope : uint8_t { kWorkgroup, kDispatch, kRenderPass };
enum class RaceKind : uint8_t { kWriteWrite, kReadWrite, kAtomicMixed };

// A barrier that would order the two accesses.
struct Fix {
  uint32_t barrier = 0;  // abi::BarrierBits
  Span before;           // the statement to put it in front of
};

// Two places of the source between which invocations race. DESIGN.md and docs/races.md have the model.
struct Race {
  uint32_t dispatch = 0;  // number among the dispatches of a submit, or among its render passes
  Scope scope = Scope::kWorkgroup;
  RaceKind kind = RaceKind::kReadWrite;
  std::string variable;
  std::string address_space;
  std::vector<std::string> elements;  // the lowest kMaxElements that they race on, in memory order
  uint64_t count = 0;                 // of all such elements
  std::optional<bool> same_value;     // where both write and the values are known
  uint32_t phase = 0;                 // barriers that the workgroup of `first` had passed
  Access first, second;               // on elements[0]; the smaller place first, reads before writes
  std::string second_element;         // of elements[0], where the draw of `second` has another name for it
  std::optional<Fix> fix;
};
inline constexpr size_t kMaxElements = 100;

struct OutOfBounds {
  uint32_t dispatch = 0;  // likewise
  std::string variable;
  std::string address_space;
  Span span;
  abi::AccessKind kind = abi::AccessKind::kRead;
  uint32_t length = 0;
  std::vector<int64_t> indices;  // the lowest kMaxElements distinct ones
  uint64_t count = 0;            // of distinct indices
  Invoker first;                 // the first in the canonical schedule; of a pass, in its order of draws
};

struct Findings {
  std::vector<Race> races;
  std::vector<OutOfBounds> out_of_bounds;
  bool empty() const { return races.empty() && out_of_bounds.empty(); }
};

}  // namespace lockstep::observe
