// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/verify_ops.h"

#include <algorithm>
#include <initializer_list>
#include <unordered_set>

#include "support/check.h"

namespace lockstep::ir {
namespace {

// Checks give a sentence, or nothing: `if (bad) return "..."`.
using Text = std::string;

bool IsOneOf(Op op, std::initializer_list<Op> ops) {
  return std::find(ops.begin(), ops.end(), op) != ops.end();
}

class InstChecker {
 public:
  InstChecker(const Module& module, FunctionId function, InstId id)
      : m_(module),
        t_(module.types),
        function_(function),
        id_(id),
        inst_(module.insts[id]),
        operands_(module.operands(id)),
        results_(module.results(id)) {}

  Text Check() const {
    const bool control = KindOf(inst_.op) == OpKind::kControl;
    if (!control && !m_.regions(id_).empty()) return "owns regions";
    if (!IsOneOf(inst_.op, {Op::kCall, Op::kTextureLoad, Op::kTextureNumber})) {
      for (const ValueId v : operands_) {
        if (t_.IsTexture(m_.type_of(v))) return "a texture as a value";
      }
    }
    switch (KindOf(inst_.op)) {
      case OpKind::kUnary:
      case OpKind::kBinary:
      case OpKind::kCompare:
      case OpKind::kTernary:
        return CheckComponentWise();
      case OpKind::kValue:
        return CheckValue();
      case OpKind::kMemory:
        return CheckMemory();
      case OpKind::kControl:
        return CheckControl();
      case OpKind::kExit:
        return results_.empty() ? Text() : "a jump has results";
      case OpKind::kLanes:
        return CheckLanes();
    }
    UNREACHABLE("op kind");
  }

 private:
  TypeId Type(size_t operand) const { return m_.type_of(operands_[operand]); }
  TypeId ResultType(size_t i = 0) const { return m_.type_of(results_[i]); }
  bool Counts(size_t operands, size_t results) const {
    return operands_.size() == operands && results_.size() == results;
  }
  // With or without a guard at the end.
  bool GuardedCounts(size_t operands, size_t results) const {
    if (Counts(operands, results)) return true;
    return Counts(operands + 1, results) && Type(operands) == t_.Bool();
  }
  TypeKind Kind(TypeId id) const { return t_[id].kind; }
  bool IsScalarOrVector(TypeId id) const { return t_.IsScalar(id) || Kind(id) == TypeKind::kVector; }
  bool IsInteger(TypeId id) const { return t_.IsSigned(id) || t_.IsUnsigned(id); }
  bool SameWidth(TypeId a, TypeId b) const { return t_.Width(a) == t_.Width(b); }
  bool IsIndex(TypeId id) const { return id == t_.U32() || id == t_.I32(); }
  bool CanBeValue(TypeId id) const {
    return id != t_.Void() && Kind(id) != TypeKind::kAtomic && !t_.IsTexture(id) && !t_.HasRuntimeArray(id) &&
           (t_.IsPointer(id) || t_.ScalarCount(id) <= kMaxValueScalars);
  }

  // --- component-wise ---

  Text CheckComponentWise() const {
    const OpKind kind = KindOf(inst_.op);
    const size_t arity = kind == OpKind::kUnary ? 1 : kind == OpKind::kTernary ? 3 : 2;
    if (!Counts(arity, 1)) return "wrong number of operands or results";
    const TypeId type = Type(0);
    if (!IsScalarOrVector(type)) return "an operand is no scalar or vector";
    if (inst_.op == Op::kShl || inst_.op == Op::kShr) {
      if (!t_.IsUnsigned(Type(1)) || !SameWidth(type, Type(1)))
        return "the shift count is no u32 of that shape";
    } else {
      for (size_t i = 1; i < arity; ++i) {
        if (Type(i) != type) return "operands of different types";
      }
    }
    const bool fits = kind == OpKind::kCompare ? t_.IsBool(ResultType()) && SameWidth(ResultType(), type)
                                               : ResultType() == type;
    if (!fits) return "the result's type does not follow from its operands";
    return Accepts(type) ? Text() : "not defined for this type";
  }

