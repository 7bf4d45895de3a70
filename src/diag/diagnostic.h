// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Diagnostics: what is wrong with the program under test. They are declared, not improvised: a room lists its
// kinds in a .def file (see wgsl/defs/diagnostics.def for the row's form), each with severity and format, and
// reports by
//     sink.Emit(kUnresolvedName, span, name).Note(other_span, "declared here");
//
// Wording, for the whole repository: lower-case, present tense, one sentence, no full stop; point at the
// source instead of quoting it; notes for second places; name what the user wrote and not what it desugared
// to.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "support/check.h"
#include "support/source.h"

namespace lockstep::diag {

enum class Severity : uint8_t { kError, kWarning, kInfo };

std::string_view SeverityName(Severity severity);  // "error", "warning", "info"

// A declared kind of diagnostic. Kinds are constants with static storage.
struct Kind {
  std::string_view name;  // CamelCase, unique in its room
  Severity severity;
  std::string_view format;  // fmt syntax, positional arguments
  std::string_view rule;    // name of the WGSL diagnostic rule that triggers it, empty for most
};

struct Note {
  Span span;
  std::string message;
};

struct Diagnostic {
  const Kind* kind = nullptr;
  Severity severity = Severity::kError;  // differs from kind->severity where a diagnostic filter says so
  Span span;
  std::string message;
  std::vector<Note> notes;
};

// Collects diagnostics in the order of their discovery. Past kMaxErrors errors it only counts.
class Sink {
 public:
  static constexpr size_t kMaxErrors = 64;

  // Lets a report grow notes: `sink.Emit(...).Note(span, "declared here")`. Short-lived; do not keep.
  class Builder {
   public:
    Builder(Sink* sink, size_t index) : sink_(sink), index_(index) {}
    template <typename... Args>
    Builder& Note(Span span, fmt::format_string<Args...> format, Args&&... args) {
      return AddNote(span, fmt::format(format, std::forward<Args>(args)...));
    }
    Builder& AddNote(Span span, std::string message);

   private:
    Sink* sink_;
    size_t index_;
  };

  template <typename... Args>
  Builder Emit(const Kind& kind, Span span, const Args&... args) {
    return Add(kind, kind.severity, span, fmt::vformat(kind.format, fmt::make_format_args(args...)));
  }
  // With another severity than the kind's own (a diagnostic filter decided).
  template <typename... Args>
  Builder EmitAs(Severity severity, const Kind& kind, Span span, const Args&... args) {
    return Add(kind, severity, span, fmt::vformat(kind.format, fmt::make_format_args(args...)));
  }

  bool has_errors() const { return error_count_ != 0; }
  size_t error_count() const { return error_count_; }
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  Builder Add(const Kind& kind, Severity severity, Span span, std::string message);

  std::vector<Diagnostic> diagnostics_;
  size_t error_count_ = 0;
};

// Renders one diagnostic as
//     file:line:col: error: message
//       the source line
//           ^~~~
// and its notes in the same form. Long lines are cut around the place; tabs are kept so that the caret fits.
std::string RenderText(const Diagnostic& diagnostic, const SourceFile& file);
std::string RenderText(const Sink& sink, const SourceFile& file);

}  // namespace lockstep::diag
