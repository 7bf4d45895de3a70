// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Memory between ranges that fault, as far as any 32-bit offset reaches in both directions, so that generated
// code, which sanitizers do not see, is caught where it leaves it. It begins or ends at one of them, as
// asked.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

#include "support/check.h"

namespace lockstep::tests {

enum class Touch { kGuardBehind, kGuardBefore };

class GuardedMemory {
 public:
  // `bytes` a multiple of the alignment wanted, itself at most a page.
  explicit GuardedMemory(uint64_t bytes, Touch touch = Touch::kGuardBehind)
      : inner_((bytes + kPage - 1) / kPage * kPage), bytes_(bytes) {
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    mapping_ = static_cast<std::byte*>(mmap(nullptr, outer(), PROT_NONE, flags, -1, 0));
    CHECK(mapping_ != MAP_FAILED);
    CHECK(inner_ == 0 || mprotect(mapping_ + kBefore, inner_, PROT_READ | PROT_WRITE) == 0);
    data_ = mapping_ + kBefore + (touch == Touch::kGuardBehind ? inner_ - bytes : 0);
  }
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;
  ~GuardedMemory() { munmap(mapping_, outer()); }

  std::byte* data() const { return data_; }
  uint64_t size() const { return bytes_; }

 private:
  static constexpr uint64_t kPage = 4096;
  static constexpr uint64_t kBefore = uint64_t{2} << 30;
  static constexpr uint64_t kBehind = uint64_t{4} << 30;
  uint64_t outer() const { return kBefore + inner_ + kBehind; }

  uint64_t inner_;
  uint64_t bytes_;
  std::byte* mapping_ = nullptr;
  std::byte* data_ = nullptr;
};

}  // namespace lockstep::tests
