// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "support/race_oracle.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "interp/interpreter.h"
#include "observe/report/wording.h"

namespace lockstep::tests {
namespace {

using abi::AccessKind;

constexpr size_t kToldWords = 16;  // of a write whose values are told (ir/transform/instrument_races.cc)

bool ConflictingKinds(AccessKind a, AccessKind b) {
  const auto atomic = [](AccessKind k) {
    return k == AccessKind::kAtomicRead || k == AccessKind::kAtomicWrite || k == AccessKind::kAtomicRmw;
  };
  const auto reads_only = [](AccessKind k) { return k == AccessKind::kRead || k == AccessKind::kAtomicRead; };
  if (reads_only(a) && reads_only(b)) return false;
  return !atomic(a) || !atomic(b);
}

bool OneWord(ir::TypeKind kind) {
  return kind == ir::TypeKind::kBool || kind == ir::TypeKind::kI32 || kind == ir::TypeKind::kU32 ||
         kind == ir::TypeKind::kF32 || kind == ir::TypeKind::kAtomic;
}

// One access to one word.
struct WordAccess {
  uint32_t variable = 0;
  uint64_t word = 0;
  uint32_t place = 0;  // index of Log::places
  uint32_t workgroup = 0, invocation = 0;
  uint32_t interval = 0;  // barriers passed that order the variable
  uint32_t barriers = 0;
  bool told = false;
  uint32_t value = 0;
  bool unstable = false;
  uint32_t passes = 0;  // index of Log::passes_; of an access that stands for several, of their list

  auto operator<=>(const WordAccess&) const = default;
  bool SameButForPasses(WordAccess other) const {
    other.passes = passes;
    return *this == other;
  }
};

class Log : public interp::AccessLog {
 public:
  explicit Log(const ir::Module& module) : m_(module) {}

  void Add(const interp::LoggedAccess& access) override {
    const bool read = access.kind == AccessKind::kRead;
    const OraclePlace place{read ? m_.read_span(access.inst) : m_.span(access.inst), access.kind};
    if (access.out_of_range) return AddOutOfRange(access, place);
    if (!access.variable.has_value()) return;
    const ir::Variable& variable = m_.variables[access.variable];
    const bool shared =
        variable.space == ir::AddressSpace::kWorkgroup ||
        (variable.space == ir::AddressSpace::kStorage && variable.access != ir::Access::kRead);
    if (shared) AddShared(access, place);
  }

  OracleFindings Judge() {
    std::sort(accesses_.begin(), accesses_.end());
    JoinPasses();
    size_t begin = 0;
    while (begin < accesses_.size()) {
      size_t end = begin + 1;
      while (end < accesses_.size() && accesses_[end].variable == accesses_[begin].variable &&
             accesses_[end].word == accesses_[begin].word) {
        ++end;
      }
      JudgeWord(std::span(accesses_).subspan(begin, end - begin));
      begin = end;
    }
    return std::move(found_);
  }

 private:
  // One access for those that differ only in the passes of loops.
  void JoinPasses() {
    size_t kept = 0;
    for (const WordAccess& access : accesses_) {
      const uint32_t passes = access.passes;
      if (kept == 0 || !accesses_[kept - 1].SameButForPasses(access)) {
        accesses_[kept] = access;
        accesses_[kept++].passes = static_cast<uint32_t>(list_begins_.size());
        list_begins_.push_back(lists_.size());
      }
      if (list_begins_.back() == lists_.size() || lists_.back() != passes) lists_.push_back(passes);
    }
    list_begins_.push_back(lists_.size());
    accesses_.resize(kept);
  }

  void AddOutOfRange(const interp::LoggedAccess& access, const OraclePlace& place) {
    std::string name;
    if (!access.variable.has_value()) {
      name = m_.name_of(m_.result(access.var));
    } else if (m_.variables[access.variable].span.end != 0) {
      name = m_.variables[access.variable].name;
    }
    if (name.empty()) return;  // no variable of the program's own
    OracleBounds& bounds = found_.out_of_bounds[{name, place, access.length}];
    const int64_t index =
        access.signed_index ? static_cast<int32_t>(access.index) : static_cast<int64_t>(access.index);
    bounds.indices.insert(index);
    bounds.by.insert({access.workgroup_number, access.invocation});
  }

