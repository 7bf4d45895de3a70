// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// One walk over each function in order of the text. `in_scope_` says which values the place at hand may use:
// a block adds what it defines and takes it back at its end, so that a use outside of the scope, or before
// the definition, is seen at once. verify_ops.cc checks what an instruction is by itself.
#include "ir/verifier.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "ir/printer.h"
#include "ir/verify_ops.h"

namespace lockstep::ir {
namespace {

class Verifier {
 public:
  explicit Verifier(const Module& module)
      : m_(module),
        in_scope_(module.value_count(), 0),
        block_seen_(module.blocks.size(), 0),
        inst_seen_(module.insts.size(), 0) {}

  std::string Run() {
    CheckModule();
    for (uint32_t i = 0; i < m_.functions.size(); ++i) CheckFunction(FunctionId(i));
    if (report_.empty()) CheckNoRecursion();
    return std::move(report_);
  }

 private:
  // One line each; enough of them to see what is wrong.
  template <typename... Args>
  void Report(fmt::format_string<Args...> format, Args&&... args) {
    if (++reports_ > 20) return;
    if (function_.has_value()) report_ += fmt::format("@{}: ", m_.functions[function_].name);
    report_ += fmt::format(format, std::forward<Args>(args)...) + "\n";
  }

  std::string Describe(InstId id) const {
    std::string text(OpText(m_.insts[id].op));
    for (const ValueId r : m_.results(id)) text += fmt::format(" {}", NameOf(r));
    return text;
  }
  std::string NameOf(ValueId id) const {
    if (!id.has_value() || id.index >= m_.value_count()) return "%none";
    if (m_.is_constant(id)) return "constant";
    return m_.name_of(id).empty() ? fmt::format("value {}", id.index) : fmt::format("%{}", m_.name_of(id));
  }

  // --- module scope ---

  void CheckModule() {
    if (!m_.entry.has_value() || m_.entry.index >= m_.functions.size()) {
      Report("no entry point");
    } else {
      const Function& entry = m_.functions[m_.entry];
      if (!entry.params.empty() || entry.result != m_.types.Void())
        Report("the entry point has parameters or a result");
    }
    for (const uint32_t size : m_.workgroup_size) {
      if (size == 0) Report("an empty workgroup");
    }
    for (uint32_t i = 0; i < m_.types.size(); ++i) CheckLayout(TypeId(i));
    for (uint32_t i = 0; i < m_.variables.size(); ++i) CheckVariable(VariableId(i));
  }

  void CheckLayout(TypeId id) {
    const Type& t = m_.types[id];
    const auto is_texture = [&](const Member& m) { return m_.types.IsTexture(m.type); };
    if ((t.element.has_value() && m_.types.IsTexture(t.element)) ||
        std::any_of(t.members.begin(), t.members.end(), is_texture))
      Report("a texture within {}", m_.types.ToString(id));
    if (t.kind == TypeKind::kArray || t.kind == TypeKind::kRuntimeArray) {
      const Type& e = m_.types[t.element];
      if (t.stride < e.size || t.stride % e.align != 0)
        Report("stride {} does not fit {}", t.stride, m_.types.ToString(id));
      if (m_.types.HasRuntimeArray(t.element)) Report("an array of runtime arrays");
    }
    if (t.kind != TypeKind::kStruct) return;
    uint64_t end = 0;
    for (size_t i = 0; i < t.members.size(); ++i) {
      const Member& m = t.members[i];
      const Type& type = m_.types[m.type];
      if (m.offset < end || m.offset % type.align != 0 || t.align % type.align != 0) {
        Report("member {} of {} lies at offset {}", m.name, t.name, m.offset);
      }
      if (m_.types.HasRuntimeArray(m.type) && i + 1 != t.members.size())
        Report("{} has a member after {}", t.name, m.name);
      end = uint64_t{m.offset} + type.size;
    }
    if (t.members.empty() || t.size < end)
      Report("struct {} of {} bytes has members to byte {}", t.name, t.size, end);
  }

