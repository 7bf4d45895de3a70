// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// The resolver's state, private to resolve_*.cc. Each of those files is a chapter of the specification:
//   resolve.cc            the run: directives, names of the module, declarations in order of dependency
//   resolve_order.cc      that order; cycles
//   resolve_names.cc      scopes, predeclared names, suggestions for misspelt ones
//   resolve_types.cc      type expressions
//   resolve_decl.cc       var, let, const, override, alias, const_assert
//   resolve_struct.cc     structures
//   resolve_attributes.cc attributes and diagnostic filters
//   resolve_function.cc   functions; resolve_entry.cc: what entry points must obey
//   resolve_expr.cc       literals, names, operators; resolve_access.cc: a.b, a[i]
//   resolve_call.cc       calls of functions and builtins; resolve_construct.cc: value constructors
//   resolve_stmt.cc       statements; resolve_swizzle.cc: swizzles that are assigned to
//
// Errors do not stop the run. What has no type because of an error has the type None; whoever meets None
// keeps quiet, so that one cause gives one error. A const-expression without a value means likewise that its
// error is reported (or that it is not to be evaluated: the right side of `false && ...`).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "diag/diagnostic.h"
#include "wgsl/attributes.h"
#include "wgsl/const_eval.h"
#include "wgsl/overload.h"
#include "wgsl/program.h"

namespace lockstep::wgsl {

// Of the variables of one function, and of the private variables that an entry point uses. WGSL #limits has
// all implementations take 8,192; other engines take more, and programs use it.
inline constexpr uint64_t kMaxInvocationBytes = 65536;

enum class EntityKind : uint8_t {
  kNone,          // no such name
  kPoison,        // its declaration is wrong, which was reported
  kVariable,      // index: VariableId
  kFunction,      // index: FunctionId
  kType,          // index: TypeId
  kGenerator,     // generator, a, b
  kBuiltin,       // index: Builtin
  kAddressSpace,  // index: AddressSpace
  kAccessMode,    // index: AccessMode
  kTexelFormat,   // index: TexelFormat
  kNotOffered,    // a name of WGSL that is not supported yet
};

enum class Generator : uint8_t { kVector, kMatrix, kArray, kAtomic, kPointer, kSampler, kTexture };

// What a name stands for.
struct Entity {
  EntityKind kind = EntityKind::kNone;
  Generator generator = Generator::kVector;
  uint8_t a = 0, b = 0;  // a vector's width; a matrix's columns and rows; a sampler's comparison
  uint32_t index = 0;
  ast::DeclId decl;  // None for predeclared and local names
};

class Resolver {
 public:
  Resolver(const SourceFile& file, ast::Module module, const CompileOptions& options, diag::Sink& sink);
  std::optional<Program> Run();

 private:
  using ExprId = ast::ExprId;
  using StmtId = ast::StmtId;
  using DeclId = ast::DeclId;
  using NameId = ast::NameId;

  // --- resolve.cc ---
  void CollectGlobals();
  void ResolveGlobal(DeclId id);
  void SetEntity(DeclId id, EntityKind kind, uint32_t index);
  void Finish();
  void Directives();
  void EnableDirective(const ast::Directive& directive);
  void RequiresDirective(const ast::Directive& directive);
  void DiagnosticDirective(const ast::Directive& directive);
  bool IsEnabled(std::string_view extension) const;
  static bool OffersFeature(std::string_view language_feature);

  // --- resolve_names.cc ---
  void PushScope() { scopes_.push_back(static_cast<uint32_t>(bindings_.size())); }
  void PopScope();
  void Bind(NameId name, Span span, VariableId variable);
  Entity Lookup(NameId name) const;
  Entity LookupGlobal(NameId name) const;
  static Entity LookupPredeclared(const std::string& name);
  // An identifier's entity: unknown names are reported, uses of module-scope names recorded.
  Entity ResolveName(ExprId id);
  void RecordUse(DeclId decl);
  void UnresolvedName(Span span, std::string_view name);
  std::string Suggestion(std::string_view name) const;
  std::string Describe(const Entity& entity, std::string_view name) const;  // "function 'foo'"

  // --- resolve_types.cc ---
  TypeId TypeOf(ExprId id);  // a type expression; reports and gives None where it is none
  TypeId TypeFromEntity(ExprId id, const Entity& entity);
  TypeId Generate(ExprId id, const Entity& generator);
  bool CheckTemplateCount(ExprId id, size_t low, size_t high);
  TypeId VectorType(ExprId id, uint32_t width);
  TypeId MatrixType(ExprId id, uint32_t columns, uint32_t rows);
  TypeId ArrayType(ExprId id);
  TypeId SizedArray(ExprId id, TypeId element, ExprId count);
  TypeId AtomicType(ExprId id);
  TypeId PointerType(ExprId id);
  TypeId TextureType(ExprId id, const TextureTypeInfo& texture);
  std::optional<TexelFormat> TexelFormatOf(ExprId id);
  bool CheckElementType(TypeId element, Span span);
  std::optional<AddressSpace> AddressSpaceOf(ExprId id);
  std::optional<AccessMode> AccessModeOf(ExprId id);
  TypeId LimitDepth(TypeId type, Span span);