  void AddShared(const interp::LoggedAccess& access, const OraclePlace& place) {
    const bool storage = m_.variables[access.variable].space == ir::AddressSpace::kStorage;
    WordAccess one;
    one.variable = access.variable.index;
    one.place = NumberOf(place);
    one.workgroup = access.workgroup_number;
    one.invocation = access.invocation;
    one.interval = storage ? access.storage_barriers : access.workgroup_barriers;
    one.barriers = access.barriers;
    one.passes = NumberOf(access.loops);
    const bool writes = ConflictingKinds(access.kind, AccessKind::kRead);
    one.unstable = writes && IsUnstable(access.inst);
    const ir::TypeId vector = writes ? VectorAround(access) : ir::TypeId::None();
    if (vector.has_value()) return AddComponentWrite(access, vector, one);
    const ir::Op op = m_.insts[access.inst].op;
    const bool told = writes && op != ir::Op::kCopy && op != ir::Op::kZeroFill;
    size_t scalar = 0;
    AddWords(access.type, access.offset, told ? access.written : std::span<const uint32_t>(), &scalar, one);
  }

  // Every scalar of a value, and no padding.
  void AddWords(ir::TypeId type, uint64_t offset, std::span<const uint32_t> values, size_t* scalar,
                WordAccess one) {
    if (OneWord(m_.types[type].kind)) {
      one.word = offset / 4;
      one.told = *scalar < values.size() && *scalar < kToldWords;
      one.value = one.told ? values[*scalar] : 0;
      ++*scalar;
      accesses_.push_back(one);
      return;
    }
    for (uint32_t i = 0; i < m_.types.PartCount(type); ++i) {
      AddWords(m_.types.PartType(type, i), offset + m_.types.PartOffset(type, i), values, scalar, one);
    }
  }

  void AddComponentWrite(const interp::LoggedAccess& access, ir::TypeId vector, WordAccess one) {
    const uint64_t first = vector_start_ / 4;
    for (uint64_t word = first; word < first + m_.types[vector].count; ++word) {
      one.word = word;
      one.told = word == access.offset / 4;
      one.value = one.told ? access.written[0] : 0;
      accesses_.push_back(one);
    }
  }

  // The vector that a scalar is a component of, with vector_start_ its offset; None for other things.
  ir::TypeId VectorAround(const interp::LoggedAccess& access) {
    if (!OneWord(m_.types[access.type].kind)) return ir::TypeId::None();
    ir::TypeId type = m_.variables[access.variable].type;
    uint64_t start = 0;
    while (!OneWord(m_.types[type].kind)) {
      const ir::Type& t = m_.types[type];
      if (t.kind == ir::TypeKind::kVector) {
        vector_start_ = start;
        return type;
      }
      uint64_t part = 0;
      if (t.kind == ir::TypeKind::kStruct) {
        while (part + 1 < t.members.size() && t.members[part + 1].offset <= access.offset - start) ++part;
        start += t.members[part].offset;
        type = t.members[part].type;
      } else {
        const uint64_t stride = t.kind == ir::TypeKind::kMatrix ? m_.types.PartOffset(type, 1) : t.stride;
        start += (access.offset - start) / stride * stride;
        type = t.element;
      }
    }
    return ir::TypeId::None();
  }

  // Whether what is written comes from a load of memory that others may have written.
  bool IsUnstable(ir::InstId inst) const {
    const ir::Op op = m_.insts[inst].op;
    if (op == ir::Op::kAtomicRmw || op == ir::Op::kAtomicCompareExchange) return true;
    return op == ir::Op::kStore && DependsOnLoad(m_.operands(inst)[1], 8);
  }
  bool DependsOnLoad(ir::ValueId value, uint32_t depth) const {
    const ir::InstId inst = m_.defining_inst(value);
    if (!inst.has_value() || depth == 0) return false;
    if (m_.insts[inst].op == ir::Op::kLoad) {
      const ir::Type& pointer = m_.types[m_.type_of(m_.operands(inst)[0])];
      return pointer.space == ir::AddressSpace::kWorkgroup ||
             (pointer.space == ir::AddressSpace::kStorage && pointer.access != ir::Access::kRead);
    }
    const auto operands = m_.operands(inst);
    return std::any_of(operands.begin(), operands.end(),
                       [&](ir::ValueId operand) { return DependsOnLoad(operand, depth - 1); });
  }

