// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "lower/lower.h"

#include "lower/function_context.h"

namespace lockstep::lower {

ir::FunctionId FunctionContext::Run() {
  const wgsl::Function& from = program_.functions[id_];
  const At at(this, from.name_span);
  ir::Function function;
  function.name = from.name;
  function.span = from.name_span;
  const ir::TypeId result = m_.Type(from.result);
  function.result = m_.IsLarge(result) ? types().Void() : result;
  function.body = module().AddBlock();
  b_.set_block(function.body);
  const ir::FunctionId made = module().functions.Add(std::move(function));
  m_.SetFunction(id_, made);
  if (m_.IsLarge(result)) {
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
  for (const wgsl::VariableId id : from.params) {
    const wgsl::Variable& param = program_.variables[id];
    Binding& binding = names_[id];
    if (from.is_entry_point) {
      binding.value = EntryInput(param);
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

// A builtin value, or a struct of them.
ValueId FunctionContext::EntryInput(const wgsl::Variable& param) {
  const At at(this, param.name_span);
  const auto input = [&](const std::string& name) {
    const std::optional<ir::Builtin> builtin = ir::BuiltinFromText(name);
    CHECK(builtin.has_value());
    return b_.BuiltinInput(*builtin);
  };
  if (!param.builtin.empty()) {
    const ValueId value = input(param.builtin);
    module().set_name(value, param.name);
    return value;
  }
  std::vector<ValueId> members;
  for (const wgsl::StructMember& member : program_.types.struct_of(param.type).members) {
    members.push_back(input(member.io.builtin));
  }
  return b_.Construct(m_.Type(param.type), members);
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
