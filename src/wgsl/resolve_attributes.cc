// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Attributes (WGSL #attributes): which there are, where they may stand, what they take. Their meaning is with
// the declarations that carry them.
#include <algorithm>

#include "wgsl/diagnostics.h"
#include "wgsl/resolver.h"

namespace lockstep::wgsl {
namespace {

constexpr std::string_view kRules[] = {"derivative_uniformity", "subgroup_uniformity"};
constexpr std::string_view kSeverities[] = {"error", "warning", "info", "off"};

std::optional<AttributeKind> FindAttribute(std::string_view name) {
  for (size_t i = 0; i < static_cast<size_t>(AttributeKind::kCount); ++i) {
    if (RowOf(static_cast<AttributeKind>(i)).name == name) return static_cast<AttributeKind>(i);
  }
  return std::nullopt;
}

std::string NearestAttribute(std::string_view name) {
  std::vector<std::string_view> names;
  for (size_t i = 0; i < static_cast<size_t>(AttributeKind::kCount); ++i)
    names.push_back(RowOf(static_cast<AttributeKind>(i)).name);
  const std::string_view nearest = NearestName(name, names);
  return nearest.empty() ? std::string() : fmt::format(", did you mean '@{}'?", nearest);
}

std::string_view PlaceText(AttributePlace place) {
  switch (place) {
    case kOnVar:
      return "a variable";
    case kOnOverride:
      return "an override";
    case kOnFunction:
      return "a function";
    case kOnParam:
      return "a parameter";
    case kOnResult:
      return "a return type";
    case kOnMember:
      return "a structure member";
    case kOnStatement:
      return "a statement";
    case kOnNothing:
      return "this declaration";
  }
  UNREACHABLE("place");
}

}  // namespace

AttributeSet Resolver::Attributes(std::span<const ast::Attribute> attributes, AttributePlace place) {
  AttributeSet set;
  for (const ast::Attribute& attribute : attributes) {
    const std::string& name = NameOf(attribute.name);
    const std::optional<AttributeKind> kind = FindAttribute(name);
    if (!kind) {
      sink_.Emit(kUnknownAttribute, attribute.span, name, NearestAttribute(name));
      continue;
    }
    const AttributeRow& row = RowOf(*kind);
    const ast::Attribute*& slot = set.by_kind[static_cast<size_t>(*kind)];
    if (*kind == AttributeKind::kConst) {
      sink_.Emit(kConstAttribute, attribute.span);
    } else if ((row.places & place) == 0) {
      sink_.Emit(kAttributePlace, attribute.span, name, PlaceText(place));
    } else if (attribute.args.count < row.min_args || attribute.args.count > row.max_args) {
      const std::string wanted =
          row.max_args == 0 ? "no arguments"
          : row.min_args == row.max_args
              ? fmt::format("{} argument{}", row.min_args, row.min_args == 1 ? "" : "s")
              : fmt::format("{} to {} arguments", row.min_args, row.max_args);
      sink_.Emit(kAttributeCount, attribute.span, name, wanted, attribute.args.count);
    } else if (!row.extension.empty() && !IsEnabled(row.extension)) {
      sink_.Emit(kNeedsExtension, attribute.span, fmt::format("attribute '@{}'", name), row.extension);
    } else if (slot != nullptr && *kind != AttributeKind::kDiagnostic) {
      sink_.Emit(kDuplicateAttribute, attribute.span, name).Note(slot->span, "the other one is here");
    } else {
      slot = &attribute;
    }
  }
  DiagnosticAttributes(attributes);
  return set;
}

bool Resolver::IsWritten(std::span<const ast::Attribute> attributes, std::string_view name) const {
  return std::any_of(attributes.begin(), attributes.end(),
                     [&](const ast::Attribute& a) { return NameOf(a.name) == name; });
}

std::optional<int64_t> Resolver::AttributeInt(const ast::Attribute& attribute, std::string_view what) {
  const ExprId arg = ast().list(attribute.args)[0];
  const TypeId type = Value(arg);
  if (!type.has_value()) return std::nullopt;
  const std::string argument = fmt::format("the argument of '@{}'", what);
  if (!types().IsInteger(type)) {
    sink_.Emit(kAttributeInteger, SpanOf(arg), argument, TypeText(type));
    return std::nullopt;
  }
  if (!CheckConst(arg, argument)) return std::nullopt;
  Concretize(arg);
  if (!info(arg).value.has_value()) return std::nullopt;
  return program_.constants[info(arg).value].i;
}

std::string Resolver::BuiltinValueName(const ast::Attribute& attribute) {
  const ExprId arg = ast().list(attribute.args)[0];
  if (ExprOf(arg).kind != ast::ExprKind::kIdentifier) {
    sink_.Emit(kUnknownBuiltinValue, SpanOf(arg), program_.file->Text(SpanOf(arg)), "");
    return {};
  }
  const std::string& name = NameOf(ExprOf(arg).name);
  const BuiltinValueRow* row = FindBuiltinValue(name);
  if (row == nullptr) {
    std::vector<std::string_view> names;
#define BUILTIN_VALUE(name, type, input_of, output_of, extension) names.push_back(name);
#include "wgsl/defs/builtin_values.def"
    const std::string_view nearest = NearestName(name, names);
    sink_.Emit(kUnknownBuiltinValue, SpanOf(arg), name,
               nearest.empty() ? "" : fmt::format(", did you mean '{}'?", nearest));
    return {};
  }
  if (attribute.args.count == 2)
    sink_.Emit(kAttributeCount, attribute.span, "builtin", "1 argument", attribute.args.count);
  if (!row->extension.empty() && !IsEnabled(row->extension)) {
    sink_.Emit(kNeedsExtension, SpanOf(arg), fmt::format("built-in value '{}'", name), row->extension);
    return {};
  }
  return name;
}

// --- diagnostic filters ---

std::string Resolver::RuleText(ExprId id) const {
  const ast::Expr& e = ExprOf(id);
  if (e.kind == ast::ExprKind::kIdentifier) return NameOf(e.name);
  if (e.kind == ast::ExprKind::kMember && ExprOf(e.a).kind == ast::ExprKind::kIdentifier) {
    return NameOf(ExprOf(e.a).name) + "." + NameOf(e.name);
  }
  return {};
}

void Resolver::CheckSeverity(std::string_view severity, Span at) {
  if (std::find(std::begin(kSeverities), std::end(kSeverities), severity) != std::end(kSeverities)) return;
  sink_.Emit(kUnknownSeverity, at, severity);
}

void Resolver::CheckRule(std::string_view rule, Span at) {
  if (rule.find('.') != std::string_view::npos) return;  // a rule of some other implementation
  if (std::find(std::begin(kRules), std::end(kRules), rule) != std::end(kRules)) return;
  const std::string_view nearest = NearestName(rule, kRules);
  sink_.Emit(kUnknownRule, at, rule, nearest.empty() ? "" : fmt::format(", did you mean '{}'?", nearest));
}

void Resolver::DiagnosticAttributes(std::span<const ast::Attribute> attributes) {
  std::vector<std::pair<std::string, std::pair<std::string, Span>>> seen;  // rule, severity, place
  for (const ast::Attribute& attribute : attributes) {
    if (NameOf(attribute.name) != "diagnostic" || attribute.args.count != 2) continue;
    const ExprId severity_arg = ast().list(attribute.args)[0];
    const ExprId rule_arg = ast().list(attribute.args)[1];
    const std::string severity = RuleText(severity_arg);
    const std::string rule = RuleText(rule_arg);
    CheckSeverity(severity, SpanOf(severity_arg));
    if (rule.empty())
      sink_.Emit(kExpectedRule, SpanOf(rule_arg));
    else
      CheckRule(rule, SpanOf(rule_arg));
    for (const auto& [other_rule, other] : seen) {
      if (other_rule == rule) {
        sink_.Emit(kConflictingFilters, attribute.span, rule).Note(other.second, "the other filter is here");
        break;
      }
    }
    seen.push_back({rule, {severity, attribute.span}});
  }
}

void Resolver::StatementAttributes(std::span<const ast::Attribute> attributes) {
  if (!attributes.empty()) Attributes(attributes, kOnStatement);
}

}  // namespace lockstep::wgsl
