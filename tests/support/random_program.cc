// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// A grammar walk with a budget. Expressions are made by type; names in scope are kept by type in a stack of
// scopes. A budget of nodes bounds every program, and every loop has a counter of its own, so that all end.

#include "support/random_program.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>
#include <vector>

namespace lockstep::tests {
namespace {

enum class Kind { kI32, kU32, kF32, kBool, kVec2I, kVec3U, kVec4F };
constexpr Kind kKinds[] = {Kind::kI32,   Kind::kU32,   Kind::kF32,  Kind::kBool,
                           Kind::kVec2I, Kind::kVec3U, Kind::kVec4F};

std::string_view TypeName(Kind kind) {
  switch (kind) {
    case Kind::kI32:
      return "i32";
    case Kind::kU32:
      return "u32";
    case Kind::kF32:
      return "f32";
    case Kind::kBool:
      return "bool";
    case Kind::kVec2I:
      return "vec2<i32>";
    case Kind::kVec3U:
      return "vec3<u32>";
    case Kind::kVec4F:
      return "vec4<f32>";
  }
  return "";
}

struct Name {
  std::string text;
  Kind kind;
  bool writable;
};

class Generator {
 public:
  explicit Generator(uint64_t seed, std::span<const uint8_t> choices = {})
      : state_(seed * 0x9e3779b97f4a7c15ull + 1), choices_(choices) {}

  RandomProgram Make() {
    static constexpr const char* kSizes[] = {"1",  "5",    "8",       "13",    "32",
                                             "64", "8, 4", "4, 4, 2", "16, 4", "3, 3"};
    static constexpr uint32_t kCounts[] = {1, 5, 8, 13, 32, 64, 32, 32, 64, 9};
    const uint32_t pick = Below(10);
    invocations_ = kCounts[pick];
    for (uint32_t i = 0; i < 1 + Below(3); ++i) Helper(i);
    for (uint32_t i = 0, count = Below(4); i < count; ++i) Phase(i);
    Entry(kSizes[pick]);
    return {Header() + body_, invocations_};
  }

 private:
  // --- randomness ---
  uint64_t Next() {
    if (!choices_.empty()) {
      const uint8_t choice = choices_.front();
      choices_ = choices_.subspan(1);
      return choice;
    }
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_ * 0x2545f4914f6cdd1dull >> 16;
  }
  uint32_t Below(uint32_t n) { return static_cast<uint32_t>(Next() % n); }
  bool OneIn(uint32_t n) { return Below(n) == 0; }

  // --- text ---
  void Line(const std::string& text) { body_ += std::string(2 * depth_, ' ') + text + "\n"; }
  std::string Fresh(std::string_view stem) { return fmt::format("{}{}", stem, ++fresh_); }

  std::string Header() const {
    return fmt::format(
        "@group(0) @binding(0) var<storage, read> words: array<u32>;\n"
        "@group(0) @binding(1) var<storage, read_write> out: array<u32>;\n"
        "@group(0) @binding(2) var image: texture_2d_array<u32>;\n"
        "fn texel(t: texture_2d_array<u32>, at: vec2<i32>, layer: u32) -> u32 {{\n"
        "  return textureLoad(t, at, layer, 1).w + textureNumLevels(t);\n}}\n"
        "struct Pair {{ a: i32, b: vec3<f32>, c: array<u32, 3> }}\n"
        "var<workgroup> tile: array<u32, {0}>;\n"
        "var<workgroup> pairs: array<Pair, {0}>;\n"
        "var<workgroup> passed: array<u32, {0}>;\n"
        "var<workgroup> slots: array<u32, {0}>;\n"
        "var<private> scratch: array<u32, 6>;\n"
        "var<private> steps: u32;\n",
        invocations_);
  }

