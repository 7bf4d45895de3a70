// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Statements. A block's code is emitted up to the first statement that never goes on to the next one: what
// follows is unreachable, which the front end knows (StmtInfo::can_next), and is left out.
//
// A continuing block sees the names of its loop's body (WGSL #loop-statement), but the IR's continuing block
// does not see the body's values. So `var`s of the body are made ahead of the loop, and each `continue`
// passes on the `let`s that the continuing block uses; WGSL forbids a `continue` that skips the declaration
// of one of them.
#include <algorithm>

#include "lower/function_context.h"

namespace lockstep::lower {

namespace {
// `if ... else if ...` chains longer than this become a flat list instead of nested regions.
constexpr uint32_t kMaxNestedElse = 32;
}  // namespace

// Pure dispatch.
void FunctionContext::Statement(ast::StmtId id) {
  const ast::Stmt& s = stmt(id);
  const At at(this, s.span);
  switch (s.kind) {
    case ast::StmtKind::kCompound:
      return Compound(s);
    case ast::StmtKind::kDeclare:
      return Declare(id);
    case ast::StmtKind::kAssign:
      return Assign(s);
    case ast::StmtKind::kPhonyAssign:
      return PhonyAssign(s);
    case ast::StmtKind::kCompoundAssign:
      return CompoundAssign(s);
    case ast::StmtKind::kIncrement:
      return Step(s, ast::BinaryOp::kAdd);
    case ast::StmtKind::kDecrement:
      return Step(s, ast::BinaryOp::kSub);
    case ast::StmtKind::kCall:
      return CallStatement(s.a);
    case ast::StmtKind::kIf:
      return If(s);
    case ast::StmtKind::kSwitch:
      return Switch(id);
    case ast::StmtKind::kFor:
      return For(s);
    case ast::StmtKind::kWhile:
      return While(s);
    case ast::StmtKind::kLoop:
      return Loop(s);
    case ast::StmtKind::kBreak:
      return Break();
    case ast::StmtKind::kContinue:
      return Continue();
    case ast::StmtKind::kReturn:
      return Return(s);
    case ast::StmtKind::kBreakIf: {
      const ir::InstId inner = b_.If(Value(s.a));
      const ir::BlockId outside = b_.block();
      b_.set_block(module().regions(inner)[0]);
      b_.Exit(targets_.back().construct);
      b_.set_block(module().regions(inner)[1]);
      b_.Exit(inner);
      b_.set_block(outside);
      return;
    }
    case ast::StmtKind::kConstAssert:
    case ast::StmtKind::kEmpty:
      return;
    case ast::StmtKind::kDiscard:
      b_.Append(ir::Op::kDemote, {}, {});
      return;
  }
}

void FunctionContext::Compound(const ast::Stmt& s) {
  for (const ast::StmtId id : s.stmts) {
    Statement(id);
    if (b_.terminated()) return;
    if (!program_.info(id).can_next) return b_.Unreachable();
  }
}

// ------------------------------------------------------------------------------------------------
// declarations

void FunctionContext::Declare(ast::StmtId id) {
  const wgsl::VariableId variable = program_.info(id).variable;
  if (!variable.has_value()) return;
  const wgsl::Variable& v = program_.variables[variable];
  switch (v.kind) {
    case wgsl::VariableKind::kVar:
      return DeclareVar(variable, v);
    case wgsl::VariableKind::kLet:
      return DeclareLet(variable, v);
    case wgsl::VariableKind::kConst:
      return;  // used by value
    case wgsl::VariableKind::kOverride:
    case wgsl::VariableKind::kParam:
      UNREACHABLE("not a local declaration");
  }
}

void FunctionContext::DeclareVar(wgsl::VariableId id, const wgsl::Variable& v) {
  const ir::TypeId type = m_.Type(v.type);
  // The initialiser first: in `var x = x;` the right one is another variable.
  std::optional<Place> large;
  ValueId initial = ValueId::None();
  if (v.init.has_value() && m_.IsLarge(type))
    large = PlaceOf(v.init);
  else if (v.init.has_value())
    initial = Value(v.init);

  const auto hoisted = hoisted_.find(id);
  const ValueId var = hoisted != hoisted_.end() ? hoisted->second : b_.Var(type, v.name);
  Binding& binding = names_[id];
  binding.kind = Binding::Kind::kPlace;
  binding.place = {var, {}};
  if (large)
    Copy(var, Address(*large), v.init);
  else if (initial.has_value())
    b_.Store(var, initial);
  else
    InitializeZero(var, type);
}

void FunctionContext::DeclareLet(wgsl::VariableId id, const wgsl::Variable& v) {
  const ir::TypeId type = m_.Type(v.type);
  Binding binding;
  if (types().IsPointer(type)) {
    binding.kind = Binding::Kind::kPointer;
    binding.place = PointerOf(v.init);
  } else if (m_.IsLarge(type)) {
    const Place from = PlaceOf(v.init);
    const auto hoisted = hoisted_.find(id);
    binding.kind = Binding::Kind::kPlace;
    binding.place = {hoisted != hoisted_.end() ? hoisted->second : b_.Var(type, v.name), {}};
    Copy(binding.place.root, Address(from), v.init);
  } else {
    binding.value = Value(v.init);
    const bool fresh = module().value(binding.value).kind == ir::ValueKind::kResult;
    if (fresh && module().name_of(binding.value).empty()) module().set_name(binding.value, v.name);
  }
  names_[id] = std::move(binding);
}

// ------------------------------------------------------------------------------------------------ branches

// Lowers `body` (None: nothing) into `block`, which then leaves `target`.
void FunctionContext::Arm(ir::BlockId block, ast::StmtId body, ir::InstId target) {
  const ir::BlockId outside = b_.block();
  b_.set_block(block);
  if (body.has_value()) Statement(body);
  if (!b_.terminated()) b_.Exit(target);
  b_.set_block(outside);
}

void FunctionContext::If(const ast::Stmt& s) {
  uint32_t length = 0;
  for (ast::StmtId other = s.other; other.has_value() && stmt(other).kind == ast::StmtKind::kIf; ++length) {
    other = stmt(other).other;
  }
  if (length > kMaxNestedElse) return LongIf(s);
  const ir::InstId inst = b_.If(Value(s.a));
  Arm(module().regions(inst)[0], s.block, inst);
  Arm(module().regions(inst)[1], s.other, inst);
}

// A switch with only a default case is a block that can be left:
//     switch { if a { A; exit switch } if b { B; exit switch } ... exit switch }
void FunctionContext::LongIf(const ast::Stmt& first) {
  std::vector<ir::SwitchCase> cases(1);
  cases[0].is_default = true;
  const ir::InstId block = b_.Switch(b_.U32(0), std::move(cases));
  const ir::BlockId outside = b_.block();
  b_.set_block(module().regions(block)[0]);
  const ast::Stmt* s = &first;
  while (true) {
    const At at(this, s->span);
    const ir::InstId inst = b_.If(Value(s->a));
    Arm(module().regions(inst)[0], s->block, block);
    Arm(module().regions(inst)[1], ast::StmtId::None(), inst);
    if (!s->other.has_value()) break;
    const ast::Stmt& next = stmt(s->other);
    if (next.kind != ast::StmtKind::kIf) {
      Statement(s->other);
      break;
    }
    s = &next;
  }
  if (!b_.terminated()) b_.Exit(block);
  b_.set_block(outside);
}

void FunctionContext::Switch(ast::StmtId id) {
  const ast::Stmt& s = stmt(id);
  const wgsl::StmtInfo& facts = program_.info(id);
  const ValueId selector = Value(s.a);
  std::vector<ir::SwitchCase> cases;
  for (const std::vector<wgsl::ConstantId>& selectors : facts.selectors) {
    ir::SwitchCase row;
    for (const wgsl::ConstantId value : selectors) {
      if (value.has_value())
        row.selectors.push_back(static_cast<uint32_t>(program_.constants[value].i));
      else
        row.is_default = true;
    }
    cases.push_back(std::move(row));
  }
  const ir::InstId inst = b_.Switch(selector, std::move(cases));
  targets_.push_back({inst, false, {}, false});
  for (size_t i = 0; i < s.cases.size(); ++i) Arm(module().regions(inst)[i], s.cases[i].body, inst);
  targets_.pop_back();
}

// ------------------------------------------------------------------------------------------------ loops

void FunctionContext::ExitUnless(ast::ExprId condition, ir::InstId loop) {
  const ir::InstId inst = b_.If(Value(condition));
  const ir::BlockId outside = b_.block();
  b_.set_block(module().regions(inst)[0]);
  b_.Exit(inst);
  b_.set_block(module().regions(inst)[1]);
  b_.Exit(loop);
  b_.set_block(outside);
}

// The builder stands in the loop's body block, perhaps behind its condition.
void FunctionContext::LoopBody(ir::InstId loop, ast::StmtId body) {
  CHECK(targets_.back().construct == loop);
  Statement(body);
  if (!b_.terminated()) EmitContinue(targets_.back());
}

void FunctionContext::For(const ast::Stmt& s) {
  if (s.init.has_value()) Statement(s.init);
  const ir::InstId loop = b_.Loop();
  const ir::BlockId outside = b_.block();
  targets_.push_back({loop, true, {}, false});
  b_.set_block(module().regions(loop)[0]);
  if (s.a.has_value()) ExitUnless(s.a, loop);
  LoopBody(loop, s.block);
  b_.set_block(module().regions(loop)[1]);
  if (s.update.has_value() && targets_.back().continued) Statement(s.update);
  b_.Next(loop);
  targets_.pop_back();
  b_.set_block(outside);
}

void FunctionContext::While(const ast::Stmt& s) {
  const ir::InstId loop = b_.Loop();
  const ir::BlockId outside = b_.block();
  targets_.push_back({loop, true, {}, false});
  b_.set_block(module().regions(loop)[0]);
  ExitUnless(s.a, loop);
  LoopBody(loop, s.block);
  b_.set_block(module().regions(loop)[1]);
  b_.Next(loop);
  targets_.pop_back();
  b_.set_block(outside);
}

void FunctionContext::Loop(const ast::Stmt& s) {
  Target target;
  target.is_loop = true;
  PrepareLoopNames(s, &target);
  const ir::InstId loop = b_.Loop();
  const ir::BlockId outside = b_.block();
  target.construct = loop;
  targets_.push_back(std::move(target));
  b_.set_block(module().regions(loop)[0]);
  LoopBody(loop, s.block);
  const ir::BlockId continuing = module().regions(loop)[1];
  b_.set_block(continuing);
  if (s.continuing.has_value() && targets_.back().continued) {
    BindPassed(targets_.back(), continuing);
    Statement(s.continuing);
  }
  if (!b_.terminated()) b_.Next(loop);
  targets_.pop_back();
  b_.set_block(outside);
}

// Makes the body's variables ahead of the loop, and finds which of its `let`s the continuing block names.
void FunctionContext::PrepareLoopNames(const ast::Stmt& s, Target* target) {
  if (!s.continuing.has_value() || stmt(s.continuing).stmts.empty()) return;
  std::vector<wgsl::VariableId> used;
  FindNames(s.continuing, &used);
  for (const ast::StmtId id : stmt(s.block).stmts) {
    const wgsl::VariableId variable = program_.info(id).variable;
    if (stmt(id).kind != ast::StmtKind::kDeclare || !variable.has_value()) continue;
    const wgsl::Variable& v = program_.variables[variable];
    const bool is_let = v.kind == wgsl::VariableKind::kLet;
    if (!is_let && v.kind != wgsl::VariableKind::kVar) continue;
    const ir::TypeId type = m_.Type(v.type);
    if (!is_let || m_.IsLarge(type))
      hoisted_[variable] = b_.Var(type, v.name);
    else if (std::find(used.begin(), used.end(), variable) != used.end())
      target->passed.push_back(variable);
  }
}

std::vector<ValueId> FunctionContext::PassedValues(const Target& target) const {
  std::vector<ValueId> values;
  for (const wgsl::VariableId id : target.passed) {
    const auto found = names_.find(id);
    if (found == names_.end()) continue;
    const Binding& binding = found->second;
    if (binding.kind == Binding::Kind::kValue)
      values.push_back(binding.value);
    else
      values.insert(values.end(), binding.place.indices.begin(), binding.place.indices.end());
  }
  return values;
}

void FunctionContext::EmitContinue(Target& target) {
  const std::vector<ValueId> values = PassedValues(target);
  const ir::BlockId continuing = module().regions(target.construct)[1];
  if (!target.continued) {
    for (const ValueId value : values) module().AddBlockParam(continuing, TypeOf(value));
  }
  target.continued = true;
  b_.Continue(target.construct, values);
}

// In the continuing block the names stand for its parameters.
void FunctionContext::BindPassed(const Target& target, ir::BlockId continuing) {
  size_t next = 0;
  const std::vector<ValueId> params = module().blocks[continuing].params;
  for (const wgsl::VariableId id : target.passed) {
    const auto found = names_.find(id);
    if (found == names_.end()) continue;
    Binding& binding = found->second;
    if (binding.kind == Binding::Kind::kValue) {
      binding.value = params[next++];
      continue;
    }
    for (ValueId& index : binding.place.indices) {
      const ValueId param = params[next++];
      if (!module().is_constant(index)) index = param;  // a member's number stays a constant
    }
  }
}

void FunctionContext::Break() { b_.Exit(targets_.back().construct); }

void FunctionContext::Continue() {
  for (size_t i = targets_.size(); i-- > 0;) {
    if (targets_[i].is_loop) return EmitContinue(targets_[i]);
  }
  UNREACHABLE("continue outside of a loop");
}

void FunctionContext::FindNamesInExpr(ast::ExprId root, std::vector<wgsl::VariableId>* names) const {
  if (!root.has_value()) return;
  std::vector<ast::ExprId> work = {root};
  while (!work.empty()) {
    const ast::ExprId id = work.back();
    work.pop_back();
    const ast::Expr& e = expr(id);
    if (e.kind == ast::ExprKind::kIdentifier && info(id).variable.has_value())
      names->push_back(info(id).variable);
    if (e.a.has_value()) work.push_back(e.a);
    if (e.b.has_value()) work.push_back(e.b);
    for (const ast::ExprId arg : program_.ast.list(e.args)) work.push_back(arg);
  }
}

void FunctionContext::FindNames(ast::StmtId root, std::vector<wgsl::VariableId>* names) const {
  std::vector<ast::StmtId> work = {root};
  while (!work.empty()) {
    const ast::StmtId id = work.back();
    work.pop_back();
    if (!id.has_value()) continue;
    const ast::Stmt& s = stmt(id);
    FindNamesInExpr(s.a, names);
    FindNamesInExpr(s.b, names);
    if (s.decl.has_value()) FindNamesInExpr(program_.ast.decls[s.decl].init, names);
    for (const ast::StmtId child : {s.init, s.update, s.other, s.continuing, s.block}) work.push_back(child);
    work.insert(work.end(), s.stmts.begin(), s.stmts.end());
    for (const ast::SwitchCase& row : s.cases) work.push_back(row.body);
  }
}

// ------------------------------------------------------------------------------------------------ the rest

void FunctionContext::Return(const ast::Stmt& s) {
  if (!s.a.has_value()) return b_.Return();
  if (program_.functions[id_].is_entry_point) {
    Outputs(s.a);
    return b_.Return();
  }
  if (!result_) return b_.Return(Value(s.a));
  const Place from = PlaceOf(s.a);
  Copy(Address(*result_), Address(from), s.a);
  b_.Return();
}

void FunctionContext::CallStatement(ast::ExprId call) {
  while (expr(call).kind == ast::ExprKind::kParen) call = expr(call).a;
  if (m_.ConstantOf(call).has_value()) return;
  const At at(this, expr(call).span);
  const wgsl::ExprInfo& facts = info(call);
  if (program_.types[facts.type].kind != wgsl::TypeKind::kVoid && m_.IsLarge(m_.Type(facts.type))) {
    PlaceOf(call);
    return;
  }
  Call(call);
}

void FunctionContext::PhonyAssign(const ast::Stmt& s) {
  if (m_.ConstantOf(s.b).has_value()) return;
  const wgsl::TypeId type = program_.types.Unreference(info(s.b).type);
  if (program_.types.IsHandle(type)) return;  // that it is used is all that this says
  if (program_.types.IsPointer(type)) {
    PointerOf(s.b);
  } else if (!program_.types.IsConstructible(type)) {
    PlaceOf(s.b);
  } else if (m_.IsLarge(m_.Type(type))) {
    const Place from = PlaceOf(s.b);
    if (!program_.types.IsReference(info(s.b).type)) return;
    const ValueId from_address = Address(from);  // it is read all the same
    Copy(Temporary(m_.Type(type)).root, from_address, s.b);
  } else {
    Value(s.b);
  }
}

}  // namespace lockstep::lower
