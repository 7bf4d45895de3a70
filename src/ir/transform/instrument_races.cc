// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "ir/transform/instrument_races.h"

#include <unordered_map>
#include <utility>

#include "ir/builder.h"
#include "support/check.h"

namespace lockstep::ir {
namespace {

using abi::AccessKind;

constexpr uint32_t kMaxValues = 16;  // words of a write whose values are told

// Where a pointer means to point, beside the pointer.
struct Shadow {
  ValueId root;       // u32, of WatchTable::roots
  ValueId offset;     // u32, words from the variable's start; of a vector's component: the vector's
  ValueId in_range;   // bool; None: always
  ValueId index;      // the first index that is out of range, where one is
  ValueId length;     // and what it should be below (abi::kSignedIndex)
  ValueId component;  // u32, of the vector at `offset`; None: no component
};

class State {
 public:
  State(Module& module, const InstrumentOptions& options) : m_(module), options_(options) {}

  WatchTable Run() {
    for (uint32_t i = 0; i < m_.variables.size(); ++i) {
      const Variable& variable = m_.variables[VariableId(i)];
      // Without a place it is no variable of the program's own: a large constant.
      const std::string name = variable.span.end == 0 ? std::string() : variable.name;
      AddRoot(m_.variable_value(VariableId(i)), {name, variable.space, variable.type});
    }
    for (uint32_t i = 0; i < m_.functions.size(); ++i) AddParams(FunctionId(i));
    for (uint32_t i = 0; i < m_.functions.size(); ++i) VisitBlock(m_.functions[FunctionId(i)].body);
    return std::move(table_);
  }

 private:
  void AddRoot(ValueId pointer, WatchRoot root) {
    const auto number = static_cast<uint32_t>(table_.roots.size());
    table_.roots.push_back(std::move(root));
    Shadow shadow;
    shadow.root = m_.ConstantU32(number);
    shadow.offset = m_.ConstantU32(0);
    shadows_[pointer] = shadow;
  }

  // (root, offset, in range, index, length) for each pointer, behind the function's own parameters.
  void AddParams(FunctionId function) {
    const std::vector<ValueId> params = m_.functions[function].params;
    for (const ValueId param : params) {
      if (!m_.types.IsPointer(m_.type_of(param))) continue;
      Shadow shadow;
      shadow.root = m_.AddFunctionParam(function, m_.types.U32());
      shadow.offset = m_.AddFunctionParam(function, m_.types.U32());
      shadow.in_range = m_.AddFunctionParam(function, m_.types.Bool());
      shadow.index = m_.AddFunctionParam(function, m_.types.U32());
      shadow.length = m_.AddFunctionParam(function, m_.types.U32());
      shadows_[param] = shadow;
    }
  }

  void VisitBlock(BlockId block) {
    const std::vector<InstId> old = std::move(m_.blocks[block].insts);
    m_.blocks[block].insts.clear();
    for (const InstId id : old) {
      Builder b(&m_, block);
      b.set_span(m_.span(id));
      Before(id, b);
      m_.blocks[block].insts.push_back(id);
      After(id, b);
      if (m_.insts[id].op == Op::kLoop) {
        VisitLoop(id);
      } else {
        for (size_t r = 0; r < m_.regions(id).size(); ++r) VisitBlock(m_.regions(id)[r]);
      }
    }
  }

  // Counts the rounds of a loop where details are asked for.
  void VisitLoop(InstId loop) {
    if (options_.details) {
      const BlockId body = m_.regions(loop)[0];
      AppendOperand(loop, m_.ConstantU32(0));
      loops_.push_back({m_.span(loop), m_.AddBlockParam(body, m_.types.U32())});
    }
    for (size_t r = 0; r < 2; ++r) VisitBlock(m_.regions(loop)[r]);
    if (!options_.details) return;
    const BlockId continuing = m_.regions(loop)[1];
    const InstId next = m_.terminator(continuing);
    if (m_.insts[next].op == Op::kNext) {
      m_.blocks[continuing].insts.pop_back();
      Builder b(&m_, continuing);
      AppendOperand(next, b.Add(loops_.back().round, b.U32(1)));
      m_.blocks[continuing].insts.push_back(next);
    }
    loops_.pop_back();
  }

