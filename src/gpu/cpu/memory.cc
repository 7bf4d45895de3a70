// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/cpu/memory.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <utility>

namespace lockstep::gpu::cpu {
namespace {

uint64_t RoundUp(uint64_t value, uint64_t to) { return (value + to - 1) / to * to; }

Failure OutOfMemory(uint64_t size) {
  return {FailureKind::kEnvironment, fmt::format("out of memory: {} bytes cannot be had", size)};
}

}  // namespace

Pages::~Pages() {
  if (mapping_ != nullptr) munmap(mapping_, mapping_size_);
}

Pages::Pages(Pages&& other) noexcept
    : mapping_(std::exchange(other.mapping_, nullptr)),
      mapping_size_(std::exchange(other.mapping_size_, 0)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

Pages& Pages::operator=(Pages&& other) noexcept {
  std::swap(mapping_, other.mapping_);
  std::swap(mapping_size_, other.mapping_size_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

Result<Pages> Pages::Allocate(uint64_t size, bool guards, uint64_t alignment) {
  if (size > UINT64_MAX / 4) return OutOfMemory(size);
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  const uint64_t inner = RoundUp(std::max<uint64_t>(RoundUp(size, alignment), 1), page);
  const uint64_t outer = inner + (guards ? 2 * page : 0);
  void* mapping =
      mmap(nullptr, outer, guards ? PROT_NONE : PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) return OutOfMemory(size);
  Pages pages;
  pages.mapping_ = mapping;
  pages.mapping_size_ = outer;
  pages.size_ = size;
  auto* first = static_cast<std::byte*>(mapping);
  pages.data_ = first;
  if (guards) {
    if (mprotect(first + page, inner, PROT_READ | PROT_WRITE) != 0) return OutOfMemory(size);
    pages.data_ = first + page + inner - RoundUp(size, alignment);
  }
  return pages;
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
