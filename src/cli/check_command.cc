// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// lockstep check: the front end, then pipeline creation for every compute entry point, without a device.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "cli/command.h"
#include "cli/json.h"
#include "gpu/core/features.h"
#include "runner/check.h"
#include "runner/file_io.h"
#include "runner/scalar.h"

namespace lockstep::cli {
namespace {

using runner::Checked;
using runner::CheckOptions;
using runner::DiagnosticStage;

constexpr uint64_t kMaxListBytes = uint64_t{64} << 20;

struct CheckFlags {
  std::vector<std::string> files;
  std::string files_from;
  std::string features;
  std::string overrides;
  bool module_only = false;
  bool json = false;
};

std::string JsonLine(const SourceFile& file, const Checked& checked) {
  std::vector<std::string> diagnostics;
  for (const diag::Diagnostic& d : checked.module.diagnostics())
    diagnostics.push_back(DiagnosticJson(d, file, DiagnosticStage::kModule));
  for (const diag::Diagnostic& d : checked.pipeline)
    diagnostics.push_back(DiagnosticJson(d, file, DiagnosticStage::kPipeline));
  return fmt::format(R"({{"file":{},"ok":{},"diagnostics":[{}]}})", Quoted(file.name()), checked.ok(),
                     fmt::join(diagnostics, ","));
}

void WriteText(const SourceFile& file, const Checked& checked, Output& output) {
  output.Write(RenderText(checked.module, file));
  for (const diag::Diagnostic& d : checked.pipeline) output.Write(RenderText(d, file));
}

Result<CheckOptions> MakeOptions(const CheckFlags& flags) {
  CheckOptions options;
  options.module_only = flags.module_only;
  if (flags.features == "all")
    options.features.assign(gpu::core::kFeatureNames.begin(), gpu::core::kFeatureNames.end());
  else
    options.features = SplitList(flags.features);
  for (const std::string& feature : options.features) {
    if (!gpu::core::IsFeatureName(feature))
      return Failure{FailureKind::kUsage, fmt::format("--features: WebGPU has no feature '{}'", feature)};
  }
  for (const std::string& item : SplitList(flags.overrides)) {
    const size_t equals = item.find('=');
    const std::optional<double> value =
        equals == std::string::npos ? std::nullopt : runner::TextToDouble(item.substr(equals + 1));
    if (!value || equals == 0)
      return Failure{FailureKind::kUsage,
                     fmt::format("--overrides '{}': expected NAME=VALUE with a number as VALUE", item)};
    options.overrides[item.substr(0, equals)] = *value;
  }
  return options;
}

Result<std::vector<std::string>> AllFiles(const CheckFlags& flags) {
  std::vector<std::string> files = flags.files;
  if (!flags.files_from.empty()) {
    const Result<std::string> list =
        runner::ReadFile(flags.files_from == "-" ? "/dev/stdin" : flags.files_from, kMaxListBytes);
    if (!list.ok())
      return Failure{FailureKind::kUsage, fmt::format("--files-from: {}", list.failure().message)};
    size_t start = 0;
    while (start < list->size()) {
      const size_t end = std::min(list->find('\n', start), list->size());
      std::string line = list->substr(start, end - start);
      if (!line.empty() && line.back() == '\r') line.pop_back();
      if (!line.empty()) files.push_back(std::move(line));
      start = end + 1;
    }
  }
  if (files.empty()) return Failure{FailureKind::kUsage, "no file is named: lockstep check FILE..."};
  return files;
}

int Fail(const Failure& failure, bool json, Output& output) {
  const int status = StatusOf(failure.kind);
  if (json) output.Line(ErrorJson(status, failure.message));
  Complain(fmt::format("error: {}", failure.message));
  return status;
}

int CheckOne(const std::string& name, const CheckOptions& options, bool json, std::set<std::string>& used,
             Output& output) {
  Result<std::string> text = runner::ReadFile(name, runner::kMaxShaderBytes);
  if (!text.ok()) {
    const int status = StatusOf(text.failure().kind);
    if (json)
      output.Line(ErrorJson(status, text.failure().message, {},
                            fmt::format(R"("file":{},"ok":false,"diagnostics":[],)", Quoted(name))));
    Complain(fmt::format("error: {}", text.failure().message));
    return status;
  }
  const SourceFile file(name, std::move(*text));
  const Checked checked = runner::CheckShader(file, options);
  used.insert(checked.overrides_used.begin(), checked.overrides_used.end());
  if (json)
    output.Line(JsonLine(file, checked));
  else
    WriteText(file, checked, output);
  return checked.ok() ? 0 : 1;
}

int CheckAll(const CheckFlags& flags, Output& output) {
  const Result<CheckOptions> options = MakeOptions(flags);
  if (!options.ok()) return Fail(options.failure(), flags.json, output);
  const Result<std::vector<std::string>> files = AllFiles(flags);
  if (!files.ok()) return Fail(files.failure(), flags.json, output);
  int status = 0;
  std::set<std::string> used;
  for (const std::string& name : *files)
    status = std::max(status, CheckOne(name, *options, flags.json, used, output));
  if (flags.module_only || status != 0) return status;
  for (const auto& [name, value] : options->overrides) {
    if (used.count(name) == 0)
      Complain(fmt::format("warning: --overrides: no shader has an override '{}'", name));
  }
  return status;
}

}  // namespace

void AddCheck(CLI::App& app, Program& program) {
  CLI::App* check =
      app.add_subcommand("check", "Compile shaders and make every pipeline, and say what is wrong");
  const auto flags = std::make_shared<CheckFlags>();
  check->add_option("FILE", flags->files, "The shaders")->type_name("");
  check
      ->add_option("--files-from", flags->files_from,
                   "A file that names a shader a line; - is standard input")
      ->type_name("LIST");
  check
      ->add_option("--features", flags->features, "WebGPU features that are there: all, or names with commas")
      ->type_name("LIST");
  check->add_option("--overrides", flags->overrides, "Values of overrides")->type_name("NAME=VALUE,...");
  check->add_flag("--module-only", flags->module_only, "Leave pipelines out");
  check->add_flag("--json", flags->json, "One JSON document a line, one a file");
  check->footer(
      "Examples:\n"
      "  lockstep check blur.wgsl\n"
      "  lockstep check shaders/*.wgsl --json\n"
      "  lockstep check tile.wgsl --overrides TILE=32,DEPTH=4\n"
      "  git ls-files '*.wgsl' | lockstep check --files-from -");
  check->callback([flags, &program] {
    program.json = flags->json;
    program.action = [flags](Output& output) { return CheckAll(*flags, output); };
  });
}

}  // namespace lockstep::cli