  // --- expressions ---
  std::string Literal(Kind kind) {
    static constexpr const char* kI32[] = {"0i",  "1i",  "-1i", "7i", "2147483647i", "i32(-2147483648)",
                                           "31i", "-13i"};
    static constexpr const char* kU32[] = {"0u",  "1u",          "3u",          "31u",
                                           "32u", "4294967295u", "2147483648u", "17u"};
    static constexpr const char* kF32[] = {"0.0",   "1.0f",    "-2.5f",     "0.1f",
                                           "1e10f", "-1e-10f", "16777216f", "3.0f"};
    switch (kind) {
      case Kind::kI32:
        return kI32[Below(8)];
      case Kind::kU32:
        return kU32[Below(8)];
      case Kind::kF32:
        return kF32[Below(8)];
      case Kind::kBool:
        return OneIn(2) ? "true" : "false";
      case Kind::kVec2I:
        return fmt::format("vec2<i32>({}, {})", kI32[Below(8)], kI32[Below(8)]);
      case Kind::kVec3U:
        return fmt::format("vec3<u32>({})", kU32[Below(8)]);
      case Kind::kVec4F:
        return fmt::format("vec4<f32>({}, 1.5, -0.25, {})", kF32[Below(8)], kF32[Below(8)]);
    }
    return "";
  }

  std::string Leaf(Kind kind) {
    std::vector<const Name*> fitting;
    for (const Name& name : scope_) {
      if (name.kind == kind) fitting.push_back(&name);
    }
    if (!fitting.empty() && !OneIn(4)) return fitting[Below(static_cast<uint32_t>(fitting.size()))]->text;
    if (kind == Kind::kU32 && OneIn(2)) return fmt::format("words[{}]", OneIn(2) ? "lane" : "lane * 3u + 1u");
    return kind == Kind::kBool ? "(lane < 3u)" : RuntimeLiteral(kind);
  }

  // A literal that constant evaluation cannot see through, so that no operator on it is a shader-creation
  // error.
  std::string RuntimeLiteral(Kind kind) {
    const std::string name = Fresh("k");
    Line(fmt::format("var {}: {} = {};", name, TypeName(kind), Literal(kind)));
    return name;
  }

  std::string Expr(Kind kind, uint32_t depth) {
    if (depth == 0 || budget_ == 0 || OneIn(6)) return Leaf(kind);
    --budget_;
    switch (kind) {
      case Kind::kI32:
        return IntExpr(kind, depth - 1);
      case Kind::kU32:
        return OneIn(4) ? UintOnly(depth - 1) : IntExpr(kind, depth - 1);
      case Kind::kF32:
        return FloatExpr(depth - 1);
      case Kind::kBool:
        return BoolExpr(depth - 1);
      case Kind::kVec2I:
      case Kind::kVec3U:
      case Kind::kVec4F:
        return VectorExpr(kind, depth - 1);
    }
    return "";
  }

  std::string IntExpr(Kind kind, uint32_t d) {
    static constexpr const char* kOps[] = {"+", "-", "*", "/", "%", "&", "|", "^"};
    static constexpr const char* kUnaries[] = {"~",
                                               "abs",
                                               "countOneBits",
                                               "reverseBits",
                                               "firstLeadingBit",
                                               "firstTrailingBit",
                                               "countLeadingZeros",
                                               "countTrailingZeros"};
    switch (Below(10)) {
      case 0:
        return fmt::format("({} << ({} & 31u))", Expr(kind, d), Expr(Kind::kU32, d));
      case 1:
        return fmt::format("({} >> {})", Expr(kind, d), Expr(Kind::kU32, d));
      case 2:
        return fmt::format("{}({})", kUnaries[Below(8)], Expr(kind, d));
      case 3:
        return fmt::format("{}({}, {})", OneIn(2) ? "min" : "max", Expr(kind, d), Expr(kind, d));
      case 4:
        return fmt::format("select({}, {}, {})", Expr(kind, d), Expr(kind, d), Expr(Kind::kBool, d));
      case 5:
        return fmt::format("{}({})", TypeName(kind), Expr(kKinds[Below(4)], d));
      case 6:
        return kind == Kind::kI32 ? fmt::format("{}[{}]", Expr(Kind::kVec2I, d), Expr(Kind::kU32, d))
                                  : fmt::format("{}.{}", Expr(Kind::kVec3U, d), "xyz"[Below(3)]);
      case 7:
        return helper_count_ > 0 && kind == Kind::kU32
                   ? fmt::format("helper{}({}, {})", Below(helper_count_), Expr(Kind::kU32, d),
                                 Expr(Kind::kI32, d))
                   : fmt::format("extractBits({}, {}, {})", Expr(kind, d), Expr(Kind::kU32, d),
                                 Expr(Kind::kU32, d));
      default:
        return fmt::format("({} {} {})", Expr(kind, d), kOps[Below(8)], Expr(kind, d));
    }
  }

