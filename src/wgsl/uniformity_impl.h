// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Uniformity analysis (WGSL: #uniformity), private parts:
//
//   uniformity.cc          functions in order, callees first: requirements met or handed to callers; messages
//   uniformity_expr.cc     expressions and calls to nodes
//   uniformity_stmt.cc     statements to nodes
//   uniformity_values.cc   the value node of each local variable at each point, and how they join
//   uniformity_assigned.cc which variables a loop, a switch or a function assigns
//   uniformity_filter.cc   severities by diagnostic filter
//   uniformity_graph.cc    nodes, edges, walks
//
// A function-space pointer parameter is treated as a local variable that begins with what the pointer points
// to
// (#pointer-desugar). Where the specification's rules, read to the letter, lose a dependency that inlining
// the callee would show (the address of an argument such as `&a[i]`, control flow around a call that writes
// through a pointer), the edge is added: a program is then judged as if the call were inlined.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "wgsl/program.h"
#include "wgsl/uniformity_filter.h"
#include "wgsl/uniformity_graph.h"

namespace lockstep::wgsl::uniformity {

struct TraceId : IdBase<TraceId> {
  using IdBase::IdBase;
};

// One note of a message; `next` continues it. Traces share their tails, so that a long chain of calls stays
// linear.
struct Trace {
  diag::Note note;
  TraceId next;
};

// Something that must be uniform: a builtin's call, or one of its arguments.
struct Requirement {
  const diag::Kind* kind = nullptr;
  diag::Severity severity = diag::Severity::kError;
  std::string name;  // the builtin's
  Span span;         // its call, or the argument
  NodeId target;     // in the graph of the function at hand
  TraceId trace;     // the notes so far, from the function at hand inwards
};

struct ParamSummary {
  std::optional<Requirement> value, contents;  // what must be uniform
  bool in_result = false, contents_in_result = false;
  // Function-space pointers only: what the memory holds afterwards depends on ...
  bool is_written = false;
  bool may_be_non_uniform = false;
  bool depends_on_control = false;
  std::vector<uint32_t> values, contents_of;  // ... these parameters
  TraceId trace;
};

// What callers need to know of a function: the tags of the specification.
struct Summary {
  std::optional<Requirement> call_site;
  std::vector<ParamSummary> params;
  bool result_may_be_non_uniform = false;
  TraceId result_trace;
};

// What builtins need: wgsl/defs/uniformity.def.
enum class Rule : uint8_t { kNone, kSynchronization, kDerivative, kSubgroup };
struct BuiltinUniformity {
  Builtin builtin;
  Rule rule;
  bool result_may_be_non_uniform;
  int argument;
};
const BuiltinUniformity* UniformityOf(Builtin builtin);  // null for the usual

// --- which variables are assigned where (uniformity_assigned.cc) ---

// Sorted, without repeats: local variables and pointer parameters that a statement assigns and that are
// declared outside of it; for each loop and switch, and for the body of the function.
using AssignedMap = std::unordered_map<ast::StmtId, std::vector<VariableId>, IdHash>;
AssignedMap FindAssigned(const Program& program, const Function& function,
                         const std::vector<Summary>& summaries);
bool IsFunctionPointer(const Program& program,
                       VariableId variable);  // a parameter of type ptr<function, ...>

// --- values of local variables (uniformity_values.cc) ---

class VariableValues {
 public:
  VariableValues(Graph& graph, uint32_t variable_count)
      : graph_(graph), current_(variable_count), stamps_(variable_count, 0), left_(variable_count) {}
  void Clear();  // for the next function

  NodeId Get(VariableId variable) const { return current_[variable.index]; }
  void Set(VariableId variable, NodeId value);

  using Mark = size_t;
  using Changes = std::vector<std::pair<VariableId, NodeId>>;
  Mark Now() const { return log_.size(); }
  // What changed since `mark`, with the values now; goes back to the values at `mark`.
  Changes TakeBack(Mark mark);
  void Apply(const Changes& changes);
  // Values after either of two ways from here.
  void Merge(const Changes& left, const Changes& right);

  // Where several jumps meet (after a loop, at its `continuing`, at a function's end). Each Record costs what
  // changed since the one before.
  struct Join {
    struct Entry {
      NodeId last, node;
    };
    const std::vector<VariableId>* variables = nullptr;  // those that may differ
    bool is_reached = false;
    size_t seen = 0;
    std::vector<Entry> entries;
  };
  void Record(Join& join);
  void Apply(const Join& join);

