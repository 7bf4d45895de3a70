// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "wgsl/token.h"

#include "support/check.h"

namespace lockstep::wgsl {

std::string_view TokenKindText(TokenKind kind) {
  switch (kind) {
    case TokenKind::kEnd:
      return "end of file";
    case TokenKind::kInvalid:
      return "invalid text";
    case TokenKind::kIdentifier:
      return "identifier";
    case TokenKind::kReserved:
      return "reserved word";
    case TokenKind::kInt:
      return "integer literal";
    case TokenKind::kFloat:
      return "float literal";
#define TOKEN(Name, text)  \
  case TokenKind::k##Name: \
    return "'" text "'";
#define KEYWORD(Name, text) \
  case TokenKind::k##Name:  \
    return "'" text "'";
#include "wgsl/defs/tokens.def"
  }
  UNREACHABLE("token kind");
}

bool IsKeyword(TokenKind kind) {
  switch (kind) {
#define KEYWORD(Name, text) case TokenKind::k##Name:
#include "wgsl/defs/tokens.def"
    return true;
#define TOKEN(Name, text) case TokenKind::k##Name:
#include "wgsl/defs/tokens.def"
    case TokenKind::kEnd:
    case TokenKind::kInvalid:
    case TokenKind::kIdentifier:
    case TokenKind::kReserved:
    case TokenKind::kInt:
    case TokenKind::kFloat:
      return false;
  }
  UNREACHABLE("token kind");
}

}  // namespace lockstep::wgsl
