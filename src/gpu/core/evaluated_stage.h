// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// What pipeline creation finds out about an entry point once overrides have their values: workgroup size,
// workgroup memory, resources. Everything that does not depend on a pipeline layout is validated here
// (WebGPU: #abstract-opdef-validating-gpuprogrammablestage), so that `lockstep check` can do it without a
// device.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "gpu/core/bind_group_layout.h"
#include "gpu/hal/device.h"
#include "ir/module.h"
#include "wgsl/program.h"

namespace lockstep::gpu::core {

using Constants = std::map<std::string, double>;  // by pipeline-overridable constant identifier string

struct StageResource {
  std::string name;  // of the variable
  uint32_t group = 0;
  // What the default layout has for it, visible to the stage; a buffer's min_binding_size is the variable's
  // minimum buffer binding size.
  BindGroupLayoutEntry slot;
  Span span;  // of the variable's name
};

struct EvaluatedStage {
  wgsl::FunctionId entry;
  uint32_t stage = shader_stage::kCompute;
  std::array<uint32_t, 3> workgroup_size = {1, 1, 1};  // of compute shaders
  uint64_t workgroup_storage = 0;                      // bytes, each variable rounded up to 16
  bool uses_workgroup_index = false;
  bool uses_global_invocation_index = false;
  std::vector<StageResource> resources;  // statically used, in the order of the text
  wgsl::OverrideValues overrides;
};

// "vertex": of a bit of shader_stage.
std::string_view StageName(uint32_t stage);

// WebGPU: #abstract-opdef-get-the-entry-point. The stage's entry point called `name`, or the only one where
// no name is given. None: `error` says why.
std::optional<wgsl::FunctionId> FindEntryPoint(const wgsl::Program& program, uint32_t stage,
                                               const std::optional<std::string>& name, std::string& error);

// The key under which `constants` names an override: its @id in decimal, or its name.
std::string OverrideKey(const wgsl::Variable& variable);

// None where the sink has errors. Interns into the program's tables.
std::optional<EvaluatedStage> EvaluateStage(wgsl::Program& program, wgsl::FunctionId entry,
                                            const Constants& constants, const hal::Limits& limits,
                                            diag::Sink& sink);

ir::Module LowerStage(const wgsl::Program& program, const EvaluatedStage& stage);

}  // namespace lockstep::gpu::core
