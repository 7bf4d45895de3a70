// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "support/random_race.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "support/race_expressions.h"
#include "support/race_types.h"

namespace lockstep::tests {
namespace {

using Kind = RaceType::Kind;
using Type = RaceType;

// How invocations may touch a variable until the next barrier that orders it.
struct Mode {
  enum class Kind { kRead, kOwner, kSingle };
  Kind kind = Kind::kRead;
  std::string index;  // kOwner: of the invocation's element
  std::string guard;  // where it must hold
  bool operator==(const Mode&) const = default;
};

struct Shared {
  std::string name;
  const Type* type = nullptr;
  bool storage = false;
  uint32_t binding = 0;
  uint32_t count = 0;  // elements of an array in this run; 0: no array
  // For a dispatch, storage only: blocks[wg] of `block` elements belong to a workgroup, or all belongs to the
  // one of `group_guard`, or the mode stays.
  std::string base, group_guard;
  uint32_t block = 0;
  bool locked = false;
  Mode mode;
};

// What a statement is about: a reference, and what may be done through it.
struct Target {
  std::string place;
  const Type* type = nullptr;
  bool write = false;
  std::string space;           // of a pointer to it: "workgroup"
  uint32_t runtime_count = 0;  // of the runtime array in it
  bool component = false;      // of a vector: has no address
};

class Generator : private RaceExpressions {
 public:
  explicit Generator(uint64_t seed) : RaceExpressions(seed), types_(&random_) {
    kernel_.clean = seed % 2 == 0;
    static constexpr uint32_t kRates[] = {1, 2, 3, 5};
    mutation_rate_ = kRates[random_.Below(4)];
  }

  RaceKernel Make() {
    MakeSizes();
    MakeData();
    MakeShared();
    const uint32_t entries = OneIn(4) ? 2 : 1;
    for (uint32_t e = 0; e < entries; ++e) MakeEntry(e);
    MakeText();
    return std::move(kernel_);
  }

 private:
  // Whether to break the discipline here.
  bool Mutate() { return !kernel_.clean && OneIn(mutation_rate_); }
  std::string Fresh(std::string_view prefix) { return fmt::format("{}{}", prefix, fresh_++); }
  void Line(const std::string& text) { out_ += "  " + text + "\n"; }

  // --- the kernel around the statements ---

  void MakeSizes() {
    static constexpr std::array<uint32_t, 3> kSizes[] = {{1, 1, 1}, {2, 1, 1},  {3, 1, 1},  {4, 1, 1},
                                                         {5, 1, 1}, {2, 2, 2},  {8, 1, 1},  {4, 4, 1},
                                                         {3, 1, 4}, {12, 3, 1}, {33, 1, 1}, {64, 1, 1}};
    size_ = kSizes[Below(OneIn(3) ? 12 : 9)];
    if (!kernel_.clean && OneIn(2)) size_ = {8, 1, 1};
    invocations_ = size_[0] * size_[1] * size_[2];
    static constexpr std::array<uint32_t, 3> kCounts[] = {{1, 1, 1}, {1, 1, 1}, {2, 1, 1}, {3, 1, 1},
                                                          {1, 2, 1}, {2, 2, 1}, {1, 2, 2}, {5, 1, 1}};
    const uint32_t dispatches = OneIn(3) ? 2 : 1;
    for (uint32_t i = 0; i < dispatches; ++i) {
      RaceKernel::Dispatch dispatch;
      dispatch.workgroups = kCounts[Below(invocations_ > 16 ? 4 : 8)];
      const auto& w = dispatch.workgroups;
      workgroups_ = std::max(workgroups_, w[0] * w[1] * w[2]);
      kernel_.dispatches.push_back(dispatch);
    }
  }

  // A permutation of the local indices, small numbers, wild ones.
  void MakeData() {
    kernel_.data.resize(112);
    std::iota(kernel_.data.begin(), kernel_.data.begin() + invocations_, 0);
    for (uint32_t i = invocations_; i-- > 1;) std::swap(kernel_.data[i], kernel_.data[Below(i + 1)]);
    for (uint32_t i = 64; i < 96; ++i) kernel_.data[i] = Below(8);
    static constexpr uint32_t kWild[] = {0, 0xffffffff, 0x80000000, 0x7fffffff, 0xfffffffe, 4, 64, 1000000};
    for (uint32_t i = 96; i < 112; ++i) kernel_.data[i] = kWild[Below(8)];
  }

