// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Pipeline creation's evaluator of override-expressions, private to overrides*.cc.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "wgsl/const_eval.h"
#include "wgsl/program.h"

namespace lockstep::wgsl {

// Finds what override-expressions an entry point uses, and evaluates them with the same functions as
// const-expressions. Runtime expressions are walked too: an override as divisor, shift count, index or
// argument of a builtin is checked by itself, as constants are when the module is made.
class OverrideEvaluator {
 public:
  OverrideEvaluator(Program& program, FunctionId entry, diag::Sink& sink)
      : p_(program), entry_(entry), sink_(sink), eval_(program.types, program.constants, sink) {}

  OverrideValues Run(const std::map<std::string, double>& given);

 private:
  using ExprId = ast::ExprId;
  using StmtId = ast::StmtId;

  // --- overrides.cc: values of overrides, sizes of arrays and workgroups ---
  void ConvertGiven(const std::map<std::string, double>& given);
  VariableId FindOverride(const std::string& key);
  ConstantId FromNumber(const Variable& variable, double value);
  void FindReachable();
  void CollectOverrides(ExprId id);
  void CollectFromStatements(StmtId root);
  void EvaluateUsedOverrides();
  void EvaluateVariable(VariableId id);
  void EvaluateWorkgroupSize(const Function& function);
  // The override-expression that sizes a variable's array, None where nothing does.
  ExprId OverrideCount(TypeId type) const;

  // --- overrides_walk.cc: expressions and statements ---
  // The value if it is known, None for runtime expressions and after errors. Descends into everything once.
  ConstantId Visit(ExprId id);
  ConstantId Evaluate(ExprId id);
  ConstantId VisitUnary(ExprId id);
  ConstantId VisitBinary(ExprId id);
  ConstantId VisitShortCircuit(ExprId id);
  ConstantId VisitIndex(ExprId id);
  ConstantId VisitMember(ExprId id);
  ConstantId VisitCall(ExprId id);
  void CheckIndex(ExprId index_expr, ConstantId index);
  void VisitStatements(StmtId root);
  void VisitStatement(const ast::Stmt& stmt, std::vector<StmtId>* pending);
  bool IsOverride(ExprId id) const { return p_.info(id).stage == Stage::kOverride; }
  // Runs `evaluate`; an error that it reports gets a note with the value of each override in `id`.
  template <typename Fn>
  auto Explained(ExprId id, const Fn& evaluate) {
    const size_t errors = sink_.error_count();
    auto result = evaluate();
    if (sink_.error_count() != errors) Explain(id);
    return result;
  }
  void Explain(ExprId id);

  // The expressions right below `id` that have values; a callee and types are none.
  std::vector<ExprId> Operands(ExprId id) const;

  Program& p_;
  FunctionId entry_;
  diag::Sink& sink_;
  ConstEvaluator eval_;
  OverrideValues out_;
  std::unordered_map<VariableId, ConstantId, IdHash> given_;
  std::vector<FunctionId> reachable_;
  std::vector<VariableId> globals_;  // of the entry point
  std::vector<bool> used_;           // by VariableId: overrides to evaluate
};

}  // namespace lockstep::wgsl
