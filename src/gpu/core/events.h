// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// What comes later is told on the thread that uses the objects (WebGPU: #content-timeline). Threads of a
// device post tasks; they run when that thread calls Process: in Node when its loop is woken, in C when the
// program asks for events, in the runner while it waits. So objects of gpu/core need no locks, and no
// callback surprises its caller.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <vector>

namespace lockstep::gpu::core {

class Events {
 public:
  using Task = std::function<void()>;

  // From any thread.
  void Post(Task task);
  // Runs what is posted, in order, also what these tasks post. How many ran.
  size_t Process();
  // Processes what is posted until `done` holds, and blocks while there is nothing.
  void ProcessUntil(const std::function<bool()>& done);
  // Forgets what is posted: who cannot process any more has stopped everything that posts.
  void Clear();
  // Called from the posting thread when there is something to process; it must only wake up whoever calls
  // Process.
  void set_wake(std::function<void()> wake);

 private:
  std::mutex mutex_;
  std::condition_variable posted_;
  std::vector<Task> tasks_;
  std::function<void()> wake_;
};

}  // namespace lockstep::gpu::core
