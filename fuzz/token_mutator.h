// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Changes to a shader's text by tokens: bytes changed at random hardly ever make a program that the front end
// accepts, and what it refuses tests no engine. A token takes the place of another of its kind (name, number,
// operator), from anywhere in the text or from a list of awkward ones; or statements are dropped, doubled or
// moved.
//
//   out[i] = a + b;   ->   out[b] = a + b;   out[i] = a % b;   out[i] = 4294967295u + b;
#pragma once

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace lockstep::fuzz {

class TokenMutator {
 public:
  TokenMutator(std::string_view text, uint32_t seed) : random_(seed) { Split(text); }

  std::string Run() {
    if (tokens_.empty()) return {};
    for (uint32_t rounds = 1 + Roll(4); rounds > 0; --rounds) Once();
    std::string text;
    for (const std::string& token : tokens_) text += token;
    return text;
  }

 private:
  enum class Kind { kName, kNumber, kOperator, kBracket, kSpace };

  static Kind KindOf(char c) {
    if (std::isspace(static_cast<unsigned char>(c)) != 0) return Kind::kSpace;
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) return Kind::kNumber;
    if (std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || (c & 0x80) != 0) return Kind::kName;
    return std::strchr("(){}[];,@.:", c) != nullptr ? Kind::kBracket : Kind::kOperator;
  }

  void Split(std::string_view text) {
    while (!text.empty()) {
      const Kind kind = KindOf(text[0]);
      size_t length = 1;
      const auto goes_on = [&](char c) {
        if (kind == Kind::kName || kind == Kind::kNumber)
          return KindOf(c) == Kind::kName || KindOf(c) == Kind::kNumber ||
                 (kind == Kind::kNumber && c == '.');
        return kind != Kind::kBracket && KindOf(c) == kind;
      };
      while (length < text.size() && goes_on(text[length])) ++length;
      tokens_.emplace_back(text.substr(0, length));
      text.remove_prefix(length);
    }
  }

  uint32_t Roll(size_t n) { return static_cast<uint32_t>(random_() % n); }

  // A token that is no space, by its number.
  size_t Pick() {
    for (int tries = 0; tries < 20; ++tries) {
      const size_t at = Roll(tokens_.size());
      if (KindOf(tokens_[at][0]) != Kind::kSpace) return at;
    }
    return Roll(tokens_.size());
  }

  // [first, last): from behind one ';' or brace to behind the next ';'.
  std::pair<size_t, size_t> Statement() {
    const auto ends = [](const std::string& t) { return t == ";" || t == "{" || t == "}"; };
    size_t first = Pick(), last = first;
    while (first > 0 && !ends(tokens_[first - 1])) --first;
    while (last < tokens_.size() && !ends(tokens_[last])) ++last;
    return {first, std::min(last + 1, tokens_.size())};
  }

  void Once() {
    if (tokens_.empty()) return;
    const uint32_t pick = Roll(10);
    if (pick < 4) return ReplaceFromText();
    if (pick < 7) return ReplaceFromList();
    const auto [first, last] = Statement();
    const std::vector<std::string> statement(tokens_.begin() + static_cast<ptrdiff_t>(first),
                                             tokens_.begin() + static_cast<ptrdiff_t>(last));
    if (pick == 7) {
      tokens_.erase(tokens_.begin() + static_cast<ptrdiff_t>(first),
                    tokens_.begin() + static_cast<ptrdiff_t>(last));
      return;
    }
    const size_t to = pick == 8 ? first : Statement().first;
    tokens_.insert(tokens_.begin() + static_cast<ptrdiff_t>(to), statement.begin(), statement.end());
  }

  void ReplaceFromText() {
    const size_t at = Pick();
    for (int tries = 0; tries < 30; ++tries) {
      const size_t other = Pick();
      if (tokens_[other] == tokens_[at] || KindOf(tokens_[other][0]) != KindOf(tokens_[at][0])) continue;
      tokens_[at] = tokens_[other];
      return;
    }
  }

  // Flat tables.
  void ReplaceFromList() {
    static constexpr const char* kNumbers[] = {
        "0",           "1",          "2",   "3",   "7",     "31u",   "32u",        "33u",
        "63",          "64",         "255", "256", "65535", "65536", "2147483647", "2147483648u",
        "4294967295u", "4294967296", "1f",  "0.5", "1e38f", "1e-45", "0x1p-126f",  "3.4028234663852886e38f",
        "0xffffffff",  "1u",         "1i",  "0i"};
    static constexpr const char* kOperators[] = {
        "+",  "-", "*",  "/",  "%",  "&",  "|",  "^",  "<<", ">>", "==", "!=", "<",  "<=", ">",   ">=", "&&",
        "||", "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "!",  "~",  "++", "--", "<<=", ">>="};
    static constexpr const char* kNames[] = {"i32",
                                             "u32",
                                             "f32",
                                             "bool",
                                             "vec2u",
                                             "vec3f",
                                             "vec4i",
                                             "mat3x3f",
                                             "mat2x4f",
                                             "true",
                                             "false",
                                             "break",
                                             "continue",
                                             "return",
                                             "if",
                                             "loop",
                                             "while",
                                             "for",
                                             "switch",
                                             "let",
                                             "var",
                                             "const",
                                             "override",
                                             "min",
                                             "max",
                                             "clamp",
                                             "select",
                                             "abs",
                                             "sign",
                                             "dot",
                                             "fma",
                                             "pow",
                                             "sin",
                                             "exp2",
                                             "floor",
                                             "modf",
                                             "frexp",
                                             "ldexp",
                                             "extractBits",
                                             "insertBits",
                                             "countOneBits",
                                             "firstLeadingBit",
                                             "pack2x16float",
                                             "unpack4x8snorm",
                                             "quantizeToF16",
                                             "transpose",
                                             "determinant",
                                             "any",
                                             "all",
                                             "array",
                                             "ptr",
                                             "atomic",
                                             "atomicAdd",
                                             "atomicMax",
                                             "atomicExchange",
                                             "atomicCompareExchangeWeak",
                                             "workgroupBarrier",
                                             "storageBarrier",
                                             "workgroupUniformLoad",
                                             "arrayLength",
                                             "bitcast",
                                             "storage",
                                             "workgroup",
                                             "private",
                                             "function",
                                             "uniform",
                                             "read",
                                             "read_write",
                                             "const_assert",
                                             "struct",
                                             "alias"};
    const size_t at = Pick();
    switch (KindOf(tokens_[at][0])) {
      case Kind::kName:
        tokens_[at] = kNames[Roll(std::size(kNames))];
        return;
      case Kind::kNumber:
        tokens_[at] = kNumbers[Roll(std::size(kNumbers))];
        return;
      case Kind::kOperator:
        tokens_[at] = kOperators[Roll(std::size(kOperators))];
        return;
      case Kind::kBracket:
      case Kind::kSpace:
        tokens_.erase(tokens_.begin() + static_cast<ptrdiff_t>(at));
        return;
    }
  }

  std::minstd_rand random_;
  std::vector<std::string> tokens_;
};

// LLVMFuzzerCustomMutator for shaders: by tokens mostly, by bytes now and then.
inline size_t MutateShader(uint8_t* data, size_t size, size_t max_size, uint32_t seed) {
  if (size == 0 || seed % 8 == 0) return LLVMFuzzerMutate(data, size, max_size);
  const std::string text =
      TokenMutator(std::string_view(reinterpret_cast<const char*>(data), size), seed / 8).Run();
  if (text.empty() || text.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, text.data(), text.size());
  return text.size();
}

}  // namespace lockstep::fuzz