  void MakeShared() {
    const uint32_t workgroup = Below(4), storage = workgroup == 0 ? 1 + Below(2) : Below(3);
    for (uint32_t i = 0; i < workgroup + storage; ++i) {
      Shared s;
      s.storage = i >= workgroup;
      s.name = fmt::format("{}{}", s.storage ? "buf" : "tile", i);
      s.binding = 3 + i;
      const RaceTypes::Allow allow{true, !s.storage};
      if (OneIn(4)) {
        s.type = MakeSmall(2, allow);
        if (s.type->IsArray()) s.count = s.type->count;
      } else {
        MakeArray(&s, allow);
      }
      if (s.storage && s.count == 0 && OneIn(2)) MakeHeaded(&s);
      shared_.push_back(std::move(s));
    }
  }

  // Functions have 8,192 bytes for all their variables.
  const Type* MakeSmall(uint32_t depth, RaceTypes::Allow allow) {
    const Type* type = types_.Make(depth, allow);
    while (type->scalars > 150) type = types_.Make(depth, allow);
    return type;
  }

  void MakeArray(Shared* s, RaceTypes::Allow allow) {
    const Type* element = MakeSmall(OneIn(3) ? 2 : OneIn(2) ? 1 : 0, allow);
    const uint32_t wanted = s->storage ? invocations_ * workgroups_ : invocations_;
    static constexpr uint32_t kPercent[] = {50, 100, 100, 130, 200};
    s->count = std::clamp<uint32_t>(wanted * kPercent[Below(5)] / 100 + Below(2), 1,
                                    element->scalars > 16 ? 12 : 160);
    const bool runtime = s->storage && OneIn(2);
    s->type = types_.Array(element, runtime ? 0 : s->count);
    if (runtime) kernel_.runtime_elements[s->binding] = s->count;
  }

  // A struct that ends in a runtime array.
  void MakeHeaded(Shared* s) {
    const Type* element = types_.Make(1, {true, false});
    s->type = types_.Struct({{"head", types_.Make(1, {true, false})}, {"items", types_.Array(element, 0)}});
    kernel_.runtime_elements[s->binding] = 1 + Below(9);
  }

  void MakeEntry(uint32_t number) {
    kernel_.entries.push_back(fmt::format("main{}", number));
    for (size_t i = 0; i < kernel_.dispatches.size(); ++i) {
      if (number != 0 && i != 0) kernel_.dispatches[i].entry = number;
    }
    for (Shared& s : shared_) {
      if (s.storage) Plan(&s);
    }
    NewModes(false);
    NewModes(true);
    out_.clear();
    budget_ = static_cast<int>(5 + Below(OneIn(4) ? 24 : 12));
    k_ = "k";
    Line("let wg = wid.x + nwg.x * (wid.y + nwg.y * wid.z);");
    Line("let k = 0u;");
    Line("var acc = 0u;");
    Line("var loc: array<u32, 5>;");
    while (budget_ > 0) Statement(true);
    Line(fmt::format("own[wg * {}u + lid] = acc;", invocations_));
    if (OneIn(3)) {
      Line(fmt::format("if ({}) {{ return; }}", Condition()));
      Statement(false);
      Statement(false);
    }
    functions_ += fmt::format(
        "@compute @workgroup_size({}, {}, {})\nfn {}(@builtin(local_invocation_index) lid: u32, "
        "@builtin(workgroup_id) "
        "wid: vec3<u32>,\n    @builtin(num_workgroups) nwg: vec3<u32>) {{\n{}}}\n",
        size_[0], size_[1], size_[2], kernel_.entries.back(), out_);
  }

