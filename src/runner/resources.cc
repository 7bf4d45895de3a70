// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "runner/resources.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "runner/type_text.h"

namespace lockstep::runner {
namespace {

using wgsl::TypeId;
using wgsl::TypeKind;
using wgsl::TypeTable;

ScalarKind KindOf(const TypeTable& types, TypeId scalar) {
  switch (types[scalar].kind) {
    case TypeKind::kI32:
      return ScalarKind::kI32;
    case TypeKind::kU32:
      return ScalarKind::kU32;
    case TypeKind::kF32:
      return ScalarKind::kF32;
    case TypeKind::kF16:
      return ScalarKind::kF16;
    case TypeKind::kVoid:
    case TypeKind::kBool:
    case TypeKind::kAbstractInt:
    case TypeKind::kAbstractFloat:
    case TypeKind::kVector:
    case TypeKind::kMatrix:
    case TypeKind::kArray:
    case TypeKind::kStruct:
    case TypeKind::kAtomic:
    case TypeKind::kPointer:
    case TypeKind::kReference:
    case TypeKind::kSampler:
    case TypeKind::kTexture:
      break;
  }
  UNREACHABLE("a scalar that no buffer holds");
}

// WGSL's vectors lie packed; a matrix is an array of column vectors at their alignment.
Layout VectorLayout(ScalarKind kind, uint32_t count) {
  return Layout::OfArray(Layout::OfScalar(kind), count, ScalarBytes(kind));
}

// `tail`: the count of a runtime-sized array, wherever the type ends in one.
Layout LayoutOf(const TypeTable& types, TypeId id, uint64_t tail) {
  const wgsl::Type& type = types[id];
  switch (type.kind) {
    case TypeKind::kAtomic:
      return LayoutOf(types, type.element, tail);
    case TypeKind::kVector:
      return VectorLayout(KindOf(types, type.element), type.count);
    case TypeKind::kMatrix: {
      const ScalarKind kind = KindOf(types, type.element);
      const uint64_t rows = type.rows == 3 ? 4 : type.rows;
      return Layout::OfArray(VectorLayout(kind, type.rows), type.count, rows * ScalarBytes(kind));
    }
    case TypeKind::kArray: {
      const bool runtime = types.IsRuntimeSizedArray(id);
      return Layout::OfArray(LayoutOf(types, type.element, 0), runtime ? tail : type.count,
                             types.StrideOf(id));
    }
    case TypeKind::kStruct: {
      const wgsl::Struct& s = types.struct_of(id);
      std::vector<Layout> members;
      std::vector<uint64_t> offsets;
      for (const wgsl::StructMember& member : s.members) {
        members.push_back(LayoutOf(types, member.type, tail));
        offsets.push_back(member.offset);
      }
      uint64_t size = s.size;
      // Not rounded up to the struct's alignment: that could add elements to the tail.
      if (types.IsRuntimeSizedArray(s.members.back().type)) {
        size = std::max<uint64_t>(size, SaturatingAdd(offsets.back(), members.back().size));
      }
      return Layout::OfStruct(std::move(members), std::move(offsets), size);
    }
    case TypeKind::kI32:
    case TypeKind::kU32:
    case TypeKind::kF32:
    case TypeKind::kF16:
      return Layout::OfScalar(KindOf(types, id));
    case TypeKind::kVoid:
    case TypeKind::kBool:
    case TypeKind::kAbstractInt:
    case TypeKind::kAbstractFloat:
    case TypeKind::kPointer:
    case TypeKind::kReference:
    case TypeKind::kSampler:
    case TypeKind::kTexture:
      break;
  }
  UNREACHABLE("a type that no buffer holds");
}

bool HasRuntimeTail(const TypeTable& types, TypeId id) {
  if (types.IsRuntimeSizedArray(id)) return true;
  if (types[id].kind != TypeKind::kStruct) return false;
  const wgsl::Struct& s = types.struct_of(id);
  return !s.members.empty() && types.IsRuntimeSizedArray(s.members.back().type);
}

std::string TypeName(const TypeTable& types, TypeId id) {
  return types[id].kind == TypeKind::kAtomic ? types.ToString(types[id].element) : types.ToString(id);
}

// How many letters are wrong, missing, too many or swapped with their neighbour.
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1), previous(b.size() + 1), row(b.size() + 1);
  std::iota(previous.begin(), previous.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t k = 1; k <= b.size(); ++k) {
      const size_t replaced = previous[k - 1] + (a[i - 1] == b[k - 1] ? 0 : 1);
      row[k] = std::min({previous[k] + 1, row[k - 1] + 1, replaced});
      if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
        row[k] = std::min(row[k], before[k - 2] + 1);
    }
    std::swap(before, previous);
    std::swap(previous, row);
  }
  return previous[b.size()];
}

}  // namespace

std::string Nearest(std::string_view name, const std::vector<std::string>& candidates) {
  static constexpr size_t kLongestName = 100;  // the distance takes quadratic time
  std::string best;
  size_t best_distance = std::min<size_t>(3, name.size() / 2 + 1);
  if (name.size() > kLongestName) return best;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongestName) continue;
    const size_t distance = EditDistance(name, candidate);
    if (distance >= best_distance) continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

