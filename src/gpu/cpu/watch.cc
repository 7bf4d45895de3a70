// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/cpu/watch.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::gpu::cpu {
namespace {

using ir::TypeKind;

// Layouts of IR types, one an ir::TypeId.
void AddLayouts(std::vector<observe::Layout>& layouts, const ir::TypeTable& types) {
  const auto first = static_cast<uint32_t>(layouts.size());
  for (uint32_t i = 0; i < types.size(); ++i) {
    const ir::Type& type = types[ir::TypeId(i)];
    observe::Layout& layout = layouts.emplace_back();
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
      case TypeKind::kTexture:
        break;
      case TypeKind::kVector:
        layout.kind = observe::Layout::Kind::kVector;
        layout.words = type.count;
        break;
      case TypeKind::kMatrix:
      case TypeKind::kArray:
      case TypeKind::kRuntimeArray:
        layout.kind = observe::Layout::Kind::kArray;
        layout.element = first + type.element.index;
        if (type.kind == TypeKind::kRuntimeArray) layout.words = observe::Layout::kUnbounded;
        layout.stride =
            type.kind == TypeKind::kMatrix ? types.PartOffset(ir::TypeId(i), 1) / 4 : type.stride / 4;
        break;
      case TypeKind::kStruct:
        layout.kind = observe::Layout::Kind::kStruct;
        for (const ir::Member& m : type.members) {
          layout.members.push_back({m.name, m.offset / 4, first + m.type.index});
        }
        break;
    }
  }
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

Result<> CompileWatched(WatchedCode& code, KernelCache& cache, const hal::PipelineOptions& options) {
  hal::PipelineOptions watched = options;
  watched.lanes = kWatchLanes;
  watched.quick = false;
  Result<CachedKernel> kernel = cache.Get(code.module, watched);
  if (!kernel.ok()) return kernel.failure();
  code.kernel = kernel->code;
  return Ok();
}

CodeNumbers AddCode(observe::Program& program, const WatchedCode& code, uint32_t source) {
  const CodeNumbers numbers = {static_cast<uint32_t>(program.layouts.size()),
                               static_cast<uint32_t>(program.sites.size())};
  AddLayouts(program.layouts, code.module.types);
  for (const ir::WatchSite& s : code.table.sites)
    program.sites.push_back({s.span, source, s.kind, s.component, s.value_words, s.loops});
  return numbers;
}

uint32_t AddVariables(observe::Program& program, const WatchedCode& code, const CodeNumbers& numbers,
                      std::span<const BoundMemory> bound) {
  const auto first = static_cast<uint32_t>(program.variables.size());
  const ir::Module& module = code.module;
  size_t next_bound = 0;
  for (uint32_t i = 0; i < code.table.roots.size(); ++i) {
    const ir::WatchRoot& root = code.table.roots[i];
    observe::Variable variable;
    variable.name = root.name;
    variable.address_space = ir::AddressSpaceName(root.space);
    variable.layout = numbers.layout + root.type.index;
    variable.words = (module.types[root.type].size + 3) / 4;
    const bool read_only =
        i < module.variables.size() && module.variables[ir::VariableId(i)].access == ir::Access::kRead;
    if (!read_only) variable.space = SpaceOf(root.space);
    if (root.space == ir::AddressSpace::kStorage || root.space == ir::AddressSpace::kUniform) {
      const BoundMemory& at = bound[next_bound++];
      variable.memory = at.memory;
      variable.first_word = at.first_word;
      variable.words = at.words;
    } else if (variable.space != observe::Space::kOther) {
      variable.memory = static_cast<uint32_t>(program.memories.size());
      program.memories.push_back(0);
    }
    if (variable.space != observe::Space::kOther) {
      uint64_t& words = program.memories[variable.memory];
      words = std::max(words, variable.first_word + variable.words);
    }
    program.variables.push_back(std::move(variable));
  }
  return first;
}

observe::Program MakeProgram(const WatchedCode& code, std::span<const abi::BufferView> views,
                             const std::array<uint32_t, 3>& workgroups) {
  observe::Program program;
  program.workgroup_size = code.module.workgroup_size;
  program.workgroups = workgroups;
  std::vector<BoundMemory> bound;  // each a memory of its own: writable ones share no bytes in a dispatch
  for (const abi::BufferView& view : views) {
    bound.push_back({static_cast<uint32_t>(program.memories.size()), 0, view.size / 4});
    program.memories.push_back(0);
  }
  AddVariables(program, code, AddCode(program, code, 0), bound);
  return program;
}

}  // namespace lockstep::gpu::cpu
