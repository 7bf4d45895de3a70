// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// The parser's inside, shared by its two files: parser.cc has the module scope, types and constants,
// parse_body.cc instructions. It builds what the text says without judging it (that is the verifier's),
// except where the module could not be built at all. The first failure wins; after it every method returns at
// once.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/module.h"
#include "ir/text_lexer.h"
#include "support/result.h"

namespace lockstep::ir {

class TextParser {
 public:
  explicit TextParser(std::string_view text) : tokens_(Tokenize(text)) {}
  Result<Module> Run();

 private:
  // How long lists of operands, results and parameters may be (Value::number has 16 bits), how deep types
  // nest.
  static constexpr size_t kMaxList = 60000;
  static constexpr uint32_t kMaxTypeDepth = 64;

  // --- tokens ---
  const Token& Peek(size_t ahead = 0) const {
    return tokens_[pos_ + ahead < tokens_.size() ? pos_ + ahead : tokens_.size() - 1];
  }
  Token Take() {
    const Token token = Peek();
    if (pos_ + 1 < tokens_.size()) ++pos_;
    return token;
  }
  bool At(std::string_view text) const {
    return (Peek().kind == TokenKind::kMark || Peek().kind == TokenKind::kWord) && Peek().text == text;
  }
  bool Accept(std::string_view text) {
    if (!At(text)) return false;
    Take();
    return true;
  }
  bool Expect(std::string_view text);
  template <typename... Args>
  bool Fail(fmt::format_string<Args...> format, Args&&... args) {
    return FailAt(Peek().line, fmt::format(format, std::forward<Args>(args)...));
  }
  uint32_t LastLine() const { return tokens_[pos_ == 0 ? 0 : pos_ - 1].line; }
  bool FailAt(uint32_t line, std::string message);
  bool ok() const { return error_.empty(); }

  // --- module scope: parser.cc ---
  void FindFunctions();
  void ParseStruct();
  void ParseVariable();
  void ParseFunction();
  bool ParseAddressSpace(AddressSpace* space);
  bool ParseAccess(Access* access);
  bool ParseUint(uint32_t* v);
  bool ParseWorkgroupSize();
  TypeId ParseType();
  TypeId ParseNamedType(const Token& word);
  TypeId ParseArray();
  TypeId ParseTexture(const Token& word);
  TypeId CheckDepth(TypeId type);
  ValueId ParseConstant();
  ValueId ParseNumber();
  ValueId ParseBits(TypeId type);
  ValueId ParseComposite(TypeId type);

  // --- bodies: parse_body.cc ---
  void ParseBlock(BlockId block, uint32_t depth);  // up to and with its closing brace
  void ParseInst(BlockId block, uint32_t depth);
  void ParseControl(Op op, BlockId block, const std::vector<std::string_view>& names, uint32_t depth);
  void ParseIf(InstId inst, uint32_t depth);
  void ParseLoop(InstId inst, BlockId body, uint32_t depth);
  void ParseSwitch(InstId inst, uint32_t depth);
  bool ParseCase(SwitchCase* row);
  bool ParseLoopParams(BlockId body, std::vector<ValueId>* initial);
  bool ParseTarget(Op op, uint32_t* imm);
  bool ParseImmediate(Op op, uint32_t* imm);
  bool ParseLocation(uint32_t* location);
  bool ParseInput(uint32_t* imm);
  bool ParseOutput(uint32_t* imm);
  bool ParseSwizzle(uint32_t* imm);
  bool ParseOperands(uint32_t line, std::vector<ValueId>* operands);
  bool ParseResultTypes(size_t count, std::vector<TypeId>* types);
  ValueId ParseOperand();
  bool AtOperand() const;
  void Define(std::string_view name, ValueId value);
  void DefineResults(const std::vector<std::string_view>& names, InstId inst);

  struct Construct {
    InstId inst;
    std::string_view label;
    bool is_loop = false;
  };

  std::vector<Token> tokens_;
  size_t pos_ = 0;
  uint32_t constant_depth_ = 0;
  std::string error_;
  Module m_;
  std::unordered_map<std::string_view, TypeId> structs_;
  std::unordered_map<std::string_view, ValueId> variables_;
  std::unordered_map<std::string_view, FunctionId> functions_;
  std::unordered_map<std::string_view, ValueId> values_;  // of the function at hand
  std::vector<Construct> constructs_;                     // around the place at hand
};

}  // namespace lockstep::ir