  std::string UintOnly(uint32_t d) {
    switch (Below(9)) {
      case 0:
        return fmt::format("bitcast<u32>({})", Expr(Kind::kI32, d));
      case 1:
        return fmt::format("words[{} % {}u]", Expr(Kind::kU32, d), kInputWords);
      case 2:
        return fmt::format("words[{}]", Expr(Kind::kU32, d));
      case 3:
        return fmt::format("scratch[{}]", Expr(OneIn(2) ? Kind::kU32 : Kind::kI32, d));
      case 4:
        return fmt::format("dot({}, {})", Expr(Kind::kVec3U, d), Expr(Kind::kVec3U, d));
      case 5:
        return fmt::format("textureLoad(image, {}, {}, {}).{}", Expr(Kind::kVec2I, d), Expr(Kind::kU32, d),
                           Expr(Kind::kI32, d), "xyzw"[Below(4)]);
      case 6:
        return fmt::format("texel(image, {}, {})", Expr(Kind::kVec2I, d), Expr(Kind::kU32, d));
      case 7:
        return fmt::format("textureDimensions(image, {}).{}", Expr(OneIn(2) ? Kind::kU32 : Kind::kI32, d),
                           "xy"[Below(2)]);
      default:
        return fmt::format("insertBits({}, {}, {}, {})", Expr(Kind::kU32, d), Expr(Kind::kU32, d),
                           Expr(Kind::kU32, d), Expr(Kind::kU32, d));
    }
  }

  std::string FloatExpr(uint32_t d) {
    static constexpr const char* kOps[] = {"+", "-", "*", "/"};
    static constexpr const char* kUnaries[] = {"floor", "ceil", "trunc", "round", "abs",
                                               "sign",  "sqrt", "sin",   "exp2",  "saturate"};
    switch (Below(9)) {
      case 0:
        return fmt::format("{}({})", kUnaries[Below(10)], Expr(Kind::kF32, d));
      case 1:
        return fmt::format("f32({})", Expr(kKinds[Below(4)], d));
      case 2:
        return fmt::format("select({}, {}, {})", Expr(Kind::kF32, d), Expr(Kind::kF32, d),
                           Expr(Kind::kBool, d));
      case 3:
        return fmt::format("fma({}, {}, {})", Expr(Kind::kF32, d), Expr(Kind::kF32, d), Expr(Kind::kF32, d));
      case 4:
        return fmt::format("{}.{}", Expr(Kind::kVec4F, d), "xyzw"[Below(4)]);
      case 5:
        return fmt::format("clamp({}, -100.0, 100.0)", Expr(Kind::kF32, d));
      default:
        return fmt::format("({} {} {})", Expr(Kind::kF32, d), kOps[Below(4)], Expr(Kind::kF32, d));
    }
  }

