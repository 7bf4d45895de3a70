// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Expressions (WGSL: #expression-grammar). The grammar lets few operators stand beside each other without
// parentheses. They are parsed with the usual strengths of C, and where a program uses that order without
// writing it down, as in `a & b | c` or `x + 1 << 2`, the parser says so and goes on with the tree that C
// would make.
#include <optional>

#include "wgsl/parser_impl.h"

namespace lockstep::wgsl {

using ast::BinaryOp;
using ast::Expr;
using ast::ExprId;
using ast::ExprKind;
using ast::UnaryOp;

namespace {

struct BinaryInfo {
  TokenKind token;
  BinaryOp op;
  uint8_t strength;
};

constexpr uint8_t kRelationalStrength = 6;
constexpr BinaryInfo kBinary[] = {
    {TokenKind::kOrOr, BinaryOp::kLogicalOr, 1},
    {TokenKind::kAndAnd, BinaryOp::kLogicalAnd, 2},
    {TokenKind::kOr, BinaryOp::kOr, 3},
    {TokenKind::kXor, BinaryOp::kXor, 4},
    {TokenKind::kAnd, BinaryOp::kAnd, 5},
    {TokenKind::kEqualEqual, BinaryOp::kEq, kRelationalStrength},
    {TokenKind::kNotEqual, BinaryOp::kNe, kRelationalStrength},
    {TokenKind::kLess, BinaryOp::kLt, kRelationalStrength},
    {TokenKind::kLessEqual, BinaryOp::kLe, kRelationalStrength},
    {TokenKind::kGreater, BinaryOp::kGt, kRelationalStrength},
    {TokenKind::kGreaterEqual, BinaryOp::kGe, kRelationalStrength},
    {TokenKind::kShiftLeft, BinaryOp::kShl, 7},
    {TokenKind::kShiftRight, BinaryOp::kShr, 7},
    {TokenKind::kPlus, BinaryOp::kAdd, 8},
    {TokenKind::kMinus, BinaryOp::kSub, 8},
    {TokenKind::kMinusMinus, BinaryOp::kSub, 8},
    {TokenKind::kStar, BinaryOp::kMul, 9},
    {TokenKind::kSlash, BinaryOp::kDiv, 9},
    {TokenKind::kPercent, BinaryOp::kRem, 9},
};

const BinaryInfo* BinaryOf(TokenKind kind) {
  for (const BinaryInfo& info : kBinary) {
    if (info.token == kind) return &info;
  }
  return nullptr;
}

// `a--` before these is a decrement that the author took for a value, not `a - (-...`.
bool EndsExpression(TokenKind kind) {
  return kind == TokenKind::kSemicolon || kind == TokenKind::kParenRight ||
         kind == TokenKind::kBracketRight || kind == TokenKind::kComma || kind == TokenKind::kBraceLeft ||
         kind == TokenKind::kEnd;
}

uint8_t StrengthOf(BinaryOp op) {
  for (const BinaryInfo& info : kBinary) {
    if (info.op == op) return info.strength;
  }
  UNREACHABLE("binary operator");
}

// May `inner` stand unparenthesized as an operand of `outer`? (The parser made it so by strength alone.)
bool MayNest(BinaryOp outer, BinaryOp inner, bool is_left) {
  switch (outer) {
    case BinaryOp::kLogicalOr:
    case BinaryOp::kLogicalAnd:
      return StrengthOf(inner) >= kRelationalStrength || (is_left && inner == outer);
    case BinaryOp::kOr:
    case BinaryOp::kXor:
    case BinaryOp::kAnd:
      return is_left && inner == outer;
    case BinaryOp::kEq:
    case BinaryOp::kNe:
    case BinaryOp::kLt:
    case BinaryOp::kLe:
    case BinaryOp::kGt:
    case BinaryOp::kGe:
      return StrengthOf(inner) > kRelationalStrength;
    case BinaryOp::kShl:
    case BinaryOp::kShr:
      return false;
    case BinaryOp::kAdd:
    case BinaryOp::kSub:
    case BinaryOp::kMul:
    case BinaryOp::kDiv:
    case BinaryOp::kRem:
      return true;
  }
  UNREACHABLE("binary operator");
}

std::optional<UnaryOp> UnaryOf(TokenKind kind) {
  if (kind == TokenKind::kMinus || kind == TokenKind::kMinusMinus) return UnaryOp::kNegate;
  if (kind == TokenKind::kBang) return UnaryOp::kNot;
  if (kind == TokenKind::kTilde) return UnaryOp::kComplement;
  if (kind == TokenKind::kAnd || kind == TokenKind::kAndAnd) return UnaryOp::kAddressOf;
  if (kind == TokenKind::kStar) return UnaryOp::kIndirection;
  return std::nullopt;
}

}  // namespace

ExprId Parser::AddExpr(Expr expr) {
  uint32_t depth = 0;
  const auto count = [&](ExprId child) {
    if (child.has_value()) depth = std::max<uint32_t>(depth, depths_[child.index]);
  };
  count(expr.a);
  count(expr.b);
  for (const ExprId child : module_.list(expr.args)) count(child);
  if (++depth > ast::kMaxExpressionDepth) {
    Fail(kNestedTooDeeply, expr.op_span, "this expression nests", ast::kMaxExpressionDepth);
    return {};
  }
  depths_.push_back(static_cast<uint16_t>(depth));
  return module_.exprs.Add(std::move(expr));
}

ExprId Parser::ParseExpression(std::string_view where) {
  const ExprId expr = ParseBinary(1, where);
  return lost_ ? ExprId::None() : expr;
}

ExprId Parser::ParseBinary(uint8_t min_strength, std::string_view where) {
  ExprId left = ParseUnary(where);
  while (!lost_) {
    const BinaryInfo* info = BinaryOf(PeekKind());
    if (info == nullptr || info->strength < min_strength) return left;
    if (Is(Kind::kMinusMinus) && EndsExpression(PeekKind(1))) return left;
    Span op_span = PeekSpan();
    if (Is(Kind::kMinusMinus)) {
      op_span.end = op_span.begin + 1;
      SplitToken(Kind::kMinusMinus, Kind::kMinus);
    } else {
      Next();
    }
    const ExprId right =
        ParseBinary(static_cast<uint8_t>(info->strength + 1), "on the right side of the operator");
    if (lost_) return {};
    CheckOperand(info->op, op_span, left, true);
    CheckOperand(info->op, op_span, right, false);
    Expr expr;
    expr.kind = ExprKind::kBinary;
    expr.binary = info->op;
    expr.op_span = op_span;
    expr.span = {module_.exprs[left].span.begin, module_.exprs[right].span.end};
    expr.a = left;
    expr.b = right;
    left = AddExpr(std::move(expr));
  }
  return {};
}

void Parser::CheckOperand(BinaryOp op, Span op_span, ExprId operand, bool is_left) {
  const Expr& inner = module_.exprs[operand];
  if (inner.kind != ExprKind::kBinary || MayNest(op, inner.binary, is_left)) return;
  const std::string_view first = ast::BinaryOpText(is_left ? inner.binary : op);
  const std::string_view second = ast::BinaryOpText(is_left ? op : inner.binary);
  const Span at = is_left ? op_span : inner.op_span;
  if (first == second) {
    sink_.Emit(kChainedOperators, at, first);
  } else {
    sink_.Emit(kMixedOperators, at, first, second);
  }
}

ExprId Parser::ParseUnary(std::string_view where) {
  if (lost_) return {};
  Nest nest(*this);
  if (nest.TooDeep(PeekSpan())) return {};
  return UnaryOf(PeekKind()) ? ParseUnaryOperator(where) : ParseSingular(where);
}

ExprId Parser::ParseUnaryOperator(std::string_view where) {
  Expr expr;
  expr.kind = ExprKind::kUnary;
  expr.unary = *UnaryOf(PeekKind());
  expr.op_span = {PeekSpan().begin, PeekSpan().begin + 1};
  if (Is(Kind::kMinusMinus)) {
    SplitToken(Kind::kMinusMinus, Kind::kMinus);
  } else if (Is(Kind::kAndAnd)) {
    SplitToken(Kind::kAndAnd, Kind::kAnd);
  } else {
    Next();
  }
  expr.a = ParseUnary(where);
  if (lost_) return {};
  expr.span = {expr.op_span.begin, module_.exprs[expr.a].span.end};
  return AddExpr(std::move(expr));
}

ExprId Parser::ParseSingular(std::string_view where) {
  ExprId expr = ParsePrimary(where);
  while (!lost_ && (Is(Kind::kBracketLeft) || Is(Kind::kPeriod))) expr = ParsePostfix(expr);
  return expr;
}

ExprId Parser::ParsePostfix(ExprId base) {
  Expr expr;
  expr.a = base;
  expr.op_span = PeekSpan();
  if (Accept(Kind::kPeriod)) {
    expr.kind = ExprKind::kMember;
    expr.name = ParseName("after '.'", &expr.op_span);
  } else {
    Next();
    expr.kind = ExprKind::kIndex;
    expr.b = ParseExpression("as the index");
    if (Expect(Kind::kBracketRight, "to close the index")) expr.op_span.end = previous_end_;
  }
  if (lost_) return {};
  expr.span = SpanFrom(module_.exprs[base].span.begin);
  return AddExpr(std::move(expr));
}

ExprId Parser::ParsePrimary(std::string_view where) {
  const Kind kind = PeekKind();
  if (kind == Kind::kIdentifier || kind == Kind::kReserved) return ParseIdentifier(true);
  if (kind == Kind::kInt || kind == Kind::kFloat || kind == Kind::kTrue || kind == Kind::kFalse)
    return ParseLiteral();
  if (kind == Kind::kParenLeft) return ParseParen();
  RejectOperand(where);
  return {};
}

// What stands here begins no expression: says what it is where that is clear.
void Parser::RejectOperand(std::string_view where) {
  const Span at = PeekSpan();
  const std::string_view text = file_.Text(at);
  if ((Is(Kind::kPlusPlus) || Is(Kind::kMinusMinus)) && PeekKind(1) == Kind::kIdentifier) {
    Fail(kPrefixIncrement, at, text);
  } else if (Is(Kind::kPlus)) {
    Fail(kUnaryPlus, at);
  } else if (Is(Kind::kUnderscore)) {
    Fail(kUnderscoreAsName, at);
  } else if (IsKeyword(PeekKind())) {
    Fail(kKeywordAsName, at, text);
  } else {
    Fail(kExpectedExpression, at, where);
  }
}

// What stands here cannot follow an expression: likewise; reports nothing where it is not clear.
void Parser::RejectAfterOperand() {
  const std::string_view text = file_.Text(PeekSpan());
  if (Is(Kind::kPlusPlus) || Is(Kind::kMinusMinus)) {
    Fail(kStatementInExpression, PeekSpan(), text);
  } else if (Is(Kind::kEqual) || (PeekKind() >= Kind::kPlusAssign && PeekKind() <= Kind::kShiftLeftAssign)) {
    Fail(kStatementInExpression, PeekSpan(), text);
  }
}

ExprId Parser::ParseLiteral() {
  const Token token = Next();
  Expr expr;
  expr.span = expr.op_span = token.span();
  if (token.kind == Kind::kTrue || token.kind == Kind::kFalse) {
    expr.kind = ExprKind::kBool;
    expr.int_value = token.kind == Kind::kTrue ? 1 : 0;
    return AddExpr(std::move(expr));
  }
  const NumberLiteral& number = stream_.numbers[token.payload];
  expr.kind = number.is_float ? ExprKind::kFloat : ExprKind::kInt;
  expr.suffix = number.suffix;
  expr.int_value = number.int_value;
  expr.float_value = number.float_value;
  return AddExpr(std::move(expr));
}

ExprId Parser::ParseParen() {
  Expr expr;
  expr.kind = ExprKind::kParen;
  expr.op_span = PeekSpan();
  Next();
  expr.a = ParseExpression("after '('");
  if (!lost_ && !Is(Kind::kParenRight)) RejectAfterOperand();
  Expect(Kind::kParenRight, "to close the parentheses");
  if (lost_) return {};
  expr.span = SpanFrom(expr.op_span.begin);
  return AddExpr(std::move(expr));
}

ExprId Parser::ParseIdentifier(bool may_call) {
  Expr expr;
  expr.kind = ExprKind::kIdentifier;
  expr.name = ParseName("", &expr.op_span);
  if (Is(Kind::kTemplateStart)) {
    expr.has_template = true;
    expr.args = ParseTemplateList();
  }
  if (lost_) return {};
  expr.span = SpanFrom(expr.op_span.begin);
  const ExprId callee = AddExpr(std::move(expr));
  if (lost_ || !may_call || !Is(Kind::kParenLeft)) return callee;
  Expr call;
  call.kind = ExprKind::kCall;
  call.a = callee;
  call.op_span = module_.exprs[callee].op_span;
  Next();
  call.args = ParseArguments(Kind::kParenRight, "after the arguments");
  if (lost_) return {};
  call.span = SpanFrom(call.op_span.begin);
  return AddExpr(std::move(call));
}

ListRef<ExprId> Parser::ParseArguments(Kind close, std::string_view where) {
  std::vector<ExprId> args;
  while (!lost_ && !Is(close)) {
    args.push_back(ParseExpression("as an argument"));
    if (!Accept(Kind::kComma)) break;
  }
  if (!lost_ && !Is(close)) RejectAfterOperand();
  Expect(close, where);
  return lost_ ? ListRef<ExprId>() : module_.expr_lists.Add(args);
}

ListRef<ExprId> Parser::ParseTemplateList() {
  Next();
  if (Is(Kind::kTemplateEnd)) {
    Fail(kEmptyTemplateList, PeekSpan());
    return {};
  }
  return ParseArguments(Kind::kTemplateEnd, "to close the template list");
}

ExprId Parser::ParseType(std::string_view where) {
  if (lost_) return {};
  Nest nest(*this);
  if (nest.TooDeep(PeekSpan())) return {};
  if (!Is(Kind::kIdentifier) && !Is(Kind::kReserved)) {
    Fail(kExpectedType, PeekSpan(), where);
    return {};
  }
  const ExprId type = ParseIdentifier(false);
  return lost_ ? ExprId::None() : type;
}

}  // namespace lockstep::wgsl