  void MakeText() {
    std::string& text = kernel_.text;
    text = types_.declarations();
    text += "struct Uni { n: u32, v: array<vec4<u32>, 3> }\n";
    text += "@group(0) @binding(0) var<storage, read> data: array<u32>;\n";
    text += "@group(0) @binding(1) var<storage, read_write> own: array<u32>;\n";
    text += "@group(0) @binding(2) var<uniform> uni: Uni;\n";
    for (const Shared& s : shared_) {
      if (s.storage) {
        text += fmt::format("@group(0) @binding({}) var<storage, read_write> {}: {};\n", s.binding, s.name,
                            s.type->text);
      } else {
        text += fmt::format("var<workgroup> {}: {};\n", s.name, s.type->text);
      }
    }
    text += "var<workgroup> flag: u32;\nvar<private> mine: array<i32, 6>;\n";
    text += "const kTable = array<u32, 70>();\n";
    text += functions_;
  }

  // --- discipline ---

  void Plan(Shared* s) {
    s->base.clear();
    s->group_guard.clear();
    s->block = s->count;
    s->locked = false;
    s->mode = {};
    switch (Below(s->count != 0 ? 5 : 3)) {
      case 0:  // all read
        s->locked = true;
        return;
      case 1:  // one workgroup has it
        s->group_guard = fmt::format("wg == {}u", Below(workgroups_));
        return;
      case 2:  // one invocation has it
        s->group_guard = fmt::format("wg == {}u && lid == {}u", Below(workgroups_), Below(invocations_));
        s->locked = true;
        s->mode.kind = Mode::Kind::kSingle;
        s->mode.guard = "true";
        return;
      case 3:  // an element each, workgroups interleaved
        s->locked = true;
        s->mode = {Mode::Kind::kOwner, fmt::format("lid * {}u + wg", workgroups_), ""};
        return;
      default:
        static constexpr uint32_t kPercent[] = {50, 100, 100, 120};
        s->block = std::max(1u, invocations_ * kPercent[Below(4)] / 100);
        s->base = fmt::format("wg * {}u + ", s->block);
    }
  }

  Mode NewMode(const Shared& s) {
    const bool array = s.count != 0;
    const uint32_t kind = Below(array ? 6 : 2);
    if (kind == 0) return {};
    if (kind == 1) return {Mode::Kind::kSingle, "", fmt::format("lid == {}u", Below(invocations_))};
    if (kind == 2 && array) return {};
    const std::string own = OwnIndex();
    const uint32_t elements = s.storage ? s.block : s.count;
    std::string guard;
    if (elements < invocations_ && (!s.base.empty() || OneIn(2)))
      guard = fmt::format("{} < {}u", own, elements);
    std::string index = s.base + own;
    if (OneIn(4)) index = fmt::format("i32({})", index);
    return {Mode::Kind::kOwner, index, guard};
  }

  // Another one for each invocation of the workgroup.
  std::string OwnIndex() {
    switch (Below(6)) {
      case 0:
        return fmt::format("({}u - lid)", invocations_ - 1);
      case 1:
        return fmt::format("((lid + {}u) % {}u)", Below(invocations_), invocations_);
      case 2:
        return "data[lid]";
      case 3:
        if (invocations_ % 2 == 0) return "(lid ^ 1u)";
        return "lid";
      default:
        return "lid";
    }
  }

  void NewModes(bool storage) {
    for (Shared& s : shared_) {
      if (s.storage == storage && !s.locked) s.mode = NewMode(s);
    }
  }

  std::vector<Mode> Modes() const {
    std::vector<Mode> modes;
    for (const Shared& s : shared_) modes.push_back(s.mode);
    return modes;
  }

  // Ends an arm or a round of a loop in the discipline that it began with.
  void Restore(const std::vector<Mode>& modes) {
    for (const bool storage : {false, true}) {
      bool differs = false;
      for (size_t i = 0; i < modes.size(); ++i) {
        differs |= shared_[i].storage == storage && shared_[i].mode != modes[i];
      }
      if (differs) EmitBarrier(storage);
    }
    for (size_t i = 0; i < modes.size(); ++i) shared_[i].mode = modes[i];
  }

  void EmitBarrier(bool storage) {
    if (Mutate()) {
      if (OneIn(2)) return;
      storage = !storage;
    }
    if (OneIn(6)) {
      const std::string name = storage ? "sync_storage" : "sync_workgroup";
      if (functions_.find("fn " + name) == std::string::npos) {
        functions_ += fmt::format("fn {}() {{ {}Barrier(); }}\n", name, storage ? "storage" : "workgroup");
      }
      return Line(name + "();");
    }
    Line(storage ? "storageBarrier();" : "workgroupBarrier();");
  }

