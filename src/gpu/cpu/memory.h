// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Zero-filled pages straight from the system. Generated code is not seen by sanitizers; with guards the
// memory stands between ranges that fault, as far as any 32-bit offset reaches in both directions, so that an
// access outside of a buffer is caught whatever offset it computed.
//
//   kBehind   | 2 GiB guard | unused ... | data, padding to the alignment | 4 GiB guard |
//   kBefore   | 2 GiB guard | data ... unused                             | 4 GiB guard |
//
// Only one end can touch a guard, since pages are whole: what is left over (unused, padding) holds a pattern
// that is looked at when the memory is given back, so that writes into it are found too, if late.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "support/result.h"

namespace lockstep::gpu::cpu {

// Which end of the data touches what faults.
enum class Guards : uint8_t { kNone, kBehind, kBefore };

class Pages {
 public:
  Pages() = default;
  ~Pages();
  Pages(Pages&& other) noexcept;
  Pages& operator=(Pages&& other) noexcept;

  // The data is aligned to `alignment`, at most a page.
  static Result<Pages> Allocate(uint64_t size, Guards guards, uint64_t alignment = 16);

  // Nothing was written beside the data. Always so without guards, which have no room beside it.
  bool intact() const;

  std::byte* data() const { return data_; }
  uint64_t size() const { return size_; }
  std::span<std::byte> bytes() const { return {data_, size_}; }

 private:
  void* mapping_ = nullptr;
  uint64_t mapping_size_ = 0;
  std::span<std::byte> inner_;  // all pages between the guards; empty without
  std::byte* data_ = nullptr;
  uint64_t size_ = 0;
};

// Bytes that this process may hope for: physical memory, or less where a control group says so.
uint64_t UsableMemory();

}  // namespace lockstep::gpu::cpu