  void AppendOperand(InstId id, ValueId value) {
    std::vector<ValueId> operands(m_.operands(id).begin(), m_.operands(id).end());
    operands.push_back(value);
    m_.SetOperands(id, operands);
  }

  // --- events, by operation ---

  void Before(InstId id, Builder& b) {
    const Op op = m_.insts[id].op;
    const ValueId first = m_.operands(id).empty() ? ValueId::None() : m_.operands(id)[0];
    if (op == Op::kLoad) Access(b, first, AccessKind::kRead);
    if (op == Op::kStore) Access(b, first, AccessKind::kWrite, m_.operands(id)[1]);
    if (op == Op::kZeroFill) Access(b, first, AccessKind::kWrite);
    if (op == Op::kCopy) {
      b.set_span(m_.read_span(id));
      Access(b, m_.operands(id)[1], AccessKind::kRead);
      b.set_span(m_.span(id));
      Access(b, first, AccessKind::kWrite);
    }
    if (op == Op::kAtomicLoad) Access(b, first, AccessKind::kAtomicRead);
    if (op == Op::kAtomicStore) Access(b, first, AccessKind::kAtomicWrite, m_.operands(id)[1]);
    if (op == Op::kUniformLoad) {
      b.Append(Op::kWatchBarrier, {}, {}, abi::kBarrierWorkgroup);
      const bool atomic = m_.types[m_.types.Pointee(m_.type_of(first))].kind == TypeKind::kAtomic;
      Access(b, first, atomic ? AccessKind::kAtomicRead : AccessKind::kRead);
    }
    if (op == Op::kCall) AddArguments(id);
  }

  void After(InstId id, Builder& b) {
    const Op op = m_.insts[id].op;
    if (op == Op::kVar) {
      const TypeId type = m_.types.Pointee(m_.type_of(m_.result(id)));
      AddRoot(m_.result(id), {std::string(m_.name_of(m_.result(id))), AddressSpace::kFunction, type});
    }
    if (op == Op::kAccess) shadows_[m_.result(id)] = Follow(id, b);
    if (op == Op::kBarrier) b.Append(Op::kWatchBarrier, {}, {}, m_.insts[id].imm);
    if (op == Op::kUniformLoad) b.Append(Op::kWatchBarrier, {}, {}, abi::kBarrierWorkgroup);
    if (op == Op::kAtomicRmw) {
      const ValueId value = options_.details ? ValueAfter(id, b) : ValueId::None();
      Access(b, m_.operands(id)[0], AccessKind::kAtomicRmw, value);
    }
    if (op == Op::kAtomicCompareExchange) {  // one that fails is a read
      const ValueId pointer = m_.operands(id)[0];
      const ValueId exchanged = m_.result(id, 1);
      const ValueId replacement = m_.operands(id)[2];
      TellBounds(b, pointer, NewSite(b, AccessKind::kAtomicRmw));
      Tell(b, pointer, AccessKind::kAtomicRmw, replacement, exchanged);
      Tell(b, pointer, AccessKind::kAtomicRead, ValueId::None(), b.Not(exchanged));
    }
  }

  void AddArguments(InstId call) {
    std::vector<ValueId> operands(m_.operands(call).begin(), m_.operands(call).end());
    const size_t count = operands.size();
    for (size_t i = 0; i < count; ++i) {
      if (!m_.types.IsPointer(m_.type_of(operands[i]))) continue;
      const Shadow& shadow = shadows_.at(operands[i]);
      const bool always = !shadow.in_range.has_value();
      const ValueId zero = m_.ConstantU32(0);
      operands.insert(operands.end(),
                      {shadow.root, shadow.offset, always ? m_.ConstantBool(true) : shadow.in_range,
                       always ? zero : shadow.index, always ? zero : shadow.length});
    }
    m_.SetOperands(call, operands);
  }

  ValueId ValueAfter(InstId rmw, Builder& b) {
    const ValueId old = m_.result(rmw);
    const ValueId value = m_.operands(rmw)[1];
    switch (static_cast<AtomicOp>(m_.insts[rmw].imm)) {
      case AtomicOp::kAdd:
        return b.Add(old, value);
      case AtomicOp::kSub:
        return b.Sub(old, value);
      case AtomicOp::kMax:
        return b.Max(old, value);
      case AtomicOp::kMin:
        return b.Min(old, value);
      case AtomicOp::kAnd:
        return b.And(old, value);
      case AtomicOp::kOr:
        return b.Or(old, value);
      case AtomicOp::kXor:
        return b.Xor(old, value);
      case AtomicOp::kExchange:
        return value;
    }
    UNREACHABLE("atomic operation");
  }

