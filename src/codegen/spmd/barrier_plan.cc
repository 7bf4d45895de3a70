// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "codegen/spmd/barrier_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "codegen/spmd/frame_slots.h"

namespace lockstep::codegen {

using ir::AddressSpace;
using ir::BlockId;
using ir::FunctionId;
using ir::InstId;
using ir::Module;
using ir::Op;
using ir::TypeId;
using ir::ValueId;
using ir::ValueKind;

namespace {

constexpr uint32_t kWorkgroupLevel = 0;  // as a region's number
// What making a value again may cost, in instructions: scalar ones (uniform, affine) are nearly free.
constexpr uint32_t kRemakeVarying = 3;
constexpr uint32_t kRemakeScalar = 8;
constexpr uint32_t kNever = 1000;

class Planner {
 public:
  Planner(LaneKernel& kernel, const Structure& structure, const ShapeInfo& shapes)
      : kernel_(kernel), module_(kernel.module), structure_(structure), shapes_(shapes) {
    regions_.push_back({});  // workgroup level
    placed_.resize(module_.functions.size());
    for (const FunctionId f : structure_.functions) {
      if (f == module_.entry || kernel_.barriers.HasRegions(f)) functions_.push_back(f);
    }
  }

  Result<> Run() {
    // What is hoisted is known everywhere before uses are: a call asks for the parameters of its callee.
    for (const FunctionId f : functions_) {
      function_ = f;
      for (const ValueId param : module_.functions[f].params) SetParameter(param);
      NumberBlock(module_.functions[f].body);
    }
    for (const FunctionId f : functions_) {
      function_ = f;
      PlaceBlock(module_.functions[f].body);
    }
    InsertCopies();
    MarkPrivateVariables();
    return AssignOffsets();
  }

 private:
  struct Region {
    BlockId block = BlockId::None();
    size_t start = 0;            // where it starts in the block
    std::vector<InstId> copies;  // made again at its start
    std::unordered_map<ValueId, ValueId, IdHash> remade;
  };
  enum : uint8_t { kPlain, kHoisted, kParameter };  // of values at workgroup level

  static bool IsWorkgroup(const Fact& fact) { return fact.kind == Fact::kWorkgroup; }
  bool AtWorkgroupLevel(InstId inst) const { return kernel_.barriers.workgroup_level.Get(inst) != 0; }
  uint32_t region_of(ValueId v) const { return def_region_.Get(v); }

  // --- first walk: regions, and what is hoisted ---
  void NumberBlock(BlockId block) {
    const std::vector<InstId>& insts = module_.blocks[block].insts;
    uint32_t region = NewRegion(block, 0);
    for (size_t i = 0; i < insts.size(); ++i) {
      const InstId inst = insts[i];
      if (!AtWorkgroupLevel(inst)) {
        if (!ir::IsExit(module_.insts[inst].op)) NumberInst(inst, region, true);
        continue;
      }
      for (const BlockId inner : module_.regions(inst)) {
        for (const ValueId p : module_.blocks[inner].params) SetParameter(p);
        NumberBlock(inner);
      }
      for (const ValueId r : module_.results(inst)) SetParameter(r);
      region = NewRegion(block, i + 1);
    }
  }
  uint32_t NewRegion(BlockId block, size_t start) {
    regions_.push_back({block, start, {}, {}});
    return static_cast<uint32_t>(regions_.size() - 1);
  }
  void SetParameter(ValueId v) {
    const bool hoisted = IsWorkgroup(shapes_.fact(v));
    state_.Set(v, hoisted ? kHoisted : kParameter);
    if (!hoisted) SetHome(v, Home::kGroupSlot);
  }
  void NumberInst(InstId inst, uint32_t region, bool top) {
    for (const ValueId r : module_.results(inst)) def_region_.Set(r, region);
    if (top && CanHoist(inst)) state_.Set(module_.result(inst), kHoisted);
    for (const BlockId inner : module_.regions(inst)) {
      for (const ValueId p : module_.blocks[inner].params) def_region_.Set(p, region);
      for (const InstId nested : module_.blocks[inner].insts) NumberInst(nested, region, false);
    }
  }
  bool CanHoist(InstId inst) const {
    const Op op = module_.insts[inst].op;
    if (module_.results(inst).size() != 1 || shapes_.fact(module_.result(inst)).kind != Fact::kWorkgroup)
      return false;
    if (op == Op::kLoad) {
      const ir::Value& root = module_.value(RootOf(module_, module_.operands(inst)[0]));
      if (root.kind != ValueKind::kVariable) return false;
    } else if (ir::EffectOf(op) != ir::Effect::kPure) {
      return false;
    }
    for (const ValueId v : module_.operands(inst)) {
      if (!Everywhere(v)) return false;
    }
    return true;
  }
  // At hand at workgroup level and in every region.
  bool Everywhere(ValueId v) const {
    const ValueKind kind = module_.value(v).kind;
    return kind == ValueKind::kConstant || kind == ValueKind::kVariable || state_.Get(v) == kHoisted;
  }

