// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/run_options.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "cli/command.h"
#include "cli/environment.h"
#include "cli/json.h"

namespace lockstep::cli {

using runner::RunReport;

namespace {

std::string ExpectText(const runner::ExpectResult& result, uint64_t total) {
  const runner::Difference& d = *result.difference;
  const std::string got = d.got.empty() ? "nothing left" : d.got;
  return fmt::format("expect {}: {} of {} values differ, the first at {}: got {}, want {}{}", result.name,
                     d.count, total, d.index, got, d.want,
                     result.repeat > 1 ? fmt::format(" (repeat {})", result.repeat) : "");
}

void AddDescriptionOptions(CLI::App& run, runner::RunRequest& request) {
  AddRepeatable(run, "--buffer", request.flags.buffers, "Describe a buffer: 'NAME: COUNT x TYPE = INIT'")
      ->type_name("'...'");
  AddRepeatable(run, "--dispatch", request.flags.dispatches,
                "Dispatch workgroups: '16', '8 x 8 entry NAME', 'indirect NAME'")
      ->type_name("'...'");
  AddRepeatable(run, "--expect", request.flags.expects,
                "Check a buffer in the end: 'NAME: 1, 2, ... within 1%'")
      ->type_name("'...'");
  run.add_option("--entry", request.flags.entry, "Entry point of dispatches that name none")
      ->type_name("NAME");
  AddRepeatable(run, "--override", request.flags.overrides, "Set an override")->type_name("NAME=VALUE");
  AddRepeatable(run, "--save", request.saves, "Save a buffer to a .npy, .bin, .csv or .json file")
      ->type_name("NAME=FILE");
}

void AddEngineOptions(CLI::App& run, RunFlags& flags) {
  runner::RunRequest& request = flags.request;
  run.add_option("--device", request.device, "cpu (the default), vulkan or vulkan:N")->type_name("NAME");
  WholeNumber(run.add_option("--threads", request.threads, "Threads of the CPU device (all)"), 1, 1024)
      ->type_name("N");
  AddLanes(run, request.lanes);
  WholeNumber(
      run.add_option("--shuffle", request.shuffle, "Run workgroups in the order that this seed gives"), 0,
      UINT64_MAX)
      ->type_name("SEED");
  WholeNumber(run.add_option("--weak-failures", request.weak_failures,
                             "Let atomicCompareExchangeWeak fail spuriously, by this seed"),
              0, UINT32_MAX)
      ->type_name("SEED");
  Number(run.add_option("--time-limit", request.time_limit, "Stop after so many seconds (60)"), 0.001, 1e9)
      ->type_name("SECONDS");
  OneOf(run.add_option("--limits", flags.limits,
                       "default: WebGPU's (the default); max: the most that the device can do"),
        {"default", "max"})
      ->type_name("WHICH");
  run.add_option("--features", flags.features, "WebGPU features to ask for, with commas")->type_name("LIST");
  run.add_flag("--no-cache", flags.no_cache, "Neither read nor write compiled kernels on disk");
}

// Errors of the program under test are results; those of the call and of the surroundings are not.
int WriteFailure(const Failure& failure, const std::vector<std::string>& diagnostics, bool json,
                 Output& output) {
  const int status = StatusOf(failure.kind);
  if (json) output.Line(ErrorJson(status, failure.message, diagnostics));
  const std::string line = status == 130 ? failure.message : fmt::format("error: {}", failure.message);
  if (status != 1)
    Complain(line);
  else if (!json)
    output.Line(line);
  return status;
}

}  // namespace

std::string ExpectJson(const runner::ExpectResult& result) {
  if (result.ok())
    return fmt::format(R"({{"name":{},"ok":true,"first_difference":null}})", Quoted(result.name));
  const runner::Difference& d = *result.difference;
  return fmt::format(R"({{"name":{},"ok":false,"first_difference":{{"index":{},"got":{},"want":{}}}}})",
                     Quoted(result.name), d.index, d.got_json.empty() ? "null" : d.got_json, d.want_json);
}

void WriteExpectations(const RunReport& report, Output& output) {
  for (const runner::ExpectResult& result : report.expects) {
    if (result.ok()) continue;
    const auto buffer = std::find_if(report.buffers.begin(), report.buffers.end(),
                                     [&](const runner::OutputBuffer& b) { return b.name == result.name; });
    output.Line(ExpectText(result, buffer->layout.scalars));
  }
}

std::string Trimmed(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

int WriteFailure(const RunReport& report, bool json, Output& output) {
  std::vector<std::string> diagnostics;
  const std::vector<runner::StagedDiagnostic> none;  // a call at fault comes to no session
  for (const runner::StagedDiagnostic& d : report.session ? report.session->diagnostics() : none) {
    const SourceFile& source = *report.session->source();
    const std::string text = Trimmed(RenderText(d.diagnostic, source));
    diagnostics.push_back(DiagnosticJson(d.diagnostic, source, d.stage));
    if (d.diagnostic.severity != diag::Severity::kError)
      Complain(text);
    else if (!json)
      output.Line(text);
  }
  return WriteFailure(*report.failure, diagnostics, json, output);
}

void WriteWarnings(const RunReport& report) {
  for (const runner::StagedDiagnostic& d : report.session->diagnostics()) {
    Complain(Trimmed(RenderText(d.diagnostic, *report.session->source())));
  }
  for (const std::string& warning : report.warnings) Complain(fmt::format("warning: {}", warning));
}

RunReport Execute(RunFlags& flags) {
  flags.request.max_limits = flags.limits == "max";
  flags.request.cache = !flags.no_cache;
  flags.request.features = SplitList(flags.features);
  gpu::devices::Options devices = DeviceOptions();
  if (flags.interpret) devices.cpu.engine = gpu::cpu::Engine::kInterpreter;
  const auto abandon = [&](const Failure& why) {
    Output output;
    const int status = WriteFailure(why, {}, flags.json, output);
    output.Flush();
    _exit(status);
  };
  return runner::Run(flags.request, devices, InterruptFlag(), abandon);
}

void AddRunOptions(CLI::App& run, RunFlags& flags) {
  run.add_option("FILE", flags.request.file, "The shader")->required()->type_name("");
  AddDescriptionOptions(run, flags.request);
  AddEngineOptions(run, flags);
  run.add_flag("--json", flags.json, "One JSON document instead of text");
  run.add_flag("--interpret", flags.interpret, "Run in the reference interpreter")->group("");
}

}  // namespace lockstep::cli
