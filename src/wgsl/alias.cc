// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Alias analysis (WGSL: #alias-analysis). A function must not access one variable through two root
// identifiers, one of the accesses being a write:
//
//     fn f(p: ptr<function, i32>, q: ptr<function, i32>) { *p = *q; }
//     f(&a, &a)                                               // twice the same root, and `p` is written
//     fn g(p: ptr<private, i32>) { x = *p; }
//     g(&x)                                                   // `x` is written by name and read through `p`
//
// One pass over the functions, callees first, finds which pointer parameters are read and written and checks
// the first kind at each call. The second kind asks for a call and a module-scope variable whether the
// callee, or what it calls, accesses the variable. Those questions are answered for 64 variables at a time by
// a bit for each, so that many variables and deep call chains cost neither quadratic time nor memory.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "wgsl/diagnostics.h"
#include "wgsl/program.h"
#include "wgsl/root_identifier.h"

namespace lockstep::wgsl {
namespace {

struct Access {
  bool read = false, write = false;
  Span read_at, write_at;  // the first of each
  void Add(const Access& other) {
    if (other.read && !read) read_at = other.read_at;
    if (other.write && !write) write_at = other.write_at;
    read = read || other.read;
    write = write || other.write;
  }
};

using Accesses = std::unordered_map<VariableId, Access, IdHash>;

// A pointer to a module-scope variable that is given to a function which accesses memory through it.
struct Question {
  VariableId variable;
  FunctionId callee;
  Span argument;
  Access through;
};

class AliasChecker {
 public:
  AliasChecker(const Program& program, diag::Sink& sink)
      : program_(program),
        sink_(sink),
        params_(program.functions.size()),
        globals_(program.functions.size()),
        roots_(program) {}
  void Run();

 private:
  const ast::Expr& expr(ast::ExprId id) const { return program_.ast.exprs[id]; }
  void Analyze(FunctionId id);
  void Touch(ast::ExprId view, bool read, bool write);
  void Statement(ast::StmtId id);
  void Assigns(const ast::Stmt& stmt);
  void Declare(ast::StmtId id);
  void Value(ast::ExprId id);  // an expression whose value is wanted
  void View(ast::ExprId id);   // the indices in a reference or pointer
  void BuiltinCall(ast::ExprId id);
  void UserCall(ast::ExprId id);
  void CheckArguments(ast::ExprId id, FunctionId callee);
  void Answer();
  void AnswerBatch(std::span<const VariableId> variables, const std::vector<Question>& questions);
  void ReportGlobal(const Question& question, bool read, bool write);
  Access FindAccess(FunctionId start, VariableId variable) const;

