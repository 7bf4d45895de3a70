// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// The state of linearising one module (linearize.h): linearize.cc has plain instructions,
// linearize_control.cc constructs and jumps.
#pragma once

#include <vector>

#include "codegen/spmd/linearize.h"
#include "ir/builder.h"

namespace lockstep::codegen {

class Linearizer {
 public:
  Linearizer(ir::Module& module, const Structure& structure, const ShapeInfo& shapes, bool partial);
  LinearForm Run();

 private:
  using Values = std::vector<ir::ValueId>;

  struct Mask {
    ir::ValueId value = ir::ValueId::None();  // None: all lanes
    bool maybe_empty = false;
    bool known() const { return value.has_value(); }
  };

  // A construct, or the function (`old` None), that jumps may go to while its inside is being written.
  struct Target {
    ir::InstId old = ir::InstId::None();
    ir::InstId made = ir::InstId::None();  // where jumps that all lanes take go
    bool by_vars = false;                  // results go through `result_vars`
    bool continues_masked = false;         // a loop whose lanes may `continue` one by one
    bool in_continuing = false;
    bool escaped = false;  // some lanes may have left it for beyond
    ir::ValueId active = ir::ValueId::None(), live = ir::ValueId::None();
    Values result_vars, continue_vars;
    ir::ValueId entry_mask = ir::ValueId::None();
    uint32_t arm_depth = 0;
  };

  // What is being written into, and so how to leave it when no lane is left.
  struct Region {
    enum Kind : uint8_t { kConstruct, kLoopBody, kContinuing, kFunction, kWorkgroup };
    Kind kind = kFunction;
    ir::InstId made = ir::InstId::None();
    std::vector<ir::InstId> zero_exits = {};  // to get zeros for results once these are known
    bool continues = false;                   // kLoopBody: lanes may wait in the continuing block
  };

  // How a block's text ends: with the values for the construct that owns it; with a jump already written; or
  // all of its lanes have been taken out of the masks, and nothing has been written.
  enum class End : uint8_t { kValues, kTerminated, kDead };
  struct Ending {
    End end = End::kDead;
    Values values;
    Values old_values;  // what they were before
  };

  // --- linearize.cc ---
  void EmitFunction(ir::FunctionId function);
  Ending EmitBody(ir::BlockId block);
  void EmitInst(ir::InstId inst);
  void Clone(ir::InstId inst, std::span<const ir::ValueId> operands);
  void EmitStore(ir::InstId inst);
  void EmitAtomic(ir::InstId inst);
  void EmitTextureLoad(ir::InstId inst);
  void EmitEvent(ir::InstId inst);
  void EmitCall(ir::InstId inst);
  ir::ValueId SharedGuard(ir::ValueId guard, bool uniform);
  ir::ValueId And(ir::ValueId a, ir::ValueId b);  // either may be None: true
  ir::ValueId AnyLane(ir::ValueId mask);
  ir::ValueId Map(ir::ValueId old) const {
    return old.index < map_.size() && map_[old.index].has_value() ? map_[old.index] : old;
  }
  void SetMap(ir::ValueId old, ir::ValueId made);
  Values MapAll(std::span<const ir::ValueId> old) const;
  bool IsUniform(ir::ValueId old) const { return shapes_.fact(old).uniform(); }

  // --- linearize_control.cc ---
  bool EmitConstruct(ir::InstId inst);  // true where lanes may have left for beyond it
  void EmitWrapped(ir::InstId inst);    // a construct or call under a mask that may be empty
  bool EmitTogether(ir::InstId inst);   // an if or switch that all lanes take one way
  bool EmitDivergent(ir::InstId inst);
  ir::ValueId Condition(ir::InstId inst);
  Values CaseConditions(ir::InstId inst);
  void MergeArms(ir::InstId inst, const std::vector<Ending>& arms, const Values& conditions);
  Ending EmitArm(ir::InstId construct, ir::BlockId block, ir::ValueId mask);
  Ending EmitArmRegion(ir::InstId construct, ir::BlockId block, ir::ValueId mask);
  bool IsBare(ir::InstId inst, size_t arm) const;
  bool IsShort(ir::BlockId block) const;
  bool EmitLoop(ir::InstId inst);
  void EmitLoopBody(ir::InstId inst, ir::BlockId made, const Mask& outer);
  void EmitContinuing(ir::InstId inst, ir::BlockId made, const Mask& outer);
  Ending EmitJump(ir::InstId jump);
  Ending EmitMaskedJump(ir::InstId jump, size_t target);
  void AfterConstruct(ir::InstId next);
  void LeaveIfEmpty();
  void WriteLeave();
  void FinishArm(const Ending& ending, ir::InstId made);
  void WriteExit(Region& region, std::span<const ir::ValueId> values);
  size_t PushTarget(ir::InstId old, bool by_vars, bool active);
  bool PopTarget();
  void MapResults(ir::InstId inst, std::span<const ir::ValueId> made);
  Values LoadAll(const Values& vars);
  void StoreResults(const Target& target, const Values& vars, const Values& values);
  void TakeOut(ir::ValueId mask_var);
  ir::ValueId MaskVar(ir::ValueId initial);
  ir::ValueId NewVar(ir::TypeId type);
  void ExitEmpty(ir::InstId made);  // with zeros
  Values Zeros(std::span<const ir::ValueId> like);
  void PatchZeroExits(Region& region);
  std::vector<ir::TypeId> ResultTypes(ir::InstId inst) const;
  size_t TargetOf(ir::InstId jump) const;
  bool HasEarlyExit(ir::InstId construct) const { return early_exit_.Get(construct) != 0; }

  ir::Module& module_;
  const Structure& structure_;
  const ShapeInfo& shapes_;
  const bool partial_;
  ir::Builder builder_;
  Mask mask_;
  std::vector<ir::ValueId> map_;               // old value -> new one
  SideTable<ir::InstId, uint8_t> early_exit_;  // constructs that are left from constructs inside them
  LinearForm out_;
  std::vector<Target> targets_;
  SideTable<ir::InstId, uint32_t> target_index_;
  std::vector<Region> regions_;
  uint32_t arm_depth_ = 0;
  ir::FunctionId current_function_ = ir::FunctionId::None();
};

}  // namespace lockstep::codegen