  // --- second walk: uses ---
  void PlaceBlock(BlockId block) {
    // By index: InsertCopies comes later, but regions_ may grow no more here.
    const std::vector<InstId> insts = module_.blocks[block].insts;
    uint32_t region = FirstRegion(block);
    for (const InstId inst : insts) {
      if (ir::IsExit(module_.insts[inst].op)) {
        PlaceJump(inst, region);
      } else if (AtWorkgroupLevel(inst)) {
        PlaceAtWorkgroupLevel(inst, region);
        for (const BlockId inner : module_.regions(inst)) PlaceBlock(inner);
        region = region_after_.Get(inst);
      } else {
        PlaceInst(inst, region);
      }
    }
  }
  uint32_t FirstRegion(BlockId block) {
    if (first_region_.empty()) IndexRegions();
    return first_region_[block.index];
  }
  void IndexRegions() {
    for (uint32_t r = 1; r < regions_.size(); ++r) {
      const Region& region = regions_[r];
      if (region.start == 0)
        first_region_[region.block.index] = r;
      else
        region_after_.Set(module_.blocks[region.block].insts[region.start - 1], r);
    }
  }
  void PlaceInst(InstId inst, uint32_t region) {
    // Hoisted instructions have operands that are at hand everywhere: nothing to do for them.
    for (size_t i = 0; i < module_.operands(inst).size(); ++i) Rewrite(inst, i, region);
    for (const BlockId inner : module_.regions(inst)) {
      for (const InstId nested : std::vector<InstId>(module_.blocks[inner].insts)) PlaceInst(nested, region);
    }
  }
  void PlaceAtWorkgroupLevel(InstId inst, uint32_t region) {
    const Op op = module_.insts[inst].op;
    const std::vector<ValueId>* params = nullptr;
    if (op == Op::kLoop) params = &module_.blocks[module_.regions(inst)[0]].params;
    if (op == Op::kCall) params = &module_.functions[FunctionId(module_.insts[inst].imm)].params;
    for (size_t i = 0; i < module_.operands(inst).size(); ++i) {
      const ValueId operand = module_.operands(inst)[i];
      if (op == Op::kCall && module_.types.IsPointer(module_.type_of(operand))) {
        const ValueId root = RootOf(module_, operand);
        if (module_.value(root).kind == ValueKind::kResult) SetHome(root, Home::kGroupSlot);
      }
      const bool uniform = params == nullptr || state_.Get((*params)[i]) == kHoisted;
      Rewrite(inst, i, uniform ? kWorkgroupLevel : region);
    }
  }
  void PlaceJump(InstId jump, uint32_t region) {
    const Op op = module_.insts[jump].op;
    if (op == Op::kUnreachable) return;
    if (op == Op::kReturn) {
      // Written by the region, a uniform one too: lane groups that returned inside of it have written theirs.
      if (!module_.operands(jump).empty()) Rewrite(jump, 0, region);
      return;
    }
    const InstId target(module_.insts[jump].imm);
    for (size_t i = 0; i < module_.operands(jump).size(); ++i) {
      const ValueId to = op == Op::kExit
                             ? module_.results(target)[i]
                             : module_.blocks[module_.regions(target)[op == Op::kContinue ? 1 : 0]].params[i];
      Rewrite(jump, i, state_.Get(to) == kHoisted ? kWorkgroupLevel : region);
    }
  }
  void Rewrite(InstId inst, size_t operand, uint32_t region) {
    const ValueId before = module_.operands(inst)[operand];
    const ValueId after = Need(before, region);
    if (after != before) module_.operands(inst)[operand] = after;
  }

