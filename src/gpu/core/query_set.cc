// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/query_set.h"

#include <fmt/format.h>

#include "gpu/core/command_encoder.h"
#include "gpu/core/device.h"

namespace lockstep::gpu::core {
namespace {

constexpr uint32_t kMaxQueries = 4096;
constexpr uint64_t kQueryBytes = 8;
constexpr uint64_t kResolveAlignment = 256;  // bytes

std::optional<Error> Validate(const Device& device, const QuerySetDescriptor& descriptor) {
  const std::string name = Named("query set", descriptor.label);
  if (descriptor.type == QueryType::kTimestamp && !device.HasFeature("timestamp-query")) {
    return ValidationError(
        fmt::format("{} is for timestamps, and its device has no feature 'timestamp-query'", name));
  }
  if (descriptor.count > kMaxQueries) {
    return ValidationError(
        fmt::format("{} has {} queries, which exceeds the limit of {}", name, descriptor.count, kMaxQueries));
  }
  return std::nullopt;
}

}  // namespace

QuerySet::QuerySet(std::shared_ptr<Device> device, const QuerySetDescriptor& descriptor,
                   std::unique_ptr<hal::QuerySet> memory)
    : Resource(std::move(device), descriptor.label),
      memory_(std::move(memory)),
      type_(descriptor.type),
      count_(descriptor.count) {
  if (!memory_) Invalidate();
}

std::shared_ptr<QuerySet> Device::CreateQuerySet(const QuerySetDescriptor& descriptor) {
  std::unique_ptr<hal::QuerySet> memory;
  if (const std::optional<Error> error = Validate(*this, descriptor)) {
    Report(*error);
  } else if (!lost_) {
    Result<std::unique_ptr<hal::QuerySet>> made = hal_->CreateQuerySet(descriptor.type, descriptor.count);
    if (made.ok())
      memory = std::move(*made);
    else
      Report(OutOfMemoryError(Named("query set", descriptor.label), made.failure()));
  }
  return std::make_shared<QuerySet>(shared_from_this(), descriptor, std::move(memory));
}

std::optional<std::string> CheckTimestampWrites(const Device& device, const TimestampWrites& writes) {
  if (!device.HasFeature("timestamp-query"))
    return "timestamps are written, and the device has no feature 'timestamp-query'";
  const std::shared_ptr<QuerySet>& queries = writes.query_set;
  if (Complaint complaint = CheckUsable("query set", queries, device)) return complaint;
  const std::string name = Named("query set", *queries);
  if (queries->type() != QueryType::kTimestamp)
    return fmt::format("timestamps are written to {}, which is for occlusion queries", name);
  const auto& begin = writes.beginning_of_pass_write_index;
  const auto& end = writes.end_of_pass_write_index;
  if (!begin && !end)
    return fmt::format("neither the beginning nor the end of the pass is written to {}", name);
  if (begin == end)
    return fmt::format("the beginning and the end of the pass are both written to query {} of {}", *begin,
                       name);
  for (const std::optional<uint32_t>& index : {begin, end}) {
    if (index && *index >= queries->count())
      return fmt::format("a timestamp is written to query {} of {}, which has {}", *index, name,
                         queries->count());
  }
  return std::nullopt;
}

void CommandEncoder::ResolveQuerySet(const std::shared_ptr<QuerySet>& queries, uint32_t first, uint32_t count,
                                     const std::shared_ptr<Buffer>& to, uint64_t to_offset) {
  if (!CheckOpen("resolveQuerySet")) return;
  if (const Complaint complaint = CheckUsable("query set", queries, device()))
    return Fail("resolveQuerySet: " + *complaint);
  if (const Complaint complaint = CheckUsable("buffer", to, device()))
    return Fail("resolveQuerySet: " + *complaint);
  const std::string source = Named("query set", *queries), destination = Named("buffer", *to);
  if (!to->Has(buffer_usage::kQueryResolve)) {
    return Fail(fmt::format("queries are resolved to {}, which lacks the usage QUERY_RESOLVE (it has {})",
                            destination, BufferUsageNames(to->usage())));
  }
  if (first >= queries->count() || count > queries->count() - first) {
    return Fail(fmt::format("{} queries from {} are resolved of {}, which has {}", count, first, source,
                            queries->count()));
  }
  if (to_offset % kResolveAlignment != 0) {
    return Fail(fmt::format("queries are resolved to byte {} of {}, which is not a multiple of {}", to_offset,
                            destination, kResolveAlignment));
  }
  if (to_offset > to->size() || kQueryBytes * count > to->size() - to_offset) {
    return Fail(fmt::format("{} queries resolved to byte {} do not fit {} of {} bytes", count, to_offset,
                            destination, to->size()));
  }
  Use(queries);
  Use(to);
  if (count != 0)
    recording_.commands.emplace_back(ResolveQueriesCommand{queries, first, count, to, to_offset});
}

}  // namespace lockstep::gpu::core
