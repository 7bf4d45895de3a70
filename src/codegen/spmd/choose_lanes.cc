// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
#include "codegen/spmd/choose_lanes.h"

#include <algorithm>
#include <bit>
#include <unordered_set>

#include "codegen/spmd/lane_form.h"
#include "codegen/spmd/shapes.h"

namespace lockstep::codegen {

using ir::BlockId;
using ir::InstId;
using ir::Module;
using ir::Op;
using ir::ValueId;

namespace {

// Values that a loop keeps in vectors, up to which its group may be four vectors wide, and two.
constexpr uint32_t kFewValues = 3;
constexpr uint32_t kManyValues = 8;

struct Chooser {
  const Module& module;
  const Structure& structure;

  // What a width costs beyond its vectors: gathers, scatters and splits of control flow, more in loops.
  uint64_t Awkwardness(const ShapeInfo& shapes) const {
    uint64_t sum = 0;
    for (const InstId inst : structure.order) {
      const Op op = module.insts[inst].op;
      const bool memory = op == Op::kLoad || op == Op::kStore;
      const bool gathers = memory && shapes.fact(module.operands(inst)[0]).kind == Fact::kVarying;
      const bool splits = (op == Op::kIf || op == Op::kSwitch) && shapes.split(inst) == 2;
      if (!gathers && !splits) continue;
      uint64_t weight = 1;
      for (InstId c = structure.parent(inst); c.has_value() && weight < 100000; c = structure.parent(c)) {
        if (module.insts[c].op == Op::kLoop) weight *= 10;
      }
      sum += weight;
    }
    return sum;
  }

  // Values in vectors that live through the rounds of a loop: its parameters, and what it uses from outside.
  uint32_t LiveInLoop(InstId loop, const ShapeInfo& shapes) const {
    const Structure::Place place = structure.places.Get(loop);
    std::unordered_set<uint32_t> live;
    for (const ValueId p : module.blocks[module.regions(loop)[0]].params) {
      if (!shapes.fact(p).uniform()) live.insert(p.index);
    }
    for (uint32_t n = place.begin + 1; n <= place.end && live.size() <= kManyValues; ++n) {
      for (const ValueId v : module.operands(structure.order[n])) {
        const InstId def = module.defining_inst(v);
        const bool outside = def.has_value() && structure.places.Get(def).begin < place.begin;
        const Fact fact = shapes.fact(v);
        if (outside && !fact.uniform() && !module.types.IsPointer(module.type_of(v))) live.insert(v.index);
      }
    }
    return static_cast<uint32_t>(live.size());
  }

  bool HoldsLoop(InstId loop) const {
    const Structure::Place place = structure.places.Get(loop);
    for (uint32_t n = place.begin + 1; n <= place.end; ++n) {
      if (module.insts[structure.order[n]].op == Op::kLoop) return true;
    }
    return false;
  }

  uint32_t Vectors(const ShapeInfo& shapes) const {
    uint32_t vectors = 4;
    bool any_loop = false;
    for (const InstId inst : structure.order) {
      if (module.insts[inst].op != Op::kLoop || HoldsLoop(inst)) continue;
      any_loop = true;
      const uint32_t live = LiveInLoop(inst, shapes);
      const bool splits = shapes.leaves(inst) == 2;  // lanes that wait for others: the wider, the more
      vectors = std::min(vectors, live <= kFewValues && !splits ? 4u : live <= kManyValues ? 2u : 1u);
    }
    return any_loop ? vectors : 2;
  }
};

}  // namespace

uint32_t ChooseLanes(const Module& module, const Structure& structure, const LaneOptions& options) {
  const uint32_t least_lanes = LeastLanes(module);
  if (options.lanes != 0) return std::bit_floor(std::clamp(options.lanes, least_lanes, kMaxLanes));
  const uint32_t invocations = module.invocations();
  const uint32_t native = std::bit_floor(std::clamp(options.native_lanes, least_lanes, kMaxLanes));
  const uint32_t filled = std::bit_ceil(std::clamp<uint32_t>(invocations, 1, kMaxLanes));
  const Chooser chooser{module, structure};
  const ShapeInfo shapes = AnalyzeShapes(module, structure, std::min(filled, native));
  uint32_t lanes = std::min({filled, native * chooser.Vectors(shapes), kMaxLanes});
  if (lanes <= native) return lanes;
  const uint64_t least = chooser.Awkwardness(shapes);
  while (lanes > native) {
    const bool partial = invocations % lanes != 0 && invocations % native == 0;
    if (!partial && chooser.Awkwardness(AnalyzeShapes(module, structure, lanes)) <= least) break;
    lanes /= 2;
  }
  return lanes;
}

}  // namespace lockstep::codegen
