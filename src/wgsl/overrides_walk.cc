// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// The walk over what an entry point runs. Const-expressions have their values already; override-expressions
// get them here; a runtime expression is only asked whether the parts that are known break a rule (WGSL
// #arithmetic-expr, #bit-expr, #array-access-expr: "a pipeline-creation error if e2 is an
// override-expression"). The right side of && and
// || stays unevaluated where the left one decides.
//
// Expressions are at most ast::kMaxExpressionDepth deep and may be walked by recursion; statements are not,
// since a chain of else-if may be as long as the source.
#include "wgsl/diagnostics.h"
#include "wgsl/overrides_internal.h"

namespace lockstep::wgsl {

std::vector<ast::ExprId> OverrideEvaluator::Operands(ExprId id) const {
  const ast::Expr& e = p_.ast.exprs[id];
  switch (e.kind) {
    case ast::ExprKind::kBool:
    case ast::ExprKind::kInt:
    case ast::ExprKind::kFloat:
    case ast::ExprKind::kIdentifier:
      return {};
    case ast::ExprKind::kMember:
    case ast::ExprKind::kUnary:
    case ast::ExprKind::kParen:
      return {e.a};
    case ast::ExprKind::kIndex:
    case ast::ExprKind::kBinary:
      return {e.a, e.b};
    case ast::ExprKind::kCall: {
      const auto args = p_.ast.list(e.args);
      return {args.begin(), args.end()};
    }
  }
  UNREACHABLE("expression kind");
}

void OverrideEvaluator::Explain(ExprId id) {
  const ExprInfo& info = p_.info(id);
  if (info.use == ExprUse::kVariable && p_.variables[info.variable].kind == VariableKind::kOverride) {
    const Variable& variable = p_.variables[info.variable];
    const ConstantId value = out_.Value(info.variable);
    const auto& notes = sink_.diagnostics().back().notes;
    const bool told = std::any_of(notes.begin(), notes.end(),
                                  [&](const diag::Note& note) { return note.span == variable.name_span; });
    if (!value.has_value() || told) return;
    diag::Sink::Builder(&sink_, sink_.diagnostics().size() - 1)
        .Note(variable.name_span, "override '{}' is {} here", variable.name,
              ToString(p_.types, p_.constants, value));
  }
  for (const ExprId operand : Operands(id)) Explain(operand);
}

ConstantId OverrideEvaluator::Visit(ExprId id) {
  if (!id.has_value()) return ConstantId::None();
  const ExprInfo& info = p_.info(id);
  // A const-expression without a value is one that is not to be evaluated.
  if (info.value.has_value() || info.stage == Stage::kConst) return info.value;
  const auto it = out_.exprs.find(id);
  if (it != out_.exprs.end()) return it->second;
  ConstantId value = Evaluate(id);
  if (!value.has_value() || p_.info(id).stage == Stage::kRuntime) return value;
  const TypeId converted = p_.info(id).converted;
  if (p_.constants[value].type != converted) {
    value = Explained(id, [&] { return eval_.Convert(value, converted, p_.ast.exprs[id].span); });
    if (!value.has_value()) return value;
  }
  out_.exprs[id] = value;
  return value;
}

ConstantId OverrideEvaluator::Evaluate(ExprId id) {
  switch (p_.ast.exprs[id].kind) {
    case ast::ExprKind::kBool:
    case ast::ExprKind::kInt:
    case ast::ExprKind::kFloat:
      return ConstantId::None();  // const-expressions do not get here
    case ast::ExprKind::kIdentifier:
      return out_.Value(p_.info(id).variable);
    case ast::ExprKind::kCall:
      return VisitCall(id);
    case ast::ExprKind::kIndex:
      return VisitIndex(id);
    case ast::ExprKind::kMember:
      return VisitMember(id);
    case ast::ExprKind::kUnary:
      return VisitUnary(id);
    case ast::ExprKind::kBinary:
      return VisitBinary(id);
    case ast::ExprKind::kParen:
      return Visit(p_.ast.exprs[id].a);
  }
  UNREACHABLE("expression kind");
}

ConstantId OverrideEvaluator::VisitUnary(ExprId id) {
  const ast::Expr e = p_.ast.exprs[id];
  const ConstantId a = Visit(e.a);
  if (!a.has_value() || !IsOverride(id)) return ConstantId::None();
  return Explained(id, [&] { return eval_.Unary(e.unary, p_.info(id).type, a, e.span); });
}

ConstantId OverrideEvaluator::VisitShortCircuit(ExprId id) {
  const ast::Expr e = p_.ast.exprs[id];
  const ConstantId left = Visit(e.a);
  const bool decides_on = e.binary == ast::BinaryOp::kLogicalOr;
  if (left.has_value() && (p_.constants[left].i != 0) == decides_on) return left;
  const ConstantId right = Visit(e.b);
  return left.has_value() ? right : ConstantId::None();
}

ConstantId OverrideEvaluator::VisitBinary(ExprId id) {
  const ast::Expr e = p_.ast.exprs[id];
  if (e.binary == ast::BinaryOp::kLogicalAnd || e.binary == ast::BinaryOp::kLogicalOr)
    return VisitShortCircuit(id);
  const ConstantId left = Visit(e.a);
  const ConstantId right = Visit(e.b);
  if (!right.has_value()) return right;
  if (IsOverride(id)) {
    if (!left.has_value()) return left;
    return Explained(id, [&] { return eval_.Binary(e.binary, p_.info(id).type, left, right, e.span); });
  }
  if (IsOverride(e.b)) {
    Explained(e.b, [&] {
      return eval_.CheckRightOperand(e.binary, p_.info(e.a).converted, right, p_.ast.exprs[e.b].span);
    });
  }
  return ConstantId::None();
}

ConstantId OverrideEvaluator::VisitIndex(ExprId id) {
  const ast::Expr e = p_.ast.exprs[id];
  const ConstantId base = Visit(e.a);
  const ConstantId index = Visit(e.b);
  if (!index.has_value()) return index;
  if (!IsOverride(id)) {
    CheckIndex(id, index);
    return ConstantId::None();
  }
  if (!base.has_value()) return base;
  return Explained(id, [&] { return eval_.Index(base, index, p_.ast.exprs[e.b].span); });
}

// A known index into memory or a runtime value. Constant ones into what has a constant size are checked
// already.
void OverrideEvaluator::CheckIndex(ExprId index_expr, ConstantId index) {
  const ast::Expr& e = p_.ast.exprs[index_expr];
  TypeId base = p_.types.Unreference(p_.info(e.a).type);
  if (p_.types.IsPointer(base)) base = p_.types[base].element;
  const Type type = p_.types[base];
  int64_t count = type.count;
  if (type.kind == TypeKind::kArray && count == 0 && type.override_count.has_value()) {
    const ConstantId size = Visit(type.override_count);
    if (!size.has_value() || p_.constants[size].i <= 0) return;
    count = p_.constants[size].i;
  } else if (!IsOverride(e.b)) {
    return;
  }
  const int64_t i = p_.constants[index].i;
  const Span at = p_.ast.exprs[e.b].span;
  if (i >= 0 && (count == 0 || i < count)) return;  // count 0: sized at run time
  if (count == 0) {
    sink_.Emit(kNegativeIndex, at, i, p_.types.ToString(base));
  } else {
    const std::string_view what = type.kind == TypeKind::kVector   ? "components"
                                  : type.kind == TypeKind::kMatrix ? "columns"
                                  : count == 1                     ? "element"
                                                                   : "elements";
    sink_.Emit(kIndexRange, at, i, p_.types.ToString(base), count, what);
  }
  Explain(e.b);
  if (type.override_count.has_value()) Explain(type.override_count);
}

ConstantId OverrideEvaluator::VisitMember(ExprId id) {
  const ConstantId base = Visit(p_.ast.exprs[id].a);
  if (!base.has_value() || !IsOverride(id)) return ConstantId::None();
  const ExprInfo& info = p_.info(id);
  if (info.use == ExprUse::kSwizzle) return eval_.Swizzle(base, {info.swizzle.data(), info.swizzle_count});
  return p_.constants.Part(base, info.part);
}

ConstantId OverrideEvaluator::VisitCall(ExprId id) {
  std::vector<ConstantId> values;
  std::vector<TypeId> types;
  bool all_known = true, some_override = false;
  const std::vector<ExprId> args = Operands(id);
  for (const ExprId arg : args) {
    values.push_back(Visit(arg));
    types.push_back(p_.info(arg).converted);
    all_known = all_known && values.back().has_value();
    some_override = some_override || IsOverride(arg);
  }
  const ExprInfo info = p_.info(id);
  const Span at = p_.ast.exprs[id].span;
  if (!IsOverride(id)) {
    if (info.use == ExprUse::kCallBuiltin && some_override) {
      Explained(id, [&] { return eval_.CheckBuiltinArguments(info.builtin, values, types, at); });
    }
    return ConstantId::None();
  }
  if (!all_known) return ConstantId::None();
  return Explained(id, [&] {
    return info.use == ExprUse::kCallBuiltin ? eval_.CallBuiltin(info.builtin, info.type, values, at)
                                             : eval_.Construct(info.type, values, at);
  });
}

// --- statements ---

void OverrideEvaluator::VisitStatements(StmtId root) {
  std::vector<StmtId> pending = {root};
  while (!pending.empty()) {
    const StmtId id = pending.back();
    pending.pop_back();
    if (!id.has_value()) continue;
    // What is inside follows in the order of the text: errors come out in it.
    std::vector<StmtId> inner;
    VisitStatement(p_.ast.stmts[id], &inner);
    pending.insert(pending.end(), inner.rbegin(), inner.rend());
  }
}

void OverrideEvaluator::VisitStatement(const ast::Stmt& stmt, std::vector<StmtId>* inner) {
  switch (stmt.kind) {
    case ast::StmtKind::kDeclare:
      Visit(p_.ast.decls[stmt.decl].init);
      return;
    case ast::StmtKind::kCompoundAssign: {
      Visit(stmt.a);
      const ConstantId right = Visit(stmt.b);
      if (!right.has_value() || !IsOverride(stmt.b)) return;
      const Span at = p_.ast.exprs[stmt.b].span;
      Explained(stmt.b,
                [&] { return eval_.CheckRightOperand(stmt.binary, p_.info(stmt.a).converted, right, at); });
      return;
    }
    case ast::StmtKind::kCompound:
      inner->insert(inner->end(), stmt.stmts.begin(), stmt.stmts.end());
      return;
    case ast::StmtKind::kSwitch:
      Visit(stmt.a);
      for (const ast::SwitchCase& c : stmt.cases) inner->push_back(c.body);
      return;
    case ast::StmtKind::kAssign:
    case ast::StmtKind::kPhonyAssign:
    case ast::StmtKind::kIncrement:
    case ast::StmtKind::kDecrement:
    case ast::StmtKind::kCall:
    case ast::StmtKind::kIf:
    case ast::StmtKind::kFor:
    case ast::StmtKind::kWhile:
    case ast::StmtKind::kLoop:
    case ast::StmtKind::kBreakIf:
    case ast::StmtKind::kReturn:
      Visit(stmt.a);
      Visit(stmt.b);
      *inner = {stmt.init, stmt.block, stmt.other, stmt.update, stmt.continuing};
      return;
    case ast::StmtKind::kConstAssert:
    case ast::StmtKind::kBreak:
    case ast::StmtKind::kContinue:
    case ast::StmtKind::kDiscard:
    case ast::StmtKind::kEmpty:
      return;
  }
}

}  // namespace lockstep::wgsl
