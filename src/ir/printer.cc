// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// The text form, described in docs/ir.md. Names come from Module::name_of, made unique within their function
// by a suffix in order of appearance (%k, %k.1, %k.2), so that printing what was parsed gives the same text;
// values without a name are numbered in order of appearance. Only constructs that some jump has to name carry
// a label.
#include "ir/printer.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <iterator>
#include <unordered_map>
#include <vector>

#include "abi/observe.h"
#include "support/check.h"
#include "support/half.h"

namespace lockstep::ir {
namespace {

std::string Sanitized(std::string_view name) {
  std::string clean;
  for (const char c : name) {
    const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '_' || static_cast<unsigned char>(c) >= 0x80;
    clean += word ? c : '_';
  }
  if (!clean.empty() && clean[0] >= '0' && clean[0] <= '9') clean.insert(clean.begin(), '_');
  return clean;
}

// Gives each name once: %k, %k.1, %k.2 ...
class UniqueNames {
 public:
  std::string Take(std::string_view wanted) {
    std::string name = Sanitized(wanted);
    if (name.empty()) return fmt::format("{}", unnamed_++);
    const uint32_t count = taken_[name]++;
    return count == 0 ? name : fmt::format("{}.{}", name, count);
  }

 private:
  std::unordered_map<std::string, uint32_t> taken_;
  uint32_t unnamed_ = 0;
};

class Printer {
 public:
  Printer(const Module& module, const PrintNotes& notes)
      : m_(module), notes_(notes), texts_(module.value_count()) {
    UniqueNames variables;
    for (uint32_t i = 0; i < m_.variables.size(); ++i) {
      texts_[m_.variable_value(VariableId(i)).index] =
          fmt::format("${}", variables.Take(m_.variables[VariableId(i)].name));
    }
    UniqueNames functions;
    for (const Function& f : m_.functions)
      function_names_.push_back(fmt::format("@{}", functions.Take(f.name)));
  }

  std::string PrintModule() {
    for (uint32_t i = 0; i < m_.types.size(); ++i) PrintStruct(m_.types[TypeId(i)]);
    for (uint32_t i = 0; i < m_.variables.size(); ++i) PrintVariable(VariableId(i));
    for (uint32_t i = 0; i < m_.functions.size(); ++i) PrintFunction(FunctionId(i));
    return std::move(out_);
  }

  std::string PrintOne(FunctionId id) {
    PrintFunction(id);
    return std::move(out_);
  }

 private:
  template <typename... Args>
  void Write(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }

  std::string TypeText(TypeId id) const { return m_.types.ToString(id); }

  // --- module scope ---

  void PrintStruct(const Type& type) {
    if (type.kind != TypeKind::kStruct) return;
    Write("struct {} size {} align {} {{\n", type.name, type.size, type.align);
    for (const Member& m : type.members) Write("  {} : {} at {}\n", m.name, TypeText(m.type), m.offset);
    Write("}}\n\n");
  }

  void PrintVariable(VariableId id) {
    const Variable& v = m_.variables[id];
    Write("var {} : {} {} {}", texts_[m_.variable_value(id).index], AddressSpaceName(v.space),
          AccessName(v.access), TypeText(v.type));
    if (v.is_buffer() || v.is_texture()) Write(" group {} binding {}", v.group, v.binding);
    if (v.initializer.has_value()) Write(" = {}", ValueText(v.initializer));
    Write("\n");
  }

  void PrintFunction(FunctionId id) {
    const Function& f = m_.functions[id];
    names_ = UniqueNames();
    labels_.clear();
    label_names_ = UniqueNames();
    FindLabels(f.body, 0);
    Write("{}fn {}(", out_.empty() ? "" : "\n", function_names_[id.index]);
    for (size_t i = 0; i < f.params.size(); ++i) {
      Write("{}{} : {}", i == 0 ? "" : ", ", Define(f.params[i]), TypeText(m_.type_of(f.params[i])));
    }
    Write(")");
    if (f.result.has_value() && f.result != m_.types.Void()) Write(" : {}", TypeText(f.result));
    if (id == m_.entry) PrintStage();
    Write(" {{\n");
    PrintParamNotes(f.params, 1);
    PrintBlock(f.body, 1);
    Write("}}\n");
  }

