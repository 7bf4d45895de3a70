// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Tokens of the IR's text form (docs/ir.md). `//` starts a comment that ends with the line.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace lockstep::ir {

enum class TokenKind : uint8_t {
  kWord,      // if, u32, local_invocation_id
  kNumber,    // 12, -3i, 1.5f, 0x7fc00000
  kValue,     // %name: text is what follows the %
  kVariable,  // $name
  kLabel,     // @name
  kMark,      // one of ( ) { } < > , : =
  kBad,       // a byte that belongs to no token
  kEnd,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  uint32_t line = 1;
  std::string_view text;
};

// The tokens of `text`, which must outlive them; the last one is kEnd.
std::vector<Token> Tokenize(std::string_view text);

}  // namespace lockstep::ir
