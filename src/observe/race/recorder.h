// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// The second look: the same schedule once more, on one thread, with only the suspect words watched (the
// detector found them) and everything about them kept that a report says: places, invocations, rounds of
// loops, values.
//
// For each word and interval, and for a storage word over the dispatch, there is one entry a place, with the
// first two different invocations (workgroups) that came there. That is enough to decide every pair of
// places: p and q conflict where some a at p and some b at q differ, and of two different ones at p, one
// differs from b. A loop that reads a word a million times costs no memory.
//
// Vertices and fragments of a render pass are like the invocations of one workgroup without barriers.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "abi/observe.h"
#include "observe/findings.h"
#include "observe/program.h"
#include "observe/race/cell.h"
#include "observe/race/detector.h"

namespace lockstep::observe::race {

class Recorder : public abi::Observer {
 public:
  // Both outlive the recorder. `lanes`: of the kernel, which tells details.
  Recorder(const Program& program, const WordSet& watched, uint32_t lanes);
  ~Recorder();

  // When the dispatch is over.
  std::vector<Race> Report(uint32_t dispatch);

 private:
  // One of the two kept for a place.
  struct Example {
    uint64_t id = 0;  // invocation, or workgroup where those are compared
    Invoker by;
    uint32_t phase = 0;
    std::vector<uint32_t> passes;
  };
  // Values that were written and by whom, as far as it takes to say whether some other write by somebody else
  // differs from one of them. That is: the first one; of those with another value than it two by different
  // writers; of those by another writer than it two with different values.
  struct Written {
    uint32_t value = 0;
    uint64_t by = 0;
  };
  class Writes {
   public:
    void Add(Written written);
    bool Differ(const Writes& others) const;  // in value, some pair by different writers
    const std::vector<Written>& kept() const { return kept_; }

   private:
    std::vector<Written> kept_;
  };
  struct Entry {
    uint32_t site = 0;
    uint32_t variable = 0;
    abi::AccessKind kind = abi::AccessKind::kRead;
    bool two = false;
    bool values_known = true;
    Example a, b;
    Writes values;
  };
  using Entries = std::vector<Entry>;
  struct Word {
    uint64_t interval = 0;
    uint64_t workgroup = 0;
    Entries now;                     // of the interval: a render pass is one
    Entries dispatch;                // of workgroups; storage only
    std::vector<uint32_t> findings;  // that have it already
  };
  struct Place {
    uint32_t source, begin, end, kind;
    auto operator<=>(const Place&) const = default;
  };
  struct Key {
    Scope scope;
    uint32_t variable;  // of the first place
    Place first, second;
    auto operator<=>(const Key&) const = default;
  };
  struct Finding {
    uint32_t number = 0;
    uint64_t lowest = UINT64_MAX;
    uint32_t phase = 0;
    std::vector<uint64_t> words;  // of the memory
    Access first, second;
    uint32_t second_variable = 0;
    bool writes = true, same = true, known = true;
  };
  struct Event {
    uint32_t site, variable, lane, invocation;
    abi::AccessKind kind;
    const uint32_t* details;
  };

  void OnAccess(uint32_t site, uint32_t packed, uint32_t variable, uint32_t first_invocation, uint64_t mask,
                const uint32_t* offsets, const uint32_t* details);
  bool Touch(const Event& event, uint64_t word, uint64_t offset);
  bool ValueAt(const Event& event, uint64_t relative, uint32_t* value) const;
  Place PlaceOf(uint32_t site, abi::AccessKind kind) const;
  Entry& EntryOf(Entries& entries, uint32_t site, abi::AccessKind kind, uint32_t variable) const;
  static void AddExample(Entry* entry, const Example& example);
  static std::optional<bool> SameValue(const Entry& p, const Entry& q);
  void EndInterval(uint64_t number, Word* word);
  void Judge(Scope scope, uint64_t number, Word* word, const Entries& entries);
  void Found(Scope scope, uint64_t number, Word* word, const Entry& p, const Entry& q, const Example& a,
             const Example& b);
  Access Describe(const Entry& entry, const Example& example) const;
  std::string NameOf(uint32_t variable, uint64_t word) const;
  Example ExampleOf(const Event& event, uint64_t id) const;
  Race Finish(const Key& key, Finding& finding, uint32_t dispatch) const;

  const Program& program_;
  const WordSet& watched_;
  std::vector<std::unordered_map<uint64_t, Word>> words_;  // by memory
  std::map<Key, Finding> findings_;
  std::vector<Cells> no_cells_;  // for the kernel's shortcut, which finds nothing quiet
  std::vector<const uint64_t*> table_;
  Current current_;
  uint64_t first_id_ = 0;  // of the invocations that run: those of a pass have one number after the other
  uint64_t interval_[2] = {1, 1};
  uint32_t phase_ = 0;
};

}  // namespace lockstep::observe::race