  // --- resolve_decl.cc ---
  void GlobalVar(DeclId id);
  void GlobalConst(DeclId id);
  void Override(DeclId id);
  void Alias(DeclId id);
  void ConstAssert(ExprId condition);
  struct SpaceAndAccess {
    AddressSpace space = AddressSpace::kHandle;
    AccessMode access = AccessMode::kReadWrite;
  };
  std::optional<SpaceAndAccess> VarTemplate(const ast::Decl& decl, bool is_global);
  std::string StoreTypeProblem(AddressSpace space, AccessMode access, TypeId type) const;
  void CheckStoreType(const Variable& variable, Span span);
  void VarAttributes(Variable& variable, const ast::Decl& decl);
  void VarInitializer(Variable& variable, const ast::Decl& decl);
  // The declared type, or the initialiser's; the initialiser is converted to it.
  TypeId DeclaredType(const ast::Decl& decl, bool keep_abstract);
  bool CheckConst(ExprId id, std::string_view what);  // reports runtime and override expressions
  bool CheckOverride(ExprId id, std::string_view what);
  VariableId LocalDeclaration(DeclId id);
  void LocalVar(Variable& variable, const ast::Decl& decl);
  Span TypeSpan(const ast::Decl& decl) const;

  // --- resolve_struct.cc ---
  void StructDecl(DeclId id);
  StructMember Member(const ast::Decl& decl, const ast::StructMember& member, bool is_last);
  bool CheckMemberType(TypeId type, Span span, bool is_last);
  void MemberAttributes(StructMember& out, const ast::StructMember& member);

  // --- resolve_attributes.cc ---
  AttributeSet Attributes(std::span<const ast::Attribute> attributes, AttributePlace place);
  bool IsWritten(std::span<const ast::Attribute> attributes, std::string_view name) const;  // rightly or not
  std::optional<int64_t> AttributeInt(const ast::Attribute& attribute, std::string_view what);
  // What stands on an input or output of this type.
  IoAttributes ReadIo(const AttributeSet& attributes, TypeId type);
  std::optional<uint32_t> IoNumber(const ast::Attribute& attribute, AttributeKind kind);
  void CheckIoAttributes(const AttributeSet& attributes, TypeId type);
  void Interpolation(IoAttributes& io, const ast::Attribute& attribute);
  std::string BuiltinValueName(const ast::Attribute& attribute);
  void DiagnosticAttributes(std::span<const ast::Attribute> attributes);
  void StatementAttributes(std::span<const ast::Attribute> attributes);
  std::string RuleText(ExprId id) const;
  void CheckSeverity(std::string_view severity, Span span);
  void CheckRule(std::string_view rule, Span span);

  // --- resolve_function.cc ---
  void FunctionDecl(DeclId id);
  void Parameters(Function& function, const ast::Decl& decl);
  void EntryParameter(Function& function, Variable& variable, const AttributeSet& attributes);
  void ResultType(Function& function, const ast::Decl& decl);
  void BindParameters(const Function& function, const ast::Decl& decl);
  void FunctionBody(const ast::Decl& decl);
  void CheckVariableBytes(const ast::Decl& decl);

  // --- resolve_entry.cc ---
  void CheckStageUses(const Function& function);
  void StageAttributes(Function& function, const ast::Decl& decl, const AttributeSet& attributes);
  void WorkgroupSize(Function& function, const ast::Attribute& attribute);
  void CheckEntryPoint(const Function& function);
  void CheckWorkgroupVariables(const Function& function, const std::vector<VariableId>& globals);
  void CheckResources(const Function& function, const std::vector<VariableId>& globals);
  void CheckPrivateBytes(const Function& function, const std::vector<VariableId>& globals);

  // --- resolve_interface.cc ---
  void AddToInterface(std::vector<StageVariable>& interface, StageVariable variable);
  void CheckInterface(const Function& function);
  void CheckStageVariable(const Function& function, const StageVariable& variable, bool is_input);
  void CheckBuiltinValue(const Function& function, const StageVariable& variable, bool is_input);
  void CheckLocation(const Function& function, const StageVariable& variable, bool is_input);
  void CheckTwice(const std::vector<StageVariable>& interface, size_t position, bool is_input);
  void CheckLocations(const Struct& s);
  void CheckBlendSources(const Struct& s);

