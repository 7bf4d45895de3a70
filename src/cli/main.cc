// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// The program: parses the call, runs the subcommand, turns what happened into the exit status (docs/cli.md).
#include <fmt/format.h>
#include <unistd.h>

#include <cctype>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>

#include "cli/command.h"
#include "cli/json.h"

namespace lockstep::cli {
namespace {

constexpr int kUsage = 2;
constexpr int kEnvironment = 3;

void OutOfMemory() {
  static constexpr char kText[] = "error: out of memory\n";
  static_cast<void>(!write(STDERR_FILENO, kText, sizeof(kText) - 1));
  _exit(kEnvironment);
}

bool WantsJson(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--json") == 0) return true;
  }
  return false;
}

std::vector<std::string> CommandNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

// A word that nothing takes.
std::string NotExpected(const CLI::App& app, const std::string& word) {
  const bool is_flag = word.size() > 1 && word[0] == '-';
  const std::vector<CLI::App*> commands = app.get_subcommands();
  const std::string where = commands.empty() ? "lockstep" : "lockstep " + commands[0]->get_name();
  if (is_flag) return fmt::format("'{}' has no flag '{}'", where, word);
  if (!commands.empty()) return fmt::format("'{}' has no use for '{}'", where, word);
  return fmt::format("there is no command '{}': expected {}", word, fmt::join(CommandNames(app), ", "));
}

// Messages of the parser, in this program's form: one sentence, lower case, no full stop.
std::string Tidy(std::string message) {
  while (!message.empty() && (message.back() == '\n' || message.back() == '.')) message.pop_back();
  for (char& c : message) c = c == '\n' ? ' ' : c;
  if (message.size() > 1 && std::isupper(static_cast<unsigned char>(message[0])) != 0 &&
      std::isupper(static_cast<unsigned char>(message[1])) == 0) {
    message[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(message[0])));
  }
  return message;
}

std::string Explain(const CLI::App& app, const CLI::ParseError& error) {
  const std::string what = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const std::vector<std::string> words = app.remaining(true);
    if (!words.empty()) return NotExpected(app, words[0]);
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr)
    return fmt::format("{} needs one value", what.substr(0, what.find(':')));
  return Tidy(what);
}

int Fail(const CLI::App& app, const std::string& message, bool json, Output& output) {
  const std::vector<CLI::App*> commands = app.get_subcommands();
  const std::string command = commands.empty() ? "" : commands[0]->get_name() + " ";
  if (json) output.Line(ErrorJson(kUsage, message));
  Complain(fmt::format("error: {} (see lockstep {}--help)", message, command));
  return kUsage;
}

int Parse(CLI::App& app, int argc, char** argv, Output& output) {
  const bool json = WantsJson(argc, argv);
  try {
    app.parse(argc, argv);
    if (!app.get_subcommands().empty()) return 0;
    return Fail(app, fmt::format("expected a command: {}", fmt::join(CommandNames(app), ", ")), json, output);
  } catch (const CLI::CallForHelp&) {
    output.Write(app.help());  // of the subcommand, where one was named
    return -1;
  } catch (const CLI::CallForVersion&) {
    output.Line("lockstep " LOCKSTEP_VERSION);
    return -1;
  } catch (const CLI::ParseError& error) {
    return Fail(app, Explain(app, error), json, output);
  }
}

int Main(int argc, char** argv) {
  std::set_new_handler(OutOfMemory);
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is seen where output is written
  CLI::App app(
      "Lockstep runs WebGPU programs without a browser, on the CPU, and says whether they are right.",
      "lockstep");
  app.set_version_flag("--version", "lockstep " LOCKSTEP_VERSION, "Print the version");
  app.require_subcommand(0, 1);
  app.footer(
      "Examples:\n"
      "  lockstep run histogram.wgsl                      run what the file's first comments describe\n"
      "  lockstep run sum.wgsl --buffer 'data: 1024 x f32 = random 0 .. 1' --dispatch 4\n"
      "  lockstep race histogram.wgsl                     find data races and accesses out of range\n"
      "  lockstep check shaders/*.wgsl                    compile, and make every pipeline\n"
      "  lockstep show sum.wgsl --emit=asm                what the CPU runs\n"
      "\n'lockstep COMMAND --help' says more.");
  Program program;
  AddRun(app, program);
  AddRace(app, program);
  AddCheck(app, program);
  AddShow(app, program);
  AddDevices(app, program);
  AddPage(app, program);
  AddLater(app, program);

  Output output;
  int status = Parse(app, argc, argv, output);
  if (status == 0 && program.action) status = program.action(output);
  if (status < 0) status = 0;  // help and version
  output.Flush();
  if (!output.failed()) return status;
  if (output.error() != EPIPE)
    Complain(fmt::format("error: standard output cannot be written: {}", std::strerror(output.error())));
  return kEnvironment;
}

}  // namespace

}  // namespace lockstep::cli

int main(int argc, char** argv) {
  try {
    return lockstep::cli::Main(argc, argv);
  } catch (const std::exception& problem) {  // Lockstep throws nothing; libraries may
    std::fprintf(stderr, "error: %s\n", problem.what());
    return lockstep::cli::kEnvironment;
  }
}
