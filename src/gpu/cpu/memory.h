// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Zero-filled pages straight from the system. With guards the memory ends (up to alignment) at a page that
// faults, and begins after one: generated code is not seen by sanitizers, so this is how an access outside of
// its buffer is caught.
//
//   | guard | unused ... | data (aligned) | guard |
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "support/result.h"

namespace lockstep::gpu::cpu {

class Pages {
 public:
  Pages() = default;
  ~Pages();
  Pages(Pages&& other) noexcept;
  Pages& operator=(Pages&& other) noexcept;

  // The data is aligned to `alignment`, at most a page.
  static Result<Pages> Allocate(uint64_t size, bool guards, uint64_t alignment = 16);

  std::byte* data() const { return data_; }
  uint64_t size() const { return size_; }
  std::span<std::byte> bytes() const { return {data_, size_}; }

 private:
  void* mapping_ = nullptr;
  uint64_t mapping_size_ = 0;
  std::byte* data_ = nullptr;
  uint64_t size_ = 0;
};

// Bytes that this process may hope for: physical memory, or less where a control group says so.
uint64_t UsableMemory();

}  // namespace lockstep::gpu::cpu
