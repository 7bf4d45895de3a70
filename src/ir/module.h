// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// A Module: typed SSA with structured control flow. One module holds one entry point with everything it
// reaches, overrides already replaced by constants.
//
//   fn @main() workgroup_size(64, 1, 1) {
//     %l = builtin local_invocation_index : u32
//     %c = lt %l, 5u : bool
//     %r = if %c : u32 {                    // an If with one result
//       %p = access $bins, %l : ptr<workgroup, read_write, u32>
//       %v = load %p : u32
//       exit %v                             // ends the region: leaves its If with the result
//     } else {
//       exit 0u
//     }
//     loop @loop (%k = 0u) {                // body block with one parameter
//       %done = ge %k, 16u : bool
//       if %done { exit @loop } else { exit } // exits may leave several constructs at once
//       continue
//     } continuing {
//       %k2 = add %k, 1u : u32
//       next %k2                            // the back edge; gives the body's parameters
//     }
//     return
//   }
//
// Regions are blocks: a list of instructions that ends with one Exit-kind instruction, and nothing after it.
// Block parameters take the place of phi nodes. Scope: a value may be used by later instructions of its block
// and in regions nested in them. The continuing block additionally sees its own parameters, and the values of
// the body block (not of regions nested in it) that stand before every `continue` of the loop: to keep this
// simple, only the body's parameters and the continuing block's own parameters are allowed; pass the rest by
// `continue`.
//   If      results = operands of the `exit`s that target it. A region that never reaches its end has no exit
//   to it. Loop    operands -> body's parameters; `continue` -> continuing's parameters; `next` -> body's
//   parameters;
//           `exit` to the loop gives its results. No exit: an endless loop, what follows it is unreachable.
//   Switch  as If; every switch has a default case.
// `Exit`, `Continue` and `Next` keep their target's InstId in `imm`.
//
// Values: results of instructions, block parameters, function parameters, constants (interned) and
// module-scope variables (pointers, textures). A ValueId says all; ValueDef says what it is.
//
// Aggregates as values have at most kMaxValueScalars scalars; larger ones stay in memory (`var`, `copy`).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/ids.h"
#include "ir/op.h"
#include "ir/type.h"
#include "support/source.h"
#include "support/store.h"

namespace lockstep::ir {

inline constexpr uint32_t kMaxValueScalars = 64;
// Regions nest at most that deep, so that passes may recurse over them. Lowering stays far below it (WGSL
// nests statements 127 and expressions 512 deep), the text parser and inlining stop at it.
inline constexpr uint32_t kMaxRegionDepth = 2000;

enum class ValueKind : uint8_t { kResult, kBlockParam, kFunctionParam, kConstant, kVariable };

struct Value {
  TypeId type;
  ValueKind kind = ValueKind::kResult;
  uint8_t unused = 0;
  uint16_t number = 0;  // which result or parameter
  uint32_t owner = 0;   // InstId, BlockId, FunctionId, index of the constant, VariableId: by kind
};
static_assert(sizeof(Value) == 12);

// A constant's value. Scalars hold their bits (bool 0 or 1; f32 its IEEE bits). A composite holds one
// constant a part; `parts` empty with a composite type means zero throughout.
struct Constant {
  TypeId type;
  uint32_t bits = 0;
  std::vector<ValueId> parts;
};

struct Inst {
  Op op = Op::kUnreachable;
  uint32_t imm = 0;  // by op: see op.def
  ListRef<ValueId> operands;
  ListRef<ValueId> results;
  ListRef<BlockId> blocks;
};
static_assert(sizeof(Inst) == 32);

struct Block {
  std::vector<ValueId> params;
  std::vector<InstId> insts;  // the last one is an Exit-kind instruction
};

struct SwitchCase {
  std::vector<uint32_t> selectors;  // bits of the selector's type
  bool is_default = false;
};

struct Function {
  std::string name;
  std::vector<ValueId> params;
  TypeId result;  // void for none
  BlockId body;
  Span span;
};

// A module-scope variable. Its value, Module::variable_value, is a pointer; of a texture, the texture.
struct Variable {
  std::string name;
  TypeId type;  // what is stored
  AddressSpace space = AddressSpace::kPrivate;
  Access access = Access::kReadWrite;
  uint32_t group = 0, binding = 0;        // storage, uniform, handle
  ValueId initializer = ValueId::None();  // private: a constant, or None for zero
  Span span;

  bool is_buffer() const { return space == AddressSpace::kStorage || space == AddressSpace::kUniform; }
  bool is_texture() const { return space == AddressSpace::kHandle; }
};

class Module {
 public:
  // --- the entry point ---
  FunctionId entry = FunctionId::None();
  Stage stage = Stage::kCompute;
  // Of vertices and fragments (1, 1, 1) until transform/stage_io makes a kernel of the module.
  std::array<uint32_t, 3> workgroup_size = {1, 1, 1};

  TypeTable types;
  Store<FunctionId, Function> functions;
  Store<VariableId, Variable> variables;
  Store<InstId, Inst> insts;
  Store<BlockId, Block> blocks;
  Store<SwitchId, std::vector<SwitchCase>> switches;  // a row a block of the switch

