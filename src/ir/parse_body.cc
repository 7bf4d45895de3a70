// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Instructions of the text form: [%A, %B =] OP [IMMEDIATE] [OPERANDS] [: TYPES], and the regions of control
// ones. Operands stand on the line of their instruction.
#include "abi/observe.h"
#include "ir/text_parser.h"

namespace lockstep::ir {

void TextParser::ParseBlock(BlockId block, uint32_t depth) {
  if (depth > kMaxRegionDepth) Fail("regions nest deeper than {}", kMaxRegionDepth);
  while (ok() && !Accept("}")) ParseInst(block, depth);
}

void TextParser::ParseInst(BlockId block, uint32_t depth) {
  std::vector<std::string_view> names;
  if (Peek().kind == TokenKind::kValue) {
    do {
      if (Peek().kind != TokenKind::kValue || names.size() >= kMaxList) Fail("expected a value's name");
      names.push_back(Take().text);
    } while (ok() && Accept(","));
    if (!ok() || !Expect("=")) return;
  }
  const Token word = Peek();
  const std::optional<Op> op = OpFromText(word.text);
  if (word.kind != TokenKind::kWord || !op.has_value()) {
    Fail("unknown operation '{}'", word.text.substr(0, 40));
    return;
  }
  Take();
  if (KindOf(*op) == OpKind::kControl) {
    ParseControl(*op, block, names, depth);
    return;
  }
  uint32_t imm = 0;
  std::vector<ValueId> operands;
  std::vector<TypeId> types;
  if (IsExit(*op) ? !ParseTarget(*op, &imm) : !ParseImmediate(*op, &imm)) return;
  if (!ParseOperands(word.line, &operands) || !ParseResultTypes(names.size(), &types)) return;
  const InstId inst = m_.MakeInst(*op, operands, types, imm);
  m_.blocks[block].insts.push_back(inst);
  DefineResults(names, inst);
}

// --- control ---

void TextParser::ParseControl(Op op, BlockId block, const std::vector<std::string_view>& names,
                              uint32_t depth) {
  const uint32_t line = Peek().line;
  Construct construct;
  construct.is_loop = op == Op::kLoop;
  if (Peek().kind == TokenKind::kLabel) construct.label = Take().text;
  std::vector<ValueId> operands;
  std::vector<TypeId> types;
  const BlockId body = m_.AddBlock();
  if (op == Op::kLoop ? !ParseLoopParams(body, &operands) : !ParseOperands(line, &operands)) return;
  if (!ParseResultTypes(names.size(), &types) || !Expect("{")) return;
  construct.inst = m_.MakeInst(op, operands, types);
  m_.blocks[block].insts.push_back(construct.inst);
  DefineResults(names, construct.inst);
  constructs_.push_back(construct);
  if (op == Op::kLoop) {
    ParseLoop(construct.inst, body, depth);
  } else if (op == Op::kIf) {
    ParseIf(construct.inst, depth);
  } else {
    ParseSwitch(construct.inst, depth);
  }
  constructs_.pop_back();
}

void TextParser::ParseIf(InstId inst, uint32_t depth) {
  const BlockId regions[] = {m_.AddBlock(), m_.AddBlock()};
  m_.SetRegions(inst, regions);
  ParseBlock(regions[0], depth + 1);
  if (ok() && Expect("else") && Expect("{")) ParseBlock(regions[1], depth + 1);
}

// (%A = VALUE, ...)
bool TextParser::ParseLoopParams(BlockId body, std::vector<ValueId>* initial) {
  if (!Accept("(")) return true;
  do {
    if (Peek().kind != TokenKind::kValue || initial->size() >= kMaxList) return Fail("expected a parameter");
    const Token name = Take();
    if (!Expect("=")) return false;
    const ValueId value = ParseOperand();
    if (!ok()) return false;
    initial->push_back(value);
    Define(name.text, m_.AddBlockParam(body, m_.type_of(value)));
  } while (ok() && Accept(","));
  return ok() && Expect(")");
}

void TextParser::ParseLoop(InstId inst, BlockId body, uint32_t depth) {
  const BlockId regions[] = {body, m_.AddBlock()};
  m_.SetRegions(inst, regions);
  ParseBlock(body, depth + 1);
  if (!ok() || !Expect("continuing")) return;
  if (Accept("(")) {
    do {
      if (Peek().kind != TokenKind::kValue || m_.blocks[regions[1]].params.size() >= kMaxList) {
        Fail("expected a parameter");
        return;
      }
      const Token name = Take();
      if (!Expect(":")) return;
      const TypeId type = ParseType();
      if (ok()) Define(name.text, m_.AddBlockParam(regions[1], type));
    } while (ok() && Accept(","));
    if (!ok() || !Expect(")")) return;
  }
  if (Expect("{")) ParseBlock(regions[1], depth + 1);
}

void TextParser::ParseSwitch(InstId inst, uint32_t depth) {
  std::vector<SwitchCase> rows;
  std::vector<BlockId> regions;
  while (ok() && !Accept("}")) {
    SwitchCase row;
    if (!Expect("case") || !ParseCase(&row) || !Expect("{")) return;
    rows.push_back(std::move(row));
    regions.push_back(m_.AddBlock());
    ParseBlock(regions.back(), depth + 1);
  }
  m_.SetRegions(inst, regions);
  m_.insts[inst].imm = m_.switches.Add(std::move(rows)).index;
}

bool TextParser::ParseCase(SwitchCase* row) {
  do {
    if (Accept("default")) {
      row->is_default = true;
      continue;
    }
    uint32_t bits = 0;
    const ValueId selector = ParseConstant();
    if (!ok()) return false;
    if (!m_.ConstantScalar(selector, &bits)) return Fail("expected a case's selector");
    row->selectors.push_back(bits);
  } while (Accept(","));
  return ok();
}

// --- parts of an instruction ---

// The construct that a jump names, or the innermost one: of any kind for `exit`, a loop for the others.
bool TextParser::ParseTarget(Op op, uint32_t* imm) {
  if (op == Op::kReturn || op == Op::kUnreachable) return true;
  const bool labelled = Peek().kind == TokenKind::kLabel;
  const std::string_view label = labelled ? Take().text : std::string_view();
  for (size_t i = constructs_.size(); i-- > 0;) {
    const Construct& c = constructs_[i];
    if (labelled ? c.label != label : op != Op::kExit && !c.is_loop) continue;
    *imm = c.inst.index;
    return true;
  }
  return FailAt(LastLine(), fmt::format("no construct around '{}' to go to", OpText(op)));
}

bool TextParser::ParseImmediate(Op op, uint32_t* imm) {
  if (op == Op::kExtract || op == Op::kInsert || op == Op::kWatch || op == Op::kWatchBounds) {
    return ParseUint(imm);
  }
  if (op == Op::kSwizzle) return ParseSwizzle(imm);
  if (op == Op::kBuiltinInput) {
    const std::optional<Builtin> builtin = BuiltinFromText(Peek().text);
    if (!builtin.has_value()) return Fail("expected a builtin's name");
    *imm = static_cast<uint32_t>(*builtin);
    Take();
  } else if (op == Op::kTextureNumber) {
    const std::optional<abi::TextureNumber> number = TextureNumberFromText(Peek().text);
    if (!number.has_value()) return Fail("expected a number of textures");
    *imm = static_cast<uint32_t>(*number);
    Take();
  } else if (op == Op::kStageInput) {
    return ParseInput(imm);
  } else if (op == Op::kStageOutput) {
    return ParseOutput(imm);
  } else if (op == Op::kAtomicRmw) {
    const std::optional<AtomicOp> atomic = AtomicOpFromText(Peek().text);
    if (!atomic.has_value()) return Fail("expected an atomic operation");
    *imm = static_cast<uint32_t>(*atomic);
    Take();
  } else if (op == Op::kBarrier || op == Op::kWatchBarrier) {
    while (true) {
      if (Accept("workgroup"))
        *imm |= abi::kBarrierWorkgroup;
      else if (Accept("storage"))
        *imm |= abi::kBarrierStorage;
      else if (Accept("texture"))
        *imm |= abi::kBarrierTexture;
      else
        break;
    }
  } else if (op == Op::kCall) {
    const auto it = Peek().kind == TokenKind::kLabel ? functions_.find(Peek().text) : functions_.end();
    if (it == functions_.end()) return Fail("unknown function '{}'", Peek().text.substr(0, 40));
    *imm = it->second.index;
    Take();
  }
  return true;
}

bool TextParser::ParseLocation(uint32_t* location) {
  if (!ParseUint(location)) return false;
  return *location < kMaxLocations || Fail("a location of at least {}", kMaxLocations);
}

// LOCATION INTERPOLATION SAMPLING
bool TextParser::ParseInput(uint32_t* imm) {
  StageInput input;
  if (!ParseLocation(&input.location)) return false;
  const std::optional<abi::Interpolation> interpolation = InterpolationFromText(Take().text);
  const std::optional<abi::Sampling> sampling = SamplingFromText(Take().text);
  if (!interpolation || !sampling) return Fail("expected how the input is interpolated and sampled");
  input.interpolation = *interpolation;
  input.sampling = *sampling;
  *imm = Pack(input);
  return true;
}

// LOCATION [blend_src N], or the name of a built-in value
bool TextParser::ParseOutput(uint32_t* imm) {
  StageOutput output;
  if (const std::optional<abi::StageValue> value = BuiltinOutputFromText(Peek().text)) {
    Take();
    output.value = *value;
  } else if (!ParseLocation(&output.location) || (Accept("blend_src") && !ParseUint(&output.blend_src))) {
    return false;
  }
  if (output.blend_src > 1) return Fail("a blend_src other than 0 and 1");
  *imm = Pack(output);
  return true;
}

bool TextParser::ParseSwizzle(uint32_t* imm) {
  const std::string_view text = Peek().text;
  if (text.size() < 2 || text.size() > 4) return Fail("expected two to four of xyzw");
  for (size_t i = 0; i < text.size(); ++i) {
    const size_t component = std::string_view("xyzw").find(text[i]);
    if (component == std::string_view::npos) return Fail("expected two to four of xyzw");
    *imm |= static_cast<uint32_t>(component) << (2 * i);
  }
  Take();
  return true;
}

bool TextParser::AtOperand() const {
  const Token& token = Peek();
  return token.kind == TokenKind::kValue || token.kind == TokenKind::kVariable ||
         token.kind == TokenKind::kNumber || (token.kind == TokenKind::kWord && token.text != "else");
}

bool TextParser::ParseOperands(uint32_t line, std::vector<ValueId>* operands) {
  if (Peek().line != line || !AtOperand()) return ok();
  do {
    if (operands->size() >= kMaxList) return Fail("too many operands");
    operands->push_back(ParseOperand());
  } while (ok() && Accept(","));
  return ok();
}

ValueId TextParser::ParseOperand() {
  const Token token = Peek();
  if (token.kind != TokenKind::kValue && token.kind != TokenKind::kVariable) return ParseConstant();
  const auto& table = token.kind == TokenKind::kValue ? values_ : variables_;
  const auto it = table.find(token.text);
  if (it == table.end()) {
    Fail("unknown value '{}{}'", token.kind == TokenKind::kValue ? '%' : '$', token.text.substr(0, 40));
    return ValueId::None();
  }
  Take();
  return it->second;
}

bool TextParser::ParseResultTypes(size_t count, std::vector<TypeId>* types) {
  if (Accept(":")) {
    do {
      types->push_back(ParseType());
    } while (ok() && types->size() < kMaxList && Accept(","));
  }
  if (ok() && types->size() != count)
    return FailAt(LastLine(), fmt::format("{} results and {} types of results", count, types->size()));
  return ok();
}

void TextParser::DefineResults(const std::vector<std::string_view>& names, InstId inst) {
  for (size_t i = 0; ok() && i < names.size(); ++i)
    Define(names[i], m_.result(inst, static_cast<uint32_t>(i)));
}

}  // namespace lockstep::ir
