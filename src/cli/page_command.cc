// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// lockstep page: checks the call and lets Node run the page (bindings/page/main.js). Node looks at the time
// between two tasks of the page; here it is looked at while a script does not come back.
#include <fmt/format.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>

#include "cli/child.h"
#include "cli/command.h"
#include "cli/json.h"
#include "support/check.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

struct PageOptions {
  std::string file, png;
  std::optional<std::string> canvas;
  double timeout = 30;
  uint64_t frames = 1;
  std::optional<uint64_t> seed;
  bool no_webgpu = false, allow_network = false, race = false;
};

// Node is this much later than the page's time is over when it notices, and needs so long for a picture.
constexpr double kLateSeconds = 1, kPictureSeconds = 30;

// The scripts lie in the sources that this program was built from.
fs::path ScriptFolder() {
  const fs::path program = fs::read_symlink("/proc/self/exe").parent_path();
  return (program / "../../bindings").lexically_normal();
}

int Fail(int status, const std::string& message) {
  Complain("error: " + message);
  return status;
}

std::string AsJson(const PageOptions& options) {
  std::string json = fmt::format(
      R"({{"file":{},"timeout":{},"frames":{},"webgpu":{},"allowNetwork":{},"race":{},"progress":{})",
      Quoted(options.file), options.timeout, options.frames, !options.no_webgpu, options.allow_network,
      options.race, kProgressDescriptor);
  if (!options.png.empty()) json += fmt::format(R"(,"png":{})", Quoted(options.png));
  if (options.canvas) json += fmt::format(R"(,"canvas":{})", Quoted(*options.canvas));
  if (options.seed) json += fmt::format(R"(,"seed":"{}")", *options.seed);
  return json + "}";
}

// The exit status of a page's run.
int StatusOf(const ChildResult& result, const PageOptions& options) {
  using enum ChildResult::Kind;
  switch (result.kind) {
    case kExited:
      return result.value;
    case kInterrupted:
      return 130;
    case kTooLong:
      if (result.value == 0) {
        Complain(fmt::format("{}: a script of the page does not come back after {} s: there is no picture",
                             options.file, options.timeout));
      } else {
        Complain(fmt::format("{}: the picture is not there {} s after the page has ended", options.file,
                             kPictureSeconds));
      }
      return 1;
    case kSignalled:
      return Fail(3, fmt::format("node was ended by a signal: {}", strsignal(result.value)));
    case kNotStarted:
      return Fail(3, fmt::format("node cannot be started ({}): install Node 18 or later",
                                 std::strerror(result.value)));
  }
  UNREACHABLE("how a child ends");
}

int RunPage(const PageOptions& options) {
  if (options.canvas == "") return Fail(2, "--canvas needs the id of a canvas");
  std::error_code error;
  if (!fs::is_regular_file(options.file, error))
    return Fail(2, fmt::format("{} is no file that can be read", options.file));
  const fs::path folder = ScriptFolder();
  if (!fs::exists(folder / "node/dist/lockstep.node") || !fs::exists(folder / "page/node_modules"))
    return Fail(3, "pages need the Node package: run 'make node' where lockstep was built");
  // As for Node: what happens between the page's beginning and its end, and then with the picture.
  const ChildResult result = RunChild({"node", "--experimental-vm-modules", "--no-warnings",
                                       (folder / "page/main.js").string(), AsJson(options)},
                                      {options.timeout + kLateSeconds, kPictureSeconds});
  return StatusOf(result, options);
}

}  // namespace

void AddPage(CLI::App& app, Program& program) {
  CLI::App* page = app.add_subcommand("page", "Run an HTML page that uses WebGPU, and keep its picture");
  const auto options = std::make_shared<PageOptions>();
  page->add_option("FILE", options->file, "The page")->required();
  page->add_option("--png", options->png, "Write the picture here; with %03d one for each frame");
  page->add_option("--canvas", options->canvas, "The picture is this canvas alone, at its own size");
  Number(
      page->add_option("--timeout", options->timeout, "Stop waiting for the page after so many seconds (30)"),
      0.001, 1e9);
  WholeNumber(page->add_option("--frames", options->frames, "Run requestAnimationFrame so many times (1)"), 0,
              1000000);
  WholeNumber(page->add_option("--seed", options->seed, "Math.random repeats itself, one sequence a seed"), 0,
              UINT64_MAX);
  page->add_flag("--no-webgpu", options->no_webgpu, "Without navigator.gpu: the page's fallback shows");
  page->add_flag("--allow-network", options->allow_network, "Let the page load what is not on this machine");
  page->add_flag("--race", options->race,
                 "Watch all that the page runs for races and accesses out of bounds");
  page->footer(
      "The page's canvases lie below each other, those with 'position: absolute' over their parent's "
      "corner.\n"
      "Files are loaded from the page's folder and below. An uncaught error of the page gives status 1, and\n"
      "with --race so does a finding.\n\n"
      "Examples:\n"
      "  lockstep page price_rank.html --png rank.png\n"
      "  lockstep page price_rank.html --png view.png --canvas view --seed 7\n"
      "  lockstep page waves.html --frames 60 --png 'frame-%03d.png'\n"
      "  lockstep page price_rank.html --race\n"
      "  lockstep page price_rank.html --no-webgpu --png fallback.png");
  page->callback([options, &program] { program.action = [options](Output&) { return RunPage(*options); }; });
}

}  // namespace lockstep::cli