  uint32_t invocations() const { return workgroup_size[0] * workgroup_size[1] * workgroup_size[2]; }

  // --- values ---
  const Value& value(ValueId id) const { return values_[id]; }
  uint32_t value_count() const { return values_.size(); }
  TypeId type_of(ValueId id) const { return values_[id].type; }
  bool is_constant(ValueId id) const { return values_[id].kind == ValueKind::kConstant; }
  const Constant& constant(ValueId id) const;
  // The instruction that a kResult value comes from, None for other kinds.
  InstId defining_inst(ValueId id) const;
  // Names are for people: they are printed and reported, never looked up by passes.
  std::string_view name_of(ValueId id) const;
  void set_name(ValueId id, std::string name);

  ValueId ConstantBits(TypeId scalar, uint32_t bits);  // interned
  ValueId ConstantU32(uint32_t v) { return ConstantBits(types.U32(), v); }
  ValueId ConstantI32(int32_t v) { return ConstantBits(types.I32(), static_cast<uint32_t>(v)); }
  ValueId ConstantF32(float v);
  ValueId ConstantBool(bool v) { return ConstantBits(types.Bool(), v ? 1 : 0); }
  ValueId ConstantComposite(TypeId type, std::vector<ValueId> parts);  // zero throughout becomes ConstantZero
  ValueId ConstantZero(TypeId type);                                   // any type that can be a value
  // The part of a constant composite.
  ValueId ConstantPart(ValueId composite, uint32_t part);
  // The bits of a scalar constant; false where `id` is none.
  bool ConstantScalar(ValueId id, uint32_t* bits) const;

  ValueId variable_value(VariableId id) const { return variable_values_[id.index]; }
  VariableId AddVariable(Variable variable);
  // Drops the functions that `keep` (a flag each) does not hold, and renumbers the others.
  void KeepFunctions(const std::vector<bool>& keep);
  ValueId AddFunctionParam(FunctionId function, TypeId type);
  ValueId AddBlockParam(BlockId block, TypeId type);
  BlockId AddBlock() { return blocks.Add({}); }

  // --- instructions ---
  // Makes an instruction that stands nowhere yet; results get the given types.
  InstId MakeInst(Op op, std::span<const ValueId> operands, std::span<const TypeId> result_types,
                  uint32_t imm = 0, std::span<const BlockId> regions = {}, Span span = {});
  std::span<const ValueId> operands(InstId id) const { return value_lists_[insts[id].operands]; }
  std::span<ValueId> operands(InstId id) {
    return value_lists_[insts[id].operands];
  }  // may be written in place
  std::span<const ValueId> results(InstId id) const { return value_lists_[insts[id].results]; }
  std::span<const BlockId> regions(InstId id) const { return block_lists_[insts[id].blocks]; }
  ValueId result(InstId id, uint32_t i = 0) const { return results(id)[i]; }
  void SetRegions(InstId id, std::span<const BlockId> regions) {
    insts[id].blocks = block_lists_.Add(regions);
  }
  void SetOperands(InstId id, std::span<const ValueId> operands);
  void AddResult(InstId id, TypeId type);  // one more result at the end
  void AddResults(InstId id, std::span<const TypeId> types);
  // Replaces the list of results by existing values (a pass that drops results); their `number`s are renewed.
  void SetResults(InstId id, std::span<const ValueId> results);
  Span span(InstId id) const { return spans_.Get(id); }
  void set_span(InstId id, Span span) { spans_.Set(id, span); }
  // Of what a copy reads, where span() is what it writes; lost where a pass makes another copy of it.
  Span read_span(InstId id) const {
    const Span span = read_spans_.Get(id);
    return span.end != 0 ? span : spans_.Get(id);
  }
  void set_read_span(InstId id, Span span) { read_spans_.Set(id, span); }

  // Makes the receivers of a block (its parameters) existing ones, a pass that drops some; their `number`s
  // are renewed.
  void SetBlockParams(BlockId id, std::vector<ValueId> params);

  InstId terminator(BlockId id) const { return blocks[id].insts.back(); }

 private:
  ValueId AddValue(TypeId type, ValueKind kind, uint32_t number, uint32_t owner);

  Store<ValueId, Value> values_;
  std::vector<Constant> constants_;
  std::unordered_map<std::string, ValueId> interned_constants_;  // by type and content
  std::vector<ValueId> variable_values_;
  ListStore<ValueId> value_lists_;
  ListStore<BlockId> block_lists_;
  SideTable<InstId, Span> spans_, read_spans_;
  std::unordered_map<ValueId, std::string, IdHash> names_;
};

// Calls visit(InstId) on every instruction of `block` and of the regions in it, in order, parents before
// children.
template <typename Visit>
void ForEachInst(const Module& module, BlockId block, const Visit& visit) {
  for (size_t i = 0; i < module.blocks[block].insts.size(); ++i) {
    const InstId inst = module.blocks[block].insts[i];
    visit(inst);
    for (size_t b = 0; b < module.regions(inst).size(); ++b)
      ForEachInst(module, module.regions(inst)[b], visit);
  }
}

}  // namespace lockstep::ir
