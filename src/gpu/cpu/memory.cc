// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/cpu/memory.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <utility>

#include "support/check.h"

namespace lockstep::gpu::cpu {
namespace {

constexpr uint64_t kGuardBefore = uint64_t{2} << 30;  // a signed 32-bit offset
constexpr uint64_t kGuardBehind = uint64_t{4} << 30;  // an unsigned one
constexpr std::byte kBeside{0xa5};

uint64_t RoundUp(uint64_t value, uint64_t to) { return (value + to - 1) / to * to; }

Failure OutOfMemory(uint64_t size) {
  return {FailureKind::kEnvironment, fmt::format("out of memory: {} bytes cannot be had", size)};
}

}  // namespace

Pages::~Pages() {
  if (mapping_ == nullptr) return;
  CHECK(intact());
  munmap(mapping_, mapping_size_);
}

Pages::Pages(Pages&& other) noexcept
    : mapping_(std::exchange(other.mapping_, nullptr)),
      mapping_size_(std::exchange(other.mapping_size_, 0)),
      inner_(std::exchange(other.inner_, {})),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

Pages& Pages::operator=(Pages&& other) noexcept {
  std::swap(mapping_, other.mapping_);
  std::swap(mapping_size_, other.mapping_size_);
  std::swap(inner_, other.inner_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

Result<Pages> Pages::Allocate(uint64_t size, Guards guards, uint64_t alignment) {
  if (size > UINT64_MAX / 4) return OutOfMemory(size);
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  const uint64_t inner = RoundUp(std::max<uint64_t>(RoundUp(size, alignment), 1), page);
  const bool guarded = guards != Guards::kNone;
  const uint64_t outer = inner + (guarded ? kGuardBefore + kGuardBehind : 0);
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | (guarded ? MAP_NORESERVE : 0);
  void* mapping = mmap(nullptr, outer, guarded ? PROT_NONE : PROT_READ | PROT_WRITE, flags, -1, 0);
  if (mapping == MAP_FAILED) return OutOfMemory(size);
  Pages pages;
  pages.mapping_ = mapping;
  pages.mapping_size_ = outer;
  pages.size_ = size;
  pages.data_ = static_cast<std::byte*>(mapping);
  if (!guarded) return pages;
  std::byte* first = pages.data_ + kGuardBefore;
  if (mprotect(first, inner, PROT_READ | PROT_WRITE) != 0) return OutOfMemory(size);
  pages.inner_ = {first, inner};
  pages.data_ = guards == Guards::kBefore ? first : first + inner - RoundUp(size, alignment);
  std::fill(first, pages.data_, kBeside);
  std::fill(pages.data_ + size, first + inner, kBeside);
  return pages;
}

bool Pages::intact() const {
  const auto untouched = [](std::byte value) { return value == kBeside; };
  const auto first = inner_.data(), end = inner_.data() + inner_.size();
  return inner_.empty() ||
         (std::all_of(first, data_, untouched) && std::all_of(data_ + size_, end, untouched));
}

uint64_t UsableMemory() {
  const uint64_t physical =
      static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  uint64_t group = UINT64_MAX;
  std::ifstream limit("/sys/fs/cgroup/memory.max");  // "max", or a number
  uint64_t value = 0;
  if (limit >> value) group = value;
  return std::min(physical, group);
}

}  // namespace lockstep::gpu::cpu