  // Makes `v` available in `region`; what to use there.
  ValueId Need(ValueId v, uint32_t region) {
    if (Everywhere(v) || state_.Get(v) == kParameter) return v;
    const InstId def = module_.defining_inst(v);
    const bool pointer = module_.types.IsPointer(module_.type_of(v));
    if (region_of(v) == region) return v;
    if (pointer && module_.insts[def].op == Op::kVar) {
      SetHome(v, Home::kGroupSlot);
      return v;
    }
    if (region == kWorkgroupLevel) {
      if (!pointer)
        SetHome(v, Home::kUniformSlot);
      else if (module_.insts[def].op == Op::kAccess)
        NeedOperands(def, region);
      return v;
    }
    if (pointer || Cost(v) <= Budget(v)) return MakeAgain(def, region);
    SetHome(v, shapes_.fact(v).kind == Fact::kWorkgroup ? Home::kUniformSlot : Home::kGroupSlot);
    return v;
  }
  void NeedOperands(InstId inst, uint32_t region) {
    for (const ValueId v : module_.operands(inst)) Need(v, region);
  }
  void SetHome(ValueId v, Home home) {
    // A condition that workgroup level needs keeps its uniform slot.
    const Home before = kernel_.placements.Get(v).home;
    if (before == Home::kUniformSlot) return;
    if (before == Home::kLocal) placed_[function_.index].push_back(v);
    kernel_.placements.Set(v, {home, 0});
  }

  // --- making again ---
  uint32_t Budget(ValueId v) const {
    const ShapeKind kind = kernel_.shapes.Get(v).kind;
    return kind == ShapeKind::kUniform || kind == ShapeKind::kAffine ? kRemakeScalar : kRemakeVarying;
  }
  uint32_t Cost(ValueId v) {
    if (Everywhere(v)) return 0;
    if (state_.Get(v) == kParameter) return 1;  // a reload
    const InstId def = module_.defining_inst(v);
    if (!def.has_value()) return kNever;
    const auto known = cost_.find(v);
    if (known != cost_.end()) return known->second;
    const Op op = module_.insts[def].op;
    const bool slow = op == Op::kDiv || op == Op::kRem || op == Op::kSqrt || op == Op::kLoad;
    if (ir::EffectOf(op) != ir::Effect::kPure || slow || module_.results(def).size() != 1) return kNever;
    cost_[v] = kNever;  // bounds the recursion: chains longer than any budget are cut
    uint32_t cost = op == Op::kBuiltinInput || op == Op::kExtract || op == Op::kConstruct ? 0 : 1;
    if (++cost_depth_ > kRemakeScalar * 2) cost = kNever;
    for (const ValueId operand : module_.operands(def)) {
      if (cost > kRemakeScalar) break;
      cost += Cost(operand);
    }
    --cost_depth_;
    return cost_[v] = std::min(cost, kNever);
  }
  ValueId MakeAgain(InstId def, uint32_t region) {
    const ValueId v = module_.result(def);
    const auto known = regions_[region].remade.find(v);
    if (known != regions_[region].remade.end()) return known->second;
    std::vector<ValueId> operands;
    for (const ValueId operand :
         std::vector<ValueId>(module_.operands(def).begin(), module_.operands(def).end())) {
      operands.push_back(Need(operand, region));
    }
    const TypeId types[] = {module_.type_of(v)};
    const InstId copy = module_.MakeInst(module_.insts[def].op, operands, types, module_.insts[def].imm, {},
                                         module_.span(def));
    const ValueId made = module_.result(copy);
    module_.set_name(made, std::string(module_.name_of(v)));
    kernel_.shapes.Set(made, kernel_.shapes.Get(v));
    def_region_.Set(made, region);
    regions_[region].copies.push_back(copy);
    regions_[region].remade[v] = made;
    return made;
  }
  void InsertCopies() {
    // Regions of a block are numbered in order: from the last to the first, so that starts stay right.
    for (size_t r = regions_.size(); r-- > 1;) {
      if (regions_[r].copies.empty()) continue;
      std::vector<InstId>& insts = module_.blocks[regions_[r].block].insts;
      insts.insert(insts.begin() + static_cast<std::ptrdiff_t>(regions_[r].start), regions_[r].copies.begin(),
                   regions_[r].copies.end());
    }
  }

