// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// GPURenderPipeline (#render-pipeline): a vertex entry point, perhaps a fragment one, and how to draw with
// them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/core/depth_stencil_state.h"
#include "gpu/core/fragment_state.h"
#include "gpu/core/pipeline.h"
#include "gpu/core/render_layout.h"
#include "gpu/core/vertex_state.h"

namespace lockstep::gpu::core {

struct RenderPipelineDescriptor {
  std::string label;
  std::shared_ptr<PipelineLayout> layout;  // null: "auto"
  VertexState vertex;
  abi::PrimitiveState primitive;
  std::optional<DepthStencilState> depth_stencil;
  abi::MultisampleState multisample;
  std::optional<FragmentState> fragment;
  hal::PipelineOptions device_options;  // of the engine, not of WebGPU; its label is this one
};

class RenderPipeline : public Pipeline {
 public:
  using Pipeline::Pipeline;
  std::string_view kind() const override { return "render pipeline"; }
  // Everything but the device's own compilation.
  std::optional<Error> Validate(const RenderPipelineDescriptor& descriptor);
  void Compile(PipelineDone done) override;

  // --- of pipelines that are watched ---
  const std::shared_ptr<ShaderModule>& vertex_module() const { return vertex_module_; }
  const std::shared_ptr<ShaderModule>& fragment_module() const { return fragment_module_; }

  // --- of valid pipelines ---
  struct CompiledStage {
    EvaluatedStage stage;
    StageSlots slots;
  };
  const CompiledStage& vertex() const { return *vertex_; }
  const std::optional<CompiledStage>& fragment() const { return fragment_; }
  const Compiled<hal::RenderPipeline>& compiled() const { return compiled_; }
  const RenderPassLayout& target_layout() const { return target_layout_; }
  const std::vector<std::optional<abi::VertexBufferLayout>>& vertex_buffers() const {
    return hal_descriptor_.vertex_buffers;
  }
  const abi::PrimitiveState& primitive() const { return hal_descriptor_.primitive; }
  bool writes_depth() const { return writes_depth_; }
  bool writes_stencil() const { return writes_stencil_; }

 private:
  // What is lowered and not compiled yet.
  struct Lowered {
    ir::Module vertex;
    std::optional<ir::Module> fragment;
  };
  std::optional<Error> EvaluateStages(const RenderPipelineDescriptor& descriptor);
  Complaint CheckStages(const RenderPipelineDescriptor& descriptor) const;
  void Describe(const RenderPipelineDescriptor& descriptor);

  std::shared_ptr<ShaderModule> vertex_module_, fragment_module_;  // null: not watched
  std::optional<CompiledStage> vertex_, fragment_;
  std::shared_ptr<Lowered> lowered_;
  hal::RenderPipelineDescriptor hal_descriptor_;  // without the modules
  hal::PipelineOptions options_;
  Compiled<hal::RenderPipeline> compiled_;
  RenderPassLayout target_layout_;
  bool writes_depth_ = false, writes_stencil_ = false;
};

}  // namespace lockstep::gpu::core
