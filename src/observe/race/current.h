// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Which invocations a thread runs while it tells events: those of a workgroup, or a batch of vertices or
// fragments.
#pragma once

#include <array>
#include <cstdint>

#include "abi/observe.h"
#include "observe/findings.h"
#include "observe/program.h"

namespace lockstep::observe::race {

class Current {
 public:
  explicit Current(const Program& program) : program_(program) {}

  void Workgroup(uint64_t number) { workgroup_ = number; }
  // `batch` lives until the next one.
  void Batch(const abi::StageBatch& batch) {
    ++workgroup_;
    batch_ = &batch;
    numbers_ = program_.stages[2 * size_t{batch.draw} + (batch.fragments ? 1 : 0)];
  }

  uint64_t workgroup() const { return workgroup_; }  // or a number of the batch
  const Numbers& numbers() const { return numbers_; }

  Invoker At(uint32_t invocation) const {
    if (batch_ == nullptr)
      return Invocation{program_.WorkgroupId(workgroup_), program_.InvocationId(invocation)};
    const abi::StagePlace place = batch_->place(*batch_, invocation);
    if (batch_->fragments) return ShadedFragment{batch_->draw, place};
    return ShadedVertex{batch_->draw, place};
  }

  // Lower is earlier: a workgroup (whose invocations one thread tells of, in their order), or in the order of
  // draws and their primitives.
  using Order = std::array<uint64_t, 4>;
  Order OrderOf(uint32_t invocation) const {
    if (batch_ == nullptr) return {workgroup_};
    const abi::StagePlace at = batch_->place(*batch_, invocation);
    const uint64_t instance = uint64_t{at.instance} << 32;
    if (!batch_->fragments) return {2 * uint64_t{batch_->draw}, instance | at.vertex, 0, 0};
    return {2 * uint64_t{batch_->draw} + 1, instance | at.primitive, uint64_t{at.y} << 32 | at.x, at.sample};
  }

 private:
  const Program& program_;
  uint64_t workgroup_ = 0;
  const abi::StageBatch* batch_ = nullptr;
  Numbers numbers_;
};

}  // namespace lockstep::observe::race
