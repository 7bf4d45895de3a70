// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// WGSL: #uniformity. Functions are taken callees first. For each, a graph says what depends on what (see
// uniformity_graph.h); then
//   - a requirement that reaches MayBeNonUniform is an error, or what its diagnostic filter makes of it;
//   - one that reaches the function's parameters or its start is handed to the callers (their tags);
//   - what the result and the memory behind pointers depend on is kept for callers likewise.
//
// In
//     fn reduce(n: u32) { if n > 0 { workgroupBarrier(); } }
//     fn main(@builtin(local_invocation_index) i: u32) { reduce(i); }
// the barrier's requirement reaches parameter `n`; in main it becomes a requirement on `i`, an input that may
// differ between invocations. The message stands at the barrier; its notes lead from there to `i`.
#include <algorithm>
#include <set>

#include "wgsl/uniformity_impl.h"

namespace lockstep::wgsl {
namespace uniformity {
namespace {

// Notes of one message: its first and its last ones where a chain of calls is longer.
constexpr size_t kNotesAtEachEnd = 6;
constexpr size_t kBranchNotes = 3;

class Analysis {
 public:
  Analysis(const Program& program, diag::Sink& sink)
      : program_(program),
        sink_(sink),
        summaries_(program.functions.size()),
        walker_(program, summaries_, traces_) {}
  void Run();

 private:
  struct Notes {
    std::vector<diag::Note> list;
    TraceId rest;
  };

  void Analyze(FunctionId id);
  bool Report(const Requirement& requirement);
  void HandOn(diag::Severity severity);
  void Keep(std::optional<Requirement>& slot, NodeId node, const Graph::Walk& walk, std::string_view what,
            VariableId parameter);
  void SummarizeResult();
  void SummarizeContents();
  Notes NotesFrom(NodeId start) const;
  std::string NoteOf(NodeId node, Span& span, TraceId& rest) const;
  std::string SourceText(const Node& node) const;
  std::string InputText(uint32_t position) const;
  TraceId Store(const Notes& notes);
  void Attach(diag::Sink::Builder report, std::vector<diag::Note> notes) const;
  const ast::Expr& expr(uint32_t index) const { return program_.ast.exprs[ast::ExprId(index)]; }
  const Function& function() const { return program_.functions[current_]; }
  Summary& summary() { return summaries_[current_.index]; }

