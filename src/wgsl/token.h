// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Tokens, 16 bytes each. What they carry (a name, a number) is in the TokenStream's stores.
#pragma once

#include <cstdint>
#include <string_view>

#include "support/source.h"

namespace lockstep::wgsl {

enum class TokenKind : uint8_t {
  kEnd,         // after the last one
  kInvalid,     // text that is no token; the lexer has reported it
  kIdentifier,  // payload: index of the name
  kReserved,    // a reserved word; payload: index of the name
  kInt,         // payload: index of the number
  kFloat,       // likewise
#define TOKEN(Name, text) k##Name,
#define KEYWORD(Name, text) k##Name,
#include "wgsl/defs/tokens.def"
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  uint32_t begin = 0, end = 0;  // bytes
  uint32_t payload = 0;
  Span span() const { return {begin, end}; }
};
static_assert(sizeof(Token) == 16);

// "identifier", "end of file", "'->'", "'fn'": for messages.
std::string_view TokenKindText(TokenKind kind);
bool IsKeyword(TokenKind kind);

}  // namespace lockstep::wgsl
