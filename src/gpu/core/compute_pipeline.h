// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// GPUComputePipeline: an entry point with its overrides, compiled for the device.
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "gpu/core/compute_stage.h"
#include "gpu/core/finding.h"
#include "gpu/core/object.h"
#include "gpu/core/pipeline_layout.h"
#include "gpu/hal/device.h"

namespace lockstep::gpu::core {

class ShaderModule;

struct ProgrammableStage {
  std::shared_ptr<ShaderModule> module;
  std::optional<std::string> entry_point;
  Constants constants;
};

struct ComputePipelineDescriptor {
  std::string label;
  std::shared_ptr<PipelineLayout> layout;  // null: "auto"
  ProgrammableStage compute;
  hal::PipelineOptions device_options;  // of the engine, not of WebGPU; its label is this one
};

// Of a pipeline that the compiler refused: null.
using CompiledPipeline = std::shared_future<std::shared_ptr<hal::ComputePipeline>>;

class ComputePipeline : public Object, public std::enable_shared_from_this<ComputePipeline> {
 public:
  ComputePipeline(std::shared_ptr<Device> device, std::string label)
      : Object(std::move(device), std::move(label)) {}

  std::shared_ptr<BindGroupLayout> GetBindGroupLayout(uint32_t index);

  // Blocks until it is compiled, processing events meanwhile: then `valid` and the device's errors tell how
  // it went.
  void Wait();

  // What creation had to say about the shader, places included; kept for invalid pipelines too.
  const diag::Sink& messages() const { return messages_; }

  // --- of pipelines that are watched ---
  const std::shared_ptr<ShaderModule>& module() const { return module_; }
  // False where the finding has been told.
  bool IsNew(const FindingKey& finding);

  // --- of valid pipelines ---
  const std::shared_ptr<PipelineLayout>& layout() const { return layout_; }
  const ComputeStage& stage() const { return *stage_; }
  const CompiledPipeline& compiled() const { return compiled_; }
  // A slot of the compiled pipeline each: indices into stage().resources, in the order of the module's
  // variables.
  const std::vector<uint32_t>& slots() const { return slots_; }

 private:
  friend class Device;
  // Everything but the device's own compilation; the module for that.
  std::optional<Error> Validate(const ComputePipelineDescriptor& descriptor, ir::Module* lowered);
  // `done` comes in Events::Process.
  void Compile(ir::Module lowered, const hal::PipelineOptions& options,
               std::function<void(const std::optional<Error>&)> done);

  std::shared_ptr<ShaderModule> module_;  // null: not watched
  std::vector<FindingKey> told_;
  diag::Sink messages_;
  std::shared_ptr<PipelineLayout> layout_;
  std::optional<ComputeStage> stage_;
  CompiledPipeline compiled_;
  bool compiling_ = false;
  std::vector<uint32_t> slots_;
};

}  // namespace lockstep::gpu::core
