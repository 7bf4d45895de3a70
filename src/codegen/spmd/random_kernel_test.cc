// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "codegen/spmd/random_kernel.h"

#include "abi/observe.h"

namespace lockstep::codegen {

using ir::AddressSpace;
using ir::BlockId;
using ir::InstId;
using ir::TypeId;
using ir::ValueId;
using ir::Variable;

RandomKernel::RandomKernel(uint32_t seed, uint32_t invocations)
    : random_(seed), invocations_(invocations), b_(&module_, BlockId::None()) {}

ir::Module RandomKernel::Make() {
  ir::TypeTable& types = module_.types;
  const TypeId u32 = types.U32();
  const auto add = [&](const char* name, TypeId type, AddressSpace space, ir::Access access,
                       uint32_t binding) {
    Variable v;
    v.name = name;
    v.type = type;
    v.space = space;
    v.access = access;
    v.binding = binding;
    return module_.variable_value(module_.AddVariable(v));
  };
  in_ = add("in", types.RuntimeArray(u32, 4), AddressSpace::kStorage, ir::Access::kRead, 0);
  out_ = add("out", types.RuntimeArray(u32, 4), AddressSpace::kStorage, ir::Access::kReadWrite, 1);
  sums_ = add("sums", types.Array(types.Atomic(u32), kSums, 4), AddressSpace::kStorage,
              ir::Access::kReadWrite, 2);
  tile_ = add("tile", types.Array(u32, kTile, 4), AddressSpace::kWorkgroup, ir::Access::kReadWrite, 0);
  module_.workgroup_size = {invocations_, 1, 1};
  if (Chance(40)) MakeHelper();
  for (uint32_t i = 0, count = Roll(3); i < count; ++i) MakePhase();
  ir::Function main;
  main.name = "main";
  main.result = types.Void();
  main.body = module_.AddBlock();
  module_.entry = module_.functions.Add(main);
  b_.set_block(main.body);
  local_ = b_.BuiltinInput(ir::Builtin::kLocalInvocationIndex);
  const ValueId group = b_.Extract(b_.BuiltinInput(ir::Builtin::kWorkgroupId), 0);
  global_ = b_.Add(b_.Mul(group, b_.U32(invocations_)), local_);
  numbers_ = {local_, global_, group, b_.Load(b_.Access(in_, {b_.And(global_, b_.U32(kInputs - 1))}))};
  uniforms_ = {group, b_.U32(3), b_.Load(b_.Access(in_, {b_.U32(5)}))};
  conditions_ = {b_.Lt(local_, b_.U32(5))};
  budget_ = 120;
  Context context;
  context.together = true;
  Body(context, 4 + Roll(8));
  context.last = true;
  if (Chance(50)) If(context, true);
  context.together = false;
  context.may_return = true;
  Body(context, Roll(6));
  for (uint32_t i = 0; i < kOutputs; ++i) {
    const ValueId slot = b_.Add(b_.Mul(global_, b_.U32(kOutputs)), b_.U32(i));
    b_.Store(b_.Access(out_, {slot}), Number());
  }
  b_.Return();
  return std::move(module_);
}

// A function with early returns that is called in divergent control flow.
void RandomKernel::MakeHelper() {
  ir::Function f;
  f.name = "helper";
  f.result = module_.types.U32();
  f.body = module_.AddBlock();
  helper_ = module_.functions.Add(f);
  numbers_ = {module_.AddFunctionParam(helper_, module_.types.U32()),
              module_.AddFunctionParam(helper_, module_.types.U32())};
  global_ = numbers_[0];
  local_ = numbers_[0];
  uniforms_ = {b_.U32(2)};
  conditions_ = {b_.Bool(true)};
  b_.set_block(module_.functions[helper_].body);
  in_helper_ = returns_number_ = true;
  budget_ = 30;
  Context context;
  context.may_return = true;
  Body(context, 3 + Roll(5));
  b_.Return(Number());
  in_helper_ = returns_number_ = false;
  vars_.clear();
  arrays_.clear();
}

// A function with barriers: (local, global, x, uniform n, pointers to a variable, an array and an element).
void RandomKernel::MakePhase() {
  ir::TypeTable& types = module_.types;
  const TypeId u32 = types.U32();
  const auto pointer = [&](AddressSpace space, TypeId to) {
    return types.Pointer(space, ir::Access::kReadWrite, to);
  };
  ir::Function f;
  f.name = "phase";
  f.result = u32;
  f.body = module_.AddBlock();
  const ir::FunctionId id = module_.functions.Add(f);
  local_ = module_.AddFunctionParam(id, u32);
  global_ = module_.AddFunctionParam(id, u32);
  numbers_ = {local_, global_, module_.AddFunctionParam(id, u32)};
  uniforms_ = {module_.AddFunctionParam(id, u32), b_.U32(2)};
  vars_ = {module_.AddFunctionParam(id, pointer(AddressSpace::kFunction, u32))};
  arrays_ = {module_.AddFunctionParam(id, pointer(AddressSpace::kFunction, types.Array(u32, 4, 4)))};
  slot_ = module_.AddFunctionParam(id, pointer(AddressSpace::kWorkgroup, u32));
  b_.set_block(module_.functions[id].body);
  conditions_ = {b_.Lt(local_, b_.U32(5))};
  returns_number_ = true;
  budget_ = 40;
  Context context;
  context.together = true;
  Body(context, 2 + Roll(4));
  BarrierPhase();
  context.last = true;
  if (Chance(50)) If(context, true);
  context.together = false;
  context.may_return = true;
  Body(context, Roll(4));
  b_.Return(Number());
  returns_number_ = false;
  phases_.push_back(id);
  slot_ = ValueId::None();
  vars_.clear();
  arrays_.clear();
}

void RandomKernel::CallPhase() {
  if (vars_.empty()) {
    vars_.push_back(b_.Var(module_.types.U32()));
    b_.Store(vars_.back(), Number());
  }
  if (arrays_.empty()) {
    arrays_.push_back(b_.Var(module_.types.Array(module_.types.U32(), 4, 4)));
    b_.ZeroFill(arrays_.back());
  }
  // A variable, or an element of another array than the one that is passed.
  ValueId number = vars_[Roll(static_cast<uint32_t>(vars_.size()))];
  if (arrays_.size() > 1 && Chance(50)) number = At(arrays_.front(), Number(), 4);
  const ValueId slot = slot_.has_value() ? slot_ : b_.Access(tile_, {local_});
  const ValueId arguments[] = {local_, global_, Number(), Uniform(), number, arrays_.back(), slot};
  numbers_.push_back(b_.Call(phases_[Roll(static_cast<uint32_t>(phases_.size()))], arguments));
}

ValueId RandomKernel::Number() {
  if (Chance(25)) return b_.U32(Roll(10));
  // Later values more often.
  const size_t n = numbers_.size();
  return Chance(60) && n > 6 ? numbers_[n - 1 - Roll(6)] : numbers_[Roll(static_cast<uint32_t>(n))];
}
ValueId RandomKernel::Uniform() { return uniforms_[Roll(static_cast<uint32_t>(uniforms_.size()))]; }

ValueId RandomKernel::Condition() {
  if (Chance(30)) return conditions_[Roll(static_cast<uint32_t>(conditions_.size()))];
  const ValueId a = b_.And(Number(), b_.U32(7)),
                b = Chance(70) ? b_.U32(Roll(8)) : b_.And(Number(), b_.U32(7));
  const ValueId c = Chance(50) ? b_.Lt(a, b) : Chance(50) ? b_.Eq(a, b) : b_.Ge(a, b);
  conditions_.push_back(c);
  return c;
}
ValueId RandomKernel::UniformCondition() {
  const ValueId a = b_.And(Uniform(), b_.U32(3));
  return Chance(50) ? b_.Ne(a, b_.U32(Roll(4))) : b_.Lt(a, b_.U32(1 + Roll(4)));
}

std::vector<ValueId> RandomKernel::Numbers(uint32_t count) {
  std::vector<ValueId> values;
  for (uint32_t i = 0; i < count; ++i) values.push_back(Number());
  return values;
}

ValueId RandomKernel::At(ValueId array, ValueId index, uint32_t size) {
  return b_.Access(array, {b_.And(index, b_.U32(size - 1))});
}

void RandomKernel::Body(Context context, uint32_t statements) {
  for (uint32_t i = 0; i < statements && budget_ > 0; ++i) Statement(context);
}

void RandomKernel::Statement(Context context) {
  --budget_;
  const uint32_t kind = Roll(100);
  const bool deep = context.depth > 4;
  if (context.together && kind < 5 && !phases_.empty()) return CallPhase();
  if (context.together && kind < 15) return BarrierPhase();
  if (context.together && context.depth == 0 && kind < 17) return EarlyReturn();
  if (kind < 40 || deep) return Arithmetic();
  if (kind < 60) return Memory();
  const bool uniform = context.together && Chance(50);
  if (kind < 80) return If(context, uniform);
  if (kind < 92) return Loop(context, uniform);
  Switch(context, uniform);
}

// All invocations leave, or none.
void RandomKernel::EarlyReturn() {
  const BlockId here = b_.block();
  const InstId made = b_.If(UniformCondition());
  b_.set_block(module_.regions(made)[0]);
  b_.Return(returns_number_ ? Number() : ValueId::None());
  b_.set_block(module_.regions(made)[1]);
  b_.Exit(made);
  b_.set_block(here);
}

void RandomKernel::Arithmetic() {
  const ValueId a = Number(), b = Number();
  ValueId r;
  switch (Roll(9)) {
    case 0:
      r = b_.Add(a, b);
      break;
    case 1:
      r = b_.Sub(a, b);
      break;
    case 2:
      r = b_.Mul(a, b);
      break;
    case 3:
      r = b_.Xor(a, b);
      break;
    case 4:
      r = b_.Min(a, b);
      break;
    case 5:
      r = b_.Shr(a, b_.U32(Roll(5)));
      break;
    case 6:
      r = b_.Rem(a, b_.U32(1 + Roll(20)));
      break;
    case 7:
      r = b_.Shl(a, b_.U32(Roll(3)));
      break;
    default:
      r = b_.Select(Condition(), a, b);
      break;
  }
  numbers_.push_back(r);
}

void RandomKernel::Memory() {
  const uint32_t kind = Roll(8);
  if (kind == 0) {
    vars_.push_back(b_.Var(module_.types.U32()));
    b_.Store(vars_.back(), Number());
  } else if (kind == 1) {
    arrays_.push_back(b_.Var(module_.types.Array(module_.types.U32(), 4, 4)));
    b_.ZeroFill(arrays_.back());
  } else if (kind == 2 && !vars_.empty()) {
    const ValueId var = vars_[Roll(static_cast<uint32_t>(vars_.size()))];
    b_.Store(var, Number(), Chance(20) ? Condition() : ValueId::None());
    numbers_.push_back(b_.Load(vars_[Roll(static_cast<uint32_t>(vars_.size()))]));
  } else if (kind == 3 && !arrays_.empty()) {
    b_.Store(At(arrays_[Roll(static_cast<uint32_t>(arrays_.size()))], Number(), 4), Number());
    numbers_.push_back(b_.Load(At(arrays_[Roll(static_cast<uint32_t>(arrays_.size()))], Number(), 4)));
  } else if (kind == 4 && !in_helper_) {
    const ValueId slot = b_.And(Number(), b_.U32(kOutputs - 1));
    b_.Store(b_.Access(out_, {b_.Add(b_.Mul(global_, b_.U32(kOutputs)), slot)}), Number());
  } else if (kind == 5) {
    b_.AtomicRmw(ir::AtomicOp::kAdd, At(sums_, Number(), kSums), Number());
  } else if (kind == 6 && helper_.has_value() && !in_helper_) {
    const ValueId arguments[] = {Number(), Number()};
    numbers_.push_back(b_.Call(helper_, arguments));
  } else {
    numbers_.push_back(b_.Load(At(in_, Chance(20) ? b_.U32(Roll(50)) : Number(), kInputs)));
  }
}

// Every invocation writes its own element, and reads another's after the barrier.
void RandomKernel::BarrierPhase() {
  b_.Store(slot_.has_value() ? slot_ : b_.Access(tile_, {local_}), Number());
  b_.Barrier(abi::kBarrierWorkgroup);
  const ValueId read = b_.Load(b_.Access(tile_, {b_.Rem(Number(), b_.U32(invocations_))}));
  if (Chance(30))
    uniforms_.push_back(b_.UniformLoad(b_.Access(tile_, {b_.Rem(Uniform(), b_.U32(invocations_))})));
  else
    b_.Barrier(abi::kBarrierWorkgroup);
  numbers_.push_back(read);
}

// Emits a jump to somewhere out of here, now and then; true where the block has ended with it.
bool RandomKernel::MaybeJump(const Context& context) {
  if (!Chance(25)) return false;
  if (context.may_return && Chance(25)) {
    b_.Return(returns_number_ ? Number() : ValueId::None());
    return true;
  }
  if (context.floor >= targets_.size()) return false;
  const size_t t = context.floor + Roll(static_cast<uint32_t>(targets_.size() - context.floor));
  const Target target = targets_[t];
  if (target.loop && !target.in_continuing && Chance(50)) {
    b_.Continue(target.construct, Numbers(target.carried));
  } else {
    b_.Exit(target.construct, Numbers(target.results));
  }
  return true;
}

void RandomKernel::Arm(Context context, BlockId block, size_t target) {
  const size_t numbers = numbers_.size(), conditions = conditions_.size(), uniforms = uniforms_.size();
  const size_t vars = vars_.size(), arrays = arrays_.size();
  b_.set_block(block);
  const bool last = context.last;
  context.last = false;
  Body(context, Roll(4));
  if (context.together && Chance(50)) {  // no barrier follows in here: lanes may leave one by one
    context.together = false;
    context.floor = target;
    context.may_return = last;
    Body(context, 1 + Roll(4));
  }
  if (!MaybeJump(context)) b_.Exit(targets_[target].construct, Numbers(targets_[target].results));
  numbers_.resize(numbers);
  conditions_.resize(conditions);
  uniforms_.resize(uniforms);
  vars_.resize(vars);
  arrays_.resize(arrays);
}

void RandomKernel::If(Context context, bool uniform) {
  const BlockId here = b_.block();
  const uint32_t results = Roll(3);
  const ValueId condition = uniform ? UniformCondition() : Condition();
  const InstId made = b_.If(condition, std::vector<TypeId>(results, module_.types.U32()));
  if (!uniform && context.together) {
    context.together = false;
    context.floor = targets_.size();
  }
  if (uniform && context.together && Chance(40)) context.floor = targets_.size();
  targets_.push_back({made, false, results, 0, false});
  ++context.depth;
  for (size_t i = 0; i < 2; ++i) Arm(context, module_.regions(made)[i], targets_.size() - 1);
  targets_.pop_back();
  b_.set_block(here);
  for (uint32_t i = 0; i < results; ++i) numbers_.push_back(module_.result(made, i));
}

void RandomKernel::Switch(Context context, bool uniform) {
  const BlockId here = b_.block();
  const uint32_t results = Roll(3);
  const ValueId selector = b_.And(uniform ? Uniform() : Number(), b_.U32(7));
  std::vector<ir::SwitchCase> cases(2 + Roll(3));
  for (uint32_t i = 0; i < 6; ++i) cases[Roll(static_cast<uint32_t>(cases.size()))].selectors.push_back(i);
  cases[Roll(static_cast<uint32_t>(cases.size()))].is_default = true;
  for (size_t i = 0; i < cases.size(); ++i) {
    if (cases[i].selectors.empty() && !cases[i].is_default)
      cases[i].selectors.push_back(static_cast<uint32_t>(10 + i));
  }
  const InstId made = b_.Switch(selector, cases, std::vector<TypeId>(results, module_.types.U32()));
  if (!uniform && context.together) {
    context.together = false;
    context.floor = targets_.size();
  }
  targets_.push_back({made, false, results, 0, false});
  ++context.depth;
  for (size_t i = 0; i < module_.regions(made).size(); ++i)
    Arm(context, module_.regions(made)[i], targets_.size() - 1);
  targets_.pop_back();
  b_.set_block(here);
  for (uint32_t i = 0; i < results; ++i) numbers_.push_back(module_.result(made, i));
}

// if condition { exit loop }
void RandomKernel::ExitWhere(ValueId condition, InstId loop, uint32_t results) {
  const BlockId here = b_.block();
  const InstId test = b_.If(condition);
  b_.set_block(module_.regions(test)[0]);
  b_.Exit(loop, Numbers(results));
  b_.set_block(module_.regions(test)[1]);
  b_.Exit(test);
  b_.set_block(here);
}

// loop (k = 0, a, b) { if k >= bound { exit } ... continue } continuing { ... next k + 1 }
void RandomKernel::Loop(Context context, bool uniform) {
  const BlockId here = b_.block();
  const uint32_t results = Roll(3);
  const ValueId bound = b_.And(uniform ? Uniform() : Number(), b_.U32(Chance(50) ? 3 : 7));
  const std::vector<ValueId> initial = {b_.U32(0), Number(), Number()};
  const InstId made = b_.Loop(initial, std::vector<TypeId>(results, module_.types.U32()));
  if (context.together) context.floor = targets_.size();
  if (!uniform) context.together = false;
  targets_.push_back({made, true, results, 2, false});
  context.may_return &= !context.together;
  context.last = false;
  if (context.together) context.floor = targets_.size();  // lanes leave a loop with barriers together
  ++context.depth;
  const size_t numbers = numbers_.size(), conditions = conditions_.size(), uniforms = uniforms_.size();
  const size_t vars = vars_.size(), arrays = arrays_.size();
  const BlockId body = module_.regions(made)[0], continuing = module_.regions(made)[1];
  const std::vector<ValueId> params = module_.blocks[body].params;
  b_.set_block(body);
  ExitWhere(b_.Ge(params[0], bound), made, results);
  numbers_.insert(numbers_.end(), params.begin(), params.end());
  if (uniform) uniforms_.push_back(params[0]);
  Body(context, Roll(5));
  if (context.together && Chance(30)) {  // all leave or continue
    const InstId early = b_.If(UniformCondition());
    b_.set_block(module_.regions(early)[0]);
    if (Chance(50))
      b_.Exit(made, Numbers(results));
    else
      b_.Continue(made, Numbers(2));
    b_.set_block(module_.regions(early)[1]);
    b_.Exit(early);
    b_.set_block(body);
    if (Chance(50)) BarrierPhase();
  }
  b_.Continue(made, Numbers(2));
  numbers_.resize(numbers);
  conditions_.resize(conditions);
  uniforms_.resize(uniforms);
  vars_.resize(vars);
  arrays_.resize(arrays);

  b_.set_block(continuing);
  const std::vector<ValueId> carried = {module_.AddBlockParam(continuing, module_.types.U32()),
                                        module_.AddBlockParam(continuing, module_.types.U32())};
  numbers_.insert(numbers_.end(), carried.begin(), carried.end());
  targets_.back().in_continuing = true;
  if (Chance(30) && !context.together) {  // break if
    ExitWhere(Condition(), made, results);
  }
  b_.Next(made, std::vector<ValueId>{b_.Add(params[0], b_.U32(1)), Number(), Number()});
  numbers_.resize(numbers);
  conditions_.resize(conditions);
  targets_.pop_back();
  b_.set_block(here);
  for (uint32_t i = 0; i < results; ++i) numbers_.push_back(module_.result(made, i));
}

}  // namespace lockstep::codegen
