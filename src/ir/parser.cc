// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <charconv>

#include "ir/printer.h"
#include "ir/text_parser.h"
#include "support/half.h"

namespace lockstep::ir {
namespace {

// "%k.1" is a second "k".
std::string BaseName(std::string_view name) {
  const std::string_view base = name.substr(0, name.find('.'));
  if (!base.empty() && base[0] >= '0' && base[0] <= '9') return {};
  return std::string(base);
}

template <typename T>
bool ParseWhole(std::string_view text, T* v, int base) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *v, base);
  return error == std::errc() && end == text.data() + text.size();
}

bool ParseUnsigned(std::string_view text, uint32_t* v) {
  if (text.substr(0, 2) == "0x") return ParseWhole(text.substr(2), v, 16);
  return ParseWhole(text, v, 10);
}

template <typename T>
bool ParseFloat(std::string_view text, T* v) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *v);
  return error == std::errc() && end == text.data() + text.size();
}

bool IsMatrixWord(std::string_view w) {
  return w.size() == 6 && w.substr(0, 3) == "mat" && w[3] >= '2' && w[3] <= '4' && w[4] == 'x' &&
         w[5] >= '2' && w[5] <= '4';
}

bool IsVectorWord(std::string_view w) {
  return w.size() == 4 && w.substr(0, 3) == "vec" && w[3] >= '2' && w[3] <= '4';
}

}  // namespace

Result<Module> Parse(std::string_view text) { return TextParser(text).Run(); }

bool TextParser::FailAt(uint32_t line, std::string message) {
  if (error_.empty()) error_ = fmt::format("line {}: {}", line, message);
  pos_ = tokens_.size() - 1;  // nothing more to read
  return false;
}

bool TextParser::Expect(std::string_view text) {
  if (Accept(text)) return true;
  return Fail("expected '{}' before '{}'", text, Peek().text.substr(0, 40));
}

Result<Module> TextParser::Run() {
  FindFunctions();
  while (ok() && Peek().kind != TokenKind::kEnd) {
    if (Accept("struct")) {
      ParseStruct();
    } else if (Accept("var")) {
      ParseVariable();
    } else if (Accept("fn")) {
      ParseFunction();
    } else {
      Fail("expected 'struct', 'var' or 'fn' before '{}'", Peek().text.substr(0, 40));
    }
  }
  if (!ok()) return Failure{FailureKind::kUsage, error_};
  return std::move(m_);
}

// Calls may come before the function that they call.
void TextParser::FindFunctions() {
  uint32_t depth = 0;
  for (size_t i = 0; i + 1 < tokens_.size(); ++i) {
    const Token& token = tokens_[i];
    if (token.text == "{") ++depth;
    if (token.text == "}" && depth > 0) --depth;
    if (depth != 0 || token.text != "fn" || tokens_[i + 1].kind != TokenKind::kLabel) continue;
    Function function;
    function.name = BaseName(tokens_[i + 1].text);
    function.result = m_.types.Void();
    function.body = m_.AddBlock();
    const FunctionId id = m_.functions.Add(std::move(function));
    if (!functions_.emplace(tokens_[i + 1].text, id).second) {
      FailAt(token.line, fmt::format("a second function '@{}'", tokens_[i + 1].text));
      return;
    }
  }
}

// struct NAME size N align N { NAME : TYPE at OFFSET ... }
void TextParser::ParseStruct() {
  const Token name = Take();
  uint32_t size = 0;
  uint32_t align = 0;
  if (name.kind != TokenKind::kWord) Fail("expected a struct's name");
  if (!Expect("size") || !ParseUint(&size) || !Expect("align") || !ParseUint(&align) || !Expect("{")) return;
  std::vector<Member> members;
  while (ok() && !Accept("}")) {
    const Token member = Take();
    if (member.kind != TokenKind::kWord || members.size() >= kMaxList) {
      Fail("expected a member's name");
      return;
    }
    Member m;
    m.name = std::string(member.text);
    if (!Expect(":")) return;
    m.type = ParseType();
    if (!ok() || !Expect("at") || !ParseUint(&m.offset)) return;
    members.push_back(std::move(m));
  }
  if (!ok()) return;
  const TypeId id = CheckDepth(m_.types.Struct(std::string(name.text), std::move(members), size, align));
  if (ok() && !structs_.emplace(name.text, id).second) Fail("a second struct '{}'", name.text);
}