  std::string BoolExpr(uint32_t d) {
    static constexpr const char* kCompares[] = {"==", "!=", "<", "<=", ">", ">="};
    static constexpr const char* kLogic[] = {"&&", "||", "&", "|"};
    switch (Below(5)) {
      case 0:
        return fmt::format("!{}", Expr(Kind::kBool, d));
      case 1:
        return fmt::format("({} {} {})", Expr(Kind::kBool, d), kLogic[Below(4)], Expr(Kind::kBool, d));
      case 2:
        return fmt::format("any({} < {})", Expr(Kind::kVec2I, d), Expr(Kind::kVec2I, d));
      default: {
        const Kind kind = kKinds[Below(3)];
        return fmt::format("({} {} {})", Expr(kind, d), kCompares[Below(6)], Expr(kind, d));
      }
    }
  }

  std::string VectorExpr(Kind kind, uint32_t d) {
    const Kind scalar = kind == Kind::kVec2I ? Kind::kI32 : kind == Kind::kVec3U ? Kind::kU32 : Kind::kF32;
    switch (Below(5)) {
      case 0:
        return fmt::format("{}({})", TypeName(kind), Expr(scalar, d));
      case 1:
        return fmt::format("({} * {})", Expr(kind, d), Expr(scalar, d));
      case 2: {
        const char* swizzle = kind == Kind::kVec2I ? "yx" : kind == Kind::kVec3U ? "zxx" : "wzyx";
        return fmt::format("{}.{}", Expr(kind, d), swizzle);
      }
      case 3:
        return fmt::format("select({}, {}, {})", Expr(kind, d), Expr(kind, d), Expr(Kind::kBool, d));
      default:
        return fmt::format("({} {} {})", Expr(kind, d), OneIn(2) ? "+" : "-", Expr(kind, d));
    }
  }

  // --- statements ---
  void Statements(uint32_t count, uint32_t nesting, bool in_loop) {
    const size_t scope_size = scope_.size();
    for (uint32_t i = 0; i < count && budget_ > 0; ++i) Statement(nesting, in_loop);
    scope_.resize(scope_size);
  }

  void Block(uint32_t count, uint32_t nesting, bool in_loop) {
    ++depth_;
    Statements(count, nesting, in_loop);
    --depth_;
  }

  void Statement(uint32_t nesting, bool in_loop) {
    --budget_;
    const uint32_t pick = Below(nesting == 0 ? 6 : 12);
    switch (pick) {
      case 0:
      case 1:
        return Declare();
      case 2:
      case 3:
        return Assign();
      case 4:
        return Line(fmt::format("scratch[{}] {}= {};", Expr(Kind::kU32, 2), OneIn(2) ? "+" : "^",
                                Expr(Kind::kU32, 2)));
      case 5:
        return in_loop && OneIn(2) ? Leave() : Assign();
      case 6:
      case 7:
        return If(nesting, in_loop);
      case 8:
        return For(nesting);
      case 9:
        return LoopStatement(nesting);
      case 10:
        return Switch(nesting, in_loop);
      default:
        if (may_return_ && OneIn(3))
          return Line(fmt::format("if {} {{ return {}; }}", Expr(Kind::kBool, 2), return_text_));
        return If(nesting, in_loop);
    }
  }

  void Declare() {
    const Kind kind = kKinds[Below(7)];
    const bool writable = !OneIn(3);
    const std::string value = Expr(kind, 3);
    const std::string name = Fresh("v");
    Line(fmt::format("{} {} = {};", writable ? "var" : "let", name, value));
    scope_.push_back({name, kind, writable});
  }

  void Assign() {
    std::vector<Name> writable;
    for (const Name& name : scope_) {
      if (name.writable) writable.push_back(name);
    }
    if (writable.empty()) return Declare();
    const Name target = writable[Below(static_cast<uint32_t>(writable.size()))];
    if (target.kind == Kind::kVec4F && OneIn(2)) {
      return Line(fmt::format("{}[{}] = {};", target.text, Expr(Kind::kU32, 1), Expr(Kind::kF32, 2)));
    }
    Line(fmt::format("{} = {};", target.text, Expr(target.kind, 3)));
  }

