// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// GPUComputePassEncoder (#compute-passes).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "gpu/core/pass_state.h"

namespace lockstep::gpu::core {

class ComputePass : public BindingCommands {
 public:
  ComputePass(std::shared_ptr<CommandEncoder> encoder, std::string label, bool begun);
  std::string_view kind() const override { return "compute pass"; }

  void SetPipeline(const std::shared_ptr<ComputePipeline>& pipeline);
  void DispatchWorkgroups(uint32_t x, uint32_t y = 1, uint32_t z = 1);
  void DispatchWorkgroupsIndirect(const std::shared_ptr<Buffer>& buffer, uint64_t offset);
  void End();

 private:
  friend class CommandEncoder;
  bool CheckOpen(std::string_view call) override { return pass_.CheckOpen(*this, call); }
  void Fail(std::string message) override { pass_.Fail(*this, std::move(message)); }
  void Use(const std::shared_ptr<Resource>& resource) override { pass_.Use(resource); }
  bool CheckUsage(std::string_view call, const UsageScope& used, const Buffer* indirect);
  bool CheckCounts(std::string_view call, std::array<uint32_t, 3> counts);
  // The state of a dispatch, validated; None where it is an error.
  std::optional<DispatchCommand> Prepare(std::string_view call, const Buffer* indirect);

  PassState pass_;
  std::shared_ptr<ComputePipeline> pipeline_;
};

}  // namespace lockstep::gpu::core
