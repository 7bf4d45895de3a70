// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/environment.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <string>

namespace lockstep::cli {
namespace {

runner::CancelFlag g_interrupted{runner::kRunning};  // a signal handler has no other way to speak
static_assert(runner::CancelFlag::is_always_lock_free);

void OnInterrupt(int) {
  uint32_t running = runner::kRunning;
  g_interrupted.compare_exchange_strong(running, runner::kStoppedByUser);
}

std::string ProgramPath() {
  std::array<char, 4096> path;
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
  return length > 0 ? std::string(path.data(), static_cast<size_t>(length)) : std::string();
}

// Size and time of a file: another build has others.
std::string Fingerprint(const std::string& path) {
  struct stat info;
  if (path.empty() || stat(path.c_str(), &info) != 0) return {};
  return fmt::format("{}:{}.{} ", info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
}

std::string CacheFolder() {
  const char* xdg = std::getenv("XDG_CACHE_HOME");
  if (xdg != nullptr && xdg[0] == '/') return std::string(xdg) + "/lockstep";
  const char* home = std::getenv("HOME");
  if (home != nullptr && home[0] == '/') return std::string(home) + "/.cache/lockstep";
  return {};
}

}  // namespace

gpu::devices::Options DeviceOptions() {
  gpu::devices::Options options;
  const std::string program = ProgramPath();
  const std::string folder = program.substr(0, program.rfind('/'));
  options.cpu.library_folders = {folder, folder + "/../lib", folder + "/../lib/lockstep"};
  options.cpu.cache_folder = CacheFolder();
  options.cpu.build_id = "lockstep " LOCKSTEP_VERSION " " + Fingerprint(program);
  for (const std::string& place : options.cpu.library_folders) {
    options.cpu.build_id += Fingerprint(place + "/liblockstep_codegen_llvm.so");
  }
  return options;
}

runner::CancelFlag& InterruptFlag() {
  struct sigaction action = {};
  action.sa_handler = OnInterrupt;
  action.sa_flags = SA_RESETHAND | SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  return g_interrupted;
}

}  // namespace lockstep::cli
