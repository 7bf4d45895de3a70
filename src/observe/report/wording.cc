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

std::string In(const Invoker& invoker, uint32_t number, size_t count) {
  if (count <= 1) return {};
  const bool in_dispatch = std::holds_alternative<Invocation>(invoker);
  return fmt::format(" in {} {}", in_dispatch ? "dispatch" : "render pass", number + 1);
}

std::string Instance(uint32_t instance) {
  return instance != 0 ? fmt::format("instance {} of ", instance) : std::string();
}
std::string Name(const Invocation& by) { return "invocation " + Place(by.invocation); }
std::string Name(const ShadedVertex& by) {
  return fmt::format("vertex {} of {}draw {}", by.place.vertex, Instance(by.place.instance), by.draw + 1);
}
std::string Name(const ShadedFragment& by) {
  const std::string sample = by.place.sample != 0 ? fmt::format(", sample {}", by.place.sample) : "";
  return fmt::format("the fragment at pixel ({}, {}){} of primitive {} of {}draw {}", by.place.x, by.place.y,
                     sample, by.place.primitive, Instance(by.place.instance), by.draw + 1);
}
std::string Name(const Invoker& invoker) {
  return std::visit([](const auto& by) { return Name(by); }, invoker);
}

std::string OfWorkgroup(const Invoker& invoker) {
  const auto* by = std::get_if<Invocation>(&invoker);
  return by != nullptr ? " of workgroup " + Place(by->workgroup) : std::string();
}

// "this write by invocation (0, 0, 0)".
std::string Sentence(std::string_view article, const Access& access, const SourceFile& file) {
  return fmt::format("{} {} by {}{}", article, Words(access.kind), Name(access.by), Passes(access, file));
}

std::string What(const Race& race, const SourceFile& file, const SourceFile& second_file, bool same_place) {
  const std::string first = Sentence("this", race.first, file);
  std::string second = Sentence(same_place ? "the" : "a", race.second, second_file);
  if (!race.second_element.empty()) second += fmt::format(", as '{}',", race.second_element);
  if (race.scope == Scope::kWorkgroup) {
    return fmt::format("{} and {} of the same workgroup {} have no barrier between them", first, second,
                       Place(InvocationOf(race.first.by).workgroup));
  }
  return fmt::format("{}{} and {}{} have nothing that orders them", first, OfWorkgroup(race.first.by), second,
                     OfWorkgroup(race.second.by));
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

std::string_view ScopeName(Scope scope) {
  switch (scope) {
    case Scope::kWorkgroup:
      return "workgroup";
    case Scope::kDispatch:
      return "dispatch";
    case Scope::kRenderPass:
      return "render-pass";
  }
  return "scope";
}

std::string_view BarrierName(uint32_t barrier_bits) {
  return barrier_bits == abi::kBarrierStorage ? "storageBarrier" : "workgroupBarrier";
}

diag::Diagnostic Describe(const Race& race, size_t count, const SourceFile& file,
                          const SourceFile& second_file) {
  const std::string element = race.elements.empty() ? race.variable : race.elements[0];
  const bool same_file = &file == &second_file;
  const bool same_place = same_file && race.first.span == race.second.span;
  std::string message =
      fmt::format("data race on '{}'{}{}: {}", element, Others(race.count),
                  In(race.first.by, race.dispatch, count), What(race, file, second_file, same_place));
  if (race.same_value) {
    message += *race.same_value ? "; both write the same value" : "; they write different values";
  }
  if (!same_file) {
    const Position at = second_file.PositionOf(race.second.span.begin);
    message += fmt::format("; the {} is at {}:{}:{}", Words(race.second.kind), second_file.name(), at.line,
                           at.column);
  }
  diag::Diagnostic diagnostic{&kDataRace, diag::Severity::kError, race.first.span, std::move(message), {}};
  if (same_file && !same_place) {
    diagnostic.notes.push_back({race.second.span, fmt::format("the {} is here", Words(race.second.kind))});
  }
  if (race.fix) {
    diagnostic.notes.push_back({race.fix->before, fmt::format("{}() in front of this would order them",
                                                              BarrierName(race.fix->barrier))});
  } else if (race.scope == Scope::kDispatch) {
    diagnostic.notes.push_back({race.first.span,
                                "no barrier orders workgroups: use atomics for all accesses, or a second "
                                "dispatch"});
  } else if (race.scope == Scope::kRenderPass) {
    diagnostic.notes.push_back(
        {race.first.span,
         "nothing orders the fragments of a render pass: use atomics for all accesses, "
         "or a second pass"});
  }
  return diagnostic;
}

diag::Diagnostic Describe(const OutOfBounds& access, size_t count) {
  const size_t shown = std::min<size_t>(access.indices.size(), 8);
  std::string indices =
      fmt::format("{}", fmt::join(access.indices.begin(), access.indices.begin() + shown, ", "));
  if (access.count > shown) indices += fmt::format(", ... ({} different ones)", access.count);
  const bool reads = !abi::Writes(access.kind);
  std::string message = fmt::format(
      "{} of '{}'{} out of bounds: {} {} for a length of {}, first by {}{}; {}", Words(access.kind),
      access.variable, In(access.first, access.dispatch, count), access.count == 1 ? "index" : "indices",
      indices, access.length, Name(access.first), OfWorkgroup(access.first),
      access.kind == abi::AccessKind::kRead                 ? "the read gives another element"
      : reads || access.kind == abi::AccessKind::kAtomicRmw ? "it does nothing and gives 0"
                                                            : "the write is lost");
  return {&kOutOfBounds, diag::Severity::kError, access.span, std::move(message), {}};
}

}  // namespace lockstep::observe
