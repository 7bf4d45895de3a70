// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "wgsl/parser.h"

#include <algorithm>

#include "wgsl/parser_impl.h"

namespace lockstep::wgsl {

Parser::Parser(const SourceFile& file, diag::Sink& sink)
    : file_(file), sink_(sink), stream_(Lex(file, sink)) {
  module_.names = std::move(stream_.names);
}

ast::Module Parser::Run() {
  while (Is(Kind::kEnable) || Is(Kind::kRequires) || Is(Kind::kDiagnostic)) ParseDirective(true);
  while (!AtEnd()) {
    if (sink_.error_count() >= diag::Sink::kMaxErrors) break;
    const uint32_t before = pos_;
    ParseGlobal();
    if (lost_) {
      if (pos_ == before) Next();
      RecoverDeclaration();
    }
  }
  return std::move(module_);
}

const Token& Parser::Peek(uint32_t ahead) const {
  const size_t last = stream_.tokens.size() - 1;
  return stream_.tokens[std::min<size_t>(pos_ + ahead, last)];
}

const Token& Parser::Next() {
  const Token& token = Peek();
  previous_end_ = token.end;
  if (pos_ + 1 < stream_.tokens.size()) ++pos_;
  return token;
}

bool Parser::Accept(Kind kind) {
  if (lost_ || !Is(kind)) return false;
  Next();
  return true;
}

bool Parser::Expect(Kind kind, std::string_view where) {
  if (Accept(kind)) return true;
  Fail(kExpectedToken, PeekSpan(), TokenKindText(kind), where);
  return false;
}

// A missing semicolon at the end of a line is reported there and taken as written.
bool Parser::ExpectSemicolon(std::string_view after) {
  if (Accept(Kind::kSemicolon)) return true;
  if (lost_) return false;
  const std::string_view gap = file_.Text({previous_end_, Peek().begin});
  const bool at_line_end = gap.find_first_of("\n\r") != std::string_view::npos;
  if (!at_line_end && !Is(Kind::kBraceRight) && !AtEnd()) {
    if (Is(Kind::kInvalid)) {
      lost_ = true;
      return false;
    }
    RejectAfterOperand();
    Fail(kExpectedToken, PeekSpan(), "';'", after);
    return false;
  }
  sink_.Emit(kExpectedToken, Span{previous_end_, previous_end_}, "';'", after);
  return true;
}

void Parser::SplitToken(Kind first, Kind second) {
  Token& token = stream_.tokens[pos_];
  if (token.kind != first) return;
  token.kind = second;
  ++token.begin;
  previous_end_ = token.begin;
}

std::string Parser::Found() const {
  const Token& token = Peek();
  if (token.kind == Kind::kEnd) return "the end of the file";
  return fmt::format("'{}'", file_.Text({token.begin, std::min(token.end, token.begin + 40)}));
}

ast::NameId Parser::ParseName(std::string_view where, Span* span) {
  if (lost_) return {};
  const Token token = Peek();
  if (span != nullptr) *span = token.span();
  const std::string_view text = file_.Text(token.span());
  if (token.kind == Kind::kIdentifier || token.kind == Kind::kReserved) {
    if (token.kind == Kind::kReserved && reported_words_.insert(token.payload).second) {
      sink_.Emit(kReservedWord, token.span(), text);
    }
    Next();
    return ast::NameId(token.payload);
  }
  if (IsKeyword(token.kind)) {
    const Kind next = PeekKind(1);
    if (next == Kind::kEqual || next == Kind::kColon || next == Kind::kParenLeft || next == Kind::kComma) {
      sink_.Emit(kKeywordAsName, token.span(), text);  // it was meant as one
      Next();
      return module_.names.Add(std::string(text));
    }
    Fail(kKeywordAsName, token.span(), text);
  } else if (token.kind == Kind::kUnderscore) {
    Fail(kUnderscoreAsName, token.span());
  } else {
    Fail(kExpectedName, token.span(), where);
  }
  return {};
}

bool Parser::StartsDeclaration(Kind kind) {
  return kind == Kind::kFn || kind == Kind::kVar || kind == Kind::kConst || kind == Kind::kOverride ||
         kind == Kind::kAlias || kind == Kind::kStruct || kind == Kind::kConstAssert ||
         kind == Kind::kEnable || kind == Kind::kRequires || kind == Kind::kDiagnostic || kind == Kind::kAt ||
         kind == Kind::kLet;
}

bool Parser::StartsStatement(Kind kind) {
  return kind == Kind::kVar || kind == Kind::kLet || kind == Kind::kConst || kind == Kind::kIf ||
         kind == Kind::kFor || kind == Kind::kWhile || kind == Kind::kLoop || kind == Kind::kSwitch ||
         kind == Kind::kReturn || kind == Kind::kBreak || kind == Kind::kContinue || kind == Kind::kDiscard ||
         kind == Kind::kConstAssert || kind == Kind::kContinuing;
}

// To after the statement's ';' or block, or before the '}' that closes the block around it.
void Parser::RecoverStatement() {
  lost_ = false;
  uint32_t braces = 0;
  for (; !AtEnd(); Next()) {
    const Kind kind = PeekKind();
    if (kind == Kind::kFn) return;
    if (kind == Kind::kBraceLeft) {
      ++braces;
    } else if (kind == Kind::kBraceRight) {
      if (braces == 0) return;
      if (--braces > 0 || PeekKind(1) == Kind::kElse) continue;
      Next();
      return;
    } else if (braces == 0 && kind == Kind::kSemicolon) {
      Next();
      return;
    } else if (braces == 0 && StartsStatement(kind) &&
               (pos_ == 0 || stream_.tokens[pos_ - 1].kind != Kind::kElse)) {
      return;
    }
  }
}

void Parser::RecoverDeclaration() {
  lost_ = false;
  uint32_t braces = 0;
  for (; !AtEnd(); Next()) {
    const Kind kind = PeekKind();
    if (kind == Kind::kFn) return;
    if (braces == 0 && StartsDeclaration(kind)) return;
    if (kind == Kind::kBraceLeft) {
      ++braces;
    } else if (kind == Kind::kBraceRight) {
      if (braces <= 1) {
        Next();
        return;
      }
      --braces;
    } else if (braces == 0 && kind == Kind::kSemicolon) {
      Next();
      return;
    }
  }
}

bool Parser::RecoverAtBrace() {
  if (!lost_) return true;
  for (uint32_t ahead = 0;; ++ahead) {
    const Kind kind = PeekKind(ahead);
    if (kind == Kind::kBraceLeft) {
      while (ahead-- > 0) Next();
      lost_ = false;
      return true;
    }
    if (kind == Kind::kEnd || kind == Kind::kBraceRight || kind == Kind::kSemicolon || kind == Kind::kFn)
      return false;
  }
}

bool Parser::Nest::TooDeep(Span at) {
  if (parser_.nesting_ <= ast::kMaxExpressionDepth) return false;
  parser_.Fail(kNestedTooDeeply, at, "this expression nests", ast::kMaxExpressionDepth);
  return true;
}

ast::Module Parse(const SourceFile& file, diag::Sink& sink) { return Parser(file, sink).Run(); }

}  // namespace lockstep::wgsl
