// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "diag/diagnostic.h"

#include <algorithm>

namespace lockstep::diag {
namespace {

// Source lines are shown whole up to this many bytes; longer ones (minified shaders) are cut around the
// place.
constexpr uint32_t kMaxShownLine = 160;

uint32_t AlignDown(std::string_view text, uint32_t i) {
  while (i > 0 && i < text.size() && (static_cast<unsigned char>(text[i]) & 0xc0) == 0x80) --i;
  return i;
}

// Replaces what would move a terminal's cursor, so that a hostile shader cannot rewrite the report.
std::string Printable(std::string_view text) {
  std::string out;
  for (const char c : text) out += (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f ? '?' : c;
  return out;
}

std::string RenderPlace(const SourceFile& file, Span span, std::string_view label, std::string_view message) {
  const Position at = file.PositionOf(span.begin);
  const Span line = file.LineSpan(at.line);
  const std::string_view text = file.Text(line);
  const uint32_t offset = std::min<uint32_t>(span.begin - line.begin, static_cast<uint32_t>(text.size()));
  uint32_t from = 0;
  if (text.size() > kMaxShownLine && offset > kMaxShownLine / 2)
    from = AlignDown(text, offset - kMaxShownLine / 2);
  const uint32_t to =
      AlignDown(text, std::min<uint32_t>(from + kMaxShownLine, static_cast<uint32_t>(text.size())));
  const uint32_t last = std::clamp(span.end, span.begin + 1, std::max(line.begin + to, span.begin + 1));

  std::string pad;
  for (const char c : text.substr(from, offset - from)) {
    if (c == '\t')
      pad += '\t';
    else if ((static_cast<unsigned char>(c) & 0xc0) != 0x80)
      pad += ' ';
  }
  const std::string_view marked = file.text().substr(span.begin, last - span.begin);
  const auto code_points =
      std::count_if(marked.begin(), marked.end(), [](char c) { return (c & 0xc0) != 0x80; });
  const std::string tildes(code_points > 1 ? static_cast<size_t>(code_points - 1) : 0, '~');
  return fmt::format("{}:{}:{}: {}: {}\n  {}\n  {}^{}\n", file.name(), at.line, at.column, label, message,
                     Printable(text.substr(from, to - from)), pad, tildes);
}

}  // namespace

std::string_view SeverityName(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "error";
    case Severity::kWarning:
      return "warning";
    case Severity::kInfo:
      return "info";
  }
  UNREACHABLE("severity");
}

Sink::Builder& Sink::Builder::AddNote(Span span, std::string message) {
  if (index_ < sink_->diagnostics_.size())
    sink_->diagnostics_[index_].notes.push_back({span, std::move(message)});
  return *this;
}

Sink::Builder Sink::Add(const Kind& kind, Severity severity, Span span, std::string message) {
  if (severity == Severity::kError && ++error_count_ > kMaxErrors) return Builder(this, diagnostics_.size());
  diagnostics_.push_back({&kind, severity, span, std::move(message), {}});
  return Builder(this, diagnostics_.size() - 1);
}

std::string RenderText(const Diagnostic& diagnostic, const SourceFile& file) {
  std::string out = RenderPlace(file, diagnostic.span, SeverityName(diagnostic.severity), diagnostic.message);
  for (const Note& note : diagnostic.notes) out += RenderPlace(file, note.span, "note", note.message);
  return out;
}

std::string RenderText(const Sink& sink, const SourceFile& file) {
  std::string out;
  for (const Diagnostic& diagnostic : sink.diagnostics()) out += RenderText(diagnostic, file);
  if (sink.error_count() > Sink::kMaxErrors) {
    out += fmt::format("{}: {} more errors not shown\n", file.name(), sink.error_count() - Sink::kMaxErrors);
  }
  return out;
}

}  // namespace lockstep::diag
