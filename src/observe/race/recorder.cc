// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "observe/race/recorder.h"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

#include "support/check.h"

namespace lockstep::observe::race {
namespace {

// Whether accesses of these kinds by different invocations conflict.
bool KindsConflict(abi::AccessKind a, abi::AccessKind b) {
  return (abi::Writes(a) || abi::Writes(b)) && !(abi::IsAtomic(a) && abi::IsAtomic(b));
}

RaceKind RaceKindOf(abi::AccessKind a, abi::AccessKind b) {
  if (abi::IsAtomic(a) || abi::IsAtomic(b)) return RaceKind::kAtomicMixed;
  return abi::Writes(a) && abi::Writes(b) ? RaceKind::kWriteWrite : RaceKind::kReadWrite;
}

}  // namespace

Recorder::Recorder(const Program& program, const WordSet& watched, uint32_t kernel_lanes)
    : program_(program), watched_(watched), words_(program.variables.size()) {
  workgroup = [](Observer* self, uint64_t number) {
    auto* r = static_cast<Recorder*>(self);
    r->workgroup_ = number;
    r->phase_ = 0;
    ++r->interval_[0];
    ++r->interval_[1];
  };
  barrier = [](Observer* self, uint32_t bits) {
    auto* r = static_cast<Recorder*>(self);
    ++r->phase_;
    if ((bits & abi::kBarrierWorkgroup) != 0) ++r->interval_[0];
    if ((bits & abi::kBarrierStorage) != 0) ++r->interval_[1];
  };
  access = [](Observer* self, uint32_t site, uint32_t packed, uint32_t variable, uint32_t first_invocation,
              uint64_t mask, const uint32_t* offsets, const uint32_t* details) {
    static_cast<Recorder*>(self)->OnAccess(site, packed, variable, first_invocation, mask, offsets, details);
  };
  bounds = [](Observer*, uint32_t, uint32_t, uint32_t, uint64_t, const uint32_t*, const uint32_t*) {};
  lanes = kernel_lanes;
  for (const Variable& variable : program.variables) {
    no_cells_.push_back(MakeCells(variable.space == Space::kOther ? 1 : variable.words));
    CHECK(no_cells_.back() != nullptr);
    table_.push_back(no_cells_.back().get());
  }
  cells = table_.data();
  quiet[0] = quiet[1] = UINT64_MAX;
}

Recorder::~Recorder() = default;

void Recorder::OnAccess(uint32_t site, uint32_t packed, uint32_t variable, uint32_t first_invocation,
                        uint64_t mask, const uint32_t* offsets, const uint32_t* details) {
  const uint32_t words = abi::WordsOfPacked(packed);
  const abi::AccessKind kind = abi::KindOfPacked(packed);
  uint64_t last = UINT64_MAX;  // a word that has nothing to learn from more reads of this event
  for (; mask != 0; mask &= mask - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(mask));
    const Event event{site, variable, lane, first_invocation + lane, kind, details};
    const uint64_t offset = offsets[lane];
    if (words == 1 && offset == last) continue;
    for (uint64_t word = offset; word < offset + words; ++word) {
      if (!watched_.Has(variable, word) || !Touch(event, word, offset)) last = word;
    }
  }
}

Recorder::Example Recorder::ExampleOf(const Event& event, uint64_t id) const {
  Example example{id, workgroup_, event.invocation, phase_, {}};
  const Site& site = program_.sites[event.site];
  const size_t skip = (site.component ? 1 : 0) + site.value_words.size();
  for (size_t i = 0; i < site.loops.size(); ++i) {
    example.passes.push_back(event.details[(skip + i) * lanes + event.lane]);
  }
  return example;
}

// The value that the access writes to its word `relative`.
bool Recorder::ValueAt(const Event& event, uint64_t relative, uint32_t* value) const {
  const Site& site = program_.sites[event.site];
  if (site.component) {
    if (event.details[event.lane] != relative || site.value_words.empty()) return false;
    *value = event.details[lanes + event.lane];
    return true;
  }
  for (size_t i = 0; i < site.value_words.size(); ++i) {
    if (site.value_words[i] != relative) continue;
    *value = event.details[i * lanes + event.lane];
    return true;
  }
  return false;
}