  const Program& program_;
  diag::Sink& sink_;
  std::vector<std::vector<Access>> params_;  // by function and parameter
  std::vector<Accesses> globals_;            // by function: its own accesses by name
  std::vector<Question> questions_;
  std::unordered_map<VariableId, uint32_t, IdHash> positions_;  // parameters of the function at hand
  RootIdentifiers roots_;
  FunctionId current_;
};

void AliasChecker::Run() {
  for (uint32_t i = 0; i < program_.functions.size(); ++i) Analyze(FunctionId(i));
  Answer();
}

void AliasChecker::Analyze(FunctionId id) {
  const Function& function = program_.functions[id];
  current_ = id;
  positions_.clear();
  roots_.Clear();
  params_[id.index].resize(function.params.size());
  for (uint32_t i = 0; i < function.params.size(); ++i) positions_[function.params[i]] = i;
  Statement(function.body);
}

void AliasChecker::Touch(ast::ExprId view, bool read, bool write) {
  const VariableId root = roots_.Of(view);
  if (!root.has_value()) return;
  const Span at = expr(view).span;
  if (const auto param = positions_.find(root); param != positions_.end()) {
    params_[current_.index][param->second].Add({read, write, at, at});
  } else if (program_.variables[root].is_global && program_.variables[root].kind == VariableKind::kVar) {
    globals_[current_.index][root].Add({read, write, at, at});
  }
}

// --- statements ---

void AliasChecker::Statement(ast::StmtId id) {
  if (!id.has_value()) return;
  const ast::Stmt& stmt = program_.ast.stmts[id];
  if (stmt.kind == ast::StmtKind::kDeclare) return Declare(id);
  if (stmt.kind == ast::StmtKind::kConstAssert) return;
  const bool assigns = stmt.kind == ast::StmtKind::kAssign || stmt.kind == ast::StmtKind::kCompoundAssign ||
                       stmt.kind == ast::StmtKind::kIncrement || stmt.kind == ast::StmtKind::kDecrement;
  if (assigns) {
    Assigns(stmt);
  } else {
    Value(stmt.a);
  }
  Value(stmt.b);
  Statement(stmt.init);
  for (const ast::StmtId inner : stmt.stmts) Statement(inner);
  for (const ast::SwitchCase& clause : stmt.cases) Statement(clause.body);
  Statement(stmt.block);
  Statement(stmt.other);
  Statement(stmt.continuing);
  Statement(stmt.update);
}

void AliasChecker::Assigns(const ast::Stmt& stmt) {
  View(stmt.a);
  Touch(stmt.a, stmt.kind != ast::StmtKind::kAssign, true);
}

void AliasChecker::Declare(ast::StmtId id) {
  const ast::Decl& decl = program_.ast.decls[program_.ast.stmts[id].decl];
  Value(decl.init);
  const VariableId variable = program_.info(id).variable;
  if (variable.has_value()) roots_.Declare(variable, decl.init);
}

// --- expressions ---

void AliasChecker::Value(ast::ExprId id) {
  if (!id.has_value()) return;
  const ExprInfo& info = program_.info(id);
  if (info.value.has_value() || info.stage != Stage::kRuntime) return;
  if (info.type.has_value() && program_.types.IsReference(info.type)) {
    View(id);
    return Touch(id, true, false);  // the Load Rule
  }
  if (info.type.has_value() && program_.types.IsPointer(info.type)) return View(id);
  const ast::Expr& e = expr(id);
  if (e.kind == ast::ExprKind::kIdentifier) return;
  if (e.kind != ast::ExprKind::kCall) {
    const bool takes_part = e.kind == ast::ExprKind::kMember || e.kind == ast::ExprKind::kIndex;
    const TypeId base = takes_part ? program_.info(e.a).type : TypeId::None();
    // `p.xy` with a pointer `p` reads the vector behind it.
    if (base.has_value() && program_.types.IsPointer(base)) Touch(e.a, true, false);
    Value(e.a);
    return Value(e.b);
  }
  for (const ast::ExprId arg : program_.ast.list(e.args)) Value(arg);
  if (info.use == ExprUse::kCallBuiltin) BuiltinCall(id);
  if (info.use == ExprUse::kCallFunction) UserCall(id);
}

void AliasChecker::View(ast::ExprId id) {
  for (; id.has_value() && expr(id).kind != ast::ExprKind::kIdentifier; id = expr(id).a) {
    if (expr(id).kind == ast::ExprKind::kCall) return Value(id);
    if (expr(id).kind == ast::ExprKind::kIndex) Value(expr(id).b);
  }
}

// Builtins that take pointers are atomics (which all write, but for one), workgroupUniformLoad, and
// arrayLength, which accesses nothing.
void AliasChecker::BuiltinCall(ast::ExprId id) {
  const Builtin builtin = program_.info(id).builtin;
  if (builtin == Builtin::kArrayLength) return;
  const bool is_load = builtin == Builtin::kAtomicLoad || builtin == Builtin::kWorkgroupUniformLoad;
  for (const ast::ExprId arg : program_.ast.list(expr(id).args)) {
    const TypeId type = program_.info(arg).type;
    if (!type.has_value() || !program_.types.IsPointer(type)) continue;
    Touch(arg, is_load || builtin != Builtin::kAtomicStore, !is_load);
  }
}

void AliasChecker::UserCall(ast::ExprId id) {
  const FunctionId callee = program_.info(id).function;
  CheckArguments(id, callee);
  const auto args = program_.ast.list(expr(id).args);
  for (size_t i = 0; i < args.size() && i < params_[callee.index].size(); ++i) {
    const Access& through = params_[callee.index][i];
    if (!through.read && !through.write) continue;
    const VariableId root = roots_.Of(args[i]);
    if (!root.has_value()) continue;
    if (program_.variables[root].is_global) questions_.push_back({root, callee, expr(args[i]).span, through});
    Touch(args[i], through.read, through.write);
  }
}

void AliasChecker::CheckArguments(ast::ExprId id, FunctionId callee) {
  const auto args = program_.ast.list(expr(id).args);
  std::unordered_map<VariableId, std::vector<size_t>, IdHash> by_root;
  for (size_t i = 0; i < args.size() && i < params_[callee.index].size(); ++i) {
    const Access& through = params_[callee.index][i];
    const TypeId type = program_.info(args[i]).type;
    if (!type.has_value() || !program_.types.IsPointer(type) || (!through.read && !through.write)) continue;
    const VariableId root = roots_.Of(args[i]);
    if (!root.has_value()) continue;
    for (const size_t other : by_root[root]) {
      if (!through.write && !params_[callee.index][other].write) continue;
      const Access& writer = through.write ? through : params_[callee.index][other];
      sink_
          .Emit(kAliasedArguments, expr(args[i]).span, program_.variables[root].name,
                program_.functions[callee].name)
          .Note(expr(args[other]).span, "the other argument")
          .Note(writer.write_at, "written here");
      return;
    }
    by_root[root].push_back(i);
  }
}

// --- pointers to variables that the callee accesses by name ---

void AliasChecker::Answer() {
  std::vector<VariableId> variables;
  for (const Question& question : questions_) variables.push_back(question.variable);
  std::sort(variables.begin(), variables.end());
  variables.erase(std::unique(variables.begin(), variables.end()), variables.end());
  std::stable_sort(questions_.begin(), questions_.end(),
                   [](const Question& a, const Question& b) { return a.variable < b.variable; });
  for (size_t i = 0; i < variables.size(); i += 64) {
    const size_t count = std::min<size_t>(64, variables.size() - i);
    AnswerBatch(std::span<const VariableId>(variables).subspan(i, count), questions_);
  }
}

void AliasChecker::AnswerBatch(std::span<const VariableId> variables,
                               const std::vector<Question>& questions) {
  std::vector<uint64_t> reads(program_.functions.size(), 0), writes(program_.functions.size(), 0);
  for (uint32_t f = 0; f < program_.functions.size(); ++f) {
    for (size_t bit = 0; bit < variables.size() && !globals_[f].empty(); ++bit) {
      const auto found = globals_[f].find(variables[bit]);
      if (found == globals_[f].end()) continue;
      if (found->second.read) reads[f] |= uint64_t{1} << bit;
      if (found->second.write) writes[f] |= uint64_t{1} << bit;
    }
    for (const FunctionId callee : program_.functions[FunctionId(f)].callees) {
      reads[f] |= reads[callee.index];
      writes[f] |= writes[callee.index];
    }
  }
  const auto by_variable = [](const Question& question, VariableId v) { return question.variable < v; };
  auto question = std::lower_bound(questions.begin(), questions.end(), variables.front(), by_variable);
  for (; question != questions.end() && !(variables.back() < question->variable); ++question) {
    const auto at = std::lower_bound(variables.begin(), variables.end(), question->variable);
    const uint64_t bit = uint64_t{1} << (at - variables.begin());
    const bool read = (reads[question->callee.index] & bit) != 0;
    const bool write = (writes[question->callee.index] & bit) != 0;
    if ((question->through.write && (read || write)) || (question->through.read && write)) {
      ReportGlobal(*question, read, write);
    }
  }
}

void AliasChecker::ReportGlobal(const Question& question, bool read, bool write) {
  const Access by_name = FindAccess(question.callee, question.variable);
  auto report = sink_.Emit(kAliasedGlobal, question.argument, program_.variables[question.variable].name,
                           program_.functions[question.callee].name, write ? "writes" : "reads",
                           question.through.write ? "writes" : "reads");
  if (write && by_name.write) report.Note(by_name.write_at, "written by name here");
  if (!write && read && by_name.read) report.Note(by_name.read_at, "read by name here");
  report.Note(question.through.write ? question.through.write_at : question.through.read_at,
              "accessed through the pointer here");
}

// Where the function or one that it calls accesses the variable by name.
Access AliasChecker::FindAccess(FunctionId start, VariableId variable) const {
  Access found;
  std::vector<FunctionId> queue = {start};
  std::unordered_set<FunctionId, IdHash> seen = {start};
  for (size_t i = 0; i < queue.size(); ++i) {
    const auto own = globals_[queue[i].index].find(variable);
    if (own != globals_[queue[i].index].end()) found.Add(own->second);
    for (const FunctionId callee : program_.functions[queue[i]].callees) {
      if (seen.insert(callee).second) queue.push_back(callee);
    }
  }
  return found;
}

}  // namespace

void CheckAliasing(const Program& program, diag::Sink& sink) { AliasChecker(program, sink).Run(); }

}  // namespace lockstep::wgsl
