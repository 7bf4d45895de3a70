// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/child.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <optional>

#include "cli/environment.h"

namespace lockstep::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kExecFailed = 127;

[[noreturn]] void Become(const std::vector<std::string>& arguments, int progress, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kExecFailed);  // it ended before that was said
  std::signal(SIGPIPE, SIG_DFL);
  if (progress == kProgressDescriptor)
    fcntl(progress, F_SETFD, 0);
  else
    dup2(progress, kProgressDescriptor);
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  // 'x' and errno: the child is not there at all.
  const std::array<char, 2> failure = {'x', static_cast<char>(errno)};
  static_cast<void>(!write(kProgressDescriptor, failure.data(), failure.size()));
  _exit(kExecFailed);
}

// How far the child is.
struct Watch {
  const std::vector<double>& phase_seconds;
  size_t phases = 0;  // that have begun
  Clock::time_point begun = Clock::now();

  // Milliseconds that are left, for poll: -1 without a limit.
  int Left() const {
    if (phases == 0) return -1;
    const double limit = phase_seconds[std::min(phases, phase_seconds.size()) - 1];
    const double left = limit - std::chrono::duration<double>(Clock::now() - begun).count();
    return static_cast<int>(std::clamp(left * 1000 + 1, 0.0, 1e9));
  }
  void Begin() {
    ++phases;
    begun = Clock::now();
  }
};

// Until the child closes its end: then it has ended, or is about to.
std::optional<ChildResult> Follow(int progress, Watch& watch) {
  using enum ChildResult::Kind;
  const runner::CancelFlag& interrupted = InterruptFlag();
  for (;;) {
    const int left = watch.Left();
    if (left == 0) return ChildResult{kTooLong, static_cast<int>(watch.phases) - 1};
    pollfd waiting = {progress, POLLIN, 0};
    const int ready = poll(&waiting, 1, left);
    if (interrupted.load() != runner::kRunning) return ChildResult{kInterrupted};
    if (ready <= 0) continue;
    std::array<char, 2> bytes;
    const ssize_t got = read(progress, bytes.data(), bytes.size());
    if (got <= 0) return std::nullopt;
    if (bytes[0] == 'x') return ChildResult{kNotStarted, bytes[1]};
    for (ssize_t i = 0; i < got; ++i) watch.Begin();
  }
}

}  // namespace

ChildResult RunChild(const std::vector<std::string>& arguments, const std::vector<double>& phase_seconds) {
  using enum ChildResult::Kind;
  std::array<int, 2> ends;
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return {kNotStarted, errno};
  const pid_t parent = getpid(), child = fork();
  if (child == 0) Become(arguments, ends[1], parent);
  const int error = errno;
  close(ends[1]);
  if (child < 0) return {kNotStarted, error};
  Watch watch{phase_seconds};
  const std::optional<ChildResult> early = Follow(ends[0], watch);
  close(ends[0]);
  if (early) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (early) return *early;
  if (WIFEXITED(status)) return {kExited, WEXITSTATUS(status)};
  return {WTERMSIG(status) == SIGINT ? kInterrupted : kSignalled, WTERMSIG(status)};
}

}  // namespace lockstep::cli
