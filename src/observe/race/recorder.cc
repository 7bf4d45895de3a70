// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "observe/race/recorder.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "abi/stage.h"
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
    : program_(program), watched_(watched), words_(program.memories.size()), current_(program) {
  workgroup = [](Observer* self, uint64_t number) {
    auto* r = static_cast<Recorder*>(self);
    r->current_.Workgroup(number);
    r->phase_ = 0;
    ++r->interval_[0];
    ++r->interval_[1];
  };
  batch = [](Observer* self, const abi::StageBatch& shaded) {
    auto* r = static_cast<Recorder*>(self);
    r->current_.Batch(shaded);
    r->first_id_ += abi::kStageInvocations;
    r->cells = r->table_.data() + r->current_.numbers().variable;
  };
  barrier = [](Observer* self, uint32_t bits) {
    auto* r = static_cast<Recorder*>(self);
    ++r->phase_;
    if ((bits & abi::kBarrierWorkgroup) != 0) ++r->interval_[0];
    if ((bits & abi::kBarrierStorage) != 0) ++r->interval_[1];
  };
  access = [](Observer* self, uint32_t site, uint32_t packed, uint32_t variable, uint32_t first_invocation,
              uint64_t mask, const uint32_t* offsets, const uint32_t* details) {
    auto* r = static_cast<Recorder*>(self);
    const Numbers& from = r->current_.numbers();
    r->OnAccess(from.site + site, packed, from.variable + variable, first_invocation, mask, offsets, details);
  };
  bounds = [](Observer*, uint32_t, uint32_t, uint32_t, uint64_t, const uint32_t*, const uint32_t*) {};
  lanes = kernel_lanes;
  for (const uint64_t words : program.memories) {
    no_cells_.push_back(MakeCells(std::max<uint64_t>(words, 1)));
    CHECK(no_cells_.back() != nullptr);
  }
  for (const Variable& variable : program.variables)
    table_.push_back(no_cells_[variable.memory].get() + variable.first_word);
  cells = table_.data();
  quiet[0] = quiet[1] = UINT64_MAX;
}

Recorder::~Recorder() = default;

void Recorder::OnAccess(uint32_t site, uint32_t packed, uint32_t variable, uint32_t first_invocation,
                        uint64_t mask, const uint32_t* offsets, const uint32_t* details) {
  const uint32_t words = abi::WordsOfPacked(packed);
  const abi::AccessKind kind = abi::KindOfPacked(packed);
  const Variable& v = program_.variables[variable];
  uint64_t last = UINT64_MAX;  // a word that has nothing to learn from more reads of this event
  for (; mask != 0; mask &= mask - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(mask));
    const Event event{site, variable, lane, first_invocation + lane, kind, details};
    const uint64_t offset = offsets[lane];
    if (words == 1 && offset == last) continue;
    for (uint64_t word = offset; word < offset + words; ++word) {
      const bool watched = word < v.words && watched_.Has(v.memory, v.first_word + word);
      if (!watched || !Touch(event, word, offset)) last = word;
    }
  }
}

