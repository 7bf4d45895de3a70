// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/events.h"

#include <utility>

namespace lockstep::gpu::core {

void Events::Post(Task task) {
  std::function<void()> wake;
  {
    const std::lock_guard lock(mutex_);
    if (tasks_.empty()) wake = wake_;
    tasks_.push_back(std::move(task));
  }
  posted_.notify_all();
  if (wake) wake();
}

size_t Events::Process() {
  size_t ran = 0;
  for (;;) {
    std::vector<Task> tasks;
    {
      const std::lock_guard lock(mutex_);
      tasks.swap(tasks_);
    }
    if (tasks.empty()) return ran;
    for (Task& task : tasks) {
      task();
      task = nullptr;  // what it holds goes before the next one runs
      ++ran;
    }
  }
}

void Events::ProcessUntil(const std::function<bool()>& done) {
  while (Process(), !done()) {
    std::unique_lock lock(mutex_);
    posted_.wait(lock, [this] { return !tasks_.empty(); });
  }
}

void Events::Clear() {
  std::vector<Task> tasks;
  do {
    tasks.clear();  // which may post again
    const std::lock_guard lock(mutex_);
    tasks.swap(tasks_);
  } while (!tasks.empty());
}

void Events::set_wake(std::function<void()> wake) {
  const std::lock_guard lock(mutex_);
  wake_ = std::move(wake);
}

}  // namespace lockstep::gpu::core
