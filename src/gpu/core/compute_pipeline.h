// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// GPUComputePipeline: an entry point with its overrides, compiled for the device.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/core/pipeline.h"
#include "gpu/hal/device.h"

namespace lockstep::gpu::core {

struct ComputePipelineDescriptor {
  std::string label;
  std::shared_ptr<PipelineLayout> layout;  // null: "auto"
  ProgrammableStage compute;
  hal::PipelineOptions device_options;  // of the engine, not of WebGPU; its label is this one
};

class ComputePipeline : public Pipeline {
 public:
  using Pipeline::Pipeline;
  std::string_view kind() const override { return "compute pipeline"; }
  // Everything but the device's own compilation.
  std::optional<Error> Validate(const ComputePipelineDescriptor& descriptor);
  void Compile(PipelineDone done) override;

  // --- of pipelines that are watched ---
  const std::shared_ptr<ShaderModule>& module() const { return module_; }

  // --- of valid pipelines ---
  const EvaluatedStage& stage() const { return *stage_; }
  const Compiled<hal::ComputePipeline>& compiled() const { return compiled_; }
  const StageSlots& slots() const { return slots_; }

 private:
  std::shared_ptr<ShaderModule> module_;  // null: not watched
  std::optional<EvaluatedStage> stage_;
  std::optional<ir::Module> lowered_;  // until it is compiled
  hal::PipelineOptions options_;
  Compiled<hal::ComputePipeline> compiled_;
  StageSlots slots_;
};

}  // namespace lockstep::gpu::core
