// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/pipeline.h"

#include <fmt/format.h>

#include <algorithm>

#include "gpu/core/shader_binding.h"
#include "gpu/core/shader_module.h"

namespace lockstep::gpu::core {
namespace {

// The slot of a resource that an earlier stage uses too, made to fit this one as well.
Complaint MergeSlot(const Device& device, const StageResource& resource, BindGroupLayoutEntry& merged) {
  BindGroupLayoutEntry slot = resource.slot;
  merged.visibility |= slot.visibility;
  slot.visibility = merged.visibility;
  if (slot.buffer && merged.buffer) {
    uint64_t& size = merged.buffer->min_binding_size;
    size = std::max(size, slot.buffer->min_binding_size);
    slot.buffer->min_binding_size = size;
  }
  using enum TextureSampleType;
  const auto is_float = [](TextureSampleType type) { return type == kFloat || type == kUnfilterableFloat; };
  if (slot.texture && merged.texture && slot.texture->sample_type != merged.texture->sample_type &&
      is_float(slot.texture->sample_type) && is_float(merged.texture->sample_type))
    slot.texture->sample_type = merged.texture->sample_type = kFloat;
  using enum StorageTextureAccess;
  if (slot.storage_texture && merged.storage_texture &&
      slot.storage_texture->access != merged.storage_texture->access && slot.storage_texture->writable() &&
      merged.storage_texture->writable() &&
      device.Supports(hal::FormatInfo(slot.storage_texture->format).storage[static_cast<size_t>(kReadWrite)]))
    slot.storage_texture->access = merged.storage_texture->access = kReadWrite;
  if (slot == merged) return std::nullopt;
  return fmt::format(
      "'{}' (group {}, binding {}) is another kind of resource in the other stage: \"auto\" gives no layout",
      resource.name, resource.group, slot.binding);
}

// WebGPU: #default-pipeline-layout, by group.
Complaint DefaultEntries(const Device& device, std::span<const EvaluatedStage* const> stages,
                         std::vector<std::vector<BindGroupLayoutEntry>>& groups) {
  for (const EvaluatedStage* stage : stages) {
    for (const StageResource& resource : stage->resources) {
      if (resource.group >= groups.size()) groups.resize(resource.group + 1);
      std::vector<BindGroupLayoutEntry>& entries = groups[resource.group];
      const auto there = std::find_if(entries.begin(), entries.end(), [&](const BindGroupLayoutEntry& e) {
        return e.binding == resource.slot.binding && (e.visibility & stage->stage) == 0;
      });
      if (there == entries.end())
        entries.push_back(resource.slot);
      else if (Complaint complaint = MergeSlot(device, resource, *there))
        return complaint;
    }
  }
  return std::nullopt;
}

std::shared_ptr<PipelineLayout> DefaultLayout(const std::shared_ptr<Device>& device, const std::string& label,
                                              std::vector<std::vector<BindGroupLayoutEntry>> groups) {
  const uint64_t pipeline = device->NextPipelineNumber();
  PipelineLayoutDescriptor descriptor;
  descriptor.label = label;
  for (size_t group = 0; group < groups.size(); ++group) {
    std::vector<BindGroupLayoutEntry>& entries = groups[group];
    std::sort(entries.begin(), entries.end(),
              [](const auto& a, const auto& b) { return a.binding < b.binding; });
    descriptor.bind_group_layouts.push_back(std::make_shared<BindGroupLayout>(
        device, fmt::format("{} group {}", label, group), std::move(entries), pipeline));
  }
  return std::make_shared<PipelineLayout>(device, descriptor);
}

std::string FirstError(const diag::Sink& sink, const SourceFile& source) {
  for (const diag::Diagnostic& diagnostic : sink.diagnostics()) {
    if (diagnostic.severity == diag::Severity::kError) return diag::RenderText(diagnostic, source);
  }
  return "pipeline creation fails";
}

}  // namespace

Error Pipeline::BadPipeline(const std::string& complaint) const {
  return ValidationError(fmt::format("{}: {}", Named(kind(), label()), complaint));
}

std::optional<Error> Pipeline::Evaluate(const ProgrammableStage& descriptor, uint32_t stage,
                                        std::optional<EvaluatedStage>& evaluated) {
  const std::shared_ptr<ShaderModule>& module = descriptor.module;
  if (const Complaint unusable = CheckUsable("shader module", module, device()))
    return BadPipeline(*unusable);
  std::string error;
  const std::optional<wgsl::FunctionId> entry =
      FindEntryPoint(module->program(), stage, descriptor.entry_point, error);
  if (!entry) return BadPipeline(error);
  evaluated = EvaluateStage(module->program(), *entry, descriptor.constants, device().limits(), messages_);
  if (!evaluated) return BadPipeline(FirstError(messages_, module->source()));
  return std::nullopt;
}

std::optional<Error> Pipeline::SetLayout(const std::shared_ptr<PipelineLayout>& given,
                                         std::span<const EvaluatedStage* const> stages) {
  if (given) {
    if (const Complaint unusable = CheckUsable("pipeline layout", given, device()))
      return BadPipeline(*unusable);
    layout_ = given;
  } else {
    std::vector<std::vector<BindGroupLayoutEntry>> groups;
    if (const Complaint complaint = DefaultEntries(device(), stages, groups)) return BadPipeline(*complaint);
    layout_ = DefaultLayout(shared_device(), label(), std::move(groups));
  }
  for (const EvaluatedStage* stage : stages) {
    for (const StageResource& resource : stage->resources) {
      if (Complaint complaint = CheckShaderBinding(resource, stage->stage, *layout_))
        return ValidationError(*complaint);
    }
  }
  return std::nullopt;
}

StageSlots Pipeline::SlotsOf(const ir::Module& module, const EvaluatedStage& stage) {
  StageSlots slots;
  for (const ir::Variable& variable : module.variables) {
    if (!variable.is_buffer() && !variable.is_texture()) continue;
    const auto resource =
        std::find_if(stage.resources.begin(), stage.resources.end(), [&](const StageResource& r) {
          return r.group == variable.group && r.slot.binding == variable.binding;
        });
    CHECK(resource != stage.resources.end());
    std::vector<uint32_t>& of = variable.is_buffer() ? slots.buffers : slots.textures;
    of.push_back(static_cast<uint32_t>(resource - stage.resources.begin()));
  }
  return slots;
}

hal::PipelineOptions Pipeline::OptionsFor(const hal::PipelineOptions& options) const {
  hal::PipelineOptions completed = options;
  completed.label = label();
  if (device().options().watch) completed.watch = true;
  if (device().options().quick_pipelines) completed.quick = true;
  return completed;
}

bool Pipeline::IsNew(const FindingKey& finding) {
  if (std::find(told_.begin(), told_.end(), finding) != told_.end()) return false;
  told_.push_back(finding);
  return true;
}

void Pipeline::Finish(const std::optional<Error>& error, const PipelineDone& done) {
  compiling_ = false;
  if (error) Invalidate();
  done(error);
}

void Pipeline::Wait() {
  device().events().ProcessUntil([this] { return !compiling_; });
}

std::shared_ptr<BindGroupLayout> Pipeline::GetBindGroupLayout(uint32_t index) {
  const auto invalid = [&](std::string message) {
    device().Report(ValidationError(std::move(message)));
    auto layout =
        std::make_shared<BindGroupLayout>(shared_device(), "", std::vector<BindGroupLayoutEntry>{}, 0);
    layout->Invalidate("getBindGroupLayout failed");
    return layout;
  };
  const std::string name = Named(kind(), *this);
  if (const Complaint complaint = CheckUsable(kind(), this, device()))
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

void Device::CompilePipeline(const std::shared_ptr<Pipeline>& pipeline, const std::optional<Error>& error) {
  if (error || lost_) pipeline->Invalidate();
  if (error) return Report(*error);
  if (lost_) return;
  pipeline->Compile([self = shared_from_this(), expected = Expect()](const std::optional<Error>& failed) {
    self->Resolve(expected, failed);
  });
}

void Device::CompilePipelineAsync(const std::shared_ptr<Pipeline>& pipeline,
                                  const std::optional<Error>& error, PipelineDone callback) {
  // A lost device gives a pipeline all the same (#dom-gpudevice-createcomputepipelineasync).
  const auto done = [self = shared_from_this(), callback](const std::optional<Error>& failed) {
    callback(self->lost() ? std::nullopt : failed);
  };
  if (!error && !lost_) return pipeline->Compile(done);
  pipeline->Invalidate();
  // What is wrong with the descriptor was found before the device is lost, if it is lost meanwhile.
  events_->Post([told = std::move(callback), failed = lost_ ? std::nullopt : error] { told(failed); });
}

}  // namespace lockstep::gpu::core
