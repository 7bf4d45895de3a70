// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/program.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace lockstep::cli_test {
namespace {

namespace fs = std::filesystem;

struct Pipe {
  Pipe() { EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC), 0); }
  std::array<int, 2> ends = {-1, -1};
};

[[noreturn]] void Child(const std::string& folder, const std::vector<std::string>& arguments, const Pipe& out,
                        const Pipe& err) {
  dup2(out.ends[1], STDOUT_FILENO);
  dup2(err.ends[1], STDERR_FILENO);
  const std::string cache = folder + "/.cache";
  setenv("XDG_CACHE_HOME", cache.c_str(), 1);
  std::vector<char*> argv = {const_cast<char*>(LOCKSTEP_PROGRAM)};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  if (chdir(folder.c_str()) == 0) execv(LOCKSTEP_PROGRAM, argv.data());
  _exit(127);
}

// Both at once: a full pipe must not block the program.
void ReadBoth(int out, int err, Outcome& outcome) {
  std::array<pollfd, 2> fds = {{{out, POLLIN, 0}, {err, POLLIN, 0}}};
  std::array<std::string*, 2> texts = {&outcome.out, &outcome.err};
  int open = 2;
  std::array<char, 65536> block;
  while (open > 0) {
    if (poll(fds.data(), fds.size(), -1) < 0) continue;
    for (size_t i = 0; i < fds.size(); ++i) {
      if (fds[i].fd < 0 || fds[i].revents == 0) continue;
      const ssize_t got = read(fds[i].fd, block.data(), block.size());
      if (got > 0) {
        texts[i]->append(block.data(), static_cast<size_t>(got));
      } else {
        fds[i].fd = -1;
        --open;
      }
    }
  }
}

}  // namespace

Outcome RunProgram(const std::string& folder, const std::vector<std::string>& arguments,
                   const std::function<void(int pid)>& after_start) {
  const Pipe out, err;
  const pid_t pid = fork();
  if (pid == 0) Child(folder, arguments, out, err);
  close(out.ends[1]);
  close(err.ends[1]);
  if (after_start) after_start(pid);
  Outcome outcome;
  ReadBoth(out.ends[0], err.ends[0], outcome);
  close(out.ends[0]);
  close(err.ends[0]);
  int status = 0;
  waitpid(pid, &status, 0);
  if (WIFEXITED(status)) outcome.status = WEXITSTATUS(status);
  return outcome;
}

void CliTest::SetUp() {
  std::string name = (fs::temp_directory_path() / "lockstep-cli-XXXXXX").string();
  ASSERT_NE(mkdtemp(name.data()), nullptr);
  folder_ = name;
}

void CliTest::TearDown() { fs::remove_all(folder_); }

void CliTest::Write(const std::string& name, const std::string& content) const {
  std::ofstream(folder_ + "/" + name, std::ios::binary) << content;
}

std::string CliTest::Read(const std::string& name) const {
  std::ifstream file(folder_ + "/" + name, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

bool CliTest::Exists(const std::string& name) const { return fs::exists(folder_ + "/" + name); }

std::vector<std::string> CliTest::FilesIn(const std::string& folder) const {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(folder_ + "/" + folder))
    files.push_back(entry.path().filename());
  return files;
}

Outcome CliTest::RunShader(const std::string& shader, std::vector<std::string> flags) const {
  Write("a.wgsl", shader);
  flags.insert(flags.begin(), {"run", "a.wgsl"});
  return Run(flags);
}

}  // namespace lockstep::cli_test
