// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Diagnostic filters (WGSL: #diagnostic-filtering): the severity of a filterable rule at a place is that of
// the nearest enclosing filter, else of the module's, else the rule's own.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "wgsl/ast.h"

namespace lockstep::wgsl::uniformity {

class DiagnosticFilters {
 public:
  // Begins with the module's directives.
  explicit DiagnosticFilters(const ast::Module& module);

  using Mark = size_t;
  Mark Now() const { return filters_.size(); }
  void Push(std::span<const ast::Attribute> attributes);  // those that are @diagnostic
  void BackTo(Mark mark) { filters_.resize(mark); }

  // None where the rule is off.
  std::optional<diag::Severity> SeverityOf(std::string_view rule) const;

 private:
  struct Filter {
    std::string rule, severity;
  };
  std::string RuleText(ast::ExprId id) const;

  const ast::Module& module_;
  std::vector<Filter> filters_;  // the nearest last
};

}  // namespace lockstep::wgsl::uniformity
