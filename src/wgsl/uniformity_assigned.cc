// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// One pass over a function before its graph is built. A loop's variables join at its head before its body has
// been seen, so it must be known which ones the body assigns: by assignment, by ++ and --, through pointers,
// and by calls whose callee writes through a pointer. Sets grow from the inside outwards.
#include <algorithm>

#include "wgsl/root_identifier.h"
#include "wgsl/uniformity_impl.h"

namespace lockstep::wgsl::uniformity {

bool IsFunctionPointer(const Program& program, VariableId variable) {
  const Variable& v = program.variables[variable];
  if (v.kind != VariableKind::kParam || !program.types.IsPointer(v.type)) return false;
  return program.types[v.type].space == AddressSpace::kFunction;
}

namespace {

class Finder {
 public:
  Finder(const Program& program, const std::vector<Summary>& summaries)
      : program_(program), summaries_(summaries), roots_(program) {}
  AssignedMap Run(const Function& function);

 private:
  const ast::Stmt& stmt(ast::StmtId id) const { return program_.ast.stmts[id]; }
  const ast::Expr& expr(ast::ExprId id) const { return program_.ast.exprs[id]; }
  void Open() { frames_.emplace_back(); }
  void Close(ast::StmtId id);
  void Assign(VariableId root);
  void Visit(ast::StmtId id);
  void VisitParts(ast::StmtId id);
  void Declare(ast::StmtId id);
  void Visit(ast::ExprId id);
  void Call(ast::ExprId id);

  const Program& program_;
  const std::vector<Summary>& summaries_;
  std::vector<std::vector<VariableId>> frames_;
  std::unordered_map<VariableId, size_t, IdHash> depths_;  // frames open where it is declared
  RootIdentifiers roots_;
  AssignedMap result_;
};

AssignedMap Finder::Run(const Function& function) {
  for (const VariableId param : function.params) {
    if (IsFunctionPointer(program_, param)) depths_[param] = 0;
  }
  Open();
  Visit(function.body);
  Close(function.body);
  return std::move(result_);
}

void Finder::Close(ast::StmtId id) {
  std::vector<VariableId> set = std::move(frames_.back());
  frames_.pop_back();
  std::sort(set.begin(), set.end());
  set.erase(std::unique(set.begin(), set.end()), set.end());
  for (const VariableId variable : set) Assign(variable);
  result_[id] = std::move(set);
}

// Variables of a frame are those that are declared outside of it.
void Finder::Assign(VariableId root) {
  if (!root.has_value() || frames_.empty()) return;
  const auto found = depths_.find(root);
  if (found != depths_.end() && found->second < frames_.size()) frames_.back().push_back(root);
}

void Finder::Declare(ast::StmtId id) {
  const VariableId variable = program_.info(id).variable;
  const ast::Decl& decl = program_.ast.decls[stmt(id).decl];
  Visit(decl.init);
  if (!variable.has_value()) return;
  const Variable& v = program_.variables[variable];
  if (v.kind == VariableKind::kVar) depths_[variable] = frames_.size();
  roots_.Declare(variable, decl.init);
}

void Finder::Visit(ast::StmtId id) {
  if (!id.has_value()) return;
  const ast::StmtKind kind = stmt(id).kind;
  if (kind == ast::StmtKind::kDeclare) return Declare(id);
  const bool is_frame = kind == ast::StmtKind::kLoop || kind == ast::StmtKind::kFor ||
                        kind == ast::StmtKind::kWhile || kind == ast::StmtKind::kSwitch;
  if (kind == ast::StmtKind::kFor) Visit(stmt(id).init);  // runs once, before the loop
  if (is_frame) Open();
  VisitParts(id);
  if (is_frame) Close(id);
}

void Finder::VisitParts(ast::StmtId id) {
  const ast::Stmt& s = stmt(id);
  if (s.kind == ast::StmtKind::kAssign || s.kind == ast::StmtKind::kCompoundAssign ||
      s.kind == ast::StmtKind::kIncrement || s.kind == ast::StmtKind::kDecrement) {
    Assign(roots_.Of(s.a));
  }
  Visit(s.a);
  Visit(s.b);
  for (const ast::StmtId inner : s.stmts) Visit(inner);
  for (const ast::SwitchCase& clause : s.cases) Visit(clause.body);
  Visit(s.block);
  Visit(s.other);
  Visit(s.continuing);
  Visit(s.update);
}

void Finder::Visit(ast::ExprId id) {
  if (!id.has_value() || program_.info(id).value.has_value()) return;
  const ast::Expr& e = expr(id);
  if (e.kind == ast::ExprKind::kIdentifier) return;
  if (e.kind == ast::ExprKind::kCall) return Call(id);
  Visit(e.a);
  Visit(e.b);
}

void Finder::Call(ast::ExprId id) {
  const auto args = program_.ast.list(expr(id).args);
  for (const ast::ExprId arg : args) Visit(arg);
  const ExprInfo& info = program_.info(id);
  if (info.use != ExprUse::kCallFunction) return;
  const Summary& callee = summaries_[info.function.index];
  for (size_t i = 0; i < args.size() && i < callee.params.size(); ++i) {
    if (callee.params[i].is_written) Assign(roots_.Of(args[i]));
  }
}

}  // namespace

AssignedMap FindAssigned(const Program& program, const Function& function,
                         const std::vector<Summary>& summaries) {
  return Finder(program, summaries).Run(function);
}

}  // namespace lockstep::wgsl::uniformity
