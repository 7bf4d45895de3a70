// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// What the dispatches and render passes of a whole application do wrong, where its device watches them
// (docs/races.md).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>

#include "diag/diagnostic.h"
#include "observe/findings.h"

namespace lockstep::gpu::core {

struct Finding {
  std::string kind;      // of its pipeline: "render pipeline"
  std::string pipeline;  // its label
  std::string text;      // with places in the shader, as `lockstep race` writes it
  diag::Diagnostic diagnostic;
  std::variant<observe::Race, observe::OutOfBounds> what;
};
// Findings of a pipeline that have the same one are the same finding.
struct FindingKey {
  const SourceFile *first_file, *second_file;
  Span first, second;
  abi::AccessKind first_kind, second_kind;
  friend bool operator==(const FindingKey&, const FindingKey&) = default;
};
using FindingSink = std::function<void(const Finding&)>;

}  // namespace lockstep::gpu::core
