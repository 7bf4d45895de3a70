// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Type expressions (WGSL #types): names of types, and type generators with their template arguments.
#include <limits>

#include "wgsl/diagnostics.h"
#include "wgsl/resolver.h"

namespace lockstep::wgsl {
namespace {

constexpr uint32_t kMaxNestDepth = 15;  // WGSL #limits

}  // namespace

TypeId Resolver::TypeOf(ExprId id) {
  if (!id.has_value()) return TypeId::None();
  const ExprId inner = StripParens(id);
  if (ExprOf(inner).kind != ast::ExprKind::kIdentifier) {
    sink_.Emit(kExpectedTypeName, SpanOf(inner));
    return TypeId::None();
  }
  return TypeFromEntity(inner, ResolveName(inner));
}

TypeId Resolver::TypeFromEntity(ExprId id, const Entity& entity) {
  const ast::Expr& e = ExprOf(id);
  TypeId type;
  switch (entity.kind) {
    case EntityKind::kType:
      type = TypeId(entity.index);
      if (e.has_template) {
        sink_.Emit(kNoTemplateArguments, e.span, Describe(entity, NameOf(e.name)));
        return TypeId::None();
      }
      break;
    case EntityKind::kGenerator: {
      // The elements of a template list are values and types of their own, whatever surrounds them.
      const uint32_t outer = std::exchange(unevaluated_, 0u);
      type = Generate(id, entity);
      unevaluated_ = outer;
      break;
    }
    case EntityKind::kVariable:
    case EntityKind::kFunction:
    case EntityKind::kBuiltin:
    case EntityKind::kAddressSpace:
    case EntityKind::kAccessMode:
    case EntityKind::kTexelFormat: {
      auto report = sink_.Emit(kNotAType, e.span, Describe(entity, NameOf(e.name)));
      if (entity.kind == EntityKind::kVariable) {
        report.Note(program_.variables[VariableId(entity.index)].name_span, "'{}' is declared here",
                    NameOf(e.name));
      }
      return TypeId::None();
    }
    case EntityKind::kNone:
    case EntityKind::kPoison:
    case EntityKind::kNotOffered:
      return TypeId::None();
  }
  ExprInfo& result = info(id);
  result.use = ExprUse::kTypeName;
  result.type = result.converted = type;
  return type;
}

TypeId Resolver::Generate(ExprId id, const Entity& generator) {
  if (generator.generator == Generator::kTexture) return TextureType(id, TextureTypes()[generator.index]);
  if (generator.generator == Generator::kSampler) {
    if (!ExprOf(id).has_template) return types().Sampler(generator.a != 0);
    sink_.Emit(kNoTemplateArguments, ExprOf(id).span, Describe(generator, NameOf(ExprOf(id).name)));
    return TypeId::None();
  }
  if (!ExprOf(id).has_template) {
    sink_.Emit(kMissingTemplateArguments, SpanOf(id), NameOf(ExprOf(id).name));
    return TypeId::None();
  }
  switch (generator.generator) {
    case Generator::kVector:
      return VectorType(id, generator.a);
    case Generator::kMatrix:
      return MatrixType(id, generator.a, generator.b);
    case Generator::kArray:
      return ArrayType(id);
    case Generator::kAtomic:
      return AtomicType(id);
    case Generator::kPointer:
      return PointerType(id);
    case Generator::kSampler:
    case Generator::kTexture:
      break;
  }
  UNREACHABLE("generator");
}

bool Resolver::CheckTemplateCount(ExprId id, size_t low, size_t high) {
  const size_t count = ExprOf(id).args.count;
  if (count >= low && count <= high) return true;
  const std::string wanted = low == high ? fmt::format("{}", low) : fmt::format("{} or {}", low, high);
  sink_.Emit(kTemplateCount, SpanOf(id), NameOf(ExprOf(id).name), wanted, high == 1 ? "" : "s", count);
  return false;
}

TypeId Resolver::VectorType(ExprId id, uint32_t width) {
  if (!CheckTemplateCount(id, 1, 1)) return TypeId::None();
  const ExprId arg = ast().list(ExprOf(id).args)[0];
  const TypeId element = TypeOf(arg);
  if (!element.has_value()) return TypeId::None();
  if (types().IsScalar(element)) return types().Vector(element, width);
  sink_.Emit(kVectorElement, SpanOf(arg), TypeText(element));
  return TypeId::None();
}

TypeId Resolver::MatrixType(ExprId id, uint32_t columns, uint32_t rows) {
  if (!CheckTemplateCount(id, 1, 1)) return TypeId::None();
  const ExprId arg = ast().list(ExprOf(id).args)[0];
  const TypeId element = TypeOf(arg);
  if (!element.has_value()) return TypeId::None();
  if (types().IsFloat(element)) return types().Matrix(element, columns, rows);
  sink_.Emit(kMatrixElement, SpanOf(arg), TypeText(element));
  return TypeId::None();
}

bool Resolver::CheckElementType(TypeId element, Span at) {
  const bool is_plain = types().IsStorable(element) && types().HasCreationFixedFootprint(element);
  if (is_plain) return true;
  if (types().IsOverrideSizedArray(element)) {
    sink_.Emit(kOverrideArrayNested, at);
  } else {
    sink_.Emit(kArrayElement, at, TypeText(element));
  }
  return false;
}

TypeId Resolver::ArrayType(ExprId id) {
  if (!CheckTemplateCount(id, 1, 2)) return TypeId::None();
  const std::vector<ExprId> args = ArgsOf(id);
  const TypeId element = TypeOf(args[0]);
  const bool element_fits = element.has_value() && CheckElementType(element, SpanOf(args[0]));
  if (args.size() == 1)
    return element_fits ? LimitDepth(types().RuntimeArray(element), SpanOf(id)) : TypeId::None();
  const TypeId count_type = Value(args[1]);
  if (!count_type.has_value() || !element_fits) return TypeId::None();
  if (!types().IsInteger(count_type)) {
    sink_.Emit(kArrayCountType, SpanOf(args[1]), TypeText(count_type));
    return TypeId::None();
  }
  Concretize(args[1]);
  return SizedArray(id, element, args[1]);
}

TypeId Resolver::SizedArray(ExprId id, TypeId element, ExprId count) {
  const ExprInfo& count_info = info(count);
  if (count_info.stage == Stage::kRuntime) {
    sink_.Emit(kArrayCountRuntime, SpanOf(count));
    return TypeId::None();
  }
  if (count_info.stage == Stage::kOverride) {
    // Arrays sized by the same override are of the same type, by any other expression of their own.
    ExprId canonical = count;
    if (count_info.use == ExprUse::kVariable) {
      canonical = override_counts_.try_emplace(count_info.variable.index, count).first->second;
    }
    return LimitDepth(types().OverrideArray(element, canonical, program_.file->Text(SpanOf(count))),
                      SpanOf(id));
  }
  if (!count_info.value.has_value()) return TypeId::None();
  const int64_t value = program_.constants[count_info.value].i;
  if (value <= 0) {
    sink_.Emit(kArrayCountTooSmall, SpanOf(count), value);
    return TypeId::None();
  }
  const TypeId type = types().Array(element, static_cast<uint32_t>(value));
  if (types().SizeOf(type) > std::numeric_limits<uint32_t>::max()) {
    sink_.Emit(kArrayTooLarge, SpanOf(id), value, types().StrideOf(type));
    return TypeId::None();
  }
  return LimitDepth(type, SpanOf(id));
}

TypeId Resolver::AtomicType(ExprId id) {
  if (!CheckTemplateCount(id, 1, 1)) return TypeId::None();
  const ExprId arg = ast().list(ExprOf(id).args)[0];
  const TypeId element = TypeOf(arg);
  if (!element.has_value()) return TypeId::None();
  if (element == types().I32() || element == types().U32()) return types().Atomic(element);
  if (element == types().Vector(types().U32(), 2))
    sink_.Emit(kAtomicVec2u, SpanOf(arg));
  else
    sink_.Emit(kAtomicElement, SpanOf(arg));
  return TypeId::None();
}

std::optional<AddressSpace> Resolver::AddressSpaceOf(ExprId id) {
  const ExprId inner = StripParens(id);
  if (ExprOf(inner).kind != ast::ExprKind::kIdentifier) {
    sink_.Emit(kExpectedAddressSpace, SpanOf(inner), "this expression");
    return std::nullopt;
  }
  const std::string& name = NameOf(ExprOf(inner).name);
  Entity entity = Lookup(ExprOf(inner).name);
  if (entity.kind == EntityKind::kAddressSpace) return static_cast<AddressSpace>(entity.index);
  if (entity.kind == EntityKind::kPoison) return std::nullopt;
  if (entity.kind == EntityKind::kNotOffered) {
    sink_.Emit(kNotOffered, SpanOf(inner), name);
  } else if (entity.kind == EntityKind::kNone) {
    constexpr std::string_view kSpaces[] = {"function", "private", "workgroup", "uniform", "storage"};
    const std::string_view nearest = NearestName(name, kSpaces);
    sink_.Emit(kUnknownAddressSpace, SpanOf(inner), name,
               nearest.empty() ? "" : fmt::format(", did you mean '{}'?", nearest));
  } else {
    sink_.Emit(kExpectedAddressSpace, SpanOf(inner), Describe(entity, name));
  }
  return std::nullopt;
}

std::optional<AccessMode> Resolver::AccessModeOf(ExprId id) {
  const ExprId inner = StripParens(id);
  if (ExprOf(inner).kind != ast::ExprKind::kIdentifier) {
    sink_.Emit(kExpectedAccessMode, SpanOf(inner), "this expression");
    return std::nullopt;
  }
  const std::string& name = NameOf(ExprOf(inner).name);
  Entity entity = Lookup(ExprOf(inner).name);
  if (entity.kind == EntityKind::kAccessMode) return static_cast<AccessMode>(entity.index);
  if (entity.kind == EntityKind::kNone)
    sink_.Emit(kExpectedAccessMode, SpanOf(inner), fmt::format("'{}'", name));
  else if (entity.kind != EntityKind::kPoison)
    sink_.Emit(kExpectedAccessMode, SpanOf(inner), Describe(entity, name));
  return std::nullopt;
}

TypeId Resolver::PointerType(ExprId id) {
  if (!CheckTemplateCount(id, 2, 3)) return TypeId::None();
  const std::vector<ExprId> args = ArgsOf(id);
  const std::optional<AddressSpace> space = AddressSpaceOf(args[0]);
  const TypeId store = TypeOf(args[1]);
  std::optional<AccessMode> access;
  if (args.size() == 3) access = AccessModeOf(args[2]);
  if (!space || !store.has_value() || (args.size() == 3 && !access)) return TypeId::None();
  if (args.size() == 3 && *space != AddressSpace::kStorage) {
    sink_.Emit(kAccessModeNotAllowed, SpanOf(args[2]));
    return TypeId::None();
  }
  if (access == AccessMode::kWrite) {
    sink_.Emit(kStorageAccess, SpanOf(args[2]));
    return TypeId::None();
  }
  if (!types().IsStorable(store)) {
    sink_.Emit(kPointerStoreType, SpanOf(args[1]), TypeText(store));
    return TypeId::None();
  }
  if (const std::string problem = StoreTypeProblem(*space, access.value_or(AccessMode::kRead), store);
      !problem.empty()) {
    sink_.Emit(kStoreType, SpanOf(args[1]),
               fmt::format("what a '{}' pointer points to", AddressSpaceName(*space)), TypeText(store),
               problem);
    return TypeId::None();
  }
  const bool read_only = *space == AddressSpace::kUniform || *space == AddressSpace::kStorage;
  return types().Pointer(*space, store,
                         access.value_or(read_only ? AccessMode::kRead : AccessMode::kReadWrite));
}

// WGSL #texture-types.
TypeId Resolver::TextureType(ExprId id, const TextureTypeInfo& texture) {
  const ast::Expr& e = ExprOf(id);
  const bool is_storage = texture.texture_class == TextureClass::kStorage;
  const bool is_sampled =
      texture.texture_class == TextureClass::kSampled || texture.texture_class == TextureClass::kMultisampled;
  if (!is_storage && !is_sampled) {
    if (!e.has_template) return types().Texture(texture, TypeId::None());
    sink_.Emit(kNoTemplateArguments, e.span, fmt::format("type '{}'", texture.name));
    return TypeId::None();
  }
  if (!e.has_template) {
    sink_.Emit(kMissingTemplateArguments, SpanOf(id), texture.name);
    return TypeId::None();
  }
  const size_t wanted = is_storage ? 2 : 1;
  if (!CheckTemplateCount(id, wanted, wanted)) return TypeId::None();
  const std::vector<ExprId> args = ArgsOf(id);
  if (is_storage) {
    const std::optional<TexelFormat> format = TexelFormatOf(args[0]);
    const std::optional<AccessMode> access = AccessModeOf(args[1]);
    if (!format || !access) return TypeId::None();
    return types().StorageTexture(texture, *format, *access);
  }
  const TypeId sampled = TypeOf(args[0]);
  if (!sampled.has_value()) return TypeId::None();
  if (sampled == types().F32() || sampled == types().I32() || sampled == types().U32())
    return types().Texture(texture, sampled);
  sink_.Emit(kSampledType, SpanOf(args[0]), texture.name, TypeText(sampled));
  return TypeId::None();
}

std::optional<TexelFormat> Resolver::TexelFormatOf(ExprId id) {
  const ExprId inner = StripParens(id);
  if (ExprOf(inner).kind != ast::ExprKind::kIdentifier) {
    sink_.Emit(kExpectedTexelFormat, SpanOf(inner), "this expression", "");
    return std::nullopt;
  }
  const std::string& name = NameOf(ExprOf(inner).name);
  const Entity entity = Lookup(ExprOf(inner).name);
  if (entity.kind == EntityKind::kTexelFormat) return static_cast<TexelFormat>(entity.index);
  if (entity.kind == EntityKind::kPoison) return std::nullopt;
  const std::string_view nearest = NearestName(name, TexelFormatNames());
  sink_.Emit(kExpectedTexelFormat, SpanOf(inner),
             entity.kind == EntityKind::kNone ? fmt::format("'{}'", name) : Describe(entity, name),
             nearest.empty() ? "" : fmt::format(", did you mean '{}'?", nearest));
  return std::nullopt;
}

TypeId Resolver::LimitDepth(TypeId type, Span at) {
  if (types().NestDepth(type) <= kMaxNestDepth) return type;
  sink_.Emit(kTypeTooDeep, at, kMaxNestDepth);
  return TypeId::None();
}

}  // namespace lockstep::wgsl