  // --- places ---

  Shadow Follow(InstId access, Builder& b) {
    const std::vector<ValueId> operands(m_.operands(access).begin(), m_.operands(access).end());
    Shadow s = shadows_.at(operands[0]);
    TypeId type = m_.types.Pointee(m_.type_of(operands[0]));
    for (size_t i = 1; i < operands.size(); ++i) {
      const Type& t = m_.types[type];
      if (t.kind == TypeKind::kStruct) {
        uint32_t part = 0;
        CHECK(m_.ConstantScalar(operands[i], &part));
        s.offset = Sum(b, s.offset, b.U32(t.members[part].offset / 4));
        type = t.members[part].type;
        continue;
      }
      const ValueId index = b.Bitcast(m_.types.U32(), operands[i]);
      CheckIndex(b, &s, operands, i, type, index);
      if (t.kind == TypeKind::kVector) {
        s.component = index;
      } else {
        s.offset = Sum(b, s.offset, Product(b, index, StrideWords(type)));
      }
      type = m_.types.PartType(type, 0);
    }
    return s;
  }

  uint32_t StrideWords(TypeId type) const {
    const Type& t = m_.types[type];
    if (t.kind == TypeKind::kArray || t.kind == TypeKind::kRuntimeArray) return t.stride / 4;
    return m_.types.PartOffset(type, 1) / 4;
  }

  // operands[i] of an access indexes a `type`.
  void CheckIndex(Builder& b, Shadow* s, const std::vector<ValueId>& operands, size_t i, TypeId type,
                  ValueId index) {
    ValueId length;
    if (m_.types[type].kind == TypeKind::kRuntimeArray) {
      const auto inner = std::span<const ValueId>(operands).subspan(1, i - 1);
      length = b.ArrayLength(inner.empty() ? operands[0] : b.Access(operands[0], inner));
    } else {
      const uint32_t count = m_.types.PartCount(type);
      uint32_t constant = 0;
      if (m_.ConstantScalar(index, &constant) && constant < count) return;
      length = b.U32(count);
    }
    const ValueId in = b.Lt(index, length);
    if (IsSigned(operands[i])) length = WithSign(b, length);
    if (!s->in_range.has_value()) {
      s->index = index;
      s->length = length;
      s->in_range = in;
      return;
    }
    s->index = b.Select(s->in_range, index, s->index);
    s->length = b.Select(s->in_range, length, s->length);
    s->in_range = b.And(s->in_range, in);
  }

  // Lowering makes every index a u32, an i32 by a bitcast.
  bool IsSigned(ValueId index) const {
    if (m_.types.IsSigned(m_.type_of(index))) return true;
    const InstId cast = m_.defining_inst(index);
    return cast.has_value() && m_.insts[cast].op == Op::kBitcast &&
           m_.types.IsSigned(m_.type_of(m_.operands(cast)[0]));
  }

  ValueId WithSign(Builder& b, ValueId length) {
    uint32_t known = 0;
    if (m_.ConstantScalar(length, &known)) return b.U32(known | abi::kSignedIndex);
    return b.Or(length, b.U32(abi::kSignedIndex));
  }

  ValueId Sum(Builder& b, ValueId x, ValueId y) {
    uint32_t a = 0, c = 0;
    const bool ka = m_.ConstantScalar(x, &a), kc = m_.ConstantScalar(y, &c);
    if (ka && kc) return b.U32(a + c);
    if (ka && a == 0) return y;
    return kc && c == 0 ? x : b.Add(x, y);
  }
  ValueId Product(Builder& b, ValueId x, uint32_t factor) {
    uint32_t a = 0;
    if (m_.ConstantScalar(x, &a)) return b.U32(a * factor);
    return factor == 1 ? x : b.Mul(x, b.U32(factor));
  }

  // --- telling ---

  void Access(Builder& b, ValueId pointer, AccessKind kind, ValueId value = ValueId::None()) {
    TellBounds(b, pointer, NewSite(b, kind));
    Tell(b, pointer, kind, value, ValueId::None());
  }

