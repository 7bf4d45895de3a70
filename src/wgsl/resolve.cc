// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// The run of the resolver: directives, the names of the module, then every declaration after those that it
// names.
#include <algorithm>
#include <array>

#include "wgsl/diagnostics.h"
#include "wgsl/resolver.h"

namespace lockstep::wgsl {
namespace {

struct Extension {
  std::string_view name;     // as `enable` writes it
  std::string_view feature;  // GPUFeatureName
};
constexpr Extension kExtensions[] = {
    {"f16", "shader-f16"},
    {"clip_distances", "clip-distances"},
    {"dual_source_blending", "dual-source-blending"},
    {"subgroups", "subgroups"},
    {"primitive_index", "primitive-index"},
    {"subgroup_size_control", "subgroup-size-control"},
};

// WGSL #language-extensions-sec.
struct LanguageFeature {
  std::string_view name;
  bool offered;
};
constexpr LanguageFeature kLanguageFeatures[] = {
    {"unrestricted_pointer_parameters", true},
    {"pointer_composite_access", true},
    {"uniform_buffer_standard_layout", true},
    {"linear_indexing", true},
    {"packed_4x8_integer_dot_product", true},
    {"swizzle_assignment", true},
    {"readonly_and_readwrite_storage_textures", false},
    {"subgroup_id", false},
    {"subgroup_uniformity", false},
    {"texture_and_sampler_let", false},
    {"texture_formats_tier1", false},
    {"immediate_address_space", false},
    {"fragment_depth", false},
    {"buffer_view", false},
};

template <typename Rows>
std::string NearestRow(std::string_view name, const Rows& rows) {
  std::vector<std::string_view> names;
  for (const auto& row : rows) names.push_back(row.name);
  const std::string_view nearest = NearestName(name, names);
  return nearest.empty() ? std::string() : fmt::format(", did you mean '{}'?", nearest);
}

}  // namespace

std::vector<std::string> OfferedLanguageFeatures() {
  std::vector<std::string> names;
  for (const LanguageFeature& feature : kLanguageFeatures) {
    if (feature.offered) names.emplace_back(feature.name);
  }
  return names;
}

Resolver::Resolver(const SourceFile& file, ast::Module module, const CompileOptions& options,
                   diag::Sink& sink)
    : sink_(sink), options_(options), eval_(program_.types, program_.constants, sink) {
  program_.file = &file;
  program_.ast = std::move(module);
  program_.expr_info_storage.resize(ast().exprs.size());
  program_.stmt_info_storage.resize(ast().stmts.size());
  global_by_name_.resize(ast().names.size());
  local_by_name_.resize(ast().names.size(), 0);
  for (const std::string& name : ast().names) predeclared_by_name_.push_back(LookupPredeclared(name));
  entities_.resize(ast().decls.size());
  program_.mentions.resize(ast().decls.size());
  program_.variable_of_decl.resize(ast().decls.size());
  mention_stamp_.resize(ast().decls.size(), UINT32_MAX);
}

std::optional<Program> Resolver::Run() {
  Directives();
  CollectGlobals();
  for (const DeclId id : OrderDeclarations(ast(), global_by_name_, sink_)) ResolveGlobal(id);
  Finish();
  if (sink_.has_errors()) return std::nullopt;
  return std::move(program_);
}

void Resolver::CollectGlobals() {
  for (const DeclId id : ast().globals) {
    const ast::Decl& decl = DeclOf(id);
    entities_[id.index].kind = EntityKind::kPoison;  // until it is resolved
    if (!decl.name.has_value()) continue;
    DeclId& first = global_by_name_[decl.name.index];
    if (first.has_value()) {
      sink_.Emit(kRedeclaration, decl.name_span, NameOf(decl.name))
          .Note(DeclOf(first).name_span, "'{}' is declared here{}", NameOf(decl.name), "");
    } else {
      first = id;
    }
  }
}

void Resolver::SetEntity(DeclId id, EntityKind kind, uint32_t index) {
  entities_[id.index].kind = kind;
  entities_[id.index].index = index;
}

void Resolver::ResolveGlobal(DeclId id) {
  current_global_ = id;
  const ast::DeclKind kind = DeclOf(id).kind;
  if (kind != ast::DeclKind::kVar && kind != ast::DeclKind::kOverride && kind != ast::DeclKind::kFunction) {
    Attributes(DeclOf(id).attributes, kOnNothing);
  }
  switch (kind) {
    case ast::DeclKind::kVar:
      GlobalVar(id);
      break;
    case ast::DeclKind::kConst:
      GlobalConst(id);
      break;
    case ast::DeclKind::kOverride:
      Override(id);
      break;
    case ast::DeclKind::kAlias:
      Alias(id);
      break;
    case ast::DeclKind::kStruct:
      StructDecl(id);
      break;
    case ast::DeclKind::kFunction:
      FunctionDecl(id);
      break;
    case ast::DeclKind::kConstAssert:
      ConstAssert(DeclOf(id).init);
      break;
    case ast::DeclKind::kLet:
    case ast::DeclKind::kParam:
      break;  // the parser puts neither at module scope
  }
  current_global_ = DeclId::None();
}

void Resolver::Finish() {
  const auto by_text = [&](VariableId a, VariableId b) {
    return program_.variables[a].name_span.begin < program_.variables[b].name_span.begin;
  };
  std::sort(program_.global_vars.begin(), program_.global_vars.end(), by_text);
  std::sort(program_.overrides.begin(), program_.overrides.end(), by_text);
}

bool Resolver::IsEnabled(std::string_view extension) const {
  const auto& enabled = program_.enabled_extensions;
  return std::find(enabled.begin(), enabled.end(), extension) != enabled.end();
}

bool Resolver::OffersFeature(std::string_view language_feature) {
  return std::any_of(std::begin(kLanguageFeatures), std::end(kLanguageFeatures),
                     [&](const LanguageFeature& f) { return f.name == language_feature && f.offered; });
}

void Resolver::Directives() {
  for (const ast::Directive& directive : ast().directives) {
    switch (directive.kind) {
      case ast::DirectiveKind::kEnable:
        EnableDirective(directive);
        break;
      case ast::DirectiveKind::kRequires:
        RequiresDirective(directive);
        break;
      case ast::DirectiveKind::kDiagnostic:
        DiagnosticDirective(directive);
        break;
    }
  }
}

void Resolver::EnableDirective(const ast::Directive& directive) {
  for (const auto& [name, at] : directive.names) {
    const auto row = std::find_if(std::begin(kExtensions), std::end(kExtensions),
                                  [&, &n = name](const Extension& e) { return e.name == n; });
    if (row == std::end(kExtensions)) {
      const auto feature = std::find_if(std::begin(kLanguageFeatures), std::end(kLanguageFeatures),
                                        [&n = name](const LanguageFeature& f) { return f.name == n; });
      if (feature != std::end(kLanguageFeatures))
        sink_.Emit(kEnableOfLanguageFeature, at, name);
      else
        sink_.Emit(kUnknownExtension, at, name, NearestRow(name, kExtensions));
      continue;
    }
    const auto& offered = options_.features;
    if (std::find(offered.begin(), offered.end(), row->feature) == offered.end()) {
      sink_.Emit(kExtensionNotOffered, at, name, row->feature);
    }
    // Enabled even so: one error for the directive, none for each use.
    if (!IsEnabled(name)) program_.enabled_extensions.push_back(name);
    if (name == "subgroup_size_control" && !IsEnabled("subgroups"))
      program_.enabled_extensions.emplace_back("subgroups");
  }
}

void Resolver::RequiresDirective(const ast::Directive& directive) {
  for (const auto& [name, at] : directive.names) {
    const auto row = std::find_if(std::begin(kLanguageFeatures), std::end(kLanguageFeatures),
                                  [&n = name](const LanguageFeature& f) { return f.name == n; });
    if (row != std::end(kLanguageFeatures)) {
      if (!row->offered) sink_.Emit(kLanguageFeatureNotOffered, at, name);
      continue;
    }
    const bool is_extension = std::any_of(std::begin(kExtensions), std::end(kExtensions),
                                          [&n = name](const Extension& e) { return e.name == n; });
    if (is_extension)
      sink_.Emit(kRequiresOfExtension, at, name);
    else
      sink_.Emit(kUnknownLanguageFeature, at, name, NearestRow(name, kLanguageFeatures));
  }
}

// Severity, then rule. Two filters for one rule must agree (WGSL #diagnostic-filtering).
void Resolver::DiagnosticDirective(const ast::Directive& directive) {
  if (directive.names.size() < 2) return;
  const auto& [severity, severity_span] = directive.names[0];
  const auto& [rule, rule_span] = directive.names[1];
  CheckSeverity(severity, severity_span);
  CheckRule(rule, rule_span);
  for (const ast::Directive& other : ast().directives) {
    if (&other == &directive) break;
    if (other.kind != ast::DirectiveKind::kDiagnostic || other.names.size() < 2) continue;
    if (other.names[1].first == rule && other.names[0].first != severity) {
      sink_.Emit(kConflictingFilters, rule_span, rule)
          .Note(other.names[1].second, "the other filter is here");
      break;
    }
  }
}

std::optional<Program> Resolve(const SourceFile& file, ast::Module module, const CompileOptions& options,
                               diag::Sink& sink) {
  return Resolver(file, std::move(module), options, sink).Run();
}

}  // namespace lockstep::wgsl
