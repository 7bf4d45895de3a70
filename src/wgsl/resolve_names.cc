// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Names (WGSL #declaration-and-scope): local declarations hide module-scope ones, which hide predeclared
// ones.
#include <algorithm>
#include <unordered_map>

#include "wgsl/diagnostics.h"
#include "wgsl/resolver.h"

namespace lockstep::wgsl {
namespace {

struct Predeclared {
  EntityKind kind = EntityKind::kNone;
  Generator generator = Generator::kVector;
  uint8_t a = 0, b = 0;               // of a generator or a vector or matrix type
  TypeKind scalar = TypeKind::kVoid;  // of a type
  uint32_t index = 0;
};

using PredeclaredMap = std::unordered_map<std::string, Predeclared>;

void AddTypes(PredeclaredMap& map) {
  const std::pair<const char*, TypeKind> scalars[] = {{"bool", TypeKind::kBool},
                                                      {"i32", TypeKind::kI32},
                                                      {"u32", TypeKind::kU32},
                                                      {"f32", TypeKind::kF32},
                                                      {"f16", TypeKind::kF16}};
  for (const auto& [name, kind] : scalars) map[name] = {EntityKind::kType, Generator::kVector, 0, 0, kind, 0};
  const std::pair<char, TypeKind> suffixes[] = {
      {'i', TypeKind::kI32}, {'u', TypeKind::kU32}, {'f', TypeKind::kF32}, {'h', TypeKind::kF16}};
  for (uint8_t n = 2; n <= 4; ++n) {
    const std::string vec = "vec" + std::to_string(n);
    map[vec] = {EntityKind::kGenerator, Generator::kVector, n, 0, TypeKind::kVoid, 0};
    for (const auto& [suffix, kind] : suffixes)
      map[vec + suffix] = {EntityKind::kType, Generator::kVector, n, 0, kind, 0};
    for (uint8_t rows = 2; rows <= 4; ++rows) {
      const std::string mat = "mat" + std::to_string(n) + "x" + std::to_string(rows);
      map[mat] = {EntityKind::kGenerator, Generator::kMatrix, n, rows, TypeKind::kVoid, 0};
      map[mat + 'f'] = {EntityKind::kType, Generator::kMatrix, n, rows, TypeKind::kF32, 0};
      map[mat + 'h'] = {EntityKind::kType, Generator::kMatrix, n, rows, TypeKind::kF16, 0};
    }
  }
  map["array"] = {EntityKind::kGenerator, Generator::kArray, 0, 0, TypeKind::kVoid, 0};
  map["atomic"] = {EntityKind::kGenerator, Generator::kAtomic, 0, 0, TypeKind::kVoid, 0};
  map["ptr"] = {EntityKind::kGenerator, Generator::kPointer, 0, 0, TypeKind::kVoid, 0};
}

// Names of WGSL that are not supported yet.
constexpr const char* kNotOfferedNames[] = {"buffer",
                                            "immediate",
                                            "textureGather",
                                            "textureGatherCompare",
                                            "textureSample",
                                            "textureSampleBias",
                                            "textureSampleCompare",
                                            "textureSampleCompareLevel",
                                            "textureSampleGrad",
                                            "textureSampleLevel",
                                            "textureSampleBaseClampToEdge",
                                            "textureStore",
                                            "subgroupAdd",
                                            "subgroupExclusiveAdd",
                                            "subgroupInclusiveAdd",
                                            "subgroupAll",
                                            "subgroupAnd",
                                            "subgroupAny",
                                            "subgroupBallot",
                                            "subgroupBroadcast",
                                            "subgroupBroadcastFirst",
                                            "subgroupElect",
                                            "subgroupMax",
                                            "subgroupMin",
                                            "subgroupMul",
                                            "subgroupExclusiveMul",
                                            "subgroupInclusiveMul",
                                            "subgroupOr",
                                            "subgroupShuffle",
                                            "subgroupShuffleDown",
                                            "subgroupShuffleUp",
                                            "subgroupShuffleXor",
                                            "subgroupXor",
                                            "quadBroadcast",
                                            "quadSwapDiagonal",
                                            "quadSwapX",
                                            "quadSwapY"};

PredeclaredMap MakePredeclared() {
  PredeclaredMap map;
  for (size_t i = 1; i < kBuiltinCount; ++i) {
    const auto builtin = static_cast<Builtin>(i);
    map[std::string(BuiltinName(builtin))] = {EntityKind::kBuiltin, Generator::kVector,      0, 0,
                                              TypeKind::kVoid,      static_cast<uint32_t>(i)};
  }
  AddTypes(map);
  for (const AddressSpace space : {AddressSpace::kFunction, AddressSpace::kPrivate, AddressSpace::kWorkgroup,
                                   AddressSpace::kUniform, AddressSpace::kStorage}) {
    map[std::string(AddressSpaceName(space))] = {EntityKind::kAddressSpace, Generator::kVector,          0, 0,
                                                 TypeKind::kVoid,           static_cast<uint32_t>(space)};
  }
  for (const AccessMode access : {AccessMode::kRead, AccessMode::kWrite, AccessMode::kReadWrite}) {
    map[std::string(AccessModeName(access))] = {EntityKind::kAccessMode, Generator::kVector,           0, 0,
                                                TypeKind::kVoid,         static_cast<uint32_t>(access)};
  }
  for (uint32_t i = 0; i < TextureTypes().size(); ++i) {
    map[std::string(TextureTypes()[i].name)] = {
        EntityKind::kGenerator, Generator::kTexture, 0, 0, TypeKind::kVoid, i};
  }
  map["sampler"] = {EntityKind::kGenerator, Generator::kSampler, 0, 0, TypeKind::kVoid, 0};
  map["sampler_comparison"] = {EntityKind::kGenerator, Generator::kSampler, 1, 0, TypeKind::kVoid, 0};
  for (uint32_t i = 0; i < TexelFormatNames().size(); ++i) {
    map[std::string(TexelFormatNames()[i])] = {
        EntityKind::kTexelFormat, Generator::kVector, 0, 0, TypeKind::kVoid, i};
  }
  for (const char* name : kNotOfferedNames) {
    map[name].kind = EntityKind::kNotOffered;
  }
  return map;
}

const PredeclaredMap& PredeclaredNames() {
  static const PredeclaredMap map = MakePredeclared();
  return map;
}

// Edit distance with adjacent swaps (Damerau, restricted), given up past `limit`.
size_t EditDistance(std::string_view a, std::string_view b, size_t limit) {
  if (a.size() > b.size() + limit || b.size() > a.size() + limit) return limit + 1;
  std::vector<size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    size_t least = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
      least = std::min(least, row[j]);
    }
    if (least > limit) return limit + 1;
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::string_view NearestName(std::string_view name, std::span<const std::string_view> names) {
  if (name.size() > 64) return {};
  size_t best = name.size() <= 3 ? 1 : name.size() <= 7 ? 2 : 3;  // the limit, then the best
  ++best;
  std::string_view nearest;
  for (const std::string_view candidate : names) {
    if (candidate == name) continue;
    const size_t distance = EditDistance(name, candidate, best - 1);
    // Half of a short name's letters being wrong is another word, not a slip.
    if (distance < best && distance * 2 <= std::max(name.size(), candidate.size())) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

void Resolver::PopScope() {
  const uint32_t mark = scopes_.back();
  scopes_.pop_back();
  while (bindings_.size() > mark) {
    local_by_name_[bindings_.back().name.index] = bindings_.back().previous;
    bindings_.pop_back();
  }
}

void Resolver::Bind(NameId name, Span name_span, VariableId variable) {
  if (!name.has_value()) return;
  uint32_t& current = local_by_name_[name.index];
  const auto level = static_cast<uint32_t>(scopes_.size());
  if (current != 0 && bindings_[current - 1].level == level) {
    const Variable& other = program_.variables[bindings_[current - 1].variable];
    const bool was_param =
        other.kind == VariableKind::kParam && program_.variables[variable].kind != VariableKind::kParam;
    sink_.Emit(kRedeclaration, name_span, NameOf(name))
        .Note(other.name_span, "'{}' is declared here{}", other.name,
              was_param ? ": a parameter is in the same scope as the function's body" : "");
  }  // the later one holds from here on, as its author meant it
  bindings_.push_back({name, variable, level, current});
  current = static_cast<uint32_t>(bindings_.size());
}

Entity Resolver::Lookup(NameId name) const {
  if (const uint32_t local = local_by_name_[name.index]; local != 0) {
    Entity entity;
    entity.kind = EntityKind::kVariable;
    entity.index = bindings_[local - 1].variable.index;
    return entity;
  }
  return LookupGlobal(name);
}

Entity Resolver::LookupGlobal(NameId name) const {
  const DeclId global = global_by_name_[name.index];
  if (!global.has_value()) return predeclared_by_name_[name.index];
  Entity entity = entities_[global.index];
  entity.decl = global;
  return entity;
}

Entity Resolver::LookupPredeclared(const std::string& name) {
  const auto it = PredeclaredNames().find(name);
  if (it == PredeclaredNames().end()) return Entity();
  const Predeclared& found = it->second;
  Entity entity;
  entity.kind = found.kind;
  entity.generator = found.generator;
  entity.a = found.a;
  entity.b = found.b;
  entity.index = found.kind == EntityKind::kType ? static_cast<uint32_t>(found.scalar) : found.index;
  return entity;
}

Entity Resolver::ResolveName(ExprId id) {
  const ast::Expr& identifier = ExprOf(id);
  Entity entity = Lookup(identifier.name);
  if (entity.kind == EntityKind::kNone) UnresolvedName(identifier.span, NameOf(identifier.name));
  if (entity.kind == EntityKind::kNotOffered)
    sink_.Emit(kNotOffered, identifier.span, NameOf(identifier.name));
  if (entity.decl.has_value()) {
    RecordUse(entity.decl);
  } else if (entity.kind == EntityKind::kType) {  // predeclared: the index is its scalar so far
    const auto scalar_kind = static_cast<TypeKind>(entity.index);
    TypeId type = types().Bool();
    if (scalar_kind == TypeKind::kI32) type = types().I32();
    if (scalar_kind == TypeKind::kU32) type = types().U32();
    if (scalar_kind == TypeKind::kF32) type = types().F32();
    if (scalar_kind == TypeKind::kF16) type = types().F16();
    if (entity.a != 0 && entity.generator == Generator::kVector) type = types().Vector(type, entity.a);
    if (entity.a != 0 && entity.generator == Generator::kMatrix)
      type = types().Matrix(type, entity.a, entity.b);
    if (scalar_kind == TypeKind::kF16 && !IsEnabled("f16")) {
      sink_.Emit(kNeedsF16, identifier.span, NameOf(identifier.name));
      entity.kind = EntityKind::kPoison;
    }
    entity.index = type.index;
  }
  return entity;
}

// What a declaration names, once each; Program::GlobalsOf walks on from there.
void Resolver::RecordUse(DeclId decl) {
  if (!current_global_.has_value() || mention_stamp_[decl.index] == current_global_.index) return;
  mention_stamp_[decl.index] = current_global_.index;
  program_.mentions[current_global_.index].push_back(decl);
  if (entities_[decl.index].kind == EntityKind::kFunction)
    callees_.push_back(FunctionId(entities_[decl.index].index));
}

void Resolver::UnresolvedName(Span at, std::string_view name) {
  const std::string suggestion = Suggestion(name);
  if (suggestion.empty())
    sink_.Emit(kUnresolvedName, at, name);
  else
    sink_.Emit(kUnresolvedNameSuggest, at, name, suggestion);
}

std::string Resolver::Suggestion(std::string_view name) const {
  if (sink_.error_count() >= diag::Sink::kMaxErrors) return {};  // nobody would see it
  std::vector<std::string_view> names;
  for (auto it = bindings_.rbegin(); it != bindings_.rend(); ++it) names.push_back(NameOf(it->name));
  for (const DeclId global : ast().globals) {
    if (DeclOf(global).name.has_value()) names.push_back(NameOf(DeclOf(global).name));
  }
  std::vector<std::string_view> predeclared;
  for (const auto& [text, what] : PredeclaredNames()) predeclared.push_back(text);
  std::sort(predeclared.begin(), predeclared.end());
  names.insert(names.end(), predeclared.begin(), predeclared.end());
  return std::string(NearestName(name, names));
}

std::string Resolver::Describe(const Entity& entity, std::string_view name) const {
  switch (entity.kind) {
    case EntityKind::kNone:
    case EntityKind::kPoison:
    case EntityKind::kNotOffered:
      return fmt::format("'{}'", name);
    case EntityKind::kVariable: {
      const Variable& variable = program_.variables[VariableId(entity.index)];
      switch (variable.kind) {
        case VariableKind::kVar:
          return fmt::format("variable '{}'", name);
        case VariableKind::kLet:
          return fmt::format("'let {}'", name);
        case VariableKind::kConst:
          return fmt::format("'const {}'", name);
        case VariableKind::kOverride:
          return fmt::format("'override {}'", name);
        case VariableKind::kParam:
          return fmt::format("parameter '{}'", name);
      }
      UNREACHABLE("variable kind");
    }
    case EntityKind::kFunction:
      return fmt::format("function '{}'", name);
    case EntityKind::kType:
    case EntityKind::kGenerator:
      return fmt::format("type '{}'", name);
    case EntityKind::kBuiltin:
      return fmt::format("builtin function '{}'", name);
    case EntityKind::kAddressSpace:
      return fmt::format("address space '{}'", name);
    case EntityKind::kAccessMode:
      return fmt::format("access mode '{}'", name);
    case EntityKind::kTexelFormat:
      return fmt::format("texel format '{}'", name);
  }
  UNREACHABLE("entity kind");
}

}  // namespace lockstep::wgsl
