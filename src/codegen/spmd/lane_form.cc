// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "codegen/spmd/lane_form.h"

#include "codegen/spmd/barrier_plan.h"
#include "codegen/spmd/bounded_loops.h"
#include "codegen/spmd/choose_lanes.h"
#include "codegen/spmd/linearize.h"
#include "codegen/spmd/prepare.h"
#include "codegen/spmd/shapes.h"
#include "codegen/spmd/signed_compares.h"
#include "codegen/spmd/structure.h"
#include "codegen/spmd/workgroup_memory.h"

namespace lockstep::codegen {

using ir::FunctionId;
using ir::InstId;
using ir::Module;
using ir::Op;
using ir::ValueId;

namespace {

// Functions that nothing reaches are still in their old form: they lose their bodies.
void DropUnreached(Module& module, const Structure& structure) {
  SideTable<FunctionId, uint8_t> reached;
  for (const FunctionId function : structure.functions) reached.Set(function, 1);
  for (uint32_t i = 0; i < module.functions.size(); ++i) {
    if (reached.Get(FunctionId(i)) != 0) continue;
    const ir::BlockId body = module.AddBlock();
    module.blocks[body].insts.push_back(module.MakeInst(Op::kUnreachable, {}, {}));
    module.functions[FunctionId(i)].body = body;
  }
}

void SetShapes(LaneKernel& kernel, const ShapeInfo& shapes) {
  const Module& module = kernel.module;
  kernel.shapes = SideTable<ValueId, Shape>(module.value_count());
  for (uint32_t i = 0; i < module.value_count(); ++i) {
    const ValueId v(i);
    const InstId def = module.defining_inst(v);
    const bool var = def.has_value() && module.insts[def].op == Op::kVar;
    const bool private_variable = module.value(v).kind == ir::ValueKind::kVariable &&
                                  module.types[module.type_of(v)].space == ir::AddressSpace::kPrivate;
    kernel.shapes.Set(v, ShapeOf(var || private_variable ? shapes.contents(v) : shapes.fact(v)));
  }
}

// What lane form promises; a failure is a bug of this room.
Result<> CheckUniformControlFlow(const LaneKernel& kernel, const Structure& structure) {
  for (const InstId inst : structure.order) {
    const Op op = kernel.module.insts[inst].op;
    if ((op == Op::kIf || op == Op::kSwitch) &&
        !kernel.shapes.Get(kernel.module.operands(inst)[0]).uniform()) {
      return Failure{FailureKind::kProgram,
                     "internal: lane form branches on a value that differs between lanes"};
    }
  }
  return Ok{};
}

}  // namespace

ValueId RootOf(const Module& module, ValueId pointer) {
  InstId inst = module.defining_inst(pointer);
  while (inst.has_value() && module.insts[inst].op == Op::kAccess) {
    pointer = module.operands(inst)[0];
    inst = module.defining_inst(pointer);
  }
  return pointer;
}

Result<LaneKernel> BuildLaneForm(const Module& module, const LaneOptions& options) {
  LaneKernel kernel;
  kernel.module = module;
  Result<Structure> before = AnalyzeStructure(kernel.module, kMaxNesting);
  if (!before) return before.failure();
  PrepareForLanes(kernel.module, before->functions);
  UseSignedCompares(kernel.module);
  before = AnalyzeStructure(kernel.module, kMaxNesting);
  if (!before) return before.failure();
  kernel.lanes = ChooseLanes(kernel.module, *before, options);
  kernel.groups = (module.invocations() + kernel.lanes - 1) / kernel.lanes;
  kernel.partial = kernel.groups * kernel.lanes != module.invocations();
  const ShapeInfo old_shapes = AnalyzeShapes(kernel.module, *before, kernel.lanes);
  LinearForm linear = Linearize(kernel.module, *before, old_shapes, kernel.partial);
  DropUnreached(kernel.module, *before);

  Result<Structure> structure = AnalyzeStructure(kernel.module, 4 * kMaxNesting);
  if (!structure) return structure.failure();
  structure->workgroup_level = linear.workgroup_level;
  structure->empty_jumps = std::move(linear.empty_jumps);
  kernel.barriers.workgroup_level = std::move(linear.workgroup_level);
  kernel.barriers.workgroup_functions = structure->workgroup_functions;
  const ShapeInfo shapes = AnalyzeShapes(kernel.module, *structure, kernel.lanes);
  SetShapes(kernel, shapes);
  if (auto checked = CheckUniformControlFlow(kernel, *structure); !checked) return checked.failure();
  if (auto planned = PlanBarriers(kernel, *structure, shapes); !planned) return planned.failure();
  if (auto laid_out = LayOutWorkgroupMemory(kernel, *structure); !laid_out) return laid_out.failure();
  FindBoundedLoops(kernel, *structure);
  return kernel;
}

}  // namespace lockstep::codegen
