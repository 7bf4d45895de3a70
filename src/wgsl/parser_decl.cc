// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Directives, attributes and declarations.
#include "wgsl/parser_impl.h"

namespace lockstep::wgsl {

using ast::Decl;
using ast::DeclId;
using ast::DeclKind;

namespace {

// Where a name, an initializer and a semicolon of a declaration are missing.
struct DeclWords {
  std::string_view keyword, name, semicolon;
};

DeclWords WordsOf(DeclKind kind) {
  switch (kind) {
    case DeclKind::kVar:
      return {"var", "after 'var'", "after variable declaration"};
    case DeclKind::kLet:
      return {"let", "after 'let'", "after 'let' declaration"};
    case DeclKind::kConst:
      return {"const", "after 'const'", "after 'const' declaration"};
    case DeclKind::kOverride:
      return {"override", "after 'override'", "after 'override' declaration"};
    case DeclKind::kAlias:
      return {"alias", "after 'alias'", "after 'alias' declaration"};
    case DeclKind::kStruct:
      return {"struct", "after 'struct'", ""};
    case DeclKind::kFunction:
      return {"fn", "after 'fn'", ""};
    case DeclKind::kConstAssert:
      return {"const_assert", "", "after 'const_assert'"};
    case DeclKind::kParam:
      return {"", "for a parameter", ""};
  }
  UNREACHABLE("declaration kind");
}

}  // namespace

// --- directives ---

void Parser::ParseDirective(bool in_place) {
  const Token token = Next();
  ast::Directive directive;
  directive.kind = token.kind == Kind::kEnable     ? ast::DirectiveKind::kEnable
                   : token.kind == Kind::kRequires ? ast::DirectiveKind::kRequires
                                                   : ast::DirectiveKind::kDiagnostic;
  if (!in_place) sink_.Emit(kDirectiveAfterDeclaration, token.span(), file_.Text(token.span()));
  ParseDirectiveBody(directive);
  if (!lost_) ExpectSemicolon("after the directive");
  if (lost_) return RecoverDeclaration();
  directive.span = SpanFrom(token.begin);
  module_.directives.push_back(std::move(directive));
}

void Parser::ParseDirectiveBody(ast::Directive& directive) {
  const auto add_name = [&](std::string_view where) {
    Span span;
    ParseName(where, &span);
    if (!lost_) directive.names.emplace_back(std::string(file_.Text(span)), span);
  };
  if (directive.kind != ast::DirectiveKind::kDiagnostic) {
    do {
      add_name("of an extension");
    } while (Accept(Kind::kComma) && !Is(Kind::kSemicolon));
    return;
  }
  Expect(Kind::kParenLeft, "after 'diagnostic'");
  add_name("of a severity");
  Expect(Kind::kComma, "after the severity");
  add_name("of a diagnostic rule");
  if (Accept(Kind::kPeriod)) {
    add_name("of a diagnostic rule after '.'");
    if (lost_) return;
    auto part = std::move(directive.names.back());
    directive.names.pop_back();
    auto& rule = directive.names.back();
    rule.first += "." + part.first;
    rule.second.end = part.second.end;
  }
  Accept(Kind::kComma);
  Expect(Kind::kParenRight, "after the diagnostic rule");
}

// --- attributes ---

std::vector<ast::Attribute> Parser::ParseAttributes() {
  std::vector<ast::Attribute> attributes;
  while (Accept(Kind::kAt)) {
    ast::Attribute attribute;
    if (!ParseAttribute(attribute)) break;
    attributes.push_back(attribute);
  }
  return attributes;
}

bool Parser::ParseAttribute(ast::Attribute& attribute) {
  const uint32_t begin = previous_end_ - 1;
  const Token name = Peek();
  if (name.kind == Kind::kConst || name.kind == Kind::kDiagnostic) {  // the two attributes that are keywords
    Next();
    attribute.name = KeywordName(file_.Text(name.span()));
  } else {
    attribute.name = ParseName("after '@'");
  }
  if (Accept(Kind::kParenLeft)) {
    if (Is(Kind::kParenRight)) Fail(kEmptyAttributeArguments, PeekSpan());
    attribute.args = ParseArguments(Kind::kParenRight, "after the attribute's arguments");
  }
  attribute.span = SpanFrom(begin);
  return !lost_;
}

// Keywords are not interned by the lexer.
ast::NameId Parser::KeywordName(std::string_view text) {
  ast::NameId& id = text == "const" ? const_name_ : diagnostic_name_;
  if (!id.has_value()) id = module_.names.Add(std::string(text));
  return id;
}

void Parser::NoAttributes(const std::vector<ast::Attribute>& attributes, std::string_view on) {
  if (attributes.empty() || lost_) return;
  sink_.Emit(kAttributesNotAllowed, Span{attributes.front().span.begin, attributes.back().span.end}, on);
}

// --- declarations ---

void Parser::AddGlobal(Decl decl) { module_.globals.push_back(module_.decls.Add(std::move(decl))); }

void Parser::ParseGlobal() {
  if (Accept(Kind::kSemicolon)) return;
  if (Is(Kind::kEnable) || Is(Kind::kRequires) || Is(Kind::kDiagnostic)) return ParseDirective(false);
  std::vector<ast::Attribute> attributes = ParseAttributes();
  if (lost_) return;
  ParseGlobalKeyword(std::move(attributes));
}

void Parser::ParseGlobalKeyword(std::vector<ast::Attribute> attributes) {
  const Kind kind = PeekKind();
  if (kind == Kind::kVar || kind == Kind::kOverride || kind == Kind::kConst || kind == Kind::kLet) {
    if (kind == Kind::kConst) NoAttributes(attributes, "'const' declarations");
    if (kind == Kind::kLet) sink_.Emit(kLetAtModuleScope, PeekSpan());
    const DeclKind decl_kind = kind == Kind::kVar        ? DeclKind::kVar
                               : kind == Kind::kOverride ? DeclKind::kOverride
                               : kind == Kind::kLet      ? DeclKind::kLet
                                                         : DeclKind::kConst;
    const DeclId decl = ParseVariable(decl_kind, std::move(attributes), true);
    if (lost_ || !ExpectSemicolon(WordsOf(decl_kind).semicolon)) return;
    module_.globals.push_back(decl);
  } else if (kind == Kind::kFn) {
    ParseFunction(std::move(attributes));
  } else if (kind == Kind::kStruct) {
    NoAttributes(attributes, "structures");
    ParseStruct();
  } else if (kind == Kind::kAlias) {
    NoAttributes(attributes, "aliases");
    ParseAlias();
  } else if (kind == Kind::kConstAssert) {
    NoAttributes(attributes, "'const_assert'");
    Decl decl;
    ParseConstAssert(decl);
    if (!lost_) AddGlobal(std::move(decl));
  } else if (kind == Kind::kBraceRight) {
    sink_.Emit(kExtraBrace, PeekSpan());
    Next();
  } else {
    Fail(kExpectedDeclaration, PeekSpan(), Found());
  }
}

// `var<storage> x: T = e`, `override x: T`, `let x = e`: without attributes and semicolon.
DeclId Parser::ParseVariable(DeclKind kind, std::vector<ast::Attribute> attributes, bool is_global) {
  const DeclWords words = WordsOf(kind);
  Decl decl;
  decl.kind = kind;
  const uint32_t begin = attributes.empty() ? PeekSpan().begin : attributes.front().span.begin;
  decl.attributes = std::move(attributes);
  Next();
  if (Is(Kind::kTemplateStart) && kind == DeclKind::kVar) {
    decl.has_var_template = true;
    decl.var_template = ParseTemplateList();
  }
  decl.name = ParseName(words.name, &decl.name_span);
  if (Accept(Kind::kColon)) decl.type = ParseType("after ':'");
  if (Accept(Kind::kEqual)) {
    decl.init = ParseExpression("after '='");
  } else if (kind == DeclKind::kLet || kind == DeclKind::kConst) {
    Fail(kMissingInitializer, PeekSpan(), is_global ? "const" : words.keyword);
  }
  if (lost_) return {};
  decl.span = SpanFrom(begin);
  return module_.decls.Add(std::move(decl));
}

void Parser::ParseAlias() {
  Decl decl;
  decl.kind = DeclKind::kAlias;
  const uint32_t begin = PeekSpan().begin;
  Next();
  decl.name = ParseName("after 'alias'", &decl.name_span);
  Expect(Kind::kEqual, "after the name of the alias");
  decl.type = ParseType("after '='");
  if (lost_ || !ExpectSemicolon(WordsOf(decl.kind).semicolon)) return;
  decl.span = SpanFrom(begin);
  AddGlobal(std::move(decl));
}

void Parser::ParseConstAssert(Decl& decl) {
  decl.kind = DeclKind::kConstAssert;
  const uint32_t begin = PeekSpan().begin;
  decl.name_span = PeekSpan();
  Next();
  decl.init = ParseExpression("after 'const_assert'");
  if (lost_ || !ExpectSemicolon(WordsOf(decl.kind).semicolon)) return;
  decl.span = SpanFrom(begin);
}

void Parser::ParseStruct() {
  Decl decl;
  decl.kind = DeclKind::kStruct;
  const uint32_t begin = PeekSpan().begin;
  Next();
  decl.name = ParseName("after 'struct'", &decl.name_span);
  const Span open = PeekSpan();
  if (!Expect(Kind::kBraceLeft, "after the name of the structure")) return;
  if (Is(Kind::kBraceRight)) sink_.Emit(kEmptyStruct, decl.name_span);
  while (!lost_ && !Is(Kind::kBraceRight)) {
    if (AtEnd() || Is(Kind::kFn) || Is(Kind::kStruct)) {
      sink_.Emit(kUnclosedBrace, PeekSpan(), "the structure").Note(open, "opened here");
      return AddGlobal(std::move(decl));
    }
    ast::StructMember member;
    if (!ParseStructMember(member)) return;
    decl.members.push_back(std::move(member));
    if (Accept(Kind::kComma)) continue;
    if (Is(Kind::kBraceRight)) break;
    // A forgotten or wrong separator: reported, and taken for a comma where a member follows.
    sink_.Emit(kExpectedToken, Is(Kind::kSemicolon) ? PeekSpan() : Span{previous_end_, previous_end_}, "','",
               "after a structure's member");
    Accept(Kind::kSemicolon);
    lost_ = !Is(Kind::kIdentifier) && !Is(Kind::kAt) && !Is(Kind::kBraceRight);
  }
  Accept(Kind::kBraceRight);
  if (lost_) return;
  decl.span = SpanFrom(begin);
  AddGlobal(std::move(decl));
}

bool Parser::ParseStructMember(ast::StructMember& member) {
  member.attributes = ParseAttributes();
  member.name = ParseName("for a member", &member.name_span);
  Expect(Kind::kColon, "after the member's name");
  member.type = ParseType("after ':'");
  return !lost_;
}

void Parser::ParseFunction(std::vector<ast::Attribute> attributes) {
  Decl decl;
  decl.kind = DeclKind::kFunction;
  const uint32_t begin = attributes.empty() ? PeekSpan().begin : attributes.front().span.begin;
  decl.attributes = std::move(attributes);
  Next();
  decl.name = ParseName("after 'fn'", &decl.name_span);
  Expect(Kind::kParenLeft, "after the name of the function");
  ParseParameters(decl);
  if (Accept(Kind::kArrow)) {
    decl.return_attributes = ParseAttributes();
    decl.return_type = ParseType("after '->'");
  }
  if (!RecoverAtBrace()) return;
  decl.body = ParseBlock({.what = "the body of the function"});
  if (!decl.body.has_value()) lost_ = true;
  if (lost_) return;
  decl.span = SpanFrom(begin);
  AddGlobal(std::move(decl));
}

bool Parser::ParseParameters(Decl& function) {
  while (!lost_ && !Is(Kind::kParenRight)) {
    Decl param;
    param.kind = DeclKind::kParam;
    const uint32_t begin = PeekSpan().begin;
    param.attributes = ParseAttributes();
    param.name = ParseName("for a parameter", &param.name_span);
    Expect(Kind::kColon, "after the parameter's name");
    param.type = ParseType("after ':'");
    if (lost_) return false;
    param.span = SpanFrom(begin);
    function.params.push_back(module_.decls.Add(std::move(param)));
    if (Accept(Kind::kComma)) continue;
    if (Is(Kind::kIdentifier) || Is(Kind::kAt)) return Expect(Kind::kComma, "between two parameters");
    break;
  }
  return Expect(Kind::kParenRight, "after the parameters");
}

}  // namespace lockstep::wgsl
