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

// The function that the place is in; null in none.
const ast::Decl* FunctionAt(const ast::Module& module, uint32_t offset) {
  for (const ast::Decl& decl : module.decls) {
    if (decl.kind == ast::DeclKind::kFunction && decl.span.begin <= offset && offset < decl.span.end)
      return &decl;
  }
  return nullptr;
}

class ChainFinder {
 public:
  ChainFinder(const ast::Module& module, uint32_t offset) : ast_(module), offset_(offset) {}

  Chain Find(const ast::Decl& function) {
    Visit(function.body);
    return chain_;
  }

 private:
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
    return s.kind != ast::StmtKind::kCompound && s.span.begin <= offset_ && offset_ < s.span.end;
  }

  const ast::Module& ast_;
  const uint32_t offset_;
  Chain chain_;
};

// The ways to a place: the statements around it in its own function, then those around each call that leads
// to it.
std::vector<Chain> ChainsTo(const wgsl::Program& program, uint32_t offset) {
  constexpr size_t kMaxChains = 8;
  std::vector<Chain> chains;
  std::vector<uint32_t> places = {offset};
  for (size_t i = 0; i < places.size(); ++i) {
    const ast::Decl* function = FunctionAt(program.ast, places[i]);
    if (function == nullptr) continue;
    chains.push_back(ChainFinder(program.ast, places[i]).Find(*function));
    for (const ast::Expr& call : program.ast.exprs) {
      if (places.size() == kMaxChains) break;
      if (call.kind == ast::ExprKind::kCall && program.ast.exprs[call.a].name == function->name)
        places.push_back(call.span.begin);
    }
  }
  return chains;
}

// Where a barrier might stand, best first: in front of the later place in the innermost block that both
// share, then of the earlier one (in a loop it comes later, too), then of what surrounds them, then further
// in.
void AppendCandidates(const Chain& first, const Chain& second, std::vector<Span>& candidates) {
  if (first.empty() || second.empty()) return;
  const auto add = [&](Span span) {
    if (std::find(candidates.begin(), candidates.end(), span) == candidates.end()) candidates.push_back(span);
  };
  size_t common = 0;
  while (common < std::min(first.size(), second.size()) && first[common] == second[common]) ++common;
  if (common < second.size()) add(second[common]);
  if (common < first.size()) add(first[common]);
  for (size_t i = common; i > 0; --i) add(first[i - 1]);
  for (size_t i = common + 1; i < second.size(); ++i) add(second[i]);
  for (size_t i = common + 1; i < first.size(); ++i) add(first[i]);
}

std::vector<Span> Candidates(const wgsl::Program& program, const Race& race) {
  constexpr size_t kMaxCandidates = 12;
  const std::vector<Chain> firsts = ChainsTo(program, race.first.span.begin);
  const std::vector<Chain> seconds = ChainsTo(program, race.second.span.begin);
  std::vector<Span> candidates;
  for (const Chain& first : firsts) {
    for (const Chain& second : seconds) AppendCandidates(first, second, candidates);
  }
  if (candidates.size() > kMaxCandidates) candidates.resize(kMaxCandidates);
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

  size_t count() const { return tried_.size(); }
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
      if (cancel.load() != kRunning || trial.count() >= kMaxTrials) return;
      const std::optional<observe::Findings>& left = trial.With(barrier, before);
      if (!left || !IsGone(race, *left, barrier, before)) continue;
      race.fix = {barrier, before};
      break;
    }
  }
}

}  // namespace lockstep::runner
