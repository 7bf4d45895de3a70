// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Statements (WGSL: #statements). A block goes on after a statement that does not parse, so that each mistake
// in a function is reported on its own.
#include "wgsl/parser_impl.h"

namespace lockstep::wgsl {

using ast::ExprId;
using ast::ExprKind;
using ast::Stmt;
using ast::StmtId;
using ast::StmtKind;

namespace {

// Counts a level until the end of the scope.
class Level {
 public:
  explicit Level(uint32_t& count) : count_(count) { ++count_; }
  ~Level() { --count_; }
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;

 private:
  uint32_t& count_;
};

struct AssignInfo {
  TokenKind token;
  ast::BinaryOp op;
};

constexpr AssignInfo kAssign[] = {
    {TokenKind::kPlusAssign, ast::BinaryOp::kAdd},       {TokenKind::kMinusAssign, ast::BinaryOp::kSub},
    {TokenKind::kStarAssign, ast::BinaryOp::kMul},       {TokenKind::kSlashAssign, ast::BinaryOp::kDiv},
    {TokenKind::kPercentAssign, ast::BinaryOp::kRem},    {TokenKind::kAndAssign, ast::BinaryOp::kAnd},
    {TokenKind::kOrAssign, ast::BinaryOp::kOr},          {TokenKind::kXorAssign, ast::BinaryOp::kXor},
    {TokenKind::kShiftRightAssign, ast::BinaryOp::kShr}, {TokenKind::kShiftLeftAssign, ast::BinaryOp::kShl},
};

Stmt Make(StmtKind kind, Span span) {
  Stmt stmt;
  stmt.kind = kind;
  stmt.span = span;
  return stmt;
}

}  // namespace

// --- blocks ---

StmtId Parser::ParseBlock(const BlockInfo& info) {
  if (lost_) return {};
  Stmt block = Make(StmtKind::kCompound, PeekSpan());
  block.attributes = ParseAttributes();
  const Span open = PeekSpan();
  if (!Expect(Kind::kBraceLeft, fmt::format("to begin {}", info.what))) return {};
  const Level brace(brace_depth_);
  const Level tree(tree_depth_);
  // The body of a function is not nested in a statement.
  if (brace_depth_ > ast::kMaxStatementDepth + 1) {
    Fail(kNestedTooDeeply, open, "these braces nest", ast::kMaxStatementDepth);
  } else if (tree_depth_ > ast::kMaxStatementTreeDepth) {
    Fail(kNestedTooDeeply, open, "statements, with each 'else if', nest", ast::kMaxStatementTreeDepth);
  }
  if (lost_) {
    previous_end_ = open.begin;
    --pos_;  // the brace again: recovery skips what it encloses
    return {};
  }
  ParseBlockStatements(info, block.stmts);
  CloseBlock(info, open);
  block.span = SpanFrom(block.span.begin);
  return AddStmt(std::move(block));
}

void Parser::ParseBlockStatements(const BlockInfo& info, std::vector<StmtId>& stmts) {
  while (!Is(Kind::kBraceRight) && !Is(Kind::kFn) && !AtEnd()) {
    if (sink_.error_count() >= diag::Sink::kMaxErrors) {
      while (!AtEnd()) Next();
      return;
    }
    const uint32_t before = pos_;
    const StmtId stmt = ParseStatement(info);
    if (lost_) {
      if (pos_ == before && !Is(Kind::kBraceLeft)) Next();
      RecoverStatement();
    } else if (stmt.has_value()) {
      stmts.push_back(stmt);
    }
  }
}

void Parser::CloseBlock(const BlockInfo& info, Span open) {
  if (Accept(Kind::kBraceRight)) return;
  // Blocks around this one lack their brace at the same place: one report.
  // So is a comment that swallowed the brace.
  const bool is_cut = AtEnd() && pos_ > 0 && stream_.tokens[pos_ - 1].kind == Kind::kInvalid;
  const bool is_new = unclosed_at_ != pos_ && !is_cut && sink_.error_count() < diag::Sink::kMaxErrors;
  unclosed_at_ = pos_;
  if (is_new) sink_.Emit(kUnclosedBrace, PeekSpan(), info.what).Note(open, "opened here");
}

// --- one statement ---

StmtId Parser::ParseStatement(const BlockInfo& info) {
  const Kind kind = PeekKind();
  if (kind == Kind::kAt) {
    std::vector<ast::Attribute> attributes = ParseAttributes();
    return lost_ ? StmtId::None() : ParseAttributed(std::move(attributes));
  }
  if (kind == Kind::kBraceLeft) return ParseBlock({.what = "the block"});
  if (kind == Kind::kSemicolon) {
    const Span span = PeekSpan();
    Next();
    return AddStmt(Make(StmtKind::kEmpty, span));
  }
  if (IsKeyword(kind)) return ParseKeywordStatement(info, {});
  const bool updates = kind == Kind::kIdentifier || kind == Kind::kReserved || kind == Kind::kStar ||
                       kind == Kind::kAnd || kind == Kind::kAndAnd || kind == Kind::kParenLeft ||
                       kind == Kind::kUnderscore || kind == Kind::kPlusPlus || kind == Kind::kMinusMinus;
  if (!updates) {
    Fail(kExpectedStatement, PeekSpan(), Found());
    return {};
  }
  const StmtId stmt = ParseUpdating();
  if (lost_) return {};
  const StmtKind parsed = module_.stmts[stmt].kind;
  ExpectSemicolon(parsed == StmtKind::kCall                                          ? "after function call"
                  : parsed == StmtKind::kIncrement || parsed == StmtKind::kDecrement ? "after the statement"
                                                                                     : "after assignment");
  return stmt;
}

StmtId Parser::ParseAttributed(std::vector<ast::Attribute> attributes) {
  const Kind kind = PeekKind();
  if (kind == Kind::kIf || kind == Kind::kSwitch || kind == Kind::kLoop || kind == Kind::kFor ||
      kind == Kind::kWhile) {
    return ParseKeywordStatement({}, std::move(attributes));
  }
  if (kind == Kind::kBraceLeft) {
    const StmtId block = ParseBlock({.what = "the block"});
    if (!lost_) module_.stmts[block].attributes = std::move(attributes);
    return block;
  }
  if (!Is(Kind::kFn)) NoAttributes(attributes, "this statement");
  return {};
}

StmtId Parser::ParseKeywordStatement(const BlockInfo& info, std::vector<ast::Attribute> attributes) {
  const Kind kind = PeekKind();
  if (kind == Kind::kIf) return ParseIf(std::move(attributes));
  if (kind == Kind::kFor) return ParseFor(std::move(attributes));
  if (kind == Kind::kWhile) return ParseWhile(std::move(attributes));
  if (kind == Kind::kLoop) return ParseLoop(std::move(attributes));
  if (kind == Kind::kSwitch) return ParseSwitch(std::move(attributes));
  if (kind == Kind::kVar || kind == Kind::kLet || kind == Kind::kConst) {
    const StmtId stmt = ParseLocal();
    if (lost_) return {};
    ExpectSemicolon(kind == Kind::kVar   ? "after variable declaration"
                    : kind == Kind::kLet ? "after 'let' declaration"
                                         : "after 'const' declaration");
    return stmt;
  }
  if (kind == Kind::kConstAssert) return ParseLocalConstAssert();
  if (kind == Kind::kReturn) return ParseReturn();
  if (kind == Kind::kBreak) return ParseBreak(info);
  if (kind == Kind::kContinue) return ParseSimple(StmtKind::kContinue, "after 'continue'");
  if (kind == Kind::kDiscard) return ParseSimple(StmtKind::kDiscard, "after 'discard'");
  if (kind == Kind::kContinuing) return ParseContinuing(info);
  const std::string_view text = file_.Text(PeekSpan());
  if (kind == Kind::kElse) {
    Fail(kElseWithoutIf, PeekSpan());
  } else if (kind == Kind::kStruct || kind == Kind::kAlias || kind == Kind::kOverride ||
             kind == Kind::kEnable || kind == Kind::kRequires || kind == Kind::kDiagnostic) {
    Fail(kDeclarationInFunction, PeekSpan(), text);
  } else {
    Fail(kExpectedStatement, PeekSpan(), Found());
  }
  return {};
}

StmtId Parser::ParseSimple(StmtKind kind, std::string_view after) {
  const Span span = PeekSpan();
  Next();
  ExpectSemicolon(after);
  return AddStmt(Make(kind, span));
}

// --- declarations in a function; assignments and calls ---

StmtId Parser::ParseLocal() {
  const uint32_t begin = PeekSpan().begin;
  const ast::DeclKind kind = Is(Kind::kVar)   ? ast::DeclKind::kVar
                             : Is(Kind::kLet) ? ast::DeclKind::kLet
                                              : ast::DeclKind::kConst;
  const ast::DeclId decl = ParseVariable(kind, {}, false);
  if (lost_) return {};
  Stmt stmt = Make(StmtKind::kDeclare, SpanFrom(begin));
  stmt.decl = decl;
  return AddStmt(std::move(stmt));
}

StmtId Parser::ParseLocalConstAssert() {
  const uint32_t begin = PeekSpan().begin;
  ast::Decl decl;
  ParseConstAssert(decl);
  if (lost_) return {};
  Stmt stmt = Make(StmtKind::kConstAssert, SpanFrom(begin));
  stmt.a = decl.init;
  return AddStmt(std::move(stmt));
}

StmtId Parser::ParsePhony() {
  const uint32_t begin = PeekSpan().begin;
  Next();
  const Span op_span = PeekSpan();
  if (!Is(Kind::kEqual)) {
    Fail(kUnderscoreAsName, {begin, begin + 1});
    return {};
  }
  Next();
  const ExprId value = ParseExpression("after '='");
  if (lost_) return {};
  Stmt stmt = Make(StmtKind::kPhonyAssign, SpanFrom(begin));
  stmt.op_span = op_span;
  stmt.b = value;
  return AddStmt(std::move(stmt));
}

StmtId Parser::ParseUpdating() {
  if (Is(Kind::kUnderscore)) return ParsePhony();
  const uint32_t begin = PeekSpan().begin;
  const ExprId target = ParseUnary("to assign to or to call");
  if (lost_) return {};
  if (Is(Kind::kPlusPlus) || Is(Kind::kMinusMinus)) {
    if (!IsAssignable(target)) Fail(kNotAssignable, module_.exprs[target].span);
    Stmt stmt = Make(Is(Kind::kPlusPlus) ? StmtKind::kIncrement : StmtKind::kDecrement, {});
    stmt.op_span = PeekSpan();
    stmt.a = target;
    Next();
    stmt.span = SpanFrom(begin);
    return AddStmt(std::move(stmt));
  }
  const StmtId assignment = FinishAssignment(target, begin);
  if (assignment.has_value() || lost_) return assignment;
  if (module_.exprs[target].kind == ExprKind::kCall) {
    Stmt stmt = Make(StmtKind::kCall, SpanFrom(begin));
    stmt.a = target;
    return AddStmt(std::move(stmt));
  }
  if (module_.exprs[target].kind == ExprKind::kIdentifier && (Is(Kind::kIdentifier) || Is(Kind::kColon))) {
    Fail(kExpectedStatement, module_.exprs[target].span,
         "a name: declarations begin with 'let', 'var' or 'const'");
  }
  Fail(kUselessExpression, module_.exprs[target].span);
  return {};
}

// `target = e` and `target op= e`; None, and not lost, where no such operator follows.
StmtId Parser::FinishAssignment(ExprId target, uint32_t begin) {
  Stmt stmt = Make(StmtKind::kAssign, {});
  if (!Is(Kind::kEqual)) {
    const AssignInfo* found = nullptr;
    for (const AssignInfo& info : kAssign) {
      if (Is(info.token)) found = &info;
    }
    if (found == nullptr) return {};
    stmt.kind = StmtKind::kCompoundAssign;
    stmt.binary = found->op;
  }
  if (!IsAssignable(target)) Fail(kNotAssignable, module_.exprs[target].span);
  stmt.op_span = PeekSpan();
  stmt.a = target;
  Next();
  stmt.b = ParseExpression("after the assignment operator");
  if (lost_) return {};
  stmt.span = SpanFrom(begin);
  return AddStmt(std::move(stmt));
}

// WGSL: #syntax-lhs_expression.
bool Parser::IsAssignable(ExprId target) const {
  for (;;) {
    const ast::Expr& expr = module_.exprs[target];
    const bool inner = expr.kind == ExprKind::kIndex || expr.kind == ExprKind::kMember ||
                       expr.kind == ExprKind::kParen ||
                       (expr.kind == ExprKind::kUnary &&
                        (expr.unary == ast::UnaryOp::kIndirection || expr.unary == ast::UnaryOp::kAddressOf));
    if (!inner)
      return expr.kind == ExprKind::kCall || (expr.kind == ExprKind::kIdentifier && !expr.has_template);
    target = expr.a;
  }
}

// --- control flow ---

StmtId Parser::ParseIf(std::vector<ast::Attribute> attributes) {
  Stmt stmt = Make(StmtKind::kIf, PeekSpan());
  stmt.attributes = std::move(attributes);
  Next();
  stmt.a = ParseExpression("after 'if'");
  stmt.span = SpanFrom(stmt.span.begin);
  if (!RecoverAtBrace()) return {};
  stmt.block = ParseBlock({.what = "the body of 'if'"});
  if (lost_) return {};
  if (Is(Kind::kElse)) stmt.other = ParseElse();
  return lost_ ? StmtId::None() : AddStmt(std::move(stmt));
}

// A chain of `else if` is read in a loop and put together from its end, so that it nests in the tree only.
StmtId Parser::ParseElse() {
  std::vector<Stmt> chain;
  StmtId last;
  const uint32_t outer_depth = tree_depth_;
  while (!lost_ && Is(Kind::kElse)) {
    Next();
    if (!Is(Kind::kIf)) {
      last = ParseBlock({.what = "the body of 'else'"});
      break;
    }
    ++tree_depth_;
    Stmt stmt = Make(StmtKind::kIf, PeekSpan());
    Next();
    stmt.a = ParseExpression("after 'else if'");
    stmt.span = SpanFrom(stmt.span.begin);
    if (!RecoverAtBrace()) break;
    stmt.block = ParseBlock({.what = "the body of 'else if'"});
    chain.push_back(std::move(stmt));
  }
  tree_depth_ = outer_depth;
  if (lost_) return {};
  while (!chain.empty()) {
    chain.back().other = last;
    last = AddStmt(std::move(chain.back()));
    chain.pop_back();
  }
  return last;
}

StmtId Parser::ParseSwitch(std::vector<ast::Attribute> attributes) {
  Stmt stmt = Make(StmtKind::kSwitch, PeekSpan());
  stmt.attributes = std::move(attributes);
  Next();
  stmt.a = ParseExpression("after 'switch'");
  stmt.span = SpanFrom(stmt.span.begin);
  if (!RecoverAtBrace()) return {};
  stmt.body_attributes = ParseAttributes();
  const Span open = PeekSpan();
  if (!Expect(Kind::kBraceLeft, "to begin the body of 'switch'")) return {};
  ParseSwitchBody(stmt, open);
  return lost_ ? StmtId::None() : AddStmt(std::move(stmt));
}

void Parser::ParseSwitchBody(Stmt& stmt, Span open) {
  const BlockInfo info{.what = "the body of 'switch'"};
  bool any_lost = false;
  while (!Is(Kind::kBraceRight) && !Is(Kind::kFn) && !AtEnd()) {
    if (sink_.error_count() >= diag::Sink::kMaxErrors) break;
    ast::SwitchCase clause;
    if (ParseCase(clause)) {
      stmt.cases.push_back(std::move(clause));
      continue;
    }
    // On at the next clause.
    any_lost = true;
    RecoverStatement();
    while (!lost_ && !AtEnd() && !Is(Kind::kCase) && !Is(Kind::kDefault) && !Is(Kind::kBraceRight) &&
           !Is(Kind::kFn)) {
      lost_ = true;
      Next();
      RecoverStatement();
    }
  }
  if (stmt.cases.empty() && !any_lost && Is(Kind::kBraceRight)) sink_.Emit(kEmptySwitch, stmt.span);
  CloseBlock(info, open);
}

bool Parser::ParseCase(ast::SwitchCase& clause) {
  clause.span = PeekSpan();
  if (Accept(Kind::kDefault)) {
    clause.selectors.push_back(ExprId::None());
  } else if (Accept(Kind::kCase)) {
    do {
      if (Is(Kind::kColon) || Is(Kind::kBraceLeft) || Is(Kind::kAt)) break;  // after a trailing comma
      clause.selectors.push_back(Accept(Kind::kDefault) ? ExprId::None() : ParseExpression("after 'case'"));
    } while (Accept(Kind::kComma));
    if (clause.selectors.empty()) Fail(kExpectedExpression, PeekSpan(), "after 'case'");
  } else {
    Fail(kExpectedCaseOrDefault, PeekSpan(), Found());
  }
  clause.span = SpanFrom(clause.span.begin);
  Accept(Kind::kColon);
  if (!RecoverAtBrace()) return false;
  clause.body = ParseBlock({.what = "the body of the clause"});
  return !lost_;
}

StmtId Parser::ParseLoop(std::vector<ast::Attribute> attributes) {
  Stmt stmt = Make(StmtKind::kLoop, PeekSpan());
  stmt.attributes = std::move(attributes);
  Next();
  StmtId continuing;
  stmt.block = ParseBlock({.what = "the body of 'loop'", .is_loop = true, .continuing = &continuing});
  if (lost_) return {};
  stmt.continuing = continuing;
  return AddStmt(std::move(stmt));
}

StmtId Parser::ParseContinuing(const BlockInfo& info) {
  const Span keyword = PeekSpan();
  Next();
  const StmtId block = ParseBlock({.what = "the 'continuing' block", .is_continuing = true});
  if (lost_) return {};
  if (!info.is_loop || !Is(Kind::kBraceRight)) {
    sink_.Emit(kContinuingMisplaced, keyword);
  } else {
    *info.continuing = block;
  }
  return {};
}

StmtId Parser::ParseFor(std::vector<ast::Attribute> attributes) {
  Stmt stmt = Make(StmtKind::kFor, PeekSpan());
  stmt.attributes = std::move(attributes);
  Next();
  const uint32_t open = pos_;
  if (Expect(Kind::kParenLeft, "after 'for'")) ParseForHeader(stmt);
  stmt.span = SpanFrom(stmt.span.begin);
  if (lost_ && !RecoverAfterHeader(open)) return {};
  stmt.block = ParseBlock({.what = "the body of 'for'"});
  return lost_ ? StmtId::None() : AddStmt(std::move(stmt));
}

void Parser::ParseForHeader(Stmt& stmt) {
  if (Is(Kind::kVar) || Is(Kind::kLet) || Is(Kind::kConst)) {
    stmt.init = ParseLocal();
  } else if (!Is(Kind::kSemicolon)) {
    stmt.init = ParseUpdating();
  }
  Expect(Kind::kSemicolon, "after the initializer of 'for'");
  if (!lost_ && !Is(Kind::kSemicolon)) stmt.a = ParseExpression("as the condition of 'for'");
  Expect(Kind::kSemicolon, "after the condition of 'for'");
  if (!lost_ && !Is(Kind::kParenRight)) stmt.update = ParseUpdating();
  Expect(Kind::kParenRight, "after the header of 'for'");
}

// After an error in `for (...)`: goes on after the parenthesis that closes token `open`, if a brace follows
// there.
bool Parser::RecoverAfterHeader(uint32_t open) {
  uint32_t parens = 0;
  for (uint32_t at = open; at + 1 < stream_.tokens.size(); ++at) {
    const Kind kind = stream_.tokens[at].kind;
    if (kind == Kind::kBraceLeft || kind == Kind::kBraceRight || kind == Kind::kFn) return false;
    if (kind == Kind::kParenLeft) ++parens;
    if (kind == Kind::kParenRight && parens > 0 && --parens == 0) {
      if (stream_.tokens[at + 1].kind != Kind::kBraceLeft || at + 1 < pos_) return false;
      while (pos_ <= at) Next();
      lost_ = false;
      return true;
    }
  }
  return false;
}

StmtId Parser::ParseWhile(std::vector<ast::Attribute> attributes) {
  Stmt stmt = Make(StmtKind::kWhile, PeekSpan());
  stmt.attributes = std::move(attributes);
  Next();
  stmt.a = ParseExpression("after 'while'");
  stmt.span = SpanFrom(stmt.span.begin);
  if (!RecoverAtBrace()) return {};
  stmt.block = ParseBlock({.what = "the body of 'while'"});
  return lost_ ? StmtId::None() : AddStmt(std::move(stmt));
}

StmtId Parser::ParseBreak(const BlockInfo& info) {
  if (PeekKind(1) != Kind::kIf) return ParseSimple(StmtKind::kBreak, "after 'break'");
  const uint32_t begin = PeekSpan().begin;
  Next();
  Next();
  Stmt stmt = Make(StmtKind::kBreakIf, {});
  stmt.a = ParseExpression("after 'break if'");
  if (lost_) return {};
  stmt.span = SpanFrom(begin);
  ExpectSemicolon("after 'break if'");
  if (lost_) return {};
  if (!info.is_continuing || !Is(Kind::kBraceRight)) sink_.Emit(kBreakIfMisplaced, stmt.span);
  return AddStmt(std::move(stmt));
}

StmtId Parser::ParseReturn() {
  Stmt stmt = Make(StmtKind::kReturn, PeekSpan());
  Next();
  if (!Is(Kind::kSemicolon) && !Is(Kind::kBraceRight)) stmt.a = ParseExpression("after 'return'");
  if (lost_) return {};
  stmt.span = SpanFrom(stmt.span.begin);
  ExpectSemicolon("after 'return'");
  return AddStmt(std::move(stmt));
}

}  // namespace lockstep::wgsl
