// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// GPUPipelineLayout: the bind group layouts of a pipeline, by group.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpu/core/bind_group_layout.h"
#include "gpu/core/object.h"

namespace lockstep::gpu::core {

struct PipelineLayoutDescriptor {
  std::string label;
  std::vector<std::shared_ptr<BindGroupLayout>> bind_group_layouts;  // null: the group is not used
  uint32_t immediate_size = 0;                                       // bytes
};

class PipelineLayout : public Object {
 public:
  PipelineLayout(std::shared_ptr<Device> device, const PipelineLayoutDescriptor& descriptor);

  // By group; null where nothing is bound, layouts without entries included.
  const std::vector<std::shared_ptr<BindGroupLayout>>& bind_group_layouts() const {
    return bind_group_layouts_;
  }
  const BindGroupLayout* group(uint32_t index) const {
    return index < bind_group_layouts_.size() ? bind_group_layouts_[index].get() : nullptr;
  }

 private:
  std::vector<std::shared_ptr<BindGroupLayout>> bind_group_layouts_;
};

}  // namespace lockstep::gpu::core
