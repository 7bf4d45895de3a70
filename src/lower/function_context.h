// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Lowers one function. Expressions come in three forms, and each has its way down:
//   Value(e)          a value that fits in IR values (loads where `e` is a reference)
//   PlaceOf(e)        memory: a reference, or a value too large for the IR, which lies in a temporary
//   variable PointerOf(e)      the memory that a pointer-typed expression points to
// A Place is a root pointer and indices that were evaluated already; the one `access` for it is emitted where
// the memory is touched. So pointers are never block parameters, and every access shows its whole path to the
// passes.
//
// The file that implements a method is named above it.
#pragma once

#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "ir/builder.h"
#include "lower/module_context.h"

namespace lockstep::lower {

namespace ast = wgsl::ast;
using ir::ValueId;

struct Place {
  ValueId root;
  std::vector<ValueId> indices;
};

// What a name stands for.
struct Binding {
  enum class Kind : uint8_t { kValue, kPlace, kPointer };
  Kind kind = Kind::kValue;
  ValueId value;
  Place place;  // of the variable, or what the pointer points to
};

// A construct that `break` or `continue` may leave.
struct Target {
  ir::InstId construct;
  bool is_loop = false;
  // Names of the body that its continuing block uses, and so each `continue` passes on (kLet only).
  std::vector<wgsl::VariableId> passed;
  bool continued = false;  // some `continue` was emitted; the continuing block has its parameters
};

class FunctionContext {
 public:
  FunctionContext(ModuleContext& context, wgsl::FunctionId id)
      : m_(context), program_(context.program), id_(id), b_(&context.module, ir::BlockId::None()) {}

  ir::FunctionId Run();

 private:
  // Gives instructions a span while it lives.
  class At {
   public:
    At(FunctionContext* f, Span span) : b_(f->b_), before_(f->b_.span()) { b_.set_span(span); }
    ~At() { b_.set_span(before_); }
    At(const At&) = delete;
    At& operator=(const At&) = delete;

   private:
    ir::Builder& b_;
    Span before_;
  };

  // --- lower.cc ---
  void AddParams();
  void EntryParam(const wgsl::Variable& param, Binding& binding, size_t* next);
  ValueId EntryInput(const wgsl::StageVariable& input);
  // At a return of a vertex or fragment entry point.
  void Outputs(ast::ExprId result);

  // --- lower_control.cc: statements ---
  void Statement(ast::StmtId id);
  void Compound(const ast::Stmt& stmt);
  void Declare(ast::StmtId id);
  void DeclareVar(wgsl::VariableId id, const wgsl::Variable& variable);
  void DeclareLet(wgsl::VariableId id, const wgsl::Variable& variable);
  void If(const ast::Stmt& stmt);
  void LongIf(const ast::Stmt& stmt);
  void Arm(ir::BlockId block, ast::StmtId body, ir::InstId target);
  void Switch(ast::StmtId id);
  void Loop(const ast::Stmt& stmt);
  void For(const ast::Stmt& stmt);
  void While(const ast::Stmt& stmt);
  void ExitUnless(ast::ExprId condition, ir::InstId loop);
  void LoopBody(ir::InstId loop, ast::StmtId body);
  void Break();
  void Continue();
  void EmitContinue(Target& target);
  std::vector<ValueId> PassedValues(const Target& target) const;
  void BindPassed(const Target& target, ir::BlockId continuing);
  void FindNames(ast::StmtId stmt, std::vector<wgsl::VariableId>* names) const;
  void FindNamesInExpr(ast::ExprId expr, std::vector<wgsl::VariableId>* names) const;
  void PrepareLoopNames(const ast::Stmt& stmt, Target* target);
  void Return(const ast::Stmt& stmt);
  void CallStatement(ast::ExprId call);
  void PhonyAssign(const ast::Stmt& stmt);

  // --- lower_assign.cc ---
  void Assign(const ast::Stmt& stmt);
  void CompoundAssign(const ast::Stmt& stmt);
  void Step(const ast::Stmt& stmt, ast::BinaryOp op);
  // The swizzle that an assignment's left side is, through parentheses; None where it is none.
  ast::ExprId AsSwizzle(ast::ExprId expr) const;
  void StoreSwizzle(const Place& vector, const wgsl::ExprInfo& swizzle, ValueId value);

  // --- lower_memory.cc ---
  Place PlaceOf(ast::ExprId id);
  Place PointerOf(ast::ExprId id);
  // Of the composite in a member or index expression.
  Place BaseOf(ast::ExprId id);
  bool InMemory(ast::ExprId id);
  ValueId Address(const Place& place) { return b_.Access(place.root, place.indices); }
  ValueId LoadFrom(const Place& place) { return b_.Load(Address(place)); }
  // `from`: the address of `expr`, which is large.
  void Copy(ValueId to, ValueId from, ast::ExprId expr);
  Place Temporary(ir::TypeId type, std::string_view name = {}) { return {b_.Var(type, name), {}}; }
  // A large value, written to memory that nothing else names yet.
  void EvaluateInto(ast::ExprId id, const Place& to);
  void ConstructInto(ast::ExprId id, const Place& to);
  void FillConstant(ValueId constant, const Place& to);
  Place Part(const Place& whole, uint32_t part);
  void InitializeZero(ValueId var, ir::TypeId type);

  // --- lower_expr.cc ---
  ValueId Value(ast::ExprId id);
  ValueId RuntimeValue(ast::ExprId id);
  ValueId Identifier(ast::ExprId id);
  ValueId Index(ast::ExprId id);
  ValueId Member(ast::ExprId id);
  ValueId Unary(const ast::Expr& expr);
  ValueId ShortCircuit(const ast::Expr& expr);
  ValueId IndexValue(ast::ExprId id);
  ValueId Call(ast::ExprId id);
  ValueId CallFunction(ast::ExprId id, const Place* result);
  ValueId Construct(ir::TypeId type, std::span<const ValueId> parts);
  ValueId ConstructVector(ir::TypeId type, std::span<const ValueId> parts);
  ValueId ConstructMatrix(ir::TypeId type, std::span<const ValueId> parts);