  void CheckVariable(VariableId id) {
    const Variable& v = m_.variables[id];
    if (v.space == AddressSpace::kFunction || m_.types.IsPointer(v.type) || v.type == m_.types.Void()) {
      Report("module-scope variable {} cannot be", v.name);
    }
    if (v.is_texture() != m_.types.IsTexture(v.type)) Report("a texture is a handle, unlike {}", v.name);
    if (m_.types.HasRuntimeArray(v.type) && v.space != AddressSpace::kStorage) {
      Report("runtime array outside of storage: {}", v.name);
    }
    if (!v.initializer.has_value()) return;
    const bool fits = v.space == AddressSpace::kPrivate && m_.is_constant(v.initializer) &&
                      m_.type_of(v.initializer) == v.type;
    if (!fits) Report("variable {} has an initializer that does not fit", v.name);
  }

  // --- bodies ---

  void CheckFunction(FunctionId id) {
    function_ = id;
    const Function& f = m_.functions[id];
    for (const ValueId p : f.params) {
      if (m_.value(p).kind != ValueKind::kFunctionParam || m_.value(p).owner != id.index)
        Report("a parameter of another function");
      in_scope_[p.index] = 1;
    }
    if (!f.body.has_value() || f.body.index >= m_.blocks.size()) {
      Report("no body");
    } else {
      if (!m_.blocks[f.body].params.empty()) Report("the body has parameters");
      CheckBlock(f.body, InstId::None(), 0);
    }
    for (const ValueId p : f.params) in_scope_[p.index] = 0;
    function_ = FunctionId::None();
  }

  // `owner` is the construct that the block is a region of.
  void CheckBlock(BlockId id, InstId owner, uint32_t depth) {
    if (depth > kMaxRegionDepth) return Report("regions nest deeper than {}", kMaxRegionDepth);
    if (block_seen_[id.index]++ != 0) return Report("a block stands in two places");
    const Block& block = m_.blocks[id];
    for (const ValueId p : block.params) {
      if (m_.value(p).kind != ValueKind::kBlockParam || m_.value(p).owner != id.index)
        Report("a parameter of another block");
      in_scope_[p.index] = 1;
    }
    if (block.insts.empty() || !IsExit(m_.insts[block.insts.back()].op))
      Report("a block without a jump at its end");
    for (size_t i = 0; i < block.insts.size(); ++i) {
      const InstId inst = block.insts[i];
      if (inst.index >= m_.insts.size() || inst_seen_[inst.index]++ != 0) {
        Report("an instruction stands in two places");
        continue;
      }
      if (i + 1 != block.insts.size() && IsExit(m_.insts[inst].op))
        Report("{} before the end of its block", Describe(inst));
      VisitInst(inst, id, owner, depth);
    }
    for (const InstId inst : block.insts) {
      if (inst.index >= m_.insts.size()) continue;
      for (const ValueId r : m_.results(inst)) in_scope_[r.index] = 0;
    }
    // A body's parameters reach into the continuing block; CheckLoop takes them back.
    if (IsLoopBody(id, owner)) return;
    for (const ValueId p : block.params) in_scope_[p.index] = 0;
  }

  bool IsLoopBody(BlockId id, InstId owner) const {
    return owner.has_value() && m_.insts[owner].op == Op::kLoop && m_.regions(owner)[0] == id;
  }

  void VisitInst(InstId id, BlockId block, InstId owner, uint32_t depth) {
    for (const ValueId v : m_.operands(id)) {
      if (!IsVisible(v)) return Report("{}: {} is not defined here", Describe(id), NameOf(v));
    }
    for (const ValueId v : m_.results(id)) {
      if (m_.value(v).kind != ValueKind::kResult || m_.value(v).owner != id.index)
        Report("{}: result of another instruction", Describe(id));
    }
    const std::string wrong = CheckInst(m_, function_, id);
    if (!wrong.empty()) return Report("{}: {}", Describe(id), wrong);
    if (IsExit(m_.insts[id].op)) CheckJump(id, block, owner);
    CheckRegions(id, depth);
    for (const ValueId v : m_.results(id)) in_scope_[v.index] = 1;
  }

  bool IsVisible(ValueId id) const {
    if (!id.has_value() || id.index >= m_.value_count()) return false;
    const ValueKind kind = m_.value(id).kind;
    return kind == ValueKind::kConstant || kind == ValueKind::kVariable || in_scope_[id.index] != 0;
  }

