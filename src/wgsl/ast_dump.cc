// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// The tree as text: a line for each declaration and statement, indented by two; expressions on the line of
// what they belong to, as S-expressions that show how operators and template lists were read:
//
//     fn main
//       param i: u32
//       let x = (+ a (* b (call f (vec2<f32> x))))
#include <fmt/format.h>

#include "wgsl/ast.h"

namespace lockstep::wgsl::ast {
namespace {

class Dumper {
 public:
  explicit Dumper(const Module& module) : module_(module) {}
  std::string Run();

 private:
  void Line(std::string text) { out_ += std::string(2 * indent_, ' ') + std::move(text) + "\n"; }
  std::string Name(NameId id) const { return id.has_value() ? module_.name(id) : "<none>"; }
  std::string Text(ExprId id) const;
  std::string Literal(const Expr& expr) const;
  std::string List(std::span<const ExprId> items, std::string_view separator) const;
  std::string Attributes(const std::vector<Attribute>& attributes) const;
  std::string Variable(const Decl& decl) const;
  void Directives();
  void Dump(const Decl& decl);
  void Function(const Decl& decl);
  void Dump(StmtId id);
  void Block(std::string_view label, StmtId id);
  void If(const Stmt& stmt);
  void Switch(const Stmt& stmt);
  void For(const Stmt& stmt);

