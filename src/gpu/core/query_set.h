// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// GPUQuerySet (#queries): numbers that passes write and resolveQuerySet copies out; 0 until they are written.
// Like a buffer's memory, its queries live as long as a submit uses them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "gpu/core/enums.h"
#include "gpu/core/object.h"
#include "gpu/hal/device.h"

namespace lockstep::gpu::core {

struct QuerySetDescriptor {
  std::string label;
  QueryType type = QueryType::kOcclusion;
  uint32_t count = 0;
};

class QuerySet : public Resource {
 public:
  QuerySet(std::shared_ptr<Device> device, const QuerySetDescriptor& descriptor,
           std::unique_ptr<hal::QuerySet> memory);

  QueryType type() const { return type_; }
  uint32_t count() const { return count_; }
  void Destroy() { memory_.reset(); }

  std::string_view kind() const override { return "query set"; }
  std::string_view unavailable_because() const override { return memory_ ? "" : "destroyed"; }
  const std::shared_ptr<hal::QuerySet>& memory() const { return memory_; }

 private:
  std::shared_ptr<hal::QuerySet> memory_;  // null: invalid or destroyed
  QueryType type_;
  uint32_t count_;
};

// GPUComputePassTimestampWrites and GPURenderPassTimestampWrites.
struct TimestampWrites {
  std::shared_ptr<QuerySet> query_set;
  std::optional<uint32_t> beginning_of_pass_write_index, end_of_pass_write_index;
};
// WebGPU: #abstract-opdef-validate-timestampwrites. What is wrong with them.
std::optional<std::string> CheckTimestampWrites(const Device& device, const TimestampWrites& writes);

}  // namespace lockstep::gpu::core
