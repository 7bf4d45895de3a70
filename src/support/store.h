// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Stores own what ids name.
//   Store<IdT, T>        grows, never shrinks; ids are dense from 0.
//   SideTable<IdT, T>    one T for each id of some store (facts about nodes, kept outside of the nodes).
//   ListStore<T>         many short immutable lists in one allocation; a ListRef is 8 bytes.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/check.h"
#include "support/id.h"

namespace lockstep {

template <typename IdT, typename T>
class Store {
 public:
  IdT Add(T value) {
    values_.push_back(std::move(value));
    return IdT(static_cast<uint32_t>(values_.size() - 1));
  }
  T& operator[](IdT id) {
    CHECK(id.index < values_.size());
    return values_[id.index];
  }
  const T& operator[](IdT id) const {
    CHECK(id.index < values_.size());
    return values_[id.index];
  }
  uint32_t size() const { return static_cast<uint32_t>(values_.size()); }
  bool empty() const { return values_.empty(); }
  auto begin() { return values_.begin(); }
  auto end() { return values_.end(); }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }

 private:
  std::vector<T> values_;
};

template <typename IdT, typename T>
class SideTable {
 public:
  SideTable() = default;
  explicit SideTable(uint32_t size, T initial = T()) : values_(size, initial), initial_(initial) {}
  // Grows on write, so that ids made after the table was sized may be set too.
  void Set(IdT id, T value) {
    CHECK(id.has_value());
    if (id.index >= values_.size()) values_.resize(id.index + 1, initial_);
    values_[id.index] = std::move(value);
  }
  T Get(IdT id) const { return id.index < values_.size() ? T(values_[id.index]) : initial_; }
  uint32_t size() const { return static_cast<uint32_t>(values_.size()); }

 private:
  std::vector<T> values_;
  T initial_ = T();
};

template <typename T>
struct ListRef {
  uint32_t begin = 0;
  uint32_t count = 0;
  bool empty() const { return count == 0; }
};

template <typename T>
class ListStore {
  static_assert(std::is_trivially_destructible_v<T>);

 public:
  ListRef<T> Add(std::span<const T> items) {
    ListRef<T> ref{static_cast<uint32_t>(items_.size()), static_cast<uint32_t>(items.size())};
    // By index and through a copy: `items` may point into this very store.
    const std::vector<T> copy(items.begin(), items.end());
    items_.insert(items_.end(), copy.begin(), copy.end());
    return ref;
  }
  std::span<const T> operator[](ListRef<T> ref) const {
    return std::span<const T>(items_).subspan(ref.begin, ref.count);
  }
  std::span<T> operator[](ListRef<T> ref) { return std::span<T>(items_).subspan(ref.begin, ref.count); }

 private:
  std::vector<T> items_;
};

}  // namespace lockstep
