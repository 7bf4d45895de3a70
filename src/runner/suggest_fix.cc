// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "runner/suggest_fix.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "observe/report/wording.h"

namespace lockstep::runner {
namespace {

using observe::Race;
namespace ast = wgsl::ast;

// The statements around a place, outermost first: each stands directly in a block.
using Chain = std::vector<Span>;

class ChainFinder {
 public:
  ChainFinder(const wgsl::Program& program, uint32_t offset) : ast_(program.ast), offset_(offset) {}

  Chain Find() {
    for (const ast::Decl& decl : ast_.decls) {
      if (decl.kind == ast::DeclKind::kFunction && Holds(decl.span) && Visit(decl.body)) break;
    }
    return chain_;
  }

 private:
  bool Holds(Span span) const { return span.begin <= offset_ && offset_ < span.end; }

  // Whether the place is in the statement; then the chain is complete.
  bool Visit(ast::StmtId id) {
    if (!id.has_value()) return false;
    const ast::Stmt& s = ast_.stmts[id];
    for (const ast::StmtId child : s.stmts) {
      chain_.push_back(ast_.stmts[child].span);
      if (Visit(child)) return true;
      chain_.pop_back();
    }
    for (const ast::StmtId part : {s.init, s.update, s.other, s.continuing, s.block}) {
      if (Visit(part)) return true;
    }
    for (const ast::SwitchCase& c : s.cases) {
      if (Visit(c.body)) return true;
    }
    return s.kind != ast::StmtKind::kCompound && Holds(s.span);
  }

  const ast::Module& ast_;
  const uint32_t offset_;
  Chain chain_;
};

// Where a barrier might stand, best first.
std::vector<Span> Candidates(const wgsl::Program& program, const Race& race) {
  const Chain first = ChainFinder(program, race.first.span.begin).Find();
  const Chain second = ChainFinder(program, race.second.span.begin).Find();
  size_t common = 0;
  while (common < std::min(first.size(), second.size()) && first[common] == second[common]) ++common;
  std::vector<Span> candidates;
  const bool apart = !first.empty() && !second.empty() && (common > 0 || first[0] != second[0]);
  if (!apart) return candidates;
  if (common < second.size()) candidates.push_back(second[common]);
  if (common < first.size()) candidates.push_back(first[common]);
  if (common > 0) candidates.push_back(first[common - 1]);
  return candidates;
}

class Trial {
 public:
  Trial(const RunRequest& request, const gpu::devices::Options& devices, const CancelFlag& cancel,
        std::string_view text)
      : request_(request), devices_(devices), cancel_(cancel), text_(text) {}

  // What is still wrong with the barrier in front of `before`; nothing where it cannot stand there.
  const std::optional<observe::Findings>& With(uint32_t barrier, Span before) {
    const auto [it, made] = tried_.try_emplace({before.begin, barrier});
    if (!made) return it->second;
    RunRequest request = request_;
    request.text = std::string(text_);
    request.text->insert(before.begin, Code(barrier));
    Session session(request, devices_);
    if (!session.Prepare().ok()) return it->second;
    observe::Findings findings;
    if (session.RunOnce(cancel_, {&findings, 0}).ok()) it->second = std::move(findings);
    return it->second;
  }

  static std::string Code(uint32_t barrier) { return fmt::format("{}(); ", observe::BarrierName(barrier)); }

 private:
  const RunRequest& request_;
  const gpu::devices::Options& devices_;
  const CancelFlag& cancel_;
  std::string_view text_;
  std::map<std::pair<uint32_t, uint32_t>, std::optional<observe::Findings>> tried_;
};

// Where a place of the original text has gone.
Span Moved(Span span, uint32_t at, size_t by) {
  const auto shift = static_cast<uint32_t>(span.begin >= at ? by : 0);
  return {span.begin + shift, span.end + shift};
}

bool IsGone(const Race& race, const observe::Findings& findings, uint32_t barrier, Span before) {
  const size_t by = Trial::Code(barrier).size();
  const auto same = [&](const observe::Access& was, const observe::Access& is) {
    return Moved(was.span, before.begin, by) == is.span && was.kind == is.kind;
  };
  return std::none_of(findings.races.begin(), findings.races.end(), [&](const Race& left) {
    return left.dispatch == race.dispatch && left.scope == race.scope && left.variable == race.variable &&
           same(race.first, left.first) && same(race.second, left.second);
  });
}

}  // namespace

void SuggestFixes(const RunRequest& request, const gpu::devices::Options& devices, const CancelFlag& cancel,
                  const wgsl::Program& program, observe::Findings& findings) {
  Trial trial(request, devices, cancel, program.file->text());
  size_t tried = 0;
  for (Race& race : findings.races) {
    if (race.scope != observe::Scope::kWorkgroup || ++tried > kMaxRacesWithFix) continue;
    const uint32_t barrier = race.address_space == "storage" ? abi::kBarrierStorage : abi::kBarrierWorkgroup;
    for (const Span before : Candidates(program, race)) {
      if (cancel.load() != kRunning) return;
      const std::optional<observe::Findings>& left = trial.With(barrier, before);
      if (!left || !IsGone(race, *left, barrier, before)) continue;
      race.fix = {barrier, before};
      break;
    }
  }
}

}  // namespace lockstep::runner