  // --- statements ---

  void Statement(bool uniform) {
    --budget_;
    switch (Below(uniform ? 20 : 12)) {
      case 0:
        return OwnMemory();
      case 1:
        return Block("if (" + Condition() + ") {", OneIn(2));
      case 2:
        return DivergentLoop();
      case 3:
        if (depth_ < 3) return Outline(false);
        break;
      case 4:
        if (OneIn(3)) return Switch();
        break;
      case 12:
      case 13:
      case 14:
        return Barrier();
      case 15:
      case 16:
        return UniformLoop(Rounds());
      case 17:
        return UniformIf();
      case 18:
        return OneIn(2) ? UniformLoad() : Flag();
      case 19:
        if (depth_ < 3) return Outline(true);
        break;
      default:
        break;
    }
    if (shared_.empty()) return OwnMemory();
    AccessShared(&shared_[Below(static_cast<uint32_t>(shared_.size()))]);
  }

  void Statements(bool uniform, uint32_t most) {
    ++depth_;
    const uint32_t count = 1 + Below(most);
    for (uint32_t i = 0; i < count && (i == 0 || budget_ > 0); ++i) Statement(uniform && depth_ < 5);
    --depth_;
  }

  void Barrier() {
    const bool storage = OneIn(3);
    EmitBarrier(storage);
    NewModes(storage);
    if (!OneIn(4)) return;
    EmitBarrier(!storage);
    NewModes(!storage);
  }

  // Memory that nobody else sees, in and out of range.
  void OwnMemory() {
    switch (Below(5)) {
      case 4:
        return Line(fmt::format("acc ^= kTable[{}];", Index(70)));
      case 0:
        return Line(fmt::format("mine[{}] = i32({});", Atom(), Number()));
      case 1:
        return Line(fmt::format("loc[{}] += {};", Index(5), Number()));
      case 2:
        return Line(fmt::format("acc ^= loc[{}] + data[{}];", Index(5), Atom()));
      default:
        return Line(fmt::format("acc ^= bitcast<u32>(mine[{}]);", Index(6)));
    }
  }

  void Block(const std::string& head, bool with_else) {
    if (depth_ > 4) return OwnMemory();
    Line(head);
    Statements(false, 2);
    if (with_else) {
      Line("} else {");
      Statements(false, 2);
    }
    Line("}");
  }

  void Switch() {
    if (depth_ > 4) return OwnMemory();
    Line(fmt::format("switch ({} % 4u) {{ case 0u: {{", Atom()));
    Statements(false, 1);
    Line("} case 1u, 3u: {");
    Statements(false, 1);
    Line("} default: {");
    Statements(false, 1);
    Line("} }");
  }

  void DivergentLoop() {
    if (depth_ > 4) return OwnMemory();
    const std::string outer = k_;
    k_ = Fresh("k");
    const std::string rounds = OneIn(2) ? fmt::format("{}u", 1 + Below(3)) : "(lid & 3u)";
    Line(fmt::format("for (var {0} = 0u; {0} < {1}; {0}++) {{", k_, rounds));
    if (OneIn(4)) Line(fmt::format("if ({}) {{ {}; }}", Condition(), OneIn(2) ? "continue" : "break"));
    Statements(false, 2);
    Line("}");
    k_ = outer;
  }

  void UniformLoop(const std::string& rounds) {
    if (depth_ > 3) return OwnMemory();
    const std::string outer = k_;
    const std::vector<Mode> modes = Modes();
    k_ = Fresh("k");
    const bool endless = OneIn(3);
    if (endless) {
      Line(fmt::format("var {} = 0u;", k_));
      Line(fmt::format("loop {{ if ({} >= {}) {{ break; }}", k_, rounds));
    } else {
      Line(fmt::format("for (var {0} = 0u; {0} < {1}; {0}++) {{", k_, rounds));
    }
    Statements(true, 4);
    Restore(modes);
    Line(endless ? fmt::format("continuing {{ {}++; }} }}", k_) : "}");
    k_ = outer;
  }