// var $NAME : SPACE ACCESS TYPE [group N binding N] [= CONSTANT]
void TextParser::ParseVariable() {
  const Token name = Take();
  if (name.kind != TokenKind::kVariable) {
    Fail("expected a variable's name");
    return;
  }
  Variable v;
  v.name = BaseName(name.text);
  if (!Expect(":") || !ParseAddressSpace(&v.space) || !ParseAccess(&v.access)) return;
  v.type = ParseType();
  if (ok() && Accept("group") && (!ParseUint(&v.group) || !Expect("binding") || !ParseUint(&v.binding)))
    return;
  if (ok() && Accept("=")) v.initializer = ParseConstant();
  if (!ok()) return;
  const ValueId pointer = m_.variable_value(m_.AddVariable(std::move(v)));
  if (!variables_.emplace(name.text, pointer).second) Fail("a second variable '${}'", name.text);
}

// fn @NAME(%A : TYPE, ...) [: TYPE] [STAGE] [workgroup_size(X, Y, Z)] { ... }
void TextParser::ParseFunction() {
  const auto known = functions_.find(Take().text);
  if (known == functions_.end()) {
    Fail("expected a function's name");
    return;
  }
  const FunctionId id = known->second;
  values_.clear();
  if (!Expect("(")) return;
  while (ok() && !Accept(")")) {
    const Token param = Take();
    if (param.kind != TokenKind::kValue || m_.functions[id].params.size() >= kMaxList)
      Fail("expected a parameter");
    if (!Expect(":")) return;
    const TypeId type = ParseType();
    if (!ok()) return;
    Define(param.text, m_.AddFunctionParam(id, type));
    if (!At(")") && !Expect(",")) return;
  }
  if (Accept(":")) m_.functions[id].result = ParseType();
  if (const std::optional<Stage> stage = StageFromText(Peek().text);
      ok() && stage.value_or(Stage::kCompute) != Stage::kCompute) {
    Take();
    m_.entry = id;
    m_.stage = *stage;
  }
  if (ok() && Accept("workgroup_size")) {
    m_.entry = id;
    if (!ParseWorkgroupSize()) return;
  }
  if (ok() && Expect("{")) ParseBlock(m_.functions[id].body, 0);
}

bool TextParser::ParseWorkgroupSize() {
  auto& size = m_.workgroup_size;
  return Expect("(") && ParseUint(&size[0]) && Expect(",") && ParseUint(&size[1]) && Expect(",") &&
         ParseUint(&size[2]) && Expect(")");
}

bool TextParser::ParseUint(uint32_t* v) {
  if (Peek().kind != TokenKind::kNumber || !ParseUnsigned(Peek().text, v))
    return Fail("expected a whole number");
  Take();
  return true;
}

bool TextParser::ParseAddressSpace(AddressSpace* space) {
  for (const AddressSpace s : {AddressSpace::kFunction, AddressSpace::kPrivate, AddressSpace::kWorkgroup,
                               AddressSpace::kUniform, AddressSpace::kStorage, AddressSpace::kHandle}) {
    *space = s;
    if (Accept(AddressSpaceName(s))) return true;
  }
  return Fail("expected an address space");
}

bool TextParser::ParseAccess(Access* access) {
  for (const Access a : {Access::kRead, Access::kWrite, Access::kReadWrite}) {
    *access = a;
    if (Accept(AccessName(a))) return true;
  }
  return Fail("expected an access mode");
}

// --- types ---

TypeId TextParser::CheckDepth(TypeId type) {
  if (m_.types.Depth(type) > kMaxTypeDepth) Fail("types nest deeper than {}", kMaxTypeDepth);
  return type;
}

TypeId TextParser::ParseType() {
  const Token word = Peek();
  if (word.kind != TokenKind::kWord) {
    Fail("expected a type before '{}'", word.text.substr(0, 40));
    return m_.types.Void();
  }
  Take();
  return ParseNamedType(word);
}

