// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/core/evaluated_stage.h"

#include <fmt/format.h>

#include <algorithm>

#include "lower/lower.h"

namespace lockstep::gpu::core {
namespace {

#define DIAGNOSTIC(Name, severity, rule, format) \
  constexpr diag::Kind k##Name{#Name, diag::Severity::k##severity, format, rule};
#include "gpu/core/diagnostics.def"

TextureViewDimension ToCore(wgsl::TextureDimension dimension) {
  using From = wgsl::TextureDimension;
  switch (dimension) {
    case From::k1d:
      return TextureViewDimension::k1d;
    case From::k2d:
      return TextureViewDimension::k2d;
    case From::k2dArray:
      return TextureViewDimension::k2dArray;
    case From::k3d:
      return TextureViewDimension::k3d;
    case From::kCube:
      return TextureViewDimension::kCube;
    case From::kCubeArray:
      return TextureViewDimension::kCubeArray;
  }
  UNREACHABLE("texture dimension");
}

StorageTextureAccess ToCore(wgsl::AccessMode access) {
  switch (access) {
    case wgsl::AccessMode::kRead:
      return StorageTextureAccess::kReadOnly;
    case wgsl::AccessMode::kWrite:
      return StorageTextureAccess::kWriteOnly;
    case wgsl::AccessMode::kReadWrite:
      return StorageTextureAccess::kReadWrite;
  }
  UNREACHABLE("access mode");
}

// A sampled type as a sample type; no function samples yet, so that no float texture must be filterable.
TextureSampleType SampleType(const wgsl::TypeTable& types, const wgsl::Type& type) {
  if (!type.element.has_value()) return TextureSampleType::kDepth;
  if (type.element == types.I32()) return TextureSampleType::kSint;
  return type.element == types.U32() ? TextureSampleType::kUint : TextureSampleType::kUnfilterableFloat;
}

void AddTexture(const wgsl::TypeTable& types, const wgsl::Type& type, BindGroupLayoutEntry& slot) {
  using Class = wgsl::TextureClass;
  const TextureViewDimension dimension = ToCore(type.dimension);
  switch (type.texture_class) {
    case Class::kSampled:
    case Class::kMultisampled:
    case Class::kDepth:
    case Class::kDepthMultisampled: {
      const bool multisampled =
          type.texture_class == Class::kMultisampled || type.texture_class == Class::kDepthMultisampled;
      slot.texture = TextureBindingLayout{SampleType(types, type), dimension, multisampled};
      return;
    }
    case Class::kStorage:
      slot.storage_texture = StorageTextureBindingLayout{
          ToCore(type.access), *FindEnum<TextureFormat>(wgsl::TexelFormatName(type.texel_format)), dimension};
      return;
    case Class::kExternal:
      slot.external_texture = ExternalTextureBindingLayout{};
      return;
  }
  UNREACHABLE("texture class");
}

// WebGPU: #abstract-opdef-default-pipeline-layout, for one resource.
BindGroupLayoutEntry DefaultSlot(const wgsl::TypeTable& types, const wgsl::Variable& variable,
                                 uint32_t stage) {
  BindGroupLayoutEntry slot;
  slot.binding = *variable.binding;
  slot.visibility = stage;
  const wgsl::Type& type = types[variable.type];
  if (type.kind == wgsl::TypeKind::kSampler) {
    slot.sampler = SamplerBindingLayout{type.comparison ? SamplerBindingType::kComparison
                                                        : SamplerBindingType::kFiltering};
  } else if (type.kind == wgsl::TypeKind::kTexture) {
    AddTexture(types, type, slot);
  } else {
    BufferBindingLayout& buffer = slot.buffer.emplace();
    const bool read_only = variable.access == wgsl::AccessMode::kRead;
    if (variable.space == wgsl::AddressSpace::kStorage)
      buffer.type = read_only ? BufferBindingType::kReadOnlyStorage : BufferBindingType::kStorage;
    buffer.min_binding_size = types.SizeOf(variable.type);
  }
  return slot;
}

uint64_t RoundUp16(uint64_t bytes) { return bytes > UINT64_MAX - 15 ? UINT64_MAX : (bytes + 15) / 16 * 16; }

struct Evaluator {
  wgsl::Program& program;
  const wgsl::Function& function;
  const hal::Limits& limits;
  diag::Sink& sink;
  EvaluatedStage& stage;
  std::vector<wgsl::VariableId> globals = program.GlobalsOf(function.decl);

