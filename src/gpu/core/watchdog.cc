// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/watchdog.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "gpu/hal/device.h"

namespace lockstep::gpu::core {
namespace {

constexpr int kLooks = 16;  // within the limit

}  // namespace

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Watchdog::Begin() {
  progress_.store(hal::kNoCommand);
  if (seconds_ <= 0) return;
  const std::lock_guard lock(mutex_);
  ++execution_;
  running_ = true;
  endless_.reset();
  if (!thread_.joinable()) thread_ = std::thread([this] { Loop(); });
  if (resting_) changed_.notify_one();  // else it looks soon by itself
}

std::optional<uint64_t> Watchdog::End() {
  const std::lock_guard lock(mutex_);
  running_ = false;
  return endless_;
}

void Watchdog::Loop() {
  using Clock = std::chrono::steady_clock;
  const auto limit =
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(std::min(seconds_, 1e9)));
  const auto look = std::max<Clock::duration>(limit / kLooks, std::chrono::milliseconds(1));
  std::pair<uint64_t, uint64_t> seen{0, 0};  // the execution and its progress
  Clock::time_point since = Clock::now();
  std::unique_lock lock(mutex_);
  while (!ending_) {
    if (!running_ || endless_) {
      resting_ = true;
      changed_.wait(lock, [this] { return ending_ || (running_ && !endless_); });
      resting_ = false;
    }
    const std::pair now{execution_, progress_.load()};
    if (now != seen || now.second == hal::kNoCommand) {
      seen = now;
      since = Clock::now();
    } else if (running_ && Clock::now() - since >= limit) {
      endless_ = seen.second;
      stop_.store(1);
    }
    changed_.wait_for(lock, look, [this] { return ending_; });
  }
}

}  // namespace lockstep::gpu::core
