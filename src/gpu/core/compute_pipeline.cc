// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/compute_pipeline.h"

#include "gpu/core/shader_module.h"

namespace lockstep::gpu::core {

std::optional<Error> ComputePipeline::Validate(const ComputePipelineDescriptor& descriptor) {
  const std::shared_ptr<ShaderModule>& module = descriptor.compute.module;
  if (std::optional<Error> bad = Evaluate(descriptor.compute, shader_stage::kCompute, stage_)) return bad;
  const EvaluatedStage* const stages[] = {&*stage_};
  if (std::optional<Error> bad = SetLayout(descriptor.layout, stages)) return bad;
  lowered_ = LowerStage(module->program(), *stage_);
  slots_ = SlotsOf(*lowered_, *stage_);
  if (device().options().watch) module_ = module;
  options_ = OptionsFor(descriptor.device_options);
  return std::nullopt;
}

void ComputePipeline::Compile(PipelineDone done) {
  const auto module = std::make_shared<const ir::Module>(std::move(*lowered_));
  lowered_.reset();
  compiled_ = CompileWith<hal::ComputePipeline>(
      [module, options = options_](hal::Device& hal) { return hal.CreateComputePipeline(*module, options); },
      std::move(done));
}

std::shared_ptr<ComputePipeline> Device::CreateComputePipeline(const ComputePipelineDescriptor& descriptor) {
  auto pipeline = std::make_shared<ComputePipeline>(shared_from_this(), descriptor.label);
  CompilePipeline(pipeline, pipeline->Validate(descriptor));
  return pipeline;
}

void Device::CreateComputePipelineAsync(const ComputePipelineDescriptor& descriptor,
                                        PipelineCallback<ComputePipeline> callback) {
  auto pipeline = std::make_shared<ComputePipeline>(shared_from_this(), descriptor.label);
  CompilePipelineAsync(pipeline, pipeline->Validate(descriptor),
                       [pipeline, callback = std::move(callback)](const std::optional<Error>& error) {
                         callback(pipeline, error);
                       });
}

}  // namespace lockstep::gpu::core
