// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// The syntax tree: what the author wrote, names unresolved. Nodes are plain structs in stores, referred to by
// id; children are made before their parents, so an expression's id is greater than those of its operands.
// Types are written as expressions (a templated identifier), as in the WGSL grammar.
//
// The parser bounds depth: an expression tree is at most kMaxExpressionDepth deep, brace-enclosed statements
// nest at most kMaxStatementDepth deep (WGSL #limits); later stages may recurse over trees.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "support/source.h"
#include "support/store.h"

namespace lockstep::wgsl::ast {

inline constexpr uint32_t kMaxExpressionDepth = 512;
inline constexpr uint32_t kMaxStatementDepth = 127;
// A chain of `else if` nests in the tree by `Stmt::other`: braces and links of such chains together are
// bounded too.
inline constexpr uint32_t kMaxStatementTreeDepth = 640;

struct ExprId : IdBase<ExprId> {
  using IdBase::IdBase;
};
struct StmtId : IdBase<StmtId> {
  using IdBase::IdBase;
};
struct DeclId : IdBase<DeclId> {
  using IdBase::IdBase;
};
struct NameId : IdBase<NameId> {
  using IdBase::IdBase;
};  // an interned identifier

enum class UnaryOp : uint8_t { kNegate, kNot, kComplement, kAddressOf, kIndirection };
enum class BinaryOp : uint8_t {
  kAdd,
  kSub,
  kMul,
  kDiv,
  kRem,
  kAnd,
  kOr,
  kXor,
  kShl,
  kShr,
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
  kLogicalAnd,
  kLogicalOr,
};
std::string_view UnaryOpText(UnaryOp op);    // "-"
std::string_view BinaryOpText(BinaryOp op);  // "<<"

enum class ExprKind : uint8_t {
  kBool,        // literal; int_value 0 or 1
  kInt,         // literal; int_value, suffix 0 (abstract), 'i' or 'u'. Its range was checked by the lexer.
  kFloat,       // literal; float_value, suffix 0 (abstract), 'f' or 'h'
  kIdentifier,  // name, args = template arguments (has_template says whether a list was written)
  kCall,        // a = callee (a kIdentifier), args = arguments
  kIndex,       // a[b]
  kMember,      // a.name
  kUnary,       // unary a
  kBinary,      // a binary b
  kParen,       // (a)
};

struct Expr {
  ExprKind kind = ExprKind::kBool;
  UnaryOp unary = UnaryOp::kNegate;
  BinaryOp binary = BinaryOp::kAdd;
  char suffix = 0;
  bool has_template = false;
  Span span;     // the whole expression
  Span op_span;  // the operator, the member's name, a literal's text
  NameId name;
  ExprId a, b;
  ListRef<ExprId> args;
  uint64_t int_value = 0;
  double float_value = 0;
};

// @name(args). Which attributes exist and where is the resolver's concern; `diagnostic` and `builtin` etc.
// keep their operands as identifier expressions. A rule name `a.b` of @diagnostic is a kMember of an
// identifier.
struct Attribute {
  NameId name;
  Span span;
  ListRef<ExprId> args;
};

enum class StmtKind : uint8_t {
  kCompound,        // block
  kDeclare,         // decl: a local var, let or const
  kConstAssert,     // a
  kAssign,          // a = b
  kPhonyAssign,     // _ = b
  kCompoundAssign,  // a binary= b
  kIncrement,       // a++
  kDecrement,       // a--
  kCall,            // a (a kCall expression)
  kIf,              // a = condition, block = then, other = else (kIf or kCompound, or None)
  kSwitch,          // a = selector, cases
  kFor,             // init, a = condition (or None), update, block
  kWhile,           // a, block
  kLoop,            // block; continuing (kCompound or None)
  kBreak,
  kContinue,
  kBreakIf,  // a; last statement of a continuing block
  kReturn,   // a or None
  kDiscard,
  kEmpty,  // ;
};

struct SwitchCase {
  std::vector<ExprId> selectors;  // ExprId::None() stands for `default`
  StmtId body;                    // kCompound
  Span span;
};

struct Stmt {
  StmtKind kind = StmtKind::kEmpty;
  BinaryOp binary = BinaryOp::kAdd;
  Span span;     // of the whole statement; of a control statement up to its condition
  Span op_span;  // the assignment operator
  ExprId a, b;
  DeclId decl;
  StmtId init, update, other, continuing, block;
  std::vector<StmtId> stmts;               // kCompound
  std::vector<SwitchCase> cases;           // kSwitch
  std::vector<Attribute> attributes;       // before the statement, or before a compound's brace
  std::vector<Attribute> body_attributes;  // kSwitch, before the brace of its body
};

enum class DeclKind : uint8_t {
  kVar,
  kLet,
  kConst,
  kOverride,
  kAlias,
  kStruct,
  kFunction,
  kConstAssert,
  kParam
};

struct StructMember {
  NameId name;
  ExprId type;
  Span name_span;
  std::vector<Attribute> attributes;
};

struct Decl {
  DeclKind kind = DeclKind::kConst;
  NameId name;
  Span name_span;
  Span span;  // the whole declaration
  std::vector<Attribute> attributes;
  ExprId type;                   // declared type, alias target; None where left out
  ExprId init;                   // initialiser, or a const_assert's condition
  ListRef<ExprId> var_template;  // var<...>: address space, access mode
  bool has_var_template = false;
  std::vector<StructMember> members;         // kStruct
  std::vector<DeclId> params;                // kFunction: kParam declarations
  ExprId return_type;                        // kFunction
  std::vector<Attribute> return_attributes;  // kFunction
  StmtId body;                               // kFunction: kCompound
};

enum class DirectiveKind : uint8_t { kEnable, kRequires, kDiagnostic };
struct Directive {
  DirectiveKind kind = DirectiveKind::kEnable;
  Span span;
  std::vector<std::pair<std::string, Span>>
      names;  // enable, requires; diagnostic: severity, then the rule's name
};

// A whole translation unit.
struct Module {
  Store<ExprId, Expr> exprs;
  Store<StmtId, Stmt> stmts;
  Store<DeclId, Decl> decls;
  ListStore<ExprId> expr_lists;
  Store<NameId, std::string> names;  // UTF-8, compared by code points (WGSL #identifier-comparison)
  std::vector<Directive> directives;
  std::vector<DeclId> globals;  // in the order of the text
  const std::string& name(NameId id) const { return names[id]; }
  std::span<const ExprId> list(ListRef<ExprId> ref) const { return expr_lists[ref]; }
};

// One line a node, indented: `lockstep show --emit=ast`.
std::string Dump(const Module& module);

}  // namespace lockstep::wgsl::ast
