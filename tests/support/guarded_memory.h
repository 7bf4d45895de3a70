// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Memory that ends at an inaccessible page (and begins after one), so that generated code, which sanitizers
// do not see, faults where it leaves it.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

#include "support/check.h"

namespace lockstep::tests {

class GuardedMemory {
 public:
  // `bytes` a multiple of `alignment`, itself at most a page; the last byte is the page's last.
  explicit GuardedMemory(uint64_t bytes) : pages_((bytes + kPage - 1) / kPage), bytes_(bytes) {
    mapping_ = static_cast<std::byte*>(
        mmap(nullptr, (pages_ + 2) * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    CHECK(mapping_ != MAP_FAILED);
    CHECK(pages_ == 0 || mprotect(mapping_ + kPage, pages_ * kPage, PROT_READ | PROT_WRITE) == 0);
  }
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;
  ~GuardedMemory() { munmap(mapping_, (pages_ + 2) * kPage); }

  std::byte* data() const { return mapping_ + (pages_ + 1) * kPage - bytes_; }
  uint64_t size() const { return bytes_; }

 private:
  static constexpr uint64_t kPage = 4096;
  uint64_t pages_;
  uint64_t bytes_;
  std::byte* mapping_ = nullptr;
};

}  // namespace lockstep::tests
