// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Source text and places in it. Inside the compiler a place is a Span of byte offsets; people and tools see
// lines and columns from 1, where a line ends as WGSL says (#line-breaks: LF, VT, FF, CR, CRLF, NEL, LS, PS)
// and columns count UTF-16 code units, as GPUCompilationMessage does. Ends are exclusive.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

struct Span {
  uint32_t begin = 0;  // byte offset of the first byte
  uint32_t end = 0;    // byte offset past the last one
  friend bool operator==(const Span&, const Span&) = default;
};

struct Position {
  uint32_t line = 1;    // from 1
  uint32_t column = 1;  // from 1, in UTF-16 units
  friend bool operator==(const Position&, const Position&) = default;
};

class SourceFile {
 public:
  SourceFile(std::string name, std::string text);

  const std::string& name() const { return name_; }  // as the user typed it
  std::string_view text() const { return text_; }
  std::string_view Text(Span span) const { return text().substr(span.begin, span.end - span.begin); }

  Position PositionOf(uint32_t offset) const;
  // The whole line that holds `offset`, without its line break.
  std::string_view LineAt(uint32_t offset) const;
  uint32_t line_count() const { return static_cast<uint32_t>(line_starts_.size()); }
  Span LineSpan(uint32_t line) const;  // `line` from 1, without its line break

 private:
  std::string name_;
  std::string text_;
  std::vector<uint32_t> line_starts_;  // byte offset of each line's first byte
};

// The length in bytes of the line break at the start of `text`, 0 where there is none (WGSL: #line-breaks).
uint32_t LineBreakLength(std::string_view text);
// How many UTF-16 code units `text` (UTF-8; an ill-formed byte counts one) takes.
uint32_t Utf16Length(std::string_view text);

}  // namespace lockstep
