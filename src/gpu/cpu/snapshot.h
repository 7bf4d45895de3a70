// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// The contents of memory, to run something once more from where it began.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "abi/kernel.h"

namespace lockstep::gpu::cpu {

class Snapshot {
 public:
  explicit Snapshot(std::vector<abi::BufferView> views) : views_(std::move(views)) {
    for (const abi::BufferView& view : views_) contents_.emplace_back(view.data, view.data + view.size);
  }
  explicit Snapshot(std::span<const abi::BufferView> views)
      : Snapshot(std::vector<abi::BufferView>(views.begin(), views.end())) {}

  void Restore() const {
    for (size_t i = 0; i < contents_.size(); ++i)
      std::memcpy(views_[i].data, contents_[i].data(), contents_[i].size());
  }

 private:
  std::vector<abi::BufferView> views_;
  std::vector<std::vector<std::byte>> contents_;
};

}  // namespace lockstep::gpu::cpu