  // The value of a const- or override-expression, which EvaluateOverrides has found positive.
  int64_t IntegerOf(wgsl::ast::ExprId expr) const {
    const wgsl::ConstantId constant = program.info(expr).value;
    const wgsl::ConstantId value = constant.has_value() ? constant : stage.overrides.Value(expr);
    CHECK(value.has_value());
    return program.constants[value].i;
  }

  void WorkgroupSize() {
    static constexpr char kAxes[] = {'x', 'y', 'z'};
    const uint32_t axis_limits[] = {limits.max_compute_workgroup_size_x, limits.max_compute_workgroup_size_y,
                                    limits.max_compute_workgroup_size_z};
    uint64_t invocations = 1;
    for (size_t axis = 0; axis < 3; ++axis) {
      const wgsl::ast::ExprId expr = function.workgroup_size[axis];
      int64_t size = 1;
      if (expr.has_value()) {
        size = IntegerOf(expr);
      }
      if (size > axis_limits[axis]) {
        sink.Emit(kWorkgroupSizeAxis, program.ast.exprs[expr].span, size, kAxes[axis], axis_limits[axis]);
        return;
      }
      stage.workgroup_size[axis] = static_cast<uint32_t>(size);
      invocations *= static_cast<uint64_t>(size);
    }
    if (invocations > limits.max_compute_invocations_per_workgroup) {
      sink.Emit(kWorkgroupInvocations, function.name_span, stage.workgroup_size[0], stage.workgroup_size[1],
                stage.workgroup_size[2], invocations, limits.max_compute_invocations_per_workgroup);
    }
  }

  // The size of a workgroup variable's type, with override-sized arrays (always outermost) at their
  // pipeline's size.
  uint64_t SizeOf(wgsl::TypeId type) const {
    const wgsl::Type& t = program.types[type];
    if (t.kind != wgsl::TypeKind::kArray || !t.override_count.has_value()) return program.types.SizeOf(type);
    uint64_t bytes = 0;
    const bool overflow = __builtin_mul_overflow(static_cast<uint64_t>(IntegerOf(t.override_count)),
                                                 program.types.StrideOf(type), &bytes);
    return overflow ? UINT64_MAX : bytes;
  }

  void WorkgroupStorage() {
    wgsl::VariableId largest;
    uint64_t largest_size = 0;
    uint64_t total = 0;
    for (const wgsl::VariableId id : globals) {
      const wgsl::Variable& variable = program.variables[id];
      if (variable.kind != wgsl::VariableKind::kVar || variable.space != wgsl::AddressSpace::kWorkgroup)
        continue;
      const uint64_t size = RoundUp16(SizeOf(variable.type));
      total = size > UINT64_MAX - total ? UINT64_MAX : total + size;
      if (size <= largest_size) continue;
      largest = id;
      largest_size = size;
    }
    stage.workgroup_storage = total;
    if (total <= limits.max_compute_workgroup_storage_size) return;
    sink.Emit(kWorkgroupStorage, function.name_span, total, limits.max_compute_workgroup_storage_size)
        .Note(program.variables[largest].name_span, "the largest part of it is '{}' with {} bytes",
              program.variables[largest].name, largest_size);
  }

  StageResource Resource(const wgsl::Variable& variable) {
    StageResource resource;
    resource.name = variable.name;
    resource.group = *variable.group;
    resource.span = variable.name_span;
    resource.slot = DefaultSlot(program.types, variable, stage.stage);
    return resource;
  }