  void Leave() {
    Line(fmt::format("if {} {{ {}; }}", Expr(Kind::kBool, 2),
                     OneIn(2) && in_continue_ok_ ? "continue" : "break"));
  }

  void If(uint32_t nesting, bool in_loop) {
    Line(fmt::format("if {} {{", Expr(Kind::kBool, 3)));
    Block(1 + Below(3), nesting - 1, in_loop);
    if (OneIn(2)) {
      Line("} else {");
      Block(1 + Below(3), nesting - 1, in_loop);
    }
    Line("}");
  }

  void For(uint32_t nesting) {
    const std::string i = Fresh("count");
    const std::string bound =
        OneIn(2) ? fmt::format("({} & 7u)", Expr(Kind::kU32, 2)) : fmt::format("{}u", 1 + Below(6));
    Line(fmt::format("for (var {0} = 0u; {0} < {1}; {0}++) {{", i, bound));
    scope_.push_back({i, Kind::kU32, false});
    const bool saved = std::exchange(in_continue_ok_, true);
    Block(1 + Below(3), nesting - 1, true);
    in_continue_ok_ = saved;
    scope_.pop_back();
    Line("}");
  }

  void LoopStatement(uint32_t nesting) {
    const std::string i = Fresh("n");
    Line(fmt::format("var {} = 0i;", i));
    Line("loop {");
    ++depth_;
    // `steps` bounds all loops of an invocation together: nested loops end too.
    Line(fmt::format("if {} >= 5i || steps > 60u {{ break; }}", i));
    --depth_;
    scope_.push_back({i, Kind::kI32, false});
    const bool saved = std::exchange(in_continue_ok_, true);
    Block(1 + Below(3), nesting - 1, true);
    in_continue_ok_ = saved;
    Line("  continuing {");
    Line(fmt::format("    {}++;", i));
    Line("    steps++;");
    if (OneIn(2)) {
      depth_ += 2;
      // What a continuing block's `break if` may name was declared before the loop.
      Line(fmt::format("break if {} > 3i + i32(lane & 1u);", i));
      depth_ -= 2;
    }
    Line("  }");
    Line("}");
    scope_.pop_back();
  }

  void Switch(uint32_t nesting, bool in_loop) {
    Line(fmt::format("switch {} {{", Expr(Kind::kI32, 2)));
    for (uint32_t i = 0; i < 1 + Below(3); ++i) {
      Line(fmt::format("  case {}, {}: {{", static_cast<int>(i) * 2 - 1, i * 2));
      ++depth_;
      Block(1 + Below(2), nesting - 1, true);
      if (OneIn(3)) {
        ++depth_;
        Line(fmt::format("if {} {{ break; }}", Expr(Kind::kBool, 1)));
        --depth_;
        Block(1, nesting - 1, true);
      }
      --depth_;
      Line("  }");
    }
    Line("  default: {");
    ++depth_;
    Block(1, nesting - 1, in_loop || true);
    --depth_;
    Line("  }");
    Line("}");
  }

  // --- functions ---
  void Helper(uint32_t index) {
    budget_ = 30;
    scope_ = {{"p", Kind::kU32, false}, {"q", Kind::kI32, false}};
    may_return_ = true;
    return_text_ = "p ^ 5u";
    Line(fmt::format("fn helper{}(p: u32, q: i32) -> u32 {{", index));
    ++depth_;
    Line("let lane = p & 63u;");
    Statements(2 + Below(4), 2, false);
    Line(fmt::format("return {};", Expr(Kind::kU32, 2)));
    --depth_;
    Line("}");
    helper_count_ = index + 1;
  }

