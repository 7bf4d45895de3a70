// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Template list discovery (WGSL: #template-lists-sec). In
//
//     A ( B < C, D > ( E ) )          `< C, D >` is a template list
//     a < b || c > d                  two comparisons: `||` binds weaker than `<`
//     array<i32, select(2, 3, a > b)> the inner `>` is nested deeper than the list
//
// A `<` after a word opens a candidate; a `>` at the same nesting of () and [] closes the innermost one; what
// cannot stand inside an expression drops the candidates. One pass with a stack: linear. It runs on tokens
// instead of code points; that is the same as the specification's algorithm because words, literals and
// comments are skipped there too.
#include <cstddef>

#include "wgsl/lexer.h"

namespace lockstep::wgsl {
namespace {

class TemplateFinder {
 public:
  explicit TemplateFinder(std::vector<Token>& tokens) : tokens_(tokens) {}
  void Mark();
  void Glue();

 private:
  struct Candidate {
    size_t token;
    uint32_t depth;
  };

  TokenKind Kind(size_t i) const { return i < tokens_.size() ? tokens_[i].kind : TokenKind::kEnd; }
  // Whether token i + 1 is `kind` and follows token i without a gap.
  bool Adjacent(size_t i, TokenKind kind) const {
    return Kind(i + 1) == kind && tokens_[i + 1].begin == tokens_[i].end;
  }
  size_t Word(size_t i);
  size_t Close(size_t i);
  void DropNested();
  void DropAll();
  TokenKind GluedAt(size_t i, size_t& count) const;

  std::vector<Token>& tokens_;
  std::vector<Candidate> pending_;
  uint32_t depth_ = 0;
};

// WGSL: "ident_pattern_token": keywords match it too, but `true` and `false` are literals.
bool IsWord(TokenKind kind) {
  if (kind == TokenKind::kTrue || kind == TokenKind::kFalse) return false;
  return kind == TokenKind::kIdentifier || kind == TokenKind::kReserved || IsKeyword(kind);
}

void TemplateFinder::DropNested() {
  while (!pending_.empty() && pending_.back().depth >= depth_) pending_.pop_back();
}

void TemplateFinder::DropAll() {
  pending_.clear();
  depth_ = 0;
}

// After the word at `i`: is there a `<` that may open a list? Returns the next token to look at.
size_t TemplateFinder::Word(size_t i) {
  if (Kind(i + 1) != TokenKind::kLess) return i + 1;
  if (Adjacent(i + 1, TokenKind::kLess) || Adjacent(i + 1, TokenKind::kEqual)) return i + 3;  // `<<`, `<=`
  pending_.push_back({i + 1, depth_});
  return i + 2;
}

size_t TemplateFinder::Close(size_t i) {
  if (!pending_.empty() && pending_.back().depth == depth_) {
    tokens_[pending_.back().token].kind = TokenKind::kTemplateStart;
    tokens_[i].kind = TokenKind::kTemplateEnd;
    pending_.pop_back();
    return i + 1;
  }
  return Adjacent(i, TokenKind::kEqual) ? i + 2 : i + 1;  // `>=` is no assignment
}

void TemplateFinder::Mark() {
  for (size_t i = 0; i < tokens_.size();) {
    const TokenKind kind = tokens_[i].kind;
    if (IsWord(kind)) {
      i = Word(i);
      continue;
    }
    if (kind == TokenKind::kGreater) {
      i = Close(i);
      continue;
    }
    if (kind == TokenKind::kParenLeft || kind == TokenKind::kBracketLeft) {
      ++depth_;
    } else if (kind == TokenKind::kParenRight || kind == TokenKind::kBracketRight) {
      DropNested();
      if (depth_ > 0) --depth_;
    } else if (kind == TokenKind::kEqual && Adjacent(i, TokenKind::kEqual)) {
      ++i;
    } else if (kind == TokenKind::kAndAnd || kind == TokenKind::kOrOr) {
      DropNested();
    } else if (kind == TokenKind::kEqual || kind == TokenKind::kSemicolon || kind == TokenKind::kBraceLeft ||
               kind == TokenKind::kColon ||
               (kind >= TokenKind::kPlusAssign && kind <= TokenKind::kXorAssign)) {
      DropAll();
    }
    ++i;
  }
}

// The longest operator that the single '<', '>' and '=' from token `i` on spell, and of how many tokens.
TokenKind TemplateFinder::GluedAt(size_t i, size_t& count) const {
  const TokenKind first = tokens_[i].kind;
  count = 1;
  if (first == TokenKind::kEqual) {
    if (!Adjacent(i, TokenKind::kEqual)) return first;
    count = 2;
    return TokenKind::kEqualEqual;
  }
  if (first != TokenKind::kLess && first != TokenKind::kGreater) return first;
  const bool less = first == TokenKind::kLess;
  if (Adjacent(i, first)) {
    const bool assign = Adjacent(i + 1, TokenKind::kEqual);
    count = assign ? 3 : 2;
    if (assign) return less ? TokenKind::kShiftLeftAssign : TokenKind::kShiftRightAssign;
    return less ? TokenKind::kShiftLeft : TokenKind::kShiftRight;
  }
  if (Adjacent(i, TokenKind::kEqual)) {
    count = 2;
    return less ? TokenKind::kLessEqual : TokenKind::kGreaterEqual;
  }
  return first;
}

void TemplateFinder::Glue() {
  size_t to = 0;
  for (size_t from = 0; from < tokens_.size();) {
    size_t count = 1;
    Token token = tokens_[from];
    token.kind = GluedAt(from, count);
    token.end = tokens_[from + count - 1].end;
    tokens_[to++] = token;
    from += count;
  }
  tokens_.resize(to);
}

}  // namespace

void MarkTemplateLists(std::vector<Token>& tokens) {
  TemplateFinder finder(tokens);
  finder.Mark();
  finder.Glue();
}

}  // namespace lockstep::wgsl