  void UniformIf() {
    if (depth_ > 3) return OwnMemory();
    const std::vector<Mode> modes = Modes();
    Line(fmt::format("if ({}) {{", UniformCondition()));
    Statements(true, 3);
    Restore(modes);
    if (OneIn(2)) {
      Line("} else {");
      Statements(true, 3);
      Restore(modes);
    }
    Line("}");
  }

  void UniformLoad() {
    std::vector<const Shared*> tiles;
    for (const Shared& s : shared_) {
      if (!s.storage) tiles.push_back(&s);
    }
    if (tiles.empty()) return OwnMemory();
    const Shared& tile = *tiles[Below(static_cast<uint32_t>(tiles.size()))];
    std::string place = tile.name;
    const Type* type = tile.type;
    while ((!type->constructible && !IsAtomic(*type)) || (type->kind != Kind::kVector && OneIn(2))) {
      if (type->kind == Kind::kStruct) {
        const Type::Member& member = type->members[Below(static_cast<uint32_t>(type->members.size()))];
        place += "." + member.name;
        type = member.type;
      } else if (type->count != 0 && type->kind != Kind::kVector) {
        place += OneIn(2) ? fmt::format("[{}u]", Below(type->count))
                          : fmt::format("[wg + {}u]", Below(type->count));
        type = type->element;
      } else {
        break;
      }
    }
    const std::string value = Fresh("loaded");
    Line(fmt::format("let {} = workgroupUniformLoad(&{});", value, place));
    Line(fmt::format("acc ^= {};", AsNumber(value, *type)));
    NewModes(false);
  }

  // A number of rounds that one invocation decides.
  void Flag() {
    Line(fmt::format("if (lid == {}u) {{ flag = {}; }}", Below(invocations_),
                     OneIn(2) ? "wg + 1u" : "data[70u]"));
    const std::string value = Fresh("n");
    Line(fmt::format("let {} = workgroupUniformLoad(&flag);", value));
    NewModes(false);
    UniformLoop(fmt::format("({} & 3u)", value));
  }

  // Statements in a function of their own, called once or twice.
  void Outline(bool uniform) {
    const std::string name = Fresh("part");
    const std::string outer = k_, text = std::exchange(out_, "");
    const std::vector<Mode> modes = Modes();
    k_ = "k";
    Line("var acc = 0u;");
    Line("var loc: array<u32, 5>;");
    Statements(uniform, 3);
    if (uniform) Restore(modes);
    if (!uniform && OneIn(4)) {
      Line(fmt::format("if ({}) {{ return acc; }}", Condition()));
      Statements(false, 1);
    }
    Filler();
    Line("return acc;");
    functions_ += fmt::format("fn {}(lid: u32, wg: u32, k: u32) -> u32 {{\n{}}}\n", name, out_);
    out_ = text;
    k_ = outer;
    Line(fmt::format("acc ^= {}(lid, wg, {});", name, k_));
    if (OneIn(2)) Line(fmt::format("acc ^= {}(lid, wg, {} + 1u);", name, k_));
  }

  // Makes a function too large to be inlined.
  void Filler() {
    if (!OneIn(3)) return;
    for (uint32_t i = 0; i < 20; ++i)
      Line(fmt::format("acc = (acc ^ (acc << {}u)) * 2654435761u + {}u;", i, i));
  }

  // --- accesses ---

  static bool IsAtomic(const Type& type) {
    return type.kind == Kind::kAtomicU32 || type.kind == Kind::kAtomicI32;
  }

  void AccessShared(Shared* s) {
    const std::string space = s->storage ? "storage" : "workgroup";
    const auto runtime = kernel_.runtime_elements.find(s->binding);
    Target target{s->name, s->type, false, space,
                  runtime != kernel_.runtime_elements.end() ? runtime->second : 0};
    if (!s->storage) target.runtime_count = 0;
    if (s->type->all_atomic || (s->type->atomics && OneIn(3))) return Atomics(target);
    const bool wild = Mutate();
    const Mode& mode = s->mode;
    std::string guard = s->group_guard;
    if (!mode.guard.empty()) guard += (guard.empty() ? "" : " && ") + mode.guard;
    if (wild && OneIn(2)) guard.clear();
    target.write = mode.kind != Mode::Kind::kRead || wild;
    const bool owner = mode.kind == Mode::Kind::kOwner;
    if (owner && !(wild && OneIn(2))) {
      target.place += fmt::format("[{}]", mode.index);
      target.type = s->type->element;
    } else if (s->count != 0 && (owner || !s->base.empty() || !OneIn(4))) {
      target.place += fmt::format("[{}]", SharedIndex(*s));
      target.type = s->type->element;
    }
    if (target.type->all_atomic) return Atomics(target);
    if (guard.empty()) return Access(target, 0);
    Line(fmt::format("if ({}) {{", guard));
    Access(target, 0);
    Line("}");
  }

