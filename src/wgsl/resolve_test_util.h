// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// For the resolver's tests: small programs, each with the errors that it must give.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <optional>
#include <string>

#include "wgsl/parser.h"
#include "wgsl/program.h"

namespace lockstep::wgsl {

// The errors of a program as "LINE:COLUMN: MESSAGE", joined by "; ". Parsed and resolved, no uniformity or
// aliasing.
inline std::string ErrorsOf(const std::string& source, const CompileOptions& options = {}) {
  const SourceFile file("test.wgsl", source);
  diag::Sink sink;
  ast::Module module = Parse(file, sink);
  if (!sink.has_errors()) Resolve(file, std::move(module), options, sink);
  std::string out;
  for (const diag::Diagnostic& diagnostic : sink.diagnostics()) {
    if (diagnostic.severity != diag::Severity::kError) continue;
    const Position at = file.PositionOf(diagnostic.span.begin);
    out += (out.empty() ? "" : "; ") + std::to_string(at.line) + ":" + std::to_string(at.column) + ": " +
           diagnostic.message;
  }
  return out;
}

struct Rejected {
  const char* source;
  const char* errors;
};

inline void ExpectAccepted(std::initializer_list<const char*> sources) {
  for (const char* source : sources) EXPECT_EQ(ErrorsOf(source), "") << source;
}

inline void ExpectRejected(std::initializer_list<Rejected> cases) {
  for (const Rejected& c : cases) EXPECT_EQ(ErrorsOf(c.source), c.errors) << c.source;
}

// Statements stand in a function with parameters of every kind and some module-scope things around; their
// first line is line 1.
inline constexpr const char* kPrelude =
    "struct S { a: i32, b: vec3f, c: array<f32, 4> } "
    "struct R { n: u32, tail: array<vec4f> } "
    "@group(0) @binding(0) var<storage, read_write> rw: R; "
    "@group(0) @binding(1) var<storage> ro: R; "
    "@group(0) @binding(2) var<uniform> un: S; "
    "@group(0) @binding(3) var<storage, read_write> cnt: array<atomic<u32>>; "
    "var<workgroup> wg: array<u32, 16>; "
    "var<workgroup> wa: atomic<i32>; "
    "var<private> pv: S; "
    "override ov: u32 = 4; "
    "fn id(x: i32) -> i32 { return x; } "
    "fn nothing() { } "
    "@must_use fn must() -> i32 { return 1; } "
    "fn viaptr(p: ptr<function, i32>) { } "
    "fn body(i: i32, u: u32, f: f32, b: bool, v: vec3f, m: mat3x2f) { ";

inline std::string BodyErrors(const char* statements) {
  std::string errors = ErrorsOf(std::string(kPrelude) + "\n" + statements + "\n}");
  for (size_t at = 0; (at = errors.find("2:", at)) != std::string::npos; at += 2) {
    if (at == 0 || errors.compare(at - 2, 2, "; ") == 0) errors[at] = '1';
  }
  return errors;
}

inline void ExpectBodiesAccepted(std::initializer_list<const char*> sources) {
  for (const char* source : sources) EXPECT_EQ(BodyErrors(source), "") << source;
}

inline void ExpectBodiesRejected(std::initializer_list<Rejected> cases) {
  for (const Rejected& c : cases) EXPECT_EQ(BodyErrors(c.source), c.errors) << c.source;
}

// A program that compiles, with its file.
struct Resolved {
  explicit Resolved(const std::string& source) : file("test.wgsl", source) {
    ast::Module module = Parse(file, sink);
    if (!sink.has_errors()) program = Resolve(file, std::move(module), {}, sink);
    EXPECT_TRUE(program.has_value()) << diag::RenderText(sink, file);
  }
  const Variable& variable(std::string_view name) const {
    for (const Variable& v : program->variables) {
      if (v.name == name) return v;
    }
    ADD_FAILURE() << "no variable " << name;
    return *program->variables.begin();
  }
  // The type of a named value or variable, as text.
  std::string type(std::string_view name) const { return program->types.ToString(variable(name).type); }
  // The value of a const, as text.
  std::string value(std::string_view name) const {
    const ConstantId id = variable(name).value;
    return id.has_value() ? ToString(program->types, program->constants, id) : "none";
  }
  const Function& function(std::string_view name) const {
    for (const Function& f : program->functions) {
      if (f.name == name) return f;
    }
    ADD_FAILURE() << "no function " << name;
    return *program->functions.begin();
  }

  SourceFile file;
  diag::Sink sink;
  std::optional<Program> program;
};

}  // namespace lockstep::wgsl