  // --- the frame ---
  // Those that are left are used by functions that are called: they need an address that all functions know.
  void MarkPrivateVariables() {
    function_ = module_.entry;
    for (const InstId inst : structure_.order) {
      for (const ValueId v : module_.operands(inst)) {
        const bool variable = module_.value(v).kind == ValueKind::kVariable;
        if (variable && module_.types[module_.type_of(v)].space == AddressSpace::kPrivate) {
          SetHome(v, Home::kGroupSlot);
        }
      }
    }
  }
  // Each function's slots lie behind those of all that may call it.
  Result<> AssignOffsets() {
    for (uint32_t i = 0; i < module_.value_count(); ++i) {
      if (state_.Get(ValueId(i)) == kHoisted) kernel_.placements.Set(ValueId(i), {Home::kHoisted, 0});
    }
    std::vector<Extent> starts(module_.functions.size());
    Extent total;
    for (const FunctionId f : functions_) {  // callers come before callees
      Extent end = starts[f.index];
      PlaceValues(f, &end);
      if (f != module_.entry) PlaceResult(f, &end);
      if (end.uniform + end.group > kMaxFrameBytes) return TooLarge(end.uniform + end.group);
      ForEachInst(module_, module_.functions[f].body, [&](InstId inst) {
        if (module_.insts[inst].op == Op::kCall) starts[module_.insts[inst].imm].Cover(end);
      });
      total.Cover(end);
    }
    constexpr uint64_t kLine = 64;
    kernel_.barriers.uniform_bytes = static_cast<uint32_t>((total.uniform + kLine - 1) / kLine * kLine);
    kernel_.barriers.group_bytes = static_cast<uint32_t>((total.group + kLine - 1) / kLine * kLine);
    if (kernel_.frame_bytes() > kMaxFrameBytes) return TooLarge(kernel_.frame_bytes());
    return Ok{};
  }
  struct Extent {  // of the frame's parts
    uint64_t uniform = 0, group = 0;
    void Cover(const Extent& other) {
      uniform = std::max(uniform, other.uniform);
      group = std::max(group, other.group);
    }
  };
  // The sums stay far from overflow: a variable that is too large ends them.
  void PlaceValues(FunctionId f, Extent* end) {
    std::vector<ValueId>& values = placed_[f.index];
    std::sort(values.begin(), values.end(), [](ValueId a, ValueId b) { return a.index < b.index; });
    std::vector<ValueId> shared;
    for (const ValueId v : values) {
      const Home home = kernel_.placements.Get(v).home;
      const bool memory =
          module_.types.IsPointer(module_.type_of(v)) && module_.value(v).kind != ValueKind::kFunctionParam;
      const TypeId type = memory ? module_.types.Pointee(module_.type_of(v)) : module_.type_of(v);
      if (home == Home::kUniformSlot) {
        kernel_.placements.Set(v, TakeUniform(type, end));
      } else if (!memory) {
        shared.push_back(v);
      } else {
        kernel_.placements.Set(v, TakeGroup(type, end));
      }
      if (end->uniform + end->group > kMaxFrameBytes) return;
    }
    uint64_t bytes = 0;
    const std::vector<uint64_t> offsets = ShareGroupSlots(kernel_, f, shared, &bytes);
    for (size_t i = 0; i < shared.size(); ++i) {
      kernel_.placements.Set(shared[i], {Home::kGroupSlot, static_cast<uint32_t>(end->group + offsets[i])});
    }
    end->group += bytes;
  }
  void PlaceResult(FunctionId f, Extent* end) {
    const TypeId type = module_.functions[f].result;
    if (type == module_.types.Void()) return;
    const Fact fact = shapes_.function_result(f);
    kernel_.barriers.results.Set(
        f, {IsWorkgroup(fact) ? TakeUniform(type, end) : TakeGroup(type, end), ShapeOf(fact)});
  }
  Placement TakeUniform(TypeId type, Extent* end) const {
    const Placement placement{Home::kUniformSlot, static_cast<uint32_t>(end->uniform)};
    end->uniform += uint64_t{module_.types.ScalarCount(type)} * 4;
    return placement;
  }
  Placement TakeGroup(TypeId type, Extent* end) const {
    const Placement placement{Home::kGroupSlot, static_cast<uint32_t>(end->group)};
    end->group += uint64_t{module_.types.ScalarCount(type)} * kernel_.lanes * 4;
    return placement;
  }
  static Failure TooLarge(uint64_t bytes) {
    return {FailureKind::kProgram,
            fmt::format("what a workgroup keeps across barriers takes {} MiB, more than {} MiB", bytes >> 20,
                        kMaxFrameBytes >> 20)};
  }

  LaneKernel& kernel_;
  Module& module_;
  const Structure& structure_;
  const ShapeInfo& shapes_;
  std::vector<FunctionId> functions_;  // those with regions, callers before callees; the entry point first
  FunctionId function_ = FunctionId::None();  // at hand
  std::vector<std::vector<ValueId>> placed_;  // by function: what has slots
  std::vector<Region> regions_;
  SideTable<InstId, uint32_t> region_after_;
  SideTable<ValueId, uint32_t> def_region_;
  SideTable<ValueId, uint8_t> state_;
  std::unordered_map<uint32_t, uint32_t> first_region_;  // by BlockId
  std::unordered_map<ValueId, uint32_t, IdHash> cost_;
  uint32_t cost_depth_ = 0;
};

}  // namespace

Result<> PlanBarriers(LaneKernel& kernel, const Structure& structure, const ShapeInfo& shapes) {
  Planner planner(kernel, structure, shapes);
  return planner.Run();
}

}  // namespace lockstep::codegen
