// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "runner/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "gpu/core/command_encoder.h"
#include "gpu/core/compute_pass.h"
#include "gpu/core/features.h"
#include "gpu/cpu/memory.h"
#include "runner/data_file.h"
#include "runner/file_io.h"
#include "runner/values.h"

namespace lockstep::runner {
namespace {

namespace core = gpu::core;

#define DIAGNOSTIC(Name, severity, rule, format) \
  constexpr diag::Kind k##Name{#Name, diag::Severity::k##severity, format, rule};
#include "runner/diagnostics.def"

Failure Bad(const Origin& origin, std::string_view message) {
  return {FailureKind::kUsage, fmt::format("{}: {}", origin.place, message)};
}

std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

void Session::Keep(const diag::Sink& sink, DiagnosticStage stage) {
  for (const diag::Diagnostic& diagnostic : sink.diagnostics()) diagnostics_.push_back({diagnostic, stage});
}

Result<> Session::TakeError() {
  if (!error_) return Ok();
  const core::Error error = *error_;
  error_.reset();
  return Failure{error.fault, error.message};
}

Result<> Session::Prepare() {
  if (Result<> flags = CheckFlags(request_.flags); !flags.ok()) return flags;
  for (auto step : {&Session::OpenDevice, &Session::CompileShader, &Session::MakePipelines,
                    &Session::MakeBuffers, &Session::CheckSaveNames, &Session::FillBuffers,
                    &Session::MakeBindGroups, &Session::MakeIndirectBuffers}) {
    if (Result<> done = (this->*step)(); !done.ok()) return done;
  }
  return Ok();
}

Result<> Session::OpenDevice() {
  const Result<gpu::devices::DeviceName> name = gpu::devices::ParseDeviceName(request_.device);
  if (!name.ok()) return name.failure();
  for (const std::string& feature : request_.features) {
    if (!core::IsFeatureName(feature)) {
      return Failure{FailureKind::kUsage, fmt::format("--features: WebGPU has no feature '{}'", feature)};
    }
  }
  Result<std::shared_ptr<core::Adapter>> adapter = gpu::devices::Open(*name, devices_);
  if (!adapter.ok()) return adapter.failure();
  core::DeviceDescriptor descriptor;
  descriptor.label = "lockstep run";
  descriptor.required_features = request_.features;
  if (request_.max_limits) {
    for (const core::LimitInfo& limit : core::AllLimits()) {
      descriptor.required_limits[std::string(limit.name)] = limit.get((*adapter)->limits());
    }
  }
  core::RequestDeviceResult requested = (*adapter)->RequestDevice(descriptor);
  if (!requested.device) return Failure{FailureKind::kEnvironment, requested.error};
  device_ = requested.device;
  device_->set_uncaptured_error([this](const core::Error& error) {
    if (!error_) error_ = error;
  });
  return Ok();
}

Result<> Session::CompileShader() {
  Result<std::string> text =
      request_.text ? Result<std::string>(*request_.text) : ReadFile(request_.file, kMaxShaderBytes);
  if (!text.ok()) return text.failure();
  module_ = device_->CreateShaderModule({request_.file, request_.file, std::move(*text)});
  Keep(module_->messages(), DiagnosticStage::kModule);
  if (!module_->valid()) {
    error_.reset();
    const size_t errors = module_->messages().error_count();
    return Failure{FailureKind::kProgram, fmt::format("{} does not compile: {} error{}", request_.file,
                                                      errors, errors == 1 ? "" : "s")};
  }
  names_.emplace(&module_->program());
  Result<> collected = CollectDescription(module_->source(), *names_, request_.flags, description_);
  diag::Sink warnings;
  for (const DirectiveWarning& warning : description_.warnings)
    warnings.Emit(kNotADirective, warning.span, warning.message);
  Keep(warnings, DiagnosticStage::kDescription);
  if (!collected.ok()) return collected;
  if (description_.dispatches.empty()) {
    const std::string warned =
        description_.warnings.empty()
            ? ""
            : fmt::format(" (the comment in line {} is not understood: see its warning)",
                          module_->source().PositionOf(description_.warnings[0].span.begin).line);
    return Failure{
        FailureKind::kUsage,
        fmt::format(
            "{}: no dispatch is described{}: add a comment such as '// dispatch 16', or --dispatch 16",
            request_.file, warned)};
  }
  return Ok();
}

Result<> Session::CheckSaveNames() {
  for (const std::string& save : request_.saves) {
    const size_t equals = save.find('=');
    const ParsedLine name = ParseBufferFlag(save.substr(0, equals) + ": u32");
    if (equals == std::string::npos || equals + 1 == save.size() || name.error) {
      return Failure{FailureKind::kUsage, fmt::format("--save '{}': expected NAME=FILE", save)};
    }
    const ResourceName& resource = std::get<BufferItem>(name.items[0].value).name;
    if (names_->Find(resource) == nullptr) {
      return Failure{FailureKind::kUsage,
                     fmt::format("--save '{}': {}", save, names_->NoSuchResource(resource))};
    }
    const SessionBuffer* buffer = FindBuffer(resource);
    if (buffer == nullptr) {
      return Failure{FailureKind::kUsage,
                     fmt::format("--save '{}': the run does not use '{}'", save, resource.ToString())};
    }
    if (Result<> possible = CheckSave(save.substr(equals + 1), buffer->type.layout); !possible.ok()) {
      return Failure{FailureKind::kUsage, fmt::format("--save: {}", possible.failure().message)};
    }
  }
  return Ok();
}

Result<> Session::CheckCounts(const DispatchItem& item, const Origin& origin) const {
  static constexpr std::array<char, 3> kAxes = {'x', 'y', 'z'};
  const uint32_t limit = device_->limits().max_compute_workgroups_per_dimension;
  for (size_t axis = 0; axis < 3; ++axis) {
    if (item.size[axis] <= limit) continue;
    return Failure{FailureKind::kProgram, fmt::format("{}: {} workgroups in {} exceed the limit of {}",
                                                      origin.place, item.size[axis], kAxes[axis], limit)};
  }
  return Ok();
}

Result<> Session::MakePipelines() {
  for (const Placed<DispatchItem>& dispatch : description_.dispatches) {
    if (Result<> counts = CheckCounts(dispatch.item, dispatch.origin); !counts.ok()) return counts;
    Result<std::shared_ptr<core::ComputePipeline>> pipeline = MakePipeline(dispatch.item, dispatch.origin);
    if (!pipeline.ok()) return pipeline.failure();
    Step step;
    step.pipeline = *pipeline;
    steps_.push_back(std::move(step));
  }
  return Ok();
}

Result<std::shared_ptr<core::ComputePipeline>> Session::MakePipeline(const DispatchItem& item,
                                                                     const Origin& origin) {
  core::ComputePipelineDescriptor descriptor;
  descriptor.compute.module = module_;
  const std::vector<std::string> entries = names_->EntryPoints();
  std::string entry = item.entry;
  if (entry.empty() && description_.entry) entry = description_.entry->item.name;
  if (entry.empty() && entries.size() == 1) entry = entries[0];
  if (entry.empty() && entries.empty())
    return Failure{FailureKind::kProgram, fmt::format("{} has no compute entry point", request_.file)};
  if (entry.empty()) {
    return Bad(origin,
               fmt::format("the shader has several entry points ({}): say which, as in 'dispatch 1 entry {}'",
                           fmt::join(entries, ", "), entries[0]));
  }
  descriptor.compute.entry_point = entry;
  const auto set = [&](const OverrideItem& value) {
    descriptor.compute.constants[core::OverrideKey(*names_->FindOverride(value.name))] =
        TextToDouble(value.value).value_or(0);
  };
  for (const Placed<OverrideItem>& value : description_.overrides) set(value.item);
  for (const OverrideItem& value : item.overrides) set(value);
  descriptor.label = entry;
  descriptor.device_options.lanes = request_.lanes;
  descriptor.device_options.weak_failures = request_.weak_failures.has_value();
  descriptor.device_options.cache = request_.cache;
  descriptor.device_options.watch = request_.watch;

  std::string key = entry;
  for (const auto& [name, value] : descriptor.compute.constants) key += fmt::format(" {}={}", name, value);
  std::shared_ptr<core::ComputePipeline>& known = pipelines_[key];
  if (known) return known;
  known = device_->CreateComputePipeline(descriptor);
  known->Wait();
  Keep(known->messages(), DiagnosticStage::kPipeline);
  if (Result<> error = TakeError(); !error.ok()) {
    // Where a place in the shader tells it, the message need not tell it again.
    if (!known->messages().has_errors()) return error.failure();
    return Failure{FailureKind::kProgram,
                   fmt::format("{}: no pipeline can be made of the entry point '{}'", request_.file, entry)};
  }
  return known;
}

const SessionBuffer* Session::FindBuffer(const ResourceName& name) const {
  const Resource* resource = names_->Find(name);
  if (resource == nullptr) return nullptr;
  for (const SessionBuffer& buffer : buffers_) {
    if (buffer.group == resource->group && buffer.binding == resource->binding) return &buffer;
  }
  return nullptr;
}

Result<> Session::MakeBuffers() {
  // What a dispatch uses, and what the description speaks of.
  std::set<std::pair<uint32_t, uint32_t>> places;
  for (const Step& step : steps_) {
    for (const core::StageResource& resource : step.pipeline->stage().resources) {
      if (!resource.slot.buffer) {
        return Failure{
            FailureKind::kProgram,
            fmt::format("'{}' is a texture or a sampler, which a run cannot describe yet: it gives a "
                        "shader buffers only",
                        resource.name)};
      }
      places.insert({resource.group, resource.slot.binding});
    }
  }
  const auto add = [&](const ResourceName& name) {
    const Resource* resource = names_->Find(name);
    places.insert({resource->group, resource->binding});
  };
  for (const BufferDescription& buffer : description_.buffers) add(buffer.item.name);
  for (const Placed<ExpectItem>& expect : description_.expects) add(expect.item.name);
  for (const Placed<DispatchItem>& dispatch : description_.dispatches) {
    if (dispatch.item.indirect) add(dispatch.item.arguments);
  }
  for (const std::pair<uint32_t, uint32_t>& place : places) {
    if (Result<> made = MakeBuffer(place); !made.ok()) return made;
  }
  return Ok();
}

std::vector<const Resource*> Session::VariablesAt(std::pair<uint32_t, uint32_t> place) const {
  std::set<std::string> used;
  for (const Step& step : steps_) {
    for (const core::StageResource& resource : step.pipeline->stage().resources) used.insert(resource.name);
  }
  std::vector<const Resource*> all, of_dispatches;
  for (const Resource& resource : names_->resources()) {
    if (std::pair(resource.group, resource.binding) != place) continue;
    all.push_back(&resource);
    if (used.count(resource.name) != 0) of_dispatches.push_back(&resource);
  }
  return of_dispatches.empty() ? all : of_dispatches;
}

Result<> Session::MakeBuffer(std::pair<uint32_t, uint32_t> place) {
  SessionBuffer made;
  std::tie(made.group, made.binding) = place;
  uint32_t usage = core::buffer_usage::kCopySrc | core::buffer_usage::kCopyDst;
  uint64_t needed = 0;
  const Resource* first = nullptr;
  const Resource* largest = nullptr;
  for (const Resource* resource : VariablesAt(place)) {
    if (first == nullptr) first = resource;
    if (largest == nullptr || resource->min_size > needed) largest = resource;
    needed = std::max(needed, resource->min_size);
    usage |= resource->uniform ? core::buffer_usage::kUniform : core::buffer_usage::kStorage;
    made.writable |= resource->writable;
  }
  CHECK(first != nullptr);
  made.name = first->name;
  made.variable = first->variable;
  const auto described =
      std::find_if(description_.buffers.begin(), description_.buffers.end(), [&](const BufferDescription& b) {
        const Resource* resource = names_->Find(b.item.name);
        return resource->group == made.group && resource->binding == made.binding;
      });
  if (described != description_.buffers.end()) {
    made.type = described->type;
    if (described->type.layout.size < needed) {
      return Bad(described->origin, fmt::format("'{}' is given {} bytes and needs {} at least", largest->name,
                                                described->type.layout.size, needed));
    }
  } else if (first->runtime_sized) {
    const Position at =
        module_->source().PositionOf(module_->program().variables[first->variable].name_span.begin);
    return Failure{
        FailureKind::kUsage,
        fmt::format("{}:{}:{}: the runtime-sized buffer '{}' has no count: add a comment such as '// {}'",
                    request_.file, at.line, at.column, first->name, names_->ExampleFor(*first))};
  } else {
    made.type = names_->OfResource(*first);
    if (largest != first) made.type = names_->OfResource(*largest);
  }
  const uint64_t size =
      made.type.layout.size > UINT64_MAX - 3 ? UINT64_MAX : (made.type.layout.size + 3) / 4 * 4;
  made.buffer = device_->CreateBuffer({made.name, size, usage, false});
  buffers_.push_back(std::move(made));
  return TakeError();
}

Result<> Session::FillBuffers() {
  // Contents, a copy of the first repeat's and the values on their way in and out take memory of the host's
  // own.
  uint64_t total = 0;
  for (const SessionBuffer& buffer : buffers_) total = SaturatingAdd(total, buffer.buffer->size());
  if (SaturatingMul(total, 3) > gpu::cpu::UsableMemory()) {
    return Failure{FailureKind::kEnvironment,
                   fmt::format("out of memory: a run with {} bytes of buffers needs three times as much, and "
                               "this machine has {}",
                               total, gpu::cpu::UsableMemory())};
  }
  for (const BufferDescription& described : description_.buffers) {
    const Resource* resource = names_->Find(described.item.name);
    const auto buffer = std::find_if(buffers_.begin(), buffers_.end(), [&](const SessionBuffer& b) {
      return b.group == resource->group && b.binding == resource->binding;
    });
    CHECK(buffer != buffers_.end());
    const Result<std::vector<uint32_t>> values =
        InitialValues(described.item.init, buffer->type.layout, described.origin.folder);
    if (!values.ok())
      return Bad(described.origin, fmt::format("'{}': {}", buffer->name, values.failure().message));
    if (values->empty()) continue;
    buffer->initial.resize(buffer->buffer->size());
    Scatter(buffer->type.layout, *values, buffer->initial);
  }
  return Ok();
}

Result<> Session::MakeBindGroups() {
  for (Step& step : steps_) {
    const auto& layouts = step.pipeline->layout()->bind_group_layouts();
    for (uint32_t group = 0; group < layouts.size(); ++group) {
      if (!layouts[group]) continue;
      core::BindGroupDescriptor descriptor;
      descriptor.label = fmt::format("group {}", group);
      descriptor.layout = layouts[group];
      for (const core::BindGroupLayoutEntry& slot : layouts[group]->entries()) {
        const auto buffer = std::find_if(buffers_.begin(), buffers_.end(), [&](const SessionBuffer& b) {
          return b.group == group && b.binding == slot.binding;
        });
        CHECK(buffer != buffers_.end());
        descriptor.entries.push_back({slot.binding, core::BufferBinding{buffer->buffer, 0, std::nullopt}});
      }
      step.groups[group] = device_->CreateBindGroup(descriptor);
      if (Result<> error = TakeError(); !error.ok()) return error;
    }
  }
  return Ok();
}

Result<> Session::MakeIndirectBuffers() {
  for (size_t i = 0; i < steps_.size(); ++i) {
    const Placed<DispatchItem>& dispatch = description_.dispatches[i];
    if (!dispatch.item.indirect) continue;
    const SessionBuffer* arguments = FindBuffer(dispatch.item.arguments);
    CHECK(arguments != nullptr);
    const uint64_t size = arguments->buffer->size();
    if (dispatch.item.offset > size || size - dispatch.item.offset < 12) {
      return Bad(dispatch.origin, fmt::format("12 bytes at offset {} do not fit '{}', which has {}",
                                              dispatch.item.offset, arguments->name, size));
    }
    steps_[i].indirect =
        device_->CreateBuffer({fmt::format("arguments of dispatch {}", i + 1), 12,
                               core::buffer_usage::kIndirect | core::buffer_usage::kCopyDst, false});
    if (Result<> error = TakeError(); !error.ok()) return error;
  }
  return Ok();
}

Result<RunTimes> Session::RunOnce(const CancelFlag& cancel, const RunMode& mode) {
  const std::shared_ptr<core::Queue> queue = device_->queue();
  const std::shared_ptr<core::CommandEncoder> encoder = device_->CreateCommandEncoder("run");
  for (const SessionBuffer& buffer : buffers_) {
    if (filled_ && !buffer.writable) continue;
    if (buffer.initial.empty())
      encoder->ClearBuffer(buffer.buffer);
    else
      queue->WriteBuffer(buffer.buffer, 0, buffer.initial);
  }
  filled_ = true;
  for (size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    const DispatchItem& item = description_.dispatches[i].item;
    if (item.indirect)
      encoder->CopyBufferToBuffer(FindBuffer(item.arguments)->buffer, item.offset, step.indirect, 0, 12);
    const std::shared_ptr<core::ComputePass> pass = encoder->BeginComputePass();
    pass->SetPipeline(step.pipeline);
    for (const auto& [index, group] : step.groups) pass->SetBindGroup(index, group);
    if (item.indirect)
      pass->DispatchWorkgroupsIndirect(step.indirect, 0);
    else
      pass->DispatchWorkgroups(static_cast<uint32_t>(item.size[0]), static_cast<uint32_t>(item.size[1]),
                               static_cast<uint32_t>(item.size[2]));
    pass->End();
  }
  const std::array<std::shared_ptr<core::CommandBuffer>, 1> commands = {encoder->Finish()};
  if (Result<> error = TakeError(); !error.ok()) return error.failure();
  gpu::hal::ExecuteOptions options;
  options.cancel = &cancel;
  options.threads = request_.threads;
  // A seed of 0 is a seed like any other to the user; to the device it means none.
  if (request_.shuffle)
    options.shuffle_seed = *request_.shuffle == UINT64_MAX ? UINT64_MAX : *request_.shuffle + 1;
  if (request_.weak_failures) {
    const uint32_t seed = *request_.weak_failures + static_cast<uint32_t>(mode.schedule);
    options.weak_failure_seed = seed == UINT32_MAX ? UINT32_MAX : seed + 1;
  }
  options.findings = mode.findings;
  options.schedule_seed = mode.schedule;
  const core::SubmitResult submitted = queue->Submit(commands, options)->Wait();
  if (Result<> error = TakeError(); !error.ok()) return error.failure();
  if (submitted.failure) return *submitted.failure;
  if (!submitted.ran)
    return Failure{FailureKind::kEnvironment,
                   FirstLine(device_->lost() ? device_->lost()->message : "the device is lost")};
  RunTimes times;
  for (size_t i = 0; i < submitted.times.dispatch_seconds.size(); ++i) {
    times.seconds += submitted.times.dispatch_seconds[i];
    if (submitted.times.skipped[i] != 0) times.skipped.push_back(i);
  }
  return times;
}

}  // namespace lockstep::runner