  // --- lower_arith.cc ---
  ValueId Arithmetic(ast::BinaryOp op, ValueId a, ValueId b);
  ValueId MatrixArithmetic(ast::BinaryOp op, ValueId a, ValueId b);
  ValueId MatrixTimesVector(ValueId matrix, ValueId vector);
  ValueId VectorTimesMatrix(ValueId vector, ValueId matrix);
  ValueId FloatRemainder(ValueId a, ValueId b);
  // `scalar` in the shape of `like`, itself where `like` is a scalar.
  ValueId Spread(ValueId scalar, ir::TypeId like);
  ValueId Dot(ValueId a, ValueId b);
  ValueId SumOfComponents(ValueId vector);
  ValueId NumberLike(ValueId like, double v) { return b_.Number(TypeOf(like), v); }

  // --- lower_builtin.cc ---
  ValueId CallBuiltin(ast::ExprId id);
  // Those whose arguments are pointers; None for a builtin without a result.
  ValueId MemoryBuiltin(ast::ExprId id);
  ValueId PureBuiltin(wgsl::Builtin builtin, ir::TypeId result, std::span<const ValueId> args);

  // --- lower_builtin_texture.cc ---
  bool IsHandle(ast::ExprId id) const;  // it names a texture or a sampler
  bool IsSampler(ast::ExprId id) const;
  ValueId Texture(ast::ExprId id);
  ValueId TextureBuiltin(ast::ExprId id);
  ValueId TextureDimensions(ValueId texture, ValueId level, ir::TypeId result);
  ValueId TextureLoad(std::span<const ast::ExprId> args);

  // --- lower_builtin_memory.cc ---
  ValueId Atomic(ir::AtomicOp op, ast::ExprId pointer, ast::ExprId value);
  ValueId CompareExchange(ast::ExprId id);

  // --- lower_builtin_float.cc ---
  ValueId Length(ValueId v);
  ValueId Normalize(ValueId v);
  ValueId Mix(ValueId a, ValueId b, ValueId t);
  ValueId Smoothstep(ValueId low, ValueId high, ValueId x);
  ValueId StepFunction(ValueId edge, ValueId x);
  ValueId Sign(ValueId v);
  ValueId Fract(ValueId v);
  ValueId Cross(ValueId a, ValueId b);
  ValueId Reflect(ValueId a, ValueId b);
  ValueId Refract(ValueId a, ValueId b, ValueId ratio);
  ValueId FaceForward(ValueId a, ValueId b, ValueId c);
  ValueId Determinant(ValueId m);
  ValueId Determinant3(const std::vector<ValueId>& columns, uint32_t r0, uint32_t r1, uint32_t r2);
  ValueId Transpose(ValueId m);
  ValueId Frexp(ValueId v, ir::TypeId result);
  ValueId Modf(ValueId v, ir::TypeId result);
  ValueId Ldexp(ValueId v, ValueId exponent);
  ValueId Clamp(ValueId v, ValueId low, ValueId high) { return b_.Min(b_.Max(v, low), high); }
  ValueId Saturate(ValueId v) { return Clamp(v, NumberLike(v, 0), NumberLike(v, 1)); }

  // --- lower_builtin_bits.cc ---
  ValueId AllOrAny(ValueId v, bool all);
  ValueId ExtractBits(ValueId v, ValueId offset, ValueId count);
  ValueId InsertBits(ValueId v, ValueId new_bits, ValueId offset, ValueId count);
  ValueId FirstLeadingBit(ValueId v);
  ValueId FirstTrailingBit(ValueId v);
  ValueId PackNorm(ValueId v, uint32_t bits, bool is_signed);
  ValueId UnpackNorm(ValueId v, uint32_t bits, bool is_signed);
  ValueId PackBytes(ValueId v);
  ValueId UnpackBytes(ValueId v, bool is_signed);
  ValueId JoinFields(ValueId fields, uint32_t bits);
  ValueId SplitFields(ValueId word, uint32_t bits, bool is_signed);

  // --- small things ---
  const wgsl::ExprInfo& info(ast::ExprId id) const { return program_.info(id); }
  const ast::Expr& expr(ast::ExprId id) const { return program_.ast.exprs[id]; }
  const ast::Stmt& stmt(ast::StmtId id) const { return program_.ast.stmts[id]; }
  ir::Module& module() { return m_.module; }
  ir::TypeTable& types() { return m_.module.types; }
  ir::TypeId TypeOf(ValueId value) const { return m_.module.type_of(value); }
  // Of the expression's value after conversions.
  ir::TypeId ValueType(ast::ExprId id) { return m_.Type(info(id).converted); }
  bool IsLarge(ast::ExprId id) { return m_.IsLarge(ValueType(id)); }
  bool IsFloat(ValueId value) const { return m_.module.types.IsFloat(TypeOf(value)); }
  uint32_t Width(ValueId value) const { return m_.module.types.Width(TypeOf(value)); }

  ModuleContext& m_;
  const wgsl::Program& program_;
  wgsl::FunctionId id_;
  ir::Builder b_;
  std::optional<Place> result_;  // where a large result goes
  std::unordered_map<wgsl::VariableId, Binding, IdHash> names_;
  std::unordered_map<wgsl::VariableId, ValueId, IdHash> hoisted_;  // `var`s made ahead of their loop
  std::vector<Target> targets_;
};

}  // namespace lockstep::lower