  uint32_t NewSite(const Builder& b, AccessKind kind) {
    WatchSite site;
    site.span = b.span();
    site.kind = kind;
    table_.sites.push_back(std::move(site));
    return static_cast<uint32_t>(table_.sites.size()) - 1;
  }

  void TellBounds(Builder& b, ValueId pointer, uint32_t site) {
    const Shadow& s = shadows_.at(pointer);
    if (!s.in_range.has_value()) return;
    const ValueId operands[] = {s.root, s.index, s.length, b.Not(s.in_range)};
    b.Append(Op::kWatchBounds, operands, {}, site);
  }

  bool IsWatched(ValueId pointer) const {
    const Type& type = m_.types[m_.type_of(pointer)];
    return type.space == AddressSpace::kWorkgroup ||
           (type.space == AddressSpace::kStorage && type.access != ir::Access::kRead);
  }

  void Tell(Builder& b, ValueId pointer, AccessKind kind, ValueId value, ValueId guard) {
    if (!IsWatched(pointer)) return;
    const Shadow& s = shadows_.at(pointer);
    const uint32_t site = NewSite(b, kind);
    const bool whole_vector = s.component.has_value() && abi::Writes(kind);
    const TypeId type = m_.types.Pointee(m_.type_of(pointer));
    const uint32_t words = whole_vector ? VectorWords(pointer) : (m_.types[type].size + 3) / 4;
    const bool component_read = s.component.has_value() && !whole_vector;
    ValueId in = s.in_range.has_value() ? s.in_range : b.Bool(true);
    if (guard.has_value()) in = s.in_range.has_value() ? b.And(in, guard) : guard;
    std::vector<ValueId> operands = {b.U32(abi::PackAccess(kind, words)), s.root,
                                     component_read ? Sum(b, s.offset, s.component) : s.offset, in};
    if (options_.details) {
      AddValues(b, site, whole_vector ? s.component : ValueId::None(), value, &operands);
      for (const Loop& loop : loops_) {
        operands.push_back(loop.round);
        table_.sites[site].loops.push_back(loop.span);
      }
    }
    b.Append(Op::kWatch, operands, {}, site);
  }

  // The width of the vector that `pointer`, to a component, points into.
  uint32_t VectorWords(ValueId pointer) const {
    const InstId access = m_.defining_inst(pointer);
    TypeId type = m_.types.Pointee(m_.type_of(m_.operands(access)[0]));
    for (size_t i = 1; i + 1 < m_.operands(access).size(); ++i) {
      uint32_t part = 0;
      const bool is_struct = m_.types[type].kind == TypeKind::kStruct;
      if (is_struct) m_.ConstantScalar(m_.operands(access)[i], &part);
      type = m_.types.PartType(type, part);
    }
    return m_.types.Width(type);
  }

  void AddValues(Builder& b, uint32_t site, ValueId component, ValueId value,
                 std::vector<ValueId>* operands) {
    if (!value.has_value()) return;
    if (component.has_value()) {
      table_.sites[site].component = true;
      operands->push_back(component);
    }
    std::vector<uint32_t> words;
    AddWords(b, value, 0, &words, operands);
    table_.sites[site].value_words = std::move(words);
  }

  void AddWords(Builder& b, ValueId value, uint32_t offset, std::vector<uint32_t>* words,
                std::vector<ValueId>* operands) {
    const TypeId type = m_.type_of(value);
    if (words->size() >= kMaxValues) return;
    if (m_.types.IsScalar(type)) {
      const bool is_bool = m_.types.IsBool(type);
      operands->push_back(is_bool ? b.Select(value, b.U32(1), b.U32(0)) : b.Bitcast(m_.types.U32(), value));
      words->push_back(offset);
      return;
    }
    for (uint32_t i = 0; i < m_.types.PartCount(type); ++i) {
      AddWords(b, b.Extract(value, i), offset + m_.types.PartOffset(type, i) / 4, words, operands);
    }
  }

  struct Loop {
    Span span;
    ValueId round;
  };

  Module& m_;
  const InstrumentOptions& options_;
  WatchTable table_;
  std::unordered_map<ValueId, Shadow, IdHash> shadows_;  // by pointer
  std::vector<Loop> loops_;
};

}  // namespace

WatchTable InstrumentRaces(Module& module, const InstrumentOptions& options) {
  return State(module, options).Run();
}

}  // namespace lockstep::ir
