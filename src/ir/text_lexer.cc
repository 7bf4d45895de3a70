// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/text_lexer.h"

namespace lockstep::ir {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || IsDigit(c) || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// Where the number at `begin` ends; signs belong to it at its start and after a decimal exponent's e.
size_t NumberEnd(std::string_view text, size_t begin) {
  const bool hex = text.substr(begin, 2) == "0x";
  size_t end = begin + 1;
  while (end < text.size()) {
    const char c = text[end];
    const bool sign = (c == '+' || c == '-') && !hex && (text[end - 1] == 'e' || text[end - 1] == 'E');
    if (!IsWord(c) && c != '.' && !sign) break;
    ++end;
  }
  return end;
}

Token Next(std::string_view text, size_t begin) {
  const char c = text[begin];
  Token token;
  size_t end = begin + 1;
  if (c == '%' || c == '$' || c == '@') {
    token.kind = c == '%' ? TokenKind::kValue : c == '$' ? TokenKind::kVariable : TokenKind::kLabel;
    while (end < text.size() && (IsWord(text[end]) || text[end] == '.')) ++end;
    token.text = text.substr(begin + 1, end - begin - 1);
    return token;
  }
  if (IsDigit(c) || c == '-') {
    token.kind = TokenKind::kNumber;
    end = NumberEnd(text, begin);
  } else if (IsWord(c)) {
    token.kind = TokenKind::kWord;
    while (end < text.size() && IsWord(text[end])) ++end;
  } else {
    token.kind =
        std::string_view("(){}<>,:=").find(c) == std::string_view::npos ? TokenKind::kBad : TokenKind::kMark;
  }
  token.text = text.substr(begin, end - begin);
  return token;
}

}  // namespace

std::vector<Token> Tokenize(std::string_view text) {
  std::vector<Token> tokens;
  uint32_t line = 1;
  size_t at = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '\n') {
      ++line;
      ++at;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      ++at;
    } else if (text.substr(at, 2) == "//") {
      while (at < text.size() && text[at] != '\n') ++at;
    } else {
      Token token = Next(text, at);
      token.line = line;
      at = static_cast<size_t>(token.text.data() - text.data()) + token.text.size();
      tokens.push_back(token);
    }
  }
  Token end;
  end.line = line;
  tokens.push_back(end);
  return tokens;
}

}  // namespace lockstep::ir
