// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// GPUBindingCommandsMixin (#programmable-passes): the bind groups that passes and bundles set, and whether
// they fit a pipeline.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/core/bind_group.h"
#include "gpu/core/debug_commands.h"
#include "gpu/core/object.h"
#include "gpu/core/pipeline.h"
#include "gpu/core/usage_scope.h"

namespace lockstep::gpu::core {

class BindingCommands : public Object, public DebugCommands {
 public:
  // `outer`: the encoder of a pass.
  BindingCommands(std::shared_ptr<Device> device, std::string label, const DebugCommands* outer = nullptr)
      : Object(std::move(device), std::move(label)), DebugCommands(outer) {}

  // A null group unsets it. Dynamic offsets in the order of bindings.
  void SetBindGroup(uint32_t index, const std::shared_ptr<BindGroup>& group,
                    std::span<const uint32_t> dynamic_offsets = {});
  // Validated alone: no shader can declare var<immediate> yet.
  void SetImmediates(uint32_t range_offset, std::span<const std::byte> data);

  virtual std::string_view kind() const = 0;       // "compute pass"
  std::string Where(std::string_view call) const;  // "dispatchWorkgroups in compute pass 'x'"

 protected:
  struct Bound {
    std::shared_ptr<BindGroup> group;
    std::vector<uint32_t> dynamic_offsets;
  };

  // It must be available at the submit.
  virtual void Use(const std::shared_ptr<Resource>& resource) = 0;
  // A group was set or unset (null).
  virtual void GroupIsSet(uint32_t, const BindGroup*, std::span<const uint32_t>) {}

  void FailIn(std::string_view call, std::string_view complaint);
  // WebGPU: #abstract-opdef-validate-encoder-bind-groups, for the groups by themselves. Whether something is
  // wrong was told.
  bool CheckGroups(std::string_view call, const Pipeline* pipeline);
  // What the groups that the pipeline has slots for bind.
  UsageScope UsedBy(const Pipeline& pipeline) const;
  // Likewise, for the sizes of buffers.
  bool CheckSizes(std::string_view call, const EvaluatedStage& stage, const UsageScope& used);
  // An indirect call's arguments.
  bool CheckIndirect(std::string_view call, const std::shared_ptr<Buffer>& buffer, uint64_t offset,
                     uint64_t bytes);
  // What the buffers and textures of a compiled stage are.
  static std::vector<BoundRange> RangesOf(const EvaluatedStage& stage, const StageSlots& slots,
                                          const UsageScope& used);
  static std::vector<std::shared_ptr<TextureView>> ViewsOf(const EvaluatedStage& stage,
                                                           const StageSlots& slots, const UsageScope& used);

  std::map<uint32_t, Bound> groups_;
};

}  // namespace lockstep::gpu::core