  bool Accepts(TypeId type) const {
    const Op op = inst_.op;
    if (op == Op::kEq || op == Op::kNe) return true;
    if (op == Op::kNeg) return t_.IsFloat(type) || t_.IsSigned(type);
    if (op == Op::kQuantizeF16) return t_.ScalarOf(type) == t_.F32();
    if (op == Op::kDpdx || op == Op::kDpdy)
      return t_.ScalarOf(type) == t_.F32() && m_.stage == Stage::kFragment;
    if (IsOneOf(op, {Op::kNot, Op::kAnd, Op::kOr, Op::kXor})) return !t_.IsFloat(type);
    if (IsOneOf(op, {Op::kAbs, Op::kAdd, Op::kSub, Op::kMul, Op::kDiv, Op::kRem, Op::kMin, Op::kMax, Op::kLt,
                     Op::kLe, Op::kGt, Op::kGe})) {
      return !t_.IsBool(type);
    }
    if (IsOneOf(op, {Op::kShl, Op::kShr, Op::kMulHigh, Op::kCountOneBits, Op::kCountLeadingZeros,
                     Op::kCountTrailingZeros, Op::kReverseBits})) {
      return IsInteger(type);
    }
    return t_.IsFloat(type);  // the rest
  }

  // --- values ---

  Text CheckValue() const {
    if (inst_.op == Op::kCall) return CheckCall();
    if (results_.size() != 1) return "needs one result";
    if (!CanBeValue(ResultType())) return "the result's type cannot be a value";
    if (inst_.op == Op::kBuiltinInput) return CheckBuiltin();
    if (inst_.op == Op::kStageInput) return CheckInput();
    if (inst_.op == Op::kTextureNumber) {
      if (!Counts(1, 1) || !t_.IsTexture(Type(0)) || ResultType() != t_.U32()) return "wrong types";
      return inst_.imm < abi::kTextureNumbers ? Text() : "unknown number";
    }
    if (operands_.empty()) return "needs operands";
    return IsScalarOrVector(Type(0)) && IsScalarOrVector(ResultType()) ? CheckConversion() : CheckComposite();
  }