// Places are told apart by where they stand and what they do.
Recorder::Entry& Recorder::EntryOf(Entries& entries, uint32_t site, abi::AccessKind kind,
                                   const Program& program) {
  const Span span = program.sites[site].span;
  for (Entry& entry : entries) {
    if (entry.kind == kind && program.sites[entry.site].span == span) return entry;
  }
  entries.emplace_back();
  entries.back().site = site;
  entries.back().kind = kind;
  entries.back().a.id = UINT64_MAX;
  return entries.back();
}

void Recorder::AddExample(Entry* entry, const Example& example) {
  if (entry->a.id == UINT64_MAX) {
    entry->a = example;
  } else if (!entry->two && entry->a.id != example.id) {
    entry->b = example;
    entry->two = true;
  }
}

void Recorder::Writes::Add(Written written) {
  if (kept_.empty()) return kept_.push_back(written);
  // Of things of one sort that are kept: whether two different ones are, or the one at hand is.
  struct Kept {
    uint64_t one = 0;
    bool any = false, enough = false;
    void See(uint64_t thing, uint64_t at_hand) {
      enough |= thing == at_hand || (any && thing != one);
      one = thing;
      any = true;
    }
  };
  const Written first = kept_[0];
  Kept writers, values;  // of those with another value than the first; by another writer
  for (const Written& w : kept_) {
    if (w.value != first.value) writers.See(w.by, written.by);
    if (w.by != first.by) values.See(w.value, written.value);
  }
  const bool by_value = written.value != first.value && !writers.enough;
  const bool by_writer = written.by != first.by && !values.enough;
  if (by_value || by_writer) kept_.push_back(written);
}

bool Recorder::Writes::Differ(const Writes& others) const {
  for (const Written& x : kept_) {
    for (const Written& y : others.kept_) {
      if (x.value != y.value && x.by != y.by) return true;
    }
  }
  return false;
}

// False where no other invocation could add anything in this interval.
bool Recorder::Touch(const Event& event, uint64_t number, uint64_t offset) {
  Word& word = words_[event.variable][number];
  const uint64_t interval = interval_[program_.variables[event.variable].space == Space::kStorage ? 1 : 0];
  if (word.interval != interval) {
    EndInterval(event.variable, number, &word);
    word.interval = interval;
    word.workgroup = workgroup_;
  }
  Entry& entry = EntryOf(word.now, event.site, event.kind, program_);
  if (!entry.two) AddExample(&entry, ExampleOf(event, event.invocation));
  if (!abi::Writes(event.kind)) return !entry.two;
  uint32_t value = 0;
  if (ValueAt(event, number - offset, &value)) {
    entry.values.Add({value, event.invocation});
  } else {
    entry.values_known = false;
  }
  return true;
}

void Recorder::EndInterval(uint32_t variable, uint64_t number, Word* word) {
  if (word->now.empty()) return;
  Judge(Scope::kWorkgroup, variable, number, word, word->now);
  if (program_.variables[variable].space == Space::kStorage) {
    for (const Entry& entry : word->now) {
      Entry& all = EntryOf(word->dispatch, entry.site, entry.kind, program_);
      Example example = entry.a;
      example.id = word->workgroup;
      AddExample(&all, example);
      all.values_known &= entry.values_known;
      for (const Written& written : entry.values.kept()) all.values.Add({written.value, word->workgroup});
    }
  }
  word->now.clear();
}

