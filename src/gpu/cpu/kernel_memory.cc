// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/cpu/kernel_memory.h"

#include <cstring>
#include <utility>

#include "support/check.h"

namespace lockstep::gpu::cpu {

Result<BoundViews> BoundViews::Bind(std::span<const hal::BoundBuffer> buffers, Guards guards) {
  BoundViews bound;
  for (const hal::BoundBuffer& buffer : buffers) {
    CHECK(buffer.offset <= buffer.buffer->size() && buffer.size <= buffer.buffer->size() - buffer.offset);
    std::byte* data = buffer.buffer->bytes().data() + buffer.offset;
    if (guards != Guards::kNone && buffer.size != buffer.buffer->size()) {
      Result<Pages> pages = Pages::Allocate(buffer.size, guards);
      if (!pages.ok()) return pages.failure();
      std::memcpy(pages->data(), data, buffer.size);
      bound.copies_.push_back({std::move(*pages), data});
      data = bound.copies_.back().pages.data();
    }
    bound.views_.push_back({data, buffer.size});
  }
  return bound;
}

BoundViews::~BoundViews() {
  for (const Copy& copy : copies_) std::memcpy(copy.origin, copy.pages.data(), copy.pages.size());
}

Result<> WorkerMemory::Fit(uint64_t workgroup_bytes, uint64_t frame_bytes, Guards guards) {
  for (const auto& [pages, bytes] :
       {std::pair{&workgroup_, workgroup_bytes}, std::pair{&frame_, frame_bytes}}) {
    // Guards stand around one kernel's memory; without them what a larger kernel needed serves too.
    const bool fits = guards == Guards::kNone ? pages->size() >= bytes : pages->size() == bytes;
    if (fits && pages->data() != nullptr) continue;
    Result<Pages> made = Pages::Allocate(bytes, guards, 64);
    if (!made.ok()) return made.failure();
    *pages = std::move(*made);
  }
  return Ok();
}

}  // namespace lockstep::gpu::cpu
