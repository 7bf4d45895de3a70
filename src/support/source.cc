// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "support/source.h"

#include <algorithm>
#include <utility>

namespace lockstep {

uint32_t LineBreakLength(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  if (byte(0) == '\r') return byte(1) == '\n' ? 2 : 1;
  if (byte(0) >= 0x0a && byte(0) <= 0x0c) return 1;
  if (byte(0) == 0xc2 && byte(1) == 0x85) return 2;
  if (byte(0) == 0xe2 && byte(1) == 0x80 && (byte(2) == 0xa8 || byte(2) == 0xa9)) return 3;
  return 0;
}

uint32_t Utf16Length(std::string_view text) {
  uint32_t units = 0;
  for (const char c : text) {
    const unsigned char byte = static_cast<unsigned char>(c);
    if ((byte & 0xc0) == 0x80) continue;  // a continuation byte
    units += byte >= 0xf0 ? 2 : 1;
  }
  return units;
}

SourceFile::SourceFile(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {
  line_starts_.push_back(0);
  for (size_t i = 0; i < text_.size();) {
    const uint32_t length = LineBreakLength(std::string_view(text_).substr(i));
    i += length == 0 ? 1 : length;
    if (length != 0) line_starts_.push_back(static_cast<uint32_t>(i));
  }
}

Position SourceFile::PositionOf(uint32_t offset) const {
  offset = std::min<uint32_t>(offset, static_cast<uint32_t>(text_.size()));
  const auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const uint32_t start = *(next - 1);
  return {static_cast<uint32_t>(next - line_starts_.begin()),
          1 + Utf16Length(text().substr(start, offset - start))};
}

std::string_view SourceFile::LineAt(uint32_t offset) const { return Text(LineSpan(PositionOf(offset).line)); }

Span SourceFile::LineSpan(uint32_t line) const {
  const uint32_t begin = line_starts_[line - 1];
  uint32_t end = begin;
  while (end < text_.size() && LineBreakLength(text().substr(end)) == 0) ++end;
  return {begin, end};
}

}  // namespace lockstep
