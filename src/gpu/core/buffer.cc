// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/buffer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "gpu/core/device.h"

namespace lockstep::gpu::core {
namespace {

constexpr std::array<std::string_view, 10> kUsageNames = {"MAP_READ", "MAP_WRITE",    "COPY_SRC", "COPY_DST",
                                                          "INDEX",    "VERTEX",       "UNIFORM",  "STORAGE",
                                                          "INDIRECT", "QUERY_RESOLVE"};

constexpr std::string_view kDeviceLost = "the device is lost";

std::optional<Error> Validate(const Device& device, const BufferDescriptor& d) {
  const std::string name = Named("buffer", d.label);
  if (d.usage == 0) return ValidationError(fmt::format("{} has no usage", name));
  if ((d.usage & ~buffer_usage::kAll) != 0) {
    return ValidationError(
        fmt::format("{} has usage bits that WebGPU does not have (0x{:x})", name, d.usage));
  }
  const auto only = [&](uint32_t map, uint32_t other) {
    return (d.usage & map) == 0 || (d.usage & ~(map | other)) == 0;
  };
  if (!only(buffer_usage::kMapRead, buffer_usage::kCopyDst)) {
    return ValidationError(
        fmt::format("{} has usage {}: MAP_READ goes only with COPY_DST", name, BufferUsageNames(d.usage)));
  }
  if (!only(buffer_usage::kMapWrite, buffer_usage::kCopySrc)) {
    return ValidationError(
        fmt::format("{} has usage {}: MAP_WRITE goes only with COPY_SRC", name, BufferUsageNames(d.usage)));
  }
  if (d.size > device.limits().max_buffer_size) {
    return ValidationError(fmt::format("{} of {} bytes exceeds the limit maxBufferSize of {}", name, d.size,
                                       device.limits().max_buffer_size));
  }
  if (d.mapped_at_creation && d.size % 4 != 0) {
    return ValidationError(
        fmt::format("{} of {} bytes is mapped at creation: its size must be a multiple of 4", name, d.size));
  }
  return std::nullopt;
}

}  // namespace

std::string BufferUsageNames(uint32_t usage) { return FlagNames(usage, kUsageNames); }

Buffer::Buffer(std::shared_ptr<Device> device, const BufferDescriptor& descriptor,
               std::unique_ptr<hal::Buffer> memory, bool valid)
    : Resource(std::move(device), descriptor.label),
      memory_(std::move(memory)),
      size_(descriptor.size),
      usage_(descriptor.usage) {
  if (!valid) Invalidate();
  if (memory_ && descriptor.mapped_at_creation) mapping_ = Mapping{map_mode::kWrite, {0, size_}, {}};
}

// WebGPU: #dom-gpudevice-createbuffer. Whether a buffer is valid is not known where it is mapped at creation,
// so that it is mapped in any case.
std::shared_ptr<Buffer> Device::CreateBuffer(const BufferDescriptor& descriptor) {
  std::optional<Error> error = Validate(*this, descriptor);
  std::unique_ptr<hal::Buffer> memory;
  const bool maps = descriptor.mapped_at_creation && descriptor.size % 4 == 0;
  if (maps || (!error && !lost_)) {
    Result<std::unique_ptr<hal::Buffer>> made = AllocateBuffer(descriptor.size);
    if (made.ok())
      memory = std::move(*made);
    else if (maps)
      return nullptr;
    else
      error = OutOfMemoryError(Named("buffer", descriptor.label), made.failure());
  }
  if (error) Report(*error);
  auto buffer = std::make_shared<Buffer>(shared_from_this(), descriptor, std::move(memory), !error && !lost_);
  if (maps) RememberMapped(buffer);
  return buffer;
}

// Sizes of hal are multiples of 4; an empty buffer still is an object.
Result<std::unique_ptr<hal::Buffer>> Device::AllocateBuffer(uint64_t size) {
  const uint64_t most = hal_->info().limits.max_buffer_size;
  if (size > most) {
    return Failure{FailureKind::kEnvironment,
                   fmt::format("out of memory: {} bytes are more than the {} of any buffer", size, most)};
  }
  return hal_->CreateBuffer(std::max<uint64_t>((size + 3) / 4 * 4, 4));
}

std::string_view Buffer::unavailable_because() const {
  if (destroyed_) return "destroyed";
  if (!valid()) return "invalid";
  if (mapping_) return "mapped";
  return pending_ ? "being mapped" : "";
}

Buffer::Range Buffer::RangeFrom(uint64_t offset, std::optional<uint64_t> size) const {
  return {offset, size.value_or(offset <= size_ ? size_ - offset : 0)};
}

std::optional<Error> Buffer::ValidateMap(uint32_t mode, const Range& range) const {
  const std::string name = Named("buffer", label());
  if (!available())
    return ValidationError(fmt::format("{} is {} and cannot be mapped", name, unavailable_because()));
  if (mode != map_mode::kRead && mode != map_mode::kWrite)
    return ValidationError(fmt::format("{} is mapped with mode {}: it is READ (1) or WRITE (2)", name, mode));
  const uint32_t needed = mode == map_mode::kRead ? buffer_usage::kMapRead : buffer_usage::kMapWrite;
  if (!Has(needed)) {
    return ValidationError(
        fmt::format("{} has usage {} and not {}", name, BufferUsageNames(usage_), BufferUsageNames(needed)));
  }
  if (range.offset % 8 != 0) {
    return ValidationError(fmt::format("the offset {} into {} is not a multiple of 8", range.offset, name));
  }
  if (range.size % 4 != 0) {
    return ValidationError(
        fmt::format("the size {} of the range of {} is not a multiple of 4", range.size, name));
  }
  if (range.offset > size_ || range.size > size_ - range.offset) {
    return ValidationError(fmt::format("the range of {} bytes at {} does not fit {} of {} bytes", range.size,
                                       range.offset, name, size_));
  }
  return std::nullopt;
}

// WebGPU: #dom-gpubuffer-mapasync, as browsers have it and the conformance suite holds them to it: a second
// call while one is pending fails at once and is no validation error; a call while the buffer is mapped is
// one, and fails later. (The specification of August 2026 makes both fail at once, and both validation
// errors.)
void Buffer::MapAsync(uint32_t mode, uint64_t offset, std::optional<uint64_t> size, MapCallback callback) {
  if (pending_)
    return callback(MapStatus::kError, fmt::format("{} is being mapped", Named("buffer", label())));
  const Range range = RangeFrom(offset, size);
  const std::optional<Error> error = ValidateMap(mode, range);
  pending_ = PendingMap{mode, range, std::move(callback)};
  const uint64_t number = ++last_map_;
  const auto finish = [self = shared_from_this(), number](MapStatus status, std::string message) {
    return [self, number, status, message = std::move(message)] { self->FinishMap(number, status, message); };
  };
  if (device().lost()) return device().events().Post(finish(MapStatus::kAborted, NotMapped(kDeviceLost)));
  if (error) {
    device().Report(*error);
    return device().events().Post(finish(MapStatus::kError, error->message));
  }
  device().RememberMapped(shared_from_this());
  device().AfterQueuedWork(finish(MapStatus::kSuccess, {}));
}

void Buffer::FinishMap(uint64_t number, MapStatus status, const std::string& message) {
  if (!pending_ || number != last_map_) return;  // aborted meanwhile
  const PendingMap pending = std::move(*pending_);
  pending_.reset();
  const bool lost = status == MapStatus::kSuccess && device().lost();
  if (lost) status = MapStatus::kAborted;
  if (status == MapStatus::kSuccess) mapping_ = Mapping{pending.mode, pending.range, {}};
  pending.callback(status, lost ? NotMapped(kDeviceLost) : message);
}

std::string Buffer::NotMapped(std::string_view why) const {
  return fmt::format("{} is not mapped: {}", Named("buffer", label()), why);
}

bool Buffer::CanGive(const Range& range) const {
  if (!mapping_) return false;
  const Range& mapped = mapping_->range;
  if (range.offset % 8 != 0 || range.size % 4 != 0) return false;
  if (range.offset < mapped.offset || range.offset - mapped.offset > mapped.size ||
      range.size > mapped.size - (range.offset - mapped.offset))
    return false;
  return std::none_of(mapping_->views.begin(), mapping_->views.end(), [&](const Range& view) {
    return range.offset < view.offset + view.size && view.offset < range.offset + range.size;
  });
}

std::optional<uint64_t> Buffer::SizeOfMappedRange(uint64_t offset, std::optional<uint64_t> size) const {
  const Range range = RangeFrom(offset, size);
  if (!CanGive(range)) return std::nullopt;
  return range.size;
}

// WebGPU: #dom-gpubuffer-getmappedrange.
std::optional<std::span<std::byte>> Buffer::GetMappedRange(uint64_t offset, std::optional<uint64_t> size) {
  const Range range = RangeFrom(offset, size);
  if (!CanGive(range)) return std::nullopt;
  mapping_->views.push_back(range);
  return memory_->bytes().subspan(range.offset, range.size);
}

void Buffer::Unmap(std::string_view why) {
  if (mapping_ && unmapped_) unmapped_();
  mapping_.reset();
  if (!valid()) memory_.reset();
  if (!pending_) return;
  const PendingMap pending = std::move(*pending_);
  pending_.reset();
  pending.callback(MapStatus::kAborted, NotMapped(why));
}

void Buffer::Destroy() {
  Unmap("it was destroyed meanwhile");
  destroyed_ = true;
  memory_.reset();
}

}  // namespace lockstep::gpu::core
