// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Broken shaders give diagnostics, never a crash: whatever the text, Compile and EvaluateOverrides return,
// and either there is a result or an error whose place lies in the source.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "wgsl/mutation_test_util.h"
#include "wgsl/program.h"

namespace lockstep::wgsl {
namespace {

void CheckDiagnostics(const diag::Sink& sink, const SourceFile& file, bool has_result) {
  ASSERT_EQ(has_result, !sink.has_errors()) << file.text();
  for (const diag::Diagnostic& d : sink.diagnostics()) {
    ASSERT_LE(d.span.begin, d.span.end) << d.message;
    ASSERT_LE(d.span.end, file.text().size()) << d.message;
    ASSERT_FALSE(diag::RenderText(d, file).empty());
  }
}

// True where it compiled.
bool Try(const std::string& text, const std::map<std::string, double>& given) {
  const SourceFile file("broken.wgsl", text);
  diag::Sink sink;
  std::optional<Program> program = Compile(file, {}, sink);
  CheckDiagnostics(sink, file, program.has_value());
  if (!program) return false;
  for (uint32_t i = 0; i < program->functions.size(); ++i) {
    if (!program->functions[FunctionId(i)].is_entry_point) continue;
    diag::Sink pipeline_sink;
    const bool ok = EvaluateOverrides(*program, FunctionId(i), given, pipeline_sink).has_value();
    CheckDiagnostics(pipeline_sink, file, ok);
  }
  return true;
}

std::vector<std::string> Corpus() {
  std::vector<std::string> texts(std::begin(kShaderCorpus), std::end(kShaderCorpus));
  for (const char* name :
       {"append_indirect", "blur_halo", "float_atomics", "matmul_tiled", "reduce_and_scan"}) {
    std::ifstream in(std::string(LOCKSTEP_SOURCE_DIR "/examples/") + name + ".wgsl");
    if (in) texts.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return texts;
}

TEST(BrokenShaders, TheCorpusItselfIsValid) {
  for (const char* text : kShaderCorpus) {
    const SourceFile file("corpus.wgsl", text);
    diag::Sink sink;
    EXPECT_TRUE(Compile(file, {}, sink).has_value()) << diag::RenderText(sink, file);
  }
}

TEST(BrokenShaders, CutOff) {
  for (const std::string& text : Corpus()) {
    for (size_t size = 0; size < text.size(); size += 7) Try(text.substr(0, size), {});
  }
}

TEST(BrokenShaders, Mutated) {
  const std::vector<std::string> corpus = Corpus();
  Mutator mutator(1);
  for (const std::string& text : corpus) mutator.Learn(text);
  int compiled = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::map<std::string, double> given =
        i % 2 == 0 ? std::map<std::string, double>{}
                   : std::map<std::string, double>{{"n", i % 7 - 1}, {"3", 1e30}};
    compiled += Try(mutator.Mutate(corpus[i % corpus.size()]), given);
  }
  EXPECT_GT(compiled, 100);  // otherwise they are all so broken that later stages see nothing
}

}  // namespace
}  // namespace lockstep::wgsl