Recorder::Example Recorder::ExampleOf(const Event& event, uint64_t id) const {
  Example example{id, current_.At(event.invocation), phase_, {}};
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
Recorder::Place Recorder::PlaceOf(uint32_t site, abi::AccessKind kind) const {
  const Site& s = program_.sites[site];
  return {s.source, s.span.begin, s.span.end, static_cast<uint32_t>(kind)};
}

Recorder::Entry& Recorder::EntryOf(Entries& entries, uint32_t site, abi::AccessKind kind,
                                   uint32_t variable) const {
  const Place place = PlaceOf(site, kind);
  for (Entry& entry : entries) {
    if (PlaceOf(entry.site, entry.kind) == place) return entry;
  }
  entries.emplace_back();
  entries.back().site = site;
  entries.back().variable = variable;
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
bool Recorder::Touch(const Event& event, uint64_t relative, uint64_t offset) {
  const Variable& variable = program_.variables[event.variable];
  const uint64_t number = variable.first_word + relative;
  Word& word = words_[variable.memory][number];
  const uint64_t interval = interval_[variable.space == Space::kStorage ? 1 : 0];
  if (word.interval != interval) {
    EndInterval(number, &word);
    word.interval = interval;
    word.workgroup = current_.workgroup();
  }
  Entry& entry = EntryOf(word.now, event.site, event.kind, event.variable);
  const uint64_t id = first_id_ + event.invocation;
  if (!entry.two) AddExample(&entry, ExampleOf(event, id));
  if (!abi::Writes(event.kind)) return !entry.two;
  uint32_t value = 0;
  if (ValueAt(event, relative - offset, &value)) {
    entry.values.Add({value, id});
  } else {
    entry.values_known = false;
  }
  return true;
}

void Recorder::EndInterval(uint64_t number, Word* word) {
  if (word->now.empty()) return;
  const bool is_pass = program_.is_render_pass();
  Judge(is_pass ? Scope::kRenderPass : Scope::kWorkgroup, number, word, word->now);
  if (!is_pass && program_.variables[word->now[0].variable].space == Space::kStorage) {
    for (const Entry& entry : word->now) {
      Entry& all = EntryOf(word->dispatch, entry.site, entry.kind, entry.variable);
      Example example = entry.a;
      example.id = word->workgroup;
      AddExample(&all, example);
      all.values_known &= entry.values_known;
      for (const Written& written : entry.values.kept()) all.values.Add({written.value, word->workgroup});
    }
  }
  word->now.clear();
}

void Recorder::Judge(Scope scope, uint64_t number, Word* word, const Entries& entries) {
  for (size_t i = 0; i < entries.size(); ++i) {
    const Entry& p = entries[i];
    for (size_t j = i; j < entries.size(); ++j) {
      const Entry& q = entries[j];
      if (!KindsConflict(p.kind, q.kind)) continue;
      if (i == j) {
        if (p.two) Found(scope, number, word, p, p, p.a, p.b);
      } else if (p.a.id != q.a.id) {
        Found(scope, number, word, p, q, p.a, q.a);
      } else if (p.two) {
        Found(scope, number, word, p, q, p.b, q.a);
      } else if (q.two) {
        Found(scope, number, word, p, q, p.a, q.b);
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
  access.by = example.by;
  for (size_t i = 0; i < site.loops.size() && i < example.passes.size(); ++i) {
    access.loops.push_back({site.loops[i], example.passes[i]});
  }
  return access;
}

void Recorder::Found(Scope scope, uint64_t number, Word* word, const Entry& p, const Entry& q,
                     const Example& a, const Example& b) {
  const Place first = PlaceOf(p.site, p.kind), second = PlaceOf(q.site, q.kind);
  if (second < first) return Found(scope, number, word, q, p, b, a);
  const auto [it, made] = findings_.try_emplace(Key{scope, p.variable, first, second});
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
      finding.second_variable = q.variable;
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
    if (race.elements.size() < kMaxElements) race.elements.push_back(NameOf(key.variable, word));
    ++race.count;
  }
  const std::string other = NameOf(finding.second_variable, finding.lowest);
  if (other != race.elements[0]) race.second_element = other;
  return race;
}

std::string Recorder::NameOf(uint32_t variable, uint64_t word) const {
  return ElementName(program_, variable, word - program_.variables[variable].first_word);
}

std::vector<Race> Recorder::Report(uint32_t dispatch) {
  for (auto& of_memory : words_) {
    for (auto& [number, word] : of_memory) {
      EndInterval(number, &word);
      Judge(Scope::kDispatch, number, &word, word.dispatch);
    }
  }
  std::vector<Race> races;
  for (auto& [key, finding] : findings_) races.push_back(Finish(key, finding, dispatch));
  return races;
}

}  // namespace lockstep::observe::race
