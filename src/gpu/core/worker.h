// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Threads that do jobs: one for a queue (WebGPU: #queue-timeline), which does them in order; several for
// compilation. A job has two halves. `work` runs on a thread and may touch what hal/ makes, never an object
// of gpu/core; `done` runs afterwards in Events::Process and owns whatever `work` refers to, so that objects
// die where they are used.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "gpu/core/events.h"

namespace lockstep::gpu::core {

class Worker {
 public:
  // No thread is started before the first job.
  Worker(std::shared_ptr<Events> events, unsigned threads) : events_(std::move(events)), threads_(threads) {}
  // Waits for jobs that run; the others are dropped, `done` included.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void Do(std::function<void()> work, std::function<void()> done);
  // No job runs or waits. Who alone gives it jobs may then do one itself.
  bool idle() const;
  void WaitIdle() const;

 private:
  struct Job {
    std::function<void()> work, done;
  };
  void Loop();

  std::shared_ptr<Events> events_;
  unsigned threads_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  mutable std::condition_variable rested_;
  std::deque<Job> jobs_;
  unsigned running_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> running_threads_;
};

}  // namespace lockstep::gpu::core