  Text CheckBuiltin() const {
    if (!operands_.empty()) return "takes no operands";
    if (function_ != m_.entry) return "a builtin input outside of the entry point";
    const TypeId type = ResultType();
    const auto fits = [&](Stage stage, TypeId scalar, uint32_t width) {
      if (stage != m_.stage && stage != Stage::kCompute) return "a builtin of another stage";
      return t_.ScalarOf(type) == scalar && t_.Width(type) == width ? "" : "wrong type for this builtin";
    };
    switch (static_cast<Builtin>(inst_.imm)) {
#define BUILTIN(Name, text, stage, scalar, width) \
  case Builtin::k##Name:                          \
    return fits(Stage::k##stage, t_.scalar(), width);
#include "ir/builtins.def"
    }
    return "unknown builtin";
  }

  // Before transform/stage_io.
  Text CheckStage() const {
    if (m_.stage == Stage::kCompute) return "in a compute shader";
    return function_ == m_.entry || inst_.op == Op::kDemote ? Text() : "outside of the entry point";
  }

  bool IsNumbers(TypeId type) const { return IsScalarOrVector(type) && !t_.IsBool(type); }

  Text CheckInput() const {
    if (!operands_.empty()) return "takes no operands";
    if (!IsNumbers(ResultType())) return "the result is neither number nor vector of them";
    return CheckStage();
  }

  Text CheckOutput() const {
    if (!Counts(1, 0)) return "wrong number of operands or results";
    const StageOutput output = UnpackOutput(inst_.imm);
    const TypeId type = Type(0);
    bool fits = false;
    Stage stage = m_.stage;
    if (output.value == abi::StageValue::kLocation) {
      fits = IsNumbers(type);
    } else if (output.value == abi::StageValue::kPosition) {
      stage = Stage::kVertex;
      fits = t_.ScalarOf(type) == t_.F32() && t_.Width(type) == 4;
    } else if (output.value == abi::StageValue::kClipDistance) {
      stage = Stage::kVertex;
      fits = Kind(type) == TypeKind::kArray && t_[type].element == t_.F32();
    } else {
      stage = Stage::kFragment;
      fits = type == (output.value == abi::StageValue::kFragDepth ? t_.F32() : t_.U32());
    }
    if (!fits || stage != m_.stage) return "wrong type or stage for this output";
    return CheckStage();
  }

  // Between scalars and vectors.
  Text CheckConversion() const {
    const TypeId from = Type(0);
    const TypeId to = ResultType();
    const Op op = inst_.op;
    if (op == Op::kConvert) return Counts(1, 1) && SameWidth(from, to) ? Text() : "converts between shapes";
    if (op == Op::kBitcast) {
      if (!Counts(1, 1) || t_.IsBool(from) != t_.IsBool(to)) return "casts bool";
      return t_[from].size == t_[to].size ? Text() : "casts between sizes";
    }
    if (op == Op::kSplat) {
      return Counts(1, 1) && t_.Width(to) > 1 && t_[to].element == from ? Text()
                                                                        : "not from a vector's scalar";
    }
    if (op == Op::kSwizzle) return CheckSwizzle(from, to);
    if (op == Op::kDot4I8 || op == Op::kDot4U8) {
      const TypeId result = op == Op::kDot4I8 ? t_.I32() : t_.U32();
      return Counts(2, 1) && from == t_.U32() && Type(1) == from && to == result ? Text() : "wrong types";
    }
    if (op == Op::kPackHalf)
      return Counts(1, 1) && IsFloatPair(from) && to == t_.U32() ? Text() : "wrong types";
    if (op == Op::kUnpackHalf)
      return Counts(1, 1) && from == t_.U32() && IsFloatPair(to) ? Text() : "wrong types";
    return CheckComposite();
  }

  bool IsFloatPair(TypeId id) const { return t_.Width(id) == 2 && t_.ScalarOf(id) == t_.F32(); }

  Text CheckSwizzle(TypeId from, TypeId to) const {
    if (!Counts(1, 1) || t_.Width(from) < 2 || t_.Width(to) < 2 || t_.ScalarOf(from) != t_.ScalarOf(to)) {
      return "not between vectors of one scalar";
    }
    for (uint32_t i = 0; i < t_.Width(to); ++i) {
      if (((inst_.imm >> (2 * i)) & 3) >= t_.Width(from)) return "a component that the vector has not";
    }
    return {};
  }

  Text CheckComposite() const {
    const TypeId to = ResultType();
    const Op op = inst_.op;
    if (op == Op::kSelect) return CheckSelect(to);
    if (op == Op::kConstruct) {
      if (operands_.size() != t_.PartCount(to)) return "wrong number of parts";
      for (size_t i = 0; i < operands_.size(); ++i) {
        if (Type(i) != t_.PartType(to, static_cast<uint32_t>(i))) return "a part of another type";
      }
      return {};
    }
    if (op == Op::kExtract) {
      if (!Counts(1, 1) || inst_.imm >= t_.PartCount(Type(0))) return "a part that the composite has not";
      return t_.PartType(Type(0), inst_.imm) == to ? Text() : "the part has another type";
    }
    if (op == Op::kExtractDynamic) {
      if (!Counts(2, 1) || t_.PartCount(Type(0)) == 0 || Kind(Type(0)) == TypeKind::kStruct)
        return "no such parts";
      return Type(1) == t_.U32() && t_.PartType(Type(0), 0) == to ? Text() : "wrong types";
    }
    if (op == Op::kInsert) {
      if (!Counts(2, 1) || Type(0) != to || inst_.imm >= t_.PartCount(to))
        return "a part that the composite has not";
      return t_.PartType(to, inst_.imm) == Type(1) ? Text() : "the part has another type";
    }
    return "not defined for this type";
  }

  Text CheckSelect(TypeId to) const {
    if (!Counts(3, 1) || Type(1) != to || Type(2) != to)
      return "the chosen values have not the result's type";
    const bool scalar = Type(0) == t_.Bool();
    if (!scalar && (!t_.IsBool(Type(0)) || Kind(to) != TypeKind::kVector || !SameWidth(Type(0), to))) {
      return "the condition fits no select";
    }
    return t_.IsPointer(to) ? "selects pointers" : Text();
  }

  Text CheckCall() const {
    if (inst_.imm >= m_.functions.size()) return "calls no function";
    const Function& callee = m_.functions[FunctionId(inst_.imm)];
    if (FunctionId(inst_.imm) == m_.entry) return "calls the entry point";
    if (operands_.size() != callee.params.size()) return "wrong number of arguments";
    for (size_t i = 0; i < operands_.size(); ++i) {
      if (Type(i) != m_.type_of(callee.params[i])) return "an argument of another type";
    }
    if (callee.result == t_.Void()) return results_.empty() ? Text() : "a result of a function without one";
    return results_.size() == 1 && ResultType() == callee.result ? Text() : "the result has another type";
  }

  // --- memory ---

  bool Readable(TypeId pointer) const { return t_[pointer].access != Access::kWrite; }
  bool Writable(TypeId pointer) const { return t_[pointer].access != Access::kRead; }

  Text CheckMemory() const {
    if (inst_.op == Op::kVar) return CheckVar();
    if (inst_.op == Op::kStageOutput) return CheckOutput();
    if (inst_.op == Op::kDemote) return Counts(0, 0) ? CheckStage() : "has operands or results";
    if (inst_.op == Op::kWatch || inst_.op == Op::kWatchBounds) return CheckWatch();
    if (inst_.op == Op::kBarrier || inst_.op == Op::kWatchBarrier) {
      return Counts(0, 0) && inst_.imm != 0 && inst_.imm <= 7 ? Text() : "malformed barrier";
    }
    if (inst_.op == Op::kTextureLoad) return CheckTextureLoad();
    if (operands_.empty() || !t_.IsPointer(Type(0))) return "the first operand is no pointer";
    if (inst_.op == Op::kAccess) return CheckAccess();
    const TypeId pointee = t_[Type(0)].element;
    const Op op = inst_.op;
    if (op == Op::kLoad) {
      if (!Counts(1, 1) || ResultType() != pointee || !CanBeValue(pointee))
        return "the result is not what it loads";
      return Readable(Type(0)) ? Text() : "loads from write-only memory";
    }
    if (op == Op::kStore) {
      if (!GuardedCounts(2, 0) || Type(1) != pointee || !CanBeValue(pointee))
        return "the value is not what it stores";
      return Writable(Type(0)) ? Text() : "stores to read-only memory";
    }
    if (op == Op::kCopy) {
      if (!GuardedCounts(2, 0) || !t_.IsPointer(Type(1)) || t_[Type(1)].element != pointee)
        return "wrong types";
      if (t_.HasRuntimeArray(pointee)) return "copies a runtime array";
      return Writable(Type(0)) && Readable(Type(1)) ? Text() : "copies against an access mode";
    }
    if (op == Op::kZeroFill) {
      if (!Counts(1, 0) || t_.HasRuntimeArray(pointee)) return "wrong types";
      return Writable(Type(0)) ? Text() : "fills read-only memory";
    }
    if (op == Op::kArrayLength) {
      if (!Counts(1, 1) || ResultType() != t_.U32()) return "wrong types";
      return Kind(pointee) == TypeKind::kRuntimeArray ? Text() : "not of a runtime array";
    }
    return op == Op::kUniformLoad ? CheckUniformLoad(pointee) : CheckAtomic(pointee);
  }

  Text CheckTextureLoad() const {
    if (!GuardedCounts(4, 1)) return "wrong number of operands or results";
    if (!t_.IsTexture(Type(0)) || !t_[Type(0)].element.has_value()) return "of what has no texels to load";
    const TypeId coordinates = Type(1);
    if (t_.ScalarOf(coordinates) != t_.U32() || t_.Width(coordinates) != t_.CoordinateCount(Type(0)))
      return "the coordinates do not fit the texture";
    if (Type(2) != t_.U32() || Type(3) != t_.U32()) return "a layer or level that is no u32";
    const TypeId result = ResultType();
    const bool fits = t_.Width(result) == 4 && t_.ScalarOf(result) == t_[Type(0)].element;
    return fits ? Text() : "the result is no texel";
  }

  Text CheckUniformLoad(TypeId pointee) const {
    const TypeId value = Kind(pointee) == TypeKind::kAtomic ? t_[pointee].element : pointee;
    if (!Counts(1, 1) || ResultType() != value || !CanBeValue(value))
      return "the result is not what it loads";
    return t_[Type(0)].space == AddressSpace::kWorkgroup ? Text() : "not from workgroup memory";
  }

  Text CheckWatch() const {
    if (operands_.size() < 4 || !results_.empty()) return "wrong number of operands or results";
    for (size_t i = 0; i < operands_.size(); ++i) {
      if (Type(i) != (i == 3 ? t_.Bool() : t_.U32())) return "an operand of another type";
    }
    if (inst_.op == Op::kWatchBounds) return operands_.size() == 4 ? Text() : "too many operands";
    return m_.is_constant(operands_[0]) ? Text() : "the kind of access is no constant";
  }

  Text CheckVar() const {
    if (!Counts(0, 1) || !t_.IsPointer(ResultType())) return "malformed var";
    const ir::Type& pointer = t_[ResultType()];
    if (pointer.space != AddressSpace::kFunction || t_.HasRuntimeArray(pointer.element))
      return "no function variable";
    return pointer.access == Access::kReadWrite ? Text() : "a var that cannot be read and written";
  }

  Text CheckAccess() const {
    if (operands_.size() < 2 || results_.size() != 1 || !t_.IsPointer(ResultType()))
      return "malformed access";
    TypeId type = t_[Type(0)].element;
    for (size_t i = 1; i < operands_.size(); ++i) {
      uint32_t part = 0;
      const bool constant = m_.ConstantScalar(operands_[i], &part);
      if (!IsIndex(Type(i))) return "an index that is neither i32 nor u32";
      if (Kind(type) == TypeKind::kStruct) {
        if (!constant || Type(i) != t_.U32()) return "a member's index is no u32 constant";
        if (part >= t_.PartCount(type)) return "a member that the struct has not";
        type = t_.PartType(type, part);
      } else if (t_.PartCount(type) != 0 || Kind(type) == TypeKind::kRuntimeArray) {
        type = t_.PartType(type, 0);
      } else {
        return "an index into what has no parts";
      }
    }
    const ir::Type& from = t_[Type(0)];
    const ir::Type& to = t_[ResultType()];
    return to.element == type && to.space == from.space && to.access == from.access
               ? Text()
               : "the result has another type";
  }

  Text CheckAtomic(TypeId pointee) const {
    if (Kind(pointee) != TypeKind::kAtomic) return "not of an atomic";
    const AddressSpace space = t_[Type(0)].space;
    if (space != AddressSpace::kStorage && space != AddressSpace::kWorkgroup)
      return "an atomic that nobody shares";
    if (t_[Type(0)].access != Access::kReadWrite) return "an atomic in memory that is not read_write";
    const TypeId value = t_[pointee].element;
    const size_t values = inst_.op == Op::kAtomicLoad ? 0 : inst_.op == Op::kAtomicCompareExchange ? 2 : 1;
    const size_t results = inst_.op == Op::kAtomicStore ? 0 : inst_.op == Op::kAtomicCompareExchange ? 2 : 1;
    if (!GuardedCounts(1 + values, results)) return "wrong number of operands or results";
    for (size_t i = 0; i < values; ++i) {
      if (Type(1 + i) != value) return "an operand of another type";
    }
    if (results > 0 && ResultType() != value) return "the result has another type";
    if (results > 1 && ResultType(1) != t_.Bool()) return "the second result is no bool";
    if (inst_.op == Op::kAtomicRmw && inst_.imm > static_cast<uint32_t>(AtomicOp::kExchange))
      return "unknown operation";
    return {};
  }

  // --- control ---

  Text CheckControl() const {
    const auto regions = m_.regions(id_);
    for (const ValueId r : results_) {
      if (!CanBeValue(m_.type_of(r))) return "a result's type cannot be a value";
    }
    if (inst_.op == Op::kLoop) return CheckLoop();
    for (const BlockId b : regions) {
      if (!m_.blocks[b].params.empty()) return "a region with parameters";
    }
    if (inst_.op == Op::kIf) {
      return regions.size() == 2 && operands_.size() == 1 && Type(0) == t_.Bool() ? Text() : "malformed if";
    }
    return CheckSwitch();
  }

  Text CheckLoop() const {
    const auto regions = m_.regions(id_);
    if (regions.size() != 2) return "a loop without its two regions";
    const std::vector<ValueId>& params = m_.blocks[regions[0]].params;
    if (params.size() != operands_.size())
      return "the body's parameters and the initial values differ in number";
    for (size_t i = 0; i < params.size(); ++i) {
      if (m_.type_of(params[i]) != Type(i)) return "an initial value of another type";
    }
    return {};
  }

  Text CheckSwitch() const {
    if (operands_.size() != 1 || !IsIndex(Type(0))) return "the selector is neither i32 nor u32";
    if (inst_.imm >= m_.switches.size()) return "a switch without cases";
    const std::vector<SwitchCase>& cases = m_.switches[SwitchId(inst_.imm)];
    if (cases.size() != m_.regions(id_).size()) return "cases and regions differ in number";
    size_t defaults = 0;
    std::unordered_set<uint32_t> seen;
    for (const SwitchCase& c : cases) {
      defaults += c.is_default ? 1 : 0;
      for (const uint32_t s : c.selectors) {
        if (!seen.insert(s).second) return "a selector twice";
      }
    }
    return defaults == 1 ? Text() : "needs exactly one default case";
  }

  Text CheckLanes() const {
    const size_t operands = inst_.op == Op::kLaneMask ? 0 : 1;
    if (!Counts(operands, 1) || ResultType() != t_.Bool()) return "wrong number of operands or results";
    return operands == 0 || Type(0) == t_.Bool() ? Text() : "not of bool";
  }

  const Module& m_;
  const TypeTable& t_;
  FunctionId function_;
  InstId id_;
  const Inst& inst_;
  std::span<const ValueId> operands_;
  std::span<const ValueId> results_;
};

}  // namespace

std::string CheckInst(const Module& module, FunctionId function, InstId inst) {
  return InstChecker(module, function, inst).Check();
}

}  // namespace lockstep::ir
