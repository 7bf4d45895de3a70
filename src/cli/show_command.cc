// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// lockstep show: a shader at any stage of its way, from tokens to machine code.
#include <fmt/format.h>

#include <memory>
#include <set>

#include "cli/command.h"
#include "cli/environment.h"
#include "cli/json.h"
#include "gpu/core/device.h"
#include "gpu/core/evaluated_stage.h"
#include "gpu/core/shader_module.h"
#include "ir/printer.h"
#include "ir/transform/pipeline.h"
#include "runner/description.h"
#include "runner/file_io.h"
#include "runner/scalar.h"
#include "wgsl/parser.h"

namespace lockstep::cli {
namespace {

namespace core = gpu::core;

struct ShowFlags {
  std::string file;
  std::string emit = "ir";
  std::string print_after;
  std::optional<std::string> entry;
  std::vector<std::string> overrides;
  uint32_t lanes = 0;
  bool json = false;
};

// Text on its way out, or why there is none.
struct Shown {
  std::string text;
  std::vector<diag::Diagnostic> diagnostics;
  std::optional<Failure> failure;
};

Failure DoesNotCompile(const std::string& file) {
  return {FailureKind::kProgram, fmt::format("{} does not compile", file)};
}

void Keep(const diag::Sink& sink, Shown& shown) {
  shown.diagnostics.insert(shown.diagnostics.end(), sink.diagnostics().begin(), sink.diagnostics().end());
}

void ShowSyntax(const SourceFile& source, const ShowFlags& flags, Shown& shown) {
  diag::Sink sink;
  if (flags.emit == "tokens")
    shown.text = wgsl::DumpTokens(source, sink);
  else
    shown.text = wgsl::ast::Dump(wgsl::Parse(source, sink));
  Keep(sink, shown);
  if (sink.has_errors()) shown.failure = DoesNotCompile(source.name());
}

Result<std::string> AfterPasses(const ir::Module& lowered, const std::string& wanted) {
  std::string text;
  std::set<std::string> passes;
  ir::Module module = lowered;
  ir::PipelineOptions options;
  options.after_pass = [&](std::string_view pass, const ir::Module& now) {
    passes.insert(std::string(pass));
    if (wanted == "all" || wanted == pass) text += fmt::format("// after {}\n{}", pass, ir::Print(now));
  };
  ir::RunCpuPipeline(module, options);
  if (wanted == "all" || passes.count(wanted) != 0) return text;
  return Failure{FailureKind::kUsage, fmt::format("--print-after: there is no pass '{}': expected all, {}",
                                                  wanted, fmt::join(passes, ", "))};
}

Result<std::string> FormOf(core::Device& device, const ir::Module& lowered, const ShowFlags& flags) {
  if (!flags.print_after.empty()) return AfterPasses(lowered, flags.print_after);
  if (flags.emit == "ir") return ir::Print(lowered);
  gpu::hal::PipelineOptions options;
  options.lanes = flags.lanes;
  return device.hal().Show(lowered, flags.emit, options);
}

Result<core::Constants> ConstantsOf(const wgsl::Program& program, const std::vector<std::string>& overrides) {
  core::Constants constants;
  for (const std::string& text : overrides) {
    const runner::ParsedLine line = runner::ParseOverrideFlag(text);
    if (line.error)
      return Failure{FailureKind::kUsage, fmt::format("--override '{}': {}", text, line.error->message)};
    const auto& item = std::get<runner::OverrideItem>(line.items[0].value);
    const wgsl::Variable* found = nullptr;
    for (const wgsl::VariableId id : program.overrides) {
      if (program.variables[id].name == item.name) found = &program.variables[id];
    }
    if (found == nullptr)
      return Failure{FailureKind::kUsage,
                     fmt::format("--override '{}': the shader has no override '{}'", text, item.name)};
    constants[core::OverrideKey(*found)] = runner::TextToDouble(item.value).value_or(0);
  }
  return constants;
}

// Those of all stages, or the one that is asked for.
Result<std::vector<wgsl::FunctionId>> EntriesOf(const wgsl::Program& program, const ShowFlags& flags) {
  std::vector<wgsl::FunctionId> entries;
  std::string names;
  for (uint32_t i = 0; i < program.functions.size(); ++i) {
    const wgsl::Function& function = program.functions[wgsl::FunctionId(i)];
    if (!function.is_entry_point) continue;
    names += fmt::format("{}'{}'", names.empty() ? "" : ", ", function.name);
    if (!flags.entry || function.name == *flags.entry) entries.push_back(wgsl::FunctionId(i));
  }
  if (!entries.empty()) return entries;
  if (names.empty())
    return Failure{FailureKind::kProgram, fmt::format("{}: the shader has no entry point", flags.file)};
  return Failure{FailureKind::kUsage, fmt::format("{}: the shader has no entry point '{}' (it has {})",
                                                  flags.file, *flags.entry, names)};
}

Result<> ShowEntries(core::Device& device, core::ShaderModule& module, const ShowFlags& flags, Shown& shown) {
  wgsl::Program& program = module.program();
  const Result<core::Constants> constants = ConstantsOf(program, flags.overrides);
  if (!constants.ok()) return constants.failure();
  const Result<std::vector<wgsl::FunctionId>> entries = EntriesOf(program, flags);
  if (!entries.ok()) return entries.failure();
  for (const wgsl::FunctionId entry : *entries) {
    diag::Sink sink;
    const std::optional<core::EvaluatedStage> stage =
        core::EvaluateStage(program, entry, *constants, device.limits(), sink);
    Keep(sink, shown);
    if (!stage) return DoesNotCompile(flags.file);
    Result<std::string> text = FormOf(device, core::LowerStage(program, *stage), flags);
    if (!text.ok()) return text.failure();
    shown.text += *text;
    if (!shown.text.empty() && shown.text.back() != '\n') shown.text += '\n';
  }
  return Ok();
}

Result<> ShowCompiled(const std::shared_ptr<core::Device>& device, core::ShaderModule& module,
                      const ShowFlags& flags, Shown& shown) {
  Keep(module.messages(), shown);
  if (!module.valid()) return DoesNotCompile(flags.file);
  return ShowEntries(*device, module, flags, shown);
}

int Write(const Shown& shown, const SourceFile& source, const ShowFlags& flags, Output& output) {
  const int status = shown.failure ? StatusOf(shown.failure->kind) : 0;
  std::vector<std::string> diagnostics;
  if (!flags.json) output.Write(shown.text);
  for (const diag::Diagnostic& d : shown.diagnostics) {
    diagnostics.push_back(DiagnosticJson(d, source, runner::DiagnosticStage::kModule));
    if (!flags.json && d.severity == diag::Severity::kError) output.Write(RenderText(d, source));
  }
  if (!shown.failure) {
    if (!flags.json) return 0;
    output.Line(fmt::format(R"({{"file":{},"emit":{},"text":{}}})", Quoted(flags.file), Quoted(flags.emit),
                            Quoted(shown.text)));
    return 0;
  }
  if (flags.json) output.Line(ErrorJson(status, shown.failure->message, diagnostics));
  const std::string line = fmt::format("error: {}", shown.failure->message);
  if (status != 1)
    Complain(line);
  else if (!flags.json)
    output.Line(line);
  return status;
}

int FailBefore(const Failure& failure, bool json, Output& output) {
  const int status = StatusOf(failure.kind);
  if (json) output.Line(ErrorJson(status, failure.message));
  Complain("error: " + failure.message);
  return status;
}

int Show(const ShowFlags& flags, Output& output) {
  if (flags.emit == "spirv") {
    return FailBefore(
        {FailureKind::kUsage, "--emit=spirv is not in this version of lockstep (" LOCKSTEP_VERSION ")"},
        flags.json, output);
  }
  Result<std::string> text = runner::ReadFile(flags.file, runner::kMaxShaderBytes);
  if (!text.ok()) return FailBefore(text.failure(), flags.json, output);
  Shown shown;
  if (flags.emit == "tokens" || flags.emit == "ast") {
    const SourceFile source(flags.file, std::move(*text));
    ShowSyntax(source, flags, shown);
    return Write(shown, source, flags, output);
  }
  Result<std::shared_ptr<core::Adapter>> adapter = gpu::devices::Open({}, DeviceOptions());
  if (!adapter.ok()) return FailBefore(adapter.failure(), flags.json, output);
  const std::shared_ptr<core::Device> device = (*adapter)->RequestDevice({}).device;
  const std::shared_ptr<core::ShaderModule> module =
      device->CreateShaderModule({flags.file, flags.file, std::move(*text)});
  if (Result<> done = ShowCompiled(device, *module, flags, shown); !done.ok()) shown.failure = done.failure();
  return Write(shown, module->source(), flags, output);
}

}  // namespace

void AddShow(CLI::App& app, Program& program) {
  CLI::App* show =
      app.add_subcommand("show", "Print what becomes of a shader: tokens, ast, ir, lanes, llvm, asm");
  const auto flags = std::make_shared<ShowFlags>();
  show->add_option("FILE", flags->file, "The shader")->required()->type_name("");
  OneOf(show->add_option("--emit", flags->emit, "tokens, ast, ir (the default), lanes, llvm, asm or spirv"),
        {"tokens", "ast", "ir", "lanes", "llvm", "asm", "spirv"})
      ->type_name("FORM");
  show->add_option("--print-after", flags->print_after, "The IR after this pass, or after all of them")
      ->type_name("PASS");
  show->add_option("--entry", flags->entry, "Only this entry point")->type_name("NAME");
  AddRepeatable(*show, "--override", flags->overrides, "Set an override")->type_name("NAME=VALUE");
  AddLanes(*show, flags->lanes);
  show->add_flag("--json", flags->json, "One JSON document instead of text");
  show->footer(
      "Examples:\n"
      "  lockstep show sum.wgsl --emit=ast\n"
      "  lockstep show sum.wgsl --emit=ir --print-after all\n"
      "  lockstep show sum.wgsl --emit=asm --entry main --lanes 16");
  show->callback([flags, &program] {
    program.json = flags->json;
    program.action = [flags](Output& output) { return Show(*flags, output); };
  });
}

}  // namespace lockstep::cli
