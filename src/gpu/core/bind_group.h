// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// GPUBindGroup: resources for the slots of a layout.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "gpu/core/bind_group_layout.h"
#include "gpu/core/buffer.h"
#include "gpu/core/object.h"
#include "gpu/core/sampler.h"
#include "gpu/core/texture.h"

namespace lockstep::gpu::core {

struct BufferBinding {
  std::shared_ptr<Buffer> buffer;
  uint64_t offset = 0;             // bytes
  std::optional<uint64_t> size;    // left out: to the end of the buffer
  uint64_t EffectiveSize() const;  // WebGPU: #effective-buffer-binding-size
};

// A whole buffer is a BufferBinding with nothing but the buffer; a whole texture is bound through its default
// view. What an external texture would be is bound as a texture: no device imports any.
using BindingResource = std::variant<BufferBinding, std::shared_ptr<Sampler>, std::shared_ptr<Texture>,
                                     std::shared_ptr<TextureView>>;

struct BindGroupEntry {
  uint32_t binding = 0;
  BindingResource resource;
};

struct BindGroupDescriptor {
  std::string label;
  std::shared_ptr<BindGroupLayout> layout;
  std::vector<BindGroupEntry> entries;
};

class BindGroup : public Object {
 public:
  // `entries` sorted by binding; textures are views.
  BindGroup(std::shared_ptr<Device> device, std::string label, std::shared_ptr<BindGroupLayout> layout,
            std::vector<BindGroupEntry> entries);

  const std::shared_ptr<BindGroupLayout>& layout() const { return layout_; }
  const std::vector<BindGroupEntry>& entries() const { return entries_; }

 private:
  std::shared_ptr<BindGroupLayout> layout_;
  std::vector<BindGroupEntry> entries_;
};

}  // namespace lockstep::gpu::core
