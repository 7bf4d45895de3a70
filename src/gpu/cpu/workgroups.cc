// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/cpu/workgroups.h"

#include <fmt/format.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <numeric>
#include <thread>
#include <vector>

namespace lockstep::gpu::cpu {
namespace {

// Small enough that threads end together, large enough that the counter is not fought over.
constexpr uint64_t kChunksPerThread = 16;
constexpr uint64_t kLargestChunk = 64;
// For the host's own calls, observers among them, on threads with a stack of a given size.
constexpr uint64_t kHostStackBytes = 1 << 20;

using Work = std::function<void(uint32_t slot)>;

// On the calling thread.
bool RunsAlone(uint64_t total, uint32_t threads) { return threads <= 1 || total <= 1; }

// Calls `work` for each slot, each on a thread of its own with such a stack.
Result<> RunWithStack(uint32_t threads, uint64_t stack_bytes, const Work& work) {
  struct Start {
    const Work* work;
    uint32_t slot;
    pthread_t thread;
  };
  std::vector<Start> starts(threads);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  uint32_t running = 0;
  int error = pthread_attr_setstacksize(&attributes, stack_bytes + kHostStackBytes);
  while (error == 0 && running < threads) {
    Start& start = starts[running];
    start = {&work, running, {}};
    const auto enter = [](void* given) -> void* {
      const auto* mine = static_cast<const Start*>(given);
      (*mine->work)(mine->slot);
      return nullptr;
    };
    error = pthread_create(&start.thread, &attributes, enter, &start);
    if (error == 0) ++running;
  }
  pthread_attr_destroy(&attributes);
  for (uint32_t i = 0; i < running; ++i) pthread_join(starts[i].thread, nullptr);
  // Fewer threads do the same work.
  if (running > 0) return Ok();
  return Failure{
      FailureKind::kEnvironment,
      fmt::format("out of memory: no thread with a stack of {} MiB can be made", stack_bytes >> 20)};
}

}  // namespace

uint32_t StepThroughGroups(uint32_t groups, uint64_t seed) {
  if (seed == 0 || groups < 3) return 1;
  auto step = static_cast<uint32_t>(1 + Mix64(~seed) % (groups - 1));
  while (std::gcd(step, groups) != 1) step = step % (groups - 1) + 1;
  return step;
}

uint64_t Mix64(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

Permutation::Permutation(uint64_t count, uint64_t seed) : count_(count) {
  const int bits = std::max(2, static_cast<int>(std::bit_width(count > 0 ? count - 1 : 0)));
  half_bits_ = static_cast<uint32_t>((bits + 1) / 2);
  for (size_t i = 0; i < keys_.size(); ++i) keys_[i] = Mix64(seed + (i + 1) * 0x9e3779b97f4a7c15u);
}

uint64_t Permutation::operator()(uint64_t index) const {
  const uint64_t mask = (uint64_t{1} << half_bits_) - 1;
  do {
    uint64_t left = index >> half_bits_, right = index & mask;
    for (const uint64_t key : keys_) {
      const uint64_t next = left ^ (Mix64(right ^ key) & mask);
      left = right;
      right = next;
    }
    index = left << half_bits_ | right;
  } while (index >= count_);
  return index;
}

uint32_t DefaultThreads() {
  return static_cast<uint32_t>(std::max(1, oneapi::tbb::info::default_concurrency()));
}

struct WorkgroupThreads::Arena {
  explicit Arena(uint32_t count)
      : threads(count),
        // More threads than processors are allowed: oneTBB would warn and leave them out.
        allowed(oneapi::tbb::global_control::max_allowed_parallelism, std::max(count, DefaultThreads())),
        arena(static_cast<int>(count)) {}
  uint32_t threads;
  oneapi::tbb::global_control allowed;
  oneapi::tbb::task_arena arena;
};

WorkgroupThreads::WorkgroupThreads() = default;
WorkgroupThreads::~WorkgroupThreads() = default;

void WorkgroupThreads::Prepare(uint64_t total, uint32_t threads, uint64_t stack_bytes) {
  if (stack_bytes > kUsualStackBytes || RunsAlone(total, threads)) return;
  if (arena_ && arena_->threads == threads) return;
  arena_ = std::make_unique<Arena>(threads);
  // oneTBB starts a thread when there is work for it: here is some that lasts until all have come.
  std::atomic<uint32_t> arrived{0};
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
  const auto wait = [&](uint32_t) {
    arrived.fetch_add(1);
    while (arrived.load() < threads && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  };
  arena_->arena.execute(
      [&] { oneapi::tbb::parallel_for(uint32_t{0}, threads, wait, oneapi::tbb::simple_partitioner()); });
}

Result<> WorkgroupThreads::Run(uint64_t total, uint32_t threads, uint64_t stack_bytes,
                               const std::function<bool(uint32_t, uint64_t, uint64_t)>& run) {
  const bool usual = stack_bytes <= kUsualStackBytes;
  if (usual && RunsAlone(total, threads)) {
    for (uint64_t first = 0; first < total; first += kLargestChunk) {
      if (!run(0, first, std::min(total, first + kLargestChunk))) break;
    }
    return Ok();
  }
  const uint64_t chunk =
      std::clamp<uint64_t>(total / (uint64_t{threads} * kChunksPerThread), 1, kLargestChunk);
  std::atomic<uint64_t> next{0};
  std::atomic<bool> stop{false};
  const auto work = [&](uint32_t slot) {
    while (!stop.load(std::memory_order_relaxed)) {
      const uint64_t first = next.fetch_add(chunk, std::memory_order_relaxed);
      if (first >= total) return;
      if (!run(slot, first, std::min(total, first + chunk))) stop.store(true, std::memory_order_relaxed);
    }
  };
  if (!usual) return RunWithStack(threads, stack_bytes, work);
  Prepare(total, threads, stack_bytes);
  arena_->arena.execute(
      [&] { oneapi::tbb::parallel_for(uint32_t{0}, threads, work, oneapi::tbb::simple_partitioner()); });
  return Ok();
}

}  // namespace lockstep::gpu::cpu
