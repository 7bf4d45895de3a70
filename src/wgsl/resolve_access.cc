// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// a.b and a[i] (WGSL #composite-value-decomposition-expr), on values, references and, by
// pointer_composite_access, pointers.
#include <algorithm>

#include "wgsl/diagnostics.h"
#include "wgsl/resolver.h"

namespace lockstep::wgsl {

std::optional<Resolver::Base> Resolver::ResolveBase(ExprId id) {
  const ExprId a = ExprOf(id).a;
  const TypeId type = Expr(a);
  if (!type.has_value()) return std::nullopt;
  if (type == types().Void()) {
    sink_.Emit(kNoResult, SpanOf(a));
    return std::nullopt;
  }
  const Type t = types()[type];
  if (t.kind == TypeKind::kPointer) {
    info(id).through_pointer = true;
    return Base{t.element, true, t.space, t.access};
  }
  if (t.kind == TypeKind::kReference) return Base{t.element, true, t.space, t.access};
  return Base{type, false};
}

TypeId Resolver::View(const Base& base, TypeId part) {
  return base.is_memory ? types().Reference(base.space, part, base.access) : part;
}

// --- a[i] ---

TypeId Resolver::Index(ExprId id) {
  const ast::Expr e = ExprOf(id);
  std::optional<Base> base = ResolveBase(id);
  const TypeId index_type = Value(e.b);
  const Stage stage = std::max(info(e.a).stage, info(e.b).stage);
  if (!base || !index_type.has_value()) return SetResult(id, TypeId::None(), stage);
  const TypeKind kind = types()[base->type].kind;
  if (kind != TypeKind::kVector && kind != TypeKind::kMatrix && kind != TypeKind::kArray) {
    sink_.Emit(kNotIndexable, e.span, TypeText(base->type));
    return SetResult(id, TypeId::None(), stage);
  }
  if (!types().IsInteger(index_type)) {
    sink_.Emit(kIndexType, SpanOf(e.b), TypeText(index_type));
    return SetResult(id, TypeId::None(), stage);
  }
  Concretize(e.b);
  if (!base->is_memory && !IsConst(e.b) && types().IsAbstract(base->type)) {
    Concretize(e.a);
    base->type = info(e.a).converted;
  }
  const Type composite = types()[base->type];
  const TypeId part =
      kind == TypeKind::kMatrix ? types().Vector(composite.element, composite.rows) : composite.element;
  ConstantId value;
  if (evaluating() && info(e.b).value.has_value()) {
    if (info(e.a).value.has_value())
      value = eval_.Index(info(e.a).value, info(e.b).value, SpanOf(e.b));
    else if (!IsConst(e.a))
      CheckIndex(*base, e.b);
  }
  return SetResult(id, View(*base, part), stage, value);
}

void Resolver::CheckIndex(const Base& base, ExprId index) {
  const int64_t value = program_.constants[info(index).value].i;
  const Type composite = types()[base.type];
  if (composite.kind == TypeKind::kArray && composite.count == 0) {
    if (value < 0) sink_.Emit(kNegativeIndex, SpanOf(index), value, TypeText(base.type));
    return;
  }
  if (value >= 0 && value < composite.count) return;
  const std::string_view parts = composite.kind == TypeKind::kVector   ? "components"
                                 : composite.kind == TypeKind::kMatrix ? "columns"
                                 : composite.count == 1                ? "element"
                                                                       : "elements";
  sink_.Emit(kIndexRange, SpanOf(index), value, TypeText(base.type), composite.count, parts);
}

// --- a.b ---

TypeId Resolver::Member(ExprId id) {
  const ast::Expr& e = ExprOf(id);
  const ExprId a = e.a;
  const std::optional<Base> base = ResolveBase(id);
  if (!base) return SetResult(id, TypeId::None(), info(a).stage);
  const TypeKind kind = types()[base->type].kind;
  if (kind == TypeKind::kStruct) return StructAccess(id, *base);
  if (kind == TypeKind::kVector) return VectorAccess(id, *base);
  sink_.Emit(kNoMembers, ExprOf(id).op_span, TypeText(base->type), NameOf(ExprOf(id).name));
  return SetResult(id, TypeId::None(), info(a).stage);
}

TypeId Resolver::StructAccess(ExprId id, const Base& base) {
  const ast::Expr e = ExprOf(id);
  const Struct& s = types().struct_of(base.type);
  const std::string& name = NameOf(e.name);
  const auto it =
      std::find_if(s.members.begin(), s.members.end(), [&](const StructMember& m) { return m.name == name; });
  if (it == s.members.end()) {
    std::vector<std::string_view> names;
    for (const StructMember& member : s.members) names.push_back(member.name);
    const std::string_view nearest = NearestName(name, names);
    auto report = sink_.Emit(kUnknownMember, e.op_span, s.name, name,
                             nearest.empty() ? "" : fmt::format(", did you mean '{}'?", nearest));
    if (!s.is_builtin_result) report.Note(s.name_span, "'{}' is declared here", s.name);
    return SetResult(id, TypeId::None(), info(e.a).stage);
  }
  info(id).use = ExprUse::kStructMember;
  info(id).part = static_cast<uint32_t>(it - s.members.begin());
  const TypeId part = it->type;
  ConstantId value;
  if (info(e.a).value.has_value()) value = program_.constants.Part(info(e.a).value, info(id).part);
  return SetResult(id, View(base, part), info(e.a).stage, value);
}

// Letters to components; false, and an error, where they do not fit (WGSL #vector-access-expr).
bool Resolver::ParseSwizzle(ExprId id, uint32_t width) {
  const ast::Expr& e = ExprOf(id);
  const std::string& name = NameOf(e.name);
  constexpr std::string_view kDimensions = "xyzw";
  constexpr std::string_view kColors = "rgba";
  ExprInfo& out = info(id);
  const bool is_color = !name.empty() && kColors.find(name[0]) != std::string_view::npos;
  const std::string_view set = is_color ? kColors : kDimensions;
  bool mixed = false;
  for (size_t i = 0; i < name.size(); ++i) {
    const size_t component = set.find(name[i]);
    if (component == std::string_view::npos) {
      if ((is_color ? kDimensions : kColors).find(name[i]) == std::string_view::npos) {
        sink_.Emit(kBadSwizzle, e.op_span, name);
        return false;
      }
      mixed = true;
    } else if (i < 4) {
      out.swizzle[i] = static_cast<uint8_t>(component);
    }
  }
  if (mixed || name.empty() || name.size() > 4) {
    if (mixed)
      sink_.Emit(kMixedSwizzle, e.op_span, name);
    else
      sink_.Emit(kBadSwizzle, e.op_span, name);
    return false;
  }
  out.swizzle_count = static_cast<uint8_t>(name.size());
  for (size_t i = 0; i < name.size(); ++i) {
    if (out.swizzle[i] < width) continue;
    sink_.Emit(kSwizzleRange, e.op_span, std::string(1, name[i]), width);
    return false;
  }
  return true;
}

TypeId Resolver::VectorAccess(ExprId id, const Base& base) {
  const ast::Expr e = ExprOf(id);
  const Type vector = types()[base.type];
  const Stage stage = info(e.a).stage;
  if (!ParseSwizzle(id, vector.count)) return SetResult(id, TypeId::None(), stage);
  ExprInfo& out = info(id);
  const ConstantId from = info(e.a).value;
  if (out.swizzle_count == 1) {
    out.use = ExprUse::kComponent;
    out.part = out.swizzle[0];
    const ConstantId value = from.has_value() ? program_.constants.Part(from, out.part) : from;
    return SetResult(id, View(base, vector.element), stage, value);
  }
  // Several components are a value, also from memory.
  out.use = ExprUse::kSwizzle;
  const ConstantId value =
      from.has_value() ? eval_.Swizzle(from, {out.swizzle.data(), out.swizzle_count}) : from;
  return SetResult(id, types().Vector(vector.element, out.swizzle_count), stage, value);
}

}  // namespace lockstep::wgsl
