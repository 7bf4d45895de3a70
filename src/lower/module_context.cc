// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "lower/module_context.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace lockstep::lower {

namespace {

uint32_t RoundUp(uint32_t value, uint32_t to) { return (value + to - 1) / to * to; }

}  // namespace

ir::AddressSpace ToIr(wgsl::AddressSpace space) {
  switch (space) {
    case wgsl::AddressSpace::kFunction:
      return ir::AddressSpace::kFunction;
    case wgsl::AddressSpace::kPrivate:
      return ir::AddressSpace::kPrivate;
    case wgsl::AddressSpace::kWorkgroup:
      return ir::AddressSpace::kWorkgroup;
    case wgsl::AddressSpace::kUniform:
      return ir::AddressSpace::kUniform;
    case wgsl::AddressSpace::kStorage:
      return ir::AddressSpace::kStorage;
    case wgsl::AddressSpace::kHandle:
      return ir::AddressSpace::kHandle;
  }
  UNREACHABLE("address space");
}

ir::Access ToIr(wgsl::AccessMode access) {
  switch (access) {
    case wgsl::AccessMode::kRead:
      return ir::Access::kRead;
    case wgsl::AccessMode::kWrite:
      return ir::Access::kWrite;
    case wgsl::AccessMode::kReadWrite:
      return ir::Access::kReadWrite;
  }
  UNREACHABLE("access mode");
}

namespace {

ir::TextureDimension ToIr(wgsl::TextureDimension dimension) {
  switch (dimension) {
    case wgsl::TextureDimension::k1d:
      return ir::TextureDimension::k1d;
    case wgsl::TextureDimension::k2d:
      return ir::TextureDimension::k2d;
    case wgsl::TextureDimension::k2dArray:
      return ir::TextureDimension::k2dArray;
    case wgsl::TextureDimension::k3d:
      return ir::TextureDimension::k3d;
    case wgsl::TextureDimension::kCube:
      return ir::TextureDimension::kCube;
    case wgsl::TextureDimension::kCubeArray:
      return ir::TextureDimension::kCubeArray;
  }
  UNREACHABLE("texture dimension");
}

}  // namespace

ModuleContext::ModuleContext(const wgsl::Program& the_program, const wgsl::OverrideValues& the_overrides)
    : program(the_program), overrides(the_overrides) {}

// ------------------------------------------------------------------------------------------------ types

ir::TypeId ModuleContext::Type(wgsl::TypeId type) {
  type = program.types.Unreference(type);
  const auto found = types_.find(type);
  if (found != types_.end()) return found->second;
  const ir::TypeId made = MakeType(type);
  types_[type] = made;
  return made;
}

ir::TypeId ModuleContext::MakeType(wgsl::TypeId id) {
  const wgsl::Type& type = program.types[id];
  ir::TypeTable& types = module.types;
  switch (type.kind) {
    case wgsl::TypeKind::kVoid:
      return types.Void();
    case wgsl::TypeKind::kBool:
      return types.Bool();
    case wgsl::TypeKind::kI32:
      return types.I32();
    case wgsl::TypeKind::kU32:
      return types.U32();
    case wgsl::TypeKind::kF32:
      return types.F32();
    case wgsl::TypeKind::kF16:
      return types.F16();
    case wgsl::TypeKind::kVector:
      return types.Vector(Type(type.element), type.count);
    case wgsl::TypeKind::kMatrix:
      return types.Matrix(types.Vector(Type(type.element), type.rows), type.count);
    case wgsl::TypeKind::kArray:
      return MakeArray(type);
    case wgsl::TypeKind::kStruct:
      return MakeStruct(id);
    case wgsl::TypeKind::kAtomic:
      return types.Atomic(Type(type.element));
    case wgsl::TypeKind::kPointer:
      return types.Pointer(ToIr(type.space), ToIr(type.access), Type(type.element));
    case wgsl::TypeKind::kTexture:
      return MakeTexture(type);
    case wgsl::TypeKind::kAbstractInt:
    case wgsl::TypeKind::kAbstractFloat:
    case wgsl::TypeKind::kReference:
    case wgsl::TypeKind::kSampler:  // nothing uses one yet
      break;
  }
  UNREACHABLE("a type that has no place in the IR");
}

ir::TypeId ModuleContext::MakeArray(const wgsl::Type& type) {
  const ir::TypeId element = Type(type.element);
  const uint32_t stride = RoundUp(module.types[element].size, module.types[element].align);
  uint32_t count = type.count;
  if (count == 0 && !type.override_count.has_value()) return module.types.RuntimeArray(element, stride);
  if (count == 0) {
    const wgsl::ConstantId value = ConstantOf(type.override_count);
    CHECK(value.has_value());
    count = static_cast<uint32_t>(program.constants[value].i);
  }
  return module.types.Array(element, count, stride);
}