  // A helper with barriers: `n` is uniform, the invocation's own slots are where its pointers lead.
  void Phase(uint32_t index) {
    budget_ = 30;
    scope_ = {{"p", Kind::kU32, false}, {"n", Kind::kU32, false}, {"lane", Kind::kU32, false}};
    uniforms_ = {"n", "3u"};
    may_return_ = false;
    own_pointer_ = "own";
    Line(fmt::format("fn phase{}(p: u32, n: u32, lane: u32, own: ptr<function, u32>,", index));
    Line(fmt::format("          slot: ptr<workgroup, u32>, all: ptr<workgroup, array<u32, {}>>) -> u32 {{",
                     invocations_));
    ++depth_;
    TopLevel(1 + Below(2));
    if (OneIn(3)) Line(fmt::format("if n == {}u {{ return {}; }}", Below(4), Expr(Kind::kU32, 1)));
    if (OneIn(3)) UniformLoop();
    Pass();
    if (OneIn(2)) TopLevel(1);
    may_return_ = OneIn(2);  // no barrier follows in here
    return_text_ = "p ^ *own";
    Statements(1 + Below(2), 2, false);
    may_return_ = false;
    Line(fmt::format("return {} + *slot;", Expr(Kind::kU32, 2)));
    --depth_;
    Line("}");
    uniforms_.clear();
    phase_count_ = index + 1;
  }

  // As Exchange, through the pointers of a phase.
  void Pass() {
    Line(fmt::format("*own ^= {};", Expr(Kind::kU32, 2)));
    Line(fmt::format("(*all)[lane] = *own + {};", Expr(Kind::kU32, 1)));
    Line(fmt::format("*slot = {};", Expr(Kind::kU32, 2)));
    Line("workgroupBarrier();");
    const std::string name = Fresh("z");
    Line(fmt::format("let {} = (*all)[{} % {}u] ^ *slot;", name, Expr(Kind::kU32, 2), invocations_));
    scope_.push_back({name, Kind::kU32, false});
    Line("workgroupBarrier();");
  }

  std::string PhaseCall() {
    const bool inside = own_pointer_ == "own";
    return fmt::format("phase{}({}, {}, lane, {}, {}, {})", Below(phase_count_), Expr(Kind::kU32, 2),
                       Uniform(), own_pointer_, inside ? "slot" : "&slots[lane]", inside ? "all" : "&passed");
  }
  std::string Uniform() {
    if (!uniforms_.empty() && !OneIn(3)) return uniforms_[Below(static_cast<uint32_t>(uniforms_.size()))];
    return OneIn(2) ? "(words[7] & 3u)" : fmt::format("{}u", Below(4));
  }

  void CallPhase() {
    const std::string name = Fresh("w");
    const std::string first = PhaseCall();
    Line(fmt::format("let {} = {}{};", name, first, OneIn(4) ? " - " + PhaseCall() : ""));
    scope_.push_back({name, Kind::kU32, false});
  }

  void Exchange() {
    // Workgroup memory in uniform control flow: own slot, barrier, anybody's slot, barrier.
    Line(fmt::format("tile[lane] = {};", Expr(Kind::kU32, 3)));
    Line(fmt::format("pairs[lane].b = {}.xyz;", Expr(Kind::kVec4F, 2)));
    Line(fmt::format("pairs[lane].c[{}] = {};", Expr(Kind::kU32, 1), Expr(Kind::kU32, 2)));
    Line("workgroupBarrier();");
    const std::string name = Fresh("x");
    Line(fmt::format("let {} = tile[{} % {}u] + pairs[{} % {}u].c[1];", name, Expr(Kind::kU32, 2),
                     invocations_, Expr(Kind::kU32, 2), invocations_));
    scope_.push_back({name, Kind::kU32, false});
    const std::string vector = Fresh("y");
    Line(fmt::format("let {} = vec4<f32>(pairs[{}].b, 1.0);", vector, Expr(Kind::kU32, 1)));
    scope_.push_back({vector, Kind::kVec4F, false});
    Line("workgroupBarrier();");
  }

