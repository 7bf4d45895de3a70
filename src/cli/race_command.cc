// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// lockstep race: what a watched run does wrong, as text, JSON or SARIF.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "cli/command.h"
#include "cli/json.h"
#include "cli/run_options.h"
#include "cli/sarif.h"
#include "observe/report/wording.h"
#include "runner/file_io.h"
#include "runner/scalar.h"

namespace lockstep::cli {
namespace {

using observe::OutOfBounds;
using observe::Race;
using runner::RunReport;

struct RaceFlags : RunFlags {
  bool lenient = false;
  bool strict_order = false;
  std::optional<std::string> sarif;
};

std::string IdJson(const std::array<uint32_t, 3>& id) {
  return fmt::format("[{},{},{}]", id[0], id[1], id[2]);
}

std::string AccessJson(const observe::Access& access, const SourceFile& file) {
  const Position at = file.PositionOf(access.span.begin);
  const observe::Invocation& by = observe::InvocationOf(access.by);
  std::string loops;
  for (const observe::LoopPass& loop : access.loops) {
    loops += fmt::format(R"({}{{"line":{},"pass":{}}})", loops.empty() ? "" : ",",
                         file.PositionOf(loop.loop.begin).line, loop.pass);
  }
  return fmt::format(R"({{"line":{},"column":{},"access":"{}","workgroup":{},"invocation":{},"loops":[{}]}})",
                     at.line, at.column, observe::AccessName(access.kind), IdJson(by.workgroup),
                     IdJson(by.invocation), loops);
}

std::string RaceJson(const Race& race, const SourceFile& file) {
  std::vector<std::string> elements;
  for (const std::string& element : race.elements) elements.push_back(Quoted(element));
  const std::string element = elements.empty() ? Quoted(race.variable) : elements[0];
  const std::string same = race.same_value ? (*race.same_value ? "true" : "false") : "null";
  const std::string fix =
      !race.fix ? "null"
                : fmt::format(R"({{"barrier":"{}","line":{}}})", observe::BarrierName(race.fix->barrier),
                              file.PositionOf(race.fix->before.begin).line);
  return fmt::format(
      R"({{"dispatch":{},"scope":"{}","variable":{},"address_space":"{}","element":{},"elements":[{}],"count":{},)"
      R"("kind":"{}","same_value":{},"phase":{},"first":{},"second":{},"fix":{}}})",
      race.dispatch, observe::ScopeName(race.scope), Quoted(race.variable), race.address_space, element,
      fmt::join(elements, ","), race.count, observe::RaceKindName(race.kind), same, race.phase,
      AccessJson(race.first, file), AccessJson(race.second, file), fix);
}

std::string BoundsJson(const OutOfBounds& access, const SourceFile& file) {
  const Position at = file.PositionOf(access.span.begin);
  const observe::Invocation& first = observe::InvocationOf(access.first);
  return fmt::format(
      R"({{"dispatch":{},"variable":{},"address_space":"{}","line":{},"column":{},"access":"{}","length":{},)"
      R"("indices":[{}],"count":{},"first":{{"workgroup":{},"invocation":{}}}}})",
      access.dispatch, Quoted(access.variable), access.address_space, at.line, at.column,
      observe::AccessName(access.kind), access.length, fmt::join(access.indices, ","), access.count,
      IdJson(first.workgroup), IdJson(first.invocation));
}

void WriteJson(const RunReport& report, uint64_t left_out, Output& output) {
  const SourceFile& file = *report.session->source();
  std::vector<std::string> races, bounds, schedules;
  for (const Race& race : report.findings.races) races.push_back(RaceJson(race, file));
  for (const OutOfBounds& access : report.findings.out_of_bounds) bounds.push_back(BoundsJson(access, file));
  for (const runner::ScheduleDifference& d : report.schedule_dependent) {
    schedules.push_back(fmt::format(R"({{"variable":{},"element":{},"values":[{},{}]}})", Quoted(d.variable),
                                    Quoted(d.element), d.json_values[0], d.json_values[1]));
  }
  std::vector<std::string> expects;
  for (const runner::ExpectResult& result : report.expects) expects.push_back(ExpectJson(result));
  output.Line(fmt::format(
      R"({{"races":[{}],"out_of_bounds":[{}],"schedule_dependent":[{}],"expect":[{}],"left_out_same_value":{},)"
      R"("unfinished_schedules":{},"times_ms":[{}]}})",
      fmt::join(races, ","), fmt::join(bounds, ","), fmt::join(schedules, ","), fmt::join(expects, ","),
      left_out, report.unfinished_schedules,
      runner::FormatDouble(report.times_ms[0], runner::NumberStyle::kJson)));
}

std::string Count(uint64_t n, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", n == 0 ? "no" : std::to_string(n), n == 1 ? one : many);
}

void WriteText(const RunReport& report, uint64_t left_out, Output& output) {
  const SourceFile& file = *report.session->source();
  const size_t dispatches = report.session->dispatches().size();
  for (const Race& race : report.findings.races) {
    output.Line(Trimmed(RenderText(observe::Describe(race, dispatches, file, file), file)));
  }
  for (const OutOfBounds& access : report.findings.out_of_bounds) {
    output.Line(Trimmed(RenderText(observe::Describe(access, dispatches), file)));
  }
  for (const runner::ScheduleDifference& d : report.schedule_dependent) {
    output.Line(fmt::format("{}: the result depends on the schedule: {} is {} in one and {} in another",
                            file.name(), d.element, d.values[0], d.values[1]));
  }
  WriteExpectations(report, output);
  if (report.unfinished_schedules != 0) {
    output.Line(
        fmt::format("{}: {} did not end: the program relies on forward progress of invocations that wait for "
                    "others, which "
                    "WebGPU does not promise",
                    file.name(), Count(report.unfinished_schedules, "schedule", "schedules")));
  }
  if (left_out != 0) {
    output.Line(fmt::format("{} left out, since both write the same value (--lenient)",
                            Count(left_out, "race is", "races are")));
  }
  std::string line =
      fmt::format("{}: {}, {}", file.name(), Count(report.findings.races.size(), "race", "races"),
                  Count(report.findings.out_of_bounds.size(), "place out of bounds", "places out of bounds"));
  if (report.schedules != 0) {
    line += fmt::format(", {} in {} other schedules",
                        Count(report.schedule_dependent.size(), "buffer that differs", "buffers that differ"),
                        report.schedules);
  }
  output.Line(line);
}

uint64_t LeaveOutSameValues(RunReport& report) {
  std::vector<Race>& races = report.findings.races;
  const size_t before = races.size();
  races.erase(std::remove_if(races.begin(), races.end(),
                             [](const Race& race) { return race.same_value.value_or(false); }),
              races.end());
  return before - races.size();
}

// Before the run: what it finds must not be lost to a mistyped path.
Result<> CheckSarif(const RaceFlags& flags) {
  if (!flags.sarif) return Ok();
  if (flags.sarif->empty()) return Failure{FailureKind::kUsage, "--sarif: expected a file name"};
  const Result<> possible = runner::CheckWritable(*flags.sarif);
  if (possible.ok()) return Ok();
  return Failure{FailureKind::kUsage, fmt::format("--sarif: {}", possible.failure().message)};
}

int Run(RaceFlags& flags, Output& output) {
  flags.request.watch = true;
  RunReport report;
  if (const Result<> possible = CheckSarif(flags); !possible.ok())
    report.failure = possible.failure();
  else
    report = Execute(flags);
  if (report.failure) return WriteFailure(report, flags.json, output);
  WriteWarnings(report);
  const uint64_t left_out = flags.lenient ? LeaveOutSameValues(report) : 0;
  if (flags.json)
    WriteJson(report, left_out, output);
  else
    WriteText(report, left_out, output);
  if (flags.sarif) {
    if (const Result<> written = WriteSarif(report, *flags.sarif); !written.ok()) {
      Complain(fmt::format("error: {}", written.failure().message));
      return StatusOf(written.failure().kind);
    }
  }
  const bool order = flags.strict_order && !report.schedule_dependent.empty();
  return report.findings.empty() && report.expectations_hold() && !order ? 0 : 1;
}

}  // namespace

void AddRace(CLI::App& app, Program& program) {
  CLI::App* race = app.add_subcommand("race", "Find data races and accesses out of range of a run");
  const auto flags = std::make_shared<RaceFlags>();
  AddRunOptions(*race, *flags);
  race->get_option("--shuffle")
      ->description("Seed of the other schedules; the canonical one is never shuffled");
  WholeNumber(
      race->add_option("--schedules", flags->request.schedules, "Compare with so many other schedules"), 0,
      1000000)
      ->type_name("N");
  race->add_flag("--lenient", flags->lenient, "Leave out races whose writes have the same value");
  race->add_flag("--strict-order", flags->strict_order, "Fail where results depend on the schedule");
  race->add_option("--sarif", flags->sarif, "Write the findings to this file as SARIF 2.1.0")
      ->type_name("FILE");
  race->footer(
      "The run is described as for 'lockstep run'. Races are judged on one canonical schedule: the verdict\n"
      "depends on neither threads nor lanes nor luck. docs/races.md says what a race is.\n"
      "\nExamples:\n"
      "  lockstep race histogram.wgsl\n"
      "  lockstep race append.wgsl --schedules 20\n"
      "  lockstep race rank.wgsl --json --sarif rank.sarif");
  race->callback([flags, &program] {
    program.json = flags->json;
    program.action = [flags](Output& output) { return Run(*flags, output); };
  });
}

}  // namespace lockstep::cli
