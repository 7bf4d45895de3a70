// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// What passes share: putting one value in another's place, copying regions, counting.
#pragma once

#include <unordered_map>
#include <vector>

#include "ir/builder.h"

namespace lockstep::ir {

// Values that others have taken the place of. Replacing is cheap; Apply rewrites every operand once at the
// end.
class Replacements {
 public:
  void Replace(ValueId from, ValueId to);
  // What stands for `value` now: chains of replacements are followed (and shortened).
  ValueId Find(ValueId value);
  bool empty() const { return to_.empty(); }
  // Rewrites the operands of `inst`, now, where they have been replaced; true where one had.
  bool ApplyTo(Module& module, InstId inst);
  void Apply(Module& module);

 private:
  std::vector<ValueId> to_;  // by value; None where it stands for itself
};

// Copies instructions with their regions. Values and constructs from outside of what is copied stay as they
// are unless mapped before; names and spans are copied.
class Cloner {
 public:
  explicit Cloner(Module* module) : m_(*module) {}
  void Map(ValueId from, ValueId to) { values_[from] = to; }
  ValueId Mapped(ValueId value) const;
  // A copy of `inst` that stands nowhere yet. Returns become exits of `return_target` where that is set.
  InstId Clone(InstId inst);
  void set_return_target(InstId construct) { return_target_ = construct; }
  // Appends copies of all instructions of `from` to `to`.
  void CloneInto(BlockId from, BlockId to);

 private:
  Module& m_;
  std::unordered_map<ValueId, ValueId, IdHash> values_;
  std::unordered_map<InstId, InstId, IdHash> insts_;
  InstId return_target_ = InstId::None();
};

// Appends the write `inst` so that it does nothing where `guard` is false, beside what its own guard says.
void AppendGuarded(Builder& builder, InstId inst, ValueId guard);

// How many operands each value is, in all functions.
std::vector<uint32_t> CountUses(const Module& module);
// Instructions in the block and its regions.
uint32_t CountInsts(const Module& module, BlockId block);
// How deep regions nest in the block: 0 for none.
uint32_t RegionDepth(const Module& module, BlockId block);
// Calls visit(InstId) on all instructions of the module's functions.
template <typename Visit>
void ForEachInst(const Module& module, const Visit& visit) {
  for (const Function& f : module.functions) ForEachInst(module, f.body, visit);
}

}  // namespace lockstep::ir
