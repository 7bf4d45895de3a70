// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/transform/stage_io.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "ir/analysis/used_parts.h"
#include "ir/builder.h"
#include "ir/transform/rewrite.h"
#include "support/check.h"

namespace lockstep::ir {
namespace {

using abi::StageScalar;
using abi::StageSlot;
using abi::StageValue;
using Slots = std::vector<StageSlot>;

StageValue InputOf(Builtin builtin) {
  switch (builtin) {
    case Builtin::kVertexIndex:
      return StageValue::kVertexIndex;
    case Builtin::kInstanceIndex:
      return StageValue::kInstanceIndex;
    case Builtin::kPosition:
      return StageValue::kPosition;
    case Builtin::kFrontFacing:
      return StageValue::kFrontFacing;
    case Builtin::kPrimitiveIndex:
      return StageValue::kPrimitiveIndex;
    case Builtin::kSampleIndex:
      return StageValue::kSampleIndex;
    case Builtin::kSampleMask:
      return StageValue::kSampleMask;
    case Builtin::kLocalInvocationId:
    case Builtin::kLocalInvocationIndex:
    case Builtin::kGlobalInvocationId:
    case Builtin::kWorkgroupId:
    case Builtin::kNumWorkgroups:
    case Builtin::kGlobalInvocationIndex:
    case Builtin::kWorkgroupIndex:
      break;
  }
  UNREACHABLE("a builtin of compute shaders");
}

// Half floats travel as f32.
StageScalar ScalarKindOf(const TypeTable& types, TypeId type) {
  const TypeId scalar = types.PartCount(type) == 0 ? type : types.PartType(type, 0);
  if (types.IsBool(scalar)) return StageScalar::kBool;
  if (types.IsFloat(scalar)) return StageScalar::kF32;
  return types.IsSigned(scalar) ? StageScalar::kI32 : StageScalar::kU32;
}

// Built-in values first.
auto OrderOf(const StageSlot& slot) {
  return std::tuple(slot.value == StageValue::kLocation, slot.value, slot.location, slot.blend_src,
                    slot.component);
}

bool IsSameValue(const StageSlot& a, const StageSlot& b) {
  return a.value == b.value && a.location == b.location && a.blend_src == b.blend_src;
}

// What an instruction brings in or gives out, without its components.
StageSlot SlotOf(const Module& module, InstId id) {
  const Inst& inst = module.insts[id];
  StageSlot slot;
  if (inst.op == Op::kBuiltinInput) {
    slot.value = InputOf(static_cast<Builtin>(inst.imm));
  } else if (inst.op == Op::kStageInput) {
    const StageInput input = UnpackInput(inst.imm);
    slot.location = input.location;
    slot.interpolation = input.interpolation;
    slot.sampling = input.sampling;
  } else {
    const StageOutput output = UnpackOutput(inst.imm);
    slot.value = output.value;
    slot.location = output.location;
    slot.blend_src = static_cast<uint8_t>(output.blend_src);
  }
  return slot;
}

bool IsInput(const Module& module, InstId id) {
  const Inst& inst = module.insts[id];
  if (inst.op == Op::kStageInput) return true;
  return inst.op == Op::kBuiltinInput && StageOf(static_cast<Builtin>(inst.imm)) != Stage::kCompute;
}

bool WritesStorage(const Module& module, InstId id) {
  const Op op = module.insts[id].op;
  if (!GuardPosition(op) && op != Op::kZeroFill) return false;
  return module.types[module.type_of(module.operands(id)[0])].space == AddressSpace::kStorage;
}

bool IsEvent(Op op) { return op == Op::kWatch || op == Op::kWatchBounds; }

void Add(Slots& slots, StageSlot slot, const TypeTable& types, TypeId type) {
  for (const StageSlot& other : slots) {
    if (IsSameValue(slot, other)) return;  // given before another return
  }
  slot.scalar = ScalarKindOf(types, type);
  for (uint32_t i = 0; i < std::max(1u, types.PartCount(type)); ++i) {
    slot.component = static_cast<uint8_t>(i);
    slots.push_back(slot);
  }
}

void AddCoverage(Slots& slots) {
  StageSlot slot;
  slot.value = StageValue::kCoverage;
  slot.scalar = StageScalar::kBool;
  slots.push_back(slot);
}

void Sort(Slots& slots) {
  std::sort(slots.begin(), slots.end(),
            [](const StageSlot& a, const StageSlot& b) { return OrderOf(a) < OrderOf(b); });
}

bool HasCoverage(const Slots& slots) {
  return std::any_of(slots.begin(), slots.end(),
                     [](const StageSlot& slot) { return slot.value == StageValue::kCoverage; });
}

class State {
 public:
  State(Module& module, const abi::StageLayout& layout) : m_(module), layout_(layout) {}

