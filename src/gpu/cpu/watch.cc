// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/cpu/watch.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::gpu::cpu {
namespace {

using ir::TypeKind;

// Layouts of IR types, one an ir::TypeId.
std::vector<observe::Layout> MakeLayouts(const ir::TypeTable& types) {
  std::vector<observe::Layout> layouts(types.size());
  for (uint32_t i = 0; i < types.size(); ++i) {
    const ir::Type& type = types[ir::TypeId(i)];
    observe::Layout& layout = layouts[i];
    layout.words = (type.size + 3) / 4;
    switch (type.kind) {
      case TypeKind::kVoid:
      case TypeKind::kBool:
      case TypeKind::kI32:
      case TypeKind::kU32:
      case TypeKind::kF32:
      case TypeKind::kF16:
      case TypeKind::kAtomic:
      case TypeKind::kPointer:
        break;
      case TypeKind::kVector:
        layout.kind = observe::Layout::Kind::kVector;
        layout.words = type.count;
        break;
      case TypeKind::kMatrix:
      case TypeKind::kArray:
      case TypeKind::kRuntimeArray:
        layout.kind = observe::Layout::Kind::kArray;
        layout.element = type.element.index;
        if (type.kind == TypeKind::kRuntimeArray) layout.words = observe::Layout::kUnbounded;
        layout.stride =
            type.kind == TypeKind::kMatrix ? types.PartOffset(ir::TypeId(i), 1) / 4 : type.stride / 4;
        break;
      case TypeKind::kStruct:
        layout.kind = observe::Layout::Kind::kStruct;
        for (const ir::Member& m : type.members) {
          layout.members.push_back({m.name, m.offset / 4, m.type.index});
        }
        break;
    }
  }
  return layouts;
}

observe::Space SpaceOf(ir::AddressSpace space) {
  if (space == ir::AddressSpace::kWorkgroup) return observe::Space::kWorkgroup;
  return space == ir::AddressSpace::kStorage ? observe::Space::kStorage : observe::Space::kOther;
}

bool IsOnStorage(const ir::Module& module, ir::InstId access) {
  const ir::TypeId pointer = module.type_of(module.operands(access)[0]);
  return module.types[pointer].space == ir::AddressSpace::kStorage;
}

}  // namespace

WatchedCode Instrument(const ir::Module& lowered, bool details) {
  WatchedCode code;
  code.module = lowered;
  code.table = ir::InstrumentRaces(code.module, {details});
  return code;
}

bool DependsOnOrder(const ir::Module& lowered) {
  std::vector<bool> used(lowered.value_count(), false);
  std::vector<ir::InstId> atomics;
  for (const ir::Function& function : lowered.functions) {
    ir::ForEachInst(lowered, function.body, [&](ir::InstId inst) {
      for (const ir::ValueId operand : lowered.operands(inst)) used[operand.index] = true;
      if (ir::IsAtomic(lowered.insts[inst].op) && IsOnStorage(lowered, inst)) atomics.push_back(inst);
    });
  }
  std::optional<ir::AtomicOp> common;  // of those that change memory
  for (const ir::InstId inst : atomics) {
    for (const ir::ValueId result : lowered.results(inst)) {
      if (used[result.index]) return true;
    }
    if (lowered.insts[inst].op == ir::Op::kAtomicLoad) continue;
    if (lowered.insts[inst].op != ir::Op::kAtomicRmw) return true;  // the first or the last one counts
    auto op = static_cast<ir::AtomicOp>(lowered.insts[inst].imm);
    if (op == ir::AtomicOp::kExchange) return true;
    if (op == ir::AtomicOp::kSub) op = ir::AtomicOp::kAdd;
    if (common.value_or(op) != op) return true;  // sums commute with sums, not with minima
    common = op;
  }
  return false;
}

observe::Program MakeProgram(const ir::Module& module, const ir::WatchTable& table,
                             std::span<const abi::BufferView> views,
                             const std::array<uint32_t, 3>& workgroups) {
  observe::Program program;
  program.layouts = MakeLayouts(module.types);
  program.workgroup_size = module.workgroup_size;
  program.workgroups = workgroups;
  size_t bound = 0;
  for (const ir::WatchRoot& root : table.roots) {
    observe::Variable variable{root.name, SpaceOf(root.space), std::string(ir::AddressSpaceName(root.space)),
                               root.type.index, (module.types[root.type].size + 3) / 4};
    const bool buffer = root.space == ir::AddressSpace::kStorage || root.space == ir::AddressSpace::kUniform;
    if (buffer) variable.words = views[bound++].size / 4;
    const size_t number = program.variables.size();
    const bool read_only =
        number < module.variables.size() &&
        module.variables[ir::VariableId(static_cast<uint32_t>(number))].access == ir::Access::kRead;
    if (read_only) variable.space = observe::Space::kOther;
    program.variables.push_back(std::move(variable));
  }
  for (const ir::WatchSite& s : table.sites) {
    program.sites.push_back({s.span, s.kind, s.component, s.value_words, s.loops});
  }
  return program;
}

}  // namespace lockstep::gpu::cpu