ShaderNames::ShaderNames(wgsl::Program* program) : program_(program) {
  for (const wgsl::VariableId id : program->global_vars) {
    const wgsl::Variable& variable = program->variables[id];
    if (!variable.group || !variable.binding || variable.space == wgsl::AddressSpace::kHandle) continue;
    Resource resource;
    resource.name = variable.name;
    resource.group = *variable.group;
    resource.binding = *variable.binding;
    resource.variable = id;
    resource.uniform = variable.space == wgsl::AddressSpace::kUniform;
    resource.writable =
        variable.space == wgsl::AddressSpace::kStorage && variable.access != wgsl::AccessMode::kRead;
    resource.runtime_sized = HasRuntimeTail(program->types, variable.type);
    resource.min_size = program->types.SizeOf(variable.type);
    resources_.push_back(std::move(resource));
  }
}

const Resource* ShaderNames::Find(const ResourceName& name) const {
  for (const Resource& resource : resources_) {
    if (name.by_binding() ? name.binding == std::pair(resource.group, resource.binding)
                          : name.identifier == resource.name) {
      return &resource;
    }
  }
  return nullptr;
}

std::vector<std::string> ShaderNames::EntryPoints() const {
  std::vector<std::string> names;
  for (const wgsl::Function& function : program_->functions) {
    if (function.is_entry_point && function.stage == "compute") names.push_back(function.name);
  }
  return names;
}

std::vector<std::string> ShaderNames::Overrides() const {
  std::vector<std::string> names;
  for (const wgsl::VariableId id : program_->overrides) names.push_back(program_->variables[id].name);
  return names;
}

bool ShaderNames::IsEntryPoint(std::string_view name) const {
  const std::vector<std::string> names = EntryPoints();
  return std::find(names.begin(), names.end(), name) != names.end();
}

const wgsl::Variable* ShaderNames::FindOverride(std::string_view name) const {
  for (const wgsl::VariableId id : program_->overrides) {
    if (program_->variables[id].name == name) return &program_->variables[id];
  }
  return nullptr;
}

bool ShaderNames::IsDeclared(std::string_view name) const {
  for (const wgsl::ast::DeclId id : program_->ast.globals) {
    const wgsl::ast::Decl& decl = program_->ast.decls[id];
    if (decl.name.has_value() && program_->ast.name(decl.name) == name) return true;
  }
  return false;
}

std::string ShaderNames::NoSuchResource(const ResourceName& name) const {
  const std::string text = name.ToString();
  if (resources_.empty()) return fmt::format("there is no resource '{}': the shader has none", text);
  std::vector<std::string> names;
  for (const Resource& resource : resources_) names.push_back(resource.name);
  if (!name.by_binding()) {
    const std::string near = Nearest(text, names);
    if (!near.empty()) return fmt::format("there is no resource '{}': did you mean '{}'?", text, near);
    if (IsDeclared(text))
      return fmt::format("'{}' is not a resource: only variables with @group and @binding are buffers", text);
  }
  return fmt::format("there is no resource '{}': the shader has {}", text, fmt::join(names, ", "));
}

TypedLayout ShaderNames::Typed(TypeId type, std::optional<uint64_t> count) {
  const TypeTable& types = program_->types;
  TypedLayout typed;
  if (HasRuntimeTail(types, type)) {
    typed.count = count.value_or(1);
    typed.layout = LayoutOf(types, type, typed.count);
    typed.type = TypeName(types, types.IsRuntimeSizedArray(type) ? types[type].element : type);
    return typed;
  }
  if (!count && types[type].kind == TypeKind::kArray) {  // array<T, N> is N x T
    typed.count = types[type].count;
    typed.layout = LayoutOf(types, type, 0);
    typed.type = TypeName(types, types[type].element);
    return typed;
  }
  typed.count = count.value_or(1);
  typed.layout = LayoutOf(types, type, 0);
  typed.type = TypeName(types, type);
  if (count) {
    const uint64_t align = std::max<uint64_t>(types.AlignOf(type), 1);
    const uint64_t stride = (types.SizeOf(type) + align - 1) / align * align;
    typed.layout = Layout::OfArray(std::move(typed.layout), *count, stride);
  }
  return typed;
}

std::optional<TypedLayout> ShaderNames::Describe(std::string_view type, std::optional<uint64_t> count,
                                                 std::string& error) {
  const std::optional<TypeId> id = ParseType(*program_, type, error);
  if (!id) return std::nullopt;
  return Typed(*id, count);
}

TypedLayout ShaderNames::OfResource(const Resource& resource) {
  return Typed(program_->variables[resource.variable].type, std::nullopt);
}

std::string ShaderNames::ExampleFor(const Resource& resource) const {
  const TypeTable& types = program_->types;
  const TypeId type = program_->variables[resource.variable].type;
  const TypeId shown = types.IsRuntimeSizedArray(type) ? types[type].element : type;
  return fmt::format("{}: COUNT x {}", resource.name, TypeName(types, shown));
}

}  // namespace lockstep::runner