// NAME [<SCALAR>]: those that are sampled say what texels have.
TypeId TextParser::ParseTexture(const Token& word) {
  TypeTable& t = m_.types;
  for (int c = 0; c <= static_cast<int>(TextureClass::kStorage); ++c) {
    for (int d = 0; d <= static_cast<int>(TextureDimension::kCubeArray); ++d) {
      const auto texture_class = static_cast<TextureClass>(c);
      const auto dimension = static_cast<TextureDimension>(d);
      if (TextureName(texture_class, dimension) != word.text) continue;
      if (texture_class == TextureClass::kStorage) return t.Texture(texture_class, dimension, TypeId::None());
      if (texture_class == TextureClass::kDepth || texture_class == TextureClass::kDepthMultisampled)
        return t.Texture(texture_class, dimension, t.F32());
      if (!Expect("<")) return t.Void();
      const Token scalar = Take();
      if (scalar.text != "f32" && scalar.text != "i32" && scalar.text != "u32")
        Fail("expected f32, i32 or u32");
      const TypeId element = ok() ? ParseNamedType(scalar) : t.Void();
      if (ok()) Expect(">");
      return ok() ? t.Texture(texture_class, dimension, element) : t.Void();
    }
  }
  FailAt(word.line, fmt::format("unknown type '{}'", word.text.substr(0, 40)));
  return t.Void();
}

TypeId TextParser::ParseNamedType(const Token& word) {
  TypeTable& t = m_.types;
  const std::string_view w = word.text;
  if (w == "bool") return t.Bool();
  if (w == "i32") return t.I32();
  if (w == "u32") return t.U32();
  if (w == "f32") return t.F32();
  if (w == "f16") return t.F16();
  if (w == "void") return t.Void();
  if (w == "array") return ParseArray();
  const bool composite = IsVectorWord(w) || IsMatrixWord(w);
  if (composite || w == "atomic") {
    if (!Expect("<")) return t.Void();
    // Only scalars stand in these: no recursion.
    const Token scalar_word = Take();
    const TypeId scalar = scalar_word.text == "array" || scalar_word.text == "ptr" ||
                                  IsVectorWord(scalar_word.text) || IsMatrixWord(scalar_word.text) ||
                                  scalar_word.text == "atomic"
                              ? t.Void()
                              : ParseNamedType(scalar_word);
    if (!ok() || !Expect(">")) return t.Void();
    if (!t.IsScalar(scalar)) {
      Fail("expected a scalar type");
      return t.Void();
    }
    if (w == "atomic") return t.Atomic(scalar);
    if (IsVectorWord(w)) return t.Vector(scalar, static_cast<uint32_t>(w[3] - '0'));
    return t.Matrix(t.Vector(scalar, static_cast<uint32_t>(w[5] - '0')), static_cast<uint32_t>(w[3] - '0'));
  }
  if (w == "ptr") {
    AddressSpace space;
    Access access;
    if (!Expect("<") || !ParseAddressSpace(&space) || !Expect(",") || !ParseAccess(&access) || !Expect(",")) {
      return t.Void();
    }
    if (At("ptr")) {
      Fail("a pointer to a pointer");
      return t.Void();
    }
    const TypeId pointee = ParseType();
    if (!ok() || !Expect(">")) return t.Void();
    return t.Pointer(space, access, pointee);
  }
  const auto it = structs_.find(w);
  if (it != structs_.end()) return it->second;
  if (w.starts_with("texture_")) return ParseTexture(word);
  FailAt(word.line, fmt::format("unknown type '{}'", w.substr(0, 40)));
  return t.Void();
}

