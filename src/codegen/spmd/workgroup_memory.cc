// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "codegen/spmd/workgroup_memory.h"

namespace lockstep::codegen {

using ir::InstId;
using ir::ValueId;
using ir::VariableId;

namespace {

// Every variable on a cache line of its own: vector accesses of aligned runs do not straddle lines.
constexpr uint64_t kVariableAlign = 64;
constexpr uint64_t kMaxWorkgroupBytes = uint64_t{1} << 30;

}  // namespace

Result<> LayOutWorkgroupMemory(LaneKernel& kernel, const Structure& structure) {
  const ir::Module& module = kernel.module;
  SideTable<VariableId, uint8_t> used;
  for (const InstId inst : structure.order) {
    for (const ValueId v : module.operands(inst)) {
      if (module.value(v).kind == ir::ValueKind::kVariable) used.Set(VariableId(module.value(v).owner), 1);
    }
  }
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < module.variables.size(); ++i) {
    const VariableId id(i);
    if (module.variables[id].space != ir::AddressSpace::kWorkgroup || used.Get(id) == 0) continue;
    kernel.workgroup_offsets.Set(id, static_cast<uint32_t>(bytes));
    kernel.zero_needed.Set(id, 1);
    bytes += module.types[module.variables[id].type].size;
    bytes = (bytes + kVariableAlign - 1) / kVariableAlign * kVariableAlign;
    if (bytes > kMaxWorkgroupBytes) {
      return Failure{FailureKind::kProgram,
                     "the variables of the workgroup address space take more than 1 GiB"};
    }
  }
  kernel.workgroup_bytes = static_cast<uint32_t>(bytes);
  return Ok{};
}

}  // namespace lockstep::codegen
