// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// A place in a short text and the few ways to move on: what the parsers of descriptions and types share.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace lockstep::runner {

inline bool IsSpace(char c) { return c == ' ' || c == '\t'; }
inline bool IsDecimalDigit(char c) { return c >= '0' && c <= '9'; }
// Bytes past ASCII may belong to WGSL's Unicode identifiers; whether they do is decided by looking the name
// up.
inline bool IsNameStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         (static_cast<unsigned char>(c) & 0x80) != 0;
}
inline bool IsNamePart(char c) { return IsNameStart(c) || IsDecimalDigit(c); }

inline std::string_view Trim(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

class Cursor {
 public:
  explicit Cursor(std::string_view text, size_t at = 0) : text_(text), at_(at) {}

  size_t at() const { return at_; }
  void set_at(size_t at) { at_ = at; }
  bool done() const { return at_ >= text_.size(); }
  char peek() const { return done() ? '\0' : text_[at_]; }
  std::string_view rest() const { return text_.substr(at_); }

  void SkipSpaces() {
    while (!done() && IsSpace(text_[at_])) ++at_;
  }
  // Spaces, then `c`.
  bool Eat(char c) {
    const size_t start = at_;
    SkipSpaces();
    if (peek() == c) {
      ++at_;
      return true;
    }
    at_ = start;
    return false;
  }
  // Spaces, then an identifier; empty where there is none.
  std::string_view Identifier() {
    const size_t start = at_;
    SkipSpaces();
    const size_t first = at_;
    if (done() || !IsNameStart(text_[at_])) {
      at_ = start;
      return {};
    }
    while (!done() && IsNamePart(text_[at_])) ++at_;
    return text_.substr(first, at_ - first);
  }
  // Spaces, then exactly the identifier `word`.
  bool Word(std::string_view word) {
    const size_t start = at_;
    if (Identifier() == word) return true;
    at_ = start;
    return false;
  }
  // Spaces, then decimal digits; saturates at UINT64_MAX.
  std::optional<uint64_t> Digits() {
    const size_t start = at_;
    SkipSpaces();
    const size_t first = at_;
    while (!done() && IsDecimalDigit(text_[at_])) ++at_;
    if (at_ == first) {
      at_ = start;
      return std::nullopt;
    }
    uint64_t value = 0;
    if (std::from_chars(text_.data() + first, text_.data() + at_, value).ec != std::errc())
      value = UINT64_MAX;
    return value;
  }
  // Spaces, then everything up to a space or one of `stops`.
  std::string_view Until(std::string_view stops) {
    SkipSpaces();
    const size_t first = at_;
    while (!done() && !IsSpace(text_[at_]) && stops.find(text_[at_]) == std::string_view::npos) ++at_;
    return text_.substr(first, at_ - first);
  }

 private:
  std::string_view text_;
  size_t at_;
};

}  // namespace lockstep::runner