  const Program& program_;
  diag::Sink& sink_;
  std::vector<Summary> summaries_;
  lockstep::Store<TraceId, Trace> traces_;
  FunctionWalker walker_;
  FunctionId current_;
  std::vector<NodeId> ways_;                          // to MayBeNonUniform
  std::set<std::pair<uint32_t, uint32_t>> reported_;  // places
};

void Analysis::Run() {
  for (uint32_t i = 0; i < program_.functions.size(); ++i) Analyze(FunctionId(i));
}

void Analysis::Analyze(FunctionId id) {
  current_ = id;
  walker_.Run(function());
  summary().params.resize(function().params.size());
  ways_ = walker_.graph.WaysToNonUniform();
  for (const diag::Severity severity :
       {diag::Severity::kError, diag::Severity::kWarning, diag::Severity::kInfo}) {
    bool failed = false;
    for (const Requirement& requirement : walker_.requirements) {
      if (requirement.severity == severity && ways_[requirement.target.index].has_value()) {
        failed = Report(requirement) || failed;
      }
    }
    if (!failed) HandOn(severity);
  }
  SummarizeResult();
  SummarizeContents();
}

// --- messages ---

bool Analysis::Report(const Requirement& requirement) {
  if (!reported_.emplace(requirement.span.begin, requirement.span.end).second) return true;
  auto report = sink_.EmitAs(requirement.severity, *requirement.kind, requirement.span, requirement.name);
  std::vector<diag::Note> notes;
  // The trace leads from this function to the builtin: the other way round here.
  for (TraceId id = requirement.trace; id.has_value(); id = traces_[id].next)
    notes.push_back(traces_[id].note);
  std::reverse(notes.begin(), notes.end());
  Notes here = NotesFrom(requirement.target);
  for (diag::Note& note : here.list) notes.push_back(std::move(note));
  for (TraceId id = here.rest; id.has_value(); id = traces_[id].next) notes.push_back(traces_[id].note);
  Attach(report, std::move(notes));
  return true;
}

void Analysis::Attach(diag::Sink::Builder report, std::vector<diag::Note> notes) const {
  for (size_t i = 0; i < notes.size(); ++i) {
    const bool is_left_out = i >= kNotesAtEachEnd && i + kNotesAtEachEnd < notes.size();
    if (!is_left_out) report.AddNote(notes[i].span, std::move(notes[i].message));
  }
}

// What leads from `start` to MayBeNonUniform, in this function; `rest` goes on in a callee.
Analysis::Notes Analysis::NotesFrom(NodeId start) const {
  Notes notes;
  size_t branches = 0;
  for (NodeId node = start; node.has_value() && node != Graph::kNonUniform; node = ways_[node.index]) {
    Span span;
    std::string text = NoteOf(node, span, notes.rest);
    if (text.empty()) continue;
    if (walker_.graph[node].kind == NodeKind::kBranch && ++branches > kBranchNotes) continue;
    notes.list.push_back({span, std::move(text)});
  }
  return notes;
}

// The note for a node of a way to MayBeNonUniform; empty where there is nothing to tell.
std::string Analysis::NoteOf(NodeId id, Span& span, TraceId& rest) const {
  const Node& node = walker_.graph[id];
  const bool is_last = ways_[id.index] == Graph::kNonUniform;
  switch (node.kind) {
    case NodeKind::kMayBeNonUniform:
    case NodeKind::kControlStart:
    case NodeKind::kParam:
    case NodeKind::kParamContents:
    case NodeKind::kValue:
    case NodeKind::kControl:
      return "";
    case NodeKind::kBranch:
      span = expr(node.payload).span;
      return "control flow depends on possibly non-uniform value";
    case NodeKind::kSource:
      span = expr(node.payload).span;
      return SourceText(node);
    case NodeKind::kInput:
      span = program_.variables[function().params[node.payload]].name_span;
      return InputText(node.payload);
    case NodeKind::kCall:
    case NodeKind::kCallContents:
      break;
  }
  if (!is_last) return "";
  const FunctionId callee = program_.info(ast::ExprId(node.payload)).function;
  const Summary& called = summaries_[callee.index];
  const std::string& name = program_.functions[callee].name;
  if (node.kind == NodeKind::kCall) {
    span = expr(node.payload).span;
    rest = called.result_trace;
    return fmt::format("return value of '{}' may be non-uniform", name);
  }
  span = program_.ast.exprs[program_.ast.list(expr(node.payload).args)[node.extra]].span;
  rest = called.params[node.extra].trace;
  return fmt::format("'{}' may write a non-uniform value through this pointer", name);
}

std::string Analysis::SourceText(const Node& node) const {
  const VariableId root(node.extra);
  if (!root.has_value()) {
    const Builtin builtin = program_.info(ast::ExprId(node.payload)).builtin;
    return fmt::format("return value of '{}' may be non-uniform", BuiltinName(builtin));
  }
  const Variable& variable = program_.variables[root];
  if (variable.kind == VariableKind::kParam) {
    return fmt::format("reading through pointer '{}' may result in a non-uniform value", variable.name);
  }
  if (variable.space == AddressSpace::kStorage) {
    return fmt::format("reading from read_write storage buffer '{}' may result in a non-uniform value",
                       variable.name);
  }
  return fmt::format("reading from {} variable '{}' may result in a non-uniform value",
                     AddressSpaceName(variable.space), variable.name);
}

std::string Analysis::InputText(uint32_t position) const {
  const Variable& variable = program_.variables[function().params[position]];
  if (!variable.builtin.empty()) {
    return fmt::format("builtin '{}' of '{}' may be non-uniform", variable.builtin, function().name);
  }
  return fmt::format("parameter '{}' of '{}' may be non-uniform", variable.name, function().name);
}

TraceId Analysis::Store(const Notes& notes) {
  TraceId trace = notes.rest;
  for (auto note = notes.list.rbegin(); note != notes.list.rend(); ++note)
    trace = traces_.Add({*note, trace});
  return trace;
}

// --- what callers need to know ---

void Analysis::HandOn(diag::Severity severity) {
  Graph::Walk walk(walker_.graph);
  for (uint32_t i = 0; i < walker_.requirements.size(); ++i) {
    if (walker_.requirements[i].severity == severity) walk.From(walker_.requirements[i].target, i);
  }
  if (walk.Reached(Graph::kNonUniform)) return;  // only by a requirement of a function that is wrong already
  Keep(summary().call_site, walker_.control_start, walk, "", {});
  if (function().is_entry_point) return;
  for (size_t i = 0; i < function().params.size(); ++i) {
    const VariableId parameter = function().params[i];
    Keep(summary().params[i].value, walker_.params[i], walk, "parameter '{}' of '{}' may be non-uniform",
         parameter);
    if (!walker_.contents[i].has_value()) continue;
    Keep(summary().params[i].contents, walker_.contents[i], walk,
         "parameter '{}' of '{}' may point to a non-uniform value", parameter);
  }
}

void Analysis::Keep(std::optional<Requirement>& slot, NodeId node, const Graph::Walk& walk,
                    std::string_view what, VariableId parameter) {
  if (slot || !walk.Reached(node)) return;
  slot = walker_.requirements[walk.TagOf(node)];
  size_t branches = 0;
  for (const NodeId step : walk.PathTo(node)) {
    const Node& at = walker_.graph[step];
    if (at.kind != NodeKind::kBranch || !parameter.has_value() || ++branches > kBranchNotes) continue;
    slot->trace = traces_.Add(
        {{expr(at.payload).span, "control flow depends on possibly non-uniform value"}, slot->trace});
  }
  if (!parameter.has_value()) return;
  const Variable& variable = program_.variables[parameter];
  std::string text = fmt::format(fmt::runtime(what), variable.name, function().name);
  slot->trace = traces_.Add({{variable.name_span, std::move(text)}, slot->trace});
}

void Analysis::SummarizeResult() {
  Summary& out = summary();
  if (ways_[walker_.result.index].has_value()) {
    out.result_may_be_non_uniform = true;
    out.result_trace = Store(NotesFrom(walker_.result));
  }
  Graph::Walk walk(walker_.graph);
  walk.From(walker_.result, 0);
  for (size_t i = 0; i < out.params.size(); ++i) {
    out.params[i].in_result = walk.Reached(walker_.params[i]);
    out.params[i].contents_in_result = walker_.contents[i].has_value() && walk.Reached(walker_.contents[i]);
  }
}

// What the memory behind pointers holds afterwards.
void Analysis::SummarizeContents() {
  const uint32_t count = static_cast<uint32_t>(function().params.size());
  std::vector<NodeId> targets, sources = walker_.params;
  std::vector<uint32_t> written;
  for (uint32_t i = 0; i < count; ++i) {
    if (!walker_.contents_after[i].has_value()) continue;
    written.push_back(i);
    targets.push_back(walker_.contents_after[i]);
  }
  if (written.empty()) return;
  // Sources: the parameters, what is behind them (the start of the graph for those that are no pointers:
  // nothing that is asked for), and the control flow.
  for (const NodeId node : walker_.contents) sources.push_back(node.has_value() ? node : Graph::kNonUniform);
  sources.push_back(walker_.control_start);
  const std::vector<std::vector<uint32_t>> reached = walker_.graph.Reaches(targets, sources);
  for (size_t w = 0; w < written.size(); ++w) {
    ParamSummary& out = summary().params[written[w]];
    out.is_written = true;
    if (ways_[targets[w].index].has_value()) {
      out.may_be_non_uniform = true;
      out.trace = Store(NotesFrom(targets[w]));
    }
    for (const uint32_t source : reached[w]) {
      if (source == 2 * count) {
        out.depends_on_control = true;
      } else if (source < count) {
        out.values.push_back(source);
      } else if (walker_.contents[source - count].has_value()) {
        out.contents_of.push_back(source - count);
      }
    }
  }
}

}  // namespace
}  // namespace uniformity

void CheckUniformity(const Program& program, diag::Sink& sink) { uniformity::Analysis(program, sink).Run(); }

}  // namespace lockstep::wgsl