  std::string SharedIndex(const Shared& s) {
    if (!s.base.empty()) return fmt::format("{}({} % {}u)", s.base, Atom(), s.block);
    return Index(s.count);
  }

  // Something with the target or a part of it.
  void Access(Target target, uint32_t helpers) {
    const Type& type = *target.type;
    if (!target.component && helpers < 3 && OneIn(7)) return CallHelper(target, helpers);
    if (!target.component && OneIn(9)) {
      const std::string pointer = Fresh("p");
      Line(fmt::format("let {} = &{};", pointer, target.place));
      target.place = fmt::format("(*{})", pointer);
    }
    const bool whole = type.constructible && (type.scalars == 1 || OneIn(3));
    if (whole) return target.write && !OneIn(3) ? Write(target) : Read(target);
    if (IsAtomic(type)) return Atomics(target);
    if (type.kind == Kind::kVector) {
      if (target.write && OneIn(3)) return WriteSwizzle(target);
      target.component = true;
      target.place +=
          OneIn(2) ? fmt::format(".{}", "xyzw"[Below(type.count)]) : fmt::format("[{}]", Index(type.count));
      target.type = type.element;
      return Access(target, helpers);
    }
    Descend(&target, Below(std::max<uint32_t>(1, static_cast<uint32_t>(type.members.size()))));
    Access(target, helpers);
  }

  void Descend(Target* target, uint32_t member) {
    const Type& type = *target->type;
    if (type.kind == Kind::kStruct) {
      target->place += "." + type.members[member].name;
      target->type = type.members[member].type;
      return;
    }
    target->place += fmt::format("[{}]", Index(type.count != 0 ? type.count : target->runtime_count));
    target->type = type.element;
  }

  void CallHelper(const Target& target, uint32_t helpers) {
    const std::string name = Fresh("helper");
    const std::string outer = k_, text = std::exchange(out_, "");
    k_ = "k";
    Line("var acc = 0u;");
    Target inside = target;
    const bool parts = target.type->kind == Kind::kStruct || target.type->kind == Kind::kArray;
    inside.place = parts && OneIn(2) ? "p" : "(*p)";  // p.member, p[i]
    const uint32_t count = 1 + Below(2);
    for (uint32_t i = 0; i < count; ++i) {
      Target one = inside;
      if (one.type->all_atomic) {
        Atomics(one);
      } else if (one.place == "p") {
        Descend(&one, Below(std::max<uint32_t>(1, static_cast<uint32_t>(one.type->members.size()))));
        Access(one, helpers + 1);
      } else {
        Access(one, helpers + 1);
      }
    }
    Filler();
    Line("return acc;");
    const std::string pointer = fmt::format("ptr<{}, {}{}>", target.space, target.type->text,
                                            target.space == "storage" ? ", read_write" : "");
    functions_ +=
        fmt::format("fn {}(p: {}, lid: u32, wg: u32, k: u32) -> u32 {{\n{}}}\n", name, pointer, out_);
    out_ = text;
    k_ = outer;
    Line(fmt::format("acc ^= {}(&{}, lid, wg, {});", name, target.place, k_));
  }

  void Read(const Target& target) {
    const Type& type = *target.type;
    switch (Below(6)) {
      case 0:
        return Line(fmt::format("_ = {};", target.place));
      case 1: {
        const std::string value = Fresh("t");
        Line(fmt::format("{} {} = {};", OneIn(2) ? "let" : "var", value, target.place));
        return Line(fmt::format("acc ^= {};", AsNumber(value, type)));
      }
      case 2:
        if (type.scalars != 1) break;
        return Line(fmt::format("acc ^= select(0u, 1u, ({}) {} {} == 3u);", Condition(),
                                OneIn(2) ? "&&" : "||", AsNumber(target.place, type)));
      case 3:
        if (type.scalars != 1) break;
        return Line(
            fmt::format("acc ^= select({}, {}, {});", Number(), AsNumber(target.place, type), Condition()));
      default:
        break;
    }
    Line(fmt::format("acc ^= {};", AsNumber(target.place, type)));
  }

