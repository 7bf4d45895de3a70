// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Everything that a render pass or bundle uses, which is one usage scope (WebGPU:
// #programming-model-synchronization): whatever was set counts, whether a draw needs it or not. A subresource
// is only read, only bound as writable storage, or only an attachment.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "gpu/core/bind_group.h"

namespace lockstep::gpu::core {

enum class PassAccess : uint8_t { kRead, kStorage, kAttachment };

// How something is used: "binding 1 of group 0", "vertex buffer 2".
struct PassUse {
  enum class As : uint8_t {
    kBinding,  // `index` of `group`
    kVertexBuffer,
    kIndexBuffer,
    kIndirect,
    kColorAttachment,
    kResolveTarget,
    kDepthStencil
  };
  As as = As::kBinding;
  uint32_t index = 0, group = 0;
  std::string Text() const;
};

class PassUsage {
 public:
  void Add(uint32_t index, const std::shared_ptr<BindGroup>& group);
  void Add(const std::shared_ptr<Buffer>& buffer, PassAccess access, PassUse use);
  // No aspect: all that the view sees.
  void Add(const std::shared_ptr<TextureView>& view, std::optional<hal::Aspect> aspect, PassAccess access,
           PassUse use);
  void Merge(const PassUsage& other);

  // WebGPU: #usage-scope-validation.
  Complaint Check() const;

 private:
  struct UsedTexture {
    std::shared_ptr<TextureView> view;
    std::optional<hal::Aspect> aspect;
    PassAccess access;
    PassUse use;
  };
  // By access: the first use.
  struct BufferUses {
    std::shared_ptr<Buffer> buffer;
    std::array<std::optional<PassUse>, 2> uses;
  };
  static Complaint CheckTexture(const std::vector<UsedTexture>& uses);

  std::set<std::shared_ptr<BindGroup>> groups_;  // that are in already
  // In the order of first use, so that the same mistake is always told.
  std::vector<BufferUses> buffers_;
  std::vector<std::vector<UsedTexture>> textures_;
  std::unordered_map<const Resource*, size_t> index_;
};

}  // namespace lockstep::gpu::core
