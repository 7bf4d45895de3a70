// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Structures (WGSL #struct-types): members, their attributes and layout.
#include <unordered_map>

#include "wgsl/diagnostics.h"
#include "wgsl/layout.h"
#include "wgsl/resolver.h"

namespace lockstep::wgsl {
namespace {

constexpr size_t kMaxMembers = 1023;            // WGSL #limits
constexpr int64_t kMaxLayoutValue = 1ll << 31;  // of @size and @align: larger ones fit no buffer

bool IsPowerOfTwo(int64_t value) { return value > 0 && (value & (value - 1)) == 0; }

}  // namespace

void Resolver::StructDecl(DeclId id) {
  const ast::Decl& decl = DeclOf(id);
  if (decl.members.size() > kMaxMembers) {
    sink_.Emit(kTooManyMembers, decl.name_span, NameOf(decl.name), decl.members.size(), kMaxMembers);
    return;
  }
  Struct s;
  s.name = NameOf(decl.name);
  s.name_span = decl.name_span;
  std::unordered_map<uint32_t, Span> seen;
  bool ok = true;
  for (const ast::StructMember& member : decl.members) {
    const auto [it, is_new] = seen.try_emplace(member.name.index, member.name_span);
    if (!is_new) {
      sink_.Emit(kDuplicateMember, member.name_span, NameOf(member.name))
          .Note(it->second, "the other member is here");
      ok = false;
    }
    s.members.push_back(Member(decl, member, &member == &decl.members.back()));
    ok = ok && s.members.back().type.has_value();
  }
  if (!ok) return;
  CheckLocations(s);
  if (!LayoutStruct(types(), s)) {
    sink_.Emit(kStructTooLarge, decl.name_span, s.name);
    return;
  }
  const TypeId type = LimitDepth(types().StructType(types().AddStruct(std::move(s))), decl.name_span);
  if (type.has_value()) SetEntity(id, EntityKind::kType, type.index);
}

StructMember Resolver::Member(const ast::Decl&, const ast::StructMember& member, bool is_last) {
  StructMember out;
  out.name = NameOf(member.name);
  out.name_span = member.name_span;
  out.type = TypeOf(member.type);
  if (out.type.has_value() && !CheckMemberType(out.type, SpanOf(member.type), is_last))
    out.type = TypeId::None();
  MemberAttributes(out, member);
  return out;
}

bool Resolver::CheckMemberType(TypeId type, Span at, bool is_last) {
  if (types().IsStorable(type) && types().HasCreationFixedFootprint(type)) return true;
  if (types().IsRuntimeSizedArray(type)) {
    if (is_last) return true;
    sink_.Emit(kRuntimeArrayNotLast, at);
  } else if (types().IsOverrideSizedArray(type)) {
    sink_.Emit(kOverrideArrayNested, at);
  } else {
    sink_.Emit(kMemberType, at, TypeText(type));
  }
  return false;
}

void Resolver::MemberAttributes(StructMember& out, const ast::StructMember& member) {
  const AttributeSet attributes = Attributes(member.attributes, kOnMember);
  out.io = ReadIo(attributes, out.type);
  if (const ast::Attribute* align = attributes[AttributeKind::kAlign]) {
    const std::optional<int64_t> value = AttributeInt(*align, "align");
    const Span at = SpanOf(ast().list(align->args)[0]);
    if (value && (!IsPowerOfTwo(*value) || *value > kMaxLayoutValue)) {
      sink_.Emit(kAlignPower, at, *value);
    } else if (value && out.type.has_value() &&
               *value % static_cast<int64_t>(types().AlignOf(out.type)) != 0) {
      sink_.Emit(kAlignTooSmall, at, *value, types().AlignOf(out.type), TypeText(out.type));
    } else if (value) {
      out.explicit_align = true;
      out.align = static_cast<uint32_t>(*value);
    }
  }
  if (const ast::Attribute* size = attributes[AttributeKind::kSize]) {
    const std::optional<int64_t> value = AttributeInt(*size, "size");
    const Span at = SpanOf(ast().list(size->args)[0]);
    if (out.type.has_value() && !types().HasCreationFixedFootprint(out.type)) {
      sink_.Emit(kSizeOfRuntimeArray, size->span);
    } else if (value && (*value <= 0 || *value > kMaxLayoutValue)) {
      sink_.Emit(kSizeRange, at, *value);
    } else if (value && out.type.has_value() && static_cast<uint64_t>(*value) < types().SizeOf(out.type)) {
      sink_.Emit(kSizeTooSmall, at, *value, types().SizeOf(out.type), TypeText(out.type));
    } else if (value) {
      out.explicit_size = true;
      out.size = static_cast<uint32_t>(*value);
    }
  }
}

}  // namespace lockstep::wgsl