  void Resources() {
    for (const wgsl::VariableId id : globals) {
      const wgsl::Variable& variable = program.variables[id];
      if (variable.kind != wgsl::VariableKind::kVar || !variable.group || !variable.binding) continue;
      StageResource resource = Resource(variable);
      if (resource.group >= limits.max_bind_groups) {
        sink.Emit(kGroupLimit, resource.span, resource.group, resource.name, limits.max_bind_groups,
                  limits.max_bind_groups - 1);
      }
      if (resource.slot.binding >= limits.max_bindings_per_bind_group) {
        sink.Emit(kBindingLimit, resource.span, resource.slot.binding, resource.name,
                  limits.max_bindings_per_bind_group, limits.max_bindings_per_bind_group - 1);
      }
      stage.resources.push_back(std::move(resource));
    }
    std::vector<BindGroupLayoutEntry> entries;
    for (const StageResource& resource : stage.resources) {
      entries.push_back(resource.slot);
    }
    const std::optional<Error> error =
        CheckSlotLimits(entries, limits, fmt::format("entry point '{}'", function.name));
    if (error) sink.Emit(kSlotLimit, function.name_span, error->message);
  }

  void Builtins() {
    for (const wgsl::StageVariable& input : function.inputs) {
      stage.uses_workgroup_index |= input.io.builtin == "workgroup_index";
      stage.uses_global_invocation_index |= input.io.builtin == "global_invocation_index";
    }
  }
};

}  // namespace

std::string OverrideKey(const wgsl::Variable& variable) {
  return variable.override_id ? fmt::format("{}", *variable.override_id) : variable.name;
}

std::string_view StageName(uint32_t stage) {
  if (stage == shader_stage::kVertex) return "vertex";
  return stage == shader_stage::kFragment ? "fragment" : "compute";
}

std::optional<wgsl::FunctionId> FindEntryPoint(const wgsl::Program& program, uint32_t stage,
                                               const std::optional<std::string>& name, std::string& error) {
  const std::string_view kind = StageName(stage);
  std::vector<wgsl::FunctionId> entries;
  std::string names;
  bool other_stage = false;
  for (uint32_t i = 0; i < program.functions.size(); ++i) {
    const wgsl::Function& function = program.functions[wgsl::FunctionId(i)];
    if (!function.is_entry_point) continue;
    if (function.stage != kind) {
      other_stage |= name && function.name == *name;
      continue;
    }
    if (name && function.name == *name) return wgsl::FunctionId(i);
    entries.push_back(wgsl::FunctionId(i));
    names += fmt::format("{}'{}'", names.empty() ? "" : ", ", function.name);
  }
  if (!name && entries.size() == 1) return entries[0];
  if (entries.empty())
    error = fmt::format("the shader has no {} entry point", kind);
  else if (!name)
    error = fmt::format("the shader has several {} entry points ({}): one must be named", kind, names);
  else if (other_stage)
    error = fmt::format("the entry point '{}' is not a {} shader", *name, kind);
  else
    error = fmt::format("the shader has no {} entry point '{}' (it has {})", kind, *name, names);
  return std::nullopt;
}

std::optional<EvaluatedStage> EvaluateStage(wgsl::Program& program, wgsl::FunctionId entry,
                                            const Constants& constants, const hal::Limits& limits,
                                            diag::Sink& sink) {
  const wgsl::Function& function = program.functions[entry];
  std::optional<wgsl::OverrideValues> overrides = wgsl::EvaluateOverrides(program, entry, constants, sink);
  if (!overrides || sink.has_errors()) return std::nullopt;

  EvaluatedStage stage;
  stage.entry = entry;
  for (const uint32_t bit : {shader_stage::kVertex, shader_stage::kFragment, shader_stage::kCompute}) {
    if (function.stage == StageName(bit)) stage.stage = bit;
  }
  stage.overrides = std::move(*overrides);
  Evaluator evaluator{program, function, limits, sink, stage};
  if (stage.stage == shader_stage::kCompute) {
    evaluator.WorkgroupSize();
    evaluator.WorkgroupStorage();
  }
  evaluator.Resources();
  evaluator.Builtins();
  if (sink.has_errors()) return std::nullopt;
  return stage;
}

ir::Module LowerStage(const wgsl::Program& program, const EvaluatedStage& stage) {
  return lower::Lower(program, stage.entry, stage.overrides);
}

}  // namespace lockstep::gpu::core
