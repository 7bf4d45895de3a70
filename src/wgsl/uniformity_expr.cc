// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// WGSL: #uniformity-expressions and #uniformity-function-calls.
#include "wgsl/diagnostics.h"
#include "wgsl/uniformity_impl.h"

namespace lockstep::wgsl::uniformity {

namespace {

constexpr BuiltinUniformity kBuiltins[] = {
#define UNIFORMITY(Name, rule, result, argument) {Builtin::k##Name, Rule::rule, result, argument},
#include "wgsl/defs/uniformity.def"
};

}  // namespace

const BuiltinUniformity* UniformityOf(Builtin builtin) {
  for (const BuiltinUniformity& row : kBuiltins) {
    if (row.builtin == builtin) return &row;
  }
  return nullptr;
}

NodeId FunctionWalker::Both(NodeId a, NodeId b, NodeId control) {
  if (a == control || a == b) return b;
  if (b == control) return a;
  const NodeId node = graph.Add(NodeKind::kValue);
  graph.Edge(node, a);
  graph.Edge(node, b);
  return node;
}

NodeId FunctionWalker::Branch(ExprId condition, NodeId value, NodeId control) {
  if (value == control) return control;
  const NodeId node = graph.Add(NodeKind::kBranch, condition.index);
  graph.Edge(node, value);
  return node;
}

bool FunctionWalker::IsTracked(VariableId root) const {
  if (!root.has_value()) return false;
  const Variable& variable = program_.variables[root];
  if (variable.kind == VariableKind::kVar) return !variable.is_global;
  return IsFunctionPointer(program_, root);
}

// --- memory views ---

FunctionWalker::View FunctionWalker::ViewOf(ExprId id, NodeId control) {
  const ast::Expr& e = expr(id);
  if (e.kind == ast::ExprKind::kIdentifier) return ViewOfIdentifier(id, control);
  if (e.kind == ast::ExprKind::kParen || e.kind == ast::ExprKind::kUnary) return ViewOf(e.a, control);
  if (e.kind == ast::ExprKind::kMember || e.kind == ast::ExprKind::kIndex) {
    View view = ViewOf(e.a, control);
    view.is_whole = false;
    if (e.kind == ast::ExprKind::kIndex) view.address = Both(view.address, Value(e.b, control), control);
    return view;
  }
  return {VariableId::None(), false, Value(id, control)};
}

FunctionWalker::View FunctionWalker::ViewOfIdentifier(ExprId id, NodeId control) {
  const VariableId variable = program_.info(id).variable;
  if (!variable.has_value()) return {VariableId::None(), false, control};
  if (const auto let = pointer_lets_.find(variable); let != pointer_lets_.end()) {
    View view = let->second;
    view.address = Read(view.address, control);
    return view;
  }
  const auto param = param_nodes_.find(variable);
  return {variable, true, param == param_nodes_.end() ? control : Read(param->second, control)};
}

// The use, under `control`, of what was computed earlier.
NodeId FunctionWalker::Read(NodeId earlier, NodeId control) {
  if (!earlier.has_value() || earlier == control) return control;
  const NodeId node = graph.Add(NodeKind::kValue);
  graph.Edge(node, control);
  graph.Edge(node, earlier);
  return node;
}

// The Load Rule: what is read where the view points to.
NodeId FunctionWalker::Load(const View& view, NodeId control, ExprId id) {
  if (!view.root.has_value()) return view.address;
  const Variable& root = program_.variables[view.root];
  if (IsTracked(view.root)) {
    const NodeId now = values_.Get(view.root);
    const NodeId node = graph.Add(NodeKind::kValue);
    graph.Edge(node, control);
    graph.Edge(node, view.address);
    if (now.has_value()) graph.Edge(node, now);
    return node;
  }
  const bool is_pointer = root.kind == VariableKind::kParam && program_.types.IsPointer(root.type);
  const AddressSpace space = is_pointer ? program_.types[root.type].space : root.space;
  const AccessMode access = is_pointer ? program_.types[root.type].access : root.access;
  const bool may_change = space == AddressSpace::kPrivate || space == AddressSpace::kWorkgroup ||
                          (space == AddressSpace::kStorage && access != AccessMode::kRead);
  if (!may_change) return view.address;
  const NodeId node = graph.Add(NodeKind::kSource, id.index, view.root.index);
  graph.Edge(node, Graph::kNonUniform);
  return node;
}

// --- values ---

NodeId FunctionWalker::Value(ExprId id, NodeId control) {
  const ExprInfo& info = program_.info(id);
  if (info.value.has_value() || info.stage != Stage::kRuntime) return control;
  if (info.type.has_value()) {
    if (program_.types.IsReference(info.type)) return Load(ViewOf(id, control), control, id);
    if (program_.types.IsPointer(info.type)) return ViewOf(id, control).address;
  }
  const ast::Expr& e = expr(id);
  switch (e.kind) {
    case ast::ExprKind::kBool:
    case ast::ExprKind::kInt:
    case ast::ExprKind::kFloat:
      return control;
    case ast::ExprKind::kIdentifier:
      return IdentifierValue(id, control);
    case ast::ExprKind::kCall:
      return Call(id, control);
    case ast::ExprKind::kMember:
      return BaseValue(e.a, control);
    case ast::ExprKind::kUnary:
    case ast::ExprKind::kParen:
      return Value(e.a, control);
    case ast::ExprKind::kBinary:
      if (e.binary == ast::BinaryOp::kLogicalAnd || e.binary == ast::BinaryOp::kLogicalOr) {
        return ShortCircuit(id, control);
      }
      [[fallthrough]];
    case ast::ExprKind::kIndex: {
      const NodeId a = BaseValue(e.a, control);
      return Both(a, Value(e.b, control), control);
    }
  }
  UNREACHABLE("expression kind");
}

// The value whose part is taken: `p.xy` with a pointer `p` reads the vector behind it.
NodeId FunctionWalker::BaseValue(ExprId id, NodeId control) {
  const TypeId type = program_.info(id).type;
  if (type.has_value() && program_.types.IsPointer(type)) return Load(ViewOf(id, control), control, id);
  return Value(id, control);
}

NodeId FunctionWalker::IdentifierValue(ExprId id, NodeId control) {
  const VariableId variable = program_.info(id).variable;
  if (!variable.has_value()) return control;
  const auto param = param_nodes_.find(variable);
  return Read(param == param_nodes_.end() ? values_.Get(variable) : param->second, control);
}

NodeId FunctionWalker::ShortCircuit(ExprId id, NodeId control) {
  const ast::Expr& e = expr(id);
  const NodeId left = Value(e.a, control);
  const VariableValues::Mark mark = values_.Now();
  const NodeId right = Value(e.b, Branch(e.a, left, control));
  // A call on the right side may or may not have written through its pointers.
  values_.Merge({}, values_.TakeBack(mark));
  return right;
}

// --- calls ---

NodeId FunctionWalker::Call(ExprId id, NodeId control) {
  const ExprInfo& info = program_.info(id);
  if (info.use == ExprUse::kCallFunction) return UserCall(id, control);
  if (info.use == ExprUse::kCallBuiltin) return BuiltinCall(id, control);
  NodeId result_node = control;
  for (const ExprId arg : program_.ast.list(expr(id).args)) {
    result_node = Both(result_node, Value(arg, control), control);
  }
  return result_node;
}

void FunctionWalker::Require(Requirement requirement, NodeId target) {
  requirement.target = target;
  requirements.push_back(std::move(requirement));
}

void FunctionWalker::RequireByRule(Rule rule, bool is_argument, std::string_view name, Span span,
                                   NodeId target) {
  const diag::Kind* kind = nullptr;
  switch (rule) {
    case Rule::kNone:
      return;
    case Rule::kSynchronization:
      kind = is_argument ? &kPointerNotUniform : &kSynchronizationNotUniform;
      break;
    case Rule::kDerivative:
      kind = &kDerivativeNotUniform;
      break;
    case Rule::kSubgroup:
      kind = is_argument ? &kSubgroupArgumentNotUniform : &kSubgroupNotUniform;
      break;
  }
  const std::optional<diag::Severity> severity =
      kind->rule.empty() ? kind->severity : filters_.SeverityOf(kind->rule);
  if (severity) Require({kind, *severity, std::string(name), span, {}, {}}, target);
}

NodeId FunctionWalker::BuiltinCall(ExprId id, NodeId control) {
  const Builtin builtin = program_.info(id).builtin;
  const BuiltinUniformity* row = UniformityOf(builtin);
  const auto args = program_.ast.list(expr(id).args);
  NodeId result_node = control;
  for (size_t i = 0; i < args.size(); ++i) {
    const NodeId arg = Value(args[i], control);
    result_node = Both(result_node, arg, control);
    if (row == nullptr || row->argument != static_cast<int>(i)) continue;
    RequireByRule(row->rule, true, BuiltinName(builtin), expr(args[i]).span, arg);
  }
  if (row == nullptr) return result_node;
  RequireByRule(row->rule, false, BuiltinName(builtin), expr(id).span, control);
  if (!row->result_may_be_non_uniform) return result_node;
  const NodeId node = graph.Add(NodeKind::kSource, id.index, IdBase<VariableId>::kNoneIndex);
  graph.Edge(node, Graph::kNonUniform);
  return node;
}

NodeId FunctionWalker::UserCall(ExprId id, NodeId control) {
  const FunctionId function = program_.info(id).function;
  const Summary& callee = summaries_[function.index];
  const auto args = program_.ast.list(expr(id).args);
  std::vector<View> views(args.size());
  std::vector<NodeId> before(args.size());  // what is behind function-space pointers
  for (size_t i = 0; i < args.size(); ++i) {
    const TypeId type = program_.info(args[i]).type;
    const bool is_pointer = type.has_value() && program_.types.IsPointer(type);
    views[i] =
        is_pointer ? ViewOf(args[i], control) : View{VariableId::None(), false, Value(args[i], control)};
  }
  for (size_t i = 0; i < args.size(); ++i) {
    if (IsTracked(views[i].root)) before[i] = values_.Get(views[i].root);
  }
  const NodeId node = graph.Add(NodeKind::kCall, id.index);
  graph.Edge(node, control);
  if (callee.result_may_be_non_uniform) graph.Edge(node, Graph::kNonUniform);

  const auto hand_on = [&](const Requirement& inner, Span span, std::string text, NodeId target) {
    Requirement requirement = inner;
    requirement.trace = traces_.Add({{span, std::move(text)}, inner.trace});
    Require(std::move(requirement), target);
  };
  const std::string& name = program_.functions[function].name;
  if (callee.call_site) {
    hand_on(*callee.call_site, expr(id).span,
            fmt::format("'{}' is called from '{}' here", name, function_->name), control);
  }
  for (size_t i = 0; i < args.size() && i < callee.params.size(); ++i) {
    const ParamSummary& param = callee.params[i];
    const std::string text = fmt::format("possibly non-uniform value passed to '{}' here", name);
    if (param.value) hand_on(*param.value, expr(args[i]).span, text, views[i].address);
    if (param.contents && before[i].has_value()) {
      hand_on(*param.contents, expr(args[i]).span,
              fmt::format("pointer to a possibly non-uniform value passed to '{}' here", name),
              Both(before[i], views[i].address, control));
    }
    if (param.in_result || param.contents_in_result) graph.Edge(node, views[i].address);
    if (param.contents_in_result && before[i].has_value()) graph.Edge(node, before[i]);
  }
  for (uint32_t i = 0; i < args.size() && i < callee.params.size(); ++i) {
    if (callee.params[i].is_written) WriteThrough(id, i, views, before, control);
  }
  return node;
}

// What argument `position` points to after the call.
void FunctionWalker::WriteThrough(ExprId call, uint32_t position, const std::vector<View>& args,
                                  const std::vector<NodeId>& before, NodeId control) {
  const View& view = args[position];
  if (!IsTracked(view.root)) return;
  const ParamSummary& param = summaries_[program_.info(call).function.index].params[position];
  const NodeId node = graph.Add(NodeKind::kCallContents, call.index, position);
  if (param.may_be_non_uniform) graph.Edge(node, Graph::kNonUniform);
  if (param.depends_on_control) graph.Edge(node, control);
  for (const uint32_t i : param.values) graph.Edge(node, args[i].address);
  for (const uint32_t i : param.contents_of) {
    if (before[i].has_value()) graph.Edge(node, before[i]);
  }
  graph.Edge(node, view.address);
  if (!view.is_whole && before[position].has_value()) graph.Edge(node, before[position]);
  values_.Set(view.root, node);
}

}  // namespace lockstep::wgsl::uniformity
