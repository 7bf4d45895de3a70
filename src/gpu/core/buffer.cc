// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/buffer.h"

#include <fmt/format.h>

#include <array>

#include "gpu/core/device.h"

namespace lockstep::gpu::core {
namespace {

constexpr std::array<std::string_view, 10> kUsageNames = {"MAP_READ", "MAP_WRITE",    "COPY_SRC", "COPY_DST",
                                                          "INDEX",    "VERTEX",       "UNIFORM",  "STORAGE",
                                                          "INDIRECT", "QUERY_RESOLVE"};

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

std::string BufferUsageNames(uint32_t usage) {
  std::string names;
  for (size_t bit = 0; bit < kUsageNames.size(); ++bit) {
    if ((usage >> bit & 1) == 0) continue;
    if (!names.empty()) names += " | ";
    names += kUsageNames[bit];
  }
  return names.empty() ? "none" : names;
}

Buffer::Buffer(std::shared_ptr<Device> device, const BufferDescriptor& descriptor,
               std::unique_ptr<hal::Buffer> memory)
    : Object(std::move(device), descriptor.label),
      memory_(std::move(memory)),
      size_(descriptor.size),
      usage_(descriptor.usage) {
  if (!memory_) Invalidate();
  if (!descriptor.mapped_at_creation || !memory_) return;
  map_state_ = MapState::kMapped;
  mapped_size_ = size_;
}

std::shared_ptr<Buffer> Device::CreateBuffer(const BufferDescriptor& descriptor) {
  std::unique_ptr<hal::Buffer> memory;
  if (const std::optional<Error> error = Validate(*this, descriptor)) {
    Report(*error);
  } else {
    // hal sizes are multiples of 4; an empty buffer still is an object.
    Result<std::unique_ptr<hal::Buffer>> made =
        hal_->CreateBuffer(std::max<uint64_t>((descriptor.size + 3) / 4 * 4, 4));
    if (made.ok())
      memory = std::move(*made);
    else
      Report({ErrorKind::kOutOfMemory,
              fmt::format("{}: {}", Named("buffer", descriptor.label), made.failure().message),
              FailureKind::kEnvironment});
  }
  return std::make_shared<Buffer>(shared_from_this(), descriptor, std::move(memory));
}

std::optional<Error> Buffer::ValidateMap(MapMode mode, uint64_t offset, uint64_t size) const {
  const std::string name = Named("buffer", label());
  if (!valid() || destroyed_)
    return ValidationError(
        fmt::format("{} is {} and cannot be mapped", name, destroyed_ ? "destroyed" : "invalid"));
  if (map_state_ == MapState::kMapped) return ValidationError(fmt::format("{} is mapped already", name));
  const uint32_t needed = mode == MapMode::kRead ? buffer_usage::kMapRead : buffer_usage::kMapWrite;
  if (!Has(needed)) {
    return ValidationError(
        fmt::format("{} has usage {} and not {}", name, BufferUsageNames(usage_), BufferUsageNames(needed)));
  }
  if (offset % 8 != 0)
    return ValidationError(fmt::format("the offset {} into {} is not a multiple of 8", offset, name));
  if (size % 4 != 0)
    return ValidationError(fmt::format("the size {} of the range of {} is not a multiple of 4", size, name));
  if (offset > size_ || size > size_ - offset) {
    return ValidationError(
        fmt::format("the range of {} bytes at {} does not fit {} of {} bytes", size, offset, name, size_));
  }
  return std::nullopt;
}

std::optional<Error> Buffer::MapAsync(MapMode mode, uint64_t offset, std::optional<uint64_t> size) {
  const uint64_t length = size.value_or(offset <= size_ ? size_ - offset : 0);
  if (std::optional<Error> error = ValidateMap(mode, offset, length)) {
    device().Report(*error);
    return error;
  }
  map_state_ = MapState::kMapped;
  mapped_offset_ = offset;
  mapped_size_ = length;
  return std::nullopt;
}

std::span<std::byte> Buffer::GetMappedRange(uint64_t offset, std::optional<uint64_t> size) {
  const uint64_t length = size.value_or(offset <= size_ ? size_ - offset : 0);
  if (map_state_ != MapState::kMapped || !memory_ || offset % 8 != 0 || length % 4 != 0) return {};
  if (offset < mapped_offset_ || offset - mapped_offset_ > mapped_size_) return {};
  if (length > mapped_size_ - (offset - mapped_offset_)) return {};
  return memory_->bytes().subspan(offset, length);
}

void Buffer::Unmap() {
  map_state_ = MapState::kUnmapped;
  mapped_size_ = 0;
}

void Buffer::Destroy() {
  Unmap();
  const std::lock_guard lock(device().queue_mutex());
  destroyed_ = true;
  memory_.reset();
}

}  // namespace lockstep::gpu::core