  void PrintStage() {
    if (m_.stage != Stage::kCompute) Write(" {}", StageText(m_.stage));
    if (m_.stage != Stage::kCompute && m_.invocations() == 1) return;
    Write(" workgroup_size({}, {}, {})", m_.workgroup_size[0], m_.workgroup_size[1], m_.workgroup_size[2]);
  }

  // Constructs that a jump names: it is not the innermost one (for `continue`, the innermost loop).
  void FindLabels(BlockId block, uint32_t depth) {
    if (depth > kMaxRegionDepth) return;
    for (const InstId id : m_.blocks[block].insts) {
      const Inst& inst = m_.insts[id];
      if (inst.op == Op::kExit && (stack_.empty() || stack_.back().index != inst.imm)) labels_[inst.imm] = "";
      if (inst.op == Op::kContinue && InnermostLoop().index != inst.imm) labels_[inst.imm] = "";
      if (m_.regions(id).empty()) continue;
      stack_.push_back(id);
      for (const BlockId region : m_.regions(id)) FindLabels(region, depth + 1);
      stack_.pop_back();
    }
  }

  InstId InnermostLoop() const {
    for (size_t i = stack_.size(); i-- > 0;) {
      if (m_.insts[stack_[i]].op == Op::kLoop) return stack_[i];
    }
    return InstId::None();
  }

  // --- values ---

  const std::string& Define(ValueId id) {
    return texts_[id.index] = fmt::format("%{}", names_.Take(m_.name_of(id)));
  }

  std::string ValueText(ValueId id) const {
    if (!id.has_value() || id.index >= texts_.size()) return "%none";
    if (m_.is_constant(id)) return ConstantText(id);
    // A value that was not defined before: the module is malformed, but still prints.
    return texts_[id.index].empty() ? fmt::format("%undefined_{}", id.index) : texts_[id.index];
  }

  std::string ConstantText(ValueId id) const {
    const Constant& c = m_.constant(id);
    switch (m_.types[c.type].kind) {
      case TypeKind::kBool:
        return c.bits != 0 ? "true" : "false";
      case TypeKind::kI32:
        return fmt::format("{}i", static_cast<int32_t>(c.bits));
      case TypeKind::kU32:
        return fmt::format("{}u", c.bits);
      case TypeKind::kF32: {
        const float v = std::bit_cast<float>(c.bits);
        return std::isfinite(v) ? fmt::format("{}f", v) : fmt::format("f32(0x{:08x})", c.bits);
      }
      case TypeKind::kF16: {
        const float v = HalfValue(c.bits);
        return std::isfinite(v) ? fmt::format("{}h", v) : fmt::format("f16(0x{:04x})", c.bits);
      }
      case TypeKind::kVoid:
      case TypeKind::kVector:
      case TypeKind::kMatrix:
      case TypeKind::kArray:
      case TypeKind::kRuntimeArray:
      case TypeKind::kStruct:
      case TypeKind::kAtomic:
      case TypeKind::kPointer:
      case TypeKind::kTexture:
        break;
    }
    std::string text = TypeText(c.type) + "(";
    for (size_t i = 0; i < c.parts.size(); ++i)
      text += fmt::format("{}{}", i == 0 ? "" : ", ", ConstantText(c.parts[i]));
    return text + ")";
  }

  void PrintOperands(std::span<const ValueId> operands) {
    for (size_t i = 0; i < operands.size(); ++i) Write("{}{}", i == 0 ? " " : ", ", ValueText(operands[i]));
  }

  void PrintTypes(std::span<const ValueId> results) {
    for (size_t i = 0; i < results.size(); ++i)
      Write("{}{}", i == 0 ? " : " : ", ", TypeText(m_.type_of(results[i])));
  }

  // --- instructions ---

  void Indent(uint32_t depth) { out_.append(2 * std::min<uint32_t>(depth, 40), ' '); }

