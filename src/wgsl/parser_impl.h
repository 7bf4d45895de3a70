// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// The parser: recursive descent over the token vector, one method a grammar rule, in four files by chapter
// (parser.cc: the cursor and recovery; parser_decl.cc; parser_stmt.cc; parser_expr.cc).
//
// After a syntax error the parser is lost (`lost_`): it reports nothing more, every method returns at once,
// and the nearest statement or declaration finds the next place to go on (Recover...). Wrong operator mixes,
// reserved words and the like are reported without getting lost, since it is clear what was meant.
//
// Depth is bounded in two ways: `nesting_` counts how deep the parser itself is, `depths_` how deep each
// expression's tree is (a + b + c + ... nests without the parser nesting).
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "diag/diagnostic.h"
#include "support/source.h"
#include "wgsl/ast.h"
#include "wgsl/diagnostics.h"
#include "wgsl/lexer.h"

namespace lockstep::wgsl {

class Parser {
 public:
  Parser(const SourceFile& file, diag::Sink& sink);
  ast::Module Run();

 private:
  using Kind = TokenKind;

  // --- the cursor (parser.cc) ---
  const Token& Peek(uint32_t ahead = 0) const;
  Kind PeekKind(uint32_t ahead = 0) const { return Peek(ahead).kind; }
  Span PeekSpan() const { return Peek().span(); }
  bool AtEnd() const { return PeekKind() == Kind::kEnd; }
  bool Is(Kind kind) const { return PeekKind() == kind; }
  const Token& Next();
  bool Accept(Kind kind);
  // The token `kind`, or "expected ';' `where`" and lost.
  bool Expect(Kind kind, std::string_view where);
  bool ExpectSemicolon(std::string_view after);
  // The first character of a token of two becomes a token: `--x` is `-(-x)`, WGSL: #parsing takes the longest
  // token that fits the grammar.
  void SplitToken(Kind first, Kind second);
  Span SpanFrom(uint32_t begin) const { return {begin, previous_end_ > begin ? previous_end_ : begin}; }
  std::string Found() const;  // "'}'", "the keyword 'fn'": what stands here

  template <typename... Args>
  void Fail(const diag::Kind& kind, Span span, const Args&... args) {
    // Text that is no token was reported by the lexer.
    if (!lost_ && PeekKind() != Kind::kInvalid) sink_.Emit(kind, span, args...);
    lost_ = true;
  }

  // A declared or attribute's or member's name. Reports keywords and reserved words. None where lost.
  ast::NameId ParseName(std::string_view where, Span* span = nullptr);

  // --- recovery (parser.cc) ---
  void RecoverStatement();
  void RecoverDeclaration();
  // Inside a header `if ... {`: goes on at the brace where one comes before the end of the statement.
  bool RecoverAtBrace();
  static bool StartsStatement(Kind kind);
  static bool StartsDeclaration(Kind kind);

  // --- declarations and directives (parser_decl.cc) ---
  void ParseDirective(bool in_place);
  void ParseDirectiveBody(ast::Directive& directive);
  void ParseGlobal();
  void ParseGlobalKeyword(std::vector<ast::Attribute> attributes);
  std::vector<ast::Attribute> ParseAttributes();
  bool ParseAttribute(ast::Attribute& attribute);
  ast::NameId KeywordName(std::string_view text);
  void NoAttributes(const std::vector<ast::Attribute>& attributes, std::string_view on);
  ast::DeclId ParseVariable(ast::DeclKind kind, std::vector<ast::Attribute> attributes, bool is_global);
  void ParseAlias();
  void ParseStruct();
  bool ParseStructMember(ast::StructMember& member);
  void ParseConstAssert(ast::Decl& decl);
  void ParseFunction(std::vector<ast::Attribute> attributes);
  bool ParseParameters(ast::Decl& function);
  void AddGlobal(ast::Decl decl);

