// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// What the bind groups of a dispatch or draw use, and whether these uses go together (WebGPU:
// #programming-model-synchronization). A subresource (a whole buffer; one level, layer and aspect of a
// texture) is either written or read within a scope; where it is written through several bindings, these must
// not overlap.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpu/core/bind_group.h"

namespace lockstep::gpu::core {

struct BoundRange {
  std::shared_ptr<Buffer> buffer;
  uint64_t offset = 0, size = 0;  // bytes
};

// Where a resource is bound.
struct Slot {
  uint32_t group = 0, binding = 0;
  uint32_t visibility = 0;
  bool writable = false;
};

struct UsedBuffer {
  Slot slot;
  BoundRange range;
};

struct UsedView {
  Slot slot;
  std::shared_ptr<TextureView> view;
};

class UsageScope {
 public:
  // Dynamic offsets in the order of bindings.
  void Add(uint32_t index, const BindGroup& group, std::span<const uint32_t> dynamic_offsets);

  const std::vector<UsedBuffer>& buffers() const { return buffers_; }
  const UsedBuffer* Find(uint32_t group, uint32_t binding) const;
  const UsedView* FindView(uint32_t group, uint32_t binding) const;

  // WebGPU: #usage-scope-validation. What is wrong, if anything; the indirect arguments, if any, are read.
  Complaint CheckUsage(const Buffer* indirect) const;
  // WebGPU: #abstract-opdef-encoder-bind-groups-alias-a-writable-resource. After CheckUsage.
  Complaint CheckAliasing() const;

 private:
  std::vector<UsedBuffer> buffers_;
  std::vector<UsedView> views_;
};

}  // namespace lockstep::gpu::core
