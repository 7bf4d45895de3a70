// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// GPUBuffer (#buffers): memory with usages. A submit holds the memory that it uses, so a buffer may be
// destroyed, or its last reference dropped, while it runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/core/error.h"
#include "gpu/core/object.h"
#include "gpu/hal/device.h"

namespace lockstep::gpu::core {

// GPUBufferUsage
namespace buffer_usage {
inline constexpr uint32_t kMapRead = 0x0001, kMapWrite = 0x0002, kCopySrc = 0x0004, kCopyDst = 0x0008;
inline constexpr uint32_t kIndex = 0x0010, kVertex = 0x0020, kUniform = 0x0040, kStorage = 0x0080;
inline constexpr uint32_t kIndirect = 0x0100, kQueryResolve = 0x0200, kAll = 0x03ff;
}  // namespace buffer_usage
std::string BufferUsageNames(uint32_t usage);  // "COPY_SRC | STORAGE", "none"

// GPUMapMode
namespace map_mode {
inline constexpr uint32_t kRead = 1, kWrite = 2;
}

using MapState = BufferMapState;

enum class MapStatus : uint8_t {
  kSuccess,
  kError,    // OperationError; the device was told a validation error
  kAborted,  // AbortError: unmapped or destroyed before, or the device is lost
};
using MapCallback = std::function<void(MapStatus, const std::string& message)>;

struct BufferDescriptor {
  std::string label;
  uint64_t size = 0;  // bytes
  uint32_t usage = 0;
  bool mapped_at_creation = false;
};

class Buffer : public Resource, public std::enable_shared_from_this<Buffer> {
 public:
  // Memory: none, or where the buffer is mapped at creation, whether it is valid or not.
  Buffer(std::shared_ptr<Device> device, const BufferDescriptor& descriptor,
         std::unique_ptr<hal::Buffer> memory, bool valid);

  uint64_t size() const { return size_; }
  uint32_t usage() const { return usage_; }
  bool Has(uint32_t usage) const { return (usage_ & usage) == usage; }
  MapState map_state() const {
    return mapping_ ? MapState::kMapped : pending_ ? MapState::kPending : MapState::kUnmapped;
  }
  bool destroyed() const { return destroyed_; }
  std::string_view kind() const override { return "buffer"; }
  std::string_view unavailable_because() const override;

  // Size left out: to the end. The callback comes once: in Events::Process when what the queue was given
  // before has run; with an error in Process, too, but at once where the buffer is about to be mapped;
  // aborted by Unmap, Destroy and the device's loss at once.
  void MapAsync(uint32_t mode, uint64_t offset, std::optional<uint64_t> size, MapCallback callback);
  // A part of the mapped range, valid until Unmap; None: OperationError. What is written to a range that is
  // mapped for reading only must not reach the buffer: who cannot promise that hands out a copy.
  std::optional<std::span<std::byte>> GetMappedRange(uint64_t offset, std::optional<uint64_t> size);
  // The bytes that GetMappedRange would give: for who needs memory to hand them out.
  std::optional<uint64_t> SizeOfMappedRange(uint64_t offset, std::optional<uint64_t> size) const;
  bool mapped_for_writing() const { return mapping_ && mapping_->mode == map_mode::kWrite; }
  // `why`: said where the buffer is about to be mapped.
  void Unmap(std::string_view why = "it was unmapped meanwhile");
  void Destroy();
  // Called when a mapping ends: who handed ranges out takes them back.
  void set_unmapped(std::function<void()> callback) { unmapped_ = std::move(callback); }

  const std::shared_ptr<hal::Buffer>& memory() const { return memory_; }

 private:
  struct Range {
    uint64_t offset = 0, size = 0;
  };
  struct PendingMap {
    uint32_t mode;
    Range range;
    MapCallback callback;
  };
  struct Mapping {
    uint32_t mode;
    Range range;
    std::vector<Range> views;  // handed out
  };
  Range RangeFrom(uint64_t offset, std::optional<uint64_t> size) const;  // left out: to the end
  std::optional<Error> ValidateMap(uint32_t mode, const Range& range) const;
  std::string NotMapped(std::string_view why) const;
  // What GetMappedRange gives may be given now.
  bool CanGive(const Range& range) const;
  void FinishMap(uint64_t number, MapStatus status, const std::string& message);

  std::shared_ptr<hal::Buffer> memory_;  // null: destroyed, or invalid and not mapped
  uint64_t size_;
  uint32_t usage_;
  uint64_t last_map_ = 0;  // numbers calls of MapAsync
  std::optional<PendingMap> pending_;
  std::optional<Mapping> mapping_;
  std::function<void()> unmapped_;
  bool destroyed_ = false;
};

}  // namespace lockstep::gpu::core
