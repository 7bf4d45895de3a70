// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Another schedule than the usual one: invocations take turns of a few instructions, or now and then of many,
// of several workgroups that run at once. So any two accesses of different invocations may come in either
// order, and others in between. How long turns are and how soon the next one is another workgroup's differs
// from schedule to schedule. As many workgroups have begun as kTurnBytes hold; where not all have, another
// begins when one is done. They begin in linear order or in a random one, both often.
#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "abi/random.h"
#include "interp/machine.h"

namespace lockstep::interp {

namespace {
constexpr uint64_t kMaxAtOnce = 256;
constexpr uint64_t kMaxShuffled = 1 << 16;  // workgroups
constexpr uint64_t kInvocationBytes = 512;  // that bookkeeping takes
}  // namespace

uint64_t Machine::Random() {
  schedule_ = abi::NextRandomState(schedule_);
  return schedule_ >> 33;
}

uint64_t Machine::WorkgroupsAtOnce() const {
  uint64_t shared = 0, own = kInvocationBytes;
  for (const ir::Variable& variable : module_.variables) {
    const uint64_t size = module_.types[variable.type].size;
    if (variable.space == ir::AddressSpace::kWorkgroup) shared += size;
    if (variable.space == ir::AddressSpace::kPrivate) own += size;
  }
  // No function calls itself: at the worst each has a frame.
  for (const uint64_t words : frame_words_) own += words * 4;
  for (const uint64_t bytes : frame_bytes_) own += bytes;
  return std::clamp<uint64_t>(kTurnBytes / (shared + own * module_.invocations()), 1, kMaxAtOnce);
}

void Machine::FindRunning() {
  group_->running.clear();
  for (uint32_t i = 0; i < group_->invocations.size(); ++i) {
    if (group_->invocations[i].state == State::kRunning) group_->running.push_back(i);
  }
}

// Of some invocation of group_ that can go on.
void Machine::TakeTurn() {
  std::vector<uint32_t>& running = group_->running;
  const size_t which = Random() % running.size();
  current_ = &group_->invocations[running[which]];
  const uint64_t turn = Random() % 16 == 0 ? 200 : 1 + Random() % longest_turn_;
  for (uint64_t i = 0; i < turn && current_->state == State::kRunning && !failure_; ++i) Step();
  if (current_->state == State::kRunning) return;
  running[which] = running.back();
  running.pop_back();
}

void Machine::RunInTurns() {
  CHECK(options_.observer == nullptr);
  schedule_ = options_.schedule_seed * 0x9e3779b97f4a7c15u;
  longest_turn_ = uint64_t{1} << Random() % 5;
  const uint64_t stay = uint64_t{1} << Random() % 4;
  const uint64_t total = WorkgroupTotal(), at_once = WorkgroupsAtOnce();
  std::vector<uint32_t> order;  // empty: linear
  if (total <= kMaxShuffled && Random() % 2 == 0) {
    order.resize(total);
    std::iota(order.begin(), order.end(), 0);
    for (size_t i = total; i > 1; --i) std::swap(order[i - 1], order[Random() % i]);
  }
  std::vector<std::unique_ptr<Workgroup>> groups;
  uint64_t begun = 0;
  size_t which = 0;
  while (!failure_) {
    while (begun < total && groups.size() < at_once) {
      groups.push_back(std::make_unique<Workgroup>());
      Begin(groups.back().get(), order.empty() ? begun : order[begun]);
      for (uint32_t i = 0; i < group_->invocations.size() && !failure_; ++i) StartInvocation(i);
      FindRunning();
      ++begun;
    }
    if (groups.empty()) return;
    if (which >= groups.size() || Random() % stay == 0) which = Random() % groups.size();
    group_ = groups[which].get();
    TakeTurn();
    if (!group_->running.empty() || failure_) continue;
    if (PassBarrier()) {
      FindRunning();
    } else {
      std::swap(groups[which], groups.back());
      groups.pop_back();
    }
  }
}

}  // namespace lockstep::interp
