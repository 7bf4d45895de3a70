// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Assignments to swizzles (swizzle_assignment). On the left of an assignment a swizzle of a vector in memory
// is a view of its components, which may be swizzled and indexed again:
//     v.xy = ...          v.xxyy.zxy.xy = ...  is  v.yx = ...
//     v.zy.x = ...        is  v.z = ...
//     v.zy[1] = ...       is  v.y = ...
//     v.zxy[i] = ...      is  v[vec3u(2, 0, 1)[i]] = ...
// The tree is rewritten to the forms on the right, so that no later stage knows of views of views.
#include <algorithm>

#include "wgsl/diagnostics.h"
#include "wgsl/resolver.h"

namespace lockstep::wgsl {

// From the target down to the first swizzle, outermost first; empty where the target is no view of a swizzle.
std::vector<Resolver::ExprId> Resolver::SwizzleChain(ExprId id) const {
  std::vector<ExprId> chain;
  for (;; id = ExprOf(id).a) {
    id = StripParens(id);
    const ast::ExprKind kind = ExprOf(id).kind;
    if (kind != ast::ExprKind::kMember && kind != ast::ExprKind::kIndex) return {};
    chain.push_back(id);
    if (info(id).use != ExprUse::kSwizzle) continue;
    const ExprId below = StripParens(ExprOf(id).a);
    if (info(below).use != ExprUse::kSwizzle) return chain;
  }
}

bool Resolver::IsSwizzleTarget(ExprId id) const {
  const std::vector<ExprId> chain = SwizzleChain(id);
  return !chain.empty();
}

// The type of what is assigned to; None where that is an error. Rewrites `id`.
TypeId Resolver::SwizzleTarget(ExprId id) {
  const std::vector<ExprId> chain = SwizzleChain(id);
  const ExprId first = chain.back();
  const ExprId vector = ExprOf(first).a;
  const TypeId base = info(vector).type;
  TypeId reference = base;
  if (types().IsPointer(base))
    reference = types().Reference(types()[base].space, types()[base].element, types()[base].access);
  if (!types().IsReference(reference)) {
    NotAssignableValue(vector);
    return TypeId::None();
  }
  if (!CheckWritable(vector, reference, SpanOf(id))) return TypeId::None();
  std::vector<uint8_t> components(info(first).swizzle.begin(),
                                  info(first).swizzle.begin() + info(first).swizzle_count);
  ExprId index;  // where the outermost step is an index that is not known
  for (size_t i = chain.size() - 1; i-- > 0;) {
    const ExprInfo& step = info(chain[i]);
    std::vector<uint8_t> next;
    if (step.use == ExprUse::kSwizzle) {
      for (uint8_t k = 0; k < step.swizzle_count; ++k) next.push_back(components[step.swizzle[k]]);
    } else if (step.use == ExprUse::kComponent) {
      next.push_back(components[step.part]);
    } else if (const ConstantId at = info(ExprOf(chain[i]).b).value; at.has_value()) {
      const int64_t part = program_.constants[at].i;
      if (part < 0 || part >= static_cast<int64_t>(components.size())) {
        sink_.Emit(kIndexRange, SpanOf(ExprOf(chain[i]).b), part,
                   TypeText(info(ExprOf(chain[i]).a).converted), components.size(), "components");
        return TypeId::None();
      }
      next.push_back(components[static_cast<size_t>(part)]);
    } else {
      index = ExprOf(chain[i]).b;
      break;
    }
    components = std::move(next);
  }
  return RewriteSwizzle(chain[0], first, reference, components, index);
}

TypeId Resolver::RewriteSwizzle(ExprId target, ExprId first, TypeId reference,
                                const std::vector<uint8_t>& components, ExprId index) {
  const Type view = types()[reference];
  const TypeId scalar = types()[view.element].element;
  const bool is_scalar = components.size() == 1 || index.has_value();
  for (size_t i = 0; !is_scalar && i < components.size(); ++i) {
    if (std::find(components.begin(), components.begin() + static_cast<std::ptrdiff_t>(i), components[i]) ==
        components.begin() + static_cast<std::ptrdiff_t>(i)) {
      continue;
    }
    sink_.Emit(kSwizzleTwice, ExprOf(target).op_span, NameOf(ExprOf(target).name));
    return TypeId::None();
  }
  const ExprId new_index = index.has_value() ? ComponentIndex(components, index) : ExprId::None();
  ast::Expr& expr = program_.ast.exprs[target];
  const bool through_pointer = info(first).through_pointer;
  expr.kind = index.has_value() ? ast::ExprKind::kIndex : ast::ExprKind::kMember;
  expr.a = ExprOf(first).a;
  expr.b = new_index;
  expr.name = ExprOf(first).name;
  ExprInfo& out = info(target);
  out.through_pointer = through_pointer;
  out.use = index.has_value() ? ExprUse::kNone : is_scalar ? ExprUse::kComponent : ExprUse::kSwizzle;
  out.part = components[0];
  out.swizzle_count = static_cast<uint8_t>(components.size());
  std::copy(components.begin(), components.end(), out.swizzle.begin());
  if (is_scalar) {
    SetResult(target, types().Reference(view.space, scalar, view.access), Stage::kRuntime);
    return scalar;
  }
  return SetResult(target, types().Vector(scalar, out.swizzle_count), Stage::kRuntime);
}

// The expression vecNu(components...)[index].
Resolver::ExprId Resolver::ComponentIndex(const std::vector<uint8_t>& components, ExprId index) {
  const TypeId type = types().Vector(types().U32(), static_cast<uint32_t>(components.size()));
  std::vector<ConstantId> parts;
  for (const uint8_t component : components)
    parts.push_back(program_.constants.Int(types().U32(), component));
  ast::Expr table;
  table.kind = ast::ExprKind::kInt;  // a literal, as far as anybody looks: it has a value
  table.span = table.op_span = SpanOf(index);
  const ExprId table_id = program_.ast.exprs.Add(table);
  ast::Expr access;
  access.kind = ast::ExprKind::kIndex;
  access.span = access.op_span = SpanOf(index);
  access.a = table_id;
  access.b = index;
  const ExprId access_id = program_.ast.exprs.Add(access);
  program_.expr_info_storage.resize(ast().exprs.size());
  SetResult(table_id, type, Stage::kConst, program_.constants.Composite(type, std::move(parts)));
  SetResult(access_id, types().U32(), info(index).stage);
  return access_id;
}

}  // namespace lockstep::wgsl
