// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// WGSL lets module-scope declarations name each other in any order, but not in circles
// (#declaration-and-scope). Two steps: walk every declaration and note which module-scope names it mentions
// (names that a local declaration hides do not count), then sort depth first. The sort keeps its own stack: a
// chain of thousands of declarations is deeper than the machine's.
#include <algorithm>

#include "wgsl/diagnostics.h"
#include "wgsl/resolver.h"

namespace lockstep::wgsl {
namespace {

using ast::DeclId;
using ast::ExprId;
using ast::NameId;
using ast::StmtId;

struct Mention {
  DeclId decl;
  Span span;
};

// Collects the mentions of one declaration after another.
class MentionWalker {
 public:
  MentionWalker(const ast::Module& module, const std::vector<DeclId>& globals)
      : module_(module), globals_(globals), hidden_(module.names.size(), 0) {}

  std::vector<Mention> Walk(DeclId id) {
    mentions_.clear();
    const ast::Decl& decl = module_.decls[id];
    Header(decl);
    for (const ast::StructMember& member : decl.members) {
      Attributes(member.attributes);
      Expr(member.type);
    }
    if (decl.kind == ast::DeclKind::kFunction) FunctionDecl(decl);
    return std::move(mentions_);
  }

 private:
  void Header(const ast::Decl& decl) {
    Attributes(decl.attributes);
    List(decl.var_template);
    Expr(decl.type);
    Expr(decl.init);
  }

  void FunctionDecl(const ast::Decl& decl) {
    for (const DeclId param : decl.params) Header(module_.decls[param]);
    Attributes(decl.return_attributes);
    Expr(decl.return_type);
    const size_t scope = Open();
    for (const DeclId param : decl.params) Hide(module_.decls[param].name);
    if (decl.body.has_value()) Body(module_.stmts[decl.body].stmts);
    Close(scope);
  }

  // Operands of these are names of their own kind, no identifiers.
  static bool HasNameOperands(const std::string& name) {
    return name == "builtin" || name == "interpolate" || name == "diagnostic";
  }
  void Attributes(const std::vector<ast::Attribute>& attributes) {
    for (const ast::Attribute& attribute : attributes) {
      if (!HasNameOperands(module_.names[attribute.name])) List(attribute.args);
    }
  }

  void List(ListRef<ExprId> list) {
    for (const ExprId id : module_.list(list)) Expr(id);
  }

  void Expr(ExprId id) {
    if (!id.has_value()) return;
    const ast::Expr& expr = module_.exprs[id];
    if (expr.kind == ast::ExprKind::kIdentifier) {
      const DeclId global = globals_[expr.name.index];
      if (global.has_value() && hidden_[expr.name.index] == 0) mentions_.push_back({global, expr.span});
    }
    Expr(expr.a);
    Expr(expr.b);
    List(expr.args);
  }

  size_t Open() const { return scope_.size(); }
  void Hide(NameId name) {
    if (!name.has_value()) return;
    ++hidden_[name.index];
    scope_.push_back(name);
  }
  void Close(size_t scope) {
    for (; scope_.size() > scope; scope_.pop_back()) --hidden_[scope_.back().index];
  }

  void Body(const std::vector<StmtId>& stmts) {
    for (const StmtId id : stmts) Stmt(id);
  }

  void Stmt(StmtId id) {
    if (!id.has_value()) return;
    const ast::Stmt& stmt = module_.stmts[id];
    if (stmt.kind == ast::StmtKind::kDeclare) {
      Header(module_.decls[stmt.decl]);
      Hide(module_.decls[stmt.decl].name);  // in scope from the next statement on
      return;
    }
    const size_t scope = Open();
    Stmt(stmt.init);
    Expr(stmt.a);
    Expr(stmt.b);
    if (stmt.kind == ast::StmtKind::kLoop) {  // the continuing block sees the body's names
      const size_t body = Open();
      Body(module_.stmts[stmt.block].stmts);
      Stmt(stmt.continuing);
      Close(body);
    } else {
      Stmt(stmt.block);
    }
    Stmt(stmt.update);
    Stmt(stmt.other);
    Body(stmt.stmts);
    for (const ast::SwitchCase& clause : stmt.cases) {
      for (const ExprId selector : clause.selectors) Expr(selector);
      Stmt(clause.body);
    }
    Close(scope);
  }