  // --- resolve_expr.cc ---
  // The static type of an expression that may be a reference; None where that is an error.
  TypeId Expr(ExprId id);
  // The type of its value: references loaded (reports where that is not possible), calls that return nothing
  // reported.
  TypeId Value(ExprId id);
  TypeId ConcreteValue(ExprId id);    // likewise, abstract numbers made concrete
  bool Coerce(ExprId id, TypeId to);  // converts where an automatic conversion exists; reports nothing
  void Concretize(ExprId id) { Coerce(id, Concretization(types(), info(id).converted)); }
  void Condition(ExprId id, std::string_view what);  // must be bool
  TypeId SetResult(ExprId id, TypeId type, Stage stage, ConstantId value = ConstantId::None());
  ConstantId ConvertConstant(ConstantId value, TypeId to, Span span);
  TypeId Dispatch(ExprId id);
  TypeId Literal(ExprId id);
  TypeId Identifier(ExprId id);
  TypeId Unary(ExprId id);
  TypeId AddressOf(ExprId id);
  TypeId Indirection(ExprId id);
  TypeId Binary(ExprId id);
  TypeId ShortCircuit(ExprId id);
  // Types of `a op b`; converts b, and a unless `a` is assigned to. The overload's parameter types.
  std::optional<OverloadMatch> BinaryOverload(ast::BinaryOp op, Span op_span, ExprId a, ExprId b);
  void NoOperator(ast::BinaryOp op, Span at, TypeId a, TypeId b, std::string_view suffix = {});
  ExprId StripParens(ExprId id) const;
  bool IsConst(ExprId id) const { return info(id).stage == Stage::kConst; }
  bool evaluating() const { return unevaluated_ == 0; }

  // --- resolve_access.cc ---
  struct Base {
    TypeId type;
    bool is_memory = false;
    AddressSpace space = AddressSpace::kFunction;
    AccessMode access = AccessMode::kRead;
  };
  std::optional<Base> ResolveBase(ExprId id);
  TypeId View(const Base& base, TypeId part);
  TypeId Index(ExprId id);
  void CheckIndex(const Base& base, ExprId index);
  TypeId Member(ExprId id);
  TypeId StructAccess(ExprId id, const Base& base);
  TypeId VectorAccess(ExprId id, const Base& base);
  bool ParseSwizzle(ExprId id, uint32_t width);

  // --- resolve_call.cc ---
  TypeId Call(ExprId id);
  void CallStatement(StmtId id);
  TypeId UserCall(ExprId id, FunctionId function);
  TypeId BuiltinCall(ExprId id, Builtin builtin);
  bool Arguments(ExprId id, std::vector<OverloadArgument>& args);
  void NoMatchingCall(ExprId id, std::string_view name, OverloadRange candidates,
                      std::span<const TypeId> explicit_types, std::span<const OverloadArgument> args);
  ConstantId BuiltinValue(ExprId id, Builtin builtin, const OverloadMatch& match);
  std::vector<ExprId> ArgsOf(ExprId id) const;  // a copy: the list may move
  void DiscardArguments(ExprId id);             // resolves them for their own errors
  void WrongArgument(ExprId arg, TypeId wanted, size_t position, std::string_view callee);

  // --- resolve_construct.cc ---
  TypeId Construct(ExprId id, TypeId type);
  TypeId ConstructInferred(ExprId id, const Entity& generator);
  TypeId ConstructScalar(ExprId id, TypeId type);
  TypeId ConstructVector(ExprId id, uint32_t width, TypeId scalar);
  TypeId ConstructMatrix(ExprId id, uint32_t columns, uint32_t rows, TypeId scalar);
  TypeId ConstructArray(ExprId id, TypeId type);
  TypeId ConstructArrayInferred(ExprId id);
  TypeId ConstructStruct(ExprId id, TypeId type);
  TypeId ZeroValueOf(ExprId id, TypeId type);
  TypeId FinishConstruct(ExprId id, TypeId type);
  TypeId CommonType(std::span<const TypeId> candidates);
  // `hint`: what the arguments should be, for a note.
  TypeId NoConstructor(ExprId id, TypeId type, std::string_view name, std::string_view hint);
  bool ConvertElements(ExprId id, TypeId scalar);
  std::string ConvertHint(TypeId scalar) const;

  // --- resolve_stmt.cc ---
  void Statement(StmtId id);
  void Compound(StmtId id);  // with a scope of its own
  void Statements(const std::vector<StmtId>& stmts);
  void Assign(StmtId id);
  void CompoundAssign(StmtId id);
  void Step(StmtId id);  // ++ and --
  void PhonyAssign(StmtId id);
  TypeId AssignTarget(ExprId id);  // the type of what is assigned to; None where that is an error
  bool CheckWritable(ExprId id, TypeId reference, Span at);
  VariableId RootVariable(ExprId id) const;
  void NotAssignableValue(ExprId id);

