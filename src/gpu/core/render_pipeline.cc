// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/render_pipeline.h"

#include <fmt/format.h>

#include <algorithm>

#include "gpu/core/shader_module.h"
#include "gpu/core/stage_interface.h"
#include "gpu/core/texture.h"

namespace lockstep::gpu::core {
namespace {

StageFunction FunctionOf(const ProgrammableStage& descriptor, const EvaluatedStage& stage) {
  const wgsl::Program& program = descriptor.module->program();
  return {program, program.functions[stage.entry]};
}

bool HasOutput(const StageFunction& stage, std::string_view builtin) {
  return std::any_of(stage.function.outputs.begin(), stage.function.outputs.end(),
                     [&](const wgsl::StageVariable& output) { return output.io.builtin == builtin; });
}

// WebGPU: #abstract-opdef-validating-gpuprimitivestate.
Complaint CheckPrimitiveState(const Device& device, const abi::PrimitiveState& state) {
  const bool strip =
      state.topology == PrimitiveTopology::kLineStrip || state.topology == PrimitiveTopology::kTriangleStrip;
  if (state.strip_index_format && !strip)
    return fmt::format("stripIndexFormat is set, and the topology is {}: only strips have one",
                       EnumName(state.topology));
  if (state.unclipped_depth && !device.HasFeature("depth-clip-control"))
    return "unclippedDepth is set, and the device has no feature 'depth-clip-control'";
  return std::nullopt;
}

// WebGPU: #abstract-opdef-validating-gpumultisamplestate.
Complaint CheckMultisampleState(const abi::MultisampleState& state) {
  if (state.count != 1 && state.count != 4)
    return fmt::format("it has {} samples: it may have 1 or 4", state.count);
  if (state.alpha_to_coverage_enabled && state.count == 1)
    return "alphaToCoverageEnabled is set, and it has 1 sample";
  return std::nullopt;
}

Complaint CheckAlphaToCoverage(const Device& device, const RenderPipelineDescriptor& d) {
  if (!d.multisample.alpha_to_coverage_enabled) return std::nullopt;
  if (!d.fragment || d.fragment->targets.empty() || !d.fragment->targets[0])
    return "alphaToCoverageEnabled is set, and there is no color target 0";
  const TextureFormat format = d.fragment->targets[0]->format;
  const bool alpha = ChannelsOf(format).find('a') != std::string::npos;
  if (alpha && device.Supports(hal::FormatInfo(format).blend)) return std::nullopt;
  return fmt::format("alphaToCoverageEnabled is set, and color target 0 is {}, which {}", EnumName(format),
                     alpha ? "is not blendable" : "has no alpha");
}

// What a fragment shader's built-in outputs ask of the rest.
Complaint CheckBuiltinOutputs(const RenderPipelineDescriptor& d, const StageFunction& fragment) {
  if (d.multisample.alpha_to_coverage_enabled && HasOutput(fragment, "sample_mask"))
    return fmt::format("alphaToCoverageEnabled is set, and '{}' has the output sample_mask",
                       fragment.function.name);
  if (!HasOutput(fragment, "frag_depth")) return std::nullopt;
  if (d.depth_stencil && hal::FormatInfo(d.depth_stencil->format).Has(hal::Aspect::kDepth))
    return std::nullopt;
  return fmt::format("'{}' has the output frag_depth, and there is no depth to write to",
                     fragment.function.name);
}

}  // namespace

std::optional<Error> RenderPipeline::EvaluateStages(const RenderPipelineDescriptor& descriptor) {
  std::optional<EvaluatedStage> stage;
  if (std::optional<Error> bad = Evaluate(descriptor.vertex, shader_stage::kVertex, stage)) return bad;
  vertex_ = CompiledStage{std::move(*stage), {}};
  if (!descriptor.fragment) return std::nullopt;
  if (std::optional<Error> bad = Evaluate(*descriptor.fragment, shader_stage::kFragment, stage)) return bad;
  fragment_ = CompiledStage{std::move(*stage), {}};
  return std::nullopt;
}

// WebGPU: #abstract-opdef-validating-gpurenderpipelinedescriptor, but for the stages by themselves.
Complaint RenderPipeline::CheckStages(const RenderPipelineDescriptor& d) const {
  const StageFunction vertex = FunctionOf(d.vertex, vertex_->stage);
  std::optional<StageFunction> fragment;
  if (d.fragment) fragment.emplace(FunctionOf(*d.fragment, fragment_->stage));
  Complaint complaint = CheckVertexState(device(), d.vertex, vertex);
  if (!complaint && fragment) complaint = CheckFragmentState(device(), *d.fragment, *fragment);
  if (!complaint && fragment) complaint = CheckBuiltinOutputs(d, *fragment);
  if (!complaint) complaint = CheckPrimitiveState(device(), d.primitive);
  if (!complaint && d.depth_stencil)
    complaint = CheckDepthStencilState(device(), *d.depth_stencil, d.primitive.topology);
  if (!complaint) complaint = CheckMultisampleState(d.multisample);
  if (!complaint) complaint = CheckAlphaToCoverage(device(), d);
  if (!complaint && target_layout_.empty()) complaint = "it has neither a color target nor depthStencil";
  if (!complaint)
    complaint = CheckStageInterface(device(), d.primitive.topology, vertex, fragment ? &*fragment : nullptr);
  return complaint;
}

void RenderPipeline::Describe(const RenderPipelineDescriptor& d) {
  hal_descriptor_.vertex_buffers = d.vertex.buffers;
  hal_descriptor_.primitive = d.primitive;
  hal_descriptor_.multisample = d.multisample;
  target_layout_.sample_count = d.multisample.count;
  if (d.depth_stencil) {
    hal_descriptor_.depth_stencil_format = target_layout_.depth_stencil_format = d.depth_stencil->format;
    hal_descriptor_.depth_stencil = d.depth_stencil->Resolved();
    writes_depth_ = d.depth_stencil->WritesDepth();
    writes_stencil_ = d.depth_stencil->WritesStencil(d.primitive.cull_mode);
  }
  if (!d.fragment) return;
  hal_descriptor_.targets = d.fragment->targets;
  for (const std::optional<ColorTarget>& target : d.fragment->targets) {
    std::optional<TextureFormat>& format = target_layout_.color_formats.emplace_back();
    if (target) format = target->format;
  }
}

std::optional<Error> RenderPipeline::Validate(const RenderPipelineDescriptor& descriptor) {
  if (std::optional<Error> bad = EvaluateStages(descriptor)) return bad;
  Describe(descriptor);
  std::vector<const EvaluatedStage*> stages = {&vertex_->stage};
  if (fragment_) stages.push_back(&fragment_->stage);
  if (std::optional<Error> bad = SetLayout(descriptor.layout, stages)) return bad;
  if (const Complaint complaint = CheckStages(descriptor)) return BadPipeline(*complaint);
  size_t buffers = descriptor.vertex.buffers.size();
  while (buffers > 0 && !descriptor.vertex.buffers[buffers - 1]) --buffers;
  const size_t groups = layout()->bind_group_layouts().size();
  const uint32_t limit = device().limits().max_bind_groups_plus_vertex_buffers;
  if (groups + buffers > limit) {
    return BadPipeline(
        fmt::format("it has {} bind groups and {} vertex buffers, which exceeds the limit "
                    "maxBindGroupsPlusVertexBuffers of {}",
                    groups, buffers, limit));
  }
  lowered_ = std::make_shared<Lowered>();
  lowered_->vertex = LowerStage(descriptor.vertex.module->program(), vertex_->stage);
  vertex_->slots = SlotsOf(lowered_->vertex, vertex_->stage);
  if (fragment_) {
    lowered_->fragment = LowerStage(descriptor.fragment->module->program(), fragment_->stage);
    fragment_->slots = SlotsOf(*lowered_->fragment, fragment_->stage);
  }
  options_ = OptionsFor(descriptor.device_options);
  if (!options_.watch) return std::nullopt;
  vertex_module_ = descriptor.vertex.module;
  if (descriptor.fragment) fragment_module_ = descriptor.fragment->module;
  return std::nullopt;
}

void RenderPipeline::Compile(PipelineDone done) {
  const auto make = [lowered = std::exchange(lowered_, nullptr), descriptor = hal_descriptor_,
                     options = options_](hal::Device& hal) {
    hal::RenderPipelineDescriptor with_modules = descriptor;
    with_modules.vertex = &lowered->vertex;
    with_modules.fragment = lowered->fragment ? &*lowered->fragment : nullptr;
    return hal.CreateRenderPipeline(with_modules, options);
  };
  compiled_ = CompileWith<hal::RenderPipeline>(make, std::move(done));
}

std::shared_ptr<RenderPipeline> Device::CreateRenderPipeline(const RenderPipelineDescriptor& descriptor) {
  auto pipeline = std::make_shared<RenderPipeline>(shared_from_this(), descriptor.label);
  CompilePipeline(pipeline, pipeline->Validate(descriptor));
  return pipeline;
}

void Device::CreateRenderPipelineAsync(const RenderPipelineDescriptor& descriptor,
                                       PipelineCallback<RenderPipeline> callback) {
  auto pipeline = std::make_shared<RenderPipeline>(shared_from_this(), descriptor.label);
  CompilePipelineAsync(pipeline, pipeline->Validate(descriptor),
                       [pipeline, callback = std::move(callback)](const std::optional<Error>& error) {
                         callback(pipeline, error);
                       });
}

}  // namespace lockstep::gpu::core