  void PrintParamNotes(const std::vector<ValueId>& params, uint32_t depth) {
    if (!notes_.param) return;
    for (const ValueId param : params) {
      const std::string note = notes_.param(param);
      if (note.empty()) continue;
      Indent(depth);
      Write("// {} {}\n", ValueText(param), note);
    }
  }

  void PrintBlock(BlockId block, uint32_t depth) {
    if (depth > kMaxRegionDepth) return;
    for (const InstId inst : m_.blocks[block].insts) PrintInst(inst, depth);
  }

  void PrintInst(InstId id, uint32_t depth) {
    Indent(depth);
    const Inst& inst = m_.insts[id];
    const auto results = m_.results(id);
    // Results come before the parameters and values of regions in the order of names.
    for (size_t i = 0; i < results.size(); ++i) Write("{}{}", i == 0 ? "" : ", ", Define(results[i]));
    if (!results.empty()) Write(" = ");
    Write("{}", OpText(inst.op));
    if (IsExit(inst.op)) {
      PrintTarget(inst);
    } else if (KindOf(inst.op) == OpKind::kControl) {
      PrintControl(id, depth);
      return;
    } else {
      PrintImmediate(id);
    }
    PrintOperands(m_.operands(id));
    PrintTypes(results);
    PrintInstNote(id);
    Write("\n");
  }

  void PrintInstNote(InstId id) {
    if (!notes_.inst) return;
    const std::string note = notes_.inst(id);
    if (!note.empty()) Write("  // {}", note);
  }

  void PrintTarget(const Inst& inst) {
    const bool named = inst.op == Op::kExit ? stack_.empty() || stack_.back().index != inst.imm
                                            : inst.op == Op::kContinue && InnermostLoop().index != inst.imm;
    if (!named) return;
    const auto it = labels_.find(inst.imm);
    Write(" @{}", it == labels_.end() || it->second.empty() ? "undefined" : it->second);
  }

  void PrintImmediate(InstId id) {
    const Inst& inst = m_.insts[id];
    const bool numbered = inst.op == Op::kExtract || inst.op == Op::kInsert || inst.op == Op::kWatch ||
                          inst.op == Op::kWatchBounds;
    if (numbered) {
      Write(" {}", inst.imm);
    } else if (inst.op == Op::kSwizzle) {
      Write(" ");
      for (uint32_t i = 0; i < m_.types.Width(m_.type_of(m_.result(id))); ++i)
        Write("{}", "xyzw"[(inst.imm >> (2 * i)) & 3]);
    } else if (inst.op == Op::kBuiltinInput) {
      Write(" {}", BuiltinText(static_cast<Builtin>(inst.imm)));
    } else if (inst.op == Op::kTextureNumber) {
      Write(" {}", TextureNumberText(static_cast<abi::TextureNumber>(inst.imm)));
    } else if (inst.op == Op::kStageInput) {
      const StageInput input = UnpackInput(inst.imm);
      Write(" {} {} {}", input.location, InterpolationText(input.interpolation),
            SamplingText(input.sampling));
    } else if (inst.op == Op::kStageOutput) {
      const StageOutput output = UnpackOutput(inst.imm);
      if (output.value != abi::StageValue::kLocation)
        Write(" {}", BuiltinOutputText(output.value));
      else if (output.blend_src != 0)
        Write(" {} blend_src {}", output.location, output.blend_src);
      else
        Write(" {}", output.location);
    } else if (inst.op == Op::kAtomicRmw) {
      Write(" {}", AtomicOpText(static_cast<AtomicOp>(inst.imm)));
    } else if (inst.op == Op::kBarrier || inst.op == Op::kWatchBarrier) {
      if ((inst.imm & abi::kBarrierWorkgroup) != 0) Write(" workgroup");
      if ((inst.imm & abi::kBarrierStorage) != 0) Write(" storage");
      if ((inst.imm & abi::kBarrierTexture) != 0) Write(" texture");
    } else if (inst.op == Op::kCall) {
      Write(" {}", inst.imm < function_names_.size() ? function_names_[inst.imm] : "@undefined");
    }
  }