  void Run() {
    m_.workgroup_size = {abi::kStageInvocations, 1, 1};
    in_ = AddMemory("stage_in", Access::kRead, layout_.inputs);
    out_ = AddMemory("stage_out", Access::kReadWrite, layout_.outputs);
    const BlockId head = m_.AddBlock();
    Builder b(&m_, head);
    index_ = b.BuiltinInput(Builtin::kLocalInvocationIndex);
    if (HasCoverage(layout_.inputs)) {
      StageSlot coverage;
      coverage.value = StageValue::kCoverage;
      AddLive(b, LoadInput(coverage, m_.types.Bool(), b));
    }
    for (uint32_t i = 0; i < m_.functions.size(); ++i) {
      in_entry_ = FunctionId(i) == m_.entry;
      VisitBlock(m_.functions[FunctionId(i)].body);
    }
    replacements_.Apply(m_);
    std::vector<InstId>& insts = m_.blocks[m_.functions[m_.entry].body].insts;
    insts.insert(insts.begin(), m_.blocks[head].insts.begin(), m_.blocks[head].insts.end());
  }

 private:
  // A row of words for each slot. Never empty, so that both memories are always there.
  ValueId AddMemory(const char* name, Access access, const Slots& slots) {
    const TypeId row = m_.types.Array(m_.types.U32(), abi::kStageInvocations, 4);
    Variable variable;
    variable.name = name;
    variable.type = m_.types.Array(row, std::max<uint32_t>(1, static_cast<uint32_t>(slots.size())),
                                   abi::kStageInvocations * 4);
    variable.space = AddressSpace::kStorage;
    variable.access = access;
    return m_.variable_value(m_.AddVariable(std::move(variable)));
  }

  // The variable that says whether the invocation is no helper.
  void AddLive(Builder& b, ValueId coverage) {
    bool in_calls = false;
    for (uint32_t i = 0; i < m_.functions.size(); ++i) {
      if (FunctionId(i) == m_.entry) continue;
      ForEachInst(m_, m_.functions[FunctionId(i)].body, [&](InstId id) { in_calls |= AsksLive(id); });
    }
    if (in_calls) {
      Variable variable;
      variable.name = "live";
      variable.type = m_.types.Bool();
      live_ = m_.variable_value(m_.AddVariable(std::move(variable)));
    } else {
      live_ = b.Var(m_.types.Bool(), "live");
    }
    b.Store(live_, coverage);
  }

  bool AsksLive(InstId id) const {
    const Op op = m_.insts[id].op;
    return op == Op::kDemote || IsEvent(op) || WritesStorage(m_, id);
  }

  void VisitBlock(BlockId block) {
    const std::vector<InstId> old = std::move(m_.blocks[block].insts);
    m_.blocks[block].insts.clear();
    for (const InstId id : old) {
      Builder b(&m_, block);
      b.set_span(m_.span(id));
      const Op op = m_.insts[id].op;
      if (IsInput(m_, id)) {
        const ValueId result = m_.result(id);
        const ValueId loaded = LoadInput(SlotOf(m_, id), m_.type_of(result), b);
        m_.set_name(loaded, std::string(m_.name_of(result)));
        replacements_.Replace(result, loaded);
      } else if (op == Op::kStageOutput) {
        StoreOutput(SlotOf(m_, id), m_.operands(id)[0], b);
      } else if (op == Op::kDemote) {
        b.Store(live_, b.Bool(false));
      } else if (live_.has_value() && WritesStorage(m_, id)) {
        AppendGuarded(b, id, b.Load(live_));
      } else if (live_.has_value() && IsEvent(op)) {
        GuardEvent(id, b);
      } else {
        if (op == Op::kReturn && in_entry_) BeforeReturn(b);
        m_.blocks[block].insts.push_back(id);
        for (size_t r = 0; r < m_.regions(id).size(); ++r) VisitBlock(m_.regions(id)[r]);
      }
    }
  }

  // Helpers tell nothing.
  void GuardEvent(InstId id, Builder& b) {
    constexpr size_t kGuard = 3;
    std::vector<ValueId> operands(m_.operands(id).begin(), m_.operands(id).end());
    operands[kGuard] = b.And(operands[kGuard], b.Load(live_));
    m_.SetOperands(id, operands);
    m_.blocks[b.block()].insts.push_back(id);
  }

  void BeforeReturn(Builder& b) {
    if (!HasCoverage(layout_.outputs)) return;
    StageSlot coverage;
    coverage.value = StageValue::kCoverage;
    StoreOutput(coverage, b.Load(live_), b);
  }