  void Entry(const char* size) {
    budget_ = 120;
    scope_.clear();
    may_return_ = false;
    own_pointer_ = "&own";
    Line(fmt::format("@compute @workgroup_size({})", size));
    Line("fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>,");
    Line("        @builtin(global_invocation_id) global: vec3<u32>) {");
    ++depth_;
    Line(fmt::format("let me = group.x * {}u + lane;", invocations_));
    Line("var own = me;");
    scope_ = {{"lane", Kind::kU32, false}, {"me", Kind::kU32, false}, {"global", Kind::kVec3U, false}};
    TopLevel(2 + Below(3));
    if (OneIn(2)) UniformLoop();
    TopLevel(1 + Below(3));
    for (uint32_t i = 0; i < kOutputWordsPerInvocation; ++i) Output(i);
    --depth_;
    Line("}");
  }

  // Statements whose names stay in scope.
  void TopLevel(uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
      if (budget_ < 8) budget_ += 8;
      if (OneIn(3))
        Exchange();
      else if (phase_count_ > 0 && OneIn(3))
        CallPhase();
      else
        Statement(3, false);
    }
  }

  void UniformLoop() {
    const std::string i = Fresh("r");
    Line(fmt::format("for (var {0} = 0u; {0} < {1}; {0}++) {{", i, OneIn(2) ? "(words[5] & 3u) + 1u" : "3u"));
    ++depth_;
    const size_t scope_size = scope_.size();
    budget_ += 10;
    Statements(1 + Below(2), 2, false);
    uniforms_.push_back(i);
    if (phase_count_ > 0 && OneIn(2))
      CallPhase();
    else
      Exchange();
    uniforms_.pop_back();
    Assign();
    scope_.resize(scope_size);
    --depth_;
    Line("}");
  }

  void Output(uint32_t i) {
    budget_ += 2;
    const Kind kind = kKinds[Below(7)];
    const std::string value = Fresh("o");
    Line(fmt::format("let {} = {};", value, Expr(kind, 2)));
    // Which NaN an operation gives is not specified: write one for all.
    const auto bits = [](const std::string& f) {
      return fmt::format("select(bitcast<u32>({0}), 0x7fc00000u, {0} != {0})", f);
    };
    std::string word;
    switch (kind) {
      case Kind::kU32:
        word = value;
        break;
      case Kind::kI32:
      case Kind::kBool:
        word = fmt::format("u32({})", value);
        break;
      case Kind::kF32:
        word = bits(value);
        break;
      case Kind::kVec2I:
        word = fmt::format("u32({0}.x ^ {0}.y)", value);
        break;
      case Kind::kVec3U:
        word = fmt::format("{0}.x ^ ({0}.y + {0}.z)", value);
        break;
      case Kind::kVec4F:
        word = bits(value + "." + "xyzw"[Below(4)]);
        break;
    }
    Line(fmt::format("out[me * {}u + {}u] = {};", kOutputWordsPerInvocation, i, word));
  }

  uint64_t state_;
  std::span<const uint8_t> choices_;
  std::string body_;
  std::vector<Name> scope_;
  std::string return_text_;
  uint32_t invocations_ = 1;
  uint32_t depth_ = 0;
  uint32_t fresh_ = 0;
  uint32_t budget_ = 0;
  uint32_t helper_count_ = 0;
  uint32_t phase_count_ = 0;
  std::string own_pointer_;
  std::vector<std::string> uniforms_;  // names of what is uniform here
  bool may_return_ = false;
  bool in_continue_ok_ = false;
};

}  // namespace

RandomProgram MakeRandomProgram(uint64_t seed) { return Generator(seed).Make(); }

RandomProgram MakeRandomProgram(std::span<const uint8_t> choices) {
  uint64_t seed = 0;
  for (const uint8_t choice : choices) seed = seed * 31 + choice;
  return Generator(seed, choices).Make();
}

}  // namespace lockstep::tests
