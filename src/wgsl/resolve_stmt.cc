// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Statements (WGSL #statements). Statements nest at most ast::kMaxStatementDepth deep, so recursion is
// bounded.
#include <algorithm>
#include <unordered_map>

#include "wgsl/diagnostics.h"
#include "wgsl/resolver.h"

namespace lockstep::wgsl {
namespace {

constexpr size_t kMaxSelectors = 1023;  // WGSL #limits

}  // namespace

void Resolver::Statements(const std::vector<StmtId>& stmts) {
  for (const StmtId id : stmts) Statement(id);
}

void Resolver::Compound(StmtId id) {
  if (!id.has_value()) return;
  StatementAttributes(StmtOf(id).attributes);
  PushScope();
  Statements(StmtOf(id).stmts);
  PopScope();
}

void Resolver::Statement(StmtId id) {
  if (!id.has_value()) return;
  const ast::Stmt& s = StmtOf(id);
  if (s.kind != ast::StmtKind::kCompound) StatementAttributes(s.attributes);
  switch (s.kind) {
    case ast::StmtKind::kCompound:
      return Compound(id);
    case ast::StmtKind::kDeclare: {
      const VariableId variable = LocalDeclaration(s.decl);
      info(id).variable = variable;
      if (program_.variables[variable].kind == VariableKind::kVar) function_vars_.push_back(variable);
      return Bind(DeclOf(s.decl).name, DeclOf(s.decl).name_span, variable);
    }
    case ast::StmtKind::kConstAssert:
      return ConstAssert(s.a);
    case ast::StmtKind::kAssign:
      return Assign(id);
    case ast::StmtKind::kPhonyAssign:
      return PhonyAssign(id);
    case ast::StmtKind::kCompoundAssign:
      return CompoundAssign(id);
    case ast::StmtKind::kIncrement:
    case ast::StmtKind::kDecrement:
      return Step(id);
    case ast::StmtKind::kCall:
      return CallStatement(id);
    case ast::StmtKind::kIf:
      return If(id);
    case ast::StmtKind::kSwitch:
      return Switch(id);
    case ast::StmtKind::kFor:
      return For(id);
    case ast::StmtKind::kWhile:
      return While(id);
    case ast::StmtKind::kLoop:
      return Loop(id);
    case ast::StmtKind::kBreak:
      return Break(id);
    case ast::StmtKind::kContinue:
      return Continue(id);
    case ast::StmtKind::kBreakIf:
      return Condition(s.a, "break if");
    case ast::StmtKind::kReturn:
      return Return(id);
    case ast::StmtKind::kDiscard:
      stage_uses_.try_emplace("fragment", StageUse{"discard", s.span});
      return;
    case ast::StmtKind::kEmpty:
      return;
  }
}

// --- assignments ---

bool Resolver::CheckWritable(ExprId id, TypeId reference, Span at) {
  const Type ref = types()[reference];
  if (ref.access != AccessMode::kRead) return true;
  const VariableId root = RootVariable(id);
  if (!root.has_value()) {
    sink_.Emit(kNotWritable, at, "this memory", AddressSpaceName(ref.space));
    return false;
  }
  const Variable& variable = program_.variables[root];
  auto report = sink_.Emit(kNotWritable, at, fmt::format("'{}'", variable.name), AddressSpaceName(ref.space));
  if (ref.space == AddressSpace::kStorage && variable.kind == VariableKind::kVar) {
    report.Note(variable.name_span, "declare it as 'var<storage, read_write>' to write to it");
  } else {
    report.Note(variable.name_span, "'{}' is declared here", variable.name);
  }
  return false;
}

// The variable at the root of a.b[c] and *p; None where it is something else.
VariableId Resolver::RootVariable(ExprId id) const {
  for (;;) {
    const ast::Expr& e = ExprOf(id);
    switch (e.kind) {
      case ast::ExprKind::kIdentifier:
        return info(id).use == ExprUse::kVariable ? info(id).variable : VariableId::None();
      case ast::ExprKind::kParen:
      case ast::ExprKind::kIndex:
      case ast::ExprKind::kMember:
      case ast::ExprKind::kUnary:
        id = e.a;
        break;
      case ast::ExprKind::kBool:
      case ast::ExprKind::kInt:
      case ast::ExprKind::kFloat:
      case ast::ExprKind::kCall:
      case ast::ExprKind::kBinary:
        return VariableId::None();
    }
  }
}

void Resolver::NotAssignableValue(ExprId id) {
  const VariableId root = RootVariable(id);
  const TypeId type = info(id).type;
  if (!root.has_value()) {
    sink_.Emit(kAssignToValue, SpanOf(id), "this expression", ": it is a value, not a place in memory");
    return;
  }
  const Variable& variable = program_.variables[root];
  Entity entity;
  entity.kind = EntityKind::kVariable;
  entity.index = root.index;
  std::string hint;
  if (types().IsPointer(type))
    hint = fmt::format(": it is a pointer, write '*{}' to assign to what it points to", variable.name);
  else if (variable.kind == VariableKind::kLet)
    hint = ": declare it with 'var' to change it";
  else if (variable.kind == VariableKind::kParam)
    hint = ": copy it to a 'var' of another name to change it";
  sink_.Emit(kAssignToValue, SpanOf(id), Describe(entity, variable.name), hint)
      .Note(variable.name_span, "'{}' is declared here", variable.name);
}

TypeId Resolver::AssignTarget(ExprId id) {
  const TypeId type = Expr(id);
  if (!type.has_value()) return type;
  const ExprId inner = StripParens(id);
  if (!types().IsReference(type)) {
    if (IsSwizzleTarget(inner)) return SwizzleTarget(inner);
    NotAssignableValue(inner);
    return TypeId::None();
  }
  const TypeId store = types().Unreference(type);
  if (!types().IsConstructible(store)) {
    const bool is_atomic = types()[store].kind == TypeKind::kAtomic;
    sink_.Emit(kStoreNotConstructible, SpanOf(id), TypeText(store), is_atomic ? ": use atomicStore" : "");
    return TypeId::None();
  }
  return CheckWritable(id, type, SpanOf(id)) ? store : TypeId::None();
}

void Resolver::Assign(StmtId id) {
  const ExprId a = StmtOf(id).a;
  const ExprId b = StmtOf(id).b;
  const TypeId target = AssignTarget(a);
  const TypeId value = Value(b);
  if (!target.has_value() || !value.has_value() || Coerce(b, target)) return;
  sink_.Emit(kAssignType, SpanOf(b), TypeText(value), TypeText(target));
}

void Resolver::PhonyAssign(StmtId id) {
  const ExprId b = StmtOf(id).b;
  if (ConcreteValue(b).has_value()) return;
}

void Resolver::CompoundAssign(StmtId id) {
  const ast::Stmt& s = StmtOf(id);
  const ast::BinaryOp op = s.binary;
  const ExprId a = s.a, b = s.b;
  const TypeId target = AssignTarget(a);
  const TypeId value = Value(b);
  if (!target.has_value() || !value.has_value()) return;
  const OverloadArgument args[] = {{target, false}, {value, IsConst(b)}};
  const std::optional<OverloadMatch> match = MatchOverload(types(), OverloadsOf(op), {}, args);
  if (!match || match->result != target) {
    NoOperator(op, StmtOf(id).op_span, target, value, "=");
    return;
  }
  Coerce(b, match->params[1]);
  if (info(b).value.has_value()) eval_.CheckRightOperand(op, target, info(b).value, SpanOf(b));
}

void Resolver::Step(StmtId id) {
  const ExprId a = StmtOf(id).a;
  const TypeId target = AssignTarget(a);
  if (!target.has_value() || target == types().I32() || target == types().U32()) return;
  const bool is_increment = StmtOf(id).kind == ast::StmtKind::kIncrement;
  sink_.Emit(kStepType, SpanOf(a), is_increment ? "++" : "--", TypeText(target));
}

// --- control flow ---

void Resolver::If(StmtId id) {
  Condition(StmtOf(id).a, "if");
  Compound(StmtOf(id).block);
  Statement(StmtOf(id).other);
}

void Resolver::Switch(StmtId id) {
  StatementAttributes(StmtOf(id).body_attributes);
  Value(StmtOf(id).a);
  SwitchSelectors(id);
  targets_.push_back(Target::kSwitch);
  for (size_t i = 0; i < StmtOf(id).cases.size(); ++i) Compound(StmtOf(id).cases[i].body);
  targets_.pop_back();
}

// The one concrete integer type of the selector and all cases (WGSL #switch-statement); None where there is
// none.
TypeId Resolver::SelectorType(StmtId id) {
  const ast::Stmt& s = StmtOf(id);
  TypeId common = info(s.a).converted;
  bool ok = common.has_value();
  if (ok && !types().IsInteger(common)) {
    sink_.Emit(kSelectorType, SpanOf(s.a), TypeText(common));
    return TypeId::None();
  }
  for (const ast::SwitchCase& clause : s.cases) {
    for (const ExprId selector : clause.selectors) {
      if (!selector.has_value()) continue;
      const TypeId type = Value(selector);
      if (!type.has_value()) {
        ok = false;
      } else if (!types().IsInteger(type)) {
        sink_.Emit(kSelectorType, SpanOf(selector), TypeText(type));
        ok = false;
      } else if (!CheckConst(selector, "a case selector")) {
        ok = false;
      } else if (ok && types().IsAbstract(common)) {
        common = type;
      } else if (ok && !types().IsAbstract(type) && type != common) {
        sink_.Emit(kSelectorMismatch, SpanOf(selector), TypeText(type), TypeText(common));
        ok = false;
      }
    }
  }
  return ok ? Concretization(types(), common) : TypeId::None();
}

void Resolver::SwitchSelectors(StmtId id) {
  const TypeId type = SelectorType(id);
  if (type.has_value()) Coerce(StmtOf(id).a, type);
  StmtInfo& out = info(id);
  out.selector_type = type;
  std::unordered_map<int64_t, Span> seen;
  std::optional<Span> default_span;
  size_t count = 0;
  for (const ast::SwitchCase& clause : StmtOf(id).cases) {
    std::vector<ConstantId>& values = out.selectors.emplace_back();
    for (const ExprId selector : clause.selectors) {
      ++count;
      values.push_back(ConstantId::None());
      if (!selector.has_value()) {
        if (default_span)
          sink_.Emit(kTwoDefaults, clause.span).Note(*default_span, "the other default is here");
        else
          default_span = clause.span;
        continue;
      }
      if (!type.has_value() || !Coerce(selector, type) || !info(selector).value.has_value()) continue;
      values.back() = info(selector).value;
      const int64_t value = program_.constants[values.back()].i;
      const auto [it, is_new] = seen.try_emplace(value, SpanOf(selector));
      if (!is_new)
        sink_.Emit(kDuplicateSelector, SpanOf(selector), value).Note(it->second, "the other case is here");
    }
  }
  if (!default_span) sink_.Emit(kMissingDefault, StmtOf(id).span);
  if (count > kMaxSelectors) sink_.Emit(kTooManySelectors, StmtOf(id).span, count, kMaxSelectors);
}

void Resolver::LoopBody(StmtId block) {
  targets_.push_back(Target::kLoop);
  loops_.emplace_back();
  Compound(block);
  loops_.pop_back();
  targets_.pop_back();
}

void Resolver::For(StmtId id) {
  PushScope();
  Statement(StmtOf(id).init);
  if (StmtOf(id).a.has_value()) Condition(StmtOf(id).a, "for");
  LoopBody(StmtOf(id).block);
  Statement(StmtOf(id).update);
  PopScope();
}

void Resolver::While(StmtId id) {
  Condition(StmtOf(id).a, "while");
  LoopBody(StmtOf(id).block);
}

void Resolver::Loop(StmtId id) {
  const StmtId block = StmtOf(id).block;
  StatementAttributes(StmtOf(block).attributes);
  PushScope();
  targets_.push_back(Target::kLoop);
  loops_.emplace_back();
  Statements(StmtOf(block).stmts);
  if (const StmtId continuing = StmtOf(id).continuing; continuing.has_value()) {
    loops_.back().in_continuing = true;
    loops_.back().variables_at_end = program_.variables.size();
    targets_.push_back(Target::kContinuing);
    Compound(continuing);
    targets_.pop_back();
  }
  loops_.pop_back();
  targets_.pop_back();
  PopScope();
}

void Resolver::Misplaced(const diag::Kind& kind, StmtId id) {
  sink_.Emit(kind, StmtOf(id).span);
  control_flow_error_ = true;
}

void Resolver::Break(StmtId id) {
  if (targets_.empty())
    Misplaced(kBreakOutside, id);
  else if (targets_.back() == Target::kContinuing)
    Misplaced(kBreakFromContinuing, id);
}

void Resolver::Continue(StmtId id) {
  for (size_t i = targets_.size(); i-- > 0;) {
    if (targets_[i] == Target::kSwitch) continue;
    if (targets_[i] == Target::kContinuing) {
      Misplaced(kContinueInContinuing, id);
    } else if (loops_.back().variables_at_continue == UINT32_MAX) {
      loops_.back().variables_at_continue = program_.variables.size();
      loops_.back().continue_span = StmtOf(id).span;
    }
    return;
  }
  Misplaced(kContinueOutside, id);
}

// A `continue` before a declaration that the continuing block uses would leave it without a value
// (WGSL #continue-statement).
void Resolver::CheckBypassed(ExprId id, VariableId variable) {
  for (LoopState& loop : loops_) {
    if (!loop.in_continuing || variable.index < loop.variables_at_continue ||
        variable.index >= loop.variables_at_end)
      continue;
    sink_.Emit(kContinueBypasses, loop.continue_span, program_.variables[variable].name)
        .Note(program_.variables[variable].name_span, "'{}' is declared here",
              program_.variables[variable].name)
        .Note(SpanOf(id), "the 'continuing' block uses it here");
    loop.variables_at_continue = UINT32_MAX;  // once a loop
  }
}

void Resolver::Return(StmtId id) {
  const ast::Stmt& s = StmtOf(id);
  const ExprId a = s.a;
  if (std::find(targets_.begin(), targets_.end(), Target::kContinuing) != targets_.end())
    Misplaced(kReturnInContinuing, id);
  if (!a.has_value()) {
    if (result_type_.has_value() && result_type_ != types().Void())
      sink_.Emit(kReturnWithoutValue, s.span, TypeText(result_type_));
    return;
  }
  const TypeId value = Value(a);
  if (!value.has_value() || !result_type_.has_value()) return;
  if (result_type_ == types().Void())
    sink_.Emit(kReturnWithValue, SpanOf(a));
  else if (!Coerce(a, result_type_))
    sink_.Emit(kReturnType, SpanOf(a), TypeText(value), TypeText(result_type_));
}

}  // namespace lockstep::wgsl
