// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "wgsl/lexer.h"
#include "wgsl/parser.h"

namespace lockstep::wgsl {
namespace {

std::string_view Class(TokenKind kind) {
  if (kind == TokenKind::kTemplateStart) return "template-start";
  if (kind == TokenKind::kTemplateEnd) return "template-end";
  if (kind == TokenKind::kIdentifier) return "identifier";
  if (kind == TokenKind::kReserved) return "reserved";
  if (kind == TokenKind::kInt) return "int";
  if (kind == TokenKind::kFloat) return "float";
  if (kind == TokenKind::kInvalid) return "invalid";
  return IsKeyword(kind) ? "keyword" : "symbol";
}

}  // namespace

std::string DumpTokens(const SourceFile& file, diag::Sink& sink) {
  const TokenStream stream = Lex(file, sink);
  std::string out;
  // Counted along: SourceFile::PositionOf would read a long line anew for each of its tokens.
  Position at;
  uint32_t offset = 0;
  for (const Token& token : stream.tokens) {
    while (offset < token.begin) {
      const std::string_view rest = file.text().substr(offset);
      if (const uint32_t length = LineBreakLength(rest)) {
        at = {at.line + 1, 1};
        offset += length;
      } else {
        at.column += Utf16Length(rest.substr(0, 1));
        ++offset;
      }
    }
    if (token.kind == TokenKind::kEnd) break;
    fmt::format_to(std::back_inserter(out), "{}:{} {} '{}'\n", at.line, at.column, Class(token.kind),
                   file.Text(token.span()));
  }
  return out;
}

}  // namespace lockstep::wgsl
