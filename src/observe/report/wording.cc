// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "observe/report/wording.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

namespace lockstep::observe {
namespace {

const diag::Kind kDataRace = {"DataRace", diag::Severity::kError, "{}", ""};
const diag::Kind kOutOfBounds = {"OutOfBounds", diag::Severity::kError, "{}", ""};

// "atomic read" for "atomic-read".
std::string Words(abi::AccessKind kind) {
  if (kind == abi::AccessKind::kAtomicRmw) return "atomic read-modify-write";
  std::string words(AccessName(kind));
  std::replace(words.begin(), words.end(), '-', ' ');
  return words;
}

std::string Place(const std::array<uint32_t, 3>& id) {
  return fmt::format("({}, {}, {})", id[0], id[1], id[2]);
}

std::string Passes(const Access& access, const SourceFile& file) {
  std::string text;
  for (const LoopPass& loop : access.loops) {
    text += fmt::format("{}pass {} of the loop in line {}", text.empty() ? " (in " : ", ", loop.pass + 1,
                        file.PositionOf(loop.loop.begin).line);
  }
  return text.empty() ? text : text + ")";
}

std::string InDispatch(uint32_t dispatch, size_t dispatches) {
  return dispatches > 1 ? fmt::format(" in dispatch {}", dispatch + 1) : std::string();
}

std::string Others(uint64_t count) {
  if (count <= 1) return {};
  return count == 2 ? " and 1 more element" : fmt::format(" and {} more elements", count - 1);
}

}  // namespace

std::string_view AccessName(abi::AccessKind kind) {
  switch (kind) {
    case abi::AccessKind::kRead:
      return "read";
    case abi::AccessKind::kWrite:
      return "write";
    case abi::AccessKind::kAtomicRead:
      return "atomic-read";
    case abi::AccessKind::kAtomicWrite:
      return "atomic-write";
    case abi::AccessKind::kAtomicRmw:
      return "atomic-rmw";
  }
  return "access";
}

std::string_view RaceKindName(RaceKind kind) {
  switch (kind) {
    case RaceKind::kWriteWrite:
      return "write-write";
    case RaceKind::kReadWrite:
      return "read-write";
    case RaceKind::kAtomicMixed:
      return "atomic-mixed";
  }
  return "race";
}

std::string_view ScopeName(Scope scope) { return scope == Scope::kWorkgroup ? "workgroup" : "dispatch"; }

std::string_view BarrierName(uint32_t barrier_bits) {
  return barrier_bits == abi::kBarrierStorage ? "storageBarrier" : "workgroupBarrier";
}

diag::Diagnostic Describe(const Race& race, size_t dispatches, const SourceFile& file) {
  const bool inside = race.scope == Scope::kWorkgroup;
  const std::string element = race.elements.empty() ? race.variable : race.elements[0];
  std::string message = fmt::format("data race on '{}'{}{}: ", element, Others(race.count),
                                    InDispatch(race.dispatch, dispatches));
  const std::string first = fmt::format("this {} by invocation {}{}", Words(race.first.kind),
                                        Place(race.first.by.invocation), Passes(race.first, file));
  const bool same_place = race.first.span == race.second.span;
  const std::string second =
      fmt::format("{} {} by invocation {}{}", same_place ? "the" : "a", Words(race.second.kind),
                  Place(race.second.by.invocation), Passes(race.second, file));
  if (inside) {
    message += fmt::format("{} and {} of the same workgroup {} have no barrier between them", first, second,
                           Place(race.first.by.workgroup));
  } else {
    message += fmt::format("{} of workgroup {} and {} of workgroup {} have nothing that orders them", first,
                           Place(race.first.by.workgroup), second, Place(race.second.by.workgroup));
  }
  if (race.same_value) {
    message += *race.same_value ? "; both write the same value" : "; they write different values";
  }
  diag::Diagnostic diagnostic{&kDataRace, diag::Severity::kError, race.first.span, std::move(message), {}};
  if (!same_place) {
    diagnostic.notes.push_back({race.second.span, fmt::format("the {} is here", Words(race.second.kind))});
  }
  if (race.fix) {
    diagnostic.notes.push_back({race.fix->before, fmt::format("{}() in front of this would order them",
                                                              BarrierName(race.fix->barrier))});
  } else if (!inside) {
    diagnostic.notes.push_back({race.first.span,
                                "no barrier orders workgroups: use atomics for all accesses, or a second "
                                "dispatch"});
  }
  return diagnostic;
}

diag::Diagnostic Describe(const OutOfBounds& access, size_t dispatches) {
  const size_t shown = std::min<size_t>(access.indices.size(), 8);
  std::string indices =
      fmt::format("{}", fmt::join(access.indices.begin(), access.indices.begin() + shown, ", "));
  if (access.count > shown) indices += fmt::format(", ... ({} different ones)", access.count);
  const bool reads = !abi::Writes(access.kind);
  std::string message = fmt::format(
      "{} of '{}'{} out of bounds: {} {} for a length of {}, first by invocation {} of workgroup {}; {}",
      Words(access.kind), access.variable, InDispatch(access.dispatch, dispatches),
      access.count == 1 ? "index" : "indices", indices, access.length, Place(access.first.invocation),
      Place(access.first.workgroup),
      access.kind == abi::AccessKind::kRead                 ? "the read gives another element"
      : reads || access.kind == abi::AccessKind::kAtomicRmw ? "it does nothing and gives 0"
                                                            : "the write is lost");
  return {&kOutOfBounds, diag::Severity::kError, access.span, std::move(message), {}};
}

}  // namespace lockstep::observe
