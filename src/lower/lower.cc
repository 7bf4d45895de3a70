// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "lower/lower.h"

#include "lower/function_context.h"

namespace lockstep::lower {
namespace {

ir::StageInput InputAt(const wgsl::IoAttributes& io) {
  ir::StageInput input;
  input.location = *io.location;
  switch (io.interpolation) {
    case wgsl::InterpolationType::kPerspective:
      input.interpolation = abi::Interpolation::kPerspective;
      break;
    case wgsl::InterpolationType::kLinear:
      input.interpolation = abi::Interpolation::kLinear;
      break;
    case wgsl::InterpolationType::kFlat:
      input.interpolation = abi::Interpolation::kFlat;
      break;
  }
  switch (io.sampling) {
    case wgsl::InterpolationSampling::kCenter:
      input.sampling = abi::Sampling::kCenter;
      break;
    case wgsl::InterpolationSampling::kCentroid:
      input.sampling = abi::Sampling::kCentroid;
      break;
    case wgsl::InterpolationSampling::kSample:
      input.sampling = abi::Sampling::kSample;
      break;
    case wgsl::InterpolationSampling::kFirst:
      input.sampling = abi::Sampling::kFirst;
      break;
    case wgsl::InterpolationSampling::kEither:
      input.sampling = abi::Sampling::kEither;
      break;
  }
  return input;
}

ir::StageOutput OutputAt(const wgsl::IoAttributes& io) {
  ir::StageOutput output;
  if (io.builtin.empty()) {
    output.location = *io.location;
    output.blend_src = io.blend_src.value_or(0);
    return output;
  }
  const std::optional<abi::StageValue> value = ir::BuiltinOutputFromText(io.builtin);
  CHECK(value.has_value());
  output.value = *value;
  return output;
}

}  // namespace

ir::FunctionId FunctionContext::Run() {
  const wgsl::Function& from = program_.functions[id_];
  const At at(this, from.name_span);
  ir::Function function;
  function.name = from.name;
  function.span = from.name_span;
  const ir::TypeId result = m_.Type(from.result);
  // What an entry point returns goes to its outputs.
  function.result = from.is_entry_point || m_.IsLarge(result) ? types().Void() : result;
  function.body = module().AddBlock();
  b_.set_block(function.body);
  const ir::FunctionId made = module().functions.Add(std::move(function));
  m_.SetFunction(id_, made);
  if (m_.IsLarge(result) && !from.is_entry_point) {
    const ir::TypeId pointer = types().Pointer(ir::AddressSpace::kFunction, ir::Access::kReadWrite, result);
    result_ = Place{module().AddFunctionParam(made, pointer), {}};
  }
  AddParams();
  Statement(from.body);
  if (!b_.terminated()) {
    // A function with a result that reaches its end here never reaches it: the front end saw to that.
    if (result == types().Void())
      b_.Return();
    else
      b_.Unreachable();
  }
  return made;
}

void FunctionContext::AddParams() {
  const wgsl::Function& from = program_.functions[id_];
  const ir::FunctionId function = m_.Function(id_);
  size_t next_input = 0;
  for (const wgsl::VariableId id : from.params) {
    const wgsl::Variable& param = program_.variables[id];
    if (program_.types[param.type].kind == wgsl::TypeKind::kSampler) continue;  // nothing uses one yet
    Binding& binding = names_[id];
    if (from.is_entry_point) {
      EntryParam(param, binding, &next_input);
      continue;
    }
    const ir::TypeId type = m_.Type(param.type);
    const bool by_memory = m_.IsLarge(type);
    const ir::TypeId passed =
        by_memory ? types().Pointer(ir::AddressSpace::kFunction, ir::Access::kReadWrite, type) : type;
    const ValueId value = module().AddFunctionParam(function, passed);
    module().set_name(value, param.name);
    binding.value = value;
    binding.place.root = value;
    if (by_memory)
      binding.kind = Binding::Kind::kPlace;
    else if (types().IsPointer(type))
      binding.kind = Binding::Kind::kPointer;
  }
}

// An input, or a struct of them; `next` counts those of the entry point.
void FunctionContext::EntryParam(const wgsl::Variable& param, Binding& binding, size_t* next) {
  const At at(this, param.name_span);
  const std::vector<wgsl::StageVariable>& inputs = program_.functions[id_].inputs;
  const ir::TypeId type = m_.Type(param.type);
  if (types()[type].kind != ir::TypeKind::kStruct) {
    binding.value = EntryInput(inputs[(*next)++]);
    module().set_name(binding.value, param.name);
    return;
  }
  std::vector<ValueId> members;
  for (uint32_t i = 0; i < types().PartCount(type); ++i) members.push_back(EntryInput(inputs[(*next)++]));
  if (!m_.IsLarge(type)) {
    binding.value = b_.Construct(type, members);
    return;
  }
  binding.kind = Binding::Kind::kPlace;
  binding.place = Temporary(type, param.name);
  for (uint32_t i = 0; i < members.size(); ++i) b_.Store(Address(Part(binding.place, i)), members[i]);
}

ValueId FunctionContext::EntryInput(const wgsl::StageVariable& input) {
  if (input.io.builtin.empty()) return b_.Input(InputAt(input.io), m_.Type(input.type));
  const std::optional<ir::Builtin> builtin = ir::BuiltinFromText(input.io.builtin);
  CHECK(builtin.has_value());
  return b_.BuiltinInput(*builtin);
}

void FunctionContext::Outputs(ast::ExprId result) {
  const std::vector<wgsl::StageVariable>& outputs = program_.functions[id_].outputs;
  const ir::TypeId type = m_.Type(program_.functions[id_].result);
  if (types()[type].kind != ir::TypeKind::kStruct) return b_.Output(OutputAt(outputs[0].io), Value(result));
  if (m_.IsLarge(type)) {
    const Place from = PlaceOf(result);
    for (uint32_t i = 0; i < outputs.size(); ++i) b_.Output(OutputAt(outputs[i].io), LoadFrom(Part(from, i)));
    return;
  }
  const ValueId value = Value(result);
  for (uint32_t i = 0; i < outputs.size(); ++i) b_.Output(OutputAt(outputs[i].io), b_.Extract(value, i));
}

namespace {

// What `entry` calls, directly or not, and itself.
std::vector<bool> Reachable(const wgsl::Program& program, wgsl::FunctionId entry) {
  std::vector<bool> seen(program.functions.size(), false);
  std::vector<wgsl::FunctionId> work = {entry};
  seen[entry.index] = true;
  while (!work.empty()) {
    const wgsl::FunctionId function = work.back();
    work.pop_back();
    for (const wgsl::FunctionId callee : program.functions[function].callees) {
      if (seen[callee.index]) continue;
      seen[callee.index] = true;
      work.push_back(callee);
    }
  }
  return seen;
}

}  // namespace

ir::Module Lower(const wgsl::Program& program, wgsl::FunctionId entry,
                 const wgsl::OverrideValues& overrides) {
  ModuleContext context(program, overrides);
  const wgsl::Function& function = program.functions[entry];
  const std::optional<ir::Stage> stage = ir::StageFromText(function.stage);
  CHECK(stage.has_value());
  context.module.stage = *stage;
  for (int i = 0; i < 3; ++i) {
    if (!function.workgroup_size[i].has_value()) continue;
    const wgsl::ConstantId size = context.ConstantOf(function.workgroup_size[i]);
    CHECK(size.has_value());
    context.module.workgroup_size[i] = static_cast<uint32_t>(program.constants[size].i);
  }
  context.AddGlobals(function);
  const std::vector<bool> reachable = Reachable(program, entry);
  for (uint32_t i = 0; i < program.functions.size(); ++i) {  // callees before callers
    if (!reachable[i]) continue;
    const ir::FunctionId made = FunctionContext(context, wgsl::FunctionId(i)).Run();
    if (wgsl::FunctionId(i) == entry) context.module.entry = made;
  }
  return std::move(context.module);
}

}  // namespace lockstep::lower
