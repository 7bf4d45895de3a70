// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// lockstep run: flags in, a report out, as text or JSON.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "cli/command.h"
#include "cli/json.h"
#include "cli/run_options.h"
#include "runner/run.h"

namespace lockstep::cli {
namespace {

using runner::NumberStyle;
using runner::OutputBuffer;
using runner::RunReport;

// More scalars than this are cut in text, to the first and the last of them.
constexpr uint64_t kMaxShown = 64, kFirstShown = 16, kLastShown = 4;

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

void WriteText(const RunReport& report, bool all, Output& output) {
  for (const OutputBuffer& buffer : report.buffers) {
    if (buffer.writable) WriteBufferText(buffer, all, output);
  }
  output.Line(fmt::format("{}: {} (median of {})", report.device_kind,
                          runner::FormatSeconds(Median(report.times_ms) / 1e3), report.times_ms.size()));
  if (!report.repeats_agree) output.Line(report.disagreement);
  WriteExpectations(report, output);
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

int Finish(const RunReport& report, const RunFlags& flags, Output& output) {
  if (report.failure) return WriteFailure(report, flags.json, output);
  WriteWarnings(report);
  if (flags.json)
    WriteJson(report, output);
  else
    WriteText(report, flags.all, output);
  return report.expectations_hold() ? 0 : 1;
}

int Run(RunFlags& flags, Output& output) { return Finish(Execute(flags), flags, output); }

}  // namespace

void AddRun(CLI::App& app, Program& program) {
  CLI::App* run = app.add_subcommand("run", "Run a compute shader and print its buffers and its time");
  const auto flags = std::make_shared<RunFlags>();
  AddRunOptions(*run, *flags);
  run->add_flag("--all", flags->all, "Print every value of every buffer");
  WholeNumber(run->add_option("--repeat", flags->request.repeat, "Run so many times (5)"), 1, 1000000)
      ->type_name("N");
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
