// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "wgsl/overload.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/check.h"

namespace lockstep::wgsl {
namespace {

// --- scalars as small numbers and sets of bits ---

// In the order in which an argument of type abstract-int prefers to become them, so that the first bit of a
// set of feasible scalars is the best one (WGSL #conversion-rank).
constexpr std::array kScalars = {TypeKind::kBool, TypeKind::kAbstractInt,   TypeKind::kI32,
                                 TypeKind::kU32,  TypeKind::kAbstractFloat, TypeKind::kF32,
                                 TypeKind::kF16};
constexpr uint8_t kBool = 1, kAbstractInt = 2, kI32 = 4, kU32 = 8, kAbstractFloat = 16, kF32 = 32, kF16 = 64;
constexpr uint8_t kAbstracts = kAbstractInt | kAbstractFloat;

uint8_t BitOf(TypeKind scalar) {
  for (size_t i = 0; i < kScalars.size(); ++i) {
    if (kScalars[i] == scalar) return static_cast<uint8_t>(1u << i);
  }
  return 0;
}

TypeId ScalarType(const TypeTable& types, TypeKind scalar) {
  switch (scalar) {
    case TypeKind::kBool:
      return types.Bool();
    case TypeKind::kI32:
      return types.I32();
    case TypeKind::kU32:
      return types.U32();
    case TypeKind::kF32:
      return types.F32();
    case TypeKind::kF16:
      return types.F16();
    case TypeKind::kAbstractInt:
      return types.AbstractInt();
    case TypeKind::kAbstractFloat:
      return types.AbstractFloat();
    case TypeKind::kVoid:
    case TypeKind::kVector:
    case TypeKind::kMatrix:
    case TypeKind::kArray:
    case TypeKind::kStruct:
    case TypeKind::kAtomic:
    case TypeKind::kPointer:
    case TypeKind::kReference:
    case TypeKind::kSampler:
    case TypeKind::kTexture:
      break;
  }
  UNREACHABLE("not a scalar");
}

// What a scalar can become.
uint8_t ReachOf(TypeKind scalar) {
  if (scalar == TypeKind::kAbstractInt) return kAbstractInt | kI32 | kU32 | kAbstractFloat | kF32 | kF16;
  if (scalar == TypeKind::kAbstractFloat) return kAbstractFloat | kF32 | kF16;
  return BitOf(scalar);
}

uint32_t ScalarRank(TypeKind from, TypeKind to) {
  if (from == to) return 0;
  if (from == TypeKind::kAbstractFloat) {
    if (to == TypeKind::kF32) return 1;
    if (to == TypeKind::kF16) return 2;
  }
  if (from == TypeKind::kAbstractInt) {
    if (to == TypeKind::kI32) return 3;
    if (to == TypeKind::kU32) return 4;
    if (to == TypeKind::kAbstractFloat) return 5;
    if (to == TypeKind::kF32) return 6;
    if (to == TypeKind::kF16) return 7;
  }
  return kNoConversion;
}

// --- reading the rows ---

struct NamedSet {
  std::string_view name;
  uint8_t set;
};
constexpr NamedSet kSets[] = {
    {"int", kAbstractInt | kI32 | kU32},
    {"iu32", kI32 | kU32},
    {"signed", kAbstracts | kI32 | kF32 | kF16},
    {"num", kAbstracts | kI32 | kU32 | kF32 | kF16},
    {"num32", kI32 | kU32 | kF32},
    {"scalar", kBool | kAbstracts | kI32 | kU32 | kF32 | kF16},
    {"float", kAbstractFloat | kF32 | kF16},
    {"f32_f16", kF32 | kF16},
};

struct NamedScalar {
  std::string_view name;
  TypeKind kind;
};
constexpr NamedScalar kScalarNames[] = {
    {"bool", TypeKind::kBool},
    {"i32", TypeKind::kI32},
    {"u32", TypeKind::kU32},
    {"f32", TypeKind::kF32},
    {"f16", TypeKind::kF16},
    {"abstract_int", TypeKind::kAbstractInt},
    {"abstract_float", TypeKind::kAbstractFloat},
};

// The texture's type names what its texels have.
bool IsSampled(const Pattern& texture) {
  const TextureClass of = TextureTypes()[static_cast<size_t>(texture.a)].texture_class;
  return of == TextureClass::kSampled || of == TextureClass::kMultisampled;
}

struct OverloadTable {
  std::vector<Pattern> patterns;
  std::vector<Overload> overloads;
  std::vector<OverloadRange> by_builtin;
  std::array<OverloadRange, 3> by_unary;
  std::array<OverloadRange, 18> by_binary;
};

// Reads one row. The rows are part of the program: a mistake in one is our bug, and a CHECK finds it at first
// use.
class RowReader {
 public:
  RowReader(OverloadTable& table, std::string_view row) : table_(table), text_(row) { out_.text = row; }

