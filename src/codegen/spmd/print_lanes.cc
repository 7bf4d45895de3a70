// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// lockstep show --emit=lanes: the IR's text with a note on each result.
//     %j = add %i, %base : u32   // affine 1, group slot 64
#include <fmt/format.h>

#include "codegen/spmd/lane_form.h"
#include "ir/printer.h"

namespace lockstep::codegen {

using ir::InstId;
using ir::Op;
using ir::ValueId;

namespace {

std::string ShapeText(const Shape& shape) {
  switch (shape.kind) {
    case ShapeKind::kUniform:
      return "uniform";
    case ShapeKind::kAffine:
      return fmt::format("affine {}", shape.stride);
    case ShapeKind::kClamped:
      return fmt::format("clamped {}", shape.stride);
    case ShapeKind::kVarying:
      return "varying";
  }
  UNREACHABLE("no such shape");
}

std::string HomeText(const Placement& placement) {
  switch (placement.home) {
    case Home::kLocal:
      return "";
    case Home::kHoisted:
      return ", hoisted";
    case Home::kUniformSlot:
      return fmt::format(", uniform slot {}", placement.offset);
    case Home::kGroupSlot:
      return fmt::format(", group slot {}", placement.offset);
  }
  UNREACHABLE("no such home");
}

std::string ValueNote(const LaneKernel& kernel, ValueId v) {
  return ShapeText(kernel.shapes.Get(v)) + HomeText(kernel.placements.Get(v));
}

std::string InstNote(const LaneKernel& kernel, InstId inst) {
  std::string note;
  if (kernel.barriers.workgroup_level.Get(inst) != 0) note = "workgroup level";
  if (kernel.bounded_loops.Get(inst) != 0) note += note.empty() ? "bounded" : ", bounded";
  for (const ValueId r : kernel.module.results(inst)) {
    if (!note.empty()) note += "; ";
    note += ValueNote(kernel, r);
  }
  return note;
}

}  // namespace

std::string PrintLanes(const LaneKernel& kernel) {
  std::string text = fmt::format("// {} lanes, {} groups{}\n", kernel.lanes, kernel.groups,
                                 kernel.partial ? ", the last one partial" : "");
  if (kernel.frame_bytes() != 0) {
    text += fmt::format("// frame: {} bytes, and {} a group\n", kernel.barriers.uniform_bytes,
                        kernel.barriers.group_bytes);
  }
  for (uint32_t i = 0; i < kernel.module.variables.size(); ++i) {
    const ir::VariableId id(i);
    if (kernel.module.variables[id].space != ir::AddressSpace::kWorkgroup) continue;
    text += fmt::format("// workgroup memory: {} at {}{}\n", kernel.module.variables[id].name,
                        kernel.workgroup_offsets.Get(id), kernel.zero_needed.Get(id) != 0 ? ", zeroed" : "");
  }
  ir::PrintNotes notes;
  notes.inst = [&](InstId inst) { return InstNote(kernel, inst); };
  notes.param = [&](ValueId param) { return ValueNote(kernel, param); };
  return text + ir::Print(kernel.module, notes);
}

}  // namespace lockstep::codegen
