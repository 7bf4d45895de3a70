// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "runner/element_name.h"

#include <utility>

#include "observe/program.h"

namespace lockstep::runner {
namespace {

using wgsl::TypeId;
using wgsl::TypeKind;

// Translates types of buffers for observers; a layout's number is its place in Program::layouts.
class Layouts {
 public:
  Layouts(const wgsl::TypeTable& types, observe::Program* program) : types_(types), program_(program) {}

  uint32_t Add(TypeId id) {
    observe::Layout layout;
    const wgsl::Type& type = types_[id];
    switch (type.kind) {
      case TypeKind::kAtomic:
        return Add(type.element);
      case TypeKind::kVector:
        return AddVector(type.count);
      case TypeKind::kMatrix:
        layout.stride = type.rows == 3 ? 4 : type.rows;
        return AddArray(layout, AddVector(type.rows), type.count);
      case TypeKind::kArray:
        layout.stride = static_cast<uint32_t>(types_.StrideOf(id) / 4);
        return AddArray(layout, Add(type.element), types_.IsRuntimeSizedArray(id) ? 0 : type.count);
      case TypeKind::kStruct:
        layout.kind = observe::Layout::Kind::kStruct;
        for (const wgsl::StructMember& member : types_.struct_of(id).members) {
          layout.members.push_back({member.name, member.offset / 4, Add(member.type)});
        }
        return Add(std::move(layout));
      case TypeKind::kI32:
      case TypeKind::kU32:
      case TypeKind::kF32:
      case TypeKind::kF16:
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
    return Add(std::move(layout));  // a scalar
  }

 private:
  uint32_t Add(observe::Layout layout) {
    program_->layouts.push_back(std::move(layout));
    return static_cast<uint32_t>(program_->layouts.size()) - 1;
  }
  uint32_t AddVector(uint64_t count) {
    observe::Layout layout;
    layout.kind = observe::Layout::Kind::kVector;
    layout.words = static_cast<uint32_t>(count);
    return Add(std::move(layout));
  }
  // `count` 0: without a bound.
  uint32_t AddArray(observe::Layout layout, uint32_t element, uint64_t count) {
    layout.kind = observe::Layout::Kind::kArray;
    layout.element = element;
    layout.words = count == 0 ? observe::Layout::kUnbounded : static_cast<uint32_t>(count * layout.stride);
    return Add(std::move(layout));
  }

  const wgsl::TypeTable& types_;
  observe::Program* program_;
};

}  // namespace

std::optional<std::string> ElementName(const wgsl::Program& program, wgsl::VariableId variable,
                                       uint64_t offset) {
  observe::Program one;
  const uint32_t layout = Layouts(program.types, &one).Add(program.variables[variable].type);
  one.variables.push_back({program.variables[variable].name, observe::Space::kStorage, "", layout, 0});
  if (observe::IsPadding(one, 0, offset / 4)) return std::nullopt;
  return observe::ElementName(one, 0, offset / 4);
}

}  // namespace lockstep::runner
