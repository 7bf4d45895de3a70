// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls, regions and barriers.
#include <fmt/format.h>

#include "interp/machine.h"

namespace lockstep::interp {

namespace {

// Calls end somewhere, since WGSL has no recursion, but all invocations of the workgroups that run may be
// inside them at once.
constexpr uint64_t kMaxFrameBytes = uint64_t{1} << 30;

// The frame itself, and what its vectors hold beside what is asked of them.
constexpr uint64_t kFrameOverhead = sizeof(Frame) + 128;

}  // namespace

uint64_t Machine::BytesOf(ir::FunctionId function) const {
  return kFrameOverhead + uint64_t{frame_words_[function.index]} * 4 + frame_bytes_[function.index];
}

void Machine::PushFrame(ir::FunctionId function, ir::InstId call) {
  live_bytes_ += BytesOf(function);
  if (live_bytes_ > kMaxFrameBytes) {
    return Fail(FailureKind::kProgram,
                fmt::format("the calls that run take more than 1 GiB in the interpreter, {} deep in '{}'",
                            current_->frames.size(), module_.functions[function].name));
  }
  Frame next;
  next.function = function;
  next.call = call;
  next.words.resize(frame_words_[function.index]);
  // What a `var` holds before its first store is not defined: a pattern shows reads of it.
  next.memory.resize(frame_bytes_[function.index], std::byte{0xa5});
  next.regions.push_back({module_.functions[function].body, 0, ir::InstId::None(), 0});
  current_->frames.push_back(std::move(next));
}

// Assigns all at once: `from` may name what `to` overwrites.
void Machine::Assign(std::span<const ir::ValueId> to, std::span<const ir::ValueId> from) {
  CHECK(to.size() == from.size());
  scratch_.clear();
  for (const ir::ValueId value : from) {
    const std::span<const uint32_t> words = Get(value);
    scratch_.insert(scratch_.end(), words.begin(), words.end());
  }
  size_t begin = 0;
  for (const ir::ValueId value : to) {
    const uint32_t count = WordsOf(module_.type_of(value));
    Set(value, std::span<const uint32_t>(scratch_).subspan(begin, count));
    begin += count;
  }
}

void Machine::Enter(ir::BlockId block, ir::InstId construct, std::span<const ir::ValueId> arguments,
                    uint32_t round) {
  Assign(module_.blocks[block].params, arguments);
  frame().regions.push_back({block, 0, construct, round});
}

// Leaves regions until the innermost one is of `construct`.
bool Machine::PopRegionsTo(ir::InstId construct) {
  std::vector<Region>& regions = frame().regions;
  while (!regions.empty() && regions.back().construct != construct) regions.pop_back();
  if (!regions.empty()) return true;
  Fail(FailureKind::kProgram, "internal: an exit whose target is not around it");
  return false;
}

void Machine::DoCall(ir::InstId inst) {
  const ir::FunctionId callee(module_.insts[inst].imm);
  scratch_.clear();
  for (const ir::ValueId value : Operands(inst)) {
    const std::span<const uint32_t> words = Get(value);
    scratch_.insert(scratch_.end(), words.begin(), words.end());
  }
  PushFrame(callee, inst);
  if (failure_) return;
  size_t begin = 0;
  for (const ir::ValueId param : module_.functions[callee].params) {
    const uint32_t count = WordsOf(module_.type_of(param));
    Set(param, std::span<const uint32_t>(scratch_).subspan(begin, count));
    begin += count;
  }
}

void Machine::DoReturn(ir::InstId inst) {
  std::vector<uint32_t> words;
  if (!Operands(inst).empty()) {
    const std::span<const uint32_t> value = Get(Operands(inst)[0]);
    words.assign(value.begin(), value.end());
  }
  const ir::InstId call = frame().call;
  live_bytes_ -= BytesOf(frame().function);
  current_->frames.pop_back();
  if (current_->frames.empty()) {
    current_->state = State::kDone;
    current_->privates.clear();
  } else if (!module_.results(call).empty()) {
    Set(module_.result(call), words);
  }
}

void Machine::DoIf(ir::InstId inst) {
  Enter(module_.regions(inst)[Word(Operands(inst)[0]) != 0 ? 0 : 1], inst, {});
}

void Machine::DoLoop(ir::InstId inst) { Enter(module_.regions(inst)[0], inst, Operands(inst)); }

void Machine::DoSwitch(ir::InstId inst) {
  const uint32_t selector = Word(Operands(inst)[0]);
  const std::vector<ir::SwitchCase>& cases = module_.switches[ir::SwitchId(module_.insts[inst].imm)];
  size_t chosen = cases.size();
  for (size_t i = 0; i < cases.size(); ++i) {
    if (cases[i].is_default && chosen == cases.size()) chosen = i;
    for (const uint32_t bits : cases[i].selectors) {
      if (bits == selector) return Enter(module_.regions(inst)[i], inst, {});
    }
  }
  if (chosen == cases.size()) return Fail(FailureKind::kProgram, "internal: a switch without a default");
  Enter(module_.regions(inst)[chosen], inst, {});
}

void Machine::DoExit(ir::InstId inst) {
  const ir::InstId target(module_.insts[inst].imm);
  Assign(module_.results(target), Operands(inst));
  if (PopRegionsTo(target)) frame().regions.pop_back();
}

void Machine::DoContinue(ir::InstId inst) {
  const ir::InstId target(module_.insts[inst].imm);
  if (!PopRegionsTo(target)) return;
  const uint32_t round = frame().regions.back().round;
  frame().regions.pop_back();
  Enter(module_.regions(target)[1], target, Operands(inst), round);
}

void Machine::DoNext(ir::InstId inst) {
  const ir::InstId target(module_.insts[inst].imm);
  if (!PopRegionsTo(target)) return;
  const uint32_t round = frame().regions.back().round;
  frame().regions.pop_back();
  Enter(module_.regions(target)[0], target, Operands(inst), round + 1);
}

void Machine::DoUnreachable(ir::InstId) {
  Fail(FailureKind::kProgram, "internal: an 'unreachable' was reached");
}

void Machine::WaitAt(ir::InstId inst) {
  current_->state = State::kAtBarrier;
  current_->barrier = inst;
}

void Machine::DoBarrier(ir::InstId inst) { WaitAt(inst); }

// PassDerivatives gives the result.
void Machine::Differentiate(ir::InstId inst) {
  if (options_.schedule_seed != 0)
    return Fail(FailureKind::kProgram, "internal: a derivative where invocations take turns");
  const std::span<const uint32_t> value = Get(Operands(inst)[0]);
  current_->differenced.assign(value.begin(), value.end());
  WaitAt(inst);
}
void Machine::DoDpdx(ir::InstId inst) { Differentiate(inst); }
void Machine::DoDpdy(ir::InstId inst) { Differentiate(inst); }

// Told by PassBarrier, once all have arrived.
void Machine::DoWatchBarrier(ir::InstId inst) { WaitAt(inst); }

// A barrier, the read, a barrier: the instruction is executed three times.
void Machine::DoUniformLoad(ir::InstId inst) {
  if (current_->barrier != inst) {  // arrives
    WaitAt(inst);
    --frame().regions.back().next;
  } else if (!current_->uniform_load_read) {
    if (options_.log != nullptr) {
      const ir::TypeId pointee = module_.types.Pointee(module_.type_of(Operands(inst)[0]));
      const bool atomic = module_.types[pointee].kind == ir::TypeKind::kAtomic;
      Log(inst, atomic ? abi::AccessKind::kAtomicRead : abi::AccessKind::kRead, Operands(inst)[0]);
    }
    LoadInto(module_.result(inst), GetPointer(Operands(inst)[0]));
    current_->uniform_load_read = true;
    WaitAt(inst);
    --frame().regions.back().next;
  } else {  // goes on
    current_->uniform_load_read = false;
    current_->barrier = ir::InstId::None();
  }
}

void Machine::DoBuiltinInput(ir::InstId inst) {
  const std::array<uint32_t, 3>& local = current_->local_id;
  const std::array<uint32_t, 3>& size = module_.workgroup_size;
  const std::array<uint32_t, 3>& count = workgroup_count_;
  std::array<uint32_t, 3> global = {};
  for (int i = 0; i < 3; ++i) global[i] = group_->id[i] * size[i] + local[i];
  const ir::ValueId result = module_.result(inst);
  switch (static_cast<ir::Builtin>(module_.insts[inst].imm)) {
    case ir::Builtin::kLocalInvocationId:
      return Set(result, local);
    case ir::Builtin::kLocalInvocationIndex:
      return Set(result, {&current_->local_index, 1});
    case ir::Builtin::kGlobalInvocationId:
      return Set(result, global);
    case ir::Builtin::kWorkgroupId:
      return Set(result, group_->id);
    case ir::Builtin::kNumWorkgroups:
      return Set(result, count);
    case ir::Builtin::kGlobalInvocationIndex: {
      const uint32_t width = count[0] * size[0], height = count[1] * size[1];
      const uint32_t index = global[0] + width * (global[1] + height * global[2]);
      return Set(result, {&index, 1});
    }
    case ir::Builtin::kWorkgroupIndex: {
      const auto index = static_cast<uint32_t>(group_->number);
      return Set(result, {&index, 1});
    }
    case ir::Builtin::kVertexIndex:
    case ir::Builtin::kInstanceIndex:
    case ir::Builtin::kPosition:
    case ir::Builtin::kFrontFacing:
    case ir::Builtin::kPrimitiveIndex:
    case ir::Builtin::kSampleIndex:
    case ir::Builtin::kSampleMask:
      return BeforeStageIo(inst);
  }
}

// Vertices and fragments run as the kernels that transform/stage_io makes of them.
void Machine::BeforeStageIo(ir::InstId inst) {
  Fail(FailureKind::kProgram,
       fmt::format("internal: '{}' before the pass stage_io", ir::OpText(module_.insts[inst].op)));
}
void Machine::DoStageInput(ir::InstId inst) { BeforeStageIo(inst); }
void Machine::DoStageOutput(ir::InstId inst) { BeforeStageIo(inst); }
void Machine::DoDemote(ir::InstId inst) { BeforeStageIo(inst); }

// Lane form only: an invocation here is alone.
void Machine::DoAnyLane(ir::InstId) {
  Fail(FailureKind::kProgram, "internal: 'any_lane' is for lane form only");
}
void Machine::DoAllLanes(ir::InstId) {
  Fail(FailureKind::kProgram, "internal: 'all_lanes' is for lane form only");
}
void Machine::DoLaneMask(ir::InstId) {
  Fail(FailureKind::kProgram, "internal: 'lane_mask' is for lane form only");
}

}  // namespace lockstep::interp
