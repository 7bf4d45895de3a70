// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// WGSL: #uniformity-statements. Each statement takes the node of the control flow before it and gives the
// node of the control flow after it. Unreachable statements are not walked. `for` and `while` are loops whose
// body begins with `if !condition { break; }`.
#include <algorithm>

#include "wgsl/uniformity_impl.h"

namespace lockstep::wgsl::uniformity {

FunctionWalker::FunctionWalker(const Program& program, const std::vector<Summary>& summaries,
                               Store<TraceId, Trace>& traces)
    : program_(program),
      summaries_(summaries),
      traces_(traces),
      values_(graph, program.variables.size()),
      filters_(program.ast) {}

void FunctionWalker::Run(const Function& function) {
  function_ = &function;
  graph.Clear();
  values_.Clear();
  requirements.clear();
  params.clear();
  contents.clear();
  contents_after.clear();
  pointer_lets_.clear();
  param_nodes_.clear();
  frames_.clear();
  end_ = {};
  assigned_ = FindAssigned(program_, function, summaries_);
  control_start = graph.Add(NodeKind::kControlStart);
  result = graph.Add(NodeKind::kValue);
  for (uint32_t i = 0; i < function.params.size(); ++i) Parameter(i);
  end_.variables = &assigned_[function.body];

  const DiagnosticFilters::Mark mark = filters_.Now();
  filters_.Push(program_.ast.decls[function.decl].attributes);
  Block(function.body, control_start);
  if (program_.info(function.body).can_next) values_.Record(end_);
  filters_.BackTo(mark);
  FinishResult();
}

void FunctionWalker::FinishResult() {
  contents_after.assign(function_->params.size(), NodeId::None());
  if (!end_.is_reached) return;
  for (size_t slot = 0; slot < end_.entries.size(); ++slot) {
    for (size_t i = 0; i < function_->params.size(); ++i) {
      if (function_->params[i] == (*end_.variables)[slot]) contents_after[i] = end_.entries[slot].node;
    }
  }
}

// WGSL: the built-in inputs that are uniform.
bool FunctionWalker::IsUniformInput(VariableId parameter) const {
  const auto is_uniform = [&](const std::string& builtin) {
    return builtin == "workgroup_id" || builtin == "num_workgroups" || builtin == "workgroup_index" ||
           builtin == "num_subgroups" || (builtin == "subgroup_size" && function_->stage == "compute");
  };
  const Variable& variable = program_.variables[parameter];
  if (!variable.type.has_value() || program_.types[variable.type].kind != TypeKind::kStruct) {
    return is_uniform(variable.builtin);
  }
  const auto& members = program_.types.struct_of(variable.type).members;
  return std::all_of(members.begin(), members.end(),
                     [&](const StructMember& m) { return is_uniform(m.io.builtin); });
}

void FunctionWalker::Parameter(uint32_t position) {
  const VariableId parameter = function_->params[position];
  NodeId node;
  if (!function_->is_entry_point) {
    node = graph.Add(NodeKind::kParam, position);
  } else if (IsUniformInput(parameter)) {
    node = control_start;
  } else {
    node = graph.Add(NodeKind::kInput, position);
    graph.Edge(node, Graph::kNonUniform);
  }
  params.push_back(node);
  param_nodes_[parameter] = node;
  contents.emplace_back();
  if (!IsFunctionPointer(program_, parameter)) return;
  contents.back() = graph.Add(NodeKind::kParamContents, position);
  values_.Set(parameter, contents.back());
}

// --- statements ---

NodeId FunctionWalker::Block(StmtId id, NodeId control) {
  const DiagnosticFilters::Mark mark = filters_.Now();
  filters_.Push(stmt(id).attributes);
  for (const StmtId inner : stmt(id).stmts) {
    control = Statement(inner, control);
    if (!program_.info(inner).can_next) break;
  }
  filters_.BackTo(mark);
  return control;
}

NodeId FunctionWalker::Statement(StmtId id, NodeId control) {
  const DiagnosticFilters::Mark mark = filters_.Now();
  if (stmt(id).kind != ast::StmtKind::kCompound) filters_.Push(stmt(id).attributes);
  control = Dispatch(id, control);
  filters_.BackTo(mark);
  return control;
}

NodeId FunctionWalker::Dispatch(StmtId id, NodeId control) {
  const ast::Stmt& s = stmt(id);
  switch (s.kind) {
    case ast::StmtKind::kCompound:
      return Block(id, control);
    case ast::StmtKind::kDeclare:
      Declare(id, control);
      return control;
    case ast::StmtKind::kAssign:
    case ast::StmtKind::kCompoundAssign:
      Assignment(id, control);
      return control;
    case ast::StmtKind::kPhonyAssign:
      Value(s.b, control);
      return control;
    case ast::StmtKind::kIncrement:
    case ast::StmtKind::kDecrement:
      Step(id, control);
      return control;
    case ast::StmtKind::kCall:
      Value(s.a, control);
      return control;
    case ast::StmtKind::kIf:
      return If(id, control);
    case ast::StmtKind::kSwitch:
      return Switch(id, control);
    case ast::StmtKind::kFor:
      return For(id, control);
    case ast::StmtKind::kWhile:
      return Loop({id, s.a, s.block, StmtId::None(), StmtId::None()}, control);
    case ast::StmtKind::kLoop:
      return Loop({id, ExprId::None(), s.block, s.continuing, StmtId::None()}, control);
    case ast::StmtKind::kBreak:
      Jump(false);
      return control;
    case ast::StmtKind::kContinue:
      Jump(true);
      return control;
    case ast::StmtKind::kBreakIf:
      return BreakIf(id, control);
    case ast::StmtKind::kReturn:
      Return(id, control);
      return control;
    case ast::StmtKind::kConstAssert:
    case ast::StmtKind::kDiscard:
    case ast::StmtKind::kEmpty:
      return control;
  }
  UNREACHABLE("statement kind");
}

void FunctionWalker::Declare(StmtId id, NodeId control) {
  const VariableId variable = program_.info(id).variable;
  if (!variable.has_value()) return;
  const Variable& v = program_.variables[variable];
  const ExprId init = program_.ast.decls[stmt(id).decl].init;
  if (v.kind == VariableKind::kLet && program_.types.IsPointer(v.type)) {
    pointer_lets_[variable] = ViewOf(init, control);
  } else if (v.kind != VariableKind::kConst) {
    values_.Set(variable, init.has_value() ? Value(init, control) : control);
  }
}

void FunctionWalker::Assign(const View& view, NodeId value, NodeId control) {
  if (!IsTracked(view.root)) return;
  const NodeId node = graph.Add(NodeKind::kValue);
  graph.Edge(node, control);
  graph.Edge(node, value);
  graph.Edge(node, view.address);
  const NodeId before = values_.Get(view.root);
  if (!view.is_whole && before.has_value()) graph.Edge(node, before);
  values_.Set(view.root, node);
}

void FunctionWalker::Assignment(StmtId id, NodeId control) {
  const ast::Stmt& s = stmt(id);
  const View view = ViewOf(s.a, control);
  NodeId value = control;
  if (s.kind == ast::StmtKind::kCompoundAssign) value = Load(view, control, s.a);
  value = Both(value, Value(s.b, control), control);
  Assign(view, value, control);
}

void FunctionWalker::Step(StmtId id, NodeId control) {
  const View view = ViewOf(stmt(id).a, control);
  Assign(view, Load(view, control, stmt(id).a), control);
}

NodeId FunctionWalker::If(StmtId id, NodeId control) {
  const ast::Stmt& s = stmt(id);
  const NodeId branch = Branch(s.a, Value(s.a, control), control);
  const VariableValues::Mark mark = values_.Now();
  const NodeId then_end = Block(s.block, branch);
  const VariableValues::Changes then_changes = values_.TakeBack(mark);
  const NodeId else_end = s.other.has_value() ? Statement(s.other, branch) : branch;
  const VariableValues::Changes else_changes = values_.TakeBack(mark);
  const bool then_next = program_.info(s.block).can_next;
  const bool else_next = !s.other.has_value() || program_.info(s.other).can_next;
  if (then_next && else_next) {
    values_.Merge(then_changes, else_changes);
  } else if (then_next) {
    values_.Apply(then_changes);
  } else if (else_next) {
    values_.Apply(else_changes);
  }
  const StmtInfo& info = program_.info(id);
  if (info.can_next && !info.can_break && !info.can_continue && !info.can_return) return control;
  if (then_end == else_end) return then_end;
  const NodeId end = graph.Add(NodeKind::kControl);
  graph.Edge(end, then_end);
  graph.Edge(end, else_end);
  return end;
}

NodeId FunctionWalker::Switch(StmtId id, NodeId control) {
  const ast::Stmt& s = stmt(id);
  const NodeId branch = Branch(s.a, Value(s.a, control), control);
  const DiagnosticFilters::Mark filter_mark = filters_.Now();
  filters_.Push(s.body_attributes);
  frames_.emplace_back();
  frames_.back().exit.variables = &assigned_[id];
  const VariableValues::Mark mark = values_.Now();
  std::vector<NodeId> ends;
  for (const ast::SwitchCase& clause : s.cases) {
    const NodeId end = Block(clause.body, branch);
    if (end != control) ends.push_back(end);
    if (program_.info(clause.body).can_next) values_.Record(frames_.back().exit);
    values_.TakeBack(mark);
  }
  values_.Apply(frames_.back().exit);
  frames_.pop_back();
  filters_.BackTo(filter_mark);
  const StmtInfo& info = program_.info(id);
  if ((info.can_next && !info.can_continue && !info.can_return) || ends.empty()) return control;
  const NodeId end = graph.Add(NodeKind::kControl);
  for (const NodeId one : ends) graph.Edge(end, one);
  return end;
}

NodeId FunctionWalker::For(StmtId id, NodeId control) {
  const ast::Stmt& s = stmt(id);
  if (s.init.has_value()) Statement(s.init, control);
  return Loop({id, s.a, s.block, StmtId::None(), s.update}, control);
}

NodeId FunctionWalker::Loop(const LoopParts& parts, NodeId control) {
  const StmtInfo& body = program_.info(parts.body);
  const bool repeats = body.can_next || body.can_continue;
  const std::vector<VariableId>& variables = assigned_[parts.loop];
  NodeId head = control;
  if (repeats) {
    head = graph.Add(NodeKind::kControl);
    graph.Edge(head, control);
  }
  frames_.emplace_back();
  frames_.back().is_loop = true;
  frames_.back().exit.variables = frames_.back().next.variables = &variables;
  const VariableValues::Mark mark = values_.Now();
  std::vector<NodeId> at_head;
  for (const VariableId variable : variables) {
    if (!repeats) break;
    at_head.push_back(graph.Add(NodeKind::kValue));
    if (values_.Get(variable).has_value()) graph.Edge(at_head.back(), values_.Get(variable));
    values_.Set(variable, at_head.back());
  }
  NodeId end;
  const NodeId body_end = Iterate(parts, head, end);
  if (repeats) {
    graph.Edge(head, end);
    for (size_t i = 0; i < variables.size(); ++i) graph.Edge(at_head[i], values_.Get(variables[i]));
  }
  values_.TakeBack(mark);
  values_.Apply(frames_.back().exit);
  frames_.pop_back();
  if (!body.can_return) return control;
  return repeats ? head : body_end;
}

// One pass of the body, then of what continues. Gives the control flow at the end of the body, `end` that at
// the end of the pass.
NodeId FunctionWalker::Iterate(const LoopParts& parts, NodeId head, NodeId& end) {
  const StmtInfo& body = program_.info(parts.body);
  const size_t frame = frames_.size() - 1;
  const VariableValues::Mark mark = values_.Now();
  NodeId control = head;
  if (parts.condition.has_value()) {
    control = Branch(parts.condition, Value(parts.condition, head), head);
    values_.Record(frames_[frame].exit);
  }
  const NodeId body_end = Block(parts.body, control);
  end = body_end;
  if (!body.can_next && !body.can_continue) return body_end;
  if (body.can_next) values_.Record(frames_[frame].next);
  values_.TakeBack(mark);
  values_.Apply(frames_[frame].next);
  if (parts.continuing.has_value()) end = Block(parts.continuing, body_end);
  if (parts.update.has_value()) end = Statement(parts.update, body_end);
  return body_end;
}

NodeId FunctionWalker::BreakIf(StmtId id, NodeId control) {
  const ExprId condition = stmt(id).a;
  const NodeId branch = Branch(condition, Value(condition, control), control);
  if (!frames_.empty()) values_.Record(frames_.back().exit);
  return branch;
}

void FunctionWalker::Jump(bool is_continue) {
  for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame) {
    if (is_continue && !frame->is_loop) continue;
    return values_.Record(is_continue ? frame->next : frame->exit);
  }
}

void FunctionWalker::Return(StmtId id, NodeId control) {
  if (stmt(id).a.has_value()) graph.Edge(result, Value(stmt(id).a, control));
  values_.Record(end_);
}

}  // namespace lockstep::wgsl::uniformity