// An external texture is a view of a texture (WebGPU: #dom-gpubindgrouplayoutentry-externaltexture).
ir::TypeId ModuleContext::MakeTexture(const wgsl::Type& type) {
  ir::TypeTable& types = module.types;
  const ir::TextureDimension dimension = ToIr(type.dimension);
  switch (type.texture_class) {
    case wgsl::TextureClass::kSampled:
      return types.Texture(ir::TextureClass::kSampled, dimension, Type(type.element));
    case wgsl::TextureClass::kMultisampled:
      return types.Texture(ir::TextureClass::kMultisampled, dimension, Type(type.element));
    case wgsl::TextureClass::kDepth:
      return types.Texture(ir::TextureClass::kDepth, dimension, types.F32());
    case wgsl::TextureClass::kDepthMultisampled:
      return types.Texture(ir::TextureClass::kDepthMultisampled, dimension, types.F32());
    case wgsl::TextureClass::kStorage:
      return types.Texture(ir::TextureClass::kStorage, dimension, ir::TypeId::None());
    case wgsl::TextureClass::kExternal:
      return types.Texture(ir::TextureClass::kSampled, dimension, types.F32());
  }
  UNREACHABLE("texture class");
}

// The front end's layout; a type that no host sees (it holds a bool ...) gets one by the same rules.
ir::TypeId ModuleContext::MakeStruct(wgsl::TypeId id) {
  const wgsl::Struct& from = program.types.struct_of(id);
  const bool given = program.types.IsHostShareable(id);
  std::vector<ir::Member> members;
  uint32_t end = 0, align = 1;
  for (const wgsl::StructMember& member : from.members) {
    const ir::TypeId type = Type(member.type);
    const uint32_t member_align =
        std::max(module.types[type].align, member.explicit_align ? member.align : 1);
    const uint32_t offset = given ? member.offset : RoundUp(end, member_align);
    members.push_back({member.name, type, offset});
    end = offset + std::max(module.types[type].size, member.explicit_size ? member.size : 0);
    align = std::max(align, member_align);
  }
  const uint32_t size = given ? from.size : RoundUp(end, align);
  return module.types.Struct(from.name, std::move(members), size, given ? from.align : align);
}

bool ModuleContext::IsLarge(ir::TypeId type) const {
  return !module.types.IsPointer(type) && !module.types.IsTexture(type) &&
         module.types[type].kind != ir::TypeKind::kVoid &&
         module.types.ScalarCount(type) > ir::kMaxValueScalars;
}

// ------------------------------------------------------------------------------------------------ constants

wgsl::ConstantId ModuleContext::ConstantOf(wgsl::ast::ExprId expr) const {
  const wgsl::ConstantId value = program.info(expr).value;
  return value.has_value() ? value : overrides.Value(expr);
}

ir::ValueId ModuleContext::Constant(wgsl::ConstantId id) {
  const auto found = constants_.find(id);
  if (found != constants_.end()) return found->second;
  const ir::ValueId made = MakeConstant(program.constants[id]);
  constants_[id] = made;
  return made;
}

ir::ValueId ModuleContext::MakeConstant(const wgsl::Constant& constant) {
  const ir::TypeId type = Type(constant.type);
  const ir::TypeKind kind = module.types[type].kind;
  CHECK(kind != ir::TypeKind::kF16);
  if (kind == ir::TypeKind::kF32) return module.ConstantF32(static_cast<float>(constant.f));
  if (module.types.IsScalar(type)) return module.ConstantBits(type, static_cast<uint32_t>(constant.i));
  const uint32_t count = module.types.PartCount(type);
  if (constant.splat) {
    const ir::ValueId part = Constant(constant.parts[0]);
    // Not a part each: array<u32, 1000000>() is a value, too.
    if (IsZero(part)) return module.ConstantZero(type);
    return module.ConstantComposite(type, std::vector<ir::ValueId>(count, part));
  }
  std::vector<ir::ValueId> parts;
  for (const wgsl::ConstantId part : constant.parts) parts.push_back(Constant(part));
  return module.ConstantComposite(type, std::move(parts));
}

bool ModuleContext::IsZero(ir::ValueId constant) const {
  const ir::Constant& value = module.constant(constant);
  return value.bits == 0 && value.parts.empty();
}

ir::ValueId ModuleContext::Table(ir::ValueId constant) {
  const auto found = tables_.find(constant);
  if (found != tables_.end()) return found->second;
  ir::Variable table;
  table.name = fmt::format("table_{}", tables_.size());
  table.type = module.type_of(constant);
  table.space = ir::AddressSpace::kPrivate;
  table.access = ir::Access::kRead;
  table.initializer = constant;
  const ir::ValueId pointer = module.variable_value(module.AddVariable(std::move(table)));
  tables_[constant] = pointer;
  return pointer;
}

// ------------------------------------------------------------------------------------------------ variables

void ModuleContext::AddGlobals(const wgsl::Function& entry) {
  const std::vector<wgsl::VariableId> used = program.GlobalsOf(entry.decl);
  for (const wgsl::VariableId id : program.global_vars) {
    if (!std::binary_search(used.begin(), used.end(), id)) continue;
    const wgsl::Variable& from = program.variables[id];
    if (program.types[from.type].kind == wgsl::TypeKind::kSampler) continue;  // nothing uses one yet
    ir::Variable variable;
    variable.name = from.name;
    variable.type = Type(from.type);
    variable.space = ToIr(from.space);
    variable.access = ToIr(from.access);
    variable.group = from.group.value_or(0);
    variable.binding = from.binding.value_or(0);
    variable.span = from.name_span;
    wgsl::ConstantId initial = from.value;
    if (!initial.has_value() && from.init.has_value()) initial = ConstantOf(from.init);
    if (initial.has_value()) {
      const ir::ValueId constant = Constant(initial);
      if (!IsZero(constant)) variable.initializer = constant;
    }
    globals_[id] = module.variable_value(module.AddVariable(std::move(variable)));
  }
}

}  // namespace lockstep::lower
