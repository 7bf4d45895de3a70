// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/sarif.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "observe/report/wording.h"
#include "runner/file_io.h"

namespace lockstep::cli {
namespace {

using Json = nlohmann::ordered_json;

Json Location(const SourceFile& file, Span span) {
  const Position begin = file.PositionOf(span.begin);
  const Position end = file.PositionOf(span.end);
  return {{"physicalLocation",
           {{"artifactLocation", {{"uri", file.name()}}},
            {"region",
             {{"startLine", begin.line},
              {"startColumn", begin.column},
              {"endLine", end.line},
              {"endColumn", end.column}}}}}};
}

Json ResultOf(const diag::Diagnostic& diagnostic, const char* rule, const SourceFile& file) {
  Json result = {{"ruleId", rule},
                 {"level", "error"},
                 {"message", {{"text", diagnostic.message}}},
                 {"locations", Json::array({Location(file, diagnostic.span)})}};
  for (const diag::Note& note : diagnostic.notes) {
    Json related = Location(file, note.span);
    related["message"] = {{"text", note.message}};
    result["relatedLocations"].push_back(std::move(related));
  }
  return result;
}

Json Rule(const char* id, const char* text) { return {{"id", id}, {"shortDescription", {{"text", text}}}}; }

}  // namespace

Result<> WriteSarif(const runner::RunReport& report, const std::string& path) {
  const SourceFile& file = *report.session->source();
  const size_t dispatches = report.session->dispatches().size();
  Json results = Json::array();
  for (const observe::Race& race : report.findings.races) {
    results.push_back(ResultOf(observe::Describe(race, dispatches, file, file), "data-race", file));
  }
  for (const observe::OutOfBounds& access : report.findings.out_of_bounds) {
    results.push_back(ResultOf(observe::Describe(access, dispatches), "out-of-bounds", file));
  }
  const Json rules = Json::array({Rule("data-race", "two invocations access memory and nothing orders them"),
                                  Rule("out-of-bounds", "an access leaves its array, vector or matrix")});
  const Json document = {
      {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
      {"version", "2.1.0"},
      {"runs",
       Json::array(
           {{{"tool", {{"driver", {{"name", "lockstep"}, {"version", LOCKSTEP_VERSION}, {"rules", rules}}}}},
             {"columnKind", "utf16CodeUnits"},
             {"results", results}}})}};
  return runner::WriteFileAtomically(path,
                                     document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace lockstep::cli
