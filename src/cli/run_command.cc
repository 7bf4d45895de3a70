// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// lockstep run: flags in, a report out, as text or JSON.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "cli/command.h"
#include "cli/environment.h"
#include "cli/json.h"
#include "runner/run.h"

namespace lockstep::cli {
namespace {

using runner::NumberStyle;
using runner::OutputBuffer;
using runner::RunReport;

// More scalars than this are cut in text, to the first and the last of them.
constexpr uint64_t kMaxShown = 64, kFirstShown = 16, kLastShown = 4;

struct RunFlags {
  runner::RunRequest request;
  std::string features;
  std::string limits = "default";
  bool all = false;
  bool json = false;
  bool no_cache = false;
  bool interpret = false;
};

runner::Scalar ScalarAt(const OutputBuffer& buffer, uint64_t index) {
  const runner::ScalarPlace place = PlaceOf(buffer.layout, index);
  runner::Scalar scalar{place.kind, 0};
  std::memcpy(&scalar.bits, buffer.memory.data() + place.offset, ScalarBytes(place.kind));
  return scalar;
}

void WriteBufferText(const OutputBuffer& buffer, bool all, Output& output) {
  const uint64_t count = buffer.layout.scalars;
  const bool cut = count > kMaxShown && !all;
  std::string line = buffer.name + ":";
  for (uint64_t i = 0; i < count; ++i) {
    if (cut && i == kFirstShown) {
      line += ", ...";
      i = count - kLastShown;
    }
    line += i == 0 ? " " : ", ";
    AppendScalar(line, ScalarAt(buffer, i), NumberStyle::kText);
    if (line.size() < 4096) continue;
    output.Write(line);
    line.clear();
  }
  if (cut) line += fmt::format(" ({} values)", count);
  output.Line(line);
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::string ExpectText(const runner::ExpectResult& result, uint64_t total) {
  const runner::Difference& d = *result.difference;
  const std::string got = d.got.empty() ? "nothing left" : d.got;
  return fmt::format("expect {}: {} of {} values differ, the first at {}: got {}, want {}{}", result.name,
                     d.count, total, d.index, got, d.want,
                     result.repeat > 1 ? fmt::format(" (repeat {})", result.repeat) : "");
}

void WriteText(const RunReport& report, bool all, Output& output) {
  for (const OutputBuffer& buffer : report.buffers) {
    if (buffer.writable) WriteBufferText(buffer, all, output);
  }
  output.Line(fmt::format("{}: {} (median of {})", report.device_kind,
                          runner::FormatSeconds(Median(report.times_ms) / 1e3), report.times_ms.size()));
  if (!report.repeats_agree) output.Line(report.disagreement);
  for (const runner::ExpectResult& result : report.expects) {
    if (result.ok()) continue;
    const auto buffer = std::find_if(report.buffers.begin(), report.buffers.end(),
                                     [&](const OutputBuffer& b) { return b.name == result.name; });
    output.Line(ExpectText(result, buffer->layout.scalars));
  }
}

void WriteBufferJson(const OutputBuffer& buffer, Output& output) {
  output.Write(fmt::format(R"({}:{{"group":{},"binding":{},"type":{},"count":{},"writable":{},"values":[)",
                           Quoted(buffer.name), buffer.group, buffer.binding, Quoted(buffer.type),
                           buffer.count, buffer.writable));
  std::string text;
  bool first = true;
  ForEachScalar(buffer.layout, [&](uint64_t offset, runner::ScalarKind kind) {
    runner::Scalar scalar{kind, 0};
    std::memcpy(&scalar.bits, buffer.memory.data() + offset, ScalarBytes(kind));
    if (!first) text += ',';
    first = false;
    AppendScalar(text, scalar, NumberStyle::kJson);
    if (text.size() < 4096) return;
    output.Write(text);
    text.clear();
  });
  output.Write(text + "]}");
}

std::string ExpectJson(const runner::ExpectResult& result) {
  if (result.ok())
    return fmt::format(R"({{"name":{},"ok":true,"first_difference":null}})", Quoted(result.name));
  const runner::Difference& d = *result.difference;
  return fmt::format(R"({{"name":{},"ok":false,"first_difference":{{"index":{},"got":{},"want":{}}}}})",
                     Quoted(result.name), d.index, d.got_json.empty() ? "null" : d.got_json, d.want_json);
}

void WriteJson(const RunReport& report, Output& output) {
  output.Write(R"({"buffers":{)");
  for (size_t i = 0; i < report.buffers.size(); ++i) {
    if (i != 0) output.Write(",");
    WriteBufferJson(report.buffers[i], output);
  }
  output.Write(fmt::format(R"(}},"device":{{"kind":{},"name":{}}},"times_ms":[)", Quoted(report.device_kind),
                           Quoted(report.device_name)));
  for (size_t i = 0; i < report.times_ms.size(); ++i) {
    output.Write((i != 0 ? "," : "") + runner::FormatDouble(report.times_ms[i], NumberStyle::kJson));
  }
  output.Write(fmt::format(R"(],"repeats_agree":{},"expect":[)", report.repeats_agree));
  for (size_t i = 0; i < report.expects.size(); ++i)
    output.Write((i != 0 ? "," : "") + ExpectJson(report.expects[i]));
  output.Line("]}");
}

std::string Trimmed(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

// Errors of the program under test are results; those of the call and of the surroundings are not.
int WriteFailure(const RunReport& report, bool json, Output& output) {
  const int status = StatusOf(report.failure->kind);
  std::vector<std::string> diagnostics;
  for (const runner::StagedDiagnostic& d : report.session->diagnostics()) {
    const SourceFile& source = *report.session->source();
    const std::string text = Trimmed(RenderText(d.diagnostic, source));
    diagnostics.push_back(DiagnosticJson(d.diagnostic, source, d.stage));
    if (d.diagnostic.severity != diag::Severity::kError)
      Complain(text);
    else if (!json)
      output.Line(text);
  }
  if (json) output.Line(ErrorJson(status, report.failure->message, diagnostics));
  const std::string line =
      status == 130 ? report.failure->message : fmt::format("error: {}", report.failure->message);
  if (status != 1)
    Complain(line);
  else if (!json)
    output.Line(line);
  return status;
}

int Finish(const RunReport& report, const RunFlags& flags, Output& output) {
  if (report.failure) return WriteFailure(report, flags.json, output);
  for (const runner::StagedDiagnostic& d : report.session->diagnostics()) {
    Complain(Trimmed(RenderText(d.diagnostic, *report.session->source())));
  }
  for (const std::string& warning : report.warnings) Complain(fmt::format("warning: {}", warning));
  if (flags.json)
    WriteJson(report, output);
  else
    WriteText(report, flags.all, output);
  return report.expectations_hold() ? 0 : 1;
}

int Run(RunFlags& flags, Output& output) {
  flags.request.max_limits = flags.limits == "max";
  flags.request.cache = !flags.no_cache;
  flags.request.features = SplitList(flags.features);
  gpu::devices::Options devices = DeviceOptions();
  if (flags.interpret) devices.cpu.engine = gpu::cpu::Engine::kInterpreter;
  const RunReport report = runner::Run(flags.request, devices, InterruptFlag());
  return Finish(report, flags, output);
}

void AddOptions(CLI::App& run, RunFlags& flags) {
  runner::RunRequest& request = flags.request;
  run.add_option("FILE", request.file, "The shader")->required();
  AddRepeatable(run, "--buffer", request.flags.buffers, "Describe a buffer: 'NAME: COUNT x TYPE = INIT'");
  AddRepeatable(run, "--dispatch", request.flags.dispatches,
                "Dispatch workgroups: '16', '8 x 8 entry NAME', 'indirect NAME'");
  AddRepeatable(run, "--expect", request.flags.expects,
                "Check a buffer in the end: 'NAME: 1, 2, ... within 1%'");
  run.add_option("--entry", request.flags.entry, "Entry point of dispatches that name none");
  AddRepeatable(run, "--override", request.flags.overrides, "Set an override: NAME=VALUE");
  AddRepeatable(run, "--save", request.saves,
                "Save a buffer: NAME=FILE, FILE ending in .npy, .bin, .csv or .json");
  run.add_flag("--all", flags.all, "Print every value of every buffer");
  run.add_option("--repeat", request.repeat, "Run so many times")
      ->check(CLI::Range(1u, 1000000u))
      ->capture_default_str();
  run.add_option("--device", request.device, "cpu, vulkan or vulkan:N")->capture_default_str();
  run.add_option("--threads", request.threads, "Threads of the CPU device (all)")
      ->check(CLI::Range(1u, 1024u));
  run.add_option("--lanes", request.lanes, "Lanes worked on together by the CPU device")
      ->check(CLI::IsMember({1u, 2u, 4u, 8u, 16u, 32u, 64u}));
  run.add_option("--shuffle", request.shuffle, "Run workgroups in the order that this seed gives");
  run.add_option("--weak-failures", request.weak_failures,
                 "Let atomicCompareExchangeWeak fail spuriously, by this seed");
  run.add_option("--time-limit", request.time_limit, "Stop after so many seconds")
      ->check(CLI::Range(1e-3, 1e9))
      ->capture_default_str();
  run.add_option("--limits", flags.limits, "default: WebGPU's; max: the most that the device can do")
      ->check(CLI::IsMember({"default", "max"}))
      ->capture_default_str();
  run.add_option("--features", flags.features, "WebGPU features to ask for: a list with commas");
  run.add_flag("--no-cache", flags.no_cache, "Neither read nor write compiled kernels on disk");
  run.add_flag("--json", flags.json, "One JSON document instead of text");
  run.add_flag("--interpret", flags.interpret, "Run in the reference interpreter")->group("");
}

}  // namespace

void AddRun(CLI::App& app, Program& program) {
  CLI::App* run = app.add_subcommand("run", "Run a compute shader and print its buffers and its time");
  const auto flags = std::make_shared<RunFlags>();
  AddOptions(*run, *flags);
  run->footer(
      "The run is described by comments in the file, such as\n"
      "  // prices: 16384 x f32 = random 0 .. 100, dispatch 64\n"
      "  // expect rank: 5, 0, 3, ...\n"
      "or by flags, which win. docs/cli.md has the whole language.\n"
      "\nExamples:\n"
      "  lockstep run histogram.wgsl\n"
      "  lockstep run rank.wgsl --buffer 'prices: 16384 x f32 = @prices.npy' --save rank=rank.npy\n"
      "  lockstep run tile.wgsl --override TILE=32 --dispatch '8 x 8' --repeat 20\n"
      "  lockstep run sum.wgsl --threads 1 --json");
  run->callback([flags, &program] {
    program.json = flags->json;
    program.action = [flags](Output& output) { return Run(*flags, output); };
  });
}

}  // namespace lockstep::cli
