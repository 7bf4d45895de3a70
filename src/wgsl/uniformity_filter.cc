// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "wgsl/uniformity_filter.h"

namespace lockstep::wgsl::uniformity {

DiagnosticFilters::DiagnosticFilters(const ast::Module& module) : module_(module) {
  for (const ast::Directive& directive : module.directives) {
    if (directive.kind != ast::DirectiveKind::kDiagnostic || directive.names.size() < 2) continue;
    filters_.push_back({directive.names[1].first, directive.names[0].first});
  }
}

std::string DiagnosticFilters::RuleText(ast::ExprId id) const {
  const ast::Expr& expr = module_.exprs[id];
  if (expr.kind == ast::ExprKind::kIdentifier) return module_.name(expr.name);
  if (expr.kind != ast::ExprKind::kMember) return "";
  return RuleText(expr.a) + "." + module_.name(expr.name);
}

void DiagnosticFilters::Push(std::span<const ast::Attribute> attributes) {
  for (const ast::Attribute& attribute : attributes) {
    const auto args = module_.list(attribute.args);
    if (module_.name(attribute.name) != "diagnostic" || args.size() != 2) continue;
    filters_.push_back({RuleText(args[1]), RuleText(args[0])});
  }
}

std::optional<diag::Severity> DiagnosticFilters::SeverityOf(std::string_view rule) const {
  for (auto filter = filters_.rbegin(); filter != filters_.rend(); ++filter) {
    if (filter->rule != rule) continue;
    if (filter->severity == "off") return std::nullopt;
    if (filter->severity == "warning") return diag::Severity::kWarning;
    if (filter->severity == "info") return diag::Severity::kInfo;
    return diag::Severity::kError;
  }
  return diag::Severity::kError;
}

}  // namespace lockstep::wgsl::uniformity
