// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Stops a submit of which a command does not end. Its thread, made when it is first needed, looks several
// times within the limit whether the commands go on; they pay for a counter alone.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>

namespace lockstep::gpu::core {

class Watchdog {
 public:
  // Sets `stop` where a command takes longer than `seconds`; 0: never.
  Watchdog(double seconds, std::atomic<uint32_t>& stop) : seconds_(seconds), stop_(stop) {}
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  double seconds() const { return seconds_; }
  // Around an execution, which writes to `progress` (hal::ExecuteOptions). The time in which no command runs
  // does not count: the machine's device may be busy with the dispatches of others.
  void Begin();
  std::optional<uint64_t> End();  // the number of the command for which it set `stop`
  std::atomic<uint64_t>& progress() { return progress_; }

 private:
  void Loop();

  const double seconds_;
  std::atomic<uint32_t>& stop_;
  std::atomic<uint64_t> progress_{0};
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  uint64_t execution_ = 0;
  bool running_ = false, resting_ = false, ending_ = false;
  std::optional<uint64_t> endless_;
  std::thread thread_;
};

}  // namespace lockstep::gpu::core
