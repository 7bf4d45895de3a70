// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// The first look at a dispatch or a render pass: which words have some conflicting pair of accesses
// (race/cell.h), and what goes out of range. One observer a thread, each with cells of its own; where no word
// is suspect the run has no race.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "abi/observe.h"
#include "observe/findings.h"
#include "observe/program.h"
#include "observe/race/current.h"
#include "support/result.h"

namespace lockstep::observe::race {

// Words by memory: a bit each. Empty: none of that memory.
class WordSet {
 public:
  explicit WordSet(size_t memories = 0) : bits_(memories) {}
  void Add(uint32_t memory, uint64_t word, uint64_t words_of_memory);
  bool Has(uint32_t memory, uint64_t word) const {
    const std::vector<uint64_t>& bits = bits_[memory];
    return word / 64 < bits.size() && (bits[word / 64] >> (word % 64) & 1) != 0;
  }
  bool empty() const { return empty_; }

 private:
  std::vector<std::vector<uint64_t>> bits_;
  bool empty_ = true;
};

// Accesses out of range, collected by place; no order of workgroups or threads changes the result.
class BoundsLog {
 public:
  // `site` and `variable` as the kernel numbers them.
  void Add(const Program& program, const Current& current, uint32_t site, uint32_t variable,
           uint32_t first_invocation, uint64_t mask, const uint32_t* indices, const uint32_t* lengths);
  void Merge(const BoundsLog& other);
  std::vector<OutOfBounds> Report(const Program& program, uint32_t dispatch) const;

 private:
  struct Key {
    uint32_t source, begin, end, kind, variable, length;
    auto operator<=>(const Key&) const = default;
  };
  struct Entry {
    std::set<int64_t> indices;
    Current::Order order = {UINT64_MAX};
    Invoker first;
  };
  std::map<Key, Entry> entries_;
};

class Detector {
 public:
  // `lanes`: of the kernel. A failure where there is no memory for the cells.
  static Result<std::unique_ptr<Detector>> Make(const Program& program, uint32_t threads, uint32_t lanes);
  ~Detector();

  abi::Observer* observer(uint32_t thread);
  // When the dispatch is over.
  WordSet Suspects() const;
  BoundsLog Bounds() const;

 private:
  class Thread;
  explicit Detector(const Program& program);
  void AddSuspect(uint32_t variable, uint64_t word, WordSet* suspects) const;
  void CompareThreads(WordSet* suspects) const;

  const Program& program_;
  std::vector<std::unique_ptr<Thread>> threads_;
};

}  // namespace lockstep::observe::race