  uint32_t FirstSlot(const Slots& slots, const StageSlot& wanted) const {
    const auto found = std::find_if(slots.begin(), slots.end(),
                                    [&](const StageSlot& slot) { return IsSameValue(slot, wanted); });
    CHECK(found != slots.end());
    return static_cast<uint32_t>(found - slots.begin());
  }

  ValueId LoadInput(const StageSlot& slot, TypeId type, Builder& b) {
    const uint32_t first = FirstSlot(layout_.inputs, slot);
    const auto load = [&](uint32_t component, TypeId scalar) {
      return FromWord(b.Load(b.Access(in_, {b.U32(first + component), index_})), scalar, b);
    };
    if (m_.types.PartCount(type) == 0) return load(0, type);
    std::vector<ValueId> parts;
    for (uint32_t i = 0; i < m_.types.PartCount(type); ++i)
      parts.push_back(load(i, m_.types.PartType(type, i)));
    return b.Construct(type, parts);
  }

  void StoreOutput(const StageSlot& slot, ValueId value, Builder& b) {
    const uint32_t first = FirstSlot(layout_.outputs, slot);
    const auto store = [&](uint32_t component, ValueId scalar) {
      const ValueId word = ToWord(scalar, b);
      b.Store(b.Access(out_, {b.U32(first + component), index_}), word);
    };
    const uint32_t count = m_.types.PartCount(m_.type_of(value));
    if (count == 0) return store(0, value);
    for (uint32_t i = 0; i < count; ++i) store(i, b.Extract(value, i));
  }

  ValueId FromWord(ValueId word, TypeId scalar, Builder& b) {
    if (scalar == m_.types.Bool()) return b.Binary(Op::kNe, word, b.U32(0));
    if (scalar == m_.types.F16()) return b.Convert(scalar, b.Bitcast(m_.types.F32(), word));
    return b.Bitcast(scalar, word);
  }

  ValueId ToWord(ValueId scalar, Builder& b) {
    const TypeId type = m_.type_of(scalar);
    if (type == m_.types.Bool()) return b.Convert(m_.types.U32(), scalar);
    if (type == m_.types.F16()) scalar = b.Convert(m_.types.F32(), scalar);
    return b.Bitcast(m_.types.U32(), scalar);
  }

  Module& m_;
  const abi::StageLayout& layout_;
  ValueId in_, out_;
  ValueId index_;          // of the invocation in its batch
  ValueId live_;           // None where nobody asks
  bool in_entry_ = false;  // the walk
  Replacements replacements_;
};

}  // namespace

abi::StageLayout StageLayoutOf(const Module& module) {
  abi::StageLayout layout;
  if (module.stage == Stage::kCompute) return layout;
  bool demotes = false, writes = false, tells = false;
  ForEachInst(module, [&](InstId id) {
    if (IsInput(module, id))
      Add(layout.inputs, SlotOf(module, id), module.types, module.type_of(module.result(id)));
    if (module.insts[id].op == Op::kStageOutput)
      Add(layout.outputs, SlotOf(module, id), module.types, module.type_of(module.operands(id)[0]));
    demotes |= module.insts[id].op == Op::kDemote;
    writes |= WritesStorage(module, id);
    tells |= IsEvent(module.insts[id].op);
  });
  if (module.stage == Stage::kFragment && (demotes || writes || tells)) AddCoverage(layout.inputs);
  if (demotes) AddCoverage(layout.outputs);
  Sort(layout.inputs);
  Sort(layout.outputs);
  return layout;
}

std::vector<bool> UsedInputs(const Module& module, const abi::StageLayout& layout) {
  UsedParts parts(module);
  std::vector<bool> used(layout.inputs.size(), false);
  ForEachInst(module, [&](InstId id) {
    if (!IsInput(module, id)) return;
    const uint32_t components = parts.Of(module.result(id));
    const StageSlot wanted = SlotOf(module, id);
    for (size_t i = 0; i < used.size(); ++i) {
      const StageSlot& slot = layout.inputs[i];
      if (IsSameValue(slot, wanted) && (components >> slot.component & 1) != 0) used[i] = true;
    }
  });
  for (size_t i = 0; i < used.size(); ++i)
    if (layout.inputs[i].value == StageValue::kCoverage) used[i] = true;
  return used;
}

void LowerStageIo(Module& module, const abi::StageLayout& layout) {
  const bool is_kernel = module.stage == Stage::kCompute || module.invocations() != 1;
  if (!is_kernel) State(module, layout).Run();
}

void LowerStageIo(Module& module) { LowerStageIo(module, StageLayoutOf(module)); }

}  // namespace lockstep::ir