  void PrintControl(InstId id, uint32_t depth) {
    const Inst& inst = m_.insts[id];
    const auto label = labels_.find(id.index);
    if (label != labels_.end()) {
      label->second = label_names_.Take(OpText(inst.op));
      Write(" @{}", label->second);
    }
    stack_.push_back(id);
    if (inst.op == Op::kLoop) {
      PrintLoop(id, depth);
    } else if (inst.op == Op::kIf) {
      PrintIf(id, depth);
    } else {
      PrintSwitch(id, depth);
    }
    stack_.pop_back();
    Indent(depth);
    Write("}}\n");
  }

  void OpenRegion(InstId id) {
    PrintTypes(m_.results(id));
    Write(" {{");
    PrintInstNote(id);
    Write("\n");
  }

  void PrintIf(InstId id, uint32_t depth) {
    PrintOperands(m_.operands(id));
    OpenRegion(id);
    const auto regions = m_.regions(id);
    for (size_t i = 0; i < regions.size(); ++i) {
      if (i != 0) {
        Indent(depth);
        Write("}} else {{\n");
      }
      PrintBlock(regions[i], depth + 1);
    }
  }

  void PrintLoop(InstId id, uint32_t depth) {
    const auto operands = m_.operands(id);
    const BlockId body = m_.regions(id)[0];
    const std::vector<ValueId>& params = m_.blocks[body].params;
    if (!params.empty()) {
      Write(" (");
      for (size_t i = 0; i < params.size(); ++i) {
        const std::string initial = i < operands.size() ? ValueText(operands[i]) : "%none";
        Write("{}{} = {}", i == 0 ? "" : ", ", Define(params[i]), initial);
      }
      Write(")");
    }
    OpenRegion(id);
    PrintParamNotes(params, depth + 1);
    PrintBlock(body, depth + 1);
    const BlockId continuing = m_.regions(id)[1];
    Indent(depth);
    Write("}} continuing");
    const std::vector<ValueId>& passed = m_.blocks[continuing].params;
    for (size_t i = 0; i < passed.size(); ++i) {
      Write("{}{} : {}", i == 0 ? " (" : ", ", Define(passed[i]), TypeText(m_.type_of(passed[i])));
    }
    out_ += passed.empty() ? " {\n" : ") {\n";
    PrintParamNotes(passed, depth + 1);
    PrintBlock(continuing, depth + 1);
  }

  void PrintSwitch(InstId id, uint32_t depth) {
    PrintOperands(m_.operands(id));
    OpenRegion(id);
    const bool is_signed = m_.types.IsSigned(m_.type_of(m_.operands(id)[0]));
    const auto regions = m_.regions(id);
    const std::vector<SwitchCase>& cases = m_.switches[SwitchId(m_.insts[id].imm)];
    for (size_t i = 0; i < regions.size() && i < cases.size(); ++i) {
      Indent(depth + 1);
      Write("case");
      const char* separator = " ";
      for (const uint32_t bits : cases[i].selectors) {
        Write("{}{}", separator,
              is_signed ? fmt::format("{}i", static_cast<int32_t>(bits)) : fmt::format("{}u", bits));
        separator = ", ";
      }
      if (cases[i].is_default) Write("{}default", separator);
      Write(" {{\n");
      PrintBlock(regions[i], depth + 2);
      Indent(depth + 1);
      Write("}}\n");
    }
  }

  const Module& m_;
  const PrintNotes& notes_;
  std::string out_;
  std::vector<std::string> texts_;  // by value, once it is defined
  std::vector<std::string> function_names_;
  UniqueNames names_;
  UniqueNames label_names_;
  std::unordered_map<uint32_t, std::string> labels_;  // by InstId; set when the construct is printed
  std::vector<InstId> stack_;                         // constructs around the current place
};

}  // namespace

std::string Print(const Module& module) { return Printer(module, {}).PrintModule(); }
std::string Print(const Module& module, FunctionId function) {
  return Printer(module, {}).PrintOne(function);
}
std::string Print(const Module& module, const PrintNotes& notes) {
  return Printer(module, notes).PrintModule();
}

}  // namespace lockstep::ir