void Recorder::Judge(Scope scope, uint32_t variable, uint64_t number, Word* word, const Entries& entries) {
  for (size_t i = 0; i < entries.size(); ++i) {
    const Entry& p = entries[i];
    for (size_t j = i; j < entries.size(); ++j) {
      const Entry& q = entries[j];
      if (!KindsConflict(p.kind, q.kind)) continue;
      if (i == j) {
        if (p.two) Found(scope, variable, number, word, p, p, p.a, p.b);
      } else if (p.a.id != q.a.id) {
        Found(scope, variable, number, word, p, q, p.a, q.a);
      } else if (p.two) {
        Found(scope, variable, number, word, p, q, p.b, q.a);
      } else if (q.two) {
        Found(scope, variable, number, word, p, q, p.a, q.b);
      }
    }
  }
}

// Whether all pairs of writes by different ones have one value; nothing where that is not known.
std::optional<bool> Recorder::SameValue(const Entry& p, const Entry& q) {
  if (p.values.Differ(q.values)) return false;
  if (!p.values_known || !q.values_known) return std::nullopt;
  return true;
}

Access Recorder::Describe(const Entry& entry, const Example& example) const {
  const Site& site = program_.sites[entry.site];
  Access access;
  access.span = site.span;
  access.kind = entry.kind;
  access.by = {program_.WorkgroupId(example.workgroup), program_.InvocationId(example.invocation)};
  for (size_t i = 0; i < site.loops.size() && i < example.passes.size(); ++i) {
    access.loops.push_back({site.loops[i], example.passes[i]});
  }
  return access;
}

void Recorder::Found(Scope scope, uint32_t variable, uint64_t number, Word* word, const Entry& p,
                     const Entry& q, const Example& a, const Example& b) {
  const auto place = [&](const Entry& e) {
    const Span span = program_.sites[e.site].span;
    return std::tuple(span.begin, span.end, static_cast<uint32_t>(e.kind));
  };
  if (place(q) < place(p)) return Found(scope, variable, number, word, q, p, b, a);
  const auto [begin, end, kind] = place(p);
  const auto [begin2, end2, kind2] = place(q);
  const auto [it, made] = findings_.try_emplace(Key{scope, variable, begin, end, kind, begin2, end2, kind2});
  Finding& finding = it->second;
  if (made) finding.number = static_cast<uint32_t>(findings_.size());
  if (std::find(word->findings.begin(), word->findings.end(), finding.number) == word->findings.end()) {
    word->findings.push_back(finding.number);
    finding.words.push_back(number);
    if (number < finding.lowest) {
      finding.lowest = number;
      finding.phase = a.phase;
      finding.first = Describe(p, a);
      finding.second = Describe(q, b);
    }
  }
  finding.writes = abi::Writes(p.kind) && abi::Writes(q.kind);
  if (!finding.writes) return;
  const std::optional<bool> same = SameValue(p, q);
  finding.known &= same.has_value();
  finding.same &= same.value_or(true);
}

Race Recorder::Finish(const Key& key, Finding& finding, uint32_t dispatch) const {
  Race race;
  race.dispatch = dispatch;
  race.scope = key.scope;
  race.kind = RaceKindOf(finding.first.kind, finding.second.kind);
  race.variable = program_.variables[key.variable].name;
  race.address_space = program_.variables[key.variable].address_space;
  race.phase = finding.phase;
  race.first = finding.first;
  race.second = finding.second;
  if (finding.writes && (finding.known || !finding.same)) race.same_value = finding.same;
  std::sort(finding.words.begin(), finding.words.end());
  for (const uint64_t word : finding.words) {
    if (race.elements.size() < kMaxElements)
      race.elements.push_back(ElementName(program_, key.variable, word));
    ++race.count;
  }
  return race;
}

std::vector<Race> Recorder::Report(uint32_t dispatch) {
  for (uint32_t v = 0; v < words_.size(); ++v) {
    for (auto& [number, word] : words_[v]) {
      EndInterval(v, number, &word);
      Judge(Scope::kDispatch, v, number, &word, word.dispatch);
    }
  }
  std::vector<Race> races;
  for (auto& [key, finding] : findings_) races.push_back(Finish(key, finding, dispatch));
  return races;
}

}  // namespace lockstep::observe::race
