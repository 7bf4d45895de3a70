// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/compute_pipeline.h"

#include <fmt/format.h>

#include <algorithm>

#include "gpu/core/device.h"
#include "gpu/core/shader_module.h"

namespace lockstep::gpu::core {
namespace {

// WebGPU: #default-pipeline-layout.
std::shared_ptr<PipelineLayout> DefaultLayout(const std::shared_ptr<Device>& device,
                                              const ComputeStage& stage, const std::string& label) {
  const uint64_t pipeline = device->NextPipelineNumber();
  uint32_t groups = 0;
  for (const StageResource& resource : stage.resources) groups = std::max(groups, resource.group + 1);
  PipelineLayoutDescriptor descriptor;
  descriptor.label = label;
  for (uint32_t group = 0; group < groups; ++group) {
    std::vector<BindGroupLayoutEntry> entries;
    for (const StageResource& resource : stage.resources) {
      if (resource.group == group) entries.push_back(resource.slot);
    }
    std::sort(entries.begin(), entries.end(),
              [](const auto& a, const auto& b) { return a.binding < b.binding; });
    descriptor.bind_group_layouts.push_back(std::make_shared<BindGroupLayout>(
        device, fmt::format("{} group {}", label, group), std::move(entries), pipeline));
  }
  return std::make_shared<PipelineLayout>(device, descriptor);
}

// What kind of resource an entry is for, in words.
std::string_view KindOf(const BindGroupLayoutEntry& entry) {
  if (entry.buffer) return "buffer";
  if (entry.sampler) return "sampler";
  if (entry.texture) return "texture";
  return entry.storage_texture ? "storage texture" : "external texture";
}

// One difference between what a shader has and a layout; the layout's name follows.
std::string Difference(std::string_view shader, std::string_view layout) {
  return fmt::format("{} in the shader and {} in", shader, layout);
}

Complaint BufferMismatch(const BufferBindingLayout& shader, const BufferBindingLayout& layout) {
  if (shader.type != layout.type)
    return Difference(fmt::format("a {} buffer", EnumName(shader.type)), EnumName(layout.type));
  if (layout.min_binding_size == 0 || layout.min_binding_size >= shader.min_binding_size) return std::nullopt;
  return fmt::format("{} bytes long in the shader and promised {} by", shader.min_binding_size,
                     layout.min_binding_size);
}

Complaint TextureMismatch(const TextureBindingLayout& shader, const TextureBindingLayout& layout) {
  using enum TextureSampleType;
  const bool is_float = shader.sample_type == kUnfilterableFloat;
  const bool fits = shader.sample_type == layout.sample_type ||
                    (is_float && (layout.sample_type == kFloat || layout.sample_type == kDepth));
  if (!fits) {
    return Difference(fmt::format("a texture of sample type {}", EnumName(shader.sample_type)),
                      EnumName(layout.sample_type));
  }
  if (shader.multisampled != layout.multisampled) {
    return Difference(shader.multisampled ? "multisampled" : "not multisampled",
                      layout.multisampled ? "multisampled" : "not");
  }
  if (shader.view_dimension == layout.view_dimension) return std::nullopt;
  return Difference(EnumName(shader.view_dimension), EnumName(layout.view_dimension));
}

Complaint StorageMismatch(const StorageTextureBindingLayout& shader,
                          const StorageTextureBindingLayout& layout) {
  // What a shader only writes may be bound to a slot that can be read too.
  const bool fits = shader.access == layout.access || (shader.access == StorageTextureAccess::kWriteOnly &&
                                                       layout.access == StorageTextureAccess::kReadWrite);
  if (!fits) return Difference(EnumName(shader.access), EnumName(layout.access));
  if (shader.format != layout.format) return Difference(EnumName(shader.format), EnumName(layout.format));
  if (shader.view_dimension == layout.view_dimension) return std::nullopt;
  return Difference(EnumName(shader.view_dimension), EnumName(layout.view_dimension));
}

Complaint Mismatch(const BindGroupLayoutEntry& shader, const BindGroupLayoutEntry& layout) {
  if (KindOf(shader) != KindOf(layout))
    return Difference(fmt::format("a {}", KindOf(shader)), fmt::format("a {}", KindOf(layout)));
  if (shader.buffer) return BufferMismatch(*shader.buffer, *layout.buffer);
  if (shader.texture) return TextureMismatch(*shader.texture, *layout.texture);
  if (shader.storage_texture) return StorageMismatch(*shader.storage_texture, *layout.storage_texture);
  const auto compares = [](const BindGroupLayoutEntry& entry) {
    return entry.sampler && entry.sampler->type == SamplerBindingType::kComparison;
  };
  if (compares(shader) == compares(layout)) return std::nullopt;
  return Difference(compares(shader) ? "a comparison sampler" : "no comparison sampler",
                    compares(layout) ? "one" : "none");
}

// WebGPU: #abstract-opdef-validating-shader-binding.
std::optional<Error> ValidateBinding(const StageResource& resource, const PipelineLayout& layout) {
  const std::string name =
      fmt::format("'{}' (group {}, binding {})", resource.name, resource.group, resource.slot.binding);
  const BindGroupLayout* group = layout.group(resource.group);
  const BindGroupLayoutEntry* slot = group ? group->Find(resource.slot.binding) : nullptr;
  if (slot == nullptr)
    return ValidationError(fmt::format("{} is not in {}", name, Named("pipeline layout", layout)));
  if ((slot->visibility & shader_stage::kCompute) == 0) {
    return ValidationError(
        fmt::format("{} is not visible to compute shaders in {}", name, Named("pipeline layout", layout)));
  }
  if (Complaint complaint = CheckEntry(resource.slot, layout.device()))
    return ValidationError(fmt::format("{} {}", name, *complaint));
  if (Complaint complaint = Mismatch(resource.slot, *slot)) {
    return ValidationError(fmt::format("{} is {} {}", name, *complaint, Named("pipeline layout", layout)));
  }
  return std::nullopt;
}

std::string FirstError(const diag::Sink& sink, const SourceFile& source) {
  for (const diag::Diagnostic& diagnostic : sink.diagnostics()) {
    if (diagnostic.severity == diag::Severity::kError) return diag::RenderText(diagnostic, source);
  }
  return "pipeline creation fails";
}

// The compiled module's storage and uniform variables, as indices into the stage's resources.
std::vector<uint32_t> SlotsOf(const ir::Module& module, const ComputeStage& stage) {
  std::vector<uint32_t> slots;
  for (const ir::Variable& variable : module.variables) {
    if (variable.space != ir::AddressSpace::kStorage && variable.space != ir::AddressSpace::kUniform)
      continue;
    const auto resource =
        std::find_if(stage.resources.begin(), stage.resources.end(), [&](const StageResource& r) {
          return r.group == variable.group && r.slot.binding == variable.binding;
        });
    CHECK(resource != stage.resources.end());
    slots.push_back(static_cast<uint32_t>(resource - stage.resources.begin()));
  }
  return slots;
}

}  // namespace

std::optional<Error> ComputePipeline::Validate(const ComputePipelineDescriptor& descriptor,
                                               ir::Module* lowered) {
  const std::string name = Named("compute pipeline", label());
  const std::shared_ptr<ShaderModule>& module = descriptor.compute.module;
  Complaint unusable = CheckUsable("shader module", module, device());
  if (!unusable && descriptor.layout) unusable = CheckUsable("pipeline layout", descriptor.layout, device());
  if (unusable) return ValidationError(fmt::format("{}: {}", name, *unusable));
  std::string error;
  const std::optional<wgsl::FunctionId> entry =
      FindComputeEntry(module->program(), descriptor.compute.entry_point, error);
  if (!entry) return ValidationError(fmt::format("{}: {}", name, error));
  stage_ = EvaluateComputeStage(module->program(), *entry, descriptor.compute.constants, device().limits(),
                                messages_);
  if (!stage_) return ValidationError(fmt::format("{}: {}", name, FirstError(messages_, module->source())));

  layout_ = descriptor.layout ? descriptor.layout : DefaultLayout(shared_device(), *stage_, label());
  for (const StageResource& resource : stage_->resources) {
    if (std::optional<Error> bad = ValidateBinding(resource, *layout_)) return bad;
  }
  *lowered = LowerStage(module->program(), *stage_);
  slots_ = SlotsOf(*lowered, *stage_);
  if (device().options().watch) module_ = module;
  return std::nullopt;
}

void ComputePipeline::Compile(ir::Module lowered, const hal::PipelineOptions& options,
                              std::function<void(const std::optional<Error>&)> done) {
  struct Job {
    ir::Module module;
    hal::PipelineOptions options;
    std::promise<std::shared_ptr<hal::ComputePipeline>> compiled;
    std::optional<Error> error;
  };
  auto job = std::make_shared<Job>(Job{std::move(lowered), options, {}, {}});
  job->options.label = label();
  if (module_) job->options.watch = true;
  if (device().options().quick_pipelines) job->options.quick = true;
  compiled_ = job->compiled.get_future().share();
  compiling_ = true;
  device().compile_worker().Do(
      [&hal = device().hal(), job = job.get()] {
        Result<std::unique_ptr<hal::ComputePipeline>> made =
            hal.CreateComputePipeline(job->module, job->options);
        if (!made.ok()) job->error = FromFailure(made.failure());
        job->compiled.set_value(made.ok() ? std::move(*made) : nullptr);
      },
      [self = shared_from_this(), job, done = std::move(done)] {
        self->compiling_ = false;
        if (job->error) self->Invalidate();
        done(job->error);
      });
}

bool ComputePipeline::IsNew(const FindingKey& finding) {
  if (std::find(told_.begin(), told_.end(), finding) != told_.end()) return false;
  told_.push_back(finding);
  return true;
}

void ComputePipeline::Wait() {
  device().events().ProcessUntil([this] { return !compiling_; });
}

std::shared_ptr<ComputePipeline> Device::CreateComputePipeline(const ComputePipelineDescriptor& descriptor) {
  auto pipeline = std::make_shared<ComputePipeline>(shared_from_this(), descriptor.label);
  ir::Module lowered;
  if (const std::optional<Error> error = pipeline->Validate(descriptor, &lowered)) {
    pipeline->Invalidate();
    Report(*error);
    return pipeline;
  }
  if (lost_) {
    pipeline->Invalidate();
    return pipeline;
  }
  pipeline->Compile(std::move(lowered), descriptor.device_options,
                    [self = shared_from_this(), expected = Expect()](const std::optional<Error>& error) {
                      self->Resolve(expected, error);
                    });
  return pipeline;
}

void Device::CreateComputePipelineAsync(const ComputePipelineDescriptor& descriptor,
                                        PipelineCallback callback) {
  auto pipeline = std::make_shared<ComputePipeline>(shared_from_this(), descriptor.label);
  ir::Module lowered;
  // A lost device gives a pipeline all the same (#dom-gpudevice-createcomputepipelineasync).
  const auto done = [pipeline, callback = std::move(callback)](const std::optional<Error>& error) {
    callback(pipeline, pipeline->device().lost() ? std::nullopt : error);
  };
  if (std::optional<Error> error = pipeline->Validate(descriptor, &lowered)) {
    pipeline->Invalidate();
    events_->Post([done, error = std::move(error)] { done(error); });
    return;
  }
  if (lost_) {
    pipeline->Invalidate();
    return events_->Post([done] { done(std::nullopt); });
  }
  pipeline->Compile(std::move(lowered), descriptor.device_options, done);
}

std::shared_ptr<BindGroupLayout> ComputePipeline::GetBindGroupLayout(uint32_t index) {
  const auto invalid = [&](std::string message) {
    device().Report(ValidationError(std::move(message)));
    auto layout =
        std::make_shared<BindGroupLayout>(shared_device(), "", std::vector<BindGroupLayoutEntry>{}, 0);
    layout->Invalidate("getBindGroupLayout failed");
    return layout;
  };
  const std::string name = Named("compute pipeline", *this);
  if (const Complaint complaint = CheckUsable("compute pipeline", this, device()))
    return invalid("getBindGroupLayout: " + *complaint);
  if (index >= device().limits().max_bind_groups) {
    return invalid(fmt::format("group {} of {} exceeds the limit maxBindGroups of {}", index, name,
                               device().limits().max_bind_groups));
  }
  if (index < layout_->bind_group_layouts().size() && layout_->bind_group_layouts()[index]) {
    return layout_->bind_group_layouts()[index];
  }
  return std::make_shared<BindGroupLayout>(shared_device(), "", std::vector<BindGroupLayoutEntry>{}, 0);
}

}  // namespace lockstep::gpu::core