  // Adds the overload and gives the name of the builtin or operator that it belongs to.
  std::string_view Read() {
    out_.is_const = Accept("@const");
    out_.must_use = Accept("@must_use");
    if (Accept("@feature(")) {
      out_.feature = Word();
      CHECK(Accept(")"));
    }
    if (Accept("@stage(")) {
      out_.stage = Word();
      CHECK(Accept(")"));
    }
    const bool is_operator = Accept("op");
    if (!is_operator) CHECK(Accept("fn"));
    SkipSpace();
    out_.signature = text_.substr(at_);
    const std::string_view name = is_operator ? Operator() : Word();
    if (Accept("<")) ReadParams();
    if (Accept("[")) ReadList("]", out_.explicit_types);
    CHECK(Accept("("));
    ReadList(")", out_.params);
    if (Accept("->")) out_.result = ReadPattern();
    SkipSpace();
    CHECK(at_ == text_.size());
    table_.overloads.push_back(std::move(out_));
    return name;
  }

 private:
  void SkipSpace() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool Accept(std::string_view token) {
    SkipSpace();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  std::string_view Word() {
    SkipSpace();
    const size_t begin = at_;
    while (at_ < text_.size() && (isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_'))
      ++at_;
    return text_.substr(begin, at_ - begin);
  }
  // The longest operator first, since `<` also opens the parameters.
  std::string_view Operator() {
    for (const std::string_view op : {"neg", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "!", "~",
                                      "+",   "-",  "*",  "/",  "%",  "&",  "|",  "^",  "<",  ">"}) {
      if (Accept(op)) return op;
    }
    UNREACHABLE("unknown operator in builtins.def");
  }

  void ReadParams() {
    do {
      const std::string_view name = Word();
      if (!Accept(":")) {
        if (name == "A")
          any_access_ = true;
        else
          out_.numbers.push_back(name);
        continue;
      }
      const std::string_view set = Word();
      // The only sets of address spaces and formats: S and F stand for them.
      if (set == "workgroup_storage" || set == "texel_format") continue;
      TypeParam param{name, 0, set == "plain"};
      for (const NamedSet& named : kSets) {
        if (named.name == set) param.set = named.set;
      }
      CHECK(param.set != 0 || set == "plain" || set == "any");
      out_.types.push_back(param);
    } while (Accept(","));
    CHECK(Accept(">"));
  }

  void ReadList(std::string_view end, std::vector<uint16_t>& list) {
    if (Accept(end)) return;
    do {
      list.push_back(ReadPattern());
    } while (Accept(","));
    CHECK(Accept(end));
  }

  int8_t Number(std::string_view word) {
    if (word.size() == 1 && word[0] >= '2' && word[0] <= '4') return static_cast<int8_t>(word[0] - '0');
    const auto it = std::find(out_.numbers.begin(), out_.numbers.end(), word);
    CHECK(it != out_.numbers.end());
    return static_cast<int8_t>(~(it - out_.numbers.begin()));
  }

  uint16_t ReadPattern() {
    const std::string_view word = Word();
    Pattern pattern;
    const auto param = std::find_if(out_.types.begin(), out_.types.end(),
                                    [&](const TypeParam& p) { return p.name == word; });
    if (param != out_.types.end()) {
      pattern.kind = PatternKind::kParam;
      pattern.a = static_cast<int8_t>(param - out_.types.begin());
    } else if (word.starts_with("texture_")) {
      ReadTexture(word, pattern);
    } else if (!IsScalarName(word, pattern)) {
      ReadComposite(word, pattern);
    }
    table_.patterns.push_back(pattern);
    return static_cast<uint16_t>(table_.patterns.size() - 1);
  }

  static bool IsScalarName(std::string_view word, Pattern& pattern) {
    for (const NamedScalar& named : kScalarNames) {
      if (named.name == word) {
        pattern.scalar = named.kind;
        return true;
      }
    }
    return false;
  }

  void ReadTexture(std::string_view word, Pattern& pattern) {
    const std::span<const TextureTypeInfo> all = TextureTypes();
    const auto texture =
        std::find_if(all.begin(), all.end(), [&](const TextureTypeInfo& info) { return info.name == word; });
    CHECK(texture != all.end());
    pattern.kind = PatternKind::kTexture;
    pattern.a = static_cast<int8_t>(texture - all.begin());
    if (texture->texture_class == TextureClass::kStorage) {
      CHECK(Accept("<F, A>") && any_access_);
    } else if (IsSampled(pattern)) {
      CHECK(Accept("<"));
      pattern.inner = ReadPattern();
      CHECK(Accept(">"));
    }
  }

  void ReadComposite(std::string_view word, Pattern& pattern) {
    CHECK(Accept("<"));
    if (word == "ptr") {
      ReadPointer(pattern);
    } else {
      pattern.kind = CompositeKind(word);
      if (word == "vec2" || word == "vec3" || word == "vec4")
        pattern.a = static_cast<int8_t>(word[3] - '0');
      else if (TakesNumber(pattern.kind))
        pattern.a = Number(Word()), CHECK(Accept(","));
      if (pattern.kind == PatternKind::kMatrix) pattern.b = Number(Word()), CHECK(Accept(","));
      pattern.inner = ReadPattern();
    }
    CHECK(Accept(">"));
  }

  static bool TakesNumber(PatternKind kind) {
    return kind == PatternKind::kEach || kind == PatternKind::kVector || kind == PatternKind::kMatrix ||
           kind == PatternKind::kFrexpResult || kind == PatternKind::kModfResult;
  }

  static PatternKind CompositeKind(std::string_view word) {
    if (word == "each") return PatternKind::kEach;
    if (word.substr(0, 3) == "vec") return PatternKind::kVector;
    if (word == "mat") return PatternKind::kMatrix;
    if (word == "array") return PatternKind::kRuntimeArray;
    if (word == "atomic") return PatternKind::kAtomic;
    if (word == "frexp_result") return PatternKind::kFrexpResult;
    if (word == "modf_result") return PatternKind::kModfResult;
    CHECK(word == "compare_exchange_result");
    return PatternKind::kCompareExchangeResult;
  }

  void ReadPointer(Pattern& pattern) {
    pattern.kind = PatternKind::kPointer;
    const std::string_view space = Word();
    pattern.workgroup = space == "workgroup" || space == "S";
    pattern.storage = space == "storage" || space == "S";
    CHECK(Accept(","));
    pattern.inner = ReadPattern();
    CHECK(Accept(","));
    const std::string_view access = Word();
    pattern.any_access = access == "A" && any_access_;
    CHECK(pattern.any_access || access == "read_write");
  }

  OverloadTable& table_;
  std::string_view text_;
  size_t at_ = 0;
  bool any_access_ = false;
  Overload out_;
};

std::optional<ast::BinaryOp> BinaryOpOf(std::string_view text) {
  constexpr std::array<std::string_view, 18> kTexts = {"+",  "-",  "*",  "/", "%",  "&", "|",  "^",  "<<",
                                                       ">>", "==", "!=", "<", "<=", ">", ">=", "&&", "||"};
  const auto it = std::find(kTexts.begin(), kTexts.end(), text);
  if (it == kTexts.end()) return std::nullopt;
  return static_cast<ast::BinaryOp>(it - kTexts.begin());
}

OverloadRange& RangeOf(OverloadTable& table, std::string_view name) {
  if (name == "neg") return table.by_unary[static_cast<size_t>(ast::UnaryOp::kNegate)];
  if (name == "!") return table.by_unary[static_cast<size_t>(ast::UnaryOp::kNot)];
  if (name == "~") return table.by_unary[static_cast<size_t>(ast::UnaryOp::kComplement)];
  if (const auto op = BinaryOpOf(name)) return table.by_binary[static_cast<size_t>(*op)];
  const Builtin builtin = FindBuiltin(name);
  CHECK(builtin != Builtin::kNone);
  return table.by_builtin[static_cast<size_t>(builtin)];
}

OverloadTable ReadTable() {
  constexpr std::string_view kRows[] = {
#define OVERLOAD(text) text,
#include "wgsl/defs/builtins.def"
  };
  OverloadTable table;
  std::vector<std::string_view> names;
  for (const std::string_view row : kRows) names.push_back(RowReader(table, row).Read());
  table.by_builtin.resize(kBuiltinCount);
  for (size_t i = 0; i < names.size(); ++i) {  // the rows of one name stand together
    OverloadRange& range = RangeOf(table, names[i]);
    if (range.begin_ == nullptr) range.begin_ = range.end_ = &table.overloads[i];
    CHECK(range.end_ == &table.overloads[i]);
    range.end_ = &table.overloads[i] + 1;
  }
  return table;
}

const OverloadTable& Table() {
  static const OverloadTable table = ReadTable();
  return table;
}

// --- matching ---

struct Bindings {
  std::array<uint32_t, 3> numbers = {0, 0, 0};  // 0: not bound yet; 1: an `each` that is a scalar
  std::array<uint8_t, 4> feasible = {0xff, 0xff, 0xff, 0xff};
  std::array<TypeId, 4> types = {};  // chosen, or taken whole
};

class Matcher {
 public:
  Matcher(TypeTable& types, const Overload& overload, bool all_const)
      : types_(types), overload_(overload), all_const_(all_const) {
    for (size_t i = 0; i < overload.types.size(); ++i) {
      if (overload.types[i].set != 0) bindings_.feasible[i] = overload.types[i].set;
      if (!all_const) bindings_.feasible[i] = static_cast<uint8_t>(bindings_.feasible[i] & ~kAbstracts);
    }
  }

  bool Bind(uint16_t index, TypeId id, bool exact) {
    const Pattern& pattern = Table().patterns[index];
    const Type type = types_[id];
    switch (pattern.kind) {
      case PatternKind::kScalar:
        return BindScalar(pattern, id, exact);
      case PatternKind::kParam:
        return BindParam(pattern, id, exact);
      case PatternKind::kEach: {
        const bool is_vector = type.kind == TypeKind::kVector;
        return BindNumber(pattern.a, is_vector ? type.count : 1) &&
               Bind(pattern.inner, is_vector ? type.element : id, exact);
      }
      case PatternKind::kVector:
        return type.kind == TypeKind::kVector && BindNumber(pattern.a, type.count) &&
               Bind(pattern.inner, type.element, exact);
      case PatternKind::kMatrix:
        return type.kind == TypeKind::kMatrix && BindNumber(pattern.a, type.count) &&
               BindNumber(pattern.b, type.rows) && Bind(pattern.inner, type.element, exact);
      case PatternKind::kRuntimeArray:
        return types_.IsRuntimeSizedArray(id) && Bind(pattern.inner, type.element, true);
      case PatternKind::kAtomic:
        return type.kind == TypeKind::kAtomic && Bind(pattern.inner, type.element, true);
      case PatternKind::kPointer:
        return BindPointer(pattern, type);
      case PatternKind::kTexture: {
        const TextureTypeInfo& info = TextureTypes()[static_cast<size_t>(pattern.a)];
        return type.kind == TypeKind::kTexture && type.texture_class == info.texture_class &&
               type.dimension == info.dimension &&
               (!IsSampled(pattern) || Bind(pattern.inner, type.element, true));
      }
      case PatternKind::kFrexpResult:
      case PatternKind::kModfResult:
      case PatternKind::kCompareExchangeResult:
        return false;  // results only
    }
    UNREACHABLE("pattern");
  }

  // Takes the best feasible scalar for every parameter.
  bool Choose() {
    for (size_t i = 0; i < overload_.types.size(); ++i) {
      if (overload_.types[i].set == 0) continue;
      const uint8_t feasible = bindings_.feasible[i];
      if (feasible == 0) return false;
      bindings_.types[i] = ScalarType(types_, kScalars[static_cast<size_t>(__builtin_ctz(feasible))]);
    }
    return true;
  }

  TypeId Make(uint16_t index) {
    const Pattern& pattern = Table().patterns[index];
    switch (pattern.kind) {
      case PatternKind::kScalar:
        return ScalarType(types_, pattern.scalar);
      case PatternKind::kParam:
        return bindings_.types[static_cast<size_t>(pattern.a)];
      case PatternKind::kEach: {
        const TypeId inner = Make(pattern.inner);
        return Number(pattern.a) == 1 ? inner : types_.Vector(inner, Number(pattern.a));
      }
      case PatternKind::kVector:
        return types_.Vector(Make(pattern.inner), Number(pattern.a));
      case PatternKind::kMatrix:
        return types_.Matrix(Make(pattern.inner), Number(pattern.a), Number(pattern.b));
      case PatternKind::kFrexpResult:
        return ResultStruct("frexp", pattern);
      case PatternKind::kModfResult:
        return ResultStruct("modf", pattern);
      case PatternKind::kCompareExchangeResult: {
        const TypeId value = Make(pattern.inner);
        return types_.BuiltinStruct("__atomic_compare_exchange_result_" + types_.ToString(value),
                                    {{"old_value", value}, {"exchanged", types_.Bool()}});
      }
      case PatternKind::kRuntimeArray:
      case PatternKind::kAtomic:
      case PatternKind::kPointer:
      case PatternKind::kTexture:
        return TypeId::None();  // taken from the argument as it is
    }
    UNREACHABLE("pattern");
  }

 private:
  uint32_t Number(int8_t a) const {
    return a >= 0 ? static_cast<uint32_t>(a) : bindings_.numbers[static_cast<size_t>(~a)];
  }

  bool BindNumber(int8_t a, uint32_t value) {
    if (a >= 0) return static_cast<uint32_t>(a) == value;
    uint32_t& bound = bindings_.numbers[static_cast<size_t>(~a)];
    if (bound == 0) bound = value;
    return bound == value;
  }

  bool BindScalar(const Pattern& pattern, TypeId id, bool exact) {
    if (!types_.IsScalar(id)) return false;
    if (exact) return types_[id].kind == pattern.scalar;
    const uint8_t wanted = BitOf(pattern.scalar);
    if (!all_const_ && (wanted & kAbstracts) != 0) return false;
    return (ReachOf(types_[id].kind) & wanted) != 0;
  }

  bool BindParam(const Pattern& pattern, TypeId id, bool exact) {
    const auto i = static_cast<size_t>(pattern.a);
    if (overload_.types[i].set == 0) {
      bindings_.types[i] = id;
      return !overload_.types[i].constructible || types_.IsConstructible(id);
    }
    if (!types_.IsScalar(id)) return false;
    const TypeKind kind = types_[id].kind;
    bindings_.feasible[i] =
        static_cast<uint8_t>(bindings_.feasible[i] & (exact ? BitOf(kind) : ReachOf(kind)));
    return bindings_.feasible[i] != 0;
  }

  bool BindPointer(const Pattern& pattern, const Type& type) {
    if (type.kind != TypeKind::kPointer) return false;
    const bool space_fits = (type.space == AddressSpace::kWorkgroup && pattern.workgroup) ||
                            (type.space == AddressSpace::kStorage && pattern.storage);
    if (!space_fits || (!pattern.any_access && type.access != AccessMode::kReadWrite)) return false;
    return Bind(pattern.inner, type.element, true);
  }

  // __frexp_result_f32, __modf_result_vec3_abstract ...
  TypeId ResultStruct(std::string_view function, const Pattern& pattern) {
    const TypeId scalar = Make(pattern.inner);
    const uint32_t width = Number(pattern.a);
    const std::string shape = width == 1 ? "" : fmt::format("vec{}_", width);
    const bool is_abstract = types_.IsAbstract(scalar);
    const std::string name = fmt::format("__{}_result_{}{}", function, shape,
                                         is_abstract ? std::string("abstract") : types_.ToString(scalar));
    const auto sized = [&](TypeId of) { return width == 1 ? of : types_.Vector(of, width); };
    const TypeId value = sized(scalar);
    if (function == "modf") return types_.BuiltinStruct(name, {{"fract", value}, {"whole", value}});
    const TypeId exponent = sized(is_abstract ? types_.AbstractInt() : types_.I32());
    return types_.BuiltinStruct(name, {{"fract", value}, {"exp", exponent}});
  }

  TypeTable& types_;
  const Overload& overload_;
  bool all_const_;
  Bindings bindings_;
};

// One overload: its total rank, kNoConversion where it does not fit.
uint32_t TryOverload(TypeTable& types, const Overload& overload, std::span<const TypeId> explicit_types,
                     std::span<const OverloadArgument> args, bool all_const, OverloadMatch& match) {
  if (overload.params.size() != args.size() || overload.explicit_types.size() != explicit_types.size())
    return kNoConversion;
  Matcher matcher(types, overload, all_const);
  for (size_t i = 0; i < explicit_types.size(); ++i) {
    if (!matcher.Bind(overload.explicit_types[i], explicit_types[i], true)) return kNoConversion;
  }
  for (size_t i = 0; i < args.size(); ++i) {
    if (!matcher.Bind(overload.params[i], args[i].type, false)) return kNoConversion;
  }
  if (!matcher.Choose()) return kNoConversion;
  uint32_t rank = 0;
  match.overload = &overload;
  match.params.clear();
  for (size_t i = 0; i < args.size(); ++i) {
    const TypeId param = matcher.Make(overload.params[i]);
    match.params.push_back(param.has_value() ? param : args[i].type);
    rank += ConversionRank(types, args[i].type, match.params.back());
  }
  match.result = overload.result ? matcher.Make(*overload.result) : types.Void();
  return std::min(rank, kNoConversion);
}

}  // namespace

uint32_t ConversionRank(const TypeTable& types, TypeId from, TypeId to) {
  if (from == to) return 0;
  if (!types.IsAbstract(from)) return kNoConversion;
  const Type& a = types[from];
  const Type& b = types[to];
  if (types.IsScalar(from) && types.IsScalar(to)) return ScalarRank(a.kind, b.kind);
  if (a.kind != b.kind) return kNoConversion;
  if (a.kind == TypeKind::kStruct) {  // only builtins' results are abstract
    const Struct& s = types.struct_of(a.struct_id);
    const Struct& t = types.struct_of(b.struct_id);
    const bool same_function =
        t.is_builtin_result && s.members.size() == t.members.size() && s.members[1].name == t.members[1].name;
    return same_function ? ConversionRank(types, s.members[0].type, t.members[0].type) : kNoConversion;
  }
  if (a.count != b.count || a.rows != b.rows || b.override_count.has_value()) return kNoConversion;
  return ConversionRank(types, a.element, b.element);
}

TypeId Concretization(TypeTable& types, TypeId id) {
  if (!types.IsAbstract(id)) return id;
  const Type type = types[id];
  if (type.kind == TypeKind::kAbstractInt) return types.I32();
  if (type.kind == TypeKind::kAbstractFloat) return types.F32();
  if (type.kind == TypeKind::kVector) return types.Vector(Concretization(types, type.element), type.count);
  if (type.kind == TypeKind::kMatrix)
    return types.Matrix(Concretization(types, type.element), type.count, type.rows);
  if (type.kind == TypeKind::kArray) return types.Array(Concretization(types, type.element), type.count);
  CHECK(type.kind == TypeKind::kStruct);
  const Struct s = types.struct_of(type.struct_id);
  std::string name = s.name;
  name.replace(name.rfind("abstract"), 8, "f32");
  std::vector<std::pair<std::string, TypeId>> members;
  for (const StructMember& member : s.members)
    members.emplace_back(member.name, Concretization(types, member.type));
  return types.BuiltinStruct(name, members);
}

namespace {

constexpr std::pair<TypeKind, std::string_view> kConcrete[] = {{TypeKind::kBool, "bool"},
                                                               {TypeKind::kI32, "i32"},
                                                               {TypeKind::kU32, "u32"},
                                                               {TypeKind::kF32, "f32"},
                                                               {TypeKind::kF16, "f16"}};

// A pattern as users write types; `vector` becomes the name of the last vector of one to four components
// seen.
std::string DescribePattern(const Overload& overload, uint16_t index, std::string& component_wise) {
  const Pattern& pattern = Table().patterns[index];
  const auto number = [&](int8_t a) {
    return a >= 0 ? std::to_string(a) : std::string(overload.numbers[static_cast<size_t>(~a)]);
  };
  switch (pattern.kind) {
    case PatternKind::kScalar:
      for (const NamedScalar& named : kScalarNames) {
        if (named.kind == pattern.scalar) return std::string(named.name);
      }
      return "?";
    case PatternKind::kParam:
      return std::string(overload.types[static_cast<size_t>(pattern.a)].name);
    case PatternKind::kEach: {
      const std::string inner = DescribePattern(overload, pattern.inner, component_wise);
      component_wise = inner;
      return inner;
    }
    case PatternKind::kVector:
      return fmt::format("vec{}<{}>", number(pattern.a),
                         DescribePattern(overload, pattern.inner, component_wise));
    case PatternKind::kMatrix:
      return fmt::format("mat{}x{}<{}>", number(pattern.a), number(pattern.b),
                         DescribePattern(overload, pattern.inner, component_wise));
    case PatternKind::kRuntimeArray:
      return fmt::format("array<{}>", DescribePattern(overload, pattern.inner, component_wise));
    case PatternKind::kAtomic:
      return fmt::format("atomic<{}>", DescribePattern(overload, pattern.inner, component_wise));
    case PatternKind::kPointer: {
      const std::string space = pattern.workgroup && pattern.storage ? "workgroup or storage"
                                : pattern.workgroup                  ? "workgroup"
                                                                     : "storage";
      const std::string access = pattern.any_access || !pattern.storage ? "" : ", read_write";
      return fmt::format("ptr<{}, {}{}>", space, DescribePattern(overload, pattern.inner, component_wise),
                         access);
    }
    case PatternKind::kTexture: {
      const TextureTypeInfo& info = TextureTypes()[static_cast<size_t>(pattern.a)];
      const std::string name(info.name);
      if (info.texture_class == TextureClass::kStorage) return name + "<F, A>";
      if (!IsSampled(pattern)) return name;
      return fmt::format("{}<{}>", name, DescribePattern(overload, pattern.inner, component_wise));
    }
    case PatternKind::kFrexpResult:
    case PatternKind::kModfResult:
    case PatternKind::kCompareExchangeResult:
      return "a structure";
  }
  UNREACHABLE("pattern");
}

std::string DescribeSet(uint8_t set) {
  std::vector<std::string_view> names;
  for (const auto& [kind, name] : kConcrete) {
    if ((set & BitOf(kind)) != 0 && kind != TypeKind::kF16) names.push_back(name);
  }
  std::string out;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i != 0) out += i + 1 == names.size() ? " or " : ", ";
    out += names[i];
  }
  return out;
}

}  // namespace

std::string DescribeOverload(const Overload& overload) {
  std::string component_wise;
  const auto list = [&](const std::vector<uint16_t>& patterns) {
    std::string out;
    for (const uint16_t pattern : patterns)
      out += (out.empty() ? "" : ", ") + DescribePattern(overload, pattern, component_wise);
    return out;
  };
  std::string out(overload.signature.substr(0, overload.signature.find_first_of("<[(")));
  if (!overload.explicit_types.empty()) out += "<" + list(overload.explicit_types) + ">";
  out += "(" + list(overload.params) + ")";
  if (overload.result) out += " -> " + DescribePattern(overload, *overload.result, component_wise);
  std::string where;
  for (const TypeParam& param : overload.types) {
    const std::string of = param.set == 0 ? std::string("any type") : DescribeSet(param.set);
    where += fmt::format("{}{} is {}{}", where.empty() ? ", where " : " and ", param.name, of,
                         component_wise == param.name ? " or a vector of these" : "");
  }
  if (where.empty() && !component_wise.empty()) where = ", or vectors of these";
  return out + where;
}

OverloadRange OverloadsOf(Builtin builtin) { return Table().by_builtin[static_cast<size_t>(builtin)]; }
OverloadRange OverloadsOf(ast::UnaryOp op) {
  CHECK(op == ast::UnaryOp::kNegate || op == ast::UnaryOp::kNot || op == ast::UnaryOp::kComplement);
  return Table().by_unary[static_cast<size_t>(op)];
}
OverloadRange OverloadsOf(ast::BinaryOp op) { return Table().by_binary[static_cast<size_t>(op)]; }

bool TakesFirst(TypeTable& types, const Overload& overload, TypeId type) {
  return !overload.params.empty() && Matcher(types, overload, false).Bind(overload.params[0], type, false);
}

std::optional<OverloadMatch> MatchOverload(TypeTable& types, OverloadRange candidates,
                                           std::span<const TypeId> explicit_types,
                                           std::span<const OverloadArgument> args) {
  const bool all_const =
      std::all_of(args.begin(), args.end(), [](const OverloadArgument& arg) { return arg.is_const; });
  OverloadMatch best, match;
  uint32_t best_rank = kNoConversion;
  for (const Overload& overload : candidates) {
    const uint32_t rank = TryOverload(types, overload, explicit_types, args, all_const, match);
    if (rank >= best_rank) continue;
    best_rank = rank;
    best = match;
    if (rank == 0) break;
  }
  if (best_rank == kNoConversion) return std::nullopt;
  return best;
}

}  // namespace lockstep::wgsl
