// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Tests only: random kernels with every kind of structured control flow, divergent and uniform, around
// barriers as WGSL allows them. They are free of races, end, and stay in bounds whatever their values are, so
// that all engines must agree.
//   buffers: 0 `in` array<u32> of kInputs, 1 `out` array<u32> of kOutputs for each invocation, 2 `sums` of 16
//   atomics
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "ir/builder.h"
#include "ir/module.h"

namespace lockstep::codegen {

class RandomKernel {
 public:
  static constexpr uint32_t kInputs = 64, kOutputs = 4, kTile = 64, kSums = 16;

  RandomKernel(uint32_t seed, uint32_t invocations);
  ir::Module Make();

 private:
  // Where code is being made: what jumps and barriers are allowed.
  struct Context {
    bool together = false;  // all invocations are here: barriers may stand
    size_t floor = 0;       // the first target that jumps may go to
    bool may_return = false;
    bool last = false;  // no barrier follows anywhere
    uint32_t depth = 0;
  };
  struct Target {
    ir::InstId construct;
    bool loop = false;
    uint32_t results = 0, carried = 0;
    bool in_continuing = false;
  };

  uint32_t Roll(uint32_t n) { return std::uniform_int_distribution<uint32_t>(0, n - 1)(random_); }
  bool Chance(uint32_t percent) { return Roll(100) < percent; }
  ir::ValueId Number();   // some u32 in scope
  ir::ValueId Uniform();  // the same in all invocations
  ir::ValueId Condition();
  ir::ValueId UniformCondition();
  std::vector<ir::ValueId> Numbers(uint32_t count);
  ir::ValueId At(ir::ValueId array, ir::ValueId index, uint32_t size);

  void Body(Context context, uint32_t statements);
  void Statement(Context context);
  void Arithmetic();
  void Memory();
  void BarrierPhase();
  void If(Context context, bool uniform);
  void ExitWhere(ir::ValueId condition, ir::InstId loop, uint32_t results);
  void Loop(Context context, bool uniform);
  void Switch(Context context, bool uniform);
  void Arm(Context context, ir::BlockId block, size_t target);
  bool MaybeJump(const Context& context);
  ir::ValueId Call();
  void MakeHelper();
  void MakePhase();
  void CallPhase();
  void EarlyReturn();

  std::mt19937 random_;
  uint32_t invocations_;
  ir::Module module_;
  ir::Builder b_;
  std::vector<ir::ValueId> numbers_, conditions_, uniforms_, vars_, arrays_;
  std::vector<Target> targets_;
  ir::ValueId in_, out_, sums_, tile_, local_, global_;
  ir::ValueId slot_ = ir::ValueId::None();  // this invocation's element of the tile, in a phase
  ir::FunctionId helper_ = ir::FunctionId::None();
  std::vector<ir::FunctionId> phases_;  // with barriers
  bool returns_number_ = false, in_helper_ = false;
  uint32_t budget_ = 120;
};

}  // namespace lockstep::codegen
