// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Text to tokens, in three steps over one flat vector:
//
//   lexer.cc           cuts the text. '<', '>' and '=' are left single, since what `>>=` is depends on
//   template lists. lexer_template.cc  finds template lists (#template-lists-sec) and marks their delimiters,
//   then glues the single
//                      '<', '>' and '=' that remain into operators.
//   lexer_number.cc    reads one numeric literal, with its range checks.
//
// Memory is bounded: sources over kMaxSourceBytes or kMaxTokens are refused (each node of the tree has a
// token of its own, so the second bounds the tree too).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "support/source.h"
#include "wgsl/ast.h"
#include "wgsl/token.h"

namespace lockstep::wgsl {

inline constexpr uint32_t kMaxSourceBytes = 16u << 20;
inline constexpr uint32_t kMaxTokens = 2u << 20;

struct NumberLiteral {
  bool is_float = false;
  char suffix = 0;  // 'i', 'u', 'f', 'h' or 0
  uint64_t int_value = 0;
  double float_value = 0;  // rounded to the suffix's type
};

struct TokenStream {
  std::vector<Token> tokens;  // the last one is kEnd
  std::vector<NumberLiteral> numbers;
  Store<ast::NameId, std::string> names;
};

TokenStream Lex(const SourceFile& file, diag::Sink& sink);

// --- the steps ---

// The literal at `begin` (a digit, or '.' before a digit): its value, and where it ends. Range errors are
// reported.
struct ScannedNumber {
  NumberLiteral number;
  uint32_t end = 0;
};
ScannedNumber ScanNumber(std::string_view text, uint32_t begin, diag::Sink& sink);

// WGSL: "template list discovery". `tokens` has only single '<', '>' and '='; afterwards delimiters are
// kTemplateStart and kTemplateEnd, and adjacent singles are glued into operators.
void MarkTemplateLists(std::vector<Token>& tokens);

}  // namespace lockstep::wgsl