  void Write(const Target& target) {
    const Type& type = *target.type;
    const bool vector = type.kind == Kind::kVector && type.element->kind != Kind::kBool;
    const bool number = type.IsInteger() || type.kind == Kind::kF32 || vector;
    if (number && OneIn(3)) {
      return Line(fmt::format("{} {}= {};", target.place, "+-*"[Below(3)], Value(type)));
    }
    if (type.IsInteger() && OneIn(6)) return Line(fmt::format("{}{};", target.place, OneIn(2) ? "++" : "--"));
    if (OneIn(5)) {
      const std::string value = Fresh("t");
      Line(fmt::format("{} {} = {};", OneIn(2) ? "let" : "var", value, Value(type)));
      return Line(fmt::format("{} = {};", target.place, value));
    }
    Line(fmt::format("{} = {};", target.place, Value(type)));
  }

  void WriteSwizzle(const Target& target) {
    const Type& type = *target.type;
    static constexpr const char* kTwo[] = {"xy", "yx", "yz", "xw", "wz"};
    const char* swizzle = kTwo[Below(type.count == 2 ? 2 : type.count == 3 ? 3 : 5)];
    const bool compound = type.element->kind != Kind::kBool && OneIn(3);
    const std::string value =
        fmt::format("vec2<{}>({}, {})", type.element->text, Value(*type.element), Value(*type.element));
    Line(fmt::format("{}.{} {}= {};", target.place, swizzle, compound ? "+" : "", value));
  }

  // An atomic in the target: where some hold none, one that does.
  void Atomics(Target target) {
    while (!IsAtomic(*target.type)) {
      std::vector<uint32_t> fitting;
      for (uint32_t i = 0; i < target.type->members.size(); ++i) {
        if (target.type->members[i].type->atomics) fitting.push_back(i);
      }
      Descend(&target, fitting.empty() ? 0 : fitting[Below(static_cast<uint32_t>(fitting.size()))]);
    }
    const bool is_signed = target.type->kind == Kind::kAtomicI32;
    const std::string value = is_signed ? fmt::format("i32({})", Number()) : Number();
    static constexpr const char* kOps[] = {"Add", "Sub", "Max", "Min", "And", "Or", "Xor", "Exchange"};
    const auto sink = [&](const std::string& call) {
      Line(OneIn(2) ? fmt::format("acc ^= {};", AsNumber(call, *target.type)) : fmt::format("_ = {};", call));
    };
    switch (Below(6)) {
      case 0:
        return Line(fmt::format("atomicStore(&{}, {});", target.place, value));
      case 1:
        return sink(fmt::format("atomicLoad(&{})", target.place));
      case 2: {
        const std::string literal = is_signed ? "0i" : "0u";
        const std::string call =
            fmt::format("atomicCompareExchangeWeak(&{}, {}, {})", target.place, literal, value);
        if (OneIn(2)) return Line(fmt::format("acc ^= select(0u, 1u, {}.exchanged);", call));
        return Line(fmt::format("_ = {};", call));
      }
      case 3:
        return Line(fmt::format("atomic{}(&{}, {});", kOps[Below(8)], target.place, value));
      default:
        return sink(fmt::format("atomic{}(&{}, {})", kOps[Below(8)], target.place, value));
    }
  }

  RaceTypes types_;
  RaceKernel kernel_;
  uint32_t mutation_rate_ = 6;
  std::array<uint32_t, 3> size_ = {1, 1, 1};
  uint32_t workgroups_ = 1;  // of the largest dispatch
  std::vector<Shared> shared_;
  std::string functions_, out_;
  uint32_t fresh_ = 0;
  uint32_t depth_ = 0;
  int budget_ = 0;
};

}  // namespace

RaceKernel MakeRaceKernel(uint64_t seed) { return Generator(seed).Make(); }

}  // namespace lockstep::tests