  // --- statements (parser_stmt.cc) ---
  struct BlockInfo {
    std::string_view what;              // "the body of 'for'": for messages
    bool is_loop = false;               // may end in `continuing`
    bool is_continuing = false;         // may end in `break if`
    ast::StmtId* continuing = nullptr;  // where a loop's continuing block goes
  };
  ast::StmtId ParseBlock(const BlockInfo& info);
  void ParseBlockStatements(const BlockInfo& info, std::vector<ast::StmtId>& stmts);
  void CloseBlock(const BlockInfo& info, Span open);
  ast::StmtId ParseStatement(const BlockInfo& info);
  ast::StmtId ParseKeywordStatement(const BlockInfo& info, std::vector<ast::Attribute> attributes);
  ast::StmtId ParseAttributed(std::vector<ast::Attribute> attributes);
  ast::StmtId ParseLocal();
  ast::StmtId ParseLocalConstAssert();
  ast::StmtId ParseUpdating();  // assignment, increment, call; without the semicolon
  ast::StmtId ParsePhony();
  ast::StmtId FinishAssignment(ast::ExprId target, uint32_t begin);
  ast::StmtId ParseIf(std::vector<ast::Attribute> attributes);
  ast::StmtId ParseElse();
  ast::StmtId ParseSwitch(std::vector<ast::Attribute> attributes);
  void ParseSwitchBody(ast::Stmt& stmt, Span open);
  bool ParseCase(ast::SwitchCase& clause);
  ast::StmtId ParseLoop(std::vector<ast::Attribute> attributes);
  ast::StmtId ParseFor(std::vector<ast::Attribute> attributes);
  void ParseForHeader(ast::Stmt& stmt);
  bool RecoverAfterHeader(uint32_t open);
  ast::StmtId ParseWhile(std::vector<ast::Attribute> attributes);
  ast::StmtId ParseBreak(const BlockInfo& info);
  ast::StmtId ParseContinuing(const BlockInfo& info);
  ast::StmtId ParseReturn();
  ast::StmtId ParseSimple(ast::StmtKind kind, std::string_view after);
  bool IsAssignable(ast::ExprId target) const;
  ast::StmtId AddStmt(ast::Stmt stmt) { return module_.stmts.Add(std::move(stmt)); }

  // --- expressions (parser_expr.cc) ---
  ast::ExprId ParseExpression(std::string_view where);
  ast::ExprId ParseBinary(uint8_t min_strength, std::string_view where);
  ast::ExprId ParseUnary(std::string_view where);
  ast::ExprId ParseUnaryOperator(std::string_view where);
  ast::ExprId ParseSingular(std::string_view where);
  ast::ExprId ParsePostfix(ast::ExprId base);
  ast::ExprId ParsePrimary(std::string_view where);
  ast::ExprId ParseLiteral();
  ast::ExprId ParseParen();
  ast::ExprId ParseIdentifier(bool may_call);
  ast::ExprId ParseType(std::string_view where);
  // Arguments up to `close`, which is consumed: `(a, b,)`, `<a, b>`.
  ListRef<ast::ExprId> ParseArguments(Kind close, std::string_view where);
  ListRef<ast::ExprId> ParseTemplateList();
  void CheckOperand(ast::BinaryOp op, Span op_span, ast::ExprId operand, bool is_left);
  void RejectOperand(std::string_view where);
  void RejectAfterOperand();
  ast::ExprId AddExpr(ast::Expr expr);

  // One more level of the parser's own recursion; false and lost where that is too much.
  class Nest {
   public:
    explicit Nest(Parser& parser) : parser_(parser) { ++parser_.nesting_; }
    ~Nest() { --parser_.nesting_; }
    Nest(const Nest&) = delete;
    Nest& operator=(const Nest&) = delete;
    bool TooDeep(Span at);

   private:
    Parser& parser_;
  };

  const SourceFile& file_;
  diag::Sink& sink_;
  TokenStream stream_;
  uint32_t pos_ = 0;
  uint32_t previous_end_ = 0;
  bool lost_ = false;
  uint32_t nesting_ = 0;                // of expressions
  uint32_t brace_depth_ = 0;            // of brace-enclosed statements
  uint32_t tree_depth_ = 0;             // braces, and each `else if`
  uint32_t unclosed_at_ = 0xffffffffu;  // the token where a missing '}' was reported
  std::vector<uint16_t> depths_;        // by ExprId
  std::unordered_set<uint32_t> reported_words_;
  ast::NameId const_name_, diagnostic_name_;
  ast::Module module_;
};

}  // namespace lockstep::wgsl