 private:
  void RecordOne(Join& join, size_t slot);

  Graph& graph_;
  std::vector<NodeId> current_;                     // by VariableId
  std::vector<std::pair<VariableId, NodeId>> log_;  // variable, value before
  std::vector<VariableId> changed_;                 // every change, taking back included
  std::vector<uint32_t> stamps_;
  std::vector<NodeId> left_;
  uint32_t stamp_ = 0;
};

// --- one function (uniformity_expr.cc, uniformity_stmt.cc) ---

class FunctionWalker {
 public:
  FunctionWalker(const Program& program, const std::vector<Summary>& summaries,
                 Store<TraceId, Trace>& traces);
  void Run(const Function& function);

  // Results of the run.
  Graph graph;
  std::vector<Requirement> requirements;
  NodeId control_start;
  std::vector<NodeId> params;          // by parameter
  std::vector<NodeId> contents;        // of function-space pointers, otherwise None
  NodeId result;                       // what is returned
  std::vector<NodeId> contents_after;  // of function-space pointers that are written, otherwise None

 private:
  using ExprId = ast::ExprId;
  using StmtId = ast::StmtId;

  // A reference or pointer: whose memory, all of it or a part, and the node of its address.
  struct View {
    VariableId root;
    bool is_whole = false;
    NodeId address;
  };
  struct Frame {
    bool is_loop = false;
    VariableValues::Join exit, next;
  };
  struct LoopParts {
    StmtId loop;  // the statement itself
    ExprId condition;
    StmtId body, continuing, update;
  };

  const ast::Expr& expr(ExprId id) const { return program_.ast.exprs[id]; }
  const ast::Stmt& stmt(StmtId id) const { return program_.ast.stmts[id]; }
  void Parameter(uint32_t position);
  bool IsUniformInput(VariableId parameter) const;
  bool IsTracked(VariableId root) const;  // a local variable or a function-space pointer parameter

  NodeId Value(ExprId id, NodeId control);
  View ViewOf(ExprId id, NodeId control);
  View ViewOfIdentifier(ExprId id, NodeId control);
  NodeId Load(const View& view, NodeId control, ExprId id);
  NodeId BaseValue(ExprId id, NodeId control);
  NodeId IdentifierValue(ExprId id, NodeId control);
  NodeId ShortCircuit(ExprId id, NodeId control);
  NodeId Call(ExprId id, NodeId control);
  NodeId BuiltinCall(ExprId id, NodeId control);
  NodeId UserCall(ExprId id, NodeId control);
  void WriteThrough(ExprId call, uint32_t position, const std::vector<View>& args,
                    const std::vector<NodeId>& before, NodeId control);
  void Require(Requirement requirement, NodeId target);
  void RequireByRule(Rule rule, bool is_argument, std::string_view name, Span span, NodeId target);
  NodeId Branch(ExprId condition, NodeId value, NodeId control);
  // A node that needs `a` and `b`; no new one where `control` says the same.
  NodeId Both(NodeId a, NodeId b, NodeId control);
  NodeId Read(NodeId earlier, NodeId control);

  NodeId Statement(StmtId id, NodeId control);
  NodeId Dispatch(StmtId id, NodeId control);
  NodeId Block(StmtId id, NodeId control);
  void Declare(StmtId id, NodeId control);
  void Assign(const View& view, NodeId value, NodeId control);
  void Assignment(StmtId id, NodeId control);
  void Step(StmtId id, NodeId control);  // ++ and --
  NodeId If(StmtId id, NodeId control);
  NodeId Switch(StmtId id, NodeId control);
  NodeId For(StmtId id, NodeId control);
  NodeId Loop(const LoopParts& parts, NodeId control);
  NodeId Iterate(const LoopParts& parts, NodeId head, NodeId& end);
  NodeId BreakIf(StmtId id, NodeId control);
  void Return(StmtId id, NodeId control);
  void Jump(bool is_continue);
  void FinishResult();

  const Program& program_;
  const std::vector<Summary>& summaries_;
  Store<TraceId, Trace>& traces_;
  const Function* function_ = nullptr;
  AssignedMap assigned_;
  VariableValues values_;
  std::unordered_map<VariableId, View, IdHash> pointer_lets_;
  std::unordered_map<VariableId, NodeId, IdHash> param_nodes_;
  std::vector<Frame> frames_;
  VariableValues::Join end_;  // where the function returns
  DiagnosticFilters filters_;
};

}  // namespace lockstep::wgsl::uniformity