  uint32_t NumberOf(const OraclePlace& place) {
    const auto [it, made] = numbers_.try_emplace(place, static_cast<uint32_t>(places_.size()));
    if (made) places_.push_back(place);
    return it->second;
  }

  uint32_t NumberOf(std::span<const interp::LoopRound> loops) {
    OraclePasses passes;
    for (const interp::LoopRound& loop : loops) passes.emplace_back(m_.span(loop.loop).begin, loop.round);
    const auto [it, made] =
        pass_numbers_.try_emplace(std::move(passes), static_cast<uint32_t>(passes_.size()));
    if (made) passes_.push_back(&it->first);
    return it->second;
  }

  // What the pairs of one word add to a race.
  struct Pairs {
    bool differ = false, untold = false, unstable = false;
    std::vector<std::pair<const WordAccess*, const WordAccess*>> all;  // the first in the order of places
  };
  using PairsByPlaces = std::map<std::tuple<observe::Scope, uint32_t, uint32_t>, Pairs>;

  void JudgeWord(std::span<const WordAccess> all) {
    PairsByPlaces found;
    for (size_t i = 0; i < all.size(); ++i) {
      for (size_t j = i + 1; j < all.size(); ++j) JudgePair(all[i], all[j], &found);
    }
    if (found.empty()) return;
    const ir::Variable& variable = m_.variables[ir::VariableId(all[0].variable)];
    const std::string element = NameOf(variable.name, variable.type, all[0].word * 4);
    for (const auto& [places, pairs] : found) {
      const auto& [scope, first, second] = places;
      OracleRace& race = found_.races[{scope, variable.name, places_[first], places_[second]}];
      race.differ |= pairs.differ;
      race.untold |= pairs.untold;
      race.unstable |= pairs.unstable;
      race.elements.push_back(element);
      if (race.elements.size() > 1) continue;
      for (const auto& [a, b] : pairs.all) {
        AddExample(*a, *b, &race);
        if (first == second) AddExample(*b, *a, &race);
      }
    }
  }

  void AddExample(const WordAccess& a, const WordAccess& b, OracleRace* race) {
    const OracleStep steps[2] = {{a.workgroup, a.invocation, a.barriers},
                                 {b.workgroup, b.invocation, b.barriers}};
    race->examples.insert({steps[0], steps[1]});
    for (const int which : {0, 1}) {
      std::set<OraclePasses>& passes = race->passes[which][steps[which]];
      const uint32_t list = (which == 0 ? a : b).passes;
      for (size_t i = list_begins_[list]; i < list_begins_[list + 1]; ++i) passes.insert(*passes_[lists_[i]]);
    }
  }

  void JudgePair(const WordAccess& a, const WordAccess& b, PairsByPlaces* found) {
    if (!ConflictingKinds(places_[a.place].kind, places_[b.place].kind)) return;
    const bool inside = a.workgroup == b.workgroup;
    const bool storage = m_.variables[ir::VariableId(a.variable)].space == ir::AddressSpace::kStorage;
    if (!inside && !storage) return;  // each workgroup has its own
    if (inside && a.invocation == b.invocation) return;
    if (inside && a.interval != b.interval) return;  // a barrier between them
    const bool swapped = places_[b.place] < places_[a.place];
    const WordAccess& first = swapped ? b : a;
    const WordAccess& second = swapped ? a : b;
    const observe::Scope scope = inside ? observe::Scope::kWorkgroup : observe::Scope::kDispatch;
    Pairs& pairs = (*found)[{scope, first.place, second.place}];
    pairs.all.emplace_back(&first, &second);
    const bool both_write = ConflictingKinds(places_[a.place].kind, AccessKind::kRead) &&
                            ConflictingKinds(places_[b.place].kind, AccessKind::kRead);
    if (!both_write) return;
    pairs.untold |= !a.told || !b.told;
    pairs.differ |= a.told && b.told && a.value != b.value;
    pairs.unstable |= a.unstable || b.unstable;
  }