  void CheckRegions(InstId id, uint32_t depth) {
    const auto regions = m_.regions(id);
    if (regions.empty()) return;
    const bool loop = m_.insts[id].op == Op::kLoop;
    for (size_t i = 0; i < regions.size(); ++i) {
      constructs_.push_back({id, loop && i == 1});
      CheckBlock(regions[i], id, depth + 1);
      constructs_.pop_back();
    }
    if (!loop) return;
    for (const ValueId p : m_.blocks[regions[0]].params) in_scope_[p.index] = 0;
  }

  // --- jumps ---

  struct Construct {
    InstId inst;
    bool in_continuing = false;
  };

  const Construct* FindTarget(uint32_t imm) const {
    for (size_t i = constructs_.size(); i-- > 0;) {
      if (constructs_[i].inst.index == imm) return &constructs_[i];
    }
    return nullptr;
  }

  void CheckJump(InstId id, BlockId block, InstId owner) {
    const Inst& inst = m_.insts[id];
    const auto operands = m_.operands(id);
    if (inst.op == Op::kUnreachable) {
      if (!operands.empty()) Report("unreachable with operands");
      return;
    }
    if (inst.op == Op::kReturn) {
      const TypeId result = m_.functions[function_].result;
      const bool fits = result == m_.types.Void() ? operands.empty()
                                                  : operands.size() == 1 && m_.type_of(operands[0]) == result;
      if (!fits) Report("return of another type than the function's");
      return;
    }
    const Construct* target = FindTarget(inst.imm);
    if (target == nullptr) return Report("{} to a construct that is not around it", Describe(id));
    if (inst.op == Op::kExit) return CheckPassed(id, m_.results(target->inst));
    if (m_.insts[target->inst].op != Op::kLoop) return Report("{} to what is no loop", Describe(id));
    const auto regions = m_.regions(target->inst);
    if (inst.op == Op::kNext) {
      if (owner != target->inst || block != regions[1]) return Report("next inside of the continuing block");
      return CheckPassed(id, m_.blocks[regions[0]].params);
    }
    if (target->in_continuing) return Report("continue in the loop's continuing block");
    CheckPassed(id, m_.blocks[regions[1]].params);
  }

  void CheckPassed(InstId id, std::span<const ValueId> receivers) {
    const auto operands = m_.operands(id);
    if (operands.size() != receivers.size()) {
      return Report("{} passes {} values to {}", Describe(id), operands.size(), receivers.size());
    }
    for (size_t i = 0; i < operands.size(); ++i) {
      if (m_.type_of(operands[i]) != m_.type_of(receivers[i]))
        Report("{} passes a value of another type", Describe(id));
    }
  }

  // --- calls ---

  // Functions are coloured as a depth-first walk with its own stack goes over the calls.
  void CheckNoRecursion() {
    std::vector<std::vector<uint32_t>> callees(m_.functions.size());
    for (uint32_t i = 0; i < m_.functions.size(); ++i) {
      ForEachInst(m_, m_.functions[FunctionId(i)].body, [&](InstId id) {
        if (m_.insts[id].op == Op::kCall) callees[i].push_back(m_.insts[id].imm);
      });
    }
    std::vector<uint8_t> state(callees.size(), 0);  // 1: on the stack, 2: done
    std::vector<std::pair<uint32_t, size_t>> stack;
    for (uint32_t root = 0; root < callees.size(); ++root) {
      if (state[root] != 0) continue;
      state[root] = 1;
      stack.emplace_back(root, 0);
      while (!stack.empty()) {
        const uint32_t f = stack.back().first;
        if (stack.back().second == callees[f].size()) {
          state[f] = 2;
          stack.pop_back();
          continue;
        }
        const uint32_t callee = callees[f][stack.back().second++];
        if (state[callee] == 1) return Report("@{} calls itself", m_.functions[FunctionId(callee)].name);
        if (state[callee] == 0) {
          state[callee] = 1;
          stack.emplace_back(callee, 0);
        }
      }
    }
  }

  const Module& m_;
  std::vector<uint8_t> in_scope_;    // by value
  std::vector<uint8_t> block_seen_;  // by block
  std::vector<uint8_t> inst_seen_;   // by instruction
  std::vector<Construct> constructs_;
  FunctionId function_ = FunctionId::None();
  std::string report_;
  uint32_t reports_ = 0;
};

}  // namespace

std::string Verify(const Module& module) { return Verifier(module).Run(); }

}  // namespace lockstep::ir
