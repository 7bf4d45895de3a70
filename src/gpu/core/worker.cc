// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/worker.h"

#include <utility>

namespace lockstep::gpu::core {

Worker::~Worker() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : running_threads_) thread.join();
}

void Worker::Do(std::function<void()> work, std::function<void()> done) {
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back({std::move(work), std::move(done)});
    if (running_threads_.size() < threads_ && running_ + jobs_.size() > running_threads_.size())
      running_threads_.emplace_back([this] { Loop(); });
  }
  changed_.notify_one();
}

bool Worker::idle() const {
  const std::lock_guard lock(mutex_);
  return jobs_.empty() && running_ == 0;
}

void Worker::WaitIdle() const {
  std::unique_lock lock(mutex_);
  rested_.wait(lock, [this] { return jobs_.empty() && running_ == 0; });
}

void Worker::Loop() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
    if (stopping_) return;
    Job job = std::move(jobs_.front());
    jobs_.pop_front();
    ++running_;
    lock.unlock();
    job.work();
    job.work = nullptr;
    events_->Post(std::move(job.done));
    lock.lock();
    --running_;
    if (jobs_.empty() && running_ == 0) rested_.notify_all();
  }
}

}  // namespace lockstep::gpu::core