  std::string NameOf(std::string name, ir::TypeId type, uint64_t byte) const {
    const ir::Type& t = m_.types[type];
    if (OneWord(t.kind)) return name;
    if (t.kind == ir::TypeKind::kVector) return name + "." + "xyzw"[byte / 4];
    if (t.kind == ir::TypeKind::kStruct) {
      size_t part = 0;
      while (part + 1 < t.members.size() && t.members[part + 1].offset <= byte) ++part;
      const ir::Member& member = t.members[part];
      return NameOf(name + "." + member.name, member.type, byte - member.offset);
    }
    const uint64_t stride = t.kind == ir::TypeKind::kMatrix ? m_.types.PartOffset(type, 1) : t.stride;
    return NameOf(fmt::format("{}[{}]", name, byte / stride), t.element, byte % stride);
  }

  const ir::Module& m_;
  OracleFindings found_;
  std::vector<WordAccess> accesses_;
  std::vector<OraclePlace> places_;
  std::map<OraclePasses, uint32_t> pass_numbers_;
  std::vector<const OraclePasses*> passes_;
  std::vector<uint32_t> lists_;      // of indices of passes_, one behind the other
  std::vector<size_t> list_begins_;  // by number of list, and the end of the last
  std::map<OraclePlace, uint32_t> numbers_;
  uint64_t vector_start_ = 0;
};

// ------------------------------------------------------------------------------------------------ comparing

std::string Word(const OraclePlace& place) {
  return fmt::format("{} at {}..{}", observe::AccessName(place.kind), place.span.begin, place.span.end);
}

uint32_t Linear(const std::array<uint32_t, 3>& at, const std::array<uint32_t, 3>& size) {
  return at[0] + size[0] * (at[1] + size[1] * at[2]);
}

OraclePlace PlaceOf(const observe::Access& access) { return {access.span, access.kind}; }

OracleFindings::RaceKey KeyOf(const observe::Race& race) {
  return {race.scope, race.variable, PlaceOf(race.first), PlaceOf(race.second)};
}

OracleFindings::BoundsKey KeyOf(const observe::OutOfBounds& out) {
  return {out.variable, {out.span, out.kind}, out.length};
}

std::string Word(const OracleFindings::BoundsKey& key) {
  const auto& [variable, place, length] = key;
  return fmt::format("'{}' of length {} out of bounds, {}", variable, length, Word(place));
}

// The elements or indices that a finding is about.
std::string WhereOf(const OracleRace& race) { return fmt::format("{}", race.elements); }
std::string WhereOf(const observe::Race& race) { return fmt::format("{}", race.elements); }
std::string WhereOf(const OracleBounds& out) { return fmt::format("{}", out.indices); }
std::string WhereOf(const observe::OutOfBounds& out) { return fmt::format("{}", out.indices); }

std::string Word(const OracleFindings::RaceKey& key) {
  const auto& [scope, variable, first, second] = key;
  return fmt::format("race in one {} on '{}': {}, {}", observe::ScopeName(scope), variable, Word(first),
                     Word(second));
}

OraclePasses PassesOf(const observe::Access& access) {
  OraclePasses passes;
  for (const observe::LoopPass& loop : access.loops) passes.emplace_back(loop.loop.begin, loop.pass);
  return passes;
}

std::string Difference(const OracleRace& want, const observe::Race& got, const std::array<uint32_t, 3>& size,
                       const std::array<uint32_t, 3>& workgroups) {
  std::vector<std::string> elements = want.elements;
  if (elements.size() > observe::kMaxElements) elements.resize(observe::kMaxElements);
  if (got.count != want.elements.size() || got.elements != elements) {
    return fmt::format("{} elements {}, but {} are told: {}", want.elements.size(), elements, got.count,
                       got.elements);
  }
  const bool both_write = abi::Writes(got.first.kind) && abi::Writes(got.second.kind);
  std::optional<bool> same;
  if (both_write && want.differ) same = false;
  if (both_write && !want.differ && !want.untold) same = true;
  if (same != got.same_value && !want.unstable) {
    const auto word = [](const std::optional<bool>& v) { return !v ? "unknown" : *v ? "same" : "different"; };
    return fmt::format("values {}, told {}", word(same), word(got.same_value));
  }
  const auto step = [&](const observe::Access& access) {
    const observe::Invocation& by = observe::InvocationOf(access.by);
    return std::pair(Linear(by.workgroup, workgroups), Linear(by.invocation, size));
  };
  const auto in_pass = [&](int which, const OracleStep& at, const observe::Access& access) {
    return want.passes[which].at(at).count(PassesOf(access)) != 0;
  };
  bool found = false;
  for (const auto& [one, two] : want.examples) {
    const bool first = std::pair(one[0], one[1]) == step(got.first) && one[2] == got.phase;
    if (!first || std::pair(two[0], two[1]) != step(got.second)) continue;
    if (in_pass(0, one, got.first) && in_pass(1, two, got.second)) return {};
    found = true;
  }
  if (found)
    return fmt::format("no such passes of loops: {} and {}", PassesOf(got.first), PassesOf(got.second));
  const observe::Invocation& first = observe::InvocationOf(got.first.by);
  const observe::Invocation& second = observe::InvocationOf(got.second.by);
  return fmt::format("no such accesses: invocation {} of workgroup {} in phase {} and {} of {}",
                     first.invocation, first.workgroup, got.phase, second.invocation, second.workgroup);
}

std::string Difference(const OracleBounds& want, const observe::OutOfBounds& got,
                       const std::array<uint32_t, 3>& size, const std::array<uint32_t, 3>& workgroups) {
  std::vector<int64_t> indices(want.indices.begin(), want.indices.end());
  if (indices.size() > observe::kMaxElements) indices.resize(observe::kMaxElements);
  if (got.count != want.indices.size() || got.indices != indices) {
    return fmt::format("{} indices {}, but {} are told: {}", want.indices.size(), indices, got.count,
                       got.indices);
  }
  const observe::Invocation& first = observe::InvocationOf(got.first);
  const std::pair by(Linear(first.workgroup, workgroups), Linear(first.invocation, size));
  if (want.by.count(by) == 0 || want.by.begin()->first != by.first) {
    return fmt::format("not first: invocation {} of workgroup {}", first.invocation, first.workgroup);
  }
  return {};
}

}  // namespace

OracleFindings RunOracle(const ir::Module& lowered, std::span<const abi::BufferView> buffers,
                         std::array<uint32_t, 3> workgroups, uint64_t max_steps) {
  Log log(lowered);
  interp::Options options;
  options.log = &log;
  options.max_steps = max_steps;
  const Result<> ran = interp::Run(lowered, buffers, workgroups, options);
  OracleFindings found = log.Judge();
  if (!ran.ok()) found.failure = ran.failure().message;
  return found;
}

std::string Compare(const OracleFindings& want, const observe::Findings& got, uint32_t number,
                    std::array<uint32_t, 3> workgroup_size, std::array<uint32_t, 3> workgroups) {
  std::string differences;
  const auto compare = [&](const auto& wanted, const auto& told) {
    const auto differ = [&](const auto& key, const std::string& how) {
      if (!how.empty()) differences += fmt::format("dispatch {}, {}: {}\n", number, Word(key), how);
    };
    auto missed = wanted;
    std::set<decltype(KeyOf(told[0]))> seen;
    for (const auto& finding : told) {
      if (finding.dispatch != number) continue;
      const auto key = KeyOf(finding);
      const auto found = wanted.find(key);
      missed.erase(key);
      if (!seen.insert(key).second)
        differ(key, "told twice");
      else if (found == wanted.end())
        differ(key, fmt::format("there is none, told on {}", WhereOf(finding)));
      else
        differ(key, Difference(found->second, finding, workgroup_size, workgroups));
    }
    for (const auto& [key, finding] : missed) differ(key, fmt::format("missed on {}", WhereOf(finding)));
  };
  compare(want.races, got.races);
  compare(want.out_of_bounds, got.out_of_bounds);
  return differences;
}

}  // namespace lockstep::tests