  // --- resolve_swizzle.cc ---
  std::vector<ExprId> SwizzleChain(ExprId id) const;
  bool IsSwizzleTarget(ExprId id) const;
  TypeId SwizzleTarget(ExprId id);
  TypeId RewriteSwizzle(ExprId target, ExprId first, TypeId reference, const std::vector<uint8_t>& components,
                        ExprId index);
  ExprId ComponentIndex(const std::vector<uint8_t>& components, ExprId index);

  // --- control flow, resolve_stmt.cc ---
  void If(StmtId id);
  void Switch(StmtId id);
  TypeId SelectorType(StmtId id);
  void SwitchSelectors(StmtId id);
  void For(StmtId id);
  void While(StmtId id);
  void Loop(StmtId id);
  void LoopBody(StmtId block);
  void Misplaced(const diag::Kind& kind, StmtId id);
  void Break(StmtId id);
  void Continue(StmtId id);
  void Return(StmtId id);
  void CheckBypassed(ExprId id, VariableId variable);

  // --- shorthands ---
  TypeTable& types() { return program_.types; }
  const TypeTable& types() const { return program_.types; }
  const ast::Module& ast() const { return program_.ast; }
  const ast::Expr& ExprOf(ExprId id) const { return program_.ast.exprs[id]; }
  const ast::Stmt& StmtOf(StmtId id) const { return program_.ast.stmts[id]; }
  const ast::Decl& DeclOf(DeclId id) const { return program_.ast.decls[id]; }
  ExprInfo& info(ExprId id) { return program_.info(id); }
  const ExprInfo& info(ExprId id) const { return program_.info(id); }
  StmtInfo& info(StmtId id) { return program_.info(id); }
  const std::string& NameOf(NameId id) const { return program_.ast.names[id]; }
  std::string TypeText(TypeId type) const { return types().ToString(type); }
  Span SpanOf(ExprId id) const { return ExprOf(id).span; }

  struct Binding {
    NameId name;
    VariableId variable;
    uint32_t level = 0;
    uint32_t previous = 0;
  };
  enum class Target : uint8_t {
    kLoop,
    kSwitch,
    kContinuing
  };  // what encloses a statement, for break and continue
  struct LoopState {
    uint32_t variables_at_continue = UINT32_MAX;  // variables that exist at the first `continue`
    uint32_t variables_at_end = 0;                // variables that exist where the continuing block begins
    Span continue_span;
    bool in_continuing = false;
  };

  Program program_;
  diag::Sink& sink_;
  const CompileOptions& options_;
  ConstEvaluator eval_;

  std::vector<DeclId> global_by_name_;       // by NameId
  std::vector<Entity> predeclared_by_name_;  // by NameId
  std::vector<Entity> entities_;             // by DeclId
  DeclId current_global_;
  std::vector<uint32_t> mention_stamp_;  // by DeclId: the declaration that last named it
  std::vector<FunctionId> callees_;

  std::vector<Binding> bindings_;
  std::vector<uint32_t> scopes_;         // first binding of each
  std::vector<uint32_t> local_by_name_;  // by NameId: index into bindings_ + 1, 0 for none
  std::unordered_map<uint32_t, ExprId>
      override_counts_;  // by VariableId: the expression that stands for its arrays
  std::set<std::pair<VariableId, VariableId>> reported_bindings_;  // pairs that collide
  std::unordered_map<uint32_t, DeclId> ids_;                       // @id values in use

  TypeId result_type_;  // of the function that is resolved
  std::vector<VariableId> function_vars_;
  std::vector<Target> targets_;
  // What only one stage may do (WGSL: `discard`, derivatives, barriers): the first such thing.
  struct StageUse {
    std::string name;
    Span span;
  };
  using StageUses = std::map<std::string_view, StageUse>;  // by stage
  StageUses stage_uses_;                                   // in the function that is resolved
  std::unordered_map<uint32_t, StageUses> stage_uses_of_;  // by FunctionId: in it or its callees
  std::vector<LoopState> loops_;
  bool control_flow_error_ = false;  // a misplaced break, continue or return: behaviours would only repeat it
  uint32_t unevaluated_ = 0;
};

// Module-scope declarations so that each comes after those that it names. Declarations on a cycle are
// reported and left out.
std::vector<ast::DeclId> OrderDeclarations(const ast::Module& module,
                                           const std::vector<ast::DeclId>& global_by_name, diag::Sink& sink);

// Behaviours of a resolved function's statements (WGSL #behaviors): sets StmtInfo, reports what must not be.
void AnalyzeBehaviors(Program& program, const Function& function, diag::Sink& sink);

// The nearest of `names` to `name` by edit distance, empty where none is near.
std::string_view NearestName(std::string_view name, std::span<const std::string_view> names);

}  // namespace lockstep::wgsl
