// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Typed 32-bit ids. Nodes refer to each other by id, not by pointer: half the size, comparable, printable
// and stable while the store grows. A room defines its ids as
//     struct InstId : IdBase<InstId> { using IdBase::IdBase; };
// `InstId::None()` is the only way to say "no instruction".
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace lockstep {

template <typename Derived>
struct IdBase {
  static constexpr uint32_t kNoneIndex = 0xffffffffu;

  constexpr IdBase() = default;
  explicit constexpr IdBase(uint32_t i) : index(i) {}
  static constexpr Derived None() { return Derived(kNoneIndex); }

  constexpr bool has_value() const { return index != kNoneIndex; }
  friend constexpr bool operator==(const Derived& a, const Derived& b) { return a.index == b.index; }
  friend constexpr bool operator!=(const Derived& a, const Derived& b) { return a.index != b.index; }
  friend constexpr bool operator<(const Derived& a, const Derived& b) { return a.index < b.index; }

  uint32_t index = kNoneIndex;
};

// Hash for unordered containers: `std::unordered_map<InstId, X, IdHash>`.
struct IdHash {
  template <typename Derived>
  size_t operator()(const IdBase<Derived>& id) const {
    return std::hash<uint32_t>()(id.index);
  }
};

}  // namespace lockstep
