// SPDX-FileCopyrightText: Lockstep authors
// SPDX-License-Identifier: Apache-2.0
//
// Ids of the IR's nodes; a Module owns what they name.
#pragma once

#include "support/id.h"

namespace lockstep::ir {

struct TypeId : IdBase<TypeId> {
  using IdBase::IdBase;
};
struct ValueId : IdBase<ValueId> {
  using IdBase::IdBase;
};
struct InstId : IdBase<InstId> {
  using IdBase::IdBase;
};
struct BlockId : IdBase<BlockId> {
  using IdBase::IdBase;
};
struct FunctionId : IdBase<FunctionId> {
  using IdBase::IdBase;
};
struct VariableId : IdBase<VariableId> {
  using IdBase::IdBase;
};  // module-scope variables
struct SwitchId : IdBase<SwitchId> {
  using IdBase::IdBase;
};  // the case table of a switch

}  // namespace lockstep::ir
