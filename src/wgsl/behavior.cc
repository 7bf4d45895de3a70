// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Behaviour analysis (WGSL #behaviors): the ways in which each statement can end. It finds functions that can
// run off their end without a result and loops that never end. Calls always behave as {Next}: a function that
// would not has been reported, so expressions need no analysis.
#include <initializer_list>

#include "wgsl/diagnostics.h"
#include "wgsl/resolver.h"

namespace lockstep::wgsl {
namespace {

struct Behavior {
  bool next = false, brk = false, cont = false, ret = false;
  Behavior operator|(const Behavior& o) const {
    return {next || o.next, brk || o.brk, cont || o.cont, ret || o.ret};
  }
  bool empty() const { return !next && !brk && !cont && !ret; }
};
constexpr Behavior kNext = {true, false, false, false};

class Analysis {
 public:
  Analysis(Program& program, diag::Sink& sink) : program_(program), sink_(sink) {}

  Behavior Of(ast::StmtId id) {
    if (!id.has_value()) return kNext;
    const Behavior b = Compute(id);
    StmtInfo& info = program_.info(id);
    info.can_next = b.next;
    info.can_break = b.brk;
    info.can_continue = b.cont;
    info.can_return = b.ret;
    return b;
  }

 private:
  Behavior Compute(ast::StmtId id) {
    const ast::Stmt& s = program_.ast.stmts[id];
    switch (s.kind) {
      case ast::StmtKind::kCompound:
        return Sequence(s.stmts);
      case ast::StmtKind::kDeclare:
      case ast::StmtKind::kConstAssert:
      case ast::StmtKind::kAssign:
      case ast::StmtKind::kPhonyAssign:
      case ast::StmtKind::kCompoundAssign:
      case ast::StmtKind::kIncrement:
      case ast::StmtKind::kDecrement:
      case ast::StmtKind::kCall:
      case ast::StmtKind::kDiscard:
      case ast::StmtKind::kEmpty:
        return kNext;
      case ast::StmtKind::kBreak:
        return {false, true, false, false};
      case ast::StmtKind::kBreakIf:
        return {true, true, false, false};
      case ast::StmtKind::kContinue:
        return {false, false, true, false};
      case ast::StmtKind::kReturn:
        return {false, false, false, true};
      case ast::StmtKind::kIf:
        return Of(s.block) | Of(s.other);
      case ast::StmtKind::kSwitch:
        return Switch(s);
      case ast::StmtKind::kFor:
        Of(s.init);
        Of(s.update);
        return Loop(s, s.a.has_value());
      case ast::StmtKind::kWhile:
        return Loop(s, true);
      case ast::StmtKind::kLoop:
        return Loop(s, false);
    }
    UNREACHABLE("statement kind");
  }

  Behavior Sequence(const std::vector<ast::StmtId>& stmts) {
    Behavior all = kNext;
    for (const ast::StmtId stmt : stmts) {
      const Behavior b = Of(stmt);  // also behind a return: it must be valid
      if (!all.next) continue;
      all.next = false;
      all = all | b;
    }
    return all;
  }

  Behavior Switch(const ast::Stmt& s) {
    Behavior all;
    for (const ast::SwitchCase& clause : s.cases) all = all | Of(clause.body);
    if (all.brk) all.next = true;
    all.brk = false;
    return all;
  }

  // `for` and `while` are loops that begin with `if !condition { break; }`.
  Behavior Loop(const ast::Stmt& s, bool has_condition) {
    Behavior body = Of(s.block);
    if (has_condition) body.brk = true;
    const Behavior continuing = Of(s.continuing);
    const bool only_returns = body.ret && !body.next && !body.brk && !body.cont;
    if (only_returns) return body;
    Behavior all = body | continuing;
    all.next = all.brk;
    all.brk = all.cont = false;
    if (!all.empty()) return all;
    sink_.Emit(kEndlessLoop, s.span);
    return kNext;
  }

  Program& program_;
  diag::Sink& sink_;
};

}  // namespace

void AnalyzeBehaviors(Program& program, const Function& function, diag::Sink& sink) {
  if (!function.body.has_value()) return;
  const Behavior body = Analysis(program, sink).Of(function.body);
  const bool has_result =
      function.result.has_value() && program.ast.decls[function.decl].return_type.has_value();
  if (!has_result || !body.next) return;
  const Span whole = program.ast.stmts[function.body].span;
  const Span end = whole.end > whole.begin ? Span{whole.end - 1, whole.end} : function.name_span;
  sink.Emit(kMissingReturn, end, function.name)
      .Note(function.name_span, "'{}' is declared here", function.name);
}

}  // namespace lockstep::wgsl
