// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "interp/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "abi/grid.h"

namespace lockstep::interp {

namespace {

constexpr uint64_t kMaxBytes = uint64_t{1} << 30;  // of one variable, or of a frame's variables
constexpr uint32_t kCancelMask = 1023;             // how often the cancel flag is looked at

uint64_t RoundUp(uint64_t value, uint64_t to) { return (value + to - 1) / to * to; }

}  // namespace

Machine::Machine(const ir::Module& module, std::span<const abi::BufferView> buffers,
                 std::array<uint32_t, 3> workgroup_count, const Options& options)
    : module_(module), options_(options), workgroup_count_(workgroup_count) {
  type_words_.resize(module.types.size());
  for (uint32_t i = 0; i < module.types.size(); ++i) {
    const ir::TypeId type(i);
    type_words_[i] = module.types.IsPointer(type)                     ? kPointerWords
                     : module.types[type].kind == ir::TypeKind::kVoid ? 0
                                                                      : module.types.ScalarCount(type);
  }
  size_t next_buffer = 0;
  uint32_t next_texture = 0;
  constant_words_.resize(module.value_count());
  for (uint32_t i = 0; i < module.variables.size(); ++i) {
    const ir::Variable& variable = module.variables[ir::VariableId(i)];
    const bool is_buffer = variable.is_buffer();
    buffers_.emplace_back();
    if (variable.is_texture()) {
      if (next_texture == options.textures.size())
        Fail(FailureKind::kUsage, fmt::format("no texture is bound for '{}'", variable.name));
      constant_words_[module.variable_value(ir::VariableId(i)).index] = {next_texture++};
    }
    if (is_buffer && next_buffer < buffers.size())
      buffers_.back() = buffers[next_buffer++];
    else if (is_buffer)
      Fail(FailureKind::kUsage, fmt::format("no buffer is bound for '{}'", variable.name));
    if (!is_buffer && module.types[variable.type].size > kMaxBytes) {
      Fail(FailureKind::kEnvironment, fmt::format("'{}' is too large for the interpreter", variable.name));
    }
  }
  word_of_.resize(module.value_count());
  for (uint32_t i = 0; i < module.value_count(); ++i) {
    const ir::ValueId value(i);
    if (module.is_constant(value)) Flatten(value, &constant_words_[i]);
    if (module.value(value).kind != ir::ValueKind::kVariable || module.types.IsTexture(module.type_of(value)))
      continue;
    const Pointer pointer = {kModuleScope, module.value(value).owner, 0, OutOfRange::kNo, 0, 0, 0};
    const auto words = std::bit_cast<std::array<uint32_t, kPointerWords>>(pointer);
    constant_words_[i].assign(words.begin(), words.end());
  }
  frame_words_.resize(module.functions.size());
  frame_bytes_.resize(module.functions.size());
  for (uint32_t i = 0; i < module.functions.size(); ++i) LayOutFunction(ir::FunctionId(i));
}

uint32_t Machine::WordsOf(ir::TypeId type) const { return type_words_[type.index]; }

void Machine::LayOutValue(ir::ValueId value, uint32_t* words) {
  word_of_[value.index] = *words;
  *words += WordsOf(module_.type_of(value));
}

void Machine::LayOutFunction(ir::FunctionId function) {
  uint32_t words = 0;
  uint64_t bytes = 0;
  for (const ir::ValueId param : module_.functions[function].params) LayOutValue(param, &words);
  for (const ir::ValueId param : module_.blocks[module_.functions[function].body].params)
    LayOutValue(param, &words);
  ir::ForEachInst(module_, module_.functions[function].body, [&](ir::InstId inst) {
    for (const ir::ValueId result : module_.results(inst)) LayOutValue(result, &words);
    for (const ir::BlockId block : module_.regions(inst)) {
      for (const ir::ValueId param : module_.blocks[block].params) LayOutValue(param, &words);
    }
    if (module_.insts[inst].op != ir::Op::kVar) return;
    const ir::Type& type = module_.types[module_.types.Pointee(module_.type_of(module_.result(inst)))];
    byte_of_[inst] = bytes;
    bytes = RoundUp(bytes + type.size, 16);
  });
  if (bytes > kMaxBytes) {
    Fail(FailureKind::kEnvironment, fmt::format("the variables of '{}' are too large for the interpreter",
                                                module_.functions[function].name));
    bytes = 0;
  }
  frame_words_[function.index] = words;
  frame_bytes_[function.index] = bytes;
}

void Machine::Flatten(ir::ValueId constant, std::vector<uint32_t>* words) const {
  const ir::Constant& value = module_.constant(constant);
  if (module_.types.IsScalar(value.type)) {
    words->push_back(value.bits);
  } else if (value.parts.empty()) {
    words->resize(words->size() + WordsOf(value.type), 0);
  } else {
    for (const ir::ValueId part : value.parts) Flatten(part, words);
  }
}

void Machine::Fail(FailureKind kind, std::string message) {
  if (!failure_) failure_ = Failure{kind, std::move(message)};
}

// ------------------------------------------------------------------------------------------------ values

std::span<const uint32_t> Machine::Get(ir::ValueId value) {
  const ir::Value& definition = module_.value(value);
  if (definition.kind == ir::ValueKind::kConstant || definition.kind == ir::ValueKind::kVariable) {
    return constant_words_[value.index];
  }
  return std::span<const uint32_t>(frame().words).subspan(word_of_[value.index], WordsOf(definition.type));
}

uint32_t* Machine::Slot(ir::ValueId value) { return frame().words.data() + word_of_[value.index]; }

void Machine::Set(ir::ValueId value, std::span<const uint32_t> words) {
  CHECK(words.size() == WordsOf(module_.type_of(value)));
  std::copy(words.begin(), words.end(), Slot(value));
}

Pointer Machine::GetPointer(ir::ValueId value) {
  std::array<uint32_t, kPointerWords> words;
  std::copy_n(Get(value).begin(), kPointerWords, words.begin());
  return std::bit_cast<Pointer>(words);
}

void Machine::SetPointer(ir::ValueId value, Pointer pointer) {
  Set(value, std::bit_cast<std::array<uint32_t, kPointerWords>>(pointer));
}

uint32_t Machine::PartWord(ir::TypeId composite, uint32_t part) const {
  const ir::Type& type = module_.types[composite];
  if (type.kind != ir::TypeKind::kStruct) return part * WordsOf(type.element);
  uint32_t words = 0;
  for (uint32_t i = 0; i < part; ++i) words += WordsOf(type.members[i].type);
  return words;
}

// ------------------------------------------------------------------------------------------------ running

Result<> Machine::Run() {
  if (failure_) return *failure_;
  if (options_.schedule_seed != 0) {
    RunInTurns();
  } else {
    const uint64_t total = WorkgroupTotal();
    for (uint64_t number = 0; number < total && !failure_; ++number) {
      Workgroup group;
      Begin(&group, number);
      RunToEnd();
    }
  }
  if (failure_) return *failure_;
  return Ok();
}

uint64_t Machine::WorkgroupTotal() const {
  return uint64_t{workgroup_count_[0]} * workgroup_count_[1] * workgroup_count_[2];
}

void Machine::Begin(Workgroup* group, uint64_t number) {
  group_ = group;
  group->id = abi::PlaceInGrid(number, workgroup_count_);
  group->number = number;
  group->random = options_.weak_failure_seed * 0x9e3779b97f4a7c15u + number;
  for (const ir::Variable& variable : module_.variables) {
    const bool here = variable.space == ir::AddressSpace::kWorkgroup;
    group->memory.emplace_back(here ? module_.types[variable.type].size : 0);
  }
  if (options_.observer != nullptr) options_.observer->workgroup(options_.observer, number);
  const uint32_t invocations = options_.invocations != 0 ? options_.invocations : module_.invocations();
  // Quads are whole.
  group->invocations.resize(module_.stage == ir::Stage::kFragment ? RoundUp(invocations, 4) : invocations);
}

// Starts one invocation after the other, since many are done before the next one needs memory.
void Machine::RunToEnd() {
  if (module_.stage == ir::Stage::kFragment) return RunQuads();
  for (uint32_t i = 0; i < group_->invocations.size() && !failure_; ++i) {
    StartInvocation(i);
    RunInvocation(group_->invocations[i]);
  }
  while (!failure_ && PassBarrier()) {
    for (Invocation& invocation : group_->invocations) RunInvocation(invocation);
  }
}

// Fragments have no barriers, but in a quad they wait for each other at derivatives.
void Machine::RunQuads() {
  for (uint32_t first = 0; first < group_->invocations.size() && !failure_; first += 4) {
    const std::span<Invocation> quad(&group_->invocations[first], 4);
    for (uint32_t i = 0; i < 4 && !failure_; ++i) {
      StartInvocation(first + i);
      RunInvocation(quad[i]);
    }
    while (!failure_ && PassDerivatives(quad)) {
      for (Invocation& invocation : quad) RunInvocation(invocation);
    }
  }
}

// All of the quad wait at a derivative or are done: gives those that wait their differences. One that waits
// elsewhere, in control flow that is not uniform, counts like the invocation itself. False where all are
// done.
bool Machine::PassDerivatives(std::span<Invocation> quad) {
  bool any = false;
  for (uint32_t i = 0; i < 4; ++i) {
    if (quad[i].state != State::kAtBarrier) continue;
    any = true;
    current_ = &quad[i];
    const ir::InstId inst = quad[i].barrier;
    const uint32_t axis = module_.insts[inst].op == ir::Op::kDpdx ? 1 : 2;
    const auto values = [&](uint32_t member) -> const std::vector<uint32_t>& {
      const bool is_here = quad[member].state != State::kDone && quad[member].barrier == inst;
      return quad[is_here ? member : i].differenced;
    };
    const std::vector<uint32_t>& from = values(i & ~axis);
    const std::vector<uint32_t>& to = values(i | axis);
    uint32_t* result = Slot(module_.result(inst));
    for (size_t c = 0; c < from.size(); ++c)
      result[c] = std::bit_cast<uint32_t>(std::bit_cast<float>(to[c]) - std::bit_cast<float>(from[c]));
  }
  for (Invocation& invocation : quad) {
    if (invocation.state == State::kAtBarrier) invocation.state = State::kRunning;
  }
  return any;
}

void Machine::StartInvocation(uint32_t index) {
  Invocation& invocation = group_->invocations[index];
  current_ = &invocation;
  invocation.local_index = index;
  invocation.local_id = abi::PlaceInGrid(index, module_.workgroup_size);
  for (const ir::Variable& variable : module_.variables) {
    invocation.privates.emplace_back();
    if (variable.space != ir::AddressSpace::kPrivate) continue;
    invocation.privates.back().resize(module_.types[variable.type].size);
    if (!variable.initializer.has_value()) continue;
    const uint32_t* words = constant_words_[variable.initializer.index].data();
    WriteMemory(variable.type, invocation.privates.back().data(), &words);
  }
  PushFrame(module_.entry, ir::InstId::None());
}

void Machine::RunInvocation(Invocation& invocation) {
  current_ = &invocation;
  while (invocation.state == State::kRunning && !failure_) Step();
}

void Machine::Step() {
  if (++steps_ > options_.max_steps)
    return Fail(FailureKind::kProgram, "the interpreter's limit of steps is reached");
  if ((steps_ & kCancelMask) == 0 && options_.cancel != nullptr && *options_.cancel != 0) {
    return Fail(FailureKind::kInterrupted, "the dispatch was cancelled");
  }
  Region& region = frame().regions.back();
  const std::vector<ir::InstId>& insts = module_.blocks[region.block].insts;
  if (region.next >= insts.size())
    return Fail(FailureKind::kProgram, "internal: a block ends without an exit");
  const ir::InstId inst = insts[region.next++];
  const size_t depth = current_->frames.size();
  Execute(inst);
  if (options_.made_nan != nullptr && current_->frames.size() == depth) LookForNan(inst);
}

// Results of constructs and calls are values that were looked at where they were made.
void Machine::LookForNan(ir::InstId inst) {
  const ir::Op op = module_.insts[inst].op;
  if (op == ir::Op::kCall || !module_.regions(inst).empty() || module_.results(inst).empty()) return;
  const ir::ValueId result = module_.result(inst);
  const ir::TypeId type = module_.type_of(result);
  if (module_.types.IsPointer(type) || module_.types.ScalarOf(type) != module_.types.F32()) return;
  for (const uint32_t word : Get(result)) *options_.made_nan |= (word & 0x7fffffff) > 0x7f800000;
}

bool Machine::PassBarrier() {
  ir::InstId barrier = ir::InstId::None();
  uint32_t waiting = 0;
  for (const Invocation& invocation : group_->invocations) {
    if (invocation.state != State::kAtBarrier) continue;
    if (waiting != 0 && invocation.barrier != barrier) {
      Fail(FailureKind::kProgram, "internal: invocations of a workgroup wait at different barriers");
    }
    barrier = invocation.barrier;
    ++waiting;
  }
  if (waiting == 0) return false;
  if (waiting != group_->invocations.size()) {
    Fail(FailureKind::kProgram,
         fmt::format("internal: {} of {} invocations reach a barrier in workgroup ({}, {}, {})", waiting,
                     group_->invocations.size(), group_->id[0], group_->id[1], group_->id[2]));
  }
  if (module_.insts[barrier].op == ir::Op::kWatchBarrier && options_.observer != nullptr) {
    options_.observer->barrier(options_.observer, module_.insts[barrier].imm);
  }
  CountBarrier(barrier);
  for (Invocation& invocation : group_->invocations) invocation.state = State::kRunning;
  return true;
}

void Machine::Execute(ir::InstId inst) {
  switch (module_.insts[inst].op) {
#define OP(Name, text, kind, effect) \
  case ir::Op::k##Name:              \
    return Do##Name(inst);
#include "ir/op.def"
  }
}

Result<> Run(const ir::Module& module, std::span<const abi::BufferView> buffers,
             std::array<uint32_t, 3> workgroup_count, const Options& options) {
  return Machine(module, buffers, workgroup_count, options).Run();
}

}  // namespace lockstep::interp