// array<ELEMENT [, COUNT] [, stride N]>, after the word. Element types are gathered in a loop: `array<` may
// repeat for as long as the text likes.
TypeId TextParser::ParseArray() {
  TypeTable& t = m_.types;
  uint32_t depth = 1;
  if (!Expect("<")) return t.Void();
  while (ok() && At("array")) {
    Take();
    if (++depth > kMaxTypeDepth) Fail("types nest deeper than {}", kMaxTypeDepth);
    if (!Expect("<")) return t.Void();
  }
  if (At("ptr")) Fail("an array of pointers");
  TypeId type = ok() ? ParseType() : t.Void();
  for (; ok() && depth > 0; --depth) {
    uint32_t count = 0;
    uint32_t align = t[type].align;
    uint32_t stride = static_cast<uint32_t>(
        std::min<uint64_t>((uint64_t{t[type].size} + align - 1) / std::max(align, 1u) * align, 0xffffffffu));
    bool sized = false;
    if (At(",") && Peek(1).kind == TokenKind::kNumber) {
      Take();
      sized = true;
      if (!ParseUint(&count)) return t.Void();
    }
    if (Accept(",") && (!Expect("stride") || !ParseUint(&stride))) return t.Void();
    if (!ok() || !Expect(">")) return t.Void();
    if (sized && count == 0) {
      Fail("an array of no elements");
      return t.Void();
    }
    type = CheckDepth(sized ? t.Array(type, count, stride) : t.RuntimeArray(type, stride));
  }
  return type;
}

// --- constants ---

ValueId TextParser::ParseConstant() {
  TypeTable& t = m_.types;
  if (Accept("true")) return m_.ConstantBool(true);
  if (Accept("false")) return m_.ConstantBool(false);
  if (Peek().kind == TokenKind::kNumber) return ParseNumber();
  const TypeId type = ParseType();
  if (!ok() || !Expect("(")) return ValueId::None();
  if (type == t.F32() || type == t.F16()) return ParseBits(type);
  if (t.PartCount(type) == 0 || t.HasRuntimeArray(type)) {
    Fail("no constants of type {}", t.ToString(type));
    return ValueId::None();
  }
  return ParseComposite(type);
}

// f32(0x7fc00000): what has no decimal form.
ValueId TextParser::ParseBits(TypeId type) {
  uint32_t bits = 0;
  if (!ParseUint(&bits) || !Expect(")")) return ValueId::None();
  return m_.ConstantBits(type, bits);
}

ValueId TextParser::ParseComposite(TypeId type) {
  TypeTable& t = m_.types;
  if (Accept(")")) return m_.ConstantZero(type);
  if (constant_depth_ >= kMaxTypeDepth) {
    Fail("constants nest deeper than {}", kMaxTypeDepth);
    return ValueId::None();
  }
  std::vector<ValueId> parts;
  do {
    ++constant_depth_;
    const ValueId part = ParseConstant();
    --constant_depth_;
    if (!ok()) return ValueId::None();
    if (parts.size() >= t.PartCount(type) ||
        m_.type_of(part) != t.PartType(type, static_cast<uint32_t>(parts.size()))) {
      Fail("a part that does not fit {}", t.ToString(type));
      return ValueId::None();
    }
    parts.push_back(part);
  } while (Accept(","));
  if (!Expect(")")) return ValueId::None();
  if (parts.size() != t.PartCount(type)) {
    Fail("too few parts for {}", t.ToString(type));
    return ValueId::None();
  }
  return m_.ConstantComposite(type, std::move(parts));
}

ValueId TextParser::ParseNumber() {
  const Token token = Take();
  const std::string_view digits = token.text.substr(0, token.text.size() - 1);
  const char suffix = token.text.back();
  uint32_t u = 0;
  int32_t i = 0;
  float f = 0;
  double d = 0;
  if (suffix == 'u' && ParseUnsigned(digits, &u)) return m_.ConstantU32(u);
  if (suffix == 'i' && ParseWhole(digits, &i, 10)) return m_.ConstantI32(i);
  if (suffix == 'f' && ParseFloat(digits, &f)) return m_.ConstantF32(f);
  if (suffix == 'h' && ParseFloat(digits, &d)) return m_.ConstantBits(m_.types.F16(), HalfBits(d));
  FailAt(token.line, fmt::format("malformed number '{}'", token.text.substr(0, 40)));
  return ValueId::None();
}

// --- names ---

void TextParser::Define(std::string_view name, ValueId value) {
  if (!values_.emplace(name, value).second) {
    Fail("a second value '%{}'", name.substr(0, 40));
    return;
  }
  m_.set_name(value, BaseName(name));
}

}  // namespace lockstep::ir
