// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Any bytes as a shader: the front end must refuse or accept them, and whatever it accepts must evaluate its
// overrides, lower and verify.
#include <cstdint>
#include <string>

#include "diag/diagnostic.h"
#include "ir/verifier.h"
#include "lower/lower.h"
#include "support/check.h"
#include "support/source.h"
#include "token_mutator.h"
#include "wgsl/program.h"

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed) {
  return lockstep::fuzz::MutateShader(data, size, max_size, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep;
  if (size > 1 << 16) return 0;
  const SourceFile file("fuzz.wgsl", std::string(reinterpret_cast<const char*>(data), size));
  diag::Sink sink;
  std::optional<wgsl::Program> program = wgsl::Compile(file, {}, sink);
  CHECK(program.has_value() != sink.has_errors());
  diag::RenderText(sink, file);
  if (!program) return 0;
  for (uint32_t i = 0; i < program->functions.size(); ++i) {
    const wgsl::FunctionId id(i);
    if (!program->functions[id].is_entry_point) continue;
    diag::Sink pipeline_sink;
    const auto overrides = wgsl::EvaluateOverrides(*program, id, {}, pipeline_sink);
    if (!overrides) continue;
    const ir::Module module = lower::Lower(*program, id, *overrides);
    const std::string wrong = ir::Verify(module);
    if (!wrong.empty()) InternalError(__FILE__, __LINE__, wrong);
  }
  return 0;
}