  const ast::Module& module_;
  const std::vector<DeclId>& globals_;
  std::vector<uint32_t> hidden_;  // by NameId: how many local declarations hide it here
  std::vector<NameId> scope_;
  std::vector<Mention> mentions_;
};

enum class Mark : uint8_t { kNew, kOpen, kDone, kCyclic };

class Sorter {
 public:
  Sorter(const ast::Module& module, const std::vector<DeclId>& globals, diag::Sink& sink)
      : module_(module), walker_(module, globals), sink_(sink), marks_(module.decls.size(), Mark::kNew) {}

  std::vector<DeclId> Sort() {
    for (const DeclId id : module_.globals) {
      if (marks_[id.index] == Mark::kNew) Visit(id);
    }
    return std::move(order_);
  }

 private:
  struct Frame {
    DeclId decl;
    std::vector<Mention> mentions;
    size_t next = 0;
  };

  void Open(DeclId id) {
    marks_[id.index] = Mark::kOpen;
    stack_.push_back({id, walker_.Walk(id), 0});
  }

  void Visit(DeclId root) {
    Open(root);
    while (!stack_.empty()) {
      Frame& top = stack_.back();
      if (top.next == top.mentions.size()) {
        if (marks_[top.decl.index] == Mark::kOpen) {
          marks_[top.decl.index] = Mark::kDone;
          order_.push_back(top.decl);
        }
        stack_.pop_back();
        continue;
      }
      const Mention mention = top.mentions[top.next++];
      const Mark mark = marks_[mention.decl.index];
      if (mark == Mark::kNew)
        Open(mention.decl);
      else if (mark != Mark::kDone)
        FoundCycle(mention);
    }
  }

  void FoundCycle(const Mention& mention) {
    const auto first =
        std::find_if(stack_.begin(), stack_.end(), [&](const Frame& f) { return f.decl == mention.decl; });
    if (first == stack_.end()) return;  // on a cycle that was reported
    const bool known = std::all_of(first, stack_.end(),
                                   [&](const Frame& f) { return marks_[f.decl.index] == Mark::kCyclic; });
    const bool only_functions = std::all_of(first, stack_.end(), [&](const Frame& f) {
      return module_.decls[f.decl].kind == ast::DeclKind::kFunction;
    });
    for (auto it = first; it != stack_.end(); ++it) marks_[it->decl.index] = Mark::kCyclic;
    if (!known) Report(static_cast<size_t>(first - stack_.begin()), mention.span, only_functions);
  }

  void Report(size_t first, Span span, bool only_functions) {
    constexpr size_t kMaxShown = 8;
    std::string path;
    const std::string arrow = only_functions ? " calls " : " uses ";
    for (size_t i = first; i < stack_.size() && i < first + kMaxShown; ++i)
      path += "'" + NameOf(stack_[i].decl) + "'" + arrow;
    if (stack_.size() - first > kMaxShown) path += "..." + arrow;
    path += "'" + NameOf(stack_[first].decl) + "'";
    sink_.Emit(only_functions ? kRecursion : kDeclarationCycle, span, path)
        .Note(module_.decls[stack_[first].decl].name_span, "'{}' is declared here",
              NameOf(stack_[first].decl));
  }

  const std::string& NameOf(DeclId id) const { return module_.names[module_.decls[id].name]; }

  const ast::Module& module_;
  MentionWalker walker_;
  diag::Sink& sink_;
  std::vector<Mark> marks_;  // by DeclId
  std::vector<Frame> stack_;
  std::vector<DeclId> order_;
};

}  // namespace

std::vector<DeclId> OrderDeclarations(const ast::Module& module, const std::vector<DeclId>& global_by_name,
                                      diag::Sink& sink) {
  return Sorter(module, global_by_name, sink).Sort();
}

}  // namespace lockstep::wgsl
