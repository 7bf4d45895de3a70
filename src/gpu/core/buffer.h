// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// GPUBuffer (#buffers): memory with usages. Mapping is synchronous inside: MapAsync finishes at once, since a
// submit has run when it returns; who needs promises makes them of it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

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

enum class MapMode : uint8_t { kRead = 1, kWrite = 2 };
enum class MapState : uint8_t { kUnmapped, kMapped };

struct BufferDescriptor {
  std::string label;
  uint64_t size = 0;  // bytes
  uint32_t usage = 0;
  bool mapped_at_creation = false;
};

class Buffer : public Object {
 public:
  Buffer(std::shared_ptr<Device> device, const BufferDescriptor& descriptor,
         std::unique_ptr<hal::Buffer> memory);

  uint64_t size() const { return size_; }
  uint32_t usage() const { return usage_; }
  bool Has(uint32_t usage) const { return (usage_ & usage) == usage; }
  MapState map_state() const { return map_state_; }
  bool destroyed() const { return destroyed_; }
  // May be used by a submit now: neither mapped nor destroyed.
  bool available() const { return valid() && !destroyed_ && map_state_ == MapState::kUnmapped; }

  // Size left out: to the end. None where it worked.
  std::optional<Error> MapAsync(MapMode mode, uint64_t offset, std::optional<uint64_t> size);
  // A part of the mapped range; empty where the range is not mapped (OperationError in the browser).
  std::span<std::byte> GetMappedRange(uint64_t offset, std::optional<uint64_t> size);
  void Unmap();
  void Destroy();

  hal::Buffer* memory() const { return memory_.get(); }

 private:
  friend class Device;
  std::optional<Error> ValidateMap(MapMode mode, uint64_t offset, uint64_t size) const;

  std::unique_ptr<hal::Buffer> memory_;  // null: invalid or destroyed
  uint64_t size_;
  uint32_t usage_;
  MapState map_state_ = MapState::kUnmapped;
  uint64_t mapped_offset_ = 0, mapped_size_ = 0;
  bool destroyed_ = false;
};

}  // namespace lockstep::gpu::core