  const Module& module_;
  std::string out_;
  size_t indent_ = 0;
};

std::string Dumper::Run() {
  Directives();
  for (const DeclId id : module_.globals) Dump(module_.decls[id]);
  return std::move(out_);
}

void Dumper::Directives() {
  for (const Directive& directive : module_.directives) {
    std::string line = directive.kind == DirectiveKind::kEnable     ? "enable"
                       : directive.kind == DirectiveKind::kRequires ? "requires"
                                                                    : "diagnostic";
    for (const auto& [name, span] : directive.names) line += " " + name;
    Line(std::move(line));
  }
}

std::string Dumper::List(std::span<const ExprId> items, std::string_view separator) const {
  std::string text;
  for (const ExprId item : items) {
    if (!text.empty()) text += separator;
    text += item.has_value() ? Text(item) : "default";
  }
  return text;
}

std::string Dumper::Attributes(const std::vector<Attribute>& attributes) const {
  std::string text;
  for (const Attribute& attribute : attributes) {
    text += "@" + Name(attribute.name);
    if (!attribute.args.empty()) text += fmt::format("({})", List(module_.list(attribute.args), ", "));
    text += " ";
  }
  return text;
}

std::string Dumper::Literal(const Expr& expr) const {
  std::string text = expr.kind == ExprKind::kBool  ? (expr.int_value != 0 ? "true" : "false")
                     : expr.kind == ExprKind::kInt ? fmt::format("{}", expr.int_value)
                                                   : fmt::format("{}", expr.float_value);
  if (expr.kind == ExprKind::kFloat && text.find_first_of(".en") == std::string::npos) text += ".0";
  if (expr.suffix != 0) text += expr.suffix;
  return text;
}

std::string Dumper::Text(ExprId id) const {
  if (!id.has_value()) return "<none>";
  const Expr& expr = module_.exprs[id];
  const auto args = module_.list(expr.args);
  switch (expr.kind) {
    case ExprKind::kBool:
    case ExprKind::kInt:
    case ExprKind::kFloat:
      return Literal(expr);
    case ExprKind::kIdentifier:
      return Name(expr.name) + (expr.has_template ? fmt::format("<{}>", List(args, ", ")) : "");
    case ExprKind::kCall:
      return fmt::format("(call {}{}{})", Text(expr.a), args.empty() ? "" : " ", List(args, " "));
    case ExprKind::kIndex:
      return fmt::format("(index {} {})", Text(expr.a), Text(expr.b));
    case ExprKind::kMember:
      return fmt::format("(. {} {})", Text(expr.a), Name(expr.name));
    case ExprKind::kUnary:
      return fmt::format("({} {})", UnaryOpText(expr.unary), Text(expr.a));
    case ExprKind::kBinary:
      return fmt::format("({} {} {})", BinaryOpText(expr.binary), Text(expr.a), Text(expr.b));
    case ExprKind::kParen:
      return fmt::format("(paren {})", Text(expr.a));
  }
  UNREACHABLE("expression kind");
}

std::string Dumper::Variable(const Decl& decl) const {
  std::string text = Attributes(decl.attributes);
  text += decl.kind == DeclKind::kVar     ? "var"
          : decl.kind == DeclKind::kLet   ? "let"
          : decl.kind == DeclKind::kConst ? "const"
          : decl.kind == DeclKind::kParam ? "param"
                                          : "override";
  if (decl.has_var_template) text += fmt::format("<{}>", List(module_.list(decl.var_template), ", "));
  text += " " + Name(decl.name);
  if (decl.type.has_value()) text += ": " + Text(decl.type);
  if (decl.init.has_value()) text += " = " + Text(decl.init);
  return text;
}

void Dumper::Dump(const Decl& decl) {
  switch (decl.kind) {
    case DeclKind::kVar:
    case DeclKind::kLet:
    case DeclKind::kConst:
    case DeclKind::kOverride:
    case DeclKind::kParam:
      return Line(Variable(decl));
    case DeclKind::kAlias:
      return Line(fmt::format("alias {} = {}", Name(decl.name), Text(decl.type)));
    case DeclKind::kConstAssert:
      return Line("const_assert " + Text(decl.init));
    case DeclKind::kFunction:
      return Function(decl);
    case DeclKind::kStruct:
      break;
  }
  Line("struct " + Name(decl.name));
  ++indent_;
  for (const StructMember& member : decl.members) {
    Line(fmt::format("{}{}: {}", Attributes(member.attributes), Name(member.name), Text(member.type)));
  }
  --indent_;
}

void Dumper::Function(const Decl& decl) {
  std::string line = fmt::format("{}fn {}", Attributes(decl.attributes), Name(decl.name));
  if (decl.return_type.has_value()) {
    line += fmt::format(" -> {}{}", Attributes(decl.return_attributes), Text(decl.return_type));
  }
  Line(std::move(line));
  ++indent_;
  for (const DeclId param : decl.params) Dump(module_.decls[param]);
  --indent_;
  Block("", decl.body);
}

// The statements of a compound, one level in, below `label`.
void Dumper::Block(std::string_view label, StmtId id) {
  if (!id.has_value()) return;
  const Stmt& block = module_.stmts[id];
  if (const std::string text = Attributes(block.attributes) + std::string(label); !text.empty()) Line(text);
  ++indent_;
  for (const StmtId stmt : block.stmts) Dump(stmt);
  --indent_;
}

void Dumper::If(const Stmt& stmt) {
  Line(fmt::format("{}if {}", Attributes(stmt.attributes), Text(stmt.a)));
  Block("", stmt.block);
  StmtId other = stmt.other;
  while (other.has_value() && module_.stmts[other].kind == StmtKind::kIf) {
    const Stmt& next = module_.stmts[other];
    Line("else if " + Text(next.a));
    Block("", next.block);
    other = next.other;
  }
  Block("else", other);
}

void Dumper::Switch(const Stmt& stmt) {
  Line(fmt::format("{}switch {}", Attributes(stmt.attributes), Text(stmt.a)));
  ++indent_;
  if (!stmt.body_attributes.empty()) Line(Attributes(stmt.body_attributes) + "body");
  for (const SwitchCase& clause : stmt.cases) {
    Line("case " + List(clause.selectors, ", "));
    Block("", clause.body);
  }
  --indent_;
}

void Dumper::For(const Stmt& stmt) {
  Line(fmt::format("{}for {}", Attributes(stmt.attributes), stmt.a.has_value() ? Text(stmt.a) : "true"));
  const auto part = [&](std::string_view label, StmtId id) {
    if (!id.has_value()) return;
    ++indent_;
    Line(std::string(label));
    ++indent_;
    Dump(id);
    indent_ -= 2;
  };
  part("init", stmt.init);
  part("update", stmt.update);
  Block("", stmt.block);
}

void Dumper::Dump(StmtId id) {
  const Stmt& stmt = module_.stmts[id];
  switch (stmt.kind) {
    case StmtKind::kCompound:
      return Block("block", id);
    case StmtKind::kDeclare:
      return Line(Variable(module_.decls[stmt.decl]));
    case StmtKind::kConstAssert:
      return Line("const_assert " + Text(stmt.a));
    case StmtKind::kAssign:
      return Line(fmt::format("{} = {}", Text(stmt.a), Text(stmt.b)));
    case StmtKind::kPhonyAssign:
      return Line("_ = " + Text(stmt.b));
    case StmtKind::kCompoundAssign:
      return Line(fmt::format("{} {}= {}", Text(stmt.a), BinaryOpText(stmt.binary), Text(stmt.b)));
    case StmtKind::kIncrement:
      return Line(Text(stmt.a) + "++");
    case StmtKind::kDecrement:
      return Line(Text(stmt.a) + "--");
    case StmtKind::kCall:
      return Line(Text(stmt.a));
    case StmtKind::kIf:
      return If(stmt);
    case StmtKind::kSwitch:
      return Switch(stmt);
    case StmtKind::kFor:
      return For(stmt);
    case StmtKind::kWhile:
      Line(Attributes(stmt.attributes) + "while " + Text(stmt.a));
      return Block("", stmt.block);
    case StmtKind::kLoop:
      Line(Attributes(stmt.attributes) + "loop");
      Block("", stmt.block);
      return Block("continuing", stmt.continuing);
    case StmtKind::kBreak:
      return Line("break");
    case StmtKind::kContinue:
      return Line("continue");
    case StmtKind::kBreakIf:
      return Line("break if " + Text(stmt.a));
    case StmtKind::kReturn:
      return Line(stmt.a.has_value() ? "return " + Text(stmt.a) : "return");
    case StmtKind::kDiscard:
      return Line("discard");
    case StmtKind::kEmpty:
      return Line(";");
  }
  UNREACHABLE("statement kind");
}

}  // namespace

std::string Dump(const Module& module) { return Dumper(module).Run(); }

}  // namespace lockstep::wgsl::ast
